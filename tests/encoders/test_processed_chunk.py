"""ProcessedChunk (seed 000): text, every complete call, `done` or an error; thoughts and state that goes back."""

import json

import pytest
from hypothesis import given

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import calls_of, converted, fixtures, in_row, recorded, whole
from tests.encoders.test_totality import encode
from tests.encoders.told import (
    BLOCKED,
    CALLED,
    CANCELLED,
    CLAUDE,
    CUT,
    FAILED,
    GEMINI,
    LENGTH,
    STOP,
    block,
    call,
    result,
    text,
    thought,
    told,
)
from tests.protocols.wire import sse
from tests.strategies import legal_streams
from weft import events as ev
from weft.errors import make_error

TARGET = "processed-chunk"
ROUTER = ev.Origin("openai-chat", model="claude")


def function(index: int, lines: list[dict]) -> dict:
    return [line["functionCall"] for line in lines if line["type"] == "function_call"][index]


def test_text_a_call_and_done():
    lines, lost = told(TARGET, text(0, "Let me ", "look."), call(1, '{"at":', '"sky"}', made=True), CALLED)
    assert [
        {"type": "text", "content": "Let me "},
        {"type": "text", "content": "look."},
        {"type": "function_call", "functionCall": {"name": "look", "args": {"at": "sky"}}},
        {
            "type": "done",
            "metadata": {"finishReason": "tool_calls", "rawFinishReason": "tool_calls", "responseId": "r1"},
        },
    ] == lines
    assert ["args_stream"] == lost


def test_every_parallel_call_is_said():
    """Requirements 3.2.1: the seed's system emits the first alone and abandons the stream."""
    first = [ev.BlockStart(0, "tool_call", id="a", name="f"), ev.ArgsDelta(0, '{"n":')]
    second = [ev.BlockStart(1, "tool_call", id="b", name="g"), ev.ArgsDelta(1, '{"n":2}')]
    rest = [ev.ArgsDelta(0, "1}"), ev.BlockEnd(1, True), ev.BlockEnd(0, True)]
    lines, lost = told(TARGET, first, second, rest, CALLED)
    assert [{"name": "f", "args": {"n": 1}}, {"name": "g", "args": {"n": 2}}] == [
        function(at, lines) for at in range(2)
    ]
    assert ["args_stream", "tool_call_id"] == lost


@pytest.mark.parametrize("finish", ["stop", "length", None])
def test_a_complete_call_is_said_whatever_the_finish(finish):
    """Requirements 3.2.3: a call whose finish was not `tool_calls` was lost."""
    end = ev.End("incomplete" if finish == "length" else "completed", (ev.Finish(reason=finish, raw=finish),))
    lines, _ = told(TARGET, call(0, '{"a":1}'), end)
    assert {"name": "look", "args": {"a": 1}} == function(0, lines)


@pytest.mark.parametrize("args", ["", '{"a":', "[1]"])
def test_a_call_that_is_not_complete_is_never_said(args):
    """Requirements 3.2.4: invalid arguments were executed as `{}`."""
    lines, lost = told(TARGET, call(0, args, complete=False), LENGTH)
    assert ["done"] == [line["type"] for line in lines]
    assert ["tool_call"] == lost
    assert (True, [{"name": "look", "arguments": args}]) == (
        lines[-1]["metadata"]["malformedToolCall"],
        lines[-1]["metadata"]["malformedCalls"],
    )


def test_a_call_whose_arguments_a_step_has_spoilt_is_not_said():
    lines, lost = told(TARGET, call(0, '{"a":[REDACTED]}'), CALLED)
    assert (["done"], ["tool_call"]) == ([line["type"] for line in lines], lost)


def test_arguments_are_the_sources_own():
    out, _ = encode(TARGET, [ev.Start("r"), *call(0, '{"big":12345678901234567890123,\n"a":1.0,"e":1e400}'), CALLED])
    assert b'"args":{"big":12345678901234567890123, "a":1.0,"e":1e400}' in out


def test_an_empty_call_has_an_empty_object():
    lines, _ = told(TARGET, call(0), CALLED)
    assert {} == function(0, lines)["args"]


def test_the_input_of_a_custom_tool_is_an_argument():
    lines, lost = told(TARGET, call(0, "ls -l", tool="custom", arrival="whole", made=True), CALLED)
    assert {"name": "look", "args": {"input": "ls -l"}} == function(0, lines)
    assert ["tool_kind"] == lost


def test_a_call_that_the_provider_runs_is_left_out():
    lines, lost = told(TARGET, call(0, "{}", executor="provider"), result(1, "c0", "sun"), text(2, "Sun."), STOP)
    assert ["text", "done"] == [line["type"] for line in lines]
    assert ["executor", "tool_result"] == lost


