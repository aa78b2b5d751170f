"""Frames as they came: what leaves is whole, and a stream that breaks off ends as its own protocol's clients need it.

Knows: how to cut, and the linter. The cuts over all fixtures are drawn with a fixed seed.
"""

import json
import random
from base64 import b64encode
from pathlib import Path

import pytest

import weft
from tests.protocols.aws import event

FIXTURES = Path(__file__).parent.parent / "fixtures"
JUDGED = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "cohere", "bedrock")
HALVES = {"transport/broken-frame"}
SEED = 20261119
ARRAY = (
    b'[{\n  "candidates": [{"content": {"parts": [{"text": "Hi"}]}, "index": 0}]\n}\n'
    b',\r\n{\n  "candidates": [{"content": {"parts": [{"text": " there"}]}, "finishReason": "STOP", "index": 0}]\n}\n]'
)


def forwarded(protocol: str, data: bytes, size: int = 1 << 20, **options) -> tuple[bytes, bytes]:
    """What left while it came, in reads of so many bytes, and what left at the end."""
    pipe = weft.Pipe(protocol, protocol.partition("/")[0], verbatim=True, **options)
    out = b"".join(pipe.feed(data[at : at + size]) for at in range(0, len(data), size))
    return out, pipe.close()


def responses(*events: dict) -> bytes:
    """Events of one response, numbered from 40, as after a resumed stream."""
    numbered = [{"sequence_number": number, **event} for number, event in enumerate(events, 40)]
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in numbered)


def frames(data: bytes) -> list[dict]:
    return [json.loads(line.removeprefix(b"data: ")) for line in data.splitlines() if line.startswith(b"data: {")]


CREATED = {
    "type": "response.created",
    "response": {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "in_progress", "output": []},
}  # fmt: skip


def call(number: int, name: str, event: str, **members) -> dict:
    item = {"id": f"fc_{name}", "type": "function_call", "call_id": name, "name": name}
    return {"type": f"response.{event}", "output_index": number, "item_id": f"fc_{name}", **members} | (
        {"item": {**item, **members}} if event.startswith("output_item") else {}
    )


@pytest.mark.parametrize("protocol", JUDGED)
def test_a_forwarded_stream_that_broke_off_breaks_no_rule_that_it_kept_before(protocol):
    """The numbers go on, no block is announced twice, and nothing of another framing follows."""
    chance, wrong = random.Random(SEED), []
    for path in sorted(FIXTURES.joinpath(protocol).iterdir()):
        data = path.read_bytes()
        if path.name.endswith((".events.jsonl", ".targets.txt", ".json")) or weft.lint(data, protocol):
            continue
        for size in chance.sample(range(len(data)), min(8, len(data))):
            out, tail = forwarded(protocol, data[:size])
            rules = {finding.rule for finding in weft.lint(out + tail, protocol)}
            said = weft.collect(weft.read(data[:size], protocol)).outcome != "truncated"
            found = rules & HALVES if said else rules
            wrong += [(path.name, size, found)] if found else []
    assert [] == wrong


def test_two_calls_that_were_open_when_the_stream_broke_off_are_both_closed_in_their_places():
    data = responses(
        CREATED,
        call(0, "a", "output_item.added", arguments="", status="in_progress"),
        call(1, "b", "output_item.added", arguments="", status="in_progress"),
        call(2, "c", "output_item.added", arguments="", status="in_progress"),
        call(0, "a", "function_call_arguments.delta", delta='{"q":'),
        call(1, "b", "function_call_arguments.delta", delta="{}"),
        call(1, "b", "output_item.done", arguments="{}", status="completed"),
    )
    _, tail = forwarded("openai-responses", data)
    told = frames(tail)
    assert [47, 48, 49, 50, 51] == [frame["sequence_number"] for frame in told]
    done = [
        (frame["output_index"], frame["item"]["call_id"], frame["item"]["status"]) for frame in told if "item" in frame
    ]
    assert [(0, "a", "incomplete"), (2, "c", "incomplete")] == done
    assert ["a", "b", "c"] == [item["call_id"] for item in told[-1]["response"]["output"]]


