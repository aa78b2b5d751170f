"""The shape that every framer has, and the two sinks that it speaks to.

Knows that bytes go in and that payloads and faults come out. Must not know any framing, JSON or provider.
"""

from collections.abc import Callable
from typing import Final, Protocol

Emit = Callable[[bytes, str], object]
"""Takes (payload, name) of one frame."""

Fault = Callable[[str, str, bool], object]
"""Takes (code, message, fatal) of one fault; after a fatal one the framer swallows all further input."""

DEFAULT_LIMIT: Final = 64 << 20
"""The longest frame taken, in bytes: whole images come in one frame, a runaway stream must not eat the memory."""


class Framer(Protocol):
    """Cuts bytes into frames, at any cut of the input, and never raises because of what they are."""

    @property
    def offset(self) -> int:
        """Where, in the whole input, the frame or fault that is being told begins."""
        ...

    def feed(self, data: bytes) -> None: ...

    def close(self) -> None:
        """Takes the end of the input: a last frame that is complete is emitted, half a one is a fault."""
        ...


def too_long(limit: int) -> tuple[str, str, bool]:
    """The fault for a frame that is longer than the limit."""
    return "frame_too_large", f"a frame is longer than the limit of {limit} bytes; raise Limits.frame to take it", True
