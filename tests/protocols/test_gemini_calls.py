"""Gemini's function calls, whole and in pieces. References are to the failure gallery and the protocol atlas."""

import json
from typing import Any

import pytest

from tests.protocols.gemini_wire import OVER, Frame, begun, call, chunk, piece, text
from tests.protocols.wire import events, message, note_codes, sse
from weft.events import ArgsDelta, BlockEnd, BlockStart
from weft.message import ToolCall

G = "gemini"


def calls(*parts: Frame, finish: str | None = "STOP", apart: bool = True) -> list[ToolCall]:
    """The calls of a stream of these parts, a chunk each or all in one."""
    chunks = [chunk(part) for part in parts] if apart else [chunk(*parts)]
    return message(sse(*chunks, chunk(finish=finish)), G).tool_calls


# -- whole calls ---------------------------------------------------------------------------------------------------


def test_a_call_comes_whole_and_may_be_executed():
    """C1: Gemini has no finish for tools; a stop with a complete call is one."""
    got = message(sse(chunk(call("look", {"city": "Oslo"}), finish="STOP")), G)
    only = got.tool_calls[0]
    assert ("look", {"city": "Oslo"}, True, "tool_calls", "STOP") == (
        only.name,
        only.arguments,
        only.complete,
        got.finish,
        got.finish_raw,
    )


def test_arguments_are_the_source_s_own_text():
    """A26: spaces, floats and escapes as they came."""
    own = '{ "a" : 1.0, "b": "\\u00e9" }'
    frame = json.dumps(chunk(call("f", "ARGS"), finish="STOP")).replace('"ARGS"', own)
    only = message(sse(frame), G).tool_calls[0]
    assert (own, {"a": 1.0, "b": "é"}) == (only.raw, only.arguments)


@pytest.mark.parametrize("args", ["absent", None, {}], ids=str)
def test_a_call_may_have_no_arguments(args: Any):
    """A7, Q-G12."""
    function = {"name": "look"} if args == "absent" else {"name": "look", "args": args}
    only = calls({"functionCall": function})[0]
    assert ("look", {}, True) == (only.name, only.arguments, only.complete)


def test_arguments_may_be_packed_in_text():
    assert {"a": 1} == calls(call("f", '{"a": 1}'))[0].arguments


def test_an_id_is_kept_and_a_missing_one_is_made():
    """A3, Q-G4: made ids are the same on every reading, and marked."""
    given, made, other = calls(call("f", id="c1"), call("g"), call("h"))
    assert ("c1", False) == (given.id, given.made_id)
    assert made.made_id
    assert made.id != other.id
    assert made.id == calls(call("f", id="c1"), call("g"), call("h"))[1].id


@pytest.mark.parametrize("apart", [True, False], ids=["two chunks", "one chunk"])
def test_the_same_name_twice_is_two_calls(apart: bool):
    """A17, A19, Q-G4."""
    got = calls(call("f", {"a": 1}), call("f", {"a": 1}), apart=apart)
    assert [{"a": 1}, {"a": 1}] == [each.arguments for each in got]
    assert got[0].id != got[1].id


def test_an_id_that_comes_again_is_another_call_or_the_same_one_repeated():
    """A21."""
    data = sse(chunk(call("f", {"a": 1}, id="c"), call("f", {"a": 2}, id="c"), call("f", {"a": 1}, id="c")))
    got = message(data, G).tool_calls
    assert [{"a": 1}, {"a": 2}] == [each.arguments for each in got]
    assert ("c", True) == (got[0].id, got[1].made_id)
    assert ["call_id_reused", "call_repeated"] == note_codes(data, G)


def test_text_and_calls_keep_their_order():
    """B13."""
    got = message(sse(chunk(text("A"), call("f"), text("B"), call("g"), finish="STOP")), G)
    assert ["Text", "ToolCall", "Text", "ToolCall"] == [type(part).__name__ for part in got.blocks]


def test_a_whole_call_is_over_before_the_stream_is():
    """A consumer need not wait for the finish."""
    told = [type(event) for event in events(sse(chunk(call("f"))), G) if isinstance(event, BlockStart | BlockEnd)]
    assert [BlockStart, BlockEnd] == told


