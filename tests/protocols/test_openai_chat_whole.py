"""chat.completions as a source: replies that were not streamed, and messages inside streams. Letters are modes of failures.md."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.protocols.chat_wire import (
    PROTOCOL,
    call,
    calls,
    chunk,
    codes,
    end,
    envelope,
    read,
    reply,
    text,
    told,
    usage,
)
from weft.message import Message


def whole(*args: Any, **members: Any) -> Message:
    """The message of a whole reply."""
    return weft.collect(weft.read(json.dumps(reply(*args, **members)).encode(), PROTOCOL))


def gist(message: Message) -> tuple[Any, ...]:
    """What a stream and a whole reply of the same answer have in common."""
    return (
        message.outcome,
        message.usage and (message.usage.input_tokens, message.usage.output_tokens),
        [
            (
                choice.text,
                choice.reasoning,
                choice.refusal,
                choice.finish,
                choice.finish_raw,
                [(each.name, each.raw, each.complete, each.tool, each.arguments) for each in choice.tool_calls],
            )
            for choice in message.choices
        ],
    )


def test_a_whole_reply_is_a_stream_of_one_frame():
    """A18 of the requirements, D3: also where a stream was asked for"""
    message = whole({"content": "Hi", "reasoning_content": "hm"}, usage=usage())
    assert ("Hi", "hm", "stop", "completed") == (message.text, message.reasoning, message.finish, message.outcome)
    assert ("c1", "m", 7) == (message.id, message.model, message.usage and message.usage.total_tokens)


def test_a_reply_that_was_cut_is_truncated():
    data = json.dumps(reply({"content": "Hi"})).encode()
    assert "truncated" == weft.collect(weft.read(data[:-2], PROTOCOL)).outcome


@pytest.mark.parametrize("finish", ["", None])
def test_a_reply_without_a_finish_is_over_all_the_same(finish):
    """Snowflake"""
    message = whole({"content": "4"}, finish, usage=usage(), id="")
    assert ("completed", None, "4") == (message.outcome, message.finish, message.text)


def test_a_reply_with_neither_finish_nor_counts_is_over():
    message = whole({"content": "4"}, None)
    assert ("completed", None, "4", None) == (message.outcome, message.finish, message.text, message.usage)


def test_a_message_without_a_finish_in_a_stream_ends_nothing():
    """C2: Perplexity's chunks call themselves replies"""
    frame = {**reply({"content": "4"}, None), "usage": usage()}
    frame["choices"][0]["delta"] = {"content": "4"}
    assert "truncated" == read(frame, done=False).outcome


def test_calls_of_a_whole_reply():
    """A13, D3"""
    message = whole(
        {"content": None, "tool_calls": [call(None, "a", "f", "{}"), call(None, "b", "f", "{}")]}, "tool_calls"
    )
    assert ([("a", "f", "{}"), ("b", "f", "{}")], "tool_calls") == (told(message), message.finish)


def test_two_equal_calls_without_ids_are_two():
    """Dice are rolled twice."""
    message = whole({"tool_calls": [call(None, None, "roll", "{}"), call(None, None, "roll", "{}")]}, "tool_calls")
    assert [(None, "roll", "{}")] * 2 == told(message)
    assert 2 == len({each.id for each in message.tool_calls})


def test_calls_that_share_one_id_are_told_by_their_index():
    """Some give all calls of an answer one id."""
    calls = [call(0, "a", "f", '{"x":1}'), call(1, "a", "f", '{"x":2}'), call(2, "a", "g", "{}")]
    assert [("a", "f", '{"x":1}'), ("a", "f", '{"x":2}'), ("a", "g", "{}")] == told(
        whole({"tool_calls": calls}, "tool_calls")
    )


def test_object_arguments_of_a_whole_reply_keep_their_text():
    """A6"""
    (one,) = whole({"tool_calls": [call(None, "a", "f", {"b": 1.0, "a": [1]})]}, "tool_calls").tool_calls
    assert '{"b": 1.0, "a": [1]}' == one.raw


def test_a_cut_call_of_a_whole_reply_is_not_complete():
    """A9"""
    (one,) = whole({"tool_calls": [call(None, "a", "f", '{"x":')]}, "length").tool_calls
    assert not one.complete


