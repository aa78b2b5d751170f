"""Streams of events in few words, what a target makes of them, and its frames as data.

Knows: how events are put together and how SSE frames are told apart. Must not know: what a target should say.
"""

import json
from typing import Any

from tests.encoders.test_totality import encode
from weft import events as ev
from weft.errors import make_error

USAGE = ev.Usage(12, 5, 17, 4, None, 2, {"input_tokens": "reported"})
STOP = (ev.Finish(reason="stop", raw="stop"),)
CALLED = (ev.Finish(reason="tool_calls", raw="tool_calls"),)
OTHERS = ev.Origin("gemini")


def start() -> ev.Start:
    return ev.Start("m1", "model-1", created=1760000000)


def text(index: int, *pieces: str, **members: Any) -> list[ev.Event]:
    deltas = [ev.TextDelta(index, piece) for piece in pieces]
    return [ev.BlockStart(index, "text", item=index, **members), *deltas, ev.BlockEnd(index, True)]


def refusal(index: int, *pieces: str) -> list[ev.Event]:
    deltas = [ev.RefusalDelta(index, piece) for piece in pieces]
    return [ev.BlockStart(index, "refusal", item=index), *deltas, ev.BlockEnd(index, True)]


def reasoning(index: int, *pieces: tuple[str, int, ev.ReasoningForm], states: tuple[Any, ...] = ()) -> list[ev.Event]:
    deltas = [ev.ReasoningDelta(index, *piece) for piece in pieces]
    signed = [ev.Signature(index, *state) for state in states]
    return [ev.BlockStart(index, "reasoning", item=index), *deltas, *signed, ev.BlockEnd(index, True)]


def opened(index: int, name: str = "get", **members: Any) -> ev.BlockStart:
    return ev.BlockStart(index, "tool_call", item=index, id=f"call_{index}", name=name, **members)


def call(index: int, *pieces: str, complete: bool = True, **members: Any) -> list[ev.Event]:
    deltas = [ev.ArgsDelta(index, piece) for piece in pieces]
    return [opened(index, **members), *deltas, ev.BlockEnd(index, complete)]


def failed(kind: Any = "overloaded", words: str = "busy", **members: Any) -> ev.End:
    outcome = {"truncated": "truncated", "cancelled": "incomplete"}.get(kind, "failed")
    return ev.End(outcome, (), None, make_error(kind, words, **members))


def said(target: str, *events: Any, **context: Any) -> tuple[list[Any], dict[str, int]]:
    """The data of every frame (the terminator as its text), and what was lost."""
    out, losses = encode(
        target, [each for part in events for each in (part if isinstance(part, list) else [part])], **context
    )
    frames = [frame for frame in out.decode().split("\n\n") if frame]
    return [_data(frame) for frame in frames], {loss.what: loss.count for loss in losses.report()}


def _data(frame: str) -> Any:
    lines = [line for line in frame.split("\n") if line.startswith("data: ")]
    named = [line[7:] for line in frame.split("\n") if line.startswith("event: ")]
    value = lines[0][6:]
    data = json.loads(value) if value.startswith("{") else value
    assert not named or named == [data["type"]]
    return data
