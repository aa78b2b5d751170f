"""Sources whose pieces repeat all that was said: declared, the new alone is handed on."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.chat_wire import call, calls, chunk, codes, end, read, text, told
from weft.assembler import Assembler
from weft.filters.snapshots import Snapshots
from weft.message import collect


def test_text_that_grows_is_said_once():
    """B7"""
    frames = [text("He"), text("Hello"), text("Hello w"), end()]
    assert "Hello w" == read(*frames, dialect="snapshots").text


def test_a_repeated_word_is_kept_where_nothing_is_declared():
    """B7: the guess by overlap eats real repeats"""
    assert "haha" == read(text("ha"), text("ha"), end()).text
    assert "15001500" == read(text("1500"), text("1500"), end()).text


def test_a_snapshot_said_again_says_nothing_new():
    assert "Hello" == read(text("Hello"), text("Hello"), text("Hel"), end(), dialect="snapshots").text


def test_a_snapshot_that_begins_anew_is_taken_and_noted():
    message = read(text("Hello"), text("Bye"), end(), dialect="snapshots")
    assert "HelloBye" == message.text
    assert ["snapshot_differs"] == codes(message)


def test_reasoning_that_grows():
    frames = [chunk({"reasoning_content": "a"}), chunk({"reasoning_content": "ab"}), text("c"), text("cd"), end()]
    message = read(*frames, dialect="snapshots")
    assert ("ab", "cd") == (message.reasoning, message.text)


@pytest.mark.parametrize("named", [True, False])
def test_arguments_that_grow(named: bool):
    """A20, variant xii of atlas 2.1.4"""
    head = {"id": "a", "name": "f"}
    again = head if named else {}
    frames = [
        calls(call(0, args='{"x"', **head)),
        calls(call(0, args='{"x":1', **again)),
        calls(call(0, args='{"x":1}', **again)),
        end("tool_calls"),
    ]
    assert [("a", "f", '{"x":1}')] == told(read(*frames, dialect="snapshots"))


def test_parallel_arguments_that_grow():
    frames = [
        calls(call(0, "a", "f", "{"), call(1, "b", "g", "[")),
        calls(call(0, args="{}"), call(1, args="[]")),
        end("tool_calls"),
    ]
    assert [("a", "f", "{}"), ("b", "g", "[]")] == told(read(*frames, dialect="snapshots"))


def test_calls_without_an_index_that_grow():
    frames = [
        calls(call(None, "a", "f")), calls(call(args='{"x"')), calls(call(args='{"x":1}')),
        calls(call(None, "b", "g")), calls(call(args="{")), calls(call(args="{}")), end("tool_calls"),
    ]  # fmt: skip
    assert [("a", "f", '{"x":1}'), ("b", "g", "{}")] == told(read(*frames, dialect="snapshots"))


def test_the_filter_can_be_asked_for_by_name():
    assert "Hello" == read(text("He"), text("Hello"), end(), filters=["snapshots"]).text


@given(st.lists(st.sampled_from("ab"), max_size=8), st.sampled_from(["text", "reasoning", "refusal"]))
def test_snapshots_amount_to_the_last_of_them(letters: list[str], verb: str):
    events: list[Any] = []
    out = Assembler(events.append)
    stage = Snapshots(out)
    for end_at in range(1, len(letters) + 1):
        getattr(stage, verb)("".join(letters[:end_at]))
    out.close()
    assert "".join(letters) == getattr(collect(events), verb)
