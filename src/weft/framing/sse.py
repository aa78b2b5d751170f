"""Server-sent events: lines of fields in, the payload of each frame out.

Knows the fields of the format and what servers do beside it: JSON written outside a field, an `error:` field, a last
frame without its blank line. Must not know what a payload says, nor who sent it.

`_advance` and `_line` are the format. `_one_frame` and `_plain_frames` do the same for the two shapes that nearly every
frame has (`data: x` and `event: n` + `data: x`) without a look at each line; what looks different goes to the former.
Frames that begin alike, as nearly all in a read do, are handed over as one run.
"""

import re
from collections.abc import Iterable
from typing import Final

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, too_long
from weft.framing.json_values import BETWEEN_VALUES, OpenValue, end_of
from weft.framing.lines import Lines
from weft.framing.run import Run, TakeRun

_DATA: Final = b"data: "
_EVENT: Final = b"event: "
_PLAIN: Final = (_DATA, _EVENT)
_UNFINISHED: Final = re.compile(rb"data: [^\r\n]*+|event: [^\r\n]*+(?:\r?\n[^\r\n]*+)?")
"""The beginning of what may become a plain frame, and cannot be one yet."""
_BOM: Final = b"\xef\xbb\xbf"
_LF, _CR = b"\n\r"  # as numbers: to look for one of them in bytes is much cheaper than to look for bytes
_NO_FRAME: Final = -1