def test_snowflakes_placeholders_are_not_there():
    message = whole(
        {
            "content": "4",
            "refusal": "",
            "audio": {"data": "", "expires_at": 0, "id": "", "transcript": ""},
            "function_call": {"arguments": "", "name": ""},
            "tool_calls": [{"id": "", "type": "", "function": {"name": "", "arguments": ""}}],
        }
    )
    assert (["text"], []) == ([part.__struct_config__.tag for part in message.blocks], message.notes)


def test_several_choices_of_a_whole_reply():
    choices = [
        {"index": n, "message": {"content": t}, "finish_reason": f}
        for n, t, f in [(0, "a", "stop"), (1, "b", "length")]
    ]
    body = {**envelope(choices), "object": "chat.completion"}
    message = weft.collect(weft.read(json.dumps(body).encode(), PROTOCOL))
    assert [("a", "stop"), ("b", "length")] == [(choice.text, choice.finish) for choice in message.choices]


def test_the_old_completions_endpoint():
    body = {"object": "text_completion", "choices": [{"index": 0, "text": "Hi", "finish_reason": "length"}]}
    message = weft.collect(weft.read(json.dumps(body).encode(), PROTOCOL))
    assert ("Hi", "length", "incomplete") == (message.text, message.finish, message.outcome)


# -- messages inside streams ---------------------------------------------------------------------------------------


def with_message(message: Any, delta: Any = None, finish: str | None = None) -> dict[str, Any]:
    """A chunk whose choice has a message, and maybe a delta beside it."""
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return envelope([choice if delta is None else {**choice, "delta": delta}])


def test_glm_says_its_calls_in_a_final_message():
    """A13, A4 of the requirements: mapped before the end"""
    final = with_message({"role": "assistant", "tool_calls": [call(None, "a", "f", "{}")]}, finish="tool_calls")
    message = read(text("x"), final)
    assert ("x", [("a", "f", "{}")], "tool_calls") == (message.text, told(message), message.finish)
    assert message.tool_calls[0].complete


def test_a_final_message_that_repeats_the_stream_says_nothing_new():
    """Q-C23: by id, and where there is none by name and arguments"""
    streamed = [
        chunk({"reasoning_content": "hm"}),
        text("x"),
        calls(call(0, "a", "f", "{}"), call(1, None, "g", "{}")),
    ]
    final = {
        "content": "x",
        "reasoning_content": "hm",
        "tool_calls": [call(None, "a", "f", "{}"), call(None, None, "g", "{}"), call(None, "c", "h", "{}")],
    }
    message = read(*streamed, with_message(final, finish="tool_calls"))
    assert ("hm", "x", [("a", "f", "{}"), (None, "g", "{}"), ("c", "h", "{}")]) == (
        message.reasoning,
        message.text,
        told(message),
    )
    assert [] == message.notes


def test_the_tail_of_a_call_may_come_with_its_message():
    """A14"""
    final = with_message({"tool_calls": [call(None, "a", "f", '{"x":1}')]}, finish="tool_calls")
    assert [("a", "f", '{"x":1}')] == told(read(calls(call(0, "a", "f", '{"x"')), final))


def test_a_message_that_contradicts_the_stream_is_noted():
    """A14"""
    final = with_message({"tool_calls": [call(None, "a", "f", '{"y":2}')]}, finish="tool_calls")
    message = read(calls(call(0, "a", "f", '{"x":1}')), final)
    assert ([("a", "f", '{"x":1}')], ["call_differs"]) == (told(message), codes(message))


def test_perplexity_has_the_message_so_far_beside_each_delta():
    """Q-C23"""
    frames = [
        with_message({"role": "assistant", "content": so_far}, {"role": "assistant", "content": new})
        for so_far, new in [("Hel", "Hel"), ("Hello", "lo"), ("Hello!", "!")]
    ]
    message = read(*frames, with_message({"content": "Hello! Bye"}, {"role": "assistant", "content": ""}, "stop"))
    assert ("Hello! Bye", []) == (message.text, message.notes)


def test_perplexity_whole():
    """A reply has an empty delta beside its message."""
    body = reply({"content": "Hello"}, usage=usage())
    body["choices"][0]["delta"] = {"role": "assistant", "content": ""}
    assert "Hello" == weft.collect(weft.read(json.dumps(body).encode(), PROTOCOL)).text


