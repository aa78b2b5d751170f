"""Bytes that are handed on as they came, but only in whole frames.

Knows: where frames end, by framing. Must not know: what is in them.
A reader beside it watches; this only decides how much may leave.
"""

from typing import Final

_BLANKS: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")
_LONGEST: Final = 4
_PRELUDE: Final = 12


class Forward:
    """Gives, for each read, the bytes up to the end of the last whole frame; the rest waits for the next read."""

    def __init__(self, framing: str) -> None:
        self._framing = framing
        self._held = bytearray()
        self._searched = 0
        self._next = 0

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; give what is whole."""
        self._held += data
        end = self._end_binary() if self._framing == "aws" else self._end_text()
        self._searched = max(0, len(self._held) - _LONGEST)
        if end <= 0:
            return b""
        whole = bytes(self._held[:end])
        del self._held[:end]
        self._searched = 0
        return whole

    def rest(self) -> bytes:
        """What is left when the input is over: a last frame without its end, or half of one."""
        rest = bytes(self._held)
        self._held.clear()
        return rest

    def _end_text(self) -> int:
        held = self._held
        if self._framing == "sse" and not held.startswith((b"{", b"[")):
            ends = [at + len(blank) for blank in _BLANKS if (at := held.rfind(blank, self._searched)) >= 0]
            return max(ends, default=0)
        return held.rfind(b"\n", self._searched) + 1

    def _end_binary(self) -> int:
        """Frames tell their own length, so they are walked, not searched."""
        end = 0
        while len(self._held) - end >= _PRELUDE:
            length = int.from_bytes(self._held[end : end + 4], "big")
            if length < _PRELUDE or end + length > len(self._held):
                break
            end += length
        return end
