"""chat.completions as a source: tool calls. Letters and numbers are modes of failures.md; identity as such is in tests/test_calls.py."""

import pytest

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
    read_events,
    text,
    told,
)
from tests.protocols.wire import sse
from weft.events import ArgsDelta, BlockStart, Signature


def test_the_same_index_for_every_call():
    """A1"""
    frames = [calls(call(0, "a", "read", '{"p":1}')), calls(call(0, "b", "read", '{"p":2}')), end("tool_calls")]
    message = read(*frames)
    assert [("a", "read", '{"p":1}'), ("b", "read", '{"p":2}')] == told(message)
    assert [{"p": 1}, {"p": 2}] == [each.arguments for each in message.tool_calls]


def test_no_index_at_all():
    """A2"""
    frames = [calls(call(None, "a", "f", "{")), calls(call(args="}")), end("tool_calls")]
    assert [("a", "f", "{}")] == told(read(*frames))


def test_parallel_calls_without_an_index_in_one_delta():
    """D5"""
    frames = [calls(call(None, "a", "f", "{}"), call(None, "b", "f", "{}")), end("tool_calls")]
    assert [("a", "f", "{}"), ("b", "f", "{}")] == told(read(*frames))


@pytest.mark.parametrize("id", [None, ""])
def test_no_id_gives_one_of_ours_that_stays(id):
    """A3, D7: derived from the message, so the same bytes give the same id, and two messages different ones"""
    frames = [calls(call(0, id, "f", "{")), calls(call(0, id, None, "}")), end("tool_calls")]
    first, again = read(*frames), read(*frames)
    other = read(*[{**frame, "id": "c2"} for frame in frames])
    (ours,) = first.tool_calls
    assert (True, True, "{}") == (ours.made_id, ours.complete, ours.raw)
    assert ours.id == again.tool_calls[0].id
    assert ours.id != other.tool_calls[0].id


def test_an_id_that_comes_after_its_call_was_announced_is_noted():
    message = read(calls(call(0, None, "f", "{")), calls(call(0, "a", None, "}")), end("tool_calls"))
    assert ([(None, "f", "{}")], ["late_call_id"]) == (told(message), codes(message))


def test_a_number_as_id():
    """TGI"""
    frame = calls({"index": 0, "id": 0, "function": {"name": "f", "arguments": "{}"}})
    assert [("0", "f", "{}")] == told(read(frame, end("tool_calls")))


def test_name_and_id_on_every_chunk():
    """A4"""
    frames = [calls(call(0, "a", "read", piece)) for piece in ("{", '"p":', "1}")]
    message = read(*frames, end("tool_calls"))
    assert ([("a", "read", '{"p":1}')], []) == (told(message), message.notes)


def test_a_name_in_pieces_where_it_is_declared():
    """A5"""
    frames = [
        calls(call(0, "a", "edit_ex")),
        calls(call(0, None, "isting_file")),
        calls(call(0, args="{}")),
        end("tool_calls"),
    ]
    assert [("a", "edit_existing_file", "{}")] == told(read(*frames, dialect="google"))
    assert (["edit_ex"], ["name_changed"]) == (
        [each.name for each in read(*frames).tool_calls],
        codes(read(*frames)),
    )


def test_a_name_that_is_repeated_is_not_appended_even_where_pieces_are_declared():
    """A5: a repeat is not a piece"""
    frames = [calls(call(0, "a", "f")), calls(call(0, None, "f", "{}")), end("tool_calls")]
    assert [("a", "f", "{}")] == told(read(*frames, dialect="google"))


def test_arguments_as_an_object_keep_the_sources_own_text():
    """A6, A26, D9: numbers and order of members are not ours to change"""
    frame = (
        '{"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":'
        '{"name":"f","arguments":{"z": 0.1000000000000000055, "a":18446744073709551617,"e":1e400}}}]}}]}'
    )
    message = weft.collect(weft.read(sse(frame, end("tool_calls")), PROTOCOL))
    assert '{"z": 0.1000000000000000055, "a":18446744073709551617,"e":1e400}' == message.tool_calls[0].raw


