"""One choice of several, for targets that carry one: choice 0 goes on, the rest is declared lost.

Knows: which blocks belong to which choice. Must not know: targets.
"""

import msgspec

from weft.events import BlockStart, End, Event
from weft.finish import outcome_of, worst
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
            event = _first_alone(event)
        emit(event)


def _first_alone(end: End) -> End:
    """The terminal as the first choice alone had it: a failure is everybody's, a limit or a filter is not."""
    finishes = tuple(finish for finish in end.finishes if finish.choice == 0)
    if end.outcome not in ("completed", "incomplete") or (end.error is not None and end.error.type == "cancelled"):
        return msgspec.structs.replace(end, finishes=finishes)
    outcome = worst([outcome_of(finish) for finish in finishes])
    error = end.error if any(finish.reason == "content_filter" for finish in finishes) else None
    return msgspec.structs.replace(end, outcome=outcome, finishes=finishes, error=error)
