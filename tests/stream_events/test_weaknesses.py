"""What the system behind seed 002 got wrong, by its number in the list of weaknesses; the other numbers have their tests beside what they are about."""

import pytest

from tests.protocols.wire import ndjson, sse
from weft.stream_events import (
    StreamContentEvent,
    StreamErrorEvent,
    StreamToolCallEvent,
    collect_tool_args,
    stream_events,
)


def content(data, protocol):
    return [event.text for event in stream_events(data, protocol) if isinstance(event, StreamContentEvent)]


def test_6_anthropics_arguments_are_all_there_and_nothing_else():
    """`input_json_delta` was not known, and the empty input of the start would have stood before the pieces."""
    data = sse(
        {"type": "message_start", "message": {"id": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "plan", "input": {}}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a"'}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ":1}"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    )  # fmt: skip
    events = list(stream_events(data, "anthropic"))
    assert ['{"a"', ":1}"] == [event.arguments for event in events if isinstance(event, StreamToolCallEvent)]
    assert {"a": 1} == collect_tool_args(events, "plan").args


def test_8_a_chunk_that_has_everything_twice_is_said_once():
    message = {"role": "assistant", "content": "Hello"}
    both = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "message": message}
    assert ["Hello"] == content([both], "openai-chat")
    tagged = ndjson({"kind": "json", "delta": both}, {"done": True})
    assert ["Hello"] == content(tagged, "ollama")


def test_8_a_final_list_beside_a_delta_is_not_ignored():
    function = {"name": "plan", "arguments": "{}"}
    choice = {"delta": {"content": "x"}, "message": {"tool_calls": [{"id": "c", "function": function}]}}
    data = sse({"choices": [{"index": 0, **choice, "finish_reason": "tool_calls"}]}, done=True)
    assert ["x"] == content(data, "openai-chat")
    assert {} == collect_tool_args(stream_events(data, "openai-chat"), "plan").args


@pytest.mark.parametrize(
    ("last", "code"),
    [
        ({"error": {"message": "Slow down.", "type": "rate_limit_error"}}, "RateLimited"),
        ({"choices": []}, "UpstreamFailure"),
    ],
    ids=["an error", "cut off"],
)
def test_9_failures_and_cuts_can_be_seen(last, code):
    data = sse({"choices": [{"index": 0, "delta": {"content": "Hel"}}]}, last)
    events = list(stream_events(data, "openai-chat"))
    assert [code] == [event.code for event in events if isinstance(event, StreamErrorEvent)]
    assert "done" == events[-1].type


def test_11_nothing_is_dropped_however_slow_the_reader_is():
    """A queue held two thousand events and dropped the oldest; here the reader pulls, and nobody is ahead of it."""

    def source():
        for at in range(5000):
            pulled.append(at)
            yield {"choices": [{"index": 0, "delta": {"content": f"{at} "}}]}

    pulled: list[int] = []
    events = stream_events(source(), "openai-chat")
    assert ("0 ", [0]) == (next(events).text, pulled)
    assert [f"{at} " for at in range(1, 5000)] == [e.text for e in events if isinstance(e, StreamContentEvent)]
