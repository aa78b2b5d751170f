"""JSON objects, one a line: lines in, the bytes of each object out.

Knows what is found in the wild under that name: several objects on a line, one over many lines, plain text in between,
lines with `data:` before them. Must not know what an object says. An object is emitted when its last line ends.
"""

import re
from typing import Final

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, too_long
from weft.framing.json_values import BETWEEN_VALUES, OpenValue, end_of
from weft.framing.lines import Lines, all_crlf

_SPACE: Final = b" \t\r\n"
_BRACE: Final = ord("{")
_LEAD: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(?:data:[ \t]*)?")
"""What may stand before the first object of a line: a byte order mark, indentation, the field name of SSE."""


class NDJSON:
    """Emits (object, "") for each JSON object, and (line, "text") for a line that is none."""

    def __init__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> None:
        self.offset = 0
        self._emit = emit
        self._fault = fault
        self._limit = limit
        self._dead = False
        self._seen = 0
        self._lines = Lines()
        self._value = OpenValue()
        self._value_at = 0  # where in the input the open value begins

    def feed(self, data: bytes) -> None:
        """Takes a read of any size."""
        lines = self._lines
        base = self._seen
        self._seen += len(data)
        if lines.rest and (b"\n" in data or b"\r" in data):
            base -= len(lines.rest)
            data = lines.flush() + data
        pos = 0
        newline = b"\r\n" if b"\r" in data else b"\n"
        if not (self._value or lines.rest or lines.after_cr or self._dead) and len(data) <= self._limit:
            pos = self._whole_lines(data, base, newline)
        self._read(data, pos, base)

    def close(self) -> None:
        """Takes the end of the input; a last line needs no end if its value is complete."""
        last = self._lines.flush()
        if last:
            self._line(last, self._lines.at)
        if self._value:
            self._broken_off()

    def _whole_lines(self, data: bytes, base: int, newline: bytes) -> int:
        """The fast path: takes the lines that are one object each without looking into them; returns how far it came."""
        stop = data.rfind(newline)
        if stop < 0 or (newline == b"\r\n" and not all_crlf(data, 0, stop + 2)):
            return 0
        emit, at, step, is_open = self._emit, base, len(newline), False
        for line in data[:stop].split(newline):
            if not is_open and _is_one_object(line):
                self.offset = at
                emit(line, "")
            else:
                self._line(line, at)
                is_open = bool(self._value)
            at += len(line) + step
        return at - base

    def _read(self, data: bytes, pos: int, base: int) -> None:
        lines, stop = self._lines, len(data)
        while pos < stop and not self._dead:
            pos = lines.advance(data, pos, stop, base)
            if lines.line is None and not lines.rest:
                break
            begin = self._value_at if self._value else lines.at
            if lines.end - begin > self._limit:
                self._give_up(begin)
            elif lines.line is not None:
                self._line(lines.line, lines.at)

    def _line(self, line: bytes, at: int) -> None:
        if self._value:
            if self._value.continues(line):
                self._values(line, 0, at)
                return
            self._broken_off()
        begin = end_of(_LEAD, line, 0)
        if begin == len(line):
            return
        if _is_one_object(line):
            self.offset = at
            self._emit(line, "")
        elif line[begin] == _BRACE:
            self._values(line, begin, at)
        else:
            self._text(line[begin:], at + begin)

    def _values(self, line: bytes, pos: int, at: int) -> None:
        """Reads the open value from line[pos:], and what stands behind it."""
        while line[pos : pos + 1] == b"{" or self._value:
            if not self._value:
                self._value_at = at + pos
            pos = self._value.add_line(line, pos)
            if pos < 0:
                return
            self.offset = self._value_at
            self._emit(self._value.take(), "")
            pos = end_of(BETWEEN_VALUES, line, pos)
        if pos < len(line):
            self._text(line[pos:], at + pos)

    def _text(self, text: bytes, at: int) -> None:
        text = text.rstrip(_SPACE)
        self.offset = at
        self._emit(text, "" if text[:1] == b"[" and text[-1:] == b"]" else "text")

    def _broken_off(self) -> None:
        self._value.take()
        self.offset = self._value_at
        self._fault("partial_frame", "a JSON object broke off before its end", False)

    def _give_up(self, at: int) -> None:
        self._value.take()
        self._lines.flush()
        self._dead = True
        self.offset = at
        self._fault(*too_long(self._limit))


def _is_one_object(line: bytes) -> bool:
    """Whether a line is taken for one object, as nearly each is, without looking for its end."""
    return (
        line[:1] == b"{"
        and line[-1:] == b"}"
        and line.count(b"{") == line.count(b"}")
        and b"}{" not in line
        and b"} {" not in line
    )
