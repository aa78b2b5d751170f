"""Seed 003's accumulator: the document's own examples, its rules, and the shapes that break others."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.protocols.wire import sse
from weft import ToolCallAccumulator


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


@given(st.text(max_size=30), st.lists(st.integers(0, 30), max_size=5))
def test_cuts_of_the_arguments_change_nothing(text, marks):
    whole = final([{"index": 0, "id": "a", "function": {"name": "f", "arguments": text}}])
    cuts = [0, *sorted(min(mark, len(text)) for mark in marks), len(text)]
    head = [{"index": 0, "id": "a", "function": {"name": "f"}}]
    pieces = [[{"index": 0, "function": {"arguments": text[a:b]}}] for a, b in pairwise(cuts)]
    assert whole == final(head, *pieces)


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