def test_several_object_arguments_in_one_chunk():
    """A6: equal ones, in several choices, beside text ones and flat ones"""
    choices = [
        {"index": 0, "delta": {"tool_calls": [call(0, "a", "f", {"x": 1}), call(1, "b", "f", '{"x":2}')]}},
        {"index": 1, "delta": {"tool_calls": [{"index": 0, "id": "c", "name": "f", "arguments": {"x": 1}}]}},
    ]
    frames = [envelope(choices), end("tool_calls", 0), end("tool_calls", 1)]
    message = read(*frames)
    expected = [[("a", '{"x": 1}'), ("b", '{"x":2}')], [("c", '{"x": 1}')]]
    assert expected == [[(each.id, each.raw) for each in choice.tool_calls] for choice in message.choices]
    assert all(each.complete for choice in message.choices for each in choice.tool_calls)


def test_an_object_beside_half_a_character_is_written_anew():
    """A6: such a frame has no text that could be taken"""
    frame = (
        '{"choices":[{"index":0,"delta":{"content":"\\ud83d",'
        '"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]}}]}'
    )
    assert [("a", "f", '{"x":1}')] == told(weft.collect(weft.read(sse(frame, end("tool_calls")), PROTOCOL)))


@pytest.mark.parametrize("args", ["", None, " "])
def test_empty_arguments_are_an_empty_object(args):
    """A7, D11, Q-C13"""
    (empty,) = read(calls(call(0, "a", "f", args)), end("tool_calls")).tool_calls
    assert ({}, True) == (empty.arguments, empty.complete)


def test_null_is_absent():
    """A8: MiniMax M3"""
    nulls = {"index": 0, "id": None, "type": None, "function": {"name": None, "arguments": "}"}}
    frames = [calls(call(0, "a", "f", "{")), chunk({"tool_calls": [nulls], "content": None}), end("tool_calls")]
    message = read(*frames)
    assert ([("a", "f", "{}")], []) == (told(message), message.notes)


def test_null_arguments_then_text():
    """Q-C13: Writer, OpenRouter"""
    frames = [
        chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": None}}]}),
        calls(call(0, args="{}")),
        end("tool_calls"),
    ]
    assert [("a", "f", "{}")] == told(read(*frames))


@pytest.mark.parametrize("finish", ["length", None])
def test_cut_arguments_are_never_a_valid_call(finish):
    """A9"""
    frames = [calls(call(0, "a", "f", '{"p":"/tmp","dry_run":tr')), *([end(finish)] if finish else [])]
    (cut,) = read(*frames, done=False).tool_calls
    assert (False, None, '{"p":"/tmp","dry_run":tr') == (cut.complete, cut.arguments, cut.raw)


def test_arguments_that_parse_may_go_on():
    """A10: not finalised at the first parsable prefix"""
    frames = [calls(call(0, "a", "f", "{}")), calls(call(0, args=" ")), calls(call(0, args="\n")), end("tool_calls")]
    (one,) = read(*frames).tool_calls
    assert ("{} \n", {}) == (one.raw, one.arguments)


def test_the_last_call_of_a_cut_answer_is_not_complete_though_it_parses():
    """A9: it may have been cut between two members, or not; nobody can tell"""
    (one,) = read(calls(call(0, "a", "f", "{}")), done=False).tool_calls
    assert not one.complete


def test_name_and_first_arguments_in_one_delta():
    """A11: the sum of the deltas is the input"""
    frames = [calls(call(0, "a", "f", '{"a')), calls(call(0, args='":1}')), end("tool_calls")]
    events = read_events(*frames)
    assert '{"a":1}' == "".join(event.text for event in events if isinstance(event, ArgsDelta))


def test_a_whole_call_with_finish_and_usage_in_one_chunk():
    """A13: Mistral"""
    delta = {"role": None, "tool_calls": [call(None, "abc123def", "f", "{}")]}
    message = read(chunk(delta, "tool_calls", usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}))
    assert ([("abc123def", "f", "{}")], "tool_calls") == (told(message), message.finish)


def test_index_jumps_between_head_and_tail():
    """A15"""
    frames = [
        calls(call(0, "a", "f", "{}")),
        calls(call(0, "b", "g", "")),
        calls(call(1, args='{"x":')),
        calls(call(1, args="1}")),
        end("tool_calls"),
    ]
    assert [("a", "f", "{}"), ("b", "g", '{"x":1}')] == told(read(*frames))