# -- thoughts ------------------------------------------------------------------------------------------------------


def test_thoughts_are_raw_or_a_summary_and_never_text():
    summary = block(1, "reasoning", ev.ReasoningDelta(1, "In short.", 0, "summary"))
    lines, lost = told(TARGET, thought(0, "Hm", "m."), summary, text(2, "Hi"), STOP)
    assert [("raw", "Hm"), ("raw", "m."), ("summary", "In short.")] == [
        (each["kind"], each["content"]) for line in lines for each in line.get("thoughts", [])
    ]
    assert "Hi" == "".join(line["content"] for line in lines if line["type"] == "text")
    assert [] == lost


def test_parts_of_a_thought_are_set_apart():
    parts = [ev.ReasoningDelta(0, "One.", 0, "summary"), ev.ReasoningDelta(0, "Two.", 1, "summary")]
    lines, lost = told(TARGET, block(0, "reasoning", *parts), STOP)
    assert ["One.", "\n\nTwo."] == [line["thoughts"][0]["content"] for line in lines[:-1]]
    assert ["reasoning_form"] == lost


def test_a_signature_of_a_call_goes_with_it():
    """Requirements B12: Gemini wants it back with the call."""
    lines, lost = told(TARGET, call(0, "{}", inside=(ev.Signature(0, "U0lH", GEMINI),), made=True), CALLED)
    assert "U0lH" == function(0, lines)["thoughtSignature"]
    assert ["args_stream"] == lost


def test_signed_reasoning_goes_with_the_next_call_and_only_with_it():
    signed = block(0, "reasoning", ev.ReasoningDelta(0, "Hm."), ev.Signature(0, "sig", CLAUDE))
    hidden = block(1, "reasoning", ev.Signature(1, "xxx", ev.Origin("openai-responses", item="rs_1"), encrypted=True))
    lines, _ = told(TARGET, signed, hidden, call(2, "{}"), call(3, "{}"), CALLED)
    assert [
        {"type": "reasoning.text", "text": "Hm.", "signature": "sig", "format": "anthropic-claude-v1"},
        {"type": "reasoning.encrypted", "data": "xxx", "id": "rs_1", "format": "openai-responses-v1"},
    ] == function(0, lines)["reasoning_details"]
    assert "reasoning_details" not in function(1, lines)


def test_a_summary_keeps_its_encrypted_content():
    state = ev.Signature(0, "xxx", ROUTER, 0, "openai-responses-v1", encrypted=True)
    lines, _ = told(
        TARGET, block(0, "reasoning", ev.ReasoningDelta(0, "In short.", 0, "summary"), state), call(1, "{}"), CALLED
    )
    assert [
        {"type": "reasoning.summary", "summary": "In short."},
        {"type": "reasoning.encrypted", "data": "xxx", "index": 0, "format": "openai-responses-v1"},
    ] == function(0, lines)["reasoning_details"]


def test_state_that_no_call_takes_is_in_the_metadata():
    """The seed: terminal metadata are the finish reason and the thought signature."""
    signed = block(0, "reasoning", ev.ReasoningDelta(0, "Hm."), ev.Signature(0, "sig", CLAUDE))
    said = block(1, "text", ev.TextDelta(1, "Hi"), ev.Signature(1, "U0lH", GEMINI))
    lines, lost = told(TARGET, signed, said, STOP)
    assert "U0lH" == lines[-1]["metadata"]["thoughtSignature"]
    assert ["sig"] == [detail["signature"] for detail in lines[-1]["metadata"]["reasoning_details"]]
    assert [] == lost


@pytest.mark.parametrize(("model", "back"), [("deepseek-reasoner", True), ("glm-4.6", True), ("qwen3", False)])
def test_plain_reasoning_goes_back_where_the_model_wants_it(model, back):
    """Requirements 1.2.4."""
    lines, _ = told(TARGET, ev.Meta("model", model), thought(0, "Hm", "m."), call(1, "{}"), call(2, "{}"), CALLED)
    assert ("Hmm." if back else None) == function(0, lines).get("deepseekReasoningContent")
    assert "deepseekReasoningContent" not in function(1, lines)


# -- the end -------------------------------------------------------------------------------------------------------


def test_what_has_no_member_is_in_the_metadata_of_the_end():
    events = [ev.Start("m1", "m", "p", 7), ev.Meta("tier", "fast"), ev.Usage(10, 5, 15, 4, None, 2), STOP]
    out, losses = encode(TARGET, events)
    done = json.loads(out)
    assert "p" == done["servingProvider"]
    assert {
        "finishReason": "stop",
        "rawFinishReason": "stop",
        "facts": {"tier": "fast"},
        "responseId": "m1",
        "model": "m",
        "created": 7,
        "usage": {
            "inputTokens": 10,
            "outputTokens": 5,
            "totalTokens": 15,
            "cacheReadTokens": 4,
            "reasoningTokens": 2,
        },
    } == done["metadata"]
    assert [] == losses.report()


