"""Harmony, in which gpt-oss writes channels, reasoning and calls."""

import pytest

from tests.filters.filtered import calls, events, read
from weft.context import Context
from weft.events import TextDelta
from weft.message import Reasoning, Text, ToolCall
from weft.tools import ToolIdentity, ToolIdentityMap

THOUGHT = "<|channel|>analysis<|message|>Hm.<|end|>"
ANSWER = "<|start|>assistant<|channel|>final<|message|>So.<|return|>"
CALL = '<|start|>assistant<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"at": "sky"}<|call|>'
ARGS = [("look", '{"at": "sky"}')]


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_channels_are_reasoning_and_text(size):
    whole = THOUGHT + ANSWER
    got = read("harmony", *(whole[at : at + size] for at in range(0, len(whole), size)))
    assert ("Hm.", "So.", [Reasoning, Text]) == (got.reasoning, got.text, [type(part) for part in got.blocks])


@pytest.mark.parametrize(
    "call",
    [
        CALL,
        CALL.replace("<|channel|>commentary to=functions.look", " to=functions.look<|channel|>commentary"),
        CALL.replace("<|constrain|>json", "json"),
        CALL.replace(" <|constrain|>json", ""),
        CALL.replace("commentary", "analysis"),
        CALL.removeprefix("<|start|>assistant"),
        CALL.removesuffix("<|call|>"),
    ],
)
def test_a_recipient_makes_a_call(call):
    """Its last token ends the message, and is often missing."""
    for pieces in ([THOUGHT + call], list(THOUGHT + call)):
        got = read("harmony", *pieces)
        assert ("Hm.", "", ARGS, "tool_calls") == (got.reasoning, got.text, calls(got), got.finish)
        assert [True] == [call.complete for call in got.tool_calls]


@pytest.mark.parametrize("finish", ["length", None])
def test_a_call_that_was_cut_is_not_to_be_executed(finish):
    """A9."""
    got = read("harmony", CALL.removesuffix("<|call|>"), finish=finish)
    assert [False] == [call.complete for call in got.tool_calls]


def test_a_preamble_is_text_and_calls_may_follow_each_other():
    preamble = "<|channel|>commentary<|message|>I look.<|end|>"
    got = read("harmony", preamble + CALL.removesuffix("<|call|>") + CALL)
    assert [Text, ToolCall, ToolCall] == [type(part) for part in got.blocks]
    assert ("I look.", ARGS * 2) == (got.text, calls(got))


def test_a_message_without_its_end_is_ended_by_the_next():
    got = read("harmony", *(THOUGHT.removesuffix("<|end|>") + ANSWER))
    assert ("Hm.", "So.") == (got.reasoning, got.text)


@pytest.mark.parametrize(
    "whole",
    [
        "a < b",
        "<|channel|>",
        "<|channel|>analysis",
        "<|start|>assistant<|message|>x<|end|>",
        "<|channel|>diary<|message|>x<|end|>",
        '<|channel|>commentary to=browser.open<|message|>{"id": 1}<|call|>',
        "<|channel|>" + "x" * 300 + "<|message|>y",
        CALL.replace("}", ""),
        CALL.replace('{"at": "sky"}', "[1]"),
    ],
)
def test_what_is_no_message_of_these_stays_as_it_was(whole):
    """Lossless, however it is cut."""
    for pieces in ([whole], list(whole)):
        got = read("harmony", *pieces)
        assert (whole, "", []) == (got.text, got.reasoning, got.tool_calls)


def test_a_tool_that_was_not_declared_is_not_called():
    tools = ToolIdentityMap([ToolIdentity(provider_name="other", requested_name="other")])
    got = read("harmony", CALL, context=Context(tools=tools))
    assert (CALL, [], "stop") == (got.text, got.tool_calls, got.finish)


def test_reasoning_that_never_ends_is_reasoning():
    got = read("harmony", "<|channel|>analysis<|message|>Hm", ".<|e")
    assert ("Hm.<|e", "") == (got.reasoning, got.text)


def test_two_thoughts_are_two():
    got = read("harmony", THOUGHT + "<|start|>assistant" + THOUGHT)
    assert ["Hm.", "Hm."] == [part.text for part in got.blocks]


def test_a_marker_without_a_header_does_not_hold_the_text():
    prose = " is a word" * 40
    said = [event.text for event in events("harmony", ["<|channel|>", prose, " more"]) if isinstance(event, TextDelta)]
    assert f"<|channel|>{prose} more" == "".join(said)
    assert " more" == said[-1]
