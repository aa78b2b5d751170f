"""Bytes that are handed on as they came, but only in whole frames.

Knows: where frames end, by framing. Must not know: what is in them.
A reader beside it watches, if anybody does; this only decides how much may leave.
"""

from collections.abc import Callable
from struct import unpack_from
from typing import Final

from weft.framing.json_array import JSONArray
from weft.framing.sniff import framing_of

_LINE_ENDS: Final = b"\r\n"
_CR: Final = _LINE_ENDS[0]
_LONGEST_BLANK: Final = 4
_PRELUDE: Final = 12


class Forward:
    """Gives, for each read, the bytes up to the end of the last whole frame; the rest waits for the next read."""

    def __init__(self, framing: str) -> None:
        self._framing = framing
        self._held = bytearray()
        self._searched = 0
        self._binary = False
        self._whole: tuple[bytes, ...] = ()  # a read that ends so, with nothing held, is whole
        self._end: Callable[[bytes], int] = self._look
        self._array = JSONArray(self._element, self._fault)
        self._given = self._elements = 0  # how much of an array was given, and where its last whole element ends

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; give what is whole."""
        held = self._held
        if not held and (data.endswith(self._whole) or (self._binary and _length(data) == len(data))):
            return data
        held += data
        end = self._end(data)
        if end <= 0:
            self._searched = max(0, len(held) - _LONGEST_BLANK)
            return b""
        whole = bytes(memoryview(held)[:end])
        del held[:end]
        self._searched = max(0, len(held) - _LONGEST_BLANK)
        return whole

    @property
    def size(self) -> int:
        """How much is held."""
        return len(self._held)

    @property
    def held(self) -> bytes:
        """What waits for its end."""
        return bytes(self._held)

    def rest(self) -> bytes:
        """What is left when the input is over: a last frame without its end, or half of one."""
        rest = bytes(self._held)
        self._held.clear()
        return rest

    def _look(self, _: bytes) -> int:
        """Which framing it is shows in the first bytes, whatever the source is known for."""
        head = bytes(self._held)
        framing = framing_of(head, self._framing)
        if framing is None:
            return 0
        if framing == "ndjson":
            self._whole, self._end = (b"\n",), self._end_of_lines
        elif framing == "json_array":
            self._end = self._end_of_elements
        elif framing == "aws":
            self._binary, self._end = True, self._end_by_length
        else:
            self._whole, self._end = (b"\n\n", b"\r\n\r\n"), self._end_of_frames
        return self._end(head)

    def _end_of_lines(self, _: bytes) -> int:
        return self._held.rfind(b"\n", self._searched) + 1

    def _end_of_frames(self, data: bytes) -> int:
        """Behind the last empty line. Single bytes are looked for: it is many times faster than to look for a blank in each of its spellings."""
        held, searched = self._held, self._searched
        if held.startswith((b"{", b"[")):
            return self._end_of_lines(data)
        at = held.rfind(b"\n", searched)
        while at > 0:
            if held[at - 2 if at > 1 and held[at - 1] == _CR else at - 1] in _LINE_ENDS:
                return at + 1
            at = held.rfind(b"\n", searched, at)
        return held.rfind(b"\r\r", searched) + 2 if _CR in held and b"\r\r" in held else 0

    def _end_of_elements(self, data: bytes) -> int:
        self._array.feed(data)
        end, self._given = self._elements - self._given, max(self._given, self._elements)
        return end

    def _element(self, element: bytes, _: str) -> None:
        self._elements = self._array.offset + len(element)

    def _end_by_length(self, _: bytes) -> int:
        """Frames tell their own length, so they are walked, not searched."""
        held, end, last = self._held, 0, len(self._held) - _PRELUDE
        while end <= last:
            length = _length(held, end)
            if length < _PRELUDE or end + length > len(held):
                break
            end += length
        return end

    def _fault(self, code: str, message: str, fatal: bool) -> None:
        """What is wrong with an array is for a reader to say."""


def _length(data: bytes | bytearray, at: int = 0) -> int:
    """How long a binary frame says that it is; 0 where that is not known yet."""
    return unpack_from("!I", data, at)[0] if len(data) >= at + _PRELUDE else 0
