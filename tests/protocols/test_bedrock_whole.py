"""The whole reply of Bedrock's Converse, and what boto3 makes of either."""

import json

import weft
from weft.events import BlockStart, TextDelta
from weft.testing import check_protocol
from weft.testing.laws import check_whole_reply

from .aws import exception
from .bedrock_frames import METADATA, START, TEXT, USAGE, b64, call, closed, delta, kinds, stopped
from .wire import events, message

# --- whole replies, SDK objects ------------------------------------------------------------------------------------

WHOLE = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Let me", "signature": "c2ln"}}},
                {"text": "Blue sky."},
                {"toolUse": {"toolUseId": "tooluse_1", "name": "look", "input": {"at": "sky"}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": USAGE,
    "metrics": {"latencyMs": 500},
}
STREAM = b"".join(
    [
        START,
        delta(0, reasoningContent={"text": "Let me"}),
        delta(0, reasoningContent={"signature": "c2ln"}),
        closed(0),
        delta(1, text="Blue"),
        delta(1, text=" sky."),
        closed(1),
        call(2, "look", '{"at": ', '"sky"}'),
        stopped("tool_use"),
        METADATA,
    ]
)


def reply(**changes):
    return json.dumps({**WHOLE, **changes}).encode()


def blocks(*content):
    return reply(output={"message": {"role": "assistant", "content": list(content)}})


def test_whole_reply_is_the_stream():
    check_whole_reply("bedrock", STREAM, reply())
    streamed, whole = message(STREAM, "bedrock"), message(reply(), "bedrock")
    assert (kinds(streamed), streamed.usage) == (kinds(whole), whole.usage)
    assert [s.value for s in streamed.blocks[0].signatures] == [s.value for s in whole.blocks[0].signatures]


def test_whole_reply_keeps_the_text_of_arguments():
    raw = b'{ "f": 1.0,  "n": 12345678901234567890123 }'
    data = reply().replace(b'{"at": "sky"}', raw)
    assert raw.decode() == message(data, "bedrock").tool_calls[0].raw


def test_whole_reply_with_everything():
    picture = {"format": "png", "source": {"bytes": "AAAA"}}
    got = message(
        blocks(
            {"reasoningContent": {"redactedContent": "AA=="}},
            {
                "citationsContent": {
                    "content": [{"text": "You get "}, {"text": "20."}],
                    "citations": [{"title": "Handbook"}],
                }
            },
            {"image": picture},
            {"document": {"format": "txt", "name": "notes", "source": {"s3Location": {"uri": "s3://b/k"}}}},
            {"toolUse": {"toolUseId": "t1", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}},
            {"toolResult": {"toolUseId": "t1", "content": [{"text": "found"}], "status": "success", "type": "r"}},
            {"hologram": {"x": 1}},
        ),
        "bedrock",
    )
    assert ["reasoning", "text", "file", "file", "tool_call", "tool_result", "opaque"] == kinds(got)
    assert "You get 20." == got.text
    assert ["Handbook"] == [note.title for note in got.blocks[1].annotations]
    assert [("image/png", "AAAA"), ("text/plain", None)] == [(file.media_type, file.data) for file in got.blocks[2:4]]
    assert {"hologram": {"x": 1}} == got.blocks[6].opaque.raw
    assert all(part.complete for part in got.blocks)


def test_whole_reply_cut_at_its_limit():
    got = message(reply(stopReason="max_tokens"), "bedrock")
    assert ("incomplete", "length", [True]) == (got.outcome, got.finish, [c.complete for c in got.tool_calls])


# What boto3 yields: each event a dict of one member, bytes as bytes.
BOTO3 = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"delta": {"reasoningContent": {"redactedContent": b"sec"}}, "contentBlockIndex": 0}},
    {"contentBlockDelta": {"delta": {"reasoningContent": {"redactedContent": b"ret"}}, "contentBlockIndex": 0}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "f"}}, "contentBlockIndex": 1}},
    {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"a":1}'}}, "contentBlockIndex": 1}},
    {"contentBlockStop": {"contentBlockIndex": 1}},
    {"messageStop": {"stopReason": "tool_use"}},
    {"metadata": {"usage": USAGE, "metrics": {"latencyMs": 7}}},
]


def test_events_of_boto3():
    got = weft.collect(weft.read(iter(BOTO3), "bedrock"))
    assert ("completed", {"a": 1}, 9) == (got.outcome, got.tool_calls[0].arguments, got.usage.input_tokens)
    assert [b64(b"secret")] == [signature.value for signature in got.blocks[0].signatures]


def test_events_of_boto3_as_lines():
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in BOTO3[3:])
    assert ("completed", [{"a": 1}]) == (
        message(lines, "bedrock").outcome,
        [c.arguments for c in message(lines, "bedrock").tool_calls],
    )


def test_failure_that_an_sdk_hands_out_as_an_event():
    got = weft.collect(weft.read([*BOTO3[:1], {"throttlingException": {"message": "slow"}}], "bedrock"))
    assert ("failed", "rate_limit") == (got.outcome, got.error.type)


def test_whole_reply_of_boto3():
    parsed = {"ResponseMetadata": {"HTTPStatusCode": 200}, **WHOLE}
    assert [{"at": "sky"}] == [c.arguments for c in weft.collect(weft.read(parsed, "bedrock")).tool_calls]


def test_laws_hold():
    mixed = START + call(0, "f", "{}", type="server_tool_use") + exception("throttlingException", {"message": "slow"})
    assert 4 == check_protocol("bedrock", [STREAM, TEXT, mixed, reply()], rounds=25)


def test_blocks_are_announced_as_they_come():
    got = [e for e in events(STREAM, "bedrock") if isinstance(e, BlockStart)]
    assert [("reasoning", "delta"), ("text", "delta"), ("tool_call", "delta")] == [(e.kind, e.arrival) for e in got]


def test_text_deltas_are_the_sources_own():
    assert ["Blue", " sky."] == [e.text for e in events(TEXT, "bedrock") if isinstance(e, TextDelta)]


def whole_call(input):
    block = {"toolUse": {"toolUseId": "t", "name": "f", "input": input}}
    reply = {"output": {"message": {"role": "assistant", "content": [block]}}, "stopReason": "tool_use"}
    [got] = message(json.dumps(reply).encode(), "bedrock").tool_calls
    return got.arguments, got.complete


def test_input_that_is_null_is_that_of_a_tool_without_parameters():
    """A7, A8"""
    assert ({}, True) == whole_call(None)


def test_input_that_is_packed_into_a_text_is_unpacked():
    """A6"""
    assert ({"a": 1}, True) == whole_call('{"a": 1}')
    assert (None, False) == whole_call('{"a"')
