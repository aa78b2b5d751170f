"""One choice of several, for targets that carry one: choice 0 goes on, the rest is declared lost.

Knows: which blocks belong to which choice. Must not know: targets.
"""

import msgspec

from weft.events import BlockStart, End, Event
from weft.grammar import BLOCK_EVENTS
from weft.losses import Losses
from weft.steps import Emit


class OneChoice:
    """Drops the blocks of all choices but the first."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self.dropped: set[int] = set()
        """Blocks of other choices."""

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        kind = type(event)
        if isinstance(event, BlockStart):
            if event.choice:
                self.dropped.add(event.index)
                self._losses.add("choices", "the target carries one choice", f"choice {event.choice}")
                return
        elif self.dropped and kind in BLOCK_EVENTS:
            if event.index in self.dropped:  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - the table says so
                return
        elif isinstance(event, End) and len(event.finishes) > 1:
            event = msgspec.structs.replace(event, finishes=tuple(f for f in event.finishes if f.choice == 0))
        emit(event)
