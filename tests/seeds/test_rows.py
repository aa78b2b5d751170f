"""Rows of the seeds' checklist that no other test shows by itself; tools/seeds.toml has all of them."""

import json

import pytest

import weft
from tests.encoders.rounds import whole
from tests.protocols.wire import sse
from weft import events as ev
from weft.adapters.descriptions import describe
from weft.errors import error_from_body, http_status, make_error
from weft.unfold import unfold

CLAUDE = sse(
    {"type": "message_start", "message": {"id": "m", "model": "claude", "usage": {"input_tokens": 5}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Let me look."}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t", "name": "look"}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"at":'}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '"sky"}'}},
    {"type": "content_block_stop", "index": 2},
    {"type": "hologram", "depth": 3},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
)


def test_a12_ollamas_openai_endpoint():
    """Whole calls that all have index 0, reasoning under its own name, a finish that is a plain stop."""

    def chunk(delta: dict, finish: str | None = None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "chatcmpl-1", "model": "qwen3:8b", "system_fingerprint": "fp_ollama", "choices": [choice]}

    def call(id: str, name: str):
        return {"tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": "{}"}}]}

    data = sse(
        chunk({"role": "assistant", "content": "", "reasoning": "Hm."}),
        chunk(call("call_1", "f")),
        chunk(call("call_2", "g")),
        chunk({"content": ""}, "stop"),
        done=True,
    )
    for protocol in ("openai-chat", "openai-chat/ollama"):
        message = weft.collect(weft.read(data, protocol))
        assert ("Hm.", "tool_calls", "completed") == (message.reasoning, message.finish, message.outcome)
        assert [("call_1", "f"), ("call_2", "g")] == [(call.id, call.name) for call in message.tool_calls]


def test_a21_a_broken_frame_is_skipped_or_fails_as_one_asks():
    good, bad = CLAUDE.split(b"\n\n"), b"data: {oops"
    data = b"\n\n".join([*good[:6], bad, *good[6:]])
    lenient = weft.collect(weft.read(data, "anthropic"))
    assert ("completed", "Let me look.") == (lenient.outcome, lenient.text)
    assert ["broken_frame"] == [note.code for note in lenient.notes if note.code != "unknown_frame"]
    strict = weft.collect(weft.read(data, "anthropic", strict=True))
    assert ("failed", "protocol") == (strict.outcome, strict.error.type)


def test_b3_each_event_of_seed_003_has_one_of_ours():
    """text, thinking, call fragments, usage, finish, complete, unknown; and error, below."""
    events = list(weft.read(CLAUDE, "anthropic"))

    def told(kind):
        return [event for event in events if isinstance(event, kind)]

    assert ["Let me look."] == [event.text for event in told(ev.TextDelta)]
    assert ["Hm."] == [event.text for event in told(ev.ReasoningDelta)]
    fragments = weft.ToolCallAccumulator.new()
    for event in events:
        fragments.feed(event)
    assert [{"id": "t", "name": "look", "arguments": {"at": "sky"}}] == fragments.finalize()
    assert (5, 9) == (told(ev.Usage)[-1].input_tokens, told(ev.Usage)[-1].output_tokens)
    assert ("tool_calls", "tool_use") == (events[-1].finishes[0].reason, events[-1].finishes[0].raw)
    assert "Let me look." == weft.collect(events).text
    assert [{"type": "hologram", "depth": 3}] == [event.raw for event in told(ev.Unknown)]
    failed = sse({"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}})
    assert ("overloaded", "Busy.") == ((error := list(weft.read(failed, "anthropic"))[-1].error).type, error.message)


def test_b16_who_served_the_answer():
    choice = {"delta": {"content": "Hi"}, "finish_reason": "stop"}
    data = sse({"id": "gen-1", "provider": "Fireworks", "choices": [choice]}, done=True)
    assert "Fireworks" == weft.collect(weft.read(data, "openai-chat")).provider
    chunks = [json.loads(line) for line in weft.convert(data, "openai-chat", "processed-chunk").splitlines()]
    assert "Fireworks" == chunks[-1]["servingProvider"]


def test_c12_what_was_asked_is_said_again_in_the_response():
    asked = {"temperature": 0.2, "instructions": "Be brief.", "metadata": {"a": "b"}, "input": "not echoed"}
    out = weft.convert(CLAUDE, "anthropic", "openai-responses", context=weft.Context(request=asked))
    responses = [
        frame["response"]
        for frame in (json.loads(line[6:]) for line in out.decode().splitlines() if line.startswith("data: {"))
        if "response" in frame
    ]
    assert len(responses) >= 3
    for response in responses:
        assert {"temperature": 0.2, "instructions": "Be brief.", "metadata": {"a": "b"}}.items() <= response.items()
        assert "input" not in response


def test_c15_the_assembled_message():
    message = weft.collect(weft.read(CLAUDE, "anthropic"))
    assert ("m", "claude", "Let me look.", "Hm.") == (message.id, message.model, message.text, message.reasoning)
    assert [("t", "look", {"at": "sky"}, '{"at":"sky"}', True)] == [
        (call.id, call.name, call.arguments, call.raw, call.complete) for call in message.tool_calls
    ]
    assert (5, 9, 14) == (message.usage.input_tokens, message.usage.output_tokens, message.usage.total_tokens)
    assert ("tool_calls", "tool_use", "completed") == (message.finish, message.finish_raw, message.outcome)
    assert ["reasoning", "text", "tool_call"] == [part.__struct_config__.tag for part in message.blocks]
    assert json.loads(message.to_json())["blocks"]


def test_e16_an_error_in_ones_own_language():
    error = error_from_body({"error": {"message": "Slow down, 7.", "type": "rate_limit_error"}})
    told = {locale: describe(error, locale) for locale in ("en", "ja", "zh-CN", "de")}
    assert 4 == len(set(told.values()))
    assert all("Slow down, 7." in text for text in told.values())


@pytest.mark.parametrize("front", ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "cohere"])
@pytest.mark.parametrize(
    "kind", ["rate_limit", "authentication", "not_found", "overloaded", "invalid_request", "context_length"]
)
def test_e18_a_failure_as_the_fronts_own_reply(front, kind):
    """The status and the body that go to a client say to it what we know: read back, they are the same error."""
    error = make_error(kind)
    message = weft.collect([ev.Start("m"), ev.End("failed", (), None, error)])
    body, _ = whole(message, front)
    again = weft.error_from_http(http_status(error), {}, body, front)
    assert (kind, error.message) == (again.type, again.message)


def test_g7_a_finished_answer_is_said_as_a_stream():
    """A whole reply where a stream is due, and a message that was kept."""
    message = weft.collect(weft.read(CLAUDE, "anthropic"))
    again = weft.collect(unfold(message))
    assert (message.text, message.reasoning, message.finish, message.usage.total_tokens) == (
        again.text, again.reasoning, again.finish, again.usage.total_tokens,
    )  # fmt: skip
    assert [call.raw for call in message.tool_calls] == [call.raw for call in again.tool_calls]
    choice = {"message": {"role": "assistant", "content": "Hi there"}, "finish_reason": "stop"}
    reply = json.dumps({"id": "c", "object": "chat.completion", "choices": [choice]}).encode()
    stream = weft.convert(reply, "openai-chat", "openai-responses")
    assert b"response.output_text.delta" in stream
    assert [] == weft.lint(stream, "openai-responses")
    assert "Hi there" == weft.collect(weft.read(stream, "openai-responses")).text