@pytest.mark.parametrize("index", [1, 5, -1])
def test_the_first_index_is_not_0(index):
    """A16: OpenRouter's gpt-5 begins at 1, GLM's flash models at -1"""
    frames = [calls(call(index, "a", "f", "{")), calls(call(index, args="}")), end("tool_calls")]
    assert [("a", "f", "{}")] == told(read(*frames))


def test_calls_at_index_minus_one_are_told_by_their_ids():
    frames = [calls(call(-1, "a", "f", "{}"), call(-1, "b", "f", "{}")), end("tool_calls")]
    assert [("a", "f", "{}"), ("b", "f", "{}")] == told(read(*frames))


def test_interleaved_parallel_arguments():
    """A18"""
    frames = [
        calls(call(0, "a", "f", ""), call(1, "b", "g", "")),
        calls(call(0, args="{")),
        calls(call(1, args="{")),
        calls(call(0, args='"x":1}')),
        calls(call(1, args="}")),
        end("tool_calls"),
    ]
    message = read(*frames)
    assert [("a", "f", '{"x":1}'), ("b", "g", "{}")] == told(message)
    assert all(each.complete for each in message.tool_calls)


def test_a_closing_echo_under_another_id():
    """Kimi on SiliconFlow"""
    frames = [
        calls(call(0, "functions.f:0", "f", "")),
        calls(call(0, args="{}")),
        calls(call(0, "chatcmpl-tool-z", "f", "")),
        end("tool_calls"),
    ]
    message = read(*frames)
    assert ([("functions.f:0", "f", "{}")], ["call_echo"]) == (told(message), codes(message))


def test_what_looks_like_an_echo_becomes_a_call_with_its_first_argument():
    """A1 against Kimi's echo"""
    frames = [
        calls(call(0, "a", "f", "{}")),
        calls(call(0, "b", "f", "")),
        calls(call(0, args='{"x":')),
        calls(call(0, args="1}")),
        end("tool_calls"),
    ]
    assert [("a", "f", "{}"), ("b", "f", '{"x":1}')] == told(read(*frames))


def test_a_last_chunk_that_comes_twice_with_its_call_is_one_call():
    """C8: OpenRouter says its last chunk twice; Mistral and others put whole calls into it."""
    last = calls(call(0, "a", "f", '{"x":1}'))
    last["choices"][0]["finish_reason"] = "tool_calls"
    message = read(last, last)
    assert ([("a", "f", '{"x":1}')], [True]) == (told(message), [each.complete for each in message.tool_calls])
    assert ["content_after_finish", "call_echo"] == [note.code for note in message.notes]


def test_empty_calls_are_no_calls():
    """Snowflake sends placeholders."""
    empty = {"index": 0, "id": "", "type": "", "function": {"name": "", "arguments": ""}}
    message = read(
        chunk({"content": "x", "tool_calls": [empty], "function_call": {"name": "", "arguments": ""}}), end()
    )
    assert ([], "stop", []) == (message.tool_calls, message.finish, message.notes)


def test_a_call_that_never_gets_a_name_is_reported_not_lost():
    """D19, atlas 2.1.4"""
    message = read(calls(call(0, "a", None, "{}")), end("tool_calls"))
    assert ([("a", "", "{}")], ["call_without_name"]) == (told(message), codes(message))
    assert not message.tool_calls[0].complete


def test_invalid_arguments_are_kept_as_they_came():
    """A23, D10: the outcome is what the protocol says"""
    message = read(calls(call(0, "a", "f", '{"x":1}{"y":2}')), end("tool_calls"))
    (broken,) = message.tool_calls
    assert ("completed", False, None, '{"x":1}{"y":2}') == (
        message.outcome,
        broken.complete,
        broken.arguments,
        broken.raw,
    )


def test_the_legacy_function_call():
    """Q-C31"""
    frames = [
        chunk({"function_call": {"name": "f", "arguments": ""}}),
        chunk({"function_call": {"arguments": "{"}}),
        chunk({"function_call": {"arguments": "}"}}),
        end("function_call"),
    ]
    message = read(*frames)
    assert ([(None, "f", "{}")], "tool_calls", "function_call") == (
        told(message),
        message.finish,
        message.tool_calls[0].tool,
    )


