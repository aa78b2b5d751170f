"""Finds where a JSON value ends, in pieces and without parsing it.

Knows strings, escapes and depth, and which byte can follow which across a line break. Must not know frames, names or
what the value means; whether it is valid JSON is for its reader to say.
"""

import re
from typing import Final

_SKIP: Final = re.compile(rb'[^"{}\[\]]*+(?:"(?:[^"\\]|\\.)*+"[^"{}\[\]]*+)*+', re.DOTALL)
"""All up to the next bracket, whole strings included, or up to a string that does not end here."""
_STRING_REST: Final = re.compile(rb'(?:[^"\\]|\\.)*+', re.DOTALL)
_QUOTE: Final = ord('"')
_BACKSLASH: Final = ord("\\")
_SPACE: Final = b" \t\r\n"
_AFTER_OPENER: Final = frozenset(b'"{[]}-0123456789tfnNI')
_AFTER_VALUE: Final = frozenset(b",:]}")
_OPENERS: Final = frozenset(b"{[,:")

OPENS_ARRAY: Final = re.compile(rb'\[[ \t\r\n]*+[{\["\]]')
"""How an array of frames begins; `[INFO] ready` and `[12:30:01]` are words."""
BETWEEN_VALUES: Final = re.compile(rb"[ \t\r\n,]*+")
"""What may stand between two values in a row."""


def end_of(pattern: re.Pattern[bytes], data: bytes, pos: int) -> int:
    """Where the match of a pattern at pos ends."""
    found = pattern.match(data, pos)
    return found.end() if found else pos


class OpenValue:
    """A JSON object, array or string under way: `add` pieces until one of them ends it, then `take` it."""

    __slots__ = ("_depth", "_escaped", "_in_string", "_last", "_text")

    def __init__(self) -> None:
        self._text = bytearray()
        self._reset()

    def _reset(self) -> None:
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._last = 0

    def __bool__(self) -> bool:
        """True while a value is under way."""
        return self._depth > 0 or self._in_string

    def add(self, piece: bytes, pos: int = 0) -> int:
        """Takes piece[pos:] as far as it belongs to the value; returns where the value ends in it, or -1."""
        end = self._scan(piece, pos)
        if end >= 0:
            self._text += piece[pos:end]
            return end
        self._text += piece[pos:]
        inked = piece.rstrip(_SPACE)
        if len(inked) > pos:
            self._last = inked[-1]
        return -1

    def add_line(self, line: bytes, pos: int = 0) -> int:
        """As `add`, for a line without its end."""
        end = self.add(line, pos)
        if end < 0:
            self._text += b"\n"
        return end

    def continues(self, line: bytes) -> bool:
        """Whether the line can go on with this value; if not, the value was broken off before it.

        No string goes over a line, and two values have something between them: legal JSON always passes.
        """
        text = line.lstrip(_SPACE)
        if not text:
            return True
        if self._in_string:
            return False
        return text[0] in (_AFTER_OPENER if self._last in _OPENERS else _AFTER_VALUE)

    def take(self) -> bytes:
        """The bytes of the value so far; the next piece begins a new one."""
        text = bytes(self._text)
        self._text.clear()
        self._reset()
        return text

    def _scan(self, data: bytes, pos: int) -> int:
        size = len(data)
        if pos == size:
            return -1
        if self._escaped:
            self._escaped = False
            pos += 1
        elif not self:
            self._in_string = data[pos] == _QUOTE
            self._depth = int(not self._in_string)
            pos += 1
        while (pos := end_of(_STRING_REST if self._in_string else _SKIP, data, pos)) < size:
            byte = data[pos]
            pos += 1
            if byte == _BACKSLASH:  # the piece ends with it: what it escapes comes with the next
                self._escaped = True
                break
            if byte == _QUOTE:
                self._in_string = not self._in_string
            else:
                self._depth += 1 if byte in b"{[" else -1
            if not self:
                return pos
        return -1


def values_of(data: bytes) -> list[bytes]:
    """The objects and arrays that stand one behind the other in `data`; none where anything else does, or where the last is not whole."""
    found: list[bytes] = []
    value, pos = OpenValue(), end_of(BETWEEN_VALUES, data, 0)
    while pos < len(data):
        if data[pos : pos + 1] not in (b"{", b"[") or (end := value.add(data, pos)) < 0:
            return []
        found.append(value.take())
        pos = end_of(BETWEEN_VALUES, data, end)
    return found
