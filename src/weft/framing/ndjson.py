"""JSON objects, one a line: lines in, the bytes of each object out.

Knows what is found in the wild under that name: several objects on a line, one over many lines, plain text in between,
lines with `data:` before them. Must not know what an object says. An object is emitted when its last line ends.
"""

import re
from collections.abc import Iterable
from typing import Final

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, too_long
from weft.framing.json_values import BETWEEN_VALUES, OPENS_ARRAY, OpenValue, end_of
from weft.framing.lines import Lines
from weft.framing.run import Run, TakeRun

_LF, _CR = b"\n\r"
_OPEN: Final = ord("{")
_SPACE: Final = b" \t\r\n"
_LEAD: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(?:data:[ \t]*)?")
"""What may stand before the first object of a line: a byte order mark, indentation, the field name of SSE."""
_TWO_OBJECTS: Final = re.compile(rb"\}[ \t]*\{")
_NO_VALUE: Final = -1


class NDJSON:
    """Emits (object, "") for each JSON object, and (line, "text") for a line that is none."""

    def __init__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> None:
        self._emit = emit
        self.take_run: TakeRun = self._emit_each
        self._fault = fault
        self._limit = limit
        self._dead = False
        self._at = 0  # where in the input begins what is being told
        self._run: Run | None = None  # what is being told, if it is a run
        self._seen = 0
        self._base = 0  # where in the input the bytes at hand begin
        self._lines = Lines()
        self._value = OpenValue()
        self._value_at = _NO_VALUE  # where in the input the open value begins

    @property
    def offset(self) -> int:
        """Where the frame or fault that is being told begins."""
        return self._at if self._run is None else self._run.offset

    def feed(self, data: bytes) -> None:
        """Takes a read of any size. Those of live streams are just one line with one object."""
        lines, pos, size = self._lines, 0, len(data)
        idle = self._value_at == _NO_VALUE and not self._dead
        if idle and size and data[-1] == _LF and not lines.rest and size <= self._limit:
            line = data[:-1]
            if _LF not in line and _CR not in line:
                self._at = self._seen
                if self.take_run((line,), ""):
                    self._seen += size
                    return
        self._base = self._seen
        self._seen += size
        if idle and (_LF in data or _CR in data):
            if lines.rest:
                self._base -= len(lines.rest)
                data = lines.flush() + data
            if len(data) <= self._limit:
                pos = self._whole_lines(data)
        if pos < len(data):
            self._read(data, pos, len(data))

    def close(self) -> None:
        """Takes the end of the input; a last line needs no end if its value is complete."""
        last = self._lines.flush()
        if last:
            self._line(last, self._lines.at)
        if self._value_at != _NO_VALUE:
            self._broken_off()

    def _whole_lines(self, data: bytes) -> int:
        """The fast path: lines are taken for one object each, until the one who parses them says otherwise; returns how far it came.

        Whatever looks different goes to `_read`, which is the format.
        """
        newline = b"\r\n" if _CR in data else b"\n"
        stop = data.rfind(newline)
        if stop < 0:
            return 0
        lines = data[:stop].split(newline)
        if len(newline) > 1 and ((inside := b"".join(lines)).find(b"\n") >= 0 or inside.find(b"\r") >= 0):
            return 0
        run = self._run = Run(lines, self._base, len(newline))
        while not self.take_run(run.left, ""):
            pos, self._run = run.offset - self._base, None
            end = pos + len(run.last) + len(newline)
            self._read(data, pos, end)
            if self._value_at != _NO_VALUE:
                return end
            self._run = run
        self._at, self._run = self._base + stop - len(lines[-1]), None
        return stop + len(newline)

    def _emit_each(self, lines: Iterable[bytes], name: str) -> bool:
        """The run of a sink that does not parse: it is told what looks like one object."""
        for line in lines:
            if not _is_one_object(line):
                return False
            self._emit(line, name)
        return True

    def _read(self, data: bytes, pos: int, stop: int) -> None:
        lines = self._lines
        while pos < stop and not self._dead:
            pos = lines.advance(data, pos, stop, self._base)
            if lines.line is None and not lines.rest:
                break
            begin = lines.at if self._value_at == _NO_VALUE else self._value_at
            if lines.end - begin > self._limit:
                self._give_up(begin)
            elif lines.line is not None:
                self._line(lines.line, lines.at)

    def _line(self, line: bytes, at: int) -> None:
        if self._value_at != _NO_VALUE:
            if self._value.continues(line):
                self._objects(line, 0, at)
                return
            self._broken_off()
        begin = end_of(_LEAD, line, 0)
        if begin == len(line):
            return
        if _is_one_object(line):
            self._tell(line, "", at)
        elif line[begin] == _OPEN:
            self._objects(line, begin, at)
        else:
            self._text(line[begin:], at + begin)

    def _objects(self, line: bytes, pos: int, at: int) -> None:
        """Reads objects from line[pos:], the rest of the open one first, and then what stands behind them."""
        while self._value_at != _NO_VALUE or line[pos : pos + 1] == b"{":
            if self._value_at == _NO_VALUE:
                self._value_at = at + pos
            pos = self._value.add_line(line, pos)
            if pos < 0:
                return
            begin, self._value_at = self._value_at, _NO_VALUE
            self._tell(self._value.take(), "", begin)
            pos = end_of(BETWEEN_VALUES, line, pos)
        if pos < len(line):
            self._text(line[pos:], at + pos)

    def _text(self, text: bytes, at: int) -> None:
        text = text.rstrip(_SPACE)
        is_array = text[-1:] == b"]" and (OPENS_ARRAY.match(text) is not None or text == b"[DONE]")
        self._tell(text, "" if is_array else "text", at)

    def _tell(self, payload: bytes, name: str, at: int) -> None:
        self._at = at
        self._emit(payload, name)

    def _broken_off(self) -> None:
        self._at, self._value_at = self._value_at, _NO_VALUE
        self._value.take()
        self._fault("partial_frame", "a JSON object broke off before its end", False)

    def _give_up(self, at: int) -> None:
        self._value.take()
        self._value_at = _NO_VALUE
        self._lines.rest.clear()
        self._dead = True
        self._at = at
        self._fault(*too_long(self._limit))


def _is_one_object(line: bytes) -> bool:
    """Whether a line is taken for one object without looking for its end, as nearly every line is."""
    return (
        line[:1] == b"{"
        and line[-1:] == b"}"
        and line.count(b"{") == line.count(b"}")
        and not _TWO_OBJECTS.search(line)
    )
