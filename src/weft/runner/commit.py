"""The commit point: what counts as visible output, and what the consumer is told of attempts before and after it.

Knows: which events commit, what is withheld until then, and the three ways to go on when a committed attempt breaks off.
Must not know: sockets, clocks, keys, or why an attempt failed.
"""

from collections.abc import Collection
from typing import ClassVar, Literal

from weft.errors import Error
from weft.events import (
    ArgsDelta,
    BlockStart,
    End,
    Event,
    File,
    Note,
    Opaque,
    ReasoningDelta,
    RefusalDelta,
    Result,
    TextDelta,
)
from weft.runner.joining import Joiner

AfterCommit = Literal["fail", "continue", "restart"]
Visible = Literal["text", "refusal", "tool_call", "tool_result", "file", "opaque", "reasoning"]

VISIBLE: frozenset[Visible] = frozenset({"text", "refusal", "tool_call", "tool_result", "file", "opaque"})
"""What commits unless the caller says otherwise. With `reasoning` added, thinking is shown as it comes and commits too."""

WITHHELD = 10_000
"""So many events are withheld at most; then the attempt is committed, so that memory has a bound."""

SHOWS: dict[type[Event], Visible] = {
    TextDelta: "text",
    RefusalDelta: "refusal",
    ArgsDelta: "tool_call",
    Result: "tool_result",
    File: "file",
    Opaque: "opaque",
    ReasoningDelta: "reasoning",
}


class Reset(Event, frozen=True, tag="reset"):
    """All that came since the last `Start` is void: a new attempt begins anew with a `Start` of its own.

    Only `after_commit="restart"` yields it. It is no part of the pivot: encoders do not take it, since no wire can take words back.
    """

    type: ClassVar[str] = "reset"
    attempt: int
    error: Error


class Telling:
    """Stands between the attempts and the consumer: withholds what an attempt says until it commits, and makes one stream of several."""

    def __init__(self, after_commit: AfterCommit, commit_on: Collection[Visible]) -> None:
        self.live = False
        """The attempt under way has committed."""
        self.told = False
        """Some attempt has."""
        self.after_commit: AfterCommit = after_commit
        self._commit_on = frozenset(commit_on)
        self._joiner = Joiner() if after_commit == "continue" else None
        self._number = 0
        self._withheld: list[Event] = []
        self._broken: End | None = None
        self._tail: list[Event] = []

    def begin(self, number: int) -> None:
        """The next attempt begins; what the one before it said without committing is dismissed."""
        self._number = number
        self._withheld = []
        self.live = False

    def hear(self, events: list[Event]) -> list[Event]:
        """Take what the attempt said; give what the consumer is told now."""
        if self.live:
            return self._joined(events)
        self._withheld += events
        if len(self._withheld) > WITHHELD or any(self._commits(event) for event in events):
            return self._commit()
        return []

    def break_off(self, tail: list[Event], end: End) -> list[Event]:
        """The attempt failed and another will follow: its blocks are closed, its end is not told."""
        if not self.live:
            self._withheld += tail
            return []
        self.live, self._broken = False, end
        told = self._joined(tail)
        if self._joiner is not None:
            self._joiner.break_off(end)
            return told
        self._tail = told
        return []

    def finish(self, tail: list[Event], end: End) -> list[Event]:
        """The run is over: the one terminal, and all that has to come before it."""
        if self.told and not self.live and end.error is not None:
            # The last attempt gave nothing to see: what stands is what the one before it said.
            broken = self._broken or end
            last = End(end.outcome, broken.finishes, broken.usage, end.error)
            return [*self._tail, *(self._joiner.closed(last) if self._joiner is not None else [last])]
        opening = [] if self.live else self._commit()
        return [*opening, *self._joined([*tail, end])]

    def _commits(self, event: Event) -> bool:
        if type(event) is BlockStart:
            return event.kind == "tool_call" and "tool_call" in self._commit_on
        return SHOWS.get(type(event)) in self._commit_on and getattr(event, "text", True) != ""

    def _commit(self) -> list[Event]:
        bridge: list[Event] = []
        if self.told and self._broken is not None and self._broken.error is not None:
            error = self._broken.error
            if self._joiner is not None:
                words = f"attempt {self._number} goes on after {error.type}; it may repeat some of what came before"
                bridge = [Note("continued", words)]
            else:
                bridge = [Reset(self._number, error)]
        self.live = self.told = True
        held, self._withheld, self._tail = self._withheld, [], []
        return [*bridge, *self._joined(held)]

    def _joined(self, events: list[Event]) -> list[Event]:
        return events if self._joiner is None else [*self._joiner.feed(events)]
