"""Seed 003's accumulator: the document's own examples, its rules, and the shapes that break others."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.protocols.wire import sse
from weft import ToolCallAccumulator, jsontext
from weft.events import ArgsDelta, BlockEnd, BlockStart


def final(*fragments) -> list[dict]:
    acc = ToolCallAccumulator.new()
    for fragment in fragments:
        acc = ToolCallAccumulator.feed(acc, fragment)
    return ToolCallAccumulator.finalize(acc)


def test_openai_fragments_of_the_document():
    calls = final(
        [{"index": 0, "id": "call_a", "function": {"name": "search", "arguments": '{"q'}}],
        [{"index": 0, "function": {"arguments": 'uery":"hi"}'}}],
    )
    assert [{"id": "call_a", "name": "search", "arguments": {"query": "hi"}}] == calls


def test_anthropic_fragments_of_the_document():
    calls = final(
        {"id": "tu_a", "name": "search", "_index": 0, "_phase": "start"},
        {"_index": 0, "_phase": "partial", "partial_json": '{"q'},
        {"_index": 0, "_phase": "partial", "partial_json": 'uery":"hi"}'},
        {"_index": 0, "_phase": "stop"},
    )
    assert [{"id": "tu_a", "name": "search", "arguments": {"query": "hi"}}] == calls


def test_gemini_calls_of_the_document_get_an_id_that_is_the_same_each_time():
    call = {"name": "search", "arguments": {"query": "hi"}}
    assert final(call) == final(call)
    assert ("search", {"query": "hi"}) == (final(call)[0]["name"], final(call)[0]["arguments"])
    assert final(call)[0]["id"]


def test_a_complete_anthropic_call_keeps_its_id():
    assert [{"id": "tu", "name": "f", "arguments": {"a": 1}}] == final({"id": "tu", "name": "f", "input": {"a": 1}})


def test_metadata_such_as_a_thought_signature_is_kept():
    call = {"name": "f", "arguments": {}, "metadata": {"thought_signature": "s"}}
    assert {"thought_signature": "s"} == final(call)[0]["metadata"]


def test_the_order_is_indexed_then_blocks_then_complete():
    calls = final(
        {"name": "third", "arguments": {}},
        {"id": "b", "name": "second", "_index": 0, "_phase": "start"},
        [{"index": 7, "id": "y", "function": {"name": "first b", "arguments": ""}}],
        [{"index": 2, "id": "x", "function": {"name": "first a", "arguments": ""}}],
    )
    assert ["first a", "first b", "second", "third"] == [call["name"] for call in calls]


def test_the_first_id_and_name_win():
    """D1: a later chunk never overwrites them; a null or empty one says nothing."""
    calls = final(
        [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{"}}],
        [{"index": 0, "id": None, "function": {"name": None, "arguments": '"x":'}}],
        [{"index": 0, "id": "", "function": {"name": "g", "arguments": "1}"}}],
    )
    assert [{"id": "a", "name": "f", "arguments": {"x": 1}}] == calls


@pytest.mark.parametrize("raw", ['{"a":', "[1]", '"text"', "5", '{"a":1}{"b":2}', "nonsense"])
def test_arguments_that_are_no_object_are_tagged(raw):
    """D10: never executed with made-up arguments."""
    calls = final([{"index": 0, "id": "a", "function": {"name": "f", "arguments": raw}}])
    assert [{"id": "a", "name": "f", "arguments": {}, "_invalid_arguments": raw}] == calls


@pytest.mark.parametrize("raw", ["", None, "  "])
def test_empty_arguments_are_an_empty_object(raw):
    """D11."""
    assert [{"id": "a", "name": "f", "arguments": {}}] == final(
        [{"index": 0, "id": "a", "function": {"name": "f", "arguments": raw}}]
    )


def test_object_arguments_are_taken():
    """D9."""
    assert {"x": 1} == final([{"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}}])[0][
        "arguments"
    ]


def test_parallel_calls_without_an_index_are_kept_apart():
    """D5."""
    calls = final(
        [{"id": "a", "function": {"name": "f", "arguments": '{"x":'}}],
        [{"function": {"arguments": "1}"}}],
        [{"id": "b", "function": {"name": "g", "arguments": '{"y":2}'}}],
    )
    assert [("a", {"x": 1}), ("b", {"y": 2})] == [(call["id"], call["arguments"]) for call in calls]


def test_another_id_on_a_used_index_is_another_call():
    """D6."""
    calls = final(
        [{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}],
        [{"index": 0, "id": "b", "function": {"name": "f", "arguments": "{}"}}],
    )
    assert ["a", "b"] == [call["id"] for call in calls]


@pytest.mark.parametrize("fragment", [None, 5, "text", [], [None, 5], {}, {"x": 1}, {"_phase": "partial"}, object()])
def test_unknown_fragments_are_ignored(fragment):
    assert [] == final(fragment)


def test_a_partial_before_its_start_is_kept():
    calls = final(
        {"_index": 0, "_phase": "partial", "partial_json": "{}"},
        {"id": "a", "name": "f", "_index": 0, "_phase": "start"},
    )
    assert [{"id": "a", "name": "f", "arguments": {}}] == calls


def test_a_block_that_starts_again_under_another_id_is_another_call():
    calls = final(
        *[{"id": "a", "name": "f", "_index": 0, "_phase": "start"}, {"_index": 0, "_phase": "stop"}],
        *[{"id": "b", "name": "g", "_index": 0, "_phase": "start"}, {"_index": 0, "_phase": "stop"}],
    )
    assert ["a", "b"] == [call["id"] for call in calls]


def test_elixirs_atoms_may_come_as_they_are_printed():
    calls = final({"id": "a", "name": "f", "_index": 0, "_phase": ":start"}, {"_index": 0, "_phase": ":stop"})
    assert [{"id": "a", "name": "f", "arguments": {}}] == calls


def test_a_custom_tools_input_is_any_text():
    """Over chat.completions and over our own events."""
    expected = [{"id": "a", "name": "run", "arguments": {"input": "4 + 4"}}]
    assert expected == final([{"id": "a", "type": "custom", "custom": {"name": "run", "input": "4 + 4"}}])
    assert expected == final(
        BlockStart(0, "tool_call", id="a", name="run", tool="custom"), ArgsDelta(0, "4 + 4"), BlockEnd(0, True)
    )


# -- what Nous gets wrong (requirements 3.4, by number), and what is right ---------------------------------------------


def test_4_calls_without_an_index_or_with_a_used_one_are_not_glued():
    calls = final(
        [{"id": "a", "function": {"name": "f", "arguments": "{}"}}, {"id": "b", "function": {"name": "g"}}],
        [{"function": {"arguments": '{"y":2}'}}],
        [{"index": 0, "id": "c", "function": {"name": "h", "arguments": "{}"}}],
        [{"index": 0, "id": "d", "function": {"name": "h", "arguments": "{}"}}],
    )
    assert [("a", {}), ("b", {"y": 2}), ("c", {}), ("d", {})] == sorted(
        (call["id"], call["arguments"]) for call in calls
    )


@pytest.mark.parametrize("arguments", [[1], 5, True, {1, 2}, {"x": {1}}, {"x": "\ud83d"}, object()])
def test_5_arguments_of_any_type_raise_nothing(arguments):
    """D9: an object is taken, whatever else there is goes to the tag; what JSON has no form for is told in words."""
    (call,) = final([{"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}])
    assert ("a", "f", isinstance(arguments, dict)) == (call["id"], call["name"], "_invalid_arguments" not in call)


def test_6_an_input_that_is_there_from_the_start_counts_unless_pieces_follow():
    start = {"id": "a", "name": "f", "_index": 0, "_phase": "start", "input": {"x": 1}}
    piece = {"_index": 0, "_phase": "partial", "partial_json": '{"x":2}'}
    stop = {"_index": 0, "_phase": "stop"}
    assert [{"x": 1}, {"x": 2}] == [final(start, stop)[0]["arguments"], final(start, piece, stop)[0]["arguments"]]


def test_6_stops_of_text_and_inputs_of_a_servers_tools_are_no_calls():
    """Nous sends the pieces of every block, but the starts of `tool_use` alone."""
    assert [] == final(
        {"_index": 0, "_phase": "stop"},
        {"_index": 1, "_phase": "partial", "partial_json": '{"query":"q"}'},
        {"_index": 1, "_phase": "stop"},
    )


def test_7_geminis_own_id_is_kept():
    assert ["g1"] == [call["id"] for call in final({"id": "g1", "name": "f", "arguments": {}})]


CUT = [
    pytest.param([[{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]], id="openai"),
    pytest.param(
        [{"id": "a", "name": "f", "_index": 0, "_phase": "start"}, {"_index": 0, "_phase": "stop"}], id="anthropic"
    ),
]


@pytest.mark.parametrize("fragments", CUT)
def test_11_a_call_that_lost_its_arguments_is_not_taken_for_one_without(fragments):
    """Whoever knows that the stream was cut says so; without a word, empty arguments are none (D11)."""
    acc = ToolCallAccumulator.new()
    for fragment in fragments:
        acc.feed(fragment)
    assert [{"id": "a", "name": "f", "arguments": {}, "_invalid_arguments": ""}] == acc.finalize(cut=True)
    assert [{"id": "a", "name": "f", "arguments": {}}] == acc.finalize()


def test_11_a_block_that_never_stopped_was_cut():
    expected = [{"id": "a", "name": "f", "arguments": {}, "_invalid_arguments": ""}]
    assert expected == final({"id": "a", "name": "f", "_index": 0, "_phase": "start"})
    assert expected == final(BlockStart(0, "tool_call", id="a", name="f"))
    assert expected == final(BlockStart(0, "tool_call", id="a", name="f"), BlockEnd(0, False))


def test_13_made_ids_follow_from_what_is_said():
    """The same each time, in the form of Nous's own; apart for each call, each text, each salt."""
    one, other = {"name": "f", "arguments": {"a": 1, "b": 2}}, {"name": "f", "arguments": {"a": 2}}
    ids = [call["id"] for call in final(one, one, other)]
    assert 3 == len(set(ids))
    assert ids == [call["id"] for call in final({"name": "f", "arguments": {"b": 2, "a": 1}}, one, other)]
    assert all(re.fullmatch(r"gemini_[\w-]{11}", id) for id in ids)
    assert ids[0] != ToolCallAccumulator.new("turn 2").feed(one).finalize()[0]["id"]


