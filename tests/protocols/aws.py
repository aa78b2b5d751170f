"""Writes AWS event-stream frames, as Bedrock sends them. The tests' own writer: it must not share code with the reader."""

import json
import struct
import zlib
from typing import Any


def frame(headers: dict[str, str], payload: bytes) -> bytes:
    """One frame with headers that are strings."""
    block = b"".join(
        struct.pack(">B", len(name)) + name.encode() + struct.pack(">BH", 7, len(value.encode())) + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    checked = prelude + struct.pack(">I", zlib.crc32(prelude)) + block + payload
    return checked + struct.pack(">I", zlib.crc32(checked))


def as_json(payload: Any) -> bytes:
    """An object as JSON; bytes as they are."""
    return payload if isinstance(payload, bytes) else json.dumps(payload, ensure_ascii=False).encode()


def event(name: str, payload: Any) -> bytes:
    """One event: its name in the header, its content as JSON."""
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return frame(headers, as_json(payload))


def exception(name: str, payload: Any) -> bytes:
    """A failure that the service's model knows."""
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, as_json(payload))


def error(code: str, message: str) -> bytes:
    """A failure that it does not know."""
    return frame({":error-code": code, ":error-message": message, ":message-type": "error"}, b"")