def test_an_answer_that_got_too_long_is_done_and_says_so():
    lines, _ = told(TARGET, text(0, "Hi"), LENGTH)
    assert ("done", "length", True) == (
        lines[-1]["type"],
        lines[-1]["metadata"]["finishReason"],
        lines[-1]["metadata"]["outputTruncated"],
    )


@pytest.mark.parametrize("end", [FAILED, CUT, CANCELLED, BLOCKED])
@pytest.mark.parametrize("content", [[], text(0, "Hi")])
def test_an_error_is_the_end_and_no_done_follows(end, content):
    lines, _ = told(TARGET, content, ev.Usage(1), end)
    assert [] == [line for line in lines if line["type"] == "done"]
    error = lines[-1]["error"]
    assert ("error", end.error.message, end.error.code) == (lines[-1]["type"], error["message"], error["code"])
    assert {"type", "message", "code", "retryable", "originalError"} == error.keys()
    assert {"inputTokens": 1} == lines[-1]["metadata"]["usage"]
    assert "finishReason" not in lines[-1]["metadata"]


def test_a_blocked_answer_is_content_blocked_and_not_retryable():
    """The seed's invariant."""
    data = sse({"promptFeedback": {"blockReason": "SAFETY"}})
    [line] = weft.convert(data, "gemini", TARGET).splitlines()
    error = json.loads(line)["error"]
    assert ("content_blocked", False, "SAFETY") == (error["type"], error["retryable"], error["code"])


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("rate_limit", "rate_limit"),
        ("timeout", "timeout"),
        ("overloaded", "provider_overloaded"),
        ("billing", "api_error"),
    ],
)
def test_errors_have_the_seeds_types(kind, word):
    lines, _ = told(TARGET, ev.End("failed", (), None, make_error(kind, "No.")))
    assert word == lines[0]["error"]["type"]


def test_what_has_no_chunk_is_reported():
    _, lost = told(
        TARGET,
        block(0, "text", ev.TextDelta(0, "a", [{"token": "a"}]), channel="commentary"),
        block(1, "refusal", ev.RefusalDelta(1, "No."), ev.Annotation(1, "url_citation", url="https://a")),
        block(2, "opaque", ev.Opaque(2, {"a": 1}, CLAUDE)),
        block(3, "file", ev.File(3, "image/png", "aGk=")),
        ev.StepEnd(0),
        ev.Unknown({"b": 1}),
        STOP,
    )
    assert sorted("logprobs channel refusal blocks annotation opaque file steps unknown".split()) == lost


def test_the_whole_reply_is_the_stream_at_once():
    message = weft.collect([ev.Start("m"), *text(0, "Hi", " you"), *call(1, '{"a"', ":1}"), CALLED])
    body, lost = whole(message, TARGET)
    assert ["text", "function_call", "done"] == [json.loads(line)["type"] for line in body.splitlines()]
    assert ["tool_call_id"] == lost


@given(legal_streams())
def test_any_legal_stream_is_told(events):
    out, _ = encode(TARGET, events)
    lines = [json.loads(line) for line in out.splitlines()]
    spoken = [event.text for event in in_row(events) if isinstance(event, ev.TextDelta | ev.RefusalDelta)]
    said = [line["content"] for line in lines if line["type"] == "text" and "thoughts" not in line]
    assert spoken == said
    assert ("error" if events[-1].error else "done") == lines[-1]["type"]
    assert 1 == [line["type"] in ("error", "done") for line in lines].count(True)
    assert [] == [line for line in lines if line["type"] == "function_call"]


def check(data: bytes, source: str) -> None:
    out, pipe = converted(data, source, TARGET)
    message, lines = pipe.message, [json.loads(line) for line in out.decode().split("\n")[:-1]]
    assert message.text + message.refusal == "".join(line["content"] for line in lines if line["type"] == "text")
    functions = [line["functionCall"] for line in lines if line["type"] == "function_call"]
    if all(call.tool == "function" for call in message.tool_calls):
        assert calls_of(message) == [(each["name"], each["args"]) for each in functions]
    assert (message.error is not None) == (lines[-1]["type"] == "error")


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "ai-sdk"])
def test_every_fixture_is_told(source):
    for path in fixtures(source):
        if path.suffix in (".sse", ".ndjson", ".json"):
            check(path.read_bytes(), source)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "openai-responses"])
def test_recorded_streams_are_told(corpus, source):
    for row in recorded(source, 25):
        check((CORPUS / row["file"]).read_bytes(), source)
