"""Writes AWS event-stream: binary frames with headers and two checksums.

Knows the frame. Must not know what a payload says.
Frames of one type differ in payload alone, so all that stands before it is kept, by length, with the checksum up to there.
"""

from struct import Struct
from typing import Final
from zlib import crc32

_LENGTHS: Final = Struct(">II")
_CHECKSUM: Final = Struct(">I").pack
_OVERHEAD: Final = 16
_STRING: Final = 7
_KEPT: Final = 1024


class AWSFrames:
    """The frames of one type. `failure` is `exception` or `error` for a frame that is no event."""

    def __init__(self, name: str, failure: str = "") -> None:
        kind = failure or "event"
        self._headers = b"".join(
            _header(key, value)
            for key, value in (
                (":message-type", kind),
                (f":{kind}-type", name),
                (":content-type", "application/json"),
            )
        )
        self._kept: dict[int, tuple[bytes, int]] = {}

    def framed(self, payload: bytes) -> bytes:
        """One whole frame."""
        before, checksum = self._kept.get(len(payload)) or self._before(len(payload))
        return before + payload + _CHECKSUM(crc32(payload, checksum))

    def _before(self, length: int) -> tuple[bytes, int]:
        lengths = _LENGTHS.pack(_OVERHEAD + len(self._headers) + length, len(self._headers))
        before = lengths + _CHECKSUM(crc32(lengths)) + self._headers
        made = before, crc32(before)
        if len(self._kept) < _KEPT:
            self._kept[length] = made
        return made


def _header(name: str, value: str) -> bytes:
    text = value.encode()
    return bytes([len(name)]) + name.encode() + bytes([_STRING]) + len(text).to_bytes(2, "big") + text
