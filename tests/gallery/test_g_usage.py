"""Failures G: usage. One test for each mode that concerns a stream, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import answer, chat, converted, shown
from tests.protocols import anthropic_wire as claude
from tests.protocols import gemini_wire as gemini
from tests.protocols import responses_wire as responses
from tests.protocols.chat_wire import chunk, end, envelope, read, text, usage
from tests.protocols.wire import message, sse
from weft.errors import make_error


def test_g01_cumulative_counts():
    """Counts so far come on each chunk: they are snapshots, and the last one counts, by the rule that the source declares.

    brainlid/langchain#625, open-webui/open-webui#29064
    """
    assert (10, 5, 15) == _counts(message(shown("openai-chat/g01-counts_so_far.sse"), "openai-chat"))
    again = claude.ended("end_turn", {"input_tokens": 12, "output_tokens": 7})
    assert (12, 7, 19) == _counts(message(claude.stream(claude.text(0, "Hi"), end=again), "anthropic"))
    pieces = [gemini.chunk(gemini.text("a"), counts=gemini.usage(7, output, 7 + output)) for output in (1, 2)]
    assert (7, 2, 9) == _counts(message(sse(*pieces, gemini.chunk(finish="STOP")), "gemini"))


def _counts(got):
    return got.usage.input_tokens, got.usage.output_tokens, got.usage.total_tokens


def test_g02_late_absent_or_elsewhere():
    """Counts come after the finish, after `[DONE]`, or inside the choice; where they never come, they are absent, not zero.

    mozilla-ai/any-llm#1151, SaladDay/cc-switch-cli#323
    """
    data = shown("openai-chat/g02-counts_after_the_end.sse")
    assert 15 == message(data, "openai-chat").usage.total_tokens
    assert 5 == converted(data, "anthropic")[-2]["usage"]["output_tokens"]
    inside = end()
    inside["choices"][0]["usage"] = usage(3, 4, 7)
    assert 7 == read(text("Hi"), inside).usage.total_tokens
    assert read(text("Hi"), end()).usage is None
    assert converted(answer(text("Hi")), "openai-responses")[-1]["response"]["usage"] is None
    unasked = converted(data, "openai-chat", context=weft.Context(include_usage=False))[:-1]
    assert [] == [frame for frame in unasked if frame.get("usage")]


def test_g03_placeholders():
    """`usage: null` on each chunk, a frame of zeros at the end: neither is a count, and neither wipes one out.

    router-for-me/CLIProxyAPI#4964, mozilla-ai/any-llm#848
    """
    got = read(
        chunk({"content": "Hi"}, usage=None), end("stop", 0, usage=usage(3, 4, 7)), envelope([], usage=usage(0, 0, 0))
    )
    assert 7 == got.usage.total_tokens
    assert read(text("Hi"), end("stop", 0, usage=usage(0, 0, 0))).usage is None


def test_g04_usage_in_message_start():
    """Clients of Messages read the usage of message_start: it is always an object, and message_delta corrects it.

    An estimate of the input is the gateway's. router-for-me/CLIProxyAPI#1700, justlovemaki/AIClient2API#71
    """
    out = converted(chat(text("Hi"), end(), envelope([], usage=usage(3, 4, 7))), "anthropic")
    assert {"input_tokens": 0, "output_tokens": 0} == out[0]["message"]["usage"]
    assert {"input_tokens": 3, "output_tokens": 4} == out[-2]["usage"]
    early = converted(claude.stream(claude.text(0, "Hi")), "anthropic", "anthropic")
    assert 12 == early[0]["message"]["usage"]["input_tokens"]


def test_g05_cached_tokens():
    """OpenAI counts cached tokens inside the input, Anthropic beside it: one canonical split, and each target gets its own view.

    envoyproxy/ai-gateway#2352, BerriAI/litellm@a9902fcdb56
    """
    inside = chat(text("Hi"), end(), envelope([], usage=usage(10, 4, 14, prompt_tokens_details={"cached_tokens": 8})))
    counts = {"input_tokens": 2, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 0, "output_tokens": 4}
    beside = claude.stream(
        claude.text(0, "Hi"), begin=claude.start(usage=counts), end=claude.ended("end_turn", {"output_tokens": 4})
    )
    for data, source in ((inside, "openai-chat"), (beside, "anthropic")):
        got = message(data, source).usage
        assert (10, 8, 4) == (got.input_tokens, got.cache_read_tokens, got.output_tokens)
        written = converted(data, "anthropic", source)[-2]["usage"]
        assert (2, 8) == (written["input_tokens"], written["cache_read_input_tokens"])
        asked = converted(data, "openai-chat", source)[-2]["usage"]
        assert (10, 8) == (asked["prompt_tokens"], asked["prompt_tokens_details"]["cached_tokens"])


def test_g06_reasoning_tokens():
    """Reasoning is counted as more than the whole output: the raw object is kept, and no count that we derive is negative.

    vercel/ai#18614
    """
    odd = usage(10, 4, 14, completion_tokens_details={"reasoning_tokens": 9})
    got = read(text("Hi"), end("stop", 0, usage=odd)).usage
    assert odd == got.raw
    assert (10, 4, 9) == (got.input_tokens, got.output_tokens, got.reasoning_tokens)
    asked = converted(answer(text("Hi"), envelope([], usage=odd)), "openai-responses")[-1]["response"]["usage"]
    assert min(asked["input_tokens"], asked["output_tokens"], asked["total_tokens"]) >= 0


@pytest.mark.parametrize("number", [None, 0])
def test_g07_terminal_with_an_odd_sequence_number(number: int | None):
    """`sequence_number` is missing, or the same on every event: nothing is dropped for it, the counts at the end least of all.

    maximhq/bifrost#4846
    """
    frames = [responses.created(), *responses.text(0, "Hi"), responses.completed()]
    numbered = [frame if number is None else {**frame, "sequence_number": number} for frame in frames]
    got = message(sse(*numbered, event=True), "openai-responses")
    assert ("Hi", "completed", 21) == (got.text, got.outcome, got.usage.total_tokens)


def test_g08_usage_after_cancel():
    """The caller cancels before the counts are final: what was known stands in the terminal, and no number is made up.

    Counting what was sent is the runner's. mozilla-ai/any-llm#908, BerriAI/litellm#14457
    """
    pipe = weft.Pipe("anthropic", "openai-chat")
    pipe.feed(sse(claude.start(), claude.opened(0, claude.TEXT), claude.said(0, "Hi"), event=True))
    pipe.close(make_error("cancelled"))
    assert ("incomplete", "cancelled") == (pipe.message.outcome, pipe.message.error.type)
    assert (12, "reported") == (pipe.message.usage.input_tokens, pipe.message.usage.sources["input_tokens"])


def test_g10_strict_clients():
    """Codex wants both details where usage is an object, and null while there is none: both shapes are always whole.

    router-for-me/CLIProxyAPI@82d624209, maximhq/bifrost#4080
    """
    out = converted(chat(text("Hi"), end(), envelope([], usage=usage(3, 4, 7))), "openai-responses")
    assert out[0]["response"]["usage"] is None
    counts = out[-1]["response"]["usage"]
    assert {"cached_tokens": 0} == counts["input_tokens_details"]
    assert {"reasoning_tokens": 0} == counts["output_tokens_details"]
    assert (3, 4, 7) == (counts["input_tokens"], counts["output_tokens"], counts["total_tokens"])
