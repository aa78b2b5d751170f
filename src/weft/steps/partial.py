"""Arguments and JSON text while they come: a tap that tells what is there of them, and each value that is over.

Knows: one reader of partial JSON for each block. Must not know: what the values are for. The events go on as they came.
"""

from collections.abc import Callable

from weft.events import ArgsDelta, BlockEnd, BlockStart, Event, TextDelta
from weft.partial import Partial, PartialJSON, ValueComplete
from weft.steps import Emit

OnValue = Callable[[BlockStart, Partial], object]
OnComplete = Callable[[BlockStart, ValueComplete], object]


class Partials:
    """Calls `on_complete` for each value that is over, then `on_value` with what is there, for tool calls and for texts that are JSON.

    A text, and what a custom tool is given, is taken for JSON if it begins as an object or array. A block that will never be complete is told once more, with `broken`.
    """

    def __init__(self, on_value: OnValue, on_complete: OnComplete) -> None:
        self._on_value = on_value
        self._on_complete = on_complete
        self._read: dict[int, tuple[BlockStart, PartialJSON]] = {}
        self._unread: dict[int, tuple[BlockStart, PartialJSON]] = {}

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if isinstance(event, ArgsDelta | TextDelta):
            self._delta(event)
        elif isinstance(event, BlockStart):
            if event.kind in {"tool_call", "text"}:
                self._unread[event.index] = event, PartialJSON()
        elif isinstance(event, BlockEnd):
            self._end(event)
        emit(event)

    def _delta(self, event: ArgsDelta | TextDelta) -> None:
        unread = self._unread.get(event.index)
        if unread is not None:
            start, reader = unread
            if not (head := event.text.lstrip()):
                reader.feed(event.text)
                return
            del self._unread[event.index]
            if _is_json(start) or head[0] in "{[":
                self._read[event.index] = unread
        if event.index in self._read:
            start, reader = self._read[event.index]
            self._tell(start, reader, reader.feed(event.text))
            if reader.broken is not None:
                del self._read[event.index]

    def _end(self, event: BlockEnd) -> None:
        start, reader = self._read.pop(event.index, (None, None))
        unread, blank = self._unread.pop(event.index, (None, None))
        if start is not None and reader is not None:
            told = reader.close()
            if told or reader.broken is not None:
                self._tell(start, reader, told)
        elif unread is not None and blank is not None and _is_json(unread) and event.complete:
            self._tell(unread, blank, blank.feed("{}"))  # no arguments are an empty object

    def _tell(self, start: BlockStart, reader: PartialJSON, told: list[ValueComplete]) -> None:
        for complete in told:
            self._on_complete(start, complete)
        self._on_value(start, reader.value)


def _is_json(start: BlockStart) -> bool:
    """Is its text meant to be JSON, whatever it begins with?"""
    return start.kind == "tool_call" and start.tool != "custom"