def test_a_call_without_a_name_is_not_complete():
    only = calls({"functionCall": {"args": {"a": 1}}})[0]
    assert ({"a": 1}, False) == (json.loads(only.raw), only.complete)


# -- calls in pieces -----------------------------------------------------------------------------------------------


def test_arguments_in_pieces_become_one_object():
    """atlas 2.4.4."""
    only = calls(
        begun("book"),
        piece("$.city", stringValue="Par", willContinue=True),
        piece("$.city", stringValue="is"),
        piece("$.guests[0].age", numberValue=3),
        piece("$.guests[0].child", boolValue=True),
        piece("$.guests[1].age", numberValue=41.5),
        piece("$.note", nullValue=None),
        OVER,
    )[0]
    guests = [{"age": 3, "child": True}, {"age": 41.5}]
    assert ("book", {"city": "Paris", "guests": guests, "note": None}, True) == (
        only.name,
        only.arguments,
        only.complete,
    )


def test_pieces_of_a_string_are_handed_on_as_they_come():
    pieces = [piece("$.t", stringValue=word, willContinue=True) for word in ("one ", "two ", 'th"ree')]
    told = events(sse(*map(chunk, [begun(), *pieces, OVER]), chunk(finish="STOP")), G)
    texts = [event.text for event in told if isinstance(event, ArgsDelta)]
    assert ['{"t":"one ', "two ", 'th\\"ree', '"}'] == texts


@pytest.mark.parametrize(
    "end",
    [
        [OVER],
        [piece("$.b", more=False, boolValue=True)],
        [call("other")],
        [begun("other"), OVER],
        [text("So.")],
        [],
    ],
    ids=["empty call", "no willContinue", "another call", "another call in pieces", "text", "the finish"],
)
def test_what_ends_a_call_in_pieces(end: list[Frame]):
    """atlas 2.4.4: the terminator may be missing."""
    first = calls(begun(), piece("$.a", stringValue="x"), *end)[0]
    assert first.complete
    assert (first.arguments or {}).get("a") == "x"


@pytest.mark.parametrize(
    "after", [text("So."), text("Hm.", thought=True), {"inlineData": {"data": "aGk="}}, {"new": 1}], ids=str
)
def test_what_comes_next_finds_the_call_ended(after: Frame):
    """B13: in the order of the wire, not at the end of the stream."""
    told = events(sse(*map(chunk, [begun(), piece("$.a", numberValue=1), after])), G)
    blocks = [(type(event), event.index) for event in told if isinstance(event, BlockStart | BlockEnd)]
    assert [(BlockStart, 0), (BlockEnd, 0), (BlockStart, 1)] == blocks[:3]


def test_a_separator_says_nothing():
    wait = {"functionCall": {"willContinue": True}}
    only = calls(begun(), wait, piece("$.a", numberValue=1), wait, piece("$.b", numberValue=2), OVER)
    assert [{"a": 1, "b": 2}] == [each.arguments for each in only]


def test_an_empty_piece_ends_a_string():
    only = calls(begun(), piece("$.a", stringValue="x", willContinue=True), piece("$.a", stringValue=""), OVER)[0]
    assert {"a": "x"} == only.arguments


def test_a_call_in_pieces_may_have_none():
    """Q-G12."""
    assert [({}, True), ({}, True)] == [
        (each.arguments, each.complete) for each in calls(begun("f"), OVER, begun("g"), OVER)
    ]


def test_parallel_calls_in_pieces_follow_each_other():
    got = calls(begun("f"), piece("$.a", numberValue=1), begun("g"), piece("$.a", numberValue=2), OVER)
    assert [("f", {"a": 1}), ("g", {"a": 2})] == [(each.name, each.arguments) for each in got]


