"""Failures H: what clients of Anthropic Messages refuse. One test for each mode that concerns output, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import answer, as_anthropic_reads, chat, converted, shown, types
from tests.protocols import anthropic_wire as claude
from tests.protocols import responses_wire as responses
from tests.protocols.chat_wire import call, calls, chunk, end, text
from tests.protocols.wire import message, sse

KINDS = {
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
    "text_delta": "text",
    "input_json_delta": "tool_use",
}


def test_h01_block_of_the_wrong_type():
    """A text block is opened, and thinking comes in it: a block is opened when the kind of its first content is known.

    BerriAI/litellm#33224, BerriAI/litellm#32357
    """
    out = converted(shown("openai-chat/h01-reasoning_then_text.sse"), "anthropic")
    blocks = {each["index"]: each["content_block"]["type"] for each in out if each["type"] == "content_block_start"}
    assert ["thinking", "text"] == list(blocks.values())
    deltas = [each for each in out if each["type"] == "content_block_delta"]
    assert [blocks[each["index"]] for each in deltas] == [KINDS[each["delta"]["type"]] for each in deltas]


@pytest.mark.parametrize(
    "first", [chunk({"content": "Hi"}), calls(call(0, "c", "f", "{}")), chunk({"reasoning": "So"})]
)
def test_h02_nothing_before_message_start(first):
    """The first chunk has content and no role: message_start comes first, and exactly once.

    router-for-me/CLIProxyAPI#530, NousResearch/hermes-agent#72833
    """
    names = [each["type"] for each in converted(answer(first), "anthropic")]
    assert ("message_start", 1) == (names[0], names.count("message_start"))


def test_h03_message_start_twice():
    """message_start is repeated, or another message begins inside the first: the same id is ignored, another one is an error.

    BerriAI/litellm#32667, LuthienResearch/luthien-proxy#59
    """
    twice = sse(claude.start(), claude.start(), *claude.text(0, "Hi"), claude.ended(), claude.STOP, event=True)
    assert 1 == [each["type"] for each in converted(twice, "anthropic", "anthropic")].count("message_start")
    spliced = sse(
        claude.start(),
        *claude.text(0, "Hi"),
        claude.start("msg_2"),
        *claude.text(0, "Ho"),
        claude.ended(),
        claude.STOP,
        event=True,
    )
    got = message(spliced, "anthropic")
    assert ("failed", "spliced_stream", "Hi") == (got.outcome, got.error.code, got.text)


def test_h04_one_block_at_a_time():
    """Two calls are open at once upstream: each block is started, filled and stopped before the next, with dense indices.

    farion1231/cc-switch#2303, mozilla-ai/any-llm#1305
    """
    heads = calls(call(0, "a", "f", "{"), call(1, "b", "g", "{"))
    out = converted(answer(heads, calls(call(1, args="}")), calls(call(0, args="}"))), "anthropic")
    order = [(each["type"][14:], each["index"]) for each in out if each["type"].startswith("content_block_")]
    one = [("start", 0), ("delta", 0), ("stop", 0), ("start", 1), ("delta", 1), ("stop", 1)]
    assert one == list(dict.fromkeys(order))
    assert (("a", "f", "{}"), ("b", "g", "{}")) == as_anthropic_reads(out).calls


def test_h05_no_gaps_between_indices():
    """A block of the source has no form here: it takes no index, so the next one has no gap before it.

    router-for-me/CLIProxyAPI#3720, ikawrakow/ik_llama.cpp#1524
    """
    hosted = {
        "id": "ws_1",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "query": "x"},
    }
    parts = [responses.text(0, "a"), [responses.added(1, hosted), responses.done(1, hosted)], responses.text(2, "b")]
    out = converted(responses.stream(*parts), "anthropic", "openai-responses")
    assert [0, 1] == [each["index"] for each in out if each["type"] == "content_block_start"]
    assert "ab" == as_anthropic_reads(out).text


def test_h06_whole_message_object():
    """Content is null, type or role is missing: message_start holds a whole message, whatever the source said.

    SaladDay/cc-switch-cli#323, vllm-project/vllm#45376
    """
    head = converted(chat({"choices": [{"delta": {"content": "Hi"}}]}), "anthropic")[0]["message"]
    usage = {"input_tokens": 0, "output_tokens": 0}
    known = {
        "type": "message",
        "role": "assistant",
        "model": "",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    assert {**known, "usage": usage} == {name: value for name, value in head.items() if name != "id"}
    assert head["id"]


def test_h07_no_block_at_all():
    """The completion is empty: no block by default, one empty text for a client that wants one.

    vllm-project/vllm#46525
    """
    plain = converted(answer(), "anthropic")
    assert ["message_start", "message_delta", "message_stop"] == types(plain)
    wanting = converted(answer(), "anthropic", context=weft.Context(profile="claude-code"))
    starts = [each["content_block"] for each in wanting if each["type"] == "content_block_start"]
    assert [{"type": "text", "text": ""}] == starts


def test_h08_event_lines_and_usage():
    """An SDK ignores data without an event line, and falls over a message_delta without usage: both are always there.

    Measured in section 0.2 of the survey, with anthropic 0.125.0.
    """
    out = weft.convert(answer(text("Hi")), "openai-chat", "anthropic").decode()
    for block in out.removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        assert data.startswith(f'data: {{"type":"{name.removeprefix("event: ")}"')
    assert {"input_tokens": 0, "output_tokens": 0} == converted(answer(text("Hi")), "anthropic")[-2]["usage"]


@pytest.mark.parametrize(
    "tail", [[end()], [end("length")], [{"error": {"message": "No.", "type": "server_error"}}], []]
)
def test_h09_always_an_ending(tail):
    """A client waits for message_stop: a stream ends with it, or with an error event where the source failed or broke off.

    maximhq/bifrost#2429, BerriAI/litellm#32159
    """
    out = types(converted(chat(text("Hi"), *tail, done=False), "anthropic"))
    ended = bool(tail) and "choices" in tail[0]
    assert ("message_stop" if ended else "error") == out[-1]
    assert 1 == out.count("message_stop") + out.count("error")
