"""What is known of the message as a whole: who answers, and what stands beside the answer.

Knows: that the first word counts for who answers and the last for the rest; which ids are made where the source gives none.
Must not know: blocks, the end, wires.
"""

from collections.abc import Iterator
from typing import Any, Final
from zlib import crc32

from weft.events import Origin, Start

_FAR: Final = 1 << 53  # seconds: JSON has numbers beyond all bounds, and none of those is a time


class Facts:
    """The facts of one message by name."""

    def __init__(self, protocol: str, response_id: str | None) -> None:
        self.protocol = protocol
        self._made_id = response_id
        self._known: dict[str, Any] = {}
        self._made_calls = 0
        self.id_made = False
        """Was the id made before it came here?"""

    def told(
        self, id: str | None, model: str | None, provider: str | None, created: float | None
    ) -> Iterator[tuple[str, Any]]:
        """Take who answers: the first non-empty value of each wins. Gives those that are new."""
        if created is not None and not abs(created) < _FAR:
            created = None
        for name, value in (("id", id), ("model", model), ("provider", provider), ("created", created)):
            if value and name not in self._known:
                self._known[name] = value
                yield name, value

    def unsaid(self, name: str, value: Any) -> bool:
        """Is this another value than the one that was said last?"""
        return value is not None and not _same(self._known.get(name), value)

    def said(self, name: str, value: Any) -> None:
        """Remember a fact beside the answer."""
        self._known[name] = value

    def start(self, frame: bytes) -> Start:
        """The message begins. An id that the source did not give is derived from the frame that begins it."""
        known, id = self._known, self._known.get("id")
        if not id:
            self._made_id = self._made_id or f"weft_{crc32(frame.strip()):08x}"
        return Start(
            id or str(self._made_id),
            known.get("model"),
            known.get("provider"),
            known.get("created"),
            made=not id or self.id_made,
        )

    def made_call_id(self) -> str:
        """An id for a call that has none: derived from the message's own id, so that two turns do not share it."""
        self._made_calls += 1
        return f"call_{crc32(str(self._known.get('id') or self._made_id).encode()):08x}_{self._made_calls - 1}"

    def origin(self, item: str | None) -> Origin:
        """Where opaque state of this message is from."""
        return Origin(self.protocol, self._known.get("provider"), self._known.get("model"), item)


def fact_of(name: str, choice: int) -> str:
    """The name of a fact of one choice: the first has it for itself."""
    return f"{name}:{choice}" if choice else name


def whose(fact: str) -> tuple[str, int]:
    """The name and the choice that `fact_of` put together."""
    name, _, number = fact.partition(":")
    return (name, int(number)) if number.isdecimal() and len(number) < 4 else (fact, 0)


def _same(old: Any, new: Any) -> bool:
    """Are two decoded values equal? What is nested too deeply to be compared is taken for another."""
    try:
        return bool(old == new)
    except RecursionError:
        return False