def test_pieces_may_come_with_the_name():
    first = {"functionCall": {"name": "f", "partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]}}
    assert [("f", {"a": 1}, True)] == [(each.name, each.arguments, each.complete) for each in calls(first)]


def test_the_id_repeated_on_a_piece_does_not_open_a_call():
    """A4."""
    first = {"functionCall": {"name": "f", "id": "c1", "willContinue": True}}
    second = {"functionCall": {"name": "f", "id": "c1", "partialArgs": [{"jsonPath": "$.a", "numberValue": 1}]}}
    assert [("c1", {"a": 1})] == [(each.id, each.arguments) for each in calls(first, second)]


def test_an_empty_text_part_does_not_end_a_call():
    """B12."""
    only = calls(begun(), piece("$.a", numberValue=1), text(""), piece("$.b", numberValue=2), OVER)
    assert [{"a": 1, "b": 2}] == [each.arguments for each in only]


def test_a_signature_comes_with_the_beginning_of_a_call():
    only = calls(begun("f", thoughtSignature="s"), piece("$.a", numberValue=1), OVER)[0]
    assert ["s"] == [signature.value for signature in only.signatures]


@pytest.mark.parametrize("finish", ["MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "SAFETY", None])
def test_a_call_that_was_cut_is_not_complete(finish: str | None):
    """A9: what looks like a whole object is not one."""
    only = calls(begun(), piece("$.path", stringValue="/tmp"), finish=finish)[0]
    assert (False, None, '{"path":"/tmp') == (only.complete, only.arguments, only.raw)


@pytest.mark.parametrize("after", [[], [text("So.")], [call("other")]], ids=["the finish", "text", "another call"])
def test_a_call_that_ends_in_half_a_text_is_not_complete(after: list[Frame]):
    """A9: the piece said that its text goes on, and nobody said that the call was over."""
    only = calls(begun(), piece("$.path", stringValue="/tmp", willContinue=True), *after)[0]
    assert (False, None, '{"path":"/tmp') == (only.complete, only.arguments, only.raw)


def test_a_call_that_ended_before_the_cut_is_complete():
    first = [begun("f"), piece("$.a", numberValue=1), OVER]
    assert [("f", True)] == [(each.name, each.complete) for each in calls(*first, finish="MAX_TOKENS")]
    got = calls(*first[:-1], begun("g"), finish="MAX_TOKENS")
    assert [("f", True), ("g", False)] == [(each.name, each.complete) for each in got]


def test_a_value_that_comes_too_late_spoils_the_call():
    """A23: text cannot be taken back, so the call is never called complete."""
    data = sse(
        *map(
            chunk, [begun(), piece("$.a.b", numberValue=1), piece("$.c", numberValue=2), piece("$.a.d", numberValue=3)]
        ),
        chunk(OVER, finish="STOP"),
    )
    only = message(data, G).tool_calls[0]
    assert (False, '{"a":{"b":1},"c":2') == (only.complete, only.raw)
    assert ["args_out_of_order"] == note_codes(data, G)


def test_pieces_of_no_call_are_noted():
    assert ["args_without_call"] == note_codes(sse(chunk(piece("$.a", numberValue=1)), chunk(finish="STOP")), G)


def test_half_a_character_waits_for_the_other_half():
    """A UTF-16 pair split over two pieces."""
    frame = json.dumps(chunk(piece("$.a", stringValue="HALF")))
    halves = [frame.replace("HALF", half) for half in ("\\ud83d", "\\ude00")]
    data = sse(chunk(begun()), *halves, chunk(OVER, finish="STOP"))
    assert {"a": "😀"} == message(data, G).tool_calls[0].arguments


def test_a_value_of_a_kind_of_tomorrow_makes_the_call_unfit_to_run():
    """Its place in the arguments would be empty, and the call would look complete."""
    begun = {"functionCall": {"name": "book", "willContinue": True}}
    tomorrow = {"functionCall": {"partialArgs": [{"jsonPath": "$.when", "dateValue": "2026-01-01"}]}}
    data = sse(chunk(begun), chunk(tomorrow), chunk(finish="STOP"))
    [call] = message(data, G).tool_calls
    assert (None, False, ["args_unknown_value"]) == (call.arguments, call.complete, note_codes(data, G))
