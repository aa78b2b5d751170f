"""Bytes that are handed on as they came, but only in whole frames; and an ending of ours in their framing.

Knows: where frames end, by framing. Must not know: what is in them.
A reader beside it watches, if anybody does; this only decides how much may leave.
"""

from collections.abc import Callable, Iterator
from operator import methodcaller
from struct import unpack_from
from typing import Final

from weft import jsontext
from weft.framing import FRAMERS, Framer
from weft.framing.aws_frames import AWSFrames
from weft.framing.sniff import framing_of

_LINE_ENDS: Final = b"\r\n"
_CR: Final = _LINE_ENDS[0]
_LONGEST_BLANK: Final = 4
_PRELUDE: Final = 12
_FAILURE: Final = AWSFrames("internalServerException", "exception")
_FIRST_BYTES: Final = 4096
"""What does not show by then is what its source is known for."""


class Forward:
    """Gives, for each read, the bytes up to the end of the last whole frame; the rest waits for the next read."""

    def __init__(self, framing: str) -> None:
        self.last = b""
        """The last bytes that were given."""
        self._native = framing
        self._framing = ""
        self._held = bytearray()
        self._searched = 0
        self._given = 0
        self._is_whole: Callable[[bytes], bool] = _is_never_whole
        self._end: Callable[[bytes], int] = self._look
        self._values: Framer | None = None
        self._values_from = self._values_to = (
            0  # where in the input what it was given begins, and the last whole value ends
        )

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; give what is whole."""
        held = self._held
        if not held and self._is_whole(data):
            self._given += len(data)
            self.last = data
            return data
        held += data
        end = self._end(data)
        if end > 0:
            self.last = bytes(memoryview(held)[:end])
            del held[:end]
            self._given += end
        self._searched = max(0, len(held) - _LONGEST_BLANK)
        return self.last if end > 0 else b""

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

    def ending(self, frames: bytes, message: str) -> bytes:
        """A failure in frames of ours, which have the native framing, behind those that were given: in the framing of these."""
        if self._framing in ("", self._native):
            return frames
        if self._framing == "aws":
            return _FAILURE.framed(jsontext.line({"message": message}))
        values = [*_values(frames, self._native)]
        if self._framing == "json_array":
            return (b"," if self.last else b"[") + b",".join(values) + b"]\n"
        before, after = (b"data: ", b"\n\n") if self._framing == "sse" else (b"", b"\n")
        return b"".join(before + value + after for value in values)

    def _look(self, _: bytes) -> int:
        """How the bytes are framed shows in the first of them, whatever the source is known for."""
        head = bytes(self._held)
        framing = framing_of(head[:_FIRST_BYTES], self._native)
        if framing is None and len(head) < _FIRST_BYTES:
            return 0
        self._framing = framing or self._native
        ways: dict[str, tuple[Callable[[bytes], bool], Callable[[bytes], int]]] = {
            "sse": (methodcaller("endswith", (b"\n\n", b"\r\n\r\n")), self._end_of_frames),
            "ndjson": (_is_of_whole_lines, self._end_of_lines),
            "json_array": (_is_never_whole, self._end_of_values),
            "aws": (_is_one_frame, self._end_by_length),
        }
        self._is_whole, self._end = ways.get(self._framing, (_is_never_whole, _nowhere))
        return self._end(head)

    def _end_of_frames(self, _: bytes) -> int:
        """Behind the last empty line. Single bytes are looked for: it is many times faster than to look for a blank in each of its spellings."""
        held, searched = self._held, self._searched
        at = held.rfind(b"\n", searched)
        while at > 0:
            if held[at - 2 if at > 1 and held[at - 1] == _CR else at - 1] in _LINE_ENDS:
                return at + 1
            at = held.rfind(b"\n", searched, at)
        return held.rfind(b"\r\r", searched) + 2 if _CR in held and b"\r\r" in held else 0

    def _end_of_values(self, data: bytes) -> int:
        """Behind the last JSON value that is over."""
        if self._values is None:
            self._values_from, data = self._given, bytes(self._held)
            self._values = FRAMERS[self._framing](self._value, _sound)
        self._values.feed(data)
        return self._values_to - self._given

    def _end_of_lines(self, data: bytes) -> int:
        """Behind the line of the last value that is over. Nearly always each line is one; where one takes several they have to be read."""
        held = self._held
        if self._values is None:
            end = held.rfind(b"\n", self._searched) + 1
            if end == 0 or _is_of_whole_lines(held[:end]):
                return end
        end = self._end_of_values(data)
        if end > 0:
            end = held.find(b"\n", end) + 1 or end
            if end == len(held):
                self._values = None
        return end

    def _value(self, payload: bytes, _: str) -> None:
        if self._values is not None:
            self._values_to = self._values_from + self._values.offset + len(payload)

    def _end_by_length(self, _: bytes) -> int:
        """Frames tell their own length, so they are walked, not searched."""
        held, end, last = self._held, 0, len(self._held) - _PRELUDE
        while end <= last:
            length = _length(held, end)
            if length < _PRELUDE or end + length > len(held):
                break
            end += length
        return end


def _is_never_whole(_: bytes) -> bool:
    return False


def _is_of_whole_lines(data: bytes | bytearray) -> bool:
    """Is it lines that are an object each? Every one has to look like that: a value over many lines may end this read with a line that does."""
    return data[:1] == b"{" and data[-2:] == b"}\n" and data.count(b"\n") == data.count(b"}\n{") + 1


def _is_one_frame(data: bytes) -> bool:
    return _length(data) == len(data)


def _length(data: bytes | bytearray, at: int = 0) -> int:
    """How long a binary frame says that it is; 0 where that is not known yet."""
    return unpack_from("!I", data, at)[0] if len(data) >= at + _PRELUDE else 0


def _nowhere(_: bytes) -> int:
    return 0


def _values(frames: bytes, framing: str) -> Iterator[bytes]:
    """The JSON objects in whole frames."""
    found: list[bytes] = []
    framer = FRAMERS[framing](lambda payload, _: found.append(payload), _sound)
    framer.feed(frames)
    framer.close()
    return (payload for payload in found if payload.startswith(b"{"))


def _sound(code: str, message: str, fatal: bool) -> None:
    """Faults are the reader's to tell."""
