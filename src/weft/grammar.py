"""Which event may follow which: the phases as one table, and the checker that reads it.

Knows: the legal order of events. The assembler takes its phases from here, the docs draw their diagram from it, the tests generate streams from it.
Must not know: how events are made, or any protocol. The checker is for tests, lint and plug-in authors; in production the assembler is right by construction.
"""

from enum import StrEnum
from typing import get_args

from weft import events as ev
from weft.errors import BRIDGE_DELTA_AFTER_TERMINAL, BRIDGE_INCOMPLETE_TOOL_CALL


class Phase(StrEnum):
    """Where a stream stands. The last three are final."""

    IDLE = "idle"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    INCOMPLETE = "incomplete"
    FAILED = "failed"


STRICT_CODES = {
    "content_after_finish": BRIDGE_DELTA_AFTER_TERMINAL,
    "content_after_end": BRIDGE_DELTA_AFTER_TERMINAL,
    "call_without_name": BRIDGE_INCOMPLETE_TOOL_CALL,
}
"""What strict mode makes of an oddity: seed 001's code. Everything not named here is an invalid transition."""

TERMINAL = frozenset({Phase.COMPLETED, Phase.INCOMPLETE, Phase.FAILED})

OUTCOME_PHASE: dict[ev.Outcome, Phase] = {
    "completed": Phase.COMPLETED,
    "incomplete": Phase.INCOMPLETE,
    "failed": Phase.FAILED,
    "truncated": Phase.FAILED,
}

_CONTENT: tuple[type[ev.Event], ...] = tuple(
    kind for kind in ev.EVENTS if kind not in (ev.Start, ev.End, ev.Note, ev.Unknown)
)

# phase -> event -> next phase. `End` leads to the phase that its outcome names (OUTCOME_PHASE).
TRANSITIONS: dict[Phase, dict[type[ev.Event], Phase]] = {
    Phase.IDLE: {ev.Note: Phase.IDLE, ev.Unknown: Phase.IDLE, ev.Start: Phase.IN_PROGRESS},
    Phase.IN_PROGRESS: {
        ev.Note: Phase.IN_PROGRESS,
        ev.Unknown: Phase.IN_PROGRESS,
        **dict.fromkeys(_CONTENT, Phase.IN_PROGRESS),
        ev.End: Phase.COMPLETED,
    },
    Phase.COMPLETED: {},
    Phase.INCOMPLETE: {},
    Phase.FAILED: {},
}

_ANY_BLOCK = frozenset(get_args(ev.BlockKind))

# event that belongs to a block -> the kinds of block it may belong to
BLOCK_EVENTS: dict[type[ev.Event], frozenset[str]] = {
    ev.TextDelta: frozenset({"text"}),
    ev.ReasoningDelta: frozenset({"reasoning"}),
    ev.RefusalDelta: frozenset({"refusal"}),
    ev.ArgsDelta: frozenset({"tool_call"}),
    ev.Result: frozenset({"tool_result"}),
    ev.File: frozenset({"file", "tool_call", "tool_result"}),
    ev.Annotation: _ANY_BLOCK,
    ev.Signature: _ANY_BLOCK,
    ev.Opaque: _ANY_BLOCK,
    ev.BlockEnd: _ANY_BLOCK,
}


class GrammarError(Exception):
    """An event came where the grammar has no place for it: a bug in a decoder, a step or a plug-in."""


class Checker:
    """Reads events one by one and raises `GrammarError` at the first that is out of order."""

    def __init__(self) -> None:
        self.phase = Phase.IDLE
        self._open: dict[int, str] = {}
        self._next_index = 0

    def feed(self, event: ev.Event) -> None:
        """Accept one event or raise."""
        kind = type(event)
        if kind not in TRANSITIONS[self.phase]:
            raise GrammarError(f"{event.type} in phase {self.phase.value}")
        if isinstance(event, ev.BlockStart):
            self._start(event)
        elif kind in BLOCK_EVENTS:
            self._block_event(event)
        if isinstance(event, ev.End):
            self._end(event)
        else:
            self.phase = TRANSITIONS[self.phase][kind]

    def close(self) -> None:
        """The events are over: raise unless a terminal was among them."""
        if self.phase not in TERMINAL:
            raise GrammarError(f"no terminal: the stream stands in phase {self.phase.value}")

    def _start(self, event: ev.BlockStart) -> None:
        if event.index != self._next_index:
            raise GrammarError(f"block {event.index} opened, {self._next_index} is next")
        self._next_index += 1
        self._open[event.index] = event.kind

    def _block_event(self, event: ev.Event) -> None:
        index: int = getattr(event, "index")  # noqa: B009 - every event of BLOCK_EVENTS has it; the table, not the type, says so
        kind = self._open.get(index)
        if kind is None:
            raise GrammarError(f"{event.type} for block {index}, which is not open")
        if kind not in BLOCK_EVENTS[type(event)]:
            raise GrammarError(f"{event.type} in a {kind} block")
        if isinstance(event, ev.BlockEnd):
            del self._open[index]

    def _end(self, event: ev.End) -> None:
        if self._open:
            raise GrammarError(f"the stream ended with blocks open: {sorted(self._open)}")
        if (event.outcome in ("failed", "truncated")) and event.error is None:
            raise GrammarError(f"outcome {event.outcome} without an error")
        if event.outcome == "completed" and event.error is not None:
            raise GrammarError("outcome completed with an error")
        self.phase = OUTCOME_PHASE[event.outcome]
