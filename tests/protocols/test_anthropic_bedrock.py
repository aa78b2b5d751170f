"""Anthropic Messages inside Bedrock's InvokeModel, and the other families that come the same way. Atlas 2.7.

Claude, Titan, Llama, Mistral, Cohere Command, AI21 Jurassic and the old completion form are read here; Nova speaks Converse, gpt-oss, Qwen and
DeepSeek speak chat.completions, Cohere Command R its own version 1, and are read as what they speak.
"""

import json
from base64 import b64encode
from typing import Any

import pytest

import weft
from tests.framing.told import aws_event, aws_frame
from tests.protocols.anthropic_wire import STOP, TEXT, call, closed, ended, invoked, opened, said, start, text, thought
from tests.protocols.wire import events, message, note_codes, sse
from weft.message import Message

A = "anthropic/bedrock"
METRICS = {"inputTokenCount": 12, "outputTokenCount": 7, "invocationLatency": 900, "firstByteLatency": 300}
FRAMES = [start("msg_bdrk_1"), *text(0, "Hel", "lo"), *call(1, '{"a":', "1}"), ended("tool_use")]


def packed(*frames: Any) -> bytes:
    return invoked(*(json.dumps(frame).encode() for frame in frames))


def failure(kind: str, code: str, payload: bytes) -> bytes:
    return aws_frame({b":message-type": kind.encode(), f":{kind}-type".encode(): code.encode()}, payload)


@pytest.mark.parametrize("name", ["anthropic/bedrock", "anthropic"])
def test_events_are_unwrapped(name: str):
    """Each chunk holds one event in base64; the bytes themselves say how they are framed."""
    got = message(packed(*FRAMES, STOP | {"amazon-bedrock-invocationMetrics": METRICS}), name)
    assert ("msg_bdrk_1", "Hello", "completed", "tool_calls") == (got.id, got.text, got.outcome, got.finish)
    assert [({"a": 1}, True)] == [(call.arguments, call.complete) for call in got.tool_calls]
    assert {"invocation_metrics": METRICS} == got.meta
    assert [] == got.notes


def test_the_inner_events_are_those_of_the_plain_stream():
    plain = message(sse(*FRAMES, STOP), "anthropic")
    assert plain == message(packed(*FRAMES, STOP), "anthropic")


def test_metrics_may_be_a_chunk_of_their_own():
    """Q-A13."""
    got = message(packed(*FRAMES, {"amazon-bedrock-invocationMetrics": METRICS}, STOP), A)
    assert ({"invocation_metrics": METRICS}, [], []) == (got.meta, got.notes, got.unknown)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda body: {"chunk": {"bytes": body}},
        lambda body: {"chunk": {"bytes": bytearray(body)}},
        lambda body: {"chunk": {"bytes": b64encode(body).decode()}},
        lambda body: {"bytes": b64encode(body).decode()},
    ],
)
def test_objects_of_boto3_are_frames(wrap: Any):
    """As boto3 hands them out, and as recorders write them down."""
    got = weft.collect(weft.read([wrap(json.dumps(frame).encode()) for frame in [*FRAMES, STOP]], A))
    assert ("Hello", "completed", []) == (got.text, got.outcome, got.notes)


@pytest.mark.parametrize(
    ("code", "body", "type", "status"),
    [
        ("throttlingException", {"message": "slow"}, "rate_limit", None),
        ("modelTimeoutException", {"message": "late"}, "timeout", None),
        ("serviceUnavailableException", {"message": "busy"}, "overloaded", None),
        ("validationException", {"message": "Input is too long for requested model."}, "context_length", None),
        (
            "modelStreamErrorException",
            {"message": "x", "originalStatusCode": 429, "originalMessage": "slow"},
            "rate_limit",
            429,
        ),
        ("internalServerException", {"message": "x"}, "server", None),
    ],
)
def test_exceptions_are_failures(code: str, body: dict, type: str, status: int | None):
    """D7: an exception frame is no frame to skip."""
    data = packed(*FRAMES[:3]) + failure("exception", code, json.dumps(body).encode())
    got = message(data, A)
    assert ("failed", type, code, status, "Hel") == (
        got.outcome,
        got.error.type,
        got.error.code,
        got.error.status,
        got.text,
    )
    thrown = weft.collect(weft.read([*FRAMES[:3], {code: body}], A))
    assert ("failed", type) == (thrown.outcome, thrown.error.type)