def test_messages_that_grow_without_deltas():
    """Atlas 2.1.10: snapshots, of which the new is said"""
    frames = [with_message({"content": piece}) for piece in ("Hel", "Hello", "Hello")]
    assert "Hello!" == read(*frames, with_message({"content": "Hello!"}, finish="stop")).text


def test_a_message_that_does_not_go_on_is_taken_and_noted():
    message = read(with_message({"content": "Hello"}), with_message({"content": "Bye"}, finish="stop"))
    assert ("HelloBye", ["message_differs"]) == (message.text, codes(message))


def test_writer_copies_each_delta_into_a_message():
    """The copies are no snapshots, and its fragments no whole calls."""
    nulls = {"id": None, "type": None}
    deltas = [
        {"content": "x", "tool_calls": None},
        {"content": "x", "tool_calls": None},
        {"content": None, "tool_calls": [call(0, "a", "f")]},
        {"content": None, "tool_calls": [{**nulls, "index": 0, "function": {"name": None, "arguments": "{"}}]},
        {"content": None, "tool_calls": [{**nulls, "index": 0, "function": {"name": None, "arguments": "}"}}]},
        {"content": None, "tool_calls": None},
    ]
    message = read(*(with_message(delta, delta) for delta in deltas), end("tool_calls"))
    assert ("xx", [("a", "f", "{}")], []) == (message.text, told(message), message.notes)


# -- the law -------------------------------------------------------------------------------------------------------

PIECES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=3)
ARGS = st.dictionaries(st.text("ab", max_size=2), st.integers(), max_size=2).map(json.dumps)


@st.composite
def answers(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The same answer as chunks and as a whole reply."""
    reasoning, content, refusal = draw(PIECES), draw(PIECES), draw(PIECES)
    arguments = draw(st.lists(ARGS, max_size=3))
    finish = draw(st.sampled_from(["stop", "length", "tool_calls", "content_filter", "weird"]))
    frames = [chunk({"reasoning_content": piece}) for piece in reasoning]
    frames += [text(piece) for piece in content] + [chunk({"refusal": piece}) for piece in refusal]
    for number, args in enumerate(arguments):
        cut = draw(st.integers(0, len(args)))
        frames += [calls(call(number, f"id{number}", "f", args[:cut])), calls(call(number, args=args[cut:]))]
    message = {
        "reasoning_content": "".join(reasoning) or None,
        "content": "".join(content) or None,
        "refusal": "".join(refusal) or None,
        "tool_calls": [call(None, f"id{number}", "f", args) for number, args in enumerate(arguments)] or None,
    }
    return [*frames, end(finish), envelope([], usage=usage())], reply(message, finish, usage=usage())


@given(answers())
def test_a_stream_and_its_whole_reply_are_the_same_message(answer: tuple[list[dict[str, Any]], dict[str, Any]]):
    """C14 of the requirements"""
    frames, body = answer
    streamed = read(*frames)
    replied = weft.collect(weft.read(json.dumps(body).encode(), PROTOCOL))
    cut = {"length", "content_filter"} & {streamed.finish}
    if cut and streamed.tool_calls:  # a stream cannot tell whether its last call was cut, a reply neither
        streamed.tool_calls[-1].complete = replied.tool_calls[-1].complete
        streamed.tool_calls[-1].arguments = replied.tool_calls[-1].arguments
    assert gist(streamed) == gist(replied)


def test_what_the_sdk_s_helper_yields_is_read_once():
    """Its events hold the chunks, and say each piece again beside them."""
    frames = [text("Hi"), end()]
    objects = [
        {"type": "chunk", "chunk": frames[0], "snapshot": {"choices": []}},
        {"type": "content.delta", "delta": "Hi", "snapshot": "Hi"},
        {"type": "chunk", "chunk": frames[1], "snapshot": {"choices": []}},
        {"type": "content.done", "content": "Hi", "parsed": None},
    ]
    message = weft.collect(weft.read(objects, PROTOCOL))
    assert ("Hi", "completed", [], []) == (message.text, message.outcome, message.notes, message.unknown)
