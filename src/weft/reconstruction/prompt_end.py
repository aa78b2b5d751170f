"""A call is over when its arguments are, and the source turns to something else: then whoever waits for it may act.

Knows: which calls are open and whether their arguments are a closed object. Must not know: wires, targets.

A stream of deltas never says that a call is over; without this step every call would end with the stream, and what comes after it would have to
wait where one item is written at a time.
"""

from weft import jsontext
from weft.calls import Balance
from weft.events import ArgsDelta, BlockEnd, BlockStart, Event, Note
from weft.steps import Emit


class PromptEnd:
    """Ends calls as early as can be told. What is still said of such a call is dropped with a note."""

    def __init__(self) -> None:
        self._open: dict[int, _Arguments] = {}
        self._over: set[int] = set()

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if isinstance(event, ArgsDelta | BlockEnd):
            if event.index in self._over:
                self._late(event, emit)
                return
            self._note(event)
        elif isinstance(event, BlockStart):
            self._end_closed(emit)
            if event.kind == "tool_call" and event.tool == "function":
                self._open[event.index] = _Arguments()
        emit(event)

    def _note(self, event: ArgsDelta | BlockEnd) -> None:
        if isinstance(event, BlockEnd):
            self._open.pop(event.index, None)
        elif (arguments := self._open.get(event.index)) is not None:
            arguments.pieces.append(event.text)

    def _end_closed(self, emit: Emit) -> None:
        for index in [index for index, arguments in self._open.items() if arguments.closed()]:
            del self._open[index]
            self._over.add(index)
            emit(BlockEnd(index, True))

    def _late(self, event: ArgsDelta | BlockEnd, emit: Emit) -> None:
        if isinstance(event, ArgsDelta):
            emit(
                Note(
                    "args_after_call", f"arguments for the call of block {event.index}, which were closed and are over"
                )
            )


class _Arguments:
    """The arguments of one call so far. Each piece is looked at once, and the whole is parsed once."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._balance = Balance()
        self._looked = 0
        self._object = True

    def closed(self) -> bool:
        """Are they one object, and nothing after it?"""
        for piece in self.pieces[self._looked :]:
            self._balance.feed(piece)
        self._looked = len(self.pieces)
        if self._object and self._balance.closed:
            self._object = jsontext.decode_object("".join(self.pieces)) is not None
            return self._object
        return False
