"""Short ways to say events, and to read the lines and frames that they become.

Knows events and JSON; must not know a target.
"""

import json
from typing import Any

from tests.encoders.rounds import words
from tests.encoders.test_totality import encode
from weft import events as ev
from weft.errors import make_error

START = ev.Start("r1", made=True)
STOP = ev.End("completed", (ev.Finish(reason="stop", raw="stop"),))
CALLED = ev.End("completed", (ev.Finish(reason="tool_calls", raw="tool_calls"),))
LENGTH = ev.End("incomplete", (ev.Finish(reason="length", raw="length"),))
FAILED = ev.End("failed", (), None, make_error("overloaded", "Busy.", code="busy"))
CUT = ev.End("truncated", (), None, make_error("truncated", "It broke off."))
CANCELLED = ev.End("incomplete", (), None, make_error("cancelled", "Stopped."))
BLOCKED = ev.End(
    "incomplete",
    (ev.Finish(reason="content_filter", raw="SAFETY"),),
    None,
    make_error("content_blocked", "Not this."),
)
CLAUDE = ev.Origin("anthropic", model="claude")
GEMINI = ev.Origin("gemini")


def block(index: int, kind: Any, *inside: ev.Event, complete: bool = True, **more: Any) -> list[ev.Event]:
    return [ev.BlockStart(index, kind, **more), *inside, ev.BlockEnd(index, complete)]


def text(index: int, *pieces: str, **more: Any) -> list[ev.Event]:
    return block(index, "text", *(ev.TextDelta(index, piece) for piece in pieces), **more)


def thought(index: int, *pieces: str, **more: Any) -> list[ev.Event]:
    return block(index, "reasoning", *(ev.ReasoningDelta(index, piece) for piece in pieces), **more)


def call(index: int, *pieces: str, complete: bool = True, inside: tuple[ev.Event, ...] = (), **more: Any):
    more = {"id": f"c{index}", "name": "look", **more}
    return block(
        index, "tool_call", *(ev.ArgsDelta(index, piece) for piece in pieces), *inside, complete=complete, **more
    )


def result(index: int, of: str, content: Any, *, is_error: bool = False, **more: Any) -> list[ev.Event]:
    return block(index, "tool_result", ev.Result(index, of, content, is_error), id=of, **more)


def told(target: str, *events: Any, **context: Any) -> tuple[list[Any], list[str]]:
    """The objects of a message with these events (or runs of events) in it, in order, and the words of what was lost.

    Frames of server-sent events are one line each; what is no object (`[DONE]`) stays a string.
    """
    flat = [START, *(event for each in events for event in (each if isinstance(each, list) else [each]))]
    out, losses = encode(target, flat, **context)
    if out.startswith(b"data:"):
        frames = out.split(b"\n\n")
        assert all(frame.startswith(b"data: ") and b"\n" not in frame for frame in frames[:-1])
        lines = [frame.removeprefix(b"data: ") for frame in frames]
    else:
        lines = out.split(b"\n")
    assert b"" == lines.pop()
    return [json.loads(line) if line[:1] == b"{" else line.decode() for line in lines], words(losses.report())
