"""Every recorded Gemini stream, whole reply and error, and what Google's own SDK makes of the same bytes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import weft
from tests.conftest import CORPUS
from tests.referees.exceptions import agreed_failures, oracle_fields
from tests.referees.oracle import available, corpus_answers
from weft.message import Message, OpaquePart, Reasoning
from weft.testing import check_cuts

FINISHES = {
    "STOP": ("completed", {"stop", "tool_calls"}),
    "1": ("completed", {"stop", "tool_calls"}),
    "MAX_TOKENS": ("incomplete", {"length"}),
    "SAFETY": ("incomplete", {"content_filter"}),
    "RECITATION": ("incomplete", {"content_filter"}),
    "blockReason:SAFETY": ("incomplete", {"content_filter"}),
    "FAKE_ENUM": ("completed", {"other"}),
}
CANCELLED = "vertexai-sdk-test-data.vertexai-streaming-failure-error-mid-stream-40958d6e"
NOT_GEMINI = "vertexai-sdk-test-data.vertexai-streaming-failure-invalid-json-cb2eeb49"

# Oddities of a frame that a note tells, by the tag of the row that has them; a note that is not here is a fault of ours.
NOTES = {
    "frames_unseparated": "odd:sse-missing-blank-line",
    "unterminated_frame": None,
    "content_after_finish": None,
}


def rows(*kinds: str) -> Iterator[dict[str, Any]]:
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["protocol"] == "gemini" and row["kind"] in kinds:
                yield row


def read(row: dict[str, Any]) -> Message:
    return weft.collect(weft.read((CORPUS / row["file"]).read_bytes(), "gemini", status=row["status"]))


def test_streams_and_replies_end_as_their_finish_says(corpus: Any):
    for row in rows("stream", "nonstream"):
        message = read(row)
        if row["id"] == CANCELLED:
            assert message.error is not None
            assert ("First Second ", "cancelled") == (message.text, message.error.type)
        elif row["finish"]:
            outcome, finishes = FINISHES[row["finish"][-1]]
            assert outcome == message.outcome, row["id"]
            assert message.finish in finishes, row["id"]
            assert (message.finish == "content_filter") == (message.error is not None), row["id"]
        else:
            assert "truncated" == message.outcome, row["id"]


def test_recorded_streams_hold_nothing_unknown(corpus: Any):
    for row in rows("stream", "nonstream"):
        if row["id"] == NOT_GEMINI:
            continue
        message = read(row)
        assert [] == message.unknown, row["id"]
        assert [] == [part for part in message.blocks if isinstance(part, OpaquePart)], row["id"]
        for note in message.notes:
            assert note.code in NOTES, (row["id"], note)
            tag = NOTES[note.code]
            assert tag is None or tag in row["odd"], row["id"]


def test_recorded_members_are_all_known(corpus: Any):
    for row in rows("stream", "nonstream"):
        if row["id"] != NOT_GEMINI:
            told = weft.read((CORPUS / row["file"]).read_bytes(), "gemini", strict=True)
            assert "unknown_member" not in {note.code for note in weft.collect(told).notes}, row["id"]


def test_calls_that_the_rows_tell_of_are_complete(corpus: Any):
    for row in rows("stream", "nonstream"):
        calls = [call for call in read(row).tool_calls if call.executor == "client"]
        assert ("tool-calls" in row["features"]) == bool(calls), row["id"]
        if row["finish"][-1:] == ["STOP"]:
            assert all(call.complete for call in calls), row["id"]


def test_errors_are_errors(corpus: Any):
    for row in rows("error"):
        message = read(row)
        assert "failed" == message.outcome, row["id"]
        assert message.error is not None
        assert row["status"] == message.error.status, row["id"]
        assert message.error.type not in {"server", "protocol"}, row["id"]


def test_citations_are_where_they_say(corpus: Any):
    """Each position that is told holds the words that the support quotes."""
    told = 0
    for row in rows("stream", "nonstream"):
        for part in read(row).blocks:
            for note in getattr(part, "annotations", ()):
                if note.start is not None and note.text is not None:
                    assert note.text == part.text[note.start : note.end], row["id"]
                    told += 1
    assert told > 0


def test_cuts_of_recorded_streams_change_nothing(corpus: Any):
    for number, row in enumerate(rows("stream")):
        if number % 10 == 0 and row["bytes"] < 60_000:
            check_cuts("gemini", (CORPUS / row["file"]).read_bytes(), rounds=3)


# -- what the vendor's SDK says ------------------------------------------------------------------------------------

FIELDS = frozenset({"text", "reasoning", "tool_calls", "finish_raw", "signatures", "usage"})
URL_ALPHABET = str.maketrans("+/", "-_")  # the SDK's dumps have it


@pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
@pytest.mark.referees
@pytest.mark.timeout(600)
def test_the_sdk_agrees(corpus: Any):
    judged = 0
    for case, answer in corpus_answers("gemini"):
        failure = answer["error"]
        if case.kind == "error" or (failure is not None and ("gemini", failure["class"]) not in agreed_failures()):
            continue
        fields = oracle_fields(case, answer, FIELDS)
        message = weft.collect(weft.read(case.body.path.read_bytes(), "gemini"))
        told, ours = of_sdk(answer), of_weft(message)
        assert {name: told[name] for name in fields} == {name: ours[name] for name in fields}, case.id
        judged += 1
    assert judged > 0


def of_sdk(answer: dict[str, Any]) -> dict[str, Any]:
    usage = answer["usage"] or {}
    prompt, tools, output, thoughts, total, cached = (
        usage.get(name) or 0
        for name in (
            "prompt_token_count",
            "tool_use_prompt_token_count",
            "candidates_token_count",
            "thoughts_token_count",
            "total_token_count",
            "cached_content_token_count",
        )
    )
    return {
        "text": answer["text"],
        "reasoning": answer["reasoning"],
        "finish_raw": answer["finish_raw"] or (answer["finish_detail"] or "").removeprefix("blocked: ") or None,
        "signatures": [block["thought_signature"] for block in answer["blocks"] if "thought_signature" in block],
        "usage": (prompt + tools, output + thoughts, total, cached, thoughts),
        "tool_calls": [(call["id"], call["name"], call["arguments"] or {}) for call in answer["tool_calls"]],
    }


def of_weft(message: Message) -> dict[str, Any]:
    names = ("input_tokens", "output_tokens", "total_tokens", "cache_read_tokens", "reasoning_tokens")
    return {
        "text": message.text,
        "reasoning": "".join(part.text for part in message.blocks if isinstance(part, Reasoning)),
        "finish_raw": message.finish_raw,
        "signatures": [
            signature.value.translate(URL_ALPHABET) for part in message.blocks for signature in part.signatures
        ],
        "usage": tuple((message.usage and getattr(message.usage, name)) or 0 for name in names),
        "tool_calls": [
            (None if call.made_id else call.id, call.name, call.arguments)
            for call in message.tool_calls
            if call.executor == "client"
        ],
    }
