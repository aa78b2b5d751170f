"""Several attempts as one message: numbers go on where the one before stopped, counts add up.

Knows: which numbers and ids an event carries. Must not know: why an attempt broke off, or what the next one says.
Texts are never compared: whether the next attempt repeats some of the one before cannot be known from them.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from weft.events import BlockStart, End, Event, Result, Start, StepEnd, StepStart, Usage
from weft.grammar import BLOCK_EVENTS
from weft.runner.history import total


class Joiner:
    """Feeds on the events of one attempt after the other and gives those of one message."""

    def __init__(self) -> None:
        self._again = False
        self._spent: list[Usage | None] = []
        self._base: dict[str, int] = {"index": 0, "item": 0, "step": 0}
        self._next = dict(self._base)
        self._ids: set[str] = set()
        self._renamed: dict[str, str] = {}

    def feed(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events under the numbers of the whole; a second `Start` is left out."""
        for event in events:
            if self._again and type(event) is Start:
                continue
            moved = self._moved(event) if self._again else event
            self._count(moved)
            yield moved

    def break_off(self, end: End) -> None:
        """The attempt is over, and the next will go on."""
        self._again = True
        self._spent.append(end.usage)
        self._base = dict(self._next)
        self._renamed = {}

    def closed(self, end: End) -> list[Event]:
        """The terminal where no further attempt said anything."""
        return [End(end.outcome, end.finishes, total(self._spent), end.error)]

    def _count(self, event: Event) -> None:
        if type(event) is BlockStart:
            self._next["index"] = event.index + 1
            self._next["item"] = max(self._next["item"], event.item + 1)
            if event.id is not None and event.kind == "tool_call":
                self._ids.add(event.id)
        elif type(event) is StepStart:
            self._next["step"] = max(self._next["step"], event.step + 1)

    def _moved(self, event: Event) -> Event:
        if type(event) is BlockStart:
            return self._opened(event)
        if type(event) is Result and event.call_id in self._renamed:
            event = msgspec.structs.replace(event, call_id=self._renamed[event.call_id])
        if type(event) in BLOCK_EVENTS:
            index: Any = getattr(event, "index")  # noqa: B009 - every event of BLOCK_EVENTS has it
            return msgspec.structs.replace(event, index=index + self._base["index"])
        if type(event) is StepStart or type(event) is StepEnd:
            return msgspec.structs.replace(event, step=event.step + self._base["step"])
        if type(event) is Usage:
            return total([*self._spent, event]) or event
        if type(event) is End:
            return msgspec.structs.replace(event, usage=total([*self._spent, event.usage]))
        return event

    def _opened(self, event: BlockStart) -> BlockStart:
        """A block of the next attempt. An id that Weft made is made anew where the attempt before has it already."""
        id = event.id
        if id is not None and event.kind == "tool_call" and event.made and id in self._ids:
            id = self._renamed[id] = f"{id}_{len(self._spent)}"
        elif event.kind == "tool_result" and id in self._renamed:
            id = self._renamed[id]
        base = self._base
        return msgspec.structs.replace(
            event,
            id=id,
            index=event.index + base["index"],
            item=event.item + base["item"],
            step=event.step + base["step"],
        )