def test_an_unmodelled_error_is_a_failure():
    data = packed(*FRAMES[:3]) + aws_frame(
        {b":message-type": b"error", b":error-code": b"InternalFailure", b":error-message": b"oops"}, b""
    )
    assert ("failed", "server", "oops") == (
        message(data, A).outcome,
        message(data, A).error.type,
        message(data, A).error.message,
    )


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (packed(*FRAMES)[:-40], "partial_frame"),
        (packed(*FRAMES[:4]) + b"\x00" * 16, "crc_mismatch"),
    ],
)
def test_a_damaged_stream_is_no_success(data: bytes, code: str):
    """D7: half a frame at the end, a wrong checksum."""
    got = message(data, A)
    assert got.outcome in ("truncated", "failed")
    assert code in {*note_codes(data, A), got.error.code}


def test_text_that_names_the_terminator_is_no_terminator():
    """Atlas 2.7: events are searched for, not words."""
    assert "truncated" == message(packed(*FRAMES[:2], said(0, '{"type":"message_stop"}')), A).outcome


def test_a_broken_body_inside_a_chunk_is_skipped():
    """D9: with the same forgiveness as outside."""
    data = (
        packed(start(), opened(0, TEXT))
        + invoked(b'{"type":"oops', json.dumps(said(0, "Hi") | {"index": "0"}).encode())
        + packed(closed(0), ended(), STOP)
    )
    assert ("Hi", "completed", ["broken_frame"]) == (
        message(data, A).text,
        message(data, A).outcome,
        note_codes(data, A),
    )


def test_a_chunk_without_a_body_is_carried():
    assert ["unknown_frame"] == note_codes(aws_event(b"chunk", b'{"p":"abc"}'), A)


@pytest.mark.parametrize(
    ("data", "name", "provider"),
    [
        (packed(start(), opened(0, TEXT), thought(0, "Hm")), "anthropic", "bedrock"),
        (sse(start("msg_bdrk_1"), thought(0, "Hm")), "anthropic", "bedrock"),
        (sse(start("msg_vrtx_1"), thought(0, "Hm")), "anthropic", "vertex"),
        (sse(start("msg_1"), thought(0, "Hm")), "anthropic/vertex", "vertex"),
        (sse(start("msg_1"), thought(0, "Hm")), "anthropic", None),
        (sse(start("msg_1", provider="Amazon Bedrock"), thought(0, "Hm")), "anthropic", "Amazon Bedrock"),
    ],
)
def test_signatures_tell_their_host(data: bytes, name: str, provider: str | None):
    """Atlas 4.2: what one host signed is of no use to another."""
    sign = sse({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}})
    whole = data + (packed(json.loads(sign[6:])) if data[:1] == b"\0" else sign)
    (origin,) = [event.origin for event in events(whole, name) if event.type == "signature"]
    assert provider == origin.provider


# -- other families ------------------------------------------------------------------------------------------------

TITAN = [
    {
        "outputText": "Once ",
        "index": 0,
        "totalOutputTextTokenCount": None,
        "completionReason": None,
        "inputTextTokenCount": 5,
    },
    {
        "outputText": "upon.",
        "index": 0,
        "totalOutputTextTokenCount": 9,
        "completionReason": "FINISH",
        "inputTextTokenCount": None,
    },
]
LLAMA = [
    {"generation": "Once ", "prompt_token_count": 5, "generation_token_count": 1, "stop_reason": None},
    {"generation": "upon.", "prompt_token_count": None, "generation_token_count": 9, "stop_reason": "stop"},
]
MISTRAL = [
    {"outputs": [{"text": "Once ", "stop_reason": None}]},
    {
        "outputs": [{"text": "upon.", "stop_reason": "stop"}],
        "amazon-bedrock-invocationMetrics": {"inputTokenCount": 5, "outputTokenCount": 9},
    },
]
COHERE = [
    {"index": 0, "is_finished": False, "text": "Once "},
    {"index": 0, "is_finished": False, "text": "upon."},
    {
        "finish_reason": "COMPLETE",
        "is_finished": True,
        "amazon-bedrock-invocationMetrics": {"inputTokenCount": 5, "outputTokenCount": 9},
    },
]
CLAUDE_2 = [
    {"completion": "Once ", "stop_reason": None, "stop": None},
    {
        "completion": "upon.",
        "stop_reason": "stop_sequence",
        "stop": "\n\nHuman:",
        "amazon-bedrock-invocationMetrics": {"inputTokenCount": 5, "outputTokenCount": 9},
    },
]
FAMILIES = {"titan": TITAN, "llama": LLAMA, "mistral": MISTRAL, "cohere": COHERE, "claude 2": CLAUDE_2}


