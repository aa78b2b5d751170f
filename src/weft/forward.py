"""Bytes that are handed on as they came, but only in whole frames; and an ending of ours in their framing.

Knows: where frames end, by framing. Must not know: what is in them.
A reader beside it watches; this only decides how much may leave.
"""

from collections.abc import Callable, Iterator
from typing import Final

from weft import jsontext
from weft.framing import FRAMERS, Framer
from weft.framing.aws_frames import AWSFrames
from weft.framing.sniff import framing_of

_BLANKS: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")
_LONGEST: Final = 4
_PRELUDE: Final = 12
_FAILURE: Final = AWSFrames("internalServerException", "exception")
_FIRST_BYTES: Final = 4096
"""What does not show by then is what its source is known for."""


class Forward:
    """Gives, for each read, the bytes up to the end of the last whole frame; the rest waits for the next read."""

    def __init__(self, framing: str) -> None:
        self._native = framing
        self._framing = ""
        self._held = bytearray()
        self._searched = 0
        self._given = 0
        self._inner: Framer | None = None
        self._whole = 0  # where in the input the last whole JSON value ends
        self._ends: dict[str, Callable[[], int]] = {
            "sse": self._end_of_lines,
            "aws": self._end_binary,
            "ndjson": self._end_of_line,
            "json_array": self._end_of_value,
        }
        self.last = b""
        """The last bytes that were given."""

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; give what is whole."""
        self._held += data
        if not self._framing:
            if not self._look():
                return b""
            data = bytes(self._held)
        if self._inner is not None:
            self._inner.feed(data)
        end = self._ends[self._framing]() if self._framing in self._ends else 0
        self._searched = max(0, len(self._held) - _LONGEST)
        if end <= 0:
            return b""
        whole = self.last = bytes(self._held[:end])
        del self._held[:end]
        self._given += end
        self._searched = 0
        return whole

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

    def _look(self) -> bool:
        """Is it known by now how these bytes are framed?"""
        framing = framing_of(bytes(self._held[:_FIRST_BYTES]), self._native)
        if framing is None and len(self._held) < _FIRST_BYTES:
            return False
        self._framing = framing or self._native
        if self._framing in ("ndjson", "json_array"):
            self._inner = FRAMERS[self._framing](self._value, _sound)
        return True

    def _value(self, payload: bytes, name: str) -> None:
        """A JSON value is whole."""
        if self._inner is not None:
            self._whole = self._inner.offset + len(payload)

    def _end_of_lines(self) -> int:
        ends = [at + len(blank) for blank in _BLANKS if (at := self._held.rfind(blank, self._searched)) >= 0]
        return max(ends, default=0)

    def _end_of_value(self) -> int:
        return self._whole - self._given

    def _end_of_line(self) -> int:
        end = self._whole - self._given
        return end if end <= 0 else self._held.find(b"\n", end) + 1 or end

    def _end_binary(self) -> int:
        """Frames tell their own length, so they are walked, not searched."""
        end = 0
        while len(self._held) - end >= _PRELUDE:
            length = int.from_bytes(self._held[end : end + 4], "big")
            if length < _PRELUDE or end + length > len(self._held):
                break
            end += length
        return end


def _values(frames: bytes, framing: str) -> Iterator[bytes]:
    """The JSON objects in whole frames."""
    found: list[bytes] = []
    framer = FRAMERS[framing](lambda payload, _: found.append(payload), _sound)
    framer.feed(frames)
    framer.close()
    return (payload for payload in found if payload.startswith(b"{"))


def _sound(code: str, message: str, fatal: bool) -> None:
    """Faults are the reader's to tell."""