# -- how it is fed ---------------------------------------------------------------------------------------------------

HEAD = [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"a":'}}]
ONE = [{"index": 0, "function": {"arguments": "1}"}}]


def test_it_is_fed_as_in_nous():
    acc = ToolCallAccumulator.feed(ToolCallAccumulator.feed(ToolCallAccumulator.new(), HEAD), ONE)
    assert [{"a": 1}] == [call["arguments"] for call in acc.finalize()]


class Dumped:
    """A pydantic object, as SDKs have them."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return self.members


def test_an_sdks_objects_are_fragments():
    calls = final([Dumped(HEAD[0])], [Dumped(ONE[0])], Dumped({"id": "t", "name": "g", "input": {}}))
    assert [("f", {"a": 1}), ("g", {})] == [(call["name"], call["arguments"]) for call in calls]


# -- laws -------------------------------------------------------------------------------------------------------------


def openai(pieces: list[str]) -> list[Any]:
    head = [{"index": 0, "id": "a", "function": {"name": "f"}}]
    return [head, *([{"index": 0, "function": {"arguments": piece}}] for piece in pieces)]


def anthropic(pieces: list[str]) -> list[Any]:
    parts = [{"_index": 0, "_phase": "partial", "partial_json": piece} for piece in pieces]
    return [{"id": "a", "name": "f", "_index": 0, "_phase": "start"}, *parts, {"_index": 0, "_phase": "stop"}]


def events(pieces: list[str]) -> list[Any]:
    sound = jsontext.decode_object("".join(pieces)) is not None
    deltas = [ArgsDelta(0, piece) for piece in pieces]
    return [BlockStart(0, "tool_call", id="a", name="f"), *deltas, BlockEnd(0, sound)]


TEXTS = st.one_of(
    st.text(max_size=30),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=3).map(json.dumps),
)


@given(TEXTS, st.lists(st.integers(0, 30), max_size=5))
def test_cuts_of_the_arguments_change_nothing_and_all_shapes_agree(text, marks):
    cuts = [0, *sorted(min(mark, len(text)) for mark in marks), len(text)]
    pieces = [text[a:b] for a, b in pairwise(cuts)]
    whole = final([{"index": 0, "id": "a", "function": {"name": "f", "arguments": text}}])
    assert whole == final(*openai(pieces)) == final(*anthropic(pieces)) == final(*events(pieces))


PARTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 3), st.sampled_from(["", "a", "start", "stop", "{", "}"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["index", "id", "name", "function", "custom", "arguments", "input", "_index", "_phase", "partial_json"]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)


@given(st.lists(PARTS, max_size=6))
def test_any_fragments_give_calls_and_raise_nothing(fragments):
    for call in final(*fragments):
        assert {"id", "name", "arguments"} <= call.keys()
        assert isinstance(call["arguments"], dict)


def test_our_own_events_give_the_calls_of_the_message():
    """Stream and accumulator agree: they stand on the same machinery."""
    stream = sse(
        {
            "id": "c",
            "choices": [
                {
                    "index": 0,
                    "delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}}]},
                }
            ],
        },
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}}]},
        {
            "choices": [
                {
                    "index": 0,
                    "delta": {"tool_calls": [{"index": 1, "id": "b", "function": {"name": "g", "arguments": "[]"}}]},
                }
            ]
        },
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        done=True,
    )
    events = list(weft.read(stream, "openai-chat"))
    message = weft.collect(events)
    expected = [(call.id, call.name, call.arguments if call.complete else {}) for call in message.tool_calls]
    assert expected == [(call["id"], call["name"], call["arguments"]) for call in final(*events)]
