"""Partial values of tool calls and JSON texts, over events."""

import json

from hypothesis import given

from tests.strategies import legal_streams
from weft import Pipe
from weft import events as ev
from weft.steps import chain
from weft.steps.partial import Partials

CALL = ev.BlockStart(0, "tool_call", id="c", name="write")
TEXT = ev.BlockStart(0, "text")


class Told:
    """What a Partials step told, as plain data."""

    def __init__(self) -> None:
        self.values: list = []
        self.complete: list = []
        self.broken: list = []
        self.step = Partials(self._value, self._complete)

    def _value(self, start, partial) -> None:
        self.values.append(None if partial.broken else json.loads(json.dumps(partial.value)))
        if partial.broken is not None:
            self.broken.append((start.index, partial.broken.offset))

    def _complete(self, start, complete) -> None:
        self.complete.append((start.index, complete.path, complete.value))


def told_of(*events: ev.Event) -> Told:
    told, out = Told(), []
    emit = chain([told.step], out.append)
    for event in events:
        emit(event)
    assert list(events) == out
    return told


def test_arguments_are_told_as_they_come():
    told = told_of(
        CALL, ev.ArgsDelta(0, '{"path": "a.t'), ev.ArgsDelta(0, 'xt", "n": 1'), ev.ArgsDelta(0, "2}"), ev.BlockEnd(0, True)
    )  # fmt: skip
    assert [{"path": "a.t"}, {"path": "a.txt"}, {"path": "a.txt", "n": 12}] == told.values
    assert [(0, ("path",), "a.txt"), (0, ("n",), 12), (0, (), {"path": "a.txt", "n": 12})] == told.complete
    assert [] == told.broken


def test_calls_beside_each_other_are_kept_apart():
    other = ev.BlockStart(1, "tool_call", id="d", name="read")
    told = told_of(
        CALL, ev.ArgsDelta(0, "["), other, ev.ArgsDelta(1, '{"a":'), ev.ArgsDelta(0, "1]"), ev.ArgsDelta(1, "2}"),
        ev.BlockEnd(0, True), ev.BlockEnd(1, True),
    )  # fmt: skip
    assert [(0, (0,), 1), (0, (), [1]), (1, ("a",), 2), (1, (), {"a": 2})] == told.complete


def test_no_arguments_are_an_empty_object():
    assert [(0, (), {})] == told_of(CALL, ev.BlockEnd(0, True)).complete
    assert [] == told_of(CALL, ev.BlockEnd(0, False)).complete


def test_cut_arguments_are_told_as_broken():
    told = told_of(CALL, ev.ArgsDelta(0, '{"a": [1, 2'), ev.BlockEnd(0, False))
    assert [(0, ("a", 0), 1)] == told.complete
    assert [(0, 11)] == told.broken


def test_broken_arguments_are_told_once():
    told = told_of(CALL, ev.ArgsDelta(0, "run it"), ev.ArgsDelta(0, " now"), ev.BlockEnd(0, False))
    assert [(0, 0)] == told.broken


def test_json_text_is_told_and_prose_is_not():
    assert [(0, ("a",), 1), (0, (), {"a": 1})] == told_of(
        TEXT, ev.TextDelta(0, "\n"), ev.TextDelta(0, '{"a": 1}'), ev.BlockEnd(0, True)
    ).complete
    assert [] == told_of(TEXT, ev.TextDelta(0, "12 apples"), ev.BlockEnd(0, True)).values


def test_input_of_a_custom_tool_may_be_no_json():
    custom = ev.BlockStart(0, "tool_call", id="c", name="patch", tool="custom")
    assert [] == told_of(custom, ev.ArgsDelta(0, "*** Begin"), ev.BlockEnd(0, True)).broken
    assert [] == told_of(custom, ev.BlockEnd(0, True)).complete


@given(legal_streams())
def test_events_go_on_as_they_came(events: list[ev.Event]):
    told_of(*events)


def test_step_stands_in_a_pipe():
    chunks = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": text}}]}}]}
        for text in ('{"city": "Os', 'lo"}')
    ]  # fmt: skip
    told = Told()
    pipe = Pipe("openai-chat", "events", steps=[told.step])
    for chunk in chunks:
        pipe.feed(f"data: {json.dumps(chunk)}\n\n".encode())
    pipe.close()
    assert [{"city": "Os"}, {"city": "Oslo"}] == told.values
    assert [(0, ("city",), "Oslo"), (0, (), {"city": "Oslo"})] == told.complete
