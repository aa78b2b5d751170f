"""Failures D: errors inside the stream. One test for each mode, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import as_anthropic_reads, as_responses_reads, chat, converted, shown
from tests.protocols import anthropic_wire as claude
from tests.protocols import bedrock_frames as bedrock
from tests.protocols import gemini_wire as gemini
from tests.protocols.aws import exception
from tests.protocols.chat_wire import chunk, codes, end, read, reply, text, usage
from tests.protocols.wire import events, message, sse
from weft.message import Refusal

BROKEN = {"error": {"message": "The engine stopped.", "type": "server_error", "code": 503}}


def test_d01_error_event_at_status_200():
    """The stream opens well and then says an error: one terminal with its type, code, status, wait, and whether to try again.

    farzaa/clicky#132, BerriAI/litellm#25492
    """
    got = message(shown("anthropic/d01-overloaded.sse"), "anthropic")
    assert ("failed", "overloaded", "overloaded_error", True) == (
        got.outcome, got.error.type, got.error.code, got.error.retryable,
    )  # fmt: skip
    assert "The first" == got.text
    limited = {"error": {"message": "Slow down.", "code": 429, "metadata": {"headers": {"retry-after": "7"}}}}
    error = read(text("Hi"), limited, done=False).error
    assert ("rate_limit", "429", 429, True) == (error.type, error.code, error.status, error.retryable)


def test_d02_error_that_ends_as_done():
    """`[DONE]` follows an error: it has failed, and no mark of success goes out behind the failure.

    Augustas11/macprovider#186, mozilla-ai/any-llm#847
    """
    data = chat(text("Hi"), BROKEN)
    assert "failed" == message(data, "openai-chat").outcome
    assert "error" in converted(data, "openai-chat")[-1]
    assert "error" == converted(data, "anthropic")[-1]["type"]


def test_d03_json_body_instead_of_a_stream():
    """The body is one JSON object at status 200: an error is the failure, a whole reply is read like a stream.

    sourcegraph/cody#3479, a2aproject/a2a-rs#79
    """
    got = message(shown("openai-chat/d03-error_body.json"), "openai-chat")
    assert ("failed", "billing", "insufficient_quota", None) == (got.outcome, got.error.type, got.error.code, got.usage)
    assert "quota" == got.error.fault
    whole = message([reply({"content": "Hi"})], "openai-chat")
    assert ("Hi", "completed") == (whole.text, whole.outcome)


def test_d04_raw_json_between_frames():
    """An error stands between the frames as JSON over several lines, without `data:`: it is the stream's failure.

    maximhq/bifrost#5262, stacklok/toolhive#6037
    """
    bare = b'{\n  "error": {\n    "code": 503,\n    "message": "Try later.",\n    "status": "UNAVAILABLE"\n  }\n}\n\n'
    got = message(sse(gemini.chunk(gemini.text("Hi"))) + bare, "gemini")
    assert ("Hi", "failed", "overloaded", "Try later.") == (got.text, got.outcome, got.error.type, got.error.message)


def test_d05_error_glued_to_half_a_frame():
    """Half a frame, and the error begins on the next line: the half is dropped, the error is read. We never forward half a frame.

    dativo-io/talon#393
    """
    half = b'event: content_block_delta\ndata: {"type":"content_block_delta","ind\n'
    error = sse({"type": "error", "error": {"type": "api_error", "message": "Gone."}}, event=True)
    got = message(sse(claude.start(), event=True) + half + error, "anthropic")
    assert ("failed", "api_error") == (got.outcome, got.error.code)
    pipe = weft.Pipe("anthropic", "anthropic", verbatim=True)
    out = pipe.feed(sse(claude.start(), event=True) + half)
    assert out.endswith(b"\n\n")


def test_d06_error_in_the_target_s_own_form():
    """Each client reads errors in one form only: chat an error object without `[DONE]`, Messages an error event, Responses response.failed.

    BerriAI/litellm#41826, zyycn/codex-proxy-rs#90
    """
    data = chat(text("Hi"), BROKEN, done=False)
    assert {"message", "type", "param", "code"} == converted(data, "openai-chat")[-1]["error"].keys()
    assert "error overloaded_error" == as_anthropic_reads(converted(data, "anthropic")).ending
    assert "failed server_is_overloaded" == as_responses_reads(converted(data, "openai-responses")).ending


def test_d07_errors_in_binary_frames():
    """An AWS stream has an exception frame, a frame with a wrong checksum, or half a frame at its end: none is a normal end.

    vercel/ai#19039, vercel/ai#18996
    """
    begun = bedrock.START + bedrock.delta(0, text="Hi")
    throttled = message(begun + exception("throttlingException", {"message": "Too many."}), "bedrock")
    assert ("failed", "rate_limit", "Too many.") == (throttled.outcome, throttled.error.type, throttled.error.message)
    wrong = bytearray(begun + bedrock.closed(0) + bedrock.stopped())
    wrong[-1] ^= 1
    for data in (bytes(wrong), bedrock.TEXT[: bedrock.TEXT.rindex(bedrock.METADATA) - 9]):
        assert message(data, "bedrock").outcome in ("failed", "truncated")


def test_d08_internal_error_does_not_leak():
    """An exception of ours or of the transport names hosts and paths: they are detail for the log, not words for the client.

    BerriAI/litellm#26015, vercel/ai#15994
    """

    def source():
        yield sse(text("Hi"))
        raise ConnectionError("10.0.0.7:8443 refused, see /srv/pool.py")

    error = message(source(), "openai-chat").error
    assert ("transport", "transport") == (error.type, error.fault)
    assert "10.0.0.7" not in error.message
    assert "10.0.0.7" in error.original["message"]
    assert b"10.0.0.7" not in weft.convert(source(), "openai-chat", "anthropic")


def test_d09_one_broken_frame():
    """One frame is no JSON: it is skipped, and noted with its place; the outcome is what the source says.

    BerriAI/litellm#40404
    """
    got = read(text("Hi"), "{oops", text("!"), end())
    assert ("Hi!", "completed", ["broken_frame"]) == (got.text, got.outcome, codes(got))
    assert len(sse(text("Hi"))) == got.notes[0].offset


def test_d10_status_decides():
    """A failed status with an empty body, and a connection that breaks before the first byte: both are failures.

    agentgateway/agentgateway#1348, BerriAI/litellm@26a7f6dc9da
    """
    error = message(b"", "openai-chat", status=503).error
    assert (503, "overloaded", True) == (error.status, error.type, error.retryable)

    def reset():
        raise ConnectionResetError
        yield b""

    got = message(reset(), "openai-chat")
    assert ("failed", "transport") == (got.outcome, got.error.type)


def test_d11_refusals_and_filters():
    """A refusal is a block of its own; a filter or a blocked prompt is incomplete, with its categories.

    microsoft/semantic-kernel#5289, vercel/ai#4220
    """
    refused = read(chunk({"refusal": "I will not."}), end())
    assert isinstance(refused.blocks[0], Refusal)
    assert ("I will not.", "refusal", "completed") == (refused.refusal, refused.finish, refused.outcome)
    filtered = end("content_filter")
    filtered["choices"][0]["content_filter_results"] = {"hate": {"filtered": True, "severity": "high"}}
    got = read(text("Well"), filtered)
    assert ("incomplete", "content_blocked") == (got.outcome, got.error.type)
    assert got.meta["content_filter_results"]["hate"]["filtered"]
    blocked = message(sse({"promptFeedback": {"blockReason": "SAFETY"}}), "gemini")
    assert ("incomplete", "content_blocked", "SAFETY") == (blocked.outcome, blocked.error.type, blocked.error.code)


@pytest.mark.parametrize("last", [BROKEN, end("length"), None])
def test_d12_failed_streams_have_counts(last):
    """A stream fails, is incomplete, or breaks off, and counts came: they are in the terminal all the same.

    envoyproxy/ai-gateway#2184, maximhq/bifrost#4842
    """
    counted = text("Hi") | {"usage": usage(3, 4, 7)}
    end_event = events(chat(counted, *([last] if last else []), done=False), "openai-chat")[-1]
    assert "completed" != end_event.outcome
    assert 7 == end_event.usage.total_tokens
