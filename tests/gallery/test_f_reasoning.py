"""Failures F: reasoning, its names, tags and signatures. One test for each mode, with where it was seen."""

import pytest

import weft
from tests.gallery.shown import answer, converted, shown
from tests.protocols import anthropic_wire as claude
from tests.protocols import gemini_wire as gemini
from tests.protocols import responses_wire as responses
from tests.protocols.chat_wire import call, calls, chunk, end, read, reply, text
from tests.protocols.wire import events, message, sse
from weft.events import Signature
from weft.message import Reasoning, ToolCall
from weft.protocol import BUILT_IN, resolve

TARGETS = [name for name in BUILT_IN if resolve(name)[0].encoder is not None]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "reasoning_text"])
def test_f01_field_names(name: str):
    """Reasoning has many names, and some send it under two: it is one block, said once, and each client gets the name it reads.

    vllm-project/vllm#27755, BerriAI/litellm#20246
    """
    data = shown("openai-chat/f01-reasoning_under_two_names.sse")
    got = message(data, "openai-chat")
    assert ("Two and two.", "Four.", 2) == (got.reasoning, got.text, len(got.blocks))
    assert "Hm." == read(chunk({name: "Hm."}), text("Hi"), end()).reasoning
    profile = {"reasoning_content": None, "reasoning": "openrouter", "reasoning_text": "copilot"}[name]
    out = converted(data, "openai-chat", context=weft.Context(profile=profile))[:-1]
    assert "Two and two." == "".join(frame["choices"][0]["delta"].get(name, "") for frame in out if frame["choices"])


def test_f02_tags_in_the_text():
    """`<think>` stands in the text, cut anywhere: a filter that is asked for holds back no more than may be a tag, and loses nothing.

    youssofal/MTPLX#149, mozilla-ai/any-llm#1242
    """
    data = shown("openai-chat/f02-tags_in_text.sse")
    got = message(data, "openai-chat", filters=["think"])
    assert ("Is 3 < 4? Yes.", "Three is less.") == (got.reasoning, got.text)
    assert "<think>Is 3 < 4? Yes.</think>\nThree is less." == message(data, "openai-chat").text
    unclosed = message(answer(text("<think>All of it")), "openai-chat", filters=["think"])
    assert ("All of it", "") == (unclosed.reasoning, unclosed.text)
    opened = message(answer(text("So."), text("</think>Hi")), "openai-chat", filters=["think-open"])
    assert ("So.", "Hi") == (opened.reasoning, opened.text)
    called = answer(text("<think>Look"), calls(call(0, "c", "f", "{}")), text("after"))
    assert "after" == message(called, "openai-chat", filters=["think"]).text


def test_f03_literal_tag_inside_reasoning():
    """The model quotes `</think>` in its reasoning: the first closing tag counts, in a stream as in a whole reply, and the second is noted.

    ggml-org/llama.cpp#27661, kekzl/imp#793
    """
    said = "<think>It prints </think> then.</think>Hi"
    streamed = message(answer(text(said[:20]), text(said[20:])), "openai-chat", filters=["think"])
    whole = message([reply({"content": said})], "openai-chat", filters=["think"])
    assert ("It prints ", " then.</think>Hi") == (streamed.reasoning, streamed.text)
    assert (streamed.reasoning, streamed.text) == (whole.reasoning, whole.text)
    assert ["think_closed_again"] == [note.code for note in streamed.notes]


def test_f04_boundary_delta():
    """One delta ends the reasoning and begins the text: both are said, each in its own block.

    vllm-project/vllm#42691, BerriAI/litellm#33505
    """
    got = read(chunk({"reasoning_content": "So"}), chunk({"reasoning_content": ".", "content": "Hi"}), end())
    assert ("So.", "Hi") == (got.reasoning, got.text)
    both = gemini.chunk(gemini.thought("So."), gemini.text("Hi"), finish="STOP")
    got = message(sse(both), "gemini")
    assert ("So.", "Hi") == (got.reasoning, got.text)


def test_f05_signatures_survive():
    """A signature comes alone, or after its thinking: it stays with its block and origin, and survives every bridge there and back.

    OpenRouterTeam/ai-sdk-provider#423, bitrouter/bitrouter#592
    """
    data = shown("anthropic/f05-signatures.sse")
    expected = ["c2lnbmVkLWJ5LXVz", "b25seS1zaWduZWQ="]
    got = message(data, "anthropic")
    signatures = [each for block in got.blocks for each in block.signatures]
    assert expected == [each.value for each in signatures]
    assert {("anthropic", "claude-relay")} == {(each.origin.protocol, each.origin.model) for each in signatures}
    for target in ("anthropic", "openai-responses"):
        back = message(weft.convert(data, "anthropic", target), target)
        again = [each for block in back.blocks for each in block.signatures]
        assert expected == [each.value for each in again]
        assert {"anthropic"} == {each.origin.protocol for each in again}
    through_chat = events(weft.convert(data, "anthropic", "openai-chat"), "openai-chat")
    assert expected == [each.value for each in through_chat if isinstance(each, Signature)]