class SSE:
    """Emits (payload, event name) for each frame that has data."""

    def __init__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> None:
        self.last_event_id = ""
        self._emit = emit
        self.take_run: TakeRun = self._emit_each
        self._fault = fault
        self._limit = limit
        self._dead = False
        self._at = 0  # where in the input begins what is being told
        self._run: Run | None = None  # what is being told, if it is a run
        self._seen = 0
        self._base = 0  # where in the input the bytes at hand begin
        self._held = bytearray()  # the beginning of a plain frame, not looked at yet
        self._lines = Lines()
        self._frame = _NO_FRAME  # where the frame under way begins
        self._name = ""
        self._data = bytearray()
        self._data_lines = 0
        self._raw = OpenValue()
        self._head, self._head_name = _DATA, ""  # what stood before the payload of the last plain frame

    @property
    def offset(self) -> int:
        """Where the frame or fault that is being told begins."""
        return self._at if self._run is None else self._run.offset

    def feed(self, data: bytes) -> None:
        """Takes a read of any size; a frame is emitted as soon as its blank line is here."""
        held = self._held
        if not held and self._frame == _NO_FRAME and self._one_frame(data):
            return
        self._base = self._seen - len(held)
        self._seen += len(data)
        if held:
            if _LF not in data and _CR not in data and len(held) + len(data) <= self._limit:
                held += data
                return
            data = b"".join((held, data))
            held.clear()
        pos, stop = 0, len(data)
        while pos < stop and (self._frame != _NO_FRAME or not data.startswith(_PLAIN, pos)):
            pos = self._advance(data, pos, stop)
        if pos < stop and stop - pos <= self._limit:
            pos = self._plain_frames(data, pos)
        if pos < stop:
            self._through(data, pos, stop)

    def close(self) -> None:
        """Takes the end of the input: a last line without an end is whole if it closes a JSON value, else half a frame.

        A frame whose lines are all ended but not followed by a blank one might have had more: that is noted.
        """
        held = bytes(self._held)
        self._held.clear()
        self._base = self._seen - len(held)
        self._through(held, 0, len(held))
        if self._dead:
            return
        last = self._lines.flush()
        whole = last.rstrip().endswith((b"}", b"]"))
        if whole:
            self._line(last, self._lines.at)
        elif last.strip() and not last.startswith(b":"):
            self._half_frame()
            return
        if self._raw or (self._name and not self._data_lines):
            self._half_frame()
        elif self._dispatch() and not whole:
            self._fault("unterminated_frame", "the last frame is not followed by a blank line", False)

    # The fast path

    def _one_frame(self, data: bytes) -> bool:
        """Takes a read that is just one frame that begins like the last one, as live streams bring them; whether it was that."""
        begin = len(self._head)
        if data[:begin] != self._head:
            return False
        end = -2 if data[-2:] == b"\n\n" else -4 if data[-4:] == b"\r\n\r\n" else 0
        payload = data[begin:end]
        if not payload or _LF in payload or _CR in payload or len(data) > self._limit:
            return False
        self._at = self._seen
        self._seen += len(data)
        self._emit(payload, self._head_name)
        return True

    def _plain_frames(self, data: bytes, pos: int) -> int:
        """Takes frames from data[pos:], which begins like a plain one; returns how far it came.

        The beginning of one more plain frame is held until its line ends, which is looked for in what is new only.
        """
        newline = b"\r\n" if _CR in data else b"\n"
        stop = data.rfind(newline + newline, pos)
        if stop >= 0:
            take = self._bare_frames if data.startswith(_DATA, pos) else self._named_frames
            pos = take(data, pos, stop, newline)
        if self._frame == _NO_FRAME and _UNFINISHED.fullmatch(data, pos):
            self._held += data[pos:]
            return len(data)
        return pos

    def _alike(self, data: bytes, pos: int, stop: int, newline: bytes) -> int:
        """Takes the frames of data[pos:stop] if they all begin like the first one; returns how far it came."""
        head = self._head
        between = newline + newline + head
        frames = data[pos + len(head) : stop].split(between)
        inside = b"".join(frames)
        if _LF in inside or _CR in inside or not all(frames):
            return pos
        run = self._run = Run(frames, self._base + pos, len(between))
        while not self.take_run(run.left, self._head_name):
            self._emit(run.last, self._head_name)
        self._at, self._run = self._base + stop - len(frames[-1]) - len(head), None
        return stop + 2 * len(newline)

    def _emit_each(self, frames: Iterable[bytes], name: str) -> bool:
        """The run of a sink that does not parse."""
        for payload in frames:
            self._emit(payload, name)
        return True

    def _bare_frames(self, data: bytes, pos: int, stop: int, newline: bytes) -> int:
        self._head, self._head_name = _DATA, ""
        if (end := self._alike(data, pos, stop, newline)) > pos:
            return end
        at = self._base + pos
        around = len(_DATA) + 2 * len(newline)
        for payload in data[pos + len(_DATA) : stop].split(newline + newline + _DATA):
            size = len(payload) + around
            if payload and _LF not in payload and _CR not in payload:
                self._at = at
                self._emit(payload, "")
            elif not self._odd_frame(data, at, size):
                return at + size - self._base
            at += size
        return at - self._base

    def _named_frames(self, data: bytes, pos: int, stop: int, newline: bytes) -> int:
        mark = newline + _DATA
        if self._learn(data, pos, stop, mark) and (end := self._alike(data, pos, stop, newline)) > pos:
            return end
        at = self._base + pos
        around = len(_EVENT) + 2 * len(newline)
        crlf = newline == b"\r\n"
        for piece in data[pos + len(_EVENT) : stop].split(newline + newline + _EVENT):
            size = len(piece) + around
            field, _, payload = piece.partition(mark)
            if payload and not (_LF in payload or _LF in field or (crlf and (_CR in payload or _CR in field))):
                self._at = at
                self._emit(payload, _text(field))
            elif not self._odd_frame(data, at, size):
                return at + size - self._base
            at += size
        return at - self._base

    def _learn(self, data: bytes, pos: int, stop: int, mark: bytes) -> bool:
        """How the frame at pos begins, as far as its payload; False if it is not a plain one."""
        end = data.find(mark, pos, stop) + len(mark)
        field = data[pos + len(_EVENT) : end - len(mark)]
        if end <= pos or _LF in field or _CR in field:
            return False
        if data[pos:end] != self._head:
            self._head, self._head_name = data[pos:end], _text(field)
        return True

    def _odd_frame(self, data: bytes, at: int, size: int) -> bool:
        """Reads bytes that turned out not to be one plain frame; False if they left something under way."""
        start = at - self._base
        self._through(data, start, start + size)
        return self._frame == _NO_FRAME

    # The format itself

    def _through(self, data: bytes, pos: int, stop: int) -> None:
        while pos < stop:
            pos = self._advance(data, pos, stop)

    def _advance(self, data: bytes, pos: int, stop: int) -> int:
        """Reads lines of data[pos:stop] up to the end of a frame; returns where it stopped."""
        lines = self._lines
        while pos < stop and not self._dead:
            pos = lines.advance(data, pos, stop, self._base)
            if lines.line is None and not lines.rest:
                break
            begin = lines.at if self._frame == _NO_FRAME else self._frame
            if lines.end - begin > self._limit and lines.line != b"":
                self._give_up(begin)
            elif lines.line is None:
                self._frame = begin
            else:
                self._line(lines.line, lines.at)
                if self._frame == _NO_FRAME:
                    break
        return stop if self._dead else pos

    def _line(self, line: bytes, at: int) -> None:
        if at == 0:
            inked = line.removeprefix(_BOM).lstrip(b" \t")
            at = self._frame = len(line) - len(inked)
            line = inked
        if self._raw:
            if self._raw.continues(line):
                self._raw_json(line, at)
                return
            self._half_frame()
        if not line:
            self._dispatch()
            return
        if self._frame == _NO_FRAME:
            self._frame = at
        if line[0] in b"{[":
            if self._data_lines:
                self._dispatch()
            self._raw_json(line, at)
        else:
            self._field(line, at)

    def _field(self, line: bytes, at: int) -> None:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            if self._data_lines:
                self._data += b"\n"
            self._data += value
            self._data_lines += 1
        elif field == b"event":
            self._name = _text(value)
        elif field == b"id":
            self.last_event_id = _text(value)
        elif field == b"error" and value.startswith(b"{"):
            self._dispatch()
            self._at = at
            self._emit(value, "error")

    def _raw_json(self, line: bytes, at: int) -> None:
        """Reads a line that is JSON without a field: the rest of a value, or some whole ones, then maybe a field."""
        raw, pos = self._raw, 0
        while True:
            if not raw:
                self._frame = at + pos
            pos = raw.add_line(line, pos)
            if pos < 0:
                return
            self._at, self._frame = self._frame, _NO_FRAME
            name, self._name = self._name, ""
            self._emit(raw.take(), name)
            pos = end_of(BETWEEN_VALUES, line, pos)
            if line[pos : pos + 1] not in (b"{", b"["):
                break
        if pos < len(line):
            self._frame = at + pos
            self._field(line[pos:], at + pos)

    def _dispatch(self) -> bool:
        """Ends the frame under way and emits it if it has data; whether it had."""
        payload, name, lines, at = bytes(self._data), self._name, self._data_lines, self._frame
        self._forget()
        if not lines or len(payload) < lines:  # no data, or nothing but empty lines of it
            return False
        self._at = at
        self._emit(payload, name)
        return True

    def _half_frame(self) -> None:
        self._at = self._frame
        self._forget()
        self._fault("partial_frame", "a frame broke off before its end", False)

    def _give_up(self, at: int) -> None:
        self._forget()
        self._lines.rest.clear()
        self._dead = True
        self._at = self._frame = at
        self._fault(*too_long(self._limit))

    def _forget(self) -> None:
        self._frame = _NO_FRAME
        self._name = ""
        self._data.clear()
        self._data_lines = 0
        self._raw.take()


def _text(value: bytes) -> str:
    return str(value, "utf-8", "replace")
