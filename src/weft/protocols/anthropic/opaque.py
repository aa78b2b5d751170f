"""A block that we only carry: its start, completed by what its deltas bring.

Knows: that text is appended and anything else replaced. Must not know: what the block is.
"""

from typing import Any


class Held:
    """One such block while it is open. Pieces are joined once, at its end."""

    def __init__(self, start: dict[str, Any]) -> None:
        self._start = start
        self._pieces: dict[str, list[Any]] = {}

    def add(self, delta: dict[str, Any]) -> None:
        """One delta, member by member."""
        for name, value in delta.items():
            if name != "type" and value is not None:
                self._pieces.setdefault(name, []).append(value)

    def block(self) -> dict[str, Any]:
        """The block as it would stand in a whole reply."""
        return {**self._start, **{name: self._joined(name) for name in self._pieces}}

    def _joined(self, name: str) -> Any:
        pieces = self._pieces[name]
        if not all(isinstance(piece, str) for piece in pieces):
            return pieces[-1]
        begun = self._start.get(name)
        return "".join([begun, *pieces] if isinstance(begun, str) else pieces)
