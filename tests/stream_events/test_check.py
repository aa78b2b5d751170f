"""The invariants of Stream Event v1 as a checker: the same findings for typed events, dicts and lines."""

import json

import msgspec
import pytest

from weft.stream_events import StreamContentEvent, StreamDoneEvent, StreamToolCallEvent, check_stream_events
from weft.testing import LawBrokenError
from weft.testing import check_stream_events as hold

TEXT = {"type": "content", "channel": "json", "text": "Hi"}
HEAD = {"type": "tool_call", "index": 0, "id": "c", "name": "f", "arguments": "{", "isDelta": True}
TAIL = {"type": "tool_call", "index": 0, "arguments": "}", "isDelta": True}
WHOLE = {"type": "tool_call", "index": 1, "name": "g", "arguments": {}, "isDelta": False}
ERROR = {"type": "error", "code": "RateLimited", "detail": "Slow down."}
DONE = {"type": "done"}

GOOD = [
    [DONE],
    [ERROR, DONE],
    [TEXT, HEAD, WHOLE, TAIL, {"type": "return", "name": "g", "result": 1}, DONE],
    [TEXT, ERROR, DONE],
]

# What an adapter says, and where which rule is broken.
BAD = {
    "nothing": ([], [(0, "done-missing")]),
    "no done": ([TEXT], [(1, "done-missing")]),
    "an error alone": ([ERROR], [(1, "done-missing")]),
    "done twice": ([DONE, DONE], [(1, "done-once")]),
    "done, then an error": ([DONE, ERROR], [(1, "done-once")]),
    "text after the error": ([ERROR, TEXT, DONE], [(1, "error-once")]),
    "no such event": ([{"type": "usage", "input": 1}, DONE], [(0, "type")]),
    "a channel of its own": ([{**TEXT, "channel": "analysis"}, DONE], [(0, "channel")]),
    "a call that begins nameless": ([TAIL, DONE], [(0, "call-name")]),
    "a delta that is an object": ([{**HEAD, "arguments": {}}, DONE], [(0, "call-delta")]),
    "a whole call that goes on": ([WHOLE, {**WHOLE}, DONE], [(1, "call-delta")]),
    # Requirements 3.3.1: what the seed's own back end says.
    "the back end's call": (
        [{"type": "tool_call", "channel": "json", "tool": "f", "toolCallId": "c", "arguments": "{}"}, DONE],
        [(0, "member"), (0, "member")],
    ),
}


def told(findings) -> list[tuple[int, str]]:
    return [(finding.offset, finding.rule.removeprefix("stream-event-v1/")) for finding in findings]


@pytest.mark.parametrize("events", GOOD, ids=len)
def test_what_keeps_the_contract_is_clean(events):
    assert [] == check_stream_events(events)
    assert [] == check_stream_events(b"".join(json.dumps(event).encode() + b"\n" for event in events))
    hold(events)


@pytest.mark.parametrize("name", BAD)
def test_what_breaks_it_is_found_at_its_place(name):
    events, findings = BAD[name]
    assert findings == told(check_stream_events(events))
    with pytest.raises(LawBrokenError, match=findings[0][1]):
        hold(iter(events))


@pytest.mark.parametrize("name", BAD)
def test_lines_have_the_same_findings_at_their_bytes(name):
    events, findings = BAD[name]
    lines = [json.dumps(event) + "\n" for event in events]
    starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
    for stream in ("".join(lines), "".join(lines).encode(), lines, [line.encode() for line in lines]):
        assert [(starts[at], rule) for at, rule in findings] == told(check_stream_events(stream))


def test_typed_events_are_judged_too():
    call = StreamToolCallEvent(index=0, arguments="{}", is_delta=True)
    found = check_stream_events([StreamContentEvent(text="Hi"), call, StreamDoneEvent(), StreamDoneEvent()])
    assert [(1, "call-name"), (3, "done-once")] == told(found)


def test_what_is_no_event_at_all_is_found():
    found = check_stream_events([TEXT, None, DONE])
    assert [(1, "transport/not-object")] == told(found)
    assert [(0, "transport/not-object")] == told(check_stream_events(b"5\n" + msgspec.json.encode(DONE) + b"\n"))
