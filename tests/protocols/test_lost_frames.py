"""A frame that cannot be read may have held arguments: a call that still wanted some is not executable, whatever its text is now."""

import pytest

from .aws import event
from .bedrock_frames import METADATA, START, closed, delta, opened, stopped
from .wire import message, ndjson, sse

BROKEN = b"data: {oops\n\n"


def call(data, protocol):
    [got] = message(data, protocol).tool_calls
    return got.raw, got.arguments, got.complete


def fragment(args, **more):
    return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": args}, **more}]}}]}


BEGUN = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "rm"}}]}}]}
ENDED = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def test_a_call_whose_only_piece_is_lost_is_not_one_without_arguments():
    assert ("", None, False) == call(sse(BEGUN) + BROKEN + sse(ENDED, done=True), "openai-chat")


def test_a_call_that_parses_without_what_was_lost_is_not_complete():
    """A9: `,"dry_run":true` may have stood there."""
    data = sse(BEGUN, fragment('{"path":"/tmp"')) + BROKEN + sse(fragment("}"), ENDED, done=True)
    assert ('{"path":"/tmp"}', None, False) == call(data, "openai-chat")


def test_a_call_that_has_all_its_arguments_is_not_harmed():
    data = sse(BEGUN, fragment('{"path":"/tmp"}')) + BROKEN + sse(ENDED, done=True)
    assert ('{"path":"/tmp"}', {"path": "/tmp"}, True) == call(data, "openai-chat")


def test_what_is_lost_behind_the_finish_harms_nothing():
    data = sse(BEGUN, ENDED) + BROKEN + sse(done=True)
    assert ("", {}, True) == call(data, "openai-chat")


def test_blocks_that_end_by_themselves():
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "rm"}}
    end = {"type": "content_block_stop", "index": 0}
    data = sse({"type": "message_start", "message": {"id": "m"}}, start) + BROKEN + sse(end)
    stop = sse({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"})
    assert ("", None, False) == call(data + stop, "anthropic")


def test_a_line_that_broke_off():
    run = (
        ndjson({"type": "tool-input-start", "id": "c", "toolName": "rm"}) + b'{"type":"tool-input-delta","id":"c","de\n'
    )
    finish = ndjson({"type": "finish", "finishReason": "tool-calls"})
    assert ("", None, False) == call(run + finish, "ai-sdk")


@pytest.mark.parametrize("whole", ['{"a":1}', '{"a":1,"b":2}'])
def test_a_source_that_repeats_the_whole_has_lost_nothing(whole):
    """A14"""
    delta = {"type": "response.function_call_arguments.delta", "item_id": "f", "output_index": 0, "delta": '{"a":1'}
    item = {"type": "function_call", "id": "f", "call_id": "c", "name": "rm", "arguments": ""}
    begun = {"type": "response.output_item.added", "output_index": 0, "item": item}
    done = {"type": "response.output_item.done", "output_index": 0, "item": {**item, "arguments": whole}}
    end = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}
    got = call(sse(begun, delta) + BROKEN + sse(done, end), "openai-responses")
    assert (whole, True) == (got[0], got[2])
    run = ndjson({"type": "tool-input-start", "id": "c", "toolName": "rm"}) + b"{oops\n"
    rest = ndjson(
        {"type": "tool-call", "toolCallId": "c", "toolName": "rm", "input": whole},
        {"type": "finish", "finishReason": "tool-calls"},
    )
    assert (whole, True) == call(run + rest, "ai-sdk")[::2]


def test_an_event_whose_payload_is_no_json():
    data = START + opened(0, toolUse={"toolUseId": "t", "name": "rm"}) + delta(0, toolUse={"input": '{"a":1'})
    torn = data + event("contentBlockDelta", b"{oops") + delta(0, toolUse={"input": "}"})
    assert ('{"a":1}', None, False) == call(torn + closed(0) + stopped("tool_use") + METADATA, "bedrock")
