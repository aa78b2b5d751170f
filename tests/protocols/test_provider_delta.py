"""Seed 001's delta contract: what is taken, what is refused, and with which path."""

from typing import Any

import pytest

from tests.protocols.wire import end, events, message, ndjson
from weft.testing import check_protocol

USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
GOOD = [
    {"reasoning": "Hm"},
    {"text": "Hi"},
    {"toolCall": {"index": 0, "id": "c1", "name": "f", "arguments": '{"a"'}},
    {"toolCall": {"index": 0, "arguments": ":1}"}},
    {"finishReason": "tool_calls"},
    {"usage": USAGE | {"input_tokens_details": {"cached_tokens": 1, "other": "x"}, "note": "dropped"}},
]


def test_a_good_stream_is_read():
    got = message(ndjson(*GOOD), "provider-delta")
    assert ("completed", "Hi", "Hm", "tool_calls") == (got.outcome, got.text, got.reasoning, got.finish)
    assert [("c1", "f", {"a": 1}, True)] == [(c.id, c.name, c.arguments, c.complete) for c in got.tool_calls]
    assert got.usage is not None
    assert (3, 4, 7, 1) == (
        got.usage.input_tokens,
        got.usage.output_tokens,
        got.usage.total_tokens,
        got.usage.cache_read_tokens,
    )


def test_usage_after_the_finish_reaches_the_terminal():
    assert 7 == end(ndjson(*GOOD), "provider-delta").usage.total_tokens


def test_a_delta_may_carry_everything_at_once():
    """B4, A19: one delta, several events, reasoning before text before the call."""
    one = {
        "text": "t",
        "reasoning": "r",
        "toolCall": {"id": "c", "name": "f", "arguments": "{}"},
        "finishReason": "stop",
        "usage": USAGE,
    }
    got = message(ndjson(one), "provider-delta")
    assert ["reasoning", "text", "tool_call"] == [type(part).__struct_config__.tag for part in got.blocks]
    assert "tool_calls" == got.finish


@pytest.mark.parametrize(
    ("delta", "parameter"),
    [
        (None, "delta"),
        ([], "delta"),
        (5, "delta"),
        ({}, "delta"),
        ({"text": "x", "colour": 1}, "colour"),
        ({"text": None}, "text"),
        ({"text": 1}, "text"),
        ({"refusal": []}, "refusal"),
        ({"reasoning": {}}, "reasoning"),
        ({"toolCall": {}}, "toolCall"),
        ({"toolCall": "x"}, "toolCall"),
        ({"toolCall": {"index": -1}}, "toolCall.index"),
        ({"toolCall": {"index": 1.5}}, "toolCall.index"),
        ({"toolCall": {"index": True}}, "toolCall.index"),
        ({"toolCall": {"id": None}}, "toolCall.id"),
        ({"toolCall": {"name": None}}, "toolCall.name"),
        ({"toolCall": {"arguments": {}}}, "toolCall.arguments"),
        ({"toolCall": {"colour": 1}}, "toolCall.colour"),
        ({"usage": 5}, "usage"),
        ({"usage": {"input_tokens": 1, "output_tokens": 1}}, "usage.total_tokens"),
        ({"usage": USAGE | {"input_tokens": True}}, "usage.input_tokens"),
        ({"usage": USAGE | {"input_tokens_details": 1}}, "usage.input_tokens_details"),
        (
            {"usage": USAGE | {"input_tokens_details": {"cached_tokens": "1"}}},
            "usage.input_tokens_details.cached_tokens",
        ),
        ({"error": "x"}, "error"),
        ({"error": {"message": "x", "code": 5}}, "error.code"),
        ({"error": {"code": "x"}}, "error.message"),
        ({"finishReason": 5}, "finishReason"),
    ],
)
def test_a_bad_delta_ends_the_stream_with_its_path(delta: Any, parameter: str):
    """B5: seed 001's validation; what was understood before is kept."""
    last = end(ndjson({"text": "kept"}, delta, {"text": "lost"}), "provider-delta")
    assert ("failed", "bridge.stream.invalid_transition", parameter) == (
        last.outcome,
        last.error.code,
        last.error.parameter,
    )
    assert "kept" == message(ndjson({"text": "kept"}, delta), "provider-delta").text


def test_a_bad_first_delta_emits_nothing_but_its_failure():
    assert ["start", "end"] == [event.type for event in events(ndjson({"x": 1}), "provider-delta")]


def test_plain_text_is_no_delta():
    assert "delta" == end(b"hello\n", "provider-delta").error.parameter


def test_an_error_is_the_terminal():
    last = end(ndjson({"error": {"code": "rate_limit_exceeded", "message": "slow down"}}), "provider-delta")
    assert ("failed", "rate_limit", "slow down") == (last.outcome, last.error.type, last.error.message)


def test_an_explicit_null_finish_is_no_finish():
    """C4: null is absent, and does not poison the stream."""
    got = message(
        ndjson({"text": "a", "finishReason": None}, {"text": "b"}, {"finishReason": "stop"}), "provider-delta"
    )
    assert ("ab", "completed") == (got.text, got.outcome)


def test_a_stream_without_a_finish_is_truncated():
    assert "truncated" == end(ndjson({"text": "a"}), "provider-delta").outcome


def test_parsed_deltas_are_taken_as_well():
    assert "Hi" == message(GOOD, "provider-delta").text


def test_the_laws_hold():
    assert 1 == check_protocol("provider-delta", [ndjson(*GOOD)])
