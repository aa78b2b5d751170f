"""Recorded failures of real providers: each has the class that a person gives it."""

import json
from collections import Counter
from pathlib import Path

import pytest

from weft.errors import error_from_body, error_from_http, is_error_body

CORPUS = Path(__file__).parent.parent.parent / "shared" / "corpus"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(
        not (CORPUS / "index.jsonl").is_file(), reason="the corpus of recorded streams is not beside the checkout"
    ),
]

# Which statuses may stand with which type: a recorded body that contradicts its status says so in a code or in words.
TYPES_OF_STATUS = {
    400: {"invalid_request", "not_found", "permission", "context_length", "authentication", "rate_limit"},
    401: {"authentication"},
    403: {"permission", "content_blocked"},
    404: {"not_found"},
    422: {"invalid_request"},
    429: {"rate_limit"},
    500: {"server"},
    503: {"overloaded"},
}

# Words in a body that leave no doubt.
TELLING = {
    "API_KEY_INVALID": "authentication",
    "invalid_api_key": "authentication",
    "model_not_found": "not_found",
    "model_decommissioned": "not_found",
    "RESOURCE_EXHAUSTED": "rate_limit",
    "PERMISSION_DENIED": "permission",
    "FAILED_PRECONDITION": "permission",
    "exceed_context_size_error": "context_length",
    "too_many_prompt_tokens": "context_length",
    "TOO_MANY_TOKENS": "context_length",
    "prompt too long": "context_length",
    "input token count": "context_length",
    "tool_use_failed": "invalid_request",
    "identifier is invalid": "not_found",
    "not_found_error": "not_found",
}


def rows(*kinds):
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as index:
        for row in map(json.loads, index):
            path = CORPUS / row["file"]
            if row["kind"] in kinds and path.is_file():
                yield row, path.read_bytes()


def frames(body):
    """What the lines or the whole of a body hold as JSON."""
    text = body.decode("utf-8", "replace")
    for piece in [text, *(line.removeprefix("data:") for line in text.splitlines())]:
        if piece.lstrip()[:1] in ("{", "["):
            try:
                yield json.loads(piece)
            except ValueError:
                continue


def test_recorded_failures_have_the_class_of_their_status_and_words():
    wrong = []
    for row, body in rows("error"):
        error = error_from_http(row["status"], {"content-type": row["content_type"] or ""}, body, row["protocol"])
        expected = {kind for words, kind in TELLING.items() if words in body.decode()} or TYPES_OF_STATUS[row["status"]]
        if error.type not in expected or not error.message or not error.code:
            wrong.append((row["id"], row["status"], error.type, error.message))
    assert [] == wrong


def test_recorded_failures_look_like_errors():
    assert [] == [
        row["id"]
        for row, body in rows("error")
        for frame in list(frames(body))[:1]
        if row["framing"] != "sse" and not is_error_body(frame)
    ]


def test_recorded_frames_look_like_errors_only_where_they_are():
    found = Counter(
        (row["protocol"], error_from_body(frame).code)
        for row, body in rows("stream", "nonstream")
        if row["framing"] != "eventstream"
        for frame in frames(body)
        if is_error_body(frame)
    )
    assert {
        ("anthropic-messages", "overloaded_error"),
        ("openai-chat", "400"),
        ("openai-chat", "502"),
        ("openai-chat", "model_error"),
        ("openai-chat", "server_error"),
        ("openai-chat", "tool_use_failed"),
        ("openai-responses", "unknown-error"),
    } >= set(found)