@pytest.mark.parametrize("frames", FAMILIES.values(), ids=FAMILIES)
def test_text_completions_of_other_families_are_read(frames: list[Any]):
    got = message(packed(*frames), A)
    assert ("Once upon.", "completed", "stop") == (got.text, got.outcome, got.finish)
    assert (5, 9) == (got.usage.input_tokens, got.usage.output_tokens)
    assert ([], []) == (got.unknown, got.notes)
    assert frames[-1].get("amazon-bedrock-invocationMetrics") == got.meta.get("invocation_metrics")


@pytest.mark.parametrize("frames", FAMILIES.values(), ids=FAMILIES)
def test_a_cut_completion_is_truncated(frames: list[Any]):
    assert "truncated" == message(packed(*frames[:-1]), A).outcome


@pytest.mark.parametrize(
    "reply",
    [
        {
            "inputTextTokenCount": 5,
            "results": [{"tokenCount": 9, "outputText": "Once upon.", "completionReason": "FINISH"}],
        },
        {"generation": "Once upon.", "prompt_token_count": 5, "generation_token_count": 9, "stop_reason": "stop"},
        {"outputs": [{"text": "Once upon.", "stop_reason": "stop"}]},
        {"id": "g1", "generations": [{"id": "x", "text": "Once upon.", "finish_reason": "COMPLETE"}], "prompt": "p"},
        {
            "type": "completion",
            "id": "compl_1",
            "model": "claude-2.1",
            "completion": "Once upon.",
            "stop_reason": "stop_sequence",
        },
        {"id": 1, "completions": [{"data": {"text": "Once upon."}, "finishReason": {"reason": "endoftext"}}]},
        {"choices": [{"text": "Once upon.", "stop_reason": "stop"}]},
        {"generation_id": "g1", "text": "Once upon.", "finish_reason": "COMPLETE", "chat_history": [{"role": "USER", "message": "p"}]},
    ],
)  # fmt: skip
def test_whole_replies_of_other_families_are_read(reply: dict):
    got = message(json.dumps(reply).encode(), A)
    assert ("Once upon.", "completed", "stop") == (got.text, got.outcome, got.finish)
    assert ([], []) == (got.unknown, got.notes)


def test_several_completions_are_several_choices():
    """B8."""
    frames = [
        {"index": 0, "is_finished": False, "text": "a"},
        {"index": 1, "is_finished": False, "text": "b"},
        COHERE[-1],
    ]
    got = message(packed(*frames), A)
    assert ("completed", ["a", "b"]) == (got.outcome, [choice.text for choice in got.choices])


def test_anthropics_own_completions_stream_is_read():
    frame = {
        "type": "completion",
        "id": "compl_1",
        "completion": " Light",
        "stop_reason": None,
        "model": "claude-2.1",
        "stop": None,
    }
    data = sse(
        frame, {"type": "ping"}, frame | {"completion": " scatters.", "stop_reason": "stop_sequence"}, event=True
    )
    got = message(data, "anthropic")
    assert ("compl_1", "claude-2.1", " Light scatters.", "completed", "stop") == (
        got.id,
        got.model,
        got.text,
        got.outcome,
        got.finish,
    )


NOVA = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"delta": {"text": "Hi"}, "contentBlockIndex": 0}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t1", "name": "look"}}, "contentBlockIndex": 1}},
    {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"a":1}'}}, "contentBlockIndex": 1}},
    {"contentBlockStop": {"contentBlockIndex": 1}},
    {"messageStop": {"stopReason": "tool_use"}},
    {
        "metadata": {"usage": {"inputTokens": 12, "outputTokens": 7, "cacheReadInputTokenCount": 3}, "metrics": {}},
        "amazon-bedrock-invocationMetrics": METRICS,
    },
]
GPT = [
    {"id": "c1", "model": "gpt-oss", "choices": [{"index": 0, "delta": {"content": "Hi"}}]},
    {
        "id": "c1",
        "choices": [{"index": 0, "delta": {"tool_calls": [{"id": "t1", "function": {"name": "look", "arguments": '{"a":1}'}}]}}],
    },
    {
        "id": "c1",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
        "amazon-bedrock-invocationMetrics": METRICS,
    },
]  # fmt: skip