def test_f06_foreign_signature():
    """A signature of Gemini's goes to a client of Messages: it is wrapped with its origin, so that it can be replayed to that alone.

    Which turns of the next request keep it is the gateway's. maximhq/bifrost#4079, OpenRouterTeam/ai-sdk-provider#491
    """
    data = sse(
        gemini.chunk(gemini.thought("So.", thoughtSignature="Zm9yZWlnbg==")),
        gemini.chunk(gemini.text("Hi"), finish="STOP"),
    )
    out = weft.convert(data, "gemini", "anthropic")
    assert b"Zm9yZWlnbg==" not in out
    signatures = [each for block in message(out, "anthropic").blocks for each in block.signatures]
    assert [("Zm9yZWlnbg==", "gemini")] == [(each.value, each.origin.protocol) for each in signatures]


def test_f07_reasoning_that_must_go_back():
    """The next turn needs the reasoning before a call: the message, which is that turn, keeps it in its place.

    Which provider needs it is the request's. RooCodeInc/Roo-Code#12195, NousResearch/hermes-agent#15228
    """
    got = message(shown("openai-chat/f07-reasoning_before_a_call.sse"), "openai-chat")
    assert [Reasoning, ToolCall] == [type(each) for each in got.blocks]
    assert "I need the file." == got.reasoning


def test_f08_signature_of_a_gemini_call():
    """A call is signed, which chat has no word for: the id stays as it is, and the state stands beside it where Google has it.

    decolua/9router#450, maximhq/bifrost#4810
    """
    data = sse(gemini.chunk(gemini.call(id="call_7") | {"thoughtSignature": "c2lnbmVk"}, finish="STOP"))
    out = converted(data, "openai-chat", "gemini")[:-1]
    fragments = [each for frame in out for choice in frame["choices"] for each in choice["delta"].get("tool_calls", ())]
    assert ["call_7"] == [each["id"] for each in fragments if "id" in each]
    assert [["google"]] == [list(each["extra_content"]) for each in fragments if "extra_content" in each]
    again = message(weft.convert(data, "gemini", "openai-chat"), "openai-chat").tool_calls[0]
    assert [("call_7", "c2lnbmVk")] == [(again.id, each.value) for each in again.signatures]


def test_f09_fragmented_details():
    """`reasoning_details` come in many pieces: they are one item, with its text in order and its signature once.

    langchain-ai/langchain#36400, pydantic/pydantic-ai#7214
    """
    pieces = [{"type": "reasoning.text", "index": 0, "text": piece} for piece in ("So", " it", " is.")]
    signed = {"type": "reasoning.text", "index": 0, "text": "", "signature": "c2ln", "format": "anthropic-claude-v1"}
    got = read(*(chunk({"reasoning_details": [each]}) for each in [*pieces, signed]), text("Hi"), end())
    block = got.blocks[0]
    assert isinstance(block, Reasoning)
    assert ("So it is.", ["c2ln"], 2) == (block.text, [each.value for each in block.signatures], len(got.blocks))


@pytest.mark.parametrize("target", TARGETS)
def test_f10_every_target_shows_reasoning_or_says_that_it_does_not(target: str):
    """A converter leaves the reasoning out, or says it before its item is open: each target has a form for it, or reports the loss.

    MAXeaglet/commandcode-proxy#4, microsoft/vscode#327592
    """
    pipe = weft.Pipe("openai-chat", target)
    out = pipe.feed(shown("openai-chat/f07-reasoning_before_a_call.sse")) + pipe.close()
    assert b"I need " in out or "reasoning" in {loss.what for loss in pipe.losses}


def test_f11_summaries_and_what_is_redacted():
    """An item has two summary parts, another only what its origin can read: each is one block, its parts inside it, and goes out as one.

    router-for-me/CLIProxyAPI#4581, vercel/ai#19058
    """
    item = responses.reasoning_item(0, "First.", "Then.")
    parts = [
        responses.added(0, responses.reasoning_item(0)),
        responses.summary(0, "First."),
        responses.summary(0, "Then.", 1),
    ]
    data = responses.stream(parts, responses.done(0, item))
    block = message(data, "openai-responses").blocks[0]
    assert isinstance(block, Reasoning)
    assert [("First.", 0, "summary"), ("Then.", 1, "summary")] == [
        (each.text, each.part, each.form) for each in block.pieces
    ]
    starts = [
        each for each in converted(data, "anthropic", "openai-responses") if each["type"] == "content_block_start"
    ]
    assert 1 == len(starts)
    hidden = {"type": "redacted_thinking", "data": "aGlkZGVu"}
    got = message(claude.stream(claude.opened(0, hidden), claude.closed(0)), "anthropic")
    assert [("", [("aGlkZGVu", True)])] == [
        (each.text, [(state.value, state.encrypted) for state in each.signatures]) for each in got.blocks
    ]