def test_a_legacy_call_beside_the_same_call_is_not_a_second_one():
    delta = {"tool_calls": [call(0, "a", "f", "{}")], "function_call": {"name": "f", "arguments": "{}"}}
    assert [("a", "f", "{}")] == told(read(chunk(delta), end("tool_calls")))


def test_a_custom_tool_has_plain_input():
    """A25"""
    frames = [
        chunk({"tool_calls": [{"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql", "input": "sel"}}]}),
        chunk({"tool_calls": [{"index": 0, "custom": {"input": "ect 1"}}]}),
        end("tool_calls"),
    ]
    (custom,) = read(*frames).tool_calls
    assert ("sql", "select 1", "custom", True) == (custom.name, custom.raw, custom.tool, custom.complete)


def test_an_empty_custom_tool_beside_a_function_is_not_there():
    """Snowflake"""
    both = {**call(0, "a", "f", "{}"), "custom": {"name": "", "input": ""}}
    (one,) = read(chunk({"tool_calls": [both]}), end("tool_calls")).tool_calls
    assert ("f", "function", "{}") == (one.name, one.tool, one.raw)


def test_flat_members():
    """Gateways put name and arguments beside the id"""
    frames = [chunk({"tool_calls": [{"id": "a", "name": "f", "arguments": {"x": 1}}]}), end("tool_calls")]
    assert [("a", "f", '{"x": 1}')] == told(read(*frames))


@pytest.mark.parametrize(
    "place",
    [
        {"extra_content": {"google": {"thought_signature": "c2ln"}}},
        {"provider_specific_fields": {"thought_signature": "c2ln"}},
        {"thought_signature": "c2ln"},
    ],
    ids=["google", "litellm", "flat"],
)
def test_googles_thought_signature_stays_on_its_call(place):
    """F8, D20"""
    events = read_events(calls(call(None, "a", "f", "{}", **place)), end("tool_calls"))
    start = next(event for event in events if isinstance(event, BlockStart))
    (signature,) = [event for event in events if isinstance(event, Signature)]
    assert (start.index, "c2ln", "openai-chat", "m") == (
        signature.index,
        signature.value,
        signature.origin.protocol,
        signature.origin.model,
    )


def test_a_signature_on_a_later_fragment_reaches_its_call():
    late = call(0, args="", extra_content={"google": {"thought_signature": "c2ln"}})
    message = read(calls(call(0, "a", "f", "{}")), calls(late), end("tool_calls"))
    assert ["c2ln"] == [signature.value for signature in message.tool_calls[0].signatures]


def test_a_signature_of_one_call_reaches_it_while_another_goes_on():
    """Its fragment says nothing but whose it is; another call had the last word."""
    late = call(1, args="", extra_content={"google": {"thought_signature": "c2ln"}})
    frames = [calls(call(0, "a", "f", "")), calls(call(1, "b", "f", "{}")), calls(call(0, args="{}")), calls(late)]
    message = read(*frames, end("tool_calls"))
    assert [[], ["c2ln"]] == [[state.value for state in made.signatures] for made in message.tool_calls]


def test_text_and_calls_may_alternate():
    """B13, Q-C16"""
    frames = [calls(call(0, "a", "f", "{")), text("x"), calls(call(0, args="}")), text("y"), end("tool_calls")]
    message = read(*frames)
    assert ("xy", [("a", "f", "{}")]) == (message.text, told(message))


def test_arguments_are_never_said_again_or_anew():
    """A26: text passes as it is, escapes and all"""
    pieces = ['{"s":"\\u00e9\\n', "}{ 1.", '0e5"}']
    message = read(calls(call(0, "a", "f")), *(calls(call(0, args=piece)) for piece in pieces), end("tool_calls"))
    assert "".join(pieces) == message.tool_calls[0].raw


def test_two_messages_with_the_same_call_ids():
    """A21: ids are the message's own; nothing is kept from one stream to the next"""
    frames = [calls(call(0, "call_0", "f", "{}")), end("tool_calls")]
    assert [("call_0", "f", "{}")] == told(read(*frames)) == told(read(*frames))
