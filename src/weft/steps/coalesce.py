"""Neighbouring deltas of one block become one: fewer, larger frames for clients that are slow to take many.

Knows: which deltas may be joined. Must not know: time. What is held goes on with the next event of another kind, so nothing waits for ever
but for a stream that falls silent; `limit` bounds how much waits.
"""

from weft.events import ArgsDelta, Event, TextDelta
from weft.steps import Emit


class Coalesce:
    """Joins text and argument deltas until another event comes, or `limit` characters are together."""

    def __init__(self, limit: int = 256) -> None:
        self._limit = limit
        self._held: TextDelta | ArgsDelta | None = None
        self._pieces: list[str] = []
        self._size = 0

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        held = self._held
        joins = isinstance(event, TextDelta | ArgsDelta) and getattr(event, "logprobs", None) is None
        if held is not None and not (joins and type(event) is type(held) and event.index == held.index):  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - deltas have it
            self._let_go(emit)
        if not isinstance(event, TextDelta | ArgsDelta) or not joins:
            emit(event)
            return
        self._held = event
        self._pieces.append(event.text)
        self._size += len(event.text)
        if self._size >= self._limit:
            self._let_go(emit)

    def _let_go(self, emit: Emit) -> None:
        if self._held is not None:
            emit(type(self._held)(self._held.index, "".join(self._pieces)))
        self._held, self._pieces, self._size = None, [], 0
