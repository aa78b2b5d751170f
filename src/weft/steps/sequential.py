"""One block at a time, for targets that cannot interleave: the first open block streams live, the others wait their turn.

Knows: which block is live. Must not know: targets.
"""

from collections.abc import Set as AbstractSet

from weft.events import BlockEnd, BlockKind, BlockStart, End, Event, StepEnd
from weft.grammar import BLOCK_EVENTS
from weft.steps import Emit


class Sequential:
    """Holds back the events of every block but the live one, and replays them, in the order in which the blocks were opened.

    Blocks of the kinds `beside` need no turn: they go on at once, and nothing waits for them.
    """

    def __init__(self, beside: AbstractSet[BlockKind] = frozenset()) -> None:
        self._beside = beside
        self._passing: set[int] = set()
        self.live: int | None = None
        """The block whose events go on at once."""
        self.waiting: dict[int, list[Event]] = {}
        """What is held back, by block, in the order in which the blocks were opened."""

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event. What belongs to no block goes on at once, but for the ends of steps and of the stream, which all blocks precede."""
        kind = type(event)
        if kind is BlockStart or kind in BLOCK_EVENTS:
            self._block(event, event.index, emit)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType] - the table says so
            return
        if kind is End or kind is StepEnd:
            self._flush(emit)
        emit(event)

    def _block(self, event: Event, index: int, emit: Emit) -> None:
        if type(event) is BlockStart and event.kind in self._beside:
            self._passing.add(index)
        if index in self._passing:
            if type(event) is BlockEnd:
                self._passing.discard(index)
            emit(event)
            return
        if self.live is None:
            self.live = index
        if index != self.live:
            self.waiting.setdefault(index, []).append(event)
            return
        emit(event)
        if type(event) is BlockEnd:
            self.live = None
            self._advance(emit)

    def _advance(self, emit: Emit) -> None:
        """The live block is over: the next one that waits is replayed, and if it is not over yet, it is live."""
        while self.waiting:
            index = next(iter(self.waiting))
            events = self.waiting.pop(index)
            for event in events:
                emit(event)
            if type(events[-1]) is not BlockEnd:
                self.live = index
                return

    def _flush(self, emit: Emit) -> None:
        self.live = None
        for events in self.waiting.values():
            for event in events:
                emit(event)
        self.waiting.clear()