@pytest.mark.parametrize("keep", [True, False])
def test_the_failure_has_the_id_and_the_number_that_come_next(keep):
    _, tail = forwarded("openai-responses", responses(CREATED), keep=keep, context=weft.Context(response_id="mine"))
    told = [(frame["type"], frame["sequence_number"], frame["response"]["id"]) for frame in frames(tail)]
    assert [("response.failed", 41, "resp_1")] == told


def test_where_nothing_came_the_failure_is_a_stream_of_its_own():
    out, tail = forwarded("openai-responses", b'event: response.created\ndata: {"type":"respo')
    assert b"" == out
    assert ["response.created", "response.in_progress", "response.failed"] == [frame["type"] for frame in frames(tail)]


def test_a_call_that_was_announced_and_not_begun_is_not_announced_again():
    start = {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": [],
             "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}}  # fmt: skip
    opened = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t", "name": "n", "input": {}},
    }
    data = b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in (start, opened))
    out, tail = forwarded("anthropic", data)
    assert data == out
    assert ["error"] == [frame["type"] for frame in frames(tail)]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_json_array_leaves_element_by_element(size):
    out, tail = forwarded("gemini", ARRAY, size)
    assert ARRAY == out + tail
    pipe = weft.Pipe("gemini", "gemini", verbatim=True)
    assert b"" == pipe.feed(ARRAY[:40])
    assert ARRAY[: ARRAY.index(b"\n,")] == pipe.feed(ARRAY[40:100])


@pytest.mark.parametrize("size", [2, 50, 120])
def test_a_json_array_that_broke_off_is_still_one(size):
    told = json.loads(b"".join(forwarded("gemini", ARRAY[:size])))
    assert "truncated" == told[-1]["error"]["details"][0]["reason"]


def test_an_object_over_many_lines_is_never_forwarded_by_half():
    """A line's end inside of it is none of its own."""
    data = b'{\n "model": "m",\n "message": {"role": "assistant", "content": "Hi"},\n "done": false\n}\n'
    pipe = weft.Pipe("ollama", "ollama", verbatim=True)
    assert [b"", data] == [pipe.feed(data[:40]), pipe.feed(data[40:])]


def test_lines_in_the_frames_of_server_sent_events_end_in_such():
    start = b'data: {"type":"start","id":"x"}\n\n'
    out, tail = forwarded("events", start)
    assert start == out
    assert "end" == frames(tail)[-1]["type"]


def test_binary_frames_of_another_protocol_end_with_a_binary_exception():
    """Claude's events in Bedrock's frames: an error event behind them would be noise."""
    inner = b'{"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":1,"output_tokens":1}}}'
    data = event("chunk", {"bytes": b64encode(inner).decode()})
    out, tail = forwarded("anthropic/bedrock", data)
    told = weft.collect(weft.read(out + tail, "anthropic/bedrock"))
    assert (data, "failed", []) == (out, told.outcome, told.notes)


def test_an_error_body_is_the_failure_and_nothing_follows_it():
    body = b'{"error":{"message":"Slow down."}}\n'
    assert (body, b"") == forwarded("openai-chat", body, status=429)


def test_a_line_that_looks_whole_within_a_value_over_lines_does_not_leave_alone():
    """The first and the last line of the read are objects; the last one is a part of another."""
    whole = b'{"model":"m","message":{"role":"assistant","content":"a"},"done":false}\n'
    half = b'{"model":"m","message":{"role":"assistant","content":"","tool_calls":[\n{"function":{"name":"f","arguments":{}}}\n'
    pipe = weft.Pipe("ollama", "ollama", verbatim=True)
    assert whole == pipe.feed(whole + half)
