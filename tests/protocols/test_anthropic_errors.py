"""Anthropic Messages as a source: errors, and what nobody has named. References are to the failure gallery and the protocol atlas."""

import json

import pytest

from tests.protocols.anthropic_wire import (
    STOP,
    TEXT,
    closed,
    ended,
    opened,
    said,
    start,
    stream,
    text,
)
from tests.protocols.wire import end, message, note_codes, sse

A = "anthropic"


# -- errors --------------------------------------------------------------------------------------------------------

ERRORS = [
    ("invalid_request_error", "invalid_request", False),
    ("authentication_error", "authentication", False),
    ("billing_error", "billing", False),
    ("permission_error", "permission", False),
    ("not_found_error", "not_found", False),
    ("request_too_large", "request_too_large", False),
    ("rate_limit_error", "rate_limit", True),
    ("timeout_error", "timeout", True),
    ("api_error", "server", True),
    ("overloaded_error", "overloaded", True),
]


@pytest.mark.parametrize(("code", "type", "retryable"), ERRORS)
def test_an_error_may_be_the_first_event(code: str, type: str, retryable: bool):
    """D1."""
    data = sse({"type": "error", "error": {"type": code, "message": "Sorry"}, "request_id": "req_1"}, event=True)
    got = message(data, A)
    assert ("failed", type, code, retryable, "Sorry") == (
        got.outcome,
        got.error.type,
        got.error.code,
        got.error.retryable,
        got.error.message,
    )
    assert "req_1" == got.error.original["request_id"]


def test_an_error_in_the_middle_keeps_what_was_said():
    """D1, D2: nothing that follows makes a success of it."""
    data = stream(
        opened(0, TEXT),
        said(0, "Half a "),
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    )
    got = message(data, A)
    assert ("failed", "overloaded", "Half a ") == (got.outcome, got.error.type, got.text)
    assert not got.blocks[0].complete


@pytest.mark.parametrize(
    ("body", "type"),
    [
        ({"code": 500, "message": "Slot lost", "type": "server_error"}, "server"),
        ({"code": 400, "message": "too long", "type": "exceed_context_size_error", "n_ctx": 4096}, "context_length"),
        ({"error": {"message": "boom", "type": "internal_error"}}, "server"),
        ({"detail": {"reason": "odd"}}, "server"),
    ],
)
def test_an_error_may_be_in_somebody_elses_words(body: dict, type: str):
    """llama.cpp's bare body, vLLM's internal_error; the event's name is enough."""
    got = message(f"event: error\ndata: {json.dumps(body)}\n\n".encode(), A)
    assert ("failed", type) == (got.outcome, got.error.type)


def test_a_json_error_instead_of_a_stream():
    """D3."""
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}
    assert ("failed", "rate_limit") == (
        end(json.dumps(body).encode(), A).outcome,
        end(json.dumps(body).encode(), A).error.type,
    )
    assert 529 == end(json.dumps(body).encode(), A, status=529).error.status


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


@pytest.mark.parametrize("glue", [b"\n", b""])
def test_an_error_glued_to_half_a_frame_is_an_error(glue: bytes):
    """D5, Q-A14: a proxy wrote it without closing the frame it was in."""
    half = b'event: content_block_delta\ndata: {"type":"content_block_del' + glue
    got = message(sse(start(), opened(0, TEXT), said(0, "Half")) + half + sse(OVERLOADED, event=True), A)
    assert ("failed", "overloaded", "Half") == (got.outcome, got.error.type, got.text)


def test_an_error_may_be_plain_words():
    got = message(sse(start(), opened(0, TEXT)) + b"event: error\ndata: Service is overloaded\n\n", A)
    assert ("failed", "overloaded", "Service is overloaded") == (got.outcome, got.error.type, got.error.message)


def test_an_overflow_is_recognised_by_its_words():
    error = {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"}
    assert "context_length" == end(sse({"type": "error", "error": error}), A).error.type


# -- what nobody has named -----------------------------------------------------------------------------------------


def test_unknown_events_and_deltas_are_carried():
    """B16: what a delta of an unknown kind calls text need not be for everybody's eyes."""
    inside = [said(0, "H"), delta_of_tomorrow(), said(0, "i")]
    data = sse(
        start(),
        {"type": "weather", "completion": "sun"},
        opened(0, TEXT),
        *inside,
        closed(0),
        ended(),
        STOP,
        event=True,
    )
    got = message(data, A)
    assert ("Hi", "completed") == (got.text, got.outcome)
    assert [{"type": "weather", "completion": "sun"}, delta_of_tomorrow()] == [unknown.raw for unknown in got.unknown]
    assert ["weather", "content_block_delta"] == [unknown.name for unknown in got.unknown]


def delta_of_tomorrow() -> dict:
    return {"type": "content_block_delta", "index": 0, "delta": {"type": "mood_delta", "text": "fine"}}


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "message_start"},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_delta", "index": 0},
        {"type": "content_block_stop"},
        {"type": "message_delta"},
        {"type": "content_block_delta", "index": "0", "delta": {"type": "text_delta", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": None}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta"}},
    ],
)
def test_frames_without_their_inside_change_nothing(frame: dict):
    """A8, B12: null and nothing are absent."""
    plain, odd = stream(text(0, "Hi")), sse(start(), opened(0, TEXT), frame, said(0, "Hi"), closed(0), ended(), STOP)
    assert message(plain, A).blocks[0].text == message(odd, A).text
    assert "completed" == message(odd, A).outcome


def test_one_broken_frame_is_skipped():
    """D9."""
    got = message(stream(text(0, "Hi")).replace(b"event: ping", b"") + b"data: {oops\n\n", A)
    assert "Hi" == got.text
    data = sse(start(), opened(0, TEXT), "{oops", said(0, "Hi"), closed(0), ended(), STOP)
    assert ("Hi", "completed", ["broken_frame"]) == (
        message(data, A).text,
        message(data, A).outcome,
        note_codes(data, A),
    )


def test_half_characters_are_put_together():
    """Atlas 1.6: an emoji split over two deltas."""
    data = sse(
        start(),
        opened(0, TEXT),
        *(json.dumps(said(0, half)) for half in ("\ud83d", "\ude00!")),
        closed(0),
        ended(),
        STOP,
    )
    assert "\U0001f600!" == message(data, A).text
