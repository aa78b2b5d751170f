"""chat.completions as a source: reasoning under all its names. Letters and numbers are modes of failures.md."""

import json

import pytest

import weft
from tests.protocols.chat_wire import PROTOCOL, call, calls, chunk, end, read, read_events, reply, text
from weft.events import BlockStart, ReasoningDelta
from weft.message import Message, Reasoning


def details(*entries):
    """A chunk with typed details."""
    return chunk({"content": "", "reasoning_details": list(entries)})


def detail(kind, value, index=0, **more):
    """One typed detail."""
    member = {"text": "text", "summary": "summary", "encrypted": "data"}[kind]
    return {"type": f"reasoning.{kind}", member: value, "index": index, **more}


def signatures(message: Message) -> list[tuple[str, str, str | None, bool]]:
    """Kind of the part, value, format and whether it is content, of each signature."""
    return [
        (part.__struct_config__.tag, signature.value, signature.format, signature.encrypted)
        for part in message.blocks
        for signature in part.signatures
    ]


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning", "reasoning_text", "thinking"])
def test_every_name_of_reasoning(member):
    """F1"""
    events = read_events(chunk({member: "a", "content": None}), chunk({member: "b"}), text("c"), end())
    assert [ReasoningDelta(0, "a"), ReasoningDelta(0, "b")] == [e for e in events if isinstance(e, ReasoningDelta)]
    assert ["reasoning", "text"] == [event.kind for event in events if isinstance(event, BlockStart)]


def test_two_names_with_the_same_text_are_one_reasoning():
    """F1, Q-C25: chutes.ai"""
    assert "ab" == read(*[chunk({"reasoning_content": x, "reasoning": x}) for x in "ab"], end()).reasoning


def test_the_other_name_is_empty():
    frames = [chunk({"reasoning_content": "", "reasoning": "a"}), chunk({"reasoning_content": "b", "reasoning": None})]
    assert "ab" == read(*frames, end()).reasoning


def test_reasoning_ends_where_text_begins_in_one_delta():
    """F4"""
    message = read(chunk({"reasoning": "a"}), chunk({"reasoning": "b", "content": "c"}), end())
    assert ("ab", "c") == (message.reasoning, message.text)


def test_reasoning_that_resumes_is_a_new_block():
    """Atlas 2.1.12: interleaved thinking"""
    frames = [chunk({"reasoning": "a"}), calls(call(0, "t", "f", "{}")), chunk({"reasoning": "b"}), end()]
    assert ["a", "b"] == [part.text for part in read(*frames).blocks if isinstance(part, Reasoning)]


def test_details_say_what_the_plain_member_says_and_more():
    """F9: text is said once, by part; the pieces of one index are one"""
    frames = [
        chunk({"reasoning": piece, "reasoning_details": [detail("text", piece, format="anthropic-claude-v1")]})
        for piece in ("Let", " me")
    ]
    signed = details({"type": "reasoning.text", "signature": "c2ln", "index": 0, "format": "anthropic-claude-v1"})
    message = read(*frames, signed, text("x"), end())
    (reasoning, _) = message.blocks
    assert ("Let me", 1) == (reasoning.text, len(reasoning.pieces))
    assert [("reasoning", "c2ln", "anthropic-claude-v1", False)] == signatures(message)


def test_the_plain_member_serves_where_the_details_have_no_text():
    delta = {"reasoning": "hm", "reasoning_details": [detail("encrypted", "ZW5j", format="openai-responses-v1")]}
    assert "hm" == read(chunk(delta), end()).reasoning


def test_summaries_and_encrypted_content_of_one_item():
    """F11: OpenAI through OpenRouter; the item's id comes along, for whoever sends it back"""
    origin = {"format": "openai-responses-v1", "id": "rs_1"}
    frames = [
        details(detail("summary", "So", **origin)),
        details(detail("summary", " it is", **origin)),
        details(detail("encrypted", "ZW5j", index=1, **origin)),
    ]
    message = read(*frames, text("x"), end())
    (reasoning, _) = message.blocks
    assert [("So it is", "summary")] == [(piece.text, piece.form) for piece in reasoning.pieces]
    assert [("reasoning", "ZW5j", "openai-responses-v1", True)] == signatures(message)
    assert ("rs_1", 1) == (reasoning.signatures[0].origin.item, reasoning.signatures[0].part)


def test_encrypted_reasoning_alone_is_a_block_without_text():
    message = read(details(detail("encrypted", "ZW5j", format="xai-responses-v1", id="rs_1")), text("x"), end())
    assert ["reasoning", "text"] == [part.__struct_config__.tag for part in message.blocks]
    assert "" == message.reasoning


def test_text_with_another_index_is_another_block_with_its_own_signature():
    """F5: Anthropic's blocks are signed one by one"""
    frames = [
        details(detail("text", "a", 0)),
        details({"type": "reasoning.text", "signature": "MA==", "index": 0}),
        details(detail("text", "b", 1)),
        details({"type": "reasoning.text", "signature": "MQ==", "index": 1}),
    ]
    message = read(*frames, text("x"), end())
    assert [("a", ["MA=="]), ("b", ["MQ=="])] == [
        (part.text, [signature.value for signature in part.signatures])
        for part in message.blocks
        if isinstance(part, Reasoning)
    ]


