"""AWS event-stream: binary frames with headers and two checksums.

Knows the frame, the types of its headers and the three kinds of message. Must not know what a payload says.
"""

from collections.abc import Mapping
from struct import Struct
from typing import Final
from zlib import crc32

import msgspec

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, too_long

_PRELUDE: Final = Struct(">III")  # length of the frame, length of its headers, checksum of these two
_LENGTHS: Final = 8
_CHECKSUM: Final = 4
_OVERHEAD: Final = 16
_FAILURES: Final = frozenset({"exception", "error"})
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
        self._need = _PRELUDE.size
        self._block = b""
        self._headers: Mapping[str, str] | None = {}
        self._event = ""

    def feed(self, data: bytes) -> None:
        """Takes a read of any size; nothing is looked at before as much of it is here as is needed."""
        if self._dead:
            return
        if self._buffer:
            self._buffer += data
            if len(self._buffer) < self._need:
                return
            data = bytes(self._buffer)
        self._buffer = bytearray(data[self._frames(data) :])

    def close(self) -> None:
        """Takes the end of the input; what is left is half a frame."""
        if self._buffer:
            self._tell("partial_frame", "the input ended inside a frame", False)
            self._buffer.clear()

    def _frames(self, data: bytes) -> int:
        """Tells the frames that are whole, and how far they reach. The checksum of a frame goes on where that of its lengths ends."""
        at, size, self._need = 0, len(data), _PRELUDE.size
        while size - at >= _PRELUDE.size:
            total, headers, checksum = _PRELUDE.unpack_from(data, at)
            running = crc32(data[at : at + _LENGTHS])
            if running != checksum or total > self._limit or not _is_sane(total, headers):
                self._refuse(total, headers, running == checksum)
                return size
            end = at + total
            if end > size:
                self._need = total
                return at
            if crc32(data[at + _LENGTHS : end - _CHECKSUM], running) != _number(data[end - _CHECKSUM : end]):
                self._tell("crc_mismatch", "the checksum of a frame is wrong", True)
                return size
            payload_at = at + _PRELUDE.size + headers
            self._frame(data[at + _PRELUDE.size : payload_at], data[payload_at : end - _CHECKSUM])
            self._at += total
            at = end
        return at

    def _frame(self, block: bytes, payload: bytes) -> None:
        if block != self._block:  # one event type comes many times in a row
            self._block, self._headers = block, _headers(block)
            self._event = _event(self._headers)
        self.offset = self._at
        if self._event:
            self._emit(payload, self._event)
        elif self._headers is None:
            self._tell("malformed_frame", "the headers of a frame cannot be read", False)
        else:
            self._emit(*_told(self._headers, payload))

    def _refuse(self, total: int, headers: int, checked: bool) -> None:
        """These lengths cannot be true, or are too much."""
        if not checked:
            self._tell("crc_mismatch", "the checksum of a frame's lengths is wrong, so where it ends is unknown", True)
        elif total < _OVERHEAD + headers:
            self._tell("malformed_frame", "a frame is shorter than its headers", True)
        elif total > self._limit:
            self._tell(*too_long(self._limit))
        else:
            self._tell("frame_too_large", "a frame has more than 128 KiB of headers or 24 MiB of payload", True)

    def _tell(self, code: str, message: str, fatal: bool) -> None:
        self.offset = self._at
        if fatal:
            self._dead = True
            self._buffer.clear()
        self._fault(code, message, fatal)


def _is_sane(total: int, headers: int) -> bool:
    return headers <= _MAX_HEADERS and _OVERHEAD <= total - headers <= _MAX_PAYLOAD + _OVERHEAD


def _event(headers: Mapping[str, str] | None) -> str:
    """The type of an event; nothing for a failure."""
    if headers is None or headers.get(":message-type", "event") in _FAILURES:
        return ""
    return headers.get(":event-type", "")


def _told(headers: Mapping[str, str], payload: bytes) -> tuple[bytes, str]:
    """Payload and name of a failure. The payload is always an object, so that no failure is taken for a broken frame."""
    if headers.get(":message-type") == "exception":
        told = payload if payload[:1] == b"{" else msgspec.json.encode({"message": _text(payload)})
        return told, "exception:" + headers.get(":exception-type", "")
    if headers.get(":message-type") == "error":
        told = msgspec.json.encode({"message": headers.get(":error-message", "")})
        return told, "error:" + headers.get(":error-code", "")
    return payload, ""


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
