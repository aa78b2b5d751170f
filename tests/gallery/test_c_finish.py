"""Failures C: the finish, and how a stream ends. One test for each mode, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import as_anthropic_reads, as_responses_reads, chat, converted, shown
from tests.protocols import anthropic_wire as claude
from tests.protocols import bedrock_frames as bedrock
from tests.protocols import gemini_wire as gemini
from tests.protocols import ollama_lines as ollama
from tests.protocols.chat_wire import call, calls, chunk, codes, end, envelope, read, text, usage
from tests.protocols.wire import message, ndjson, sse


def test_c01_stop_although_a_call_is_there():
    """The finish is a plain stop beside a complete call: it reads as tool_calls, the raw one beside it; length and filters stay.

    vercel/workflow#1387, strands-agents/harness-sdk#1810
    """
    data = shown("openai-chat/c01-stop_beside_a_call.sse")
    got = message(data, "openai-chat")
    assert ("tool_calls", "stop") == (got.finish, got.finish_raw)
    assert "tool_use" == as_anthropic_reads(converted(data, "anthropic")).ending
    assert "tool_calls" == message(sse(gemini.chunk(gemini.call(), finish="STOP")), "gemini").finish
    assert "tool_calls" == bedrock.read(bedrock.START, bedrock.call(0, "f", "{}"), bedrock.stopped()).finish
    whole = calls(call(0, "c", "f", "{}"))
    masked = [read(whole, end(reason)).finish for reason in ("length", "content_filter")]
    assert ["length", "content_filter"] == masked


TRUNCATED = {
    "openai-chat": shown("openai-chat/c02-cut_stream.sse"),
    "anthropic": sse(claude.start(), *claude.text(0, "Half"), event=True),
    "gemini": sse(gemini.chunk(gemini.text("Half"))),
    "ollama": ndjson(ollama.line("Half")),
    "bedrock": bedrock.START + bedrock.delta(0, text="Half") + bedrock.closed(0),
}


@pytest.mark.parametrize("source", TRUNCATED)
def test_c02_truncation_is_no_success(source: str):
    """The bytes end without a finish and without a terminator: truncated, with the text that came.

    pydantic/pydantic-ai#6610, Portkey-AI/gateway#1797
    """
    got = message(TRUNCATED[source], source)
    assert ("truncated", "truncated", None) == (got.outcome, got.error.type, got.finish)
    assert got.text


def test_c03_done_without_a_finish():
    """`[DONE]` comes, and no finish before it: a clean end with an unknown finish, which is not a cut stream.

    can1357/oh-my-pi#9433, pydantic/pydantic-ai#2996
    """
    got = read(text("Hi"))
    assert ("completed", None, None) == (got.outcome, got.finish, got.error)


@pytest.mark.parametrize("nothing", ["", "None"])
def test_c04_finish_that_says_nothing(nothing: str):
    """The finish is empty, or the word None, on every chunk: neither is a finish.

    ollama/ollama#4357, sgl-project/sglang#3912
    """
    pieces = [chunk({"content": piece}, nothing) for piece in "ab"]
    got = read(*pieces, done=False)
    assert ("ab", "truncated", []) == (got.text, got.outcome, codes(got))
    assert "length" == read(*pieces, end("length")).finish


def test_c05_finish_under_another_name():
    """`finishReason` stands beside `finish_reason: null`: it is read, its own word kept.

    jakobdylanc/llmcord#84
    """
    other = envelope([{"index": 0, "delta": {"content": "Hi"}, "finish_reason": None, "finishReason": "MAX_TOKENS"}])
    got = read(other, done=False)
    assert ("length", "MAX_TOKENS", "incomplete") == (got.finish, got.finish_raw, got.outcome)


def test_c06_unknown_finish():
    """A finish that nobody has heard of is `other`, with its word: no exception, and no stop.

    badlogic/pi-mono#2142, pydantic/pydantic-ai#6679
    """
    got = read(text("Hi"), end("comet"))
    assert ("other", "comet", "completed") == (got.finish, got.finish_raw, got.outcome)
    assert "model_armor_x" == message(sse(gemini.chunk(finish="model_armor_x")), "gemini").finish_raw


def test_c07_finish_on_every_chunk():
    """Each chunk says STOP: what follows is read, and the last one counts.

    songquanpeng/one-api#1408, BerriAI/litellm#19121
    """
    pieces = [gemini.chunk(gemini.text(piece), finish="STOP") for piece in "ab"]
    got = message(sse(*pieces, gemini.chunk(gemini.text("c"), finish="MAX_TOKENS")), "gemini")
    assert ("abc", "length", "incomplete") == (got.text, got.finish, got.outcome)


def test_c08_terminal_chunk_twice():
    """The finish comes twice: it is said once, and the second may bring the usage.

    langchain-ai/langchain#38552, router-for-me/CLIProxyAPI#4544
    """
    data = chat(text("Hi"), end(), end("stop", 0, usage=usage(3, 4, 7)))
    got = message(data, "openai-chat")
    assert ("stop", "stop", 7) == (got.finish, got.finish_raw, got.usage.total_tokens)
    out = converted(data, "openai-chat")[:-1]
    assert ["stop"] == [each["finish_reason"] for frame in out for each in frame["choices"] if each["finish_reason"]]
    assert 1 == [frame["type"] for frame in converted(data, "anthropic")].count("message_delta")


def test_c09_data_after_done():
    """Chunks follow `[DONE]`: content is dropped with a note, usage is read.

    router-for-me/CLIProxyAPI#4783
    """
    late = b"data: [DONE]\n\n" + sse(text(" more"), envelope([], usage=usage(3, 4, 7)))
    got = message(chat(text("Hi"), end(), done=False) + late, "openai-chat")
    assert ("Hi", 7, ["content_after_end"]) == (got.text, got.usage.total_tokens, codes(got))


def test_c10_malformed_function_call():
    """The finish is MALFORMED_FUNCTION_CALL with no content: a failure that may be tried again, not an empty success.

    mcowger/plexus#748, lbjlaq/Antigravity-Manager#1045
    """
    got = message(sse(gemini.chunk(finish="MALFORMED_FUNCTION_CALL")), "gemini")
    assert ("failed", "error", "MALFORMED_FUNCTION_CALL") == (got.outcome, got.finish, got.error.code)
    assert got.error.retryable


def test_c11_cut_by_length_is_not_completed():
    """The answer is cut by length inside a call: response and item are incomplete, and the stop reason is max_tokens.

    router-for-me/CLIProxyAPI#4873, agentgateway/agentgateway#2761
    """
    data = shown("openai-chat/a09-cut_arguments.sse")
    out = converted(data, "openai-responses")
    assert "incomplete max_output_tokens" == as_responses_reads(out).ending
    assert ["incomplete"] == [item["status"] for item in out[-1]["response"]["output"]]
    assert "max_tokens" == as_anthropic_reads(converted(data, "anthropic")).ending


def test_c12_terminator_belongs_to_the_target():
    """`[DONE]` is chat's alone: every other target ends in its own words, whatever the source ended with.

    BerriAI/litellm#29426, maximhq/bifrost#2429
    """
    data = chat(text("Hi"), end())
    assert b"[DONE]" in weft.convert(claude.stream(claude.text(0, "Hi")), "anthropic", "openai-chat")
    for target, last in (("anthropic", "message_stop"), ("openai-responses", "response.completed")):
        assert last == converted(data, target)[-1]["type"]


def test_c13_socket_stays_open_after_the_end():
    """The source has said its end, and the socket lives on: whoever reads is told that it need not be read further.

    EricLBuehler/mistral.rs#1874, badlogic/pi-mono#1961
    """
    failing = weft.Pipe("openai-chat", "openai-chat")
    failing.feed(sse(text("Hi"), {"error": {"message": "No more.", "type": "server_error"}}))
    ending = weft.Pipe("anthropic", "openai-chat")
    ending.feed(claude.stream(claude.text(0, "Hi")))
    running = weft.Pipe("openai-chat", "openai-chat")
    running.feed(sse(text("Hi")))
    assert (True, False) == (failing.ending, running.ending)
    assert ending.ending or ending.outcome == "completed"


def test_c14_transport_error_after_the_end():
    """The connection breaks after the terminator: the result stands.

    BerriAI/litellm@df60e36d07b
    """

    def source():
        yield chat(text("Hi"), end())
        raise ConnectionResetError("peer gone")

    got = message(source(), "openai-chat")
    assert ("completed", None, "Hi") == (got.outcome, got.error, got.text)
