"""A JSON array that is streamed: each element is a frame.

Knows brackets, commas and where an element ends. Must not know what an element says. An element is emitted with its
last byte: nothing is waited for.
"""

import re
from typing import Final

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, too_long
from weft.framing.json_values import BETWEEN_VALUES, OpenValue, end_of

_LEAD: Final = re.compile(rb"[ \t\r\n\xef\xbb\xbf]*+")
"""White space and the byte order mark, before the array."""
_WORD: Final = re.compile(rb'[^ \t\r\n,\[\]{"]*+')
"""A number or literal, or what stands in its place."""
_OPEN, _CLOSE, _BRACE, _QUOTE = b'[]{"'


class JSONArray:
    """Emits (element, "") for each object or array in the array, and (element, "text") for any other."""

    def __init__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> None:
        self.offset = 0
        self._emit = emit
        self._fault = fault
        self._limit = limit
        self._seen = 0
        self._base = 0
        self._step = self._before
        self._bracket = False
        self._begin = 0  # where in the input the element under way begins
        self._value = OpenValue()
        self._name = ""
        self._word = bytearray()

    def feed(self, data: bytes) -> None:
        """Takes a read of any size."""
        self._base = self._seen
        self._seen += len(data)
        pos, stop = 0, len(data)
        while pos < stop:
            pos = self._step(data, pos)

    def close(self) -> None:
        """Takes the end of the input: an array without its bracket may lack elements."""
        if self._word:
            self._end_word()
        if self._value:
            self._value.take()
            self.offset = self._begin
            self._fault("partial_frame", "the input ended inside an element", False)
        if self._bracket:
            self._bracket = False
            self.offset = self._seen
            self._fault("unterminated_array", "the input ended before the array did", False)

    # Each step reads some of data[pos:], names the step that comes next and returns where that one begins.

    def _before(self, data: bytes, pos: int) -> int:
        pos = end_of(_LEAD, data, pos)
        if pos < len(data):
            self._step = self._between
            self._bracket = data[pos] == _OPEN
            pos += self._bracket
        return pos

    def _between(self, data: bytes, pos: int) -> int:
        pos = end_of(BETWEEN_VALUES, data, pos)
        if pos == len(data):
            return pos
        self._begin = self._base + pos
        byte = data[pos]
        if byte == _CLOSE:
            self._bracket = False
            self._step = self._after
            return pos + 1
        self._name = "" if byte in (_BRACE, _OPEN) else "text"
        self._step = self._inside if byte in (_BRACE, _OPEN, _QUOTE) else self._inside_word
        return pos

    def _inside(self, data: bytes, pos: int) -> int:
        end = self._value.add(data, pos)
        reached = len(data) if end < 0 else end
        if self._too_long(reached) or end < 0:
            return reached
        self._step = self._between
        self._tell(self._value.take())
        return end

    def _inside_word(self, data: bytes, pos: int) -> int:
        end = end_of(_WORD, data, pos)
        self._word += data[pos:end]
        if not self._too_long(end) and end < len(data):
            self._end_word()
        return end

    def _after(self, data: bytes, pos: int) -> int:
        pos = end_of(BETWEEN_VALUES, data, pos)
        if pos < len(data):
            self.offset = self._base + pos
            self._step = self._swallow
            self._fault("trailing_bytes", "something stands behind the end of the array", False)
        return pos

    def _swallow(self, data: bytes, pos: int) -> int:
        return len(data)

    def _end_word(self) -> None:
        word = bytes(self._word)
        self._word.clear()
        self._step = self._between
        self._tell(word)

    def _tell(self, element: bytes) -> None:
        self.offset = self._begin
        self._emit(element, self._name)

    def _too_long(self, end: int) -> bool:
        if self._base + end - self._begin <= self._limit:
            return False
        self._value.take()
        self._word.clear()
        self._bracket = False
        self._step = self._swallow
        self.offset = self._begin
        self._fault(*too_long(self._limit))
        return True
