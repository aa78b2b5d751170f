"""Blocks are numbered in the order in which they open, also behind a step that lets some wait.

Knows: the numbers of blocks. Must not know: why a block was late.
"""

from typing import Any

import msgspec

from weft.events import BlockEnd, BlockStart, Event
from weft.grammar import BLOCK_EVENTS
from weft.steps import Emit


class Renumber:
    """Gives each block the next number. As long as all come in order, nothing is touched."""

    def __init__(self) -> None:
        self._next = 0
        self._moved: dict[int, int] = {}

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if type(event) is BlockStart:
            if event.index != self._next:
                self._moved[event.index] = self._next
            self._next += 1
        moved = self._moved
        if moved and (type(event) in BLOCK_EVENTS or type(event) is BlockStart):
            index: Any = event.index  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] - the table says so
            if index in moved:
                event = msgspec.structs.replace(event, index=moved[index])
                if type(event) is BlockEnd:
                    del moved[index]
        emit(event)