def test_a_signature_that_comes_after_the_calls_is_not_lost():
    """F5: it has a block of its own, and the part it belongs to"""
    frames = [
        details(detail("text", "a", 2)),
        calls(call(0, "t", "f", "{}")),
        details({"type": "reasoning.text", "signature": "c2ln", "index": 2, "format": "anthropic-claude-v1"}),
        end("tool_calls"),
    ]
    message = read(*frames)
    assert [("reasoning", "c2ln", "anthropic-claude-v1", False)] == signatures(message)
    assert 2 == message.blocks[2].signatures[0].part


GOOGLE = {"format": "google-gemini-v1"}


def test_googles_state_waits_for_the_call_whose_id_it_bears():
    """F8: Gemini through OpenRouter says it before the call, under the index of a thought"""
    frames = [
        details(detail("text", "hm", **GOOGLE)),
        details(detail("encrypted", "ZW5j", id="tool_1", **GOOGLE)),
        calls(call(0, "tool_1", "f", "{}")),
        end("tool_calls"),
    ]
    assert [("tool_call", "ZW5j", "google-gemini-v1", True)] == signatures(read(*frames))


def test_googles_state_in_the_delta_of_its_call():
    delta = {
        "tool_calls": [call(0, "tool_1", "f", "{}")],
        "reasoning_details": [detail("encrypted", "ZW5j", id="tool_1", **GOOGLE)],
    }
    assert [("tool_call", "ZW5j", "google-gemini-v1", True)] == signatures(read(chunk(delta, "tool_calls")))


@pytest.mark.parametrize("named", [True, False])
def test_googles_state_behind_its_call(named):
    late = detail("encrypted", "ZW5j", **GOOGLE, **({"id": "tool_1"} if named else {}))
    frames = [calls(call(0, "tool_1", "f", "{}")), details(late), end("tool_calls")]
    assert [("tool_call", "ZW5j", "google-gemini-v1", True)] == signatures(read(*frames))


def test_googles_state_behind_text_belongs_to_the_text():
    frames = [details(detail("text", "hm", **GOOGLE)), text("x"), details(detail("encrypted", "ZW5j", **GOOGLE)), end()]
    assert [("text", "ZW5j", "google-gemini-v1", True)] == signatures(read(*frames))


def test_googles_state_for_a_call_that_never_came_is_not_lost():
    frames = [details(detail("encrypted", "ZW5j", id="tool_1", **GOOGLE)), text("x")]
    assert [("reasoning", "ZW5j", "google-gemini-v1", True)] == signatures(read(*frames, end()))
    assert [("reasoning", "ZW5j", "google-gemini-v1", True)] == signatures(read(*frames, done=False))


def test_googles_signature_on_text():
    """Its own compatible endpoint"""
    delta = {"content": "", "extra_content": {"google": {"thought_signature": "c2ln"}}}
    assert [("text", "c2ln", None, False)] == signatures(read(text("x"), chunk(delta), end()))


def test_state_of_copilot():
    """Atlas 2.1.5"""
    message = read(chunk({"reasoning_text": "hm"}), chunk({"reasoning_opaque": "b3A="}), text("x"), end())
    assert ("hm", [("reasoning", "b3A=", "reasoning_opaque", True)]) == (message.reasoning, signatures(message))


def test_anthropics_blocks_through_litellm():
    """Atlas 2.1.5: their text is said beside them, too"""
    frames = [
        chunk({"reasoning_content": "hm", "thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}),
        chunk({"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "c2ln"}]}),
        chunk({"thinking_blocks": [{"type": "redacted_thinking", "data": "ZW5j"}]}),
        text("x"),
        end(),
    ]
    message = read(*frames)
    assert "hm" == message.reasoning
    form = "thinking_blocks"
    assert [("reasoning", "c2ln", form, False), ("reasoning", "ZW5j", form, True)] == signatures(message)
    assert ["reasoning", "reasoning", "text"] == [part.__struct_config__.tag for part in message.blocks]


def test_anthropics_blocks_alone():
    frames = [chunk({"thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}), text("x"), end()]
    assert "hm" == read(*frames).reasoning


def test_mistral_thinks_in_its_content():
    """B5: typed parts, each marked as closed, which closes nothing"""
    frames = [
        chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}], "closed": True}]})
        for piece in ("a", "b")
    ]
    message = read(*frames, text("c"), chunk({"content": [{"type": "text", "text": "d"}]}), end())
    assert ("ab", "cd", 2) == (message.reasoning, message.text, len(message.blocks))


def test_databricks_reasons_in_summaries():
    part = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm", "signature": "c2ln"}]}
    message = read(chunk({"content": [part]}), chunk({"content": [{"type": "text", "text": "x"}]}), end())
    assert ("hm", "x", [("reasoning", "c2ln", "content_part", False)]) == (
        message.reasoning,
        message.text,
        signatures(message),
    )
    assert "summary" == message.blocks[0].pieces[0].form


def test_details_of_a_whole_reply_are_those_of_the_stream():
    entries = [
        detail("text", "Let me", format="anthropic-claude-v1", signature="c2ln"),
        detail("encrypted", "ZW5j", 1, format="anthropic-claude-v1"),
    ]
    whole = reply({"content": "x", "reasoning": "Let me", "reasoning_details": entries})
    message = weft.collect(weft.read(json.dumps(whole).encode(), PROTOCOL))
    assert ("Let me", "x") == (message.reasoning, message.text)
    assert [
        ("reasoning", "c2ln", "anthropic-claude-v1", False),
        ("reasoning", "ZW5j", "anthropic-claude-v1", True),
    ] == signatures(message)
    assert ["reasoning", "reasoning", "text"] == [part.__struct_config__.tag for part in message.blocks]
