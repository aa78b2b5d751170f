"""chat.completions as a source: failures inside the stream, in anybody's words. Letters and numbers are modes of failures.md."""

import json

import pytest

import weft
from tests.protocols.chat_wire import PROTOCOL, call, calls, chunk, codes, end, envelope, read, text, usage
from tests.protocols.wire import sse

SHAPES = {
    "object": {"error": {"message": "busy", "type": "overloaded_error", "code": None}},
    "numeric code": {"error": {"message": "busy", "code": 503}},
    "text": {"error": "Model is overloaded", "error_type": "overloaded"},
    "flat, named": {"object": "error", "message": "busy", "type": "overloaded_error", "param": None, "code": 503},
    "flat": {"code": "server_overloaded", "message": "busy"},
    "xai": {"code": "The service is currently overloaded", "error": "server overloaded"},
    "fastapi": {"detail": "server overloaded"},
    "list": {"errors": [{"message": "busy", "code": "overloaded"}]},
    "chinese gateway": {"success": False, "code": 503, "msg": "busy"},
    "array": [{"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}],
    "beside choices": {"error": {"code": 503, "message": "busy"}, "choices": [{"delta": {}, "finish_reason": "error"}]},
    "in the choice": {
        "id": "c1", "choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 503, "message": "busy"}}],
    },
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("before", [[], [text("x")]], ids=["first", "after content"])
def test_an_error_at_status_200_is_an_error(shape, before):
    """D1, Q-C29, Q-C30, atlas 2.1.8"""
    message = read(*before, shape)
    assert "failed" == message.outcome
    assert message.error is not None
    assert message.error.original is not None
    assert ("x" if before else "", []) == (message.text, message.unknown)
    assert message.error.type in {"overloaded", "server"}
    assert message.error.retryable


def test_minimax_says_its_errors_in_base_resp():
    """Q-C30"""
    frame = {"id": "c1", "choices": None, "base_resp": {"status_code": 1004, "status_msg": "login fail"}}
    message = read(frame, done=False)
    assert message.error is not None
    assert ("failed", "authentication", "1004") == (message.outcome, message.error.type, message.error.code)


def test_minimax_says_its_success_there_too():
    """Q-C30"""
    frames = [{**frame, "base_resp": {"status_code": 0, "status_msg": ""}} for frame in (text("x"), end())]
    message = read(*frames, envelope(None, base_resp={"status_code": 0, "status_msg": ""}))
    assert ("x", "completed", []) == (message.text, message.outcome, message.notes)


@pytest.mark.parametrize("nothing", [None, {}, "", {"message": None, "code": None}])
def test_an_error_member_that_says_nothing(nothing):
    """Q-C29: null on every chunk"""
    message = read({**text("x"), "error": nothing}, {**end(), "error": nothing})
    assert ("x", "completed") == (message.text, message.outcome)
    in_the_choice = envelope([{"index": 0, "delta": {}, "finish_reason": "stop", "error": nothing}])
    assert "completed" == read(text("x"), in_the_choice).outcome


def test_an_error_as_an_sse_field():
    """gpustack, llama-box: a conforming parser drops it without a word"""
    data = sse(text("x")) + b'error: {"code":500,"message":"failed to decode","type":"server_error"}\n\n'
    message = weft.collect(weft.read(data, PROTOCOL))
    assert message.error is not None
    assert ("failed", "x", "failed to decode") == (message.outcome, message.text, message.error.message)


@pytest.mark.parametrize("body", [{"message": "busy"}, {"reason": "busy"}, {"error": {"message": "busy"}}])
def test_an_event_named_error_is_one_whatever_it_holds(body):
    """D1: Groq names the event"""
    data = sse(text("x")) + b"event: error\ndata: " + json.dumps(body).encode() + b"\n\n"
    message = weft.collect(weft.read(data, PROTOCOL))
    assert ("failed", "x", []) == (message.outcome, message.text, message.unknown)


def test_groqs_failed_generation_is_kept():
    """Atlas 2.1.11: recovery of the call is somebody else's choice"""
    failure = {
        "message": "Failed to call a function.", "type": "invalid_request_error", "code": "tool_use_failed",
        "failed_generation": '{"name": "f", "arguments": {"x": 1}}', "status_code": 400,
    }  # fmt: skip
    data = b"event: error\ndata: " + json.dumps({"error": failure}).encode() + b"\n\n"
    message = weft.collect(weft.read(data, PROTOCOL))
    assert message.error is not None
    assert ("invalid_request", "tool_use_failed", 400) == (
        message.error.type,
        message.error.code,
        message.error.status,
    )
    assert failure == message.error.original["error"]


def test_openrouter_fails_with_choices_after_two_finishes():
    """D1: finish length twice, then an error with choices, then [DONE]"""
    failing = envelope(
        [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
        error={"code": 502, "message": "Provider returned error", "metadata": {"provider_name": "P", "raw": "boom"}},
    )
    message = read(text("x"), end("length"), end("length", usage=usage()), failing)
    assert message.error is not None
    assert ("failed", "server", 502, "x") == (message.outcome, message.error.type, message.error.status, message.text)
    assert message.usage is not None


def test_content_beside_an_error_is_content():
    message = read(text("a"), {**chunk({"content": "b"}), "error": {"message": "busy"}})
    assert ("ab", "failed") == (message.text, message.outcome)


def test_a_stream_that_goes_on_after_an_error_has_failed_all_the_same():
    """D1, D12: OpenAI's server_error in the middle, then usage and [DONE]; the usage counts"""
    broken = {"error": {"message": "The server had an error", "type": "server_error", "param": None, "code": None}}
    message = read(text("x"), broken, text("y"), envelope([], usage=usage()))
    assert ("failed", "x", 7) == (message.outcome, message.text, message.usage and message.usage.total_tokens)
    assert ["content_after_end"] == codes(message)


def test_a_call_that_an_error_cut_is_not_complete():
    """A9, D1"""
    message = read(calls(call(0, "a", "f", "{}")), {"error": {"message": "busy"}})
    assert [False] == [each.complete for each in message.tool_calls]


def test_the_first_error_counts():
    message = read({"error": {"message": "one", "code": 429}}, {"error": {"message": "two", "code": 500}})
    assert message.error is not None
    assert ("one", "rate_limit") == (message.error.message, message.error.type)


def test_a_plain_json_error_instead_of_a_stream():
    """D3, A18"""
    body = json.dumps({"error": {"message": "no more", "type": "insufficient_quota", "code": "insufficient_quota"}})
    message = weft.collect(weft.read(body.encode(), PROTOCOL))
    assert message.error is not None
    assert ("failed", "billing", False) == (message.outcome, message.error.type, message.error.retryable)


def test_a_raw_error_between_frames():
    """D4"""
    data = sse(text("x")) + b'{\n  "error": {\n    "message": "busy",\n    "code": 503\n  }\n}\n'
    message = weft.collect(weft.read(data, PROTOCOL))
    assert ("failed", "x") == (message.outcome, message.text)


def test_a_context_overflow_is_told_by_its_words():
    """Atlas 6.2"""
    message = read({"error": {"message": "This model's maximum context length is 8192 tokens.", "code": 400}})
    assert message.error is not None
    assert "context_length" == message.error.type


def test_an_http_error_is_its_body():
    """D10"""
    body = json.dumps({"error": {"message": "bad key", "type": "invalid_request_error", "code": "invalid_api_key"}})
    message = weft.collect(weft.read(body.encode(), PROTOCOL, status=401))
    assert message.error is not None
    assert ("authentication", 401) == (message.error.type, message.error.status)


def test_cerebras_overflows_without_a_body():
    """Atlas 2.1.11"""
    message = weft.collect(weft.read(b"", PROTOCOL, status=413))
    assert message.error is not None
    assert "context_length" == message.error.type


def test_ollama_swallows_its_errors():
    """Atlas 2.1.11: neither finish nor [DONE]"""
    assert "truncated" == read(text("x"), done=False, dialect="ollama").outcome
