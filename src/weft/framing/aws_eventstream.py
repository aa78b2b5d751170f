"""AWS event-stream: binary frames with headers and two checksums.

Knows the frame, the types of its headers and the three kinds of message. Must not know what a payload says.
"""

from collections.abc import Mapping
from typing import Final
from zlib import crc32

import msgspec

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, too_long

_PRELUDE: Final = 12  # length of the frame, length of its headers, checksum of these two
_CHECKSUM: Final = 4
_MAX_HEADERS: Final = 128 << 10
_MAX_PAYLOAD: Final = 24 << 20

_TRUE, _FALSE, _BYTES, _STRING = 0, 1, 6, 7
_FIXED_WIDTH: Final = {_TRUE: 0, _FALSE: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of a header value by its type: booleans, integers, a timestamp, a UUID. Bytes and strings tell their own length."""


class AWSEventStream:
    """Emits (payload, event type); an exception's name is `exception:TYPE`, that of an error `error:CODE`."""

    def __init__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> None:
        self.offset = 0
        self._emit = emit
        self._fault = fault
        self._limit = limit
        self._dead = False
        self._at = 0  # where in the input the buffer begins
        self._buffer = bytearray()
        self._need = _PRELUDE
        self._block = b""
        self._headers: Mapping[str, str] | None = {}

    def feed(self, data: bytes) -> None:
        """Takes a read of any size; nothing is looked at before as much of it is here as is needed."""
        if self._dead:
            return
        self._buffer += data
        while len(self._buffer) >= self._need and not self._dead:
            if self._need == _PRELUDE:
                self._prelude()
            else:
                self._frame()

    def close(self) -> None:
        """Takes the end of the input; what is left is half a frame."""
        if self._buffer:
            self._tell("partial_frame", "the input ended inside a frame", False)
            self._buffer.clear()

    def _prelude(self) -> None:
        head = bytes(self._buffer[:_PRELUDE])
        total, headers = _number(head[:4]), _number(head[4:8])
        overhead = _PRELUDE + _CHECKSUM
        if crc32(head[:8]) != _number(head[8:]):
            self._tell("crc_mismatch", "the checksum of a frame's lengths is wrong, so where it ends is unknown", True)
        elif total < overhead + headers:
            self._tell("malformed_frame", "a frame is shorter than its headers", True)
        elif total > self._limit:
            self._tell(*too_long(self._limit))
        elif headers > _MAX_HEADERS or total - overhead - headers > _MAX_PAYLOAD:
            self._tell("frame_too_large", "a frame has more than 128 KiB of headers or 24 MiB of payload", True)
        else:
            self._need = total

    def _frame(self) -> None:
        frame = bytes(self._buffer[: self._need])
        if crc32(frame[:-_CHECKSUM]) != _number(frame[-_CHECKSUM:]):
            self._tell("crc_mismatch", "the checksum of a frame is wrong", True)
            return
        payload_at = _PRELUDE + _number(frame[4:8])
        block = frame[_PRELUDE:payload_at]
        if block != self._block:  # one event type comes many times in a row
            self._block, self._headers = block, _headers(block)
        if self._headers is None:
            self._tell("malformed_frame", "the headers of a frame cannot be read", False)
        else:
            self.offset = self._at
            self._emit(*_told(self._headers, frame[payload_at:-_CHECKSUM]))
        del self._buffer[: len(frame)]
        self._at += len(frame)
        self._need = _PRELUDE

    def _tell(self, code: str, message: str, fatal: bool) -> None:
        self.offset = self._at
        if fatal:
            self._dead = True
            self._buffer.clear()
        self._fault(code, message, fatal)


def _told(headers: Mapping[str, str], payload: bytes) -> tuple[bytes, str]:
    """Payload and name of a message. That of a failure is always an object, so that no failure is taken for a broken frame."""
    kind = headers.get(":message-type", "event")
    if kind == "exception":
        told = payload if payload[:1] == b"{" else msgspec.json.encode({"message": _text(payload)})
        return told, "exception:" + headers.get(":exception-type", "")
    if kind == "error":
        told = msgspec.json.encode({"message": headers.get(":error-message", "")})
        return told, "error:" + headers.get(":error-code", "")
    return payload, headers.get(":event-type", "")


def _headers(block: bytes) -> Mapping[str, str] | None:
    """The headers that are strings, by name, or None if the block is not made of headers."""
    found: dict[str, str] = {}
    pos, size = 0, len(block)
    while pos < size:
        kind_at = pos + 1 + block[pos]
        if kind_at >= size:
            return None
        name, kind = _text(block[pos + 1 : kind_at]), block[kind_at]
        pos = kind_at + 1
        if kind in {_BYTES, _STRING}:
            width = _number(block[pos : pos + 2])
            pos += 2
        elif kind in _FIXED_WIDTH:
            width = _FIXED_WIDTH[kind]
        else:
            return None
        end = pos + width
        if end > size:
            return None
        if kind == _STRING:
            found[name] = _text(block[pos:end])
        pos = end
    return found


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _text(data: bytes) -> str:
    return str(data, "utf-8", "replace")