@pytest.mark.parametrize("frames", [NOVA, GPT], ids=["nova", "gpt-oss"])
@pytest.mark.parametrize("name", ["anthropic", A])
def test_families_that_speak_another_protocol_are_read_as_what_they_speak(frames: list[Any], name: str):
    got = message(packed(*frames), name)
    assert ("Hi", "completed", "tool_calls", [], []) == (got.text, got.outcome, got.finish, got.unknown, got.notes)
    assert [("t1", "look", {"a": 1}, True)] == [
        (call.id, call.name, call.arguments, call.complete) for call in got.tool_calls
    ]
    assert (12, 7) == (got.usage.input_tokens, got.usage.output_tokens)
    assert METRICS == got.meta["invocation_metrics"]


@pytest.mark.parametrize(("frames", "own"), [(NOVA, "bedrock"), (GPT, "openai-chat")], ids=["nova", "gpt-oss"])
def test_their_own_protocol_takes_the_envelope_off_as_well(frames: list[Any], own: str):
    got = message(packed(*frames), own)
    assert ("Hi", "completed", "tool_calls", []) == (got.text, got.outcome, got.finish, got.unknown)


@pytest.mark.parametrize("frames", [NOVA, GPT], ids=["nova", "gpt-oss"])
def test_guests_that_break_off_or_fail_say_so(frames: list[Any]):
    assert "truncated" == message(packed(*frames[:2]), A).outcome
    failed = message(packed(*frames[:2]) + failure("exception", "throttlingException", b'{"message":"slow"}'), A)
    assert ("failed", "rate_limit", "slow") == (failed.outcome, failed.error.type, failed.error.message)
    assert "Hi" == failed.text


def test_a_chat_chunk_without_an_envelope_is_nobody_s():
    """Only Bedrock has guests: elsewhere another protocol's words are a mistake that must be seen."""
    got: Message = message(sse(GPT[0]), "anthropic")
    assert ([GPT[0]], "truncated") == ([unknown.raw for unknown in got.unknown], got.outcome)


def test_a_whole_reply_of_nova_is_read():
    reply = {"output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}}, "stopReason": "end_turn"}
    got = message(json.dumps(reply).encode(), A)
    assert ("Hi", "completed", "stop") == (got.text, got.outcome, got.finish)


def test_a_finish_of_deepseek_s_is_called_a_stop_reason():
    """As of Mistral's newer models there; elsewhere that is what vLLM puts beside the finish."""
    frames = [
        {"choices": [{"text": "Once ", "stop_reason": None}]},
        {"choices": [{"text": "upon.", "stop_reason": "length"}], "amazon-bedrock-invocationMetrics": METRICS},
    ]
    got = message(packed(*frames), A)
    assert ("Once upon.", "incomplete", "length", "length") == (got.text, got.outcome, got.finish, got.finish_raw)
    assert ([], []) == (got.unknown, got.notes)
    assert "truncated" == message(packed(frames[0]), A).outcome


COMMAND_R = [
    {"event_type": "text-generation", "text": "Hi", "is_finished": False},
    {"event_type": "tool-calls-generation", "tool_calls": [{"name": "look", "parameters": {"a": 1}}], "is_finished": False},
    {
        "event_type": "stream-end",
        "finish_reason": "COMPLETE",
        "is_finished": True,
        "response": {"text": "Hi", "tool_calls": [{"name": "look", "parameters": {"a": 1}}]},
        "amazon-bedrock-invocationMetrics": METRICS,
    },
]  # fmt: skip


@pytest.mark.parametrize("name", ["anthropic", A, "cohere"])
def test_calls_of_command_r_are_read(name: str):
    got = message(packed(*COMMAND_R), name)
    assert ("Hi", "completed", "tool_calls", [], []) == (got.text, got.outcome, got.finish, got.unknown, got.notes)
    assert [("look", {"a": 1}, True)] == [(call.name, call.arguments, call.complete) for call in got.tool_calls]


def test_a_family_that_nobody_reads_is_carried():
    frame = {"song": "la", "verse": 1}
    got: Message = message(packed(frame), A)
    assert ([frame], "", "truncated") == ([unknown.raw for unknown in got.unknown], got.text, got.outcome)
