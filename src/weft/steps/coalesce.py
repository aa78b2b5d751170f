"""Neighbouring deltas of one block become one: fewer, larger frames for clients that are slow to take many.

Knows: which deltas may be joined. Must not know: time. What is held goes on with the next event of another kind, so nothing waits for ever
but for a stream that falls silent; `limit` bounds how much waits.
"""

from typing import Any

import msgspec

from weft.events import ArgsDelta, Event, ReasoningDelta, RefusalDelta, TextDelta
from weft.steps import Emit

_DELTAS = (TextDelta, ReasoningDelta, RefusalDelta, ArgsDelta)


class Coalesce:
    """Joins deltas that differ in their text alone, until another event comes or `limit` characters are together."""

    def __init__(self, limit: int = 256) -> None:
        self._limit = limit
        self._held: Any = None
        self._pieces: list[str] = []
        self._size = 0

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        joins = isinstance(event, _DELTAS) and getattr(event, "logprobs", None) is None
        if self._held is not None and not (joins and _alike(self._held, event)):
            self._let_go(emit)
        if not isinstance(event, _DELTAS) or not joins:
            emit(event)
            return
        self._held = event
        self._pieces.append(event.text)
        self._size += len(event.text)
        if self._size >= self._limit:
            self._let_go(emit)

    def _let_go(self, emit: Emit) -> None:
        emit(msgspec.structs.replace(self._held, text="".join(self._pieces)))
        self._held, self._pieces, self._size = None, [], 0


def _alike(held: Any, event: Any) -> bool:
    """Of one kind and one block, and of one part of it where it has parts."""
    if type(held) is not type(event) or held.index != event.index:
        return False
    return type(held) is not ReasoningDelta or (held.part, held.form) == (event.part, event.form)
