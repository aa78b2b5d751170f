"""Bytes that are no text of ours though nothing is wrong with them: compressed, or in an encoding with two bytes a character.

Knows how such bytes begin, and what to do about them. Must not know any framing, or how to decode them: that is for whoever has the headers.
"""

from typing import Final

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault

_COMPRESSED: Final = "the bytes are compressed ({}): they have to be decompressed first, or not to be asked for (accept-encoding: identity)"
_WIDE: Final = "the bytes are UTF-16, and not UTF-8 (PowerShell writes so with `>`)"
_BEGINNINGS: Final[dict[bytes, tuple[str, str]]] = {
    b"\x1f\x8b": ("compressed", _COMPRESSED.format("gzip")),
    b"\x28\xb5\x2f\xfd": ("compressed", _COMPRESSED.format("zstd")),
    b"\xff\xfe": ("utf_16", _WIDE),
    b"\xfe\xff": ("utf_16", _WIDE),
}
UNREADABLE: Final = frozenset(code for code, _ in _BEGINNINGS.values())
"""The codes. The bytes are not at fault, and would be the same again: it is for whoever asked for them to act."""


def unreadable(head: bytes) -> tuple[str, str] | None:
    """The code and the words for an input that begins so; None for one that may be read."""
    return next((why for beginning, why in _BEGINNINGS.items() if head.startswith(beginning)), None)


def may_be_unreadable(head: bytes) -> bool:
    """Does an input begin so that one byte more must be seen?"""
    return any(len(head) < len(beginning) and beginning.startswith(head) for beginning in _BEGINNINGS)


class Unreadable:
    """Tells why, once, and swallows the rest."""

    def __init__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> None:
        self.offset = 0
        self._fault = fault
        self._told = False

    def feed(self, data: bytes) -> None:
        """Takes a read of any size; the first one has the beginning."""
        if not self._told and (why := unreadable(data)) is not None:
            self._told = True
            self._fault(*why, True)

    def close(self) -> None:
        """Takes the end of the input, which says nothing."""
