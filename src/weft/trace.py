"""What came in and what went out of one conversion, raw, for whoever has to find out later why.

    pipe = Traced(weft.Pipe("anthropic", "openai-responses"), records.append)

Knows: the two sides of a pipe, and how much of them to keep. Must not know: protocols, clocks, where records go.
What is kept is bounded: so many bytes of each record, so many in all; beyond that a record still says how much there was.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec

from weft.errors import Error
from weft.pipe import Pipe

PAYLOAD: Final = 16 << 10
TOTAL: Final = 1 << 20

Side = Literal["raw", "transformed"]


class TraceRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One read or write: which side, at which byte of it, how long; `data` is as much of it as was to be kept."""

    side: Side
    offset: int
    size: int
    data: bytes = b""

    @property
    def cut(self) -> bool:
        """There was more than is kept."""
        return len(self.data) < self.size


class Traced:
    """A pipe that tells `write` of each read and each write before it goes on. `feed` and `close` are the pipe's own; all else is asked of `pipe`."""

    def __init__(
        self, pipe: Pipe, write: Callable[[TraceRecord], object], *, payload: int = PAYLOAD, total: int = TOTAL
    ) -> None:
        self.pipe = pipe
        self._write = write
        self._payload = payload
        self._left = total
        self._offsets: dict[Side, int] = {"raw": 0, "transformed": 0}

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes."""
        self._record("raw", data)
        return self._record("transformed", self.pipe.feed(data))

    def feed_object(self, value: Any) -> bytes:
        """Take one parsed frame; the trace has it as JSON."""
        self._record("raw", msgspec.json.encode(value, enc_hook=str))
        return self._record("transformed", self.pipe.feed_object(value))

    def close(self, error: Error | None = None) -> bytes:
        """The source is over."""
        return self._record("transformed", self.pipe.close(error))

    def _record(self, side: Side, data: bytes) -> bytes:
        if data:
            kept = data[: min(self._payload, self._left)]
            self._left -= len(kept)
            self._write(TraceRecord(side, self._offsets[side], len(data), kept))
            self._offsets[side] += len(data)
        return data
