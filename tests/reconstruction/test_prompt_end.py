"""Calls that end as soon as they can be told to: the step alone."""

from hypothesis import given

from tests.strategies import PROGRAMS, run
from weft import collect
from weft import events as ev
from weft.grammar import Checker
from weft.reconstruction.prompt_end import PromptEnd
from weft.steps import chain


def stepped(events: list[ev.Event]) -> list[ev.Event]:
    out: list[ev.Event] = []
    take = chain([PromptEnd()], out.append)
    for event in events:
        take(event)
    return out


@given(PROGRAMS)
def test_legal_in_legal_out(program):
    checker = Checker()
    for event in stepped(run(program)):
        checker.feed(event)
    checker.close()


@given(PROGRAMS)
def test_what_is_whole_stays_whole_and_nothing_before_it_is_lost(program):
    before, after = collect(run(program)), collect(stepped(run(program)))
    assert (before.text, before.reasoning, len(before.tool_calls)) == (
        after.text,
        after.reasoning,
        len(after.tool_calls),
    )
    for one, other in zip(before.tool_calls, after.tool_calls, strict=True):
        assert one.raw.startswith(other.raw)
        assert other.complete or not one.complete


def test_arguments_that_are_closed_and_no_object_stay_open():
    call = ev.BlockStart(0, "tool_call", id="c", name="f")
    events: list[ev.Event] = [call, ev.ArgsDelta(0, "[1]"), ev.BlockStart(1, "text")]
    assert events == stepped(events)


def test_a_custom_tools_input_is_not_looked_into():
    call = ev.BlockStart(0, "tool_call", id="c", name="f", tool="custom")
    events: list[ev.Event] = [call, ev.ArgsDelta(0, "{}"), ev.BlockStart(1, "text")]
    assert events == stepped(events)
