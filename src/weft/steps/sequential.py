"""One block at a time in each choice, for targets that cannot interleave: the first open block streams live, the others wait their turn.

Knows: which blocks are live. Must not know: targets.
"""

from weft.events import BlockEnd, BlockStart, End, Event, StepEnd
from weft.grammar import BLOCK_EVENTS
from weft.steps import Emit


class Sequential:
    """Holds back the events of every block but the live one of its choice, and replays them, in the order in which the blocks were opened."""

    def __init__(self) -> None:
        self._live: dict[int, int] = {}  # block -> choice
        self._waiting: dict[int, list[Event]] = {}
        self._choices: dict[int, int] = {}

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event. What belongs to no block goes on at once, but for the ends of steps and of the stream, which all blocks precede."""
        kind = type(event)
        if kind in BLOCK_EVENTS:
            self._block(event, event.index, emit)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType] - the table says so
            return
        if isinstance(event, BlockStart):
            self._start(event, emit)
            return
        if kind is End or kind is StepEnd:
            self._flush(emit)
        emit(event)

    def _start(self, event: BlockStart, emit: Emit) -> None:
        if event.choice in self._live.values():
            self._waiting[event.index], self._choices[event.index] = [event], event.choice
        else:
            self._live[event.index] = event.choice
            emit(event)

    def _block(self, event: Event, index: int, emit: Emit) -> None:
        if index not in self._live:
            self._waiting[index].append(event)
            return
        emit(event)
        if type(event) is BlockEnd:
            self._advance(self._live.pop(index), emit)

    def _advance(self, choice: int, emit: Emit) -> None:
        """The live block of this choice is over: the next one that waits is replayed, and if it is not over yet, it is live."""
        for index in [waiting for waiting in self._waiting if self._choices[waiting] == choice]:
            events = self._waiting.pop(index)
            for event in events:
                emit(event)
            if type(events[-1]) is not BlockEnd:
                self._live[index] = choice
                return

    def _flush(self, emit: Emit) -> None:
        for events in self._waiting.values():
            for event in events:
                emit(event)
        self._waiting.clear()
        self._live.clear()
