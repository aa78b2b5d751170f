"""How much of an answer is let through: what exceeds a limit ends the stream as failed, with what came before kept.

Knows: counts of characters, calls and blocks. Must not know: tokens, money, time.
"""

import msgspec

from weft.errors import make_error
from weft.events import ArgsDelta, BlockEnd, BlockStart, End, Event, ReasoningDelta, RefusalDelta, TextDelta
from weft.steps import Emit


class Most(msgspec.Struct, frozen=True, kw_only=True):
    """The limits; None is no limit. `text`, `reasoning` and `arguments` are characters of the whole answer."""

    text: int | None = None
    reasoning: int | None = None
    arguments: int | None = None
    calls: int | None = None
    blocks: int | None = None


_COUNTED: dict[type[Event], str] = {
    TextDelta: "text",
    RefusalDelta: "text",
    ReasoningDelta: "reasoning",
    ArgsDelta: "arguments",
}


class OutputLimits:
    """Counts, and cuts the stream at the first limit that is exceeded: nothing after it passes but the terminal."""

    def __init__(self, most: Most) -> None:
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._counts = {"text": 0, "reasoning": 0, "arguments": 0, "calls": 0, "blocks": 0}
        self._open: dict[int, None] = {}
        self._broken: str | None = None

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if self._broken is not None:
            if isinstance(event, End):
                message = f"the answer has more {self._broken} than the limit of {getattr(self._most, self._broken)}"
                error = make_error("limit", message, parameter=self._broken)
                emit(End("failed", event.finishes, event.usage, error))
                self._begin()
            return
        self._count(event)
        if self._broken is not None:
            for index in self._open:
                emit(BlockEnd(index, complete=False))
            return
        if isinstance(event, BlockStart):
            self._open[event.index] = None
        elif isinstance(event, BlockEnd):
            self._open.pop(event.index, None)
        elif isinstance(event, End):
            self._begin()
        emit(event)

    def _count(self, event: Event) -> None:
        name = _COUNTED.get(type(event))
        if name is not None:
            self._add(name, len(event.text))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType] - the table's kinds have text
        elif isinstance(event, BlockStart):
            self._add("blocks", 1)
            if event.kind == "tool_call":
                self._add("calls", 1)

    def _add(self, name: str, more: int) -> None:
        self._counts[name] += more
        most = getattr(self._most, name)
        if most is not None and self._counts[name] > most and self._broken is None:
            self._broken = name
