"""A page of HTML where a stream was due: a proxy's or a login's answer, kept to be shown.

Knows only that it is one frame. Must not know HTML.
"""

from typing import Final

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault

_KEPT: Final = 64 << 10
"""As many bytes as are worth showing; a page is not a frame to be refused for its length."""


class Page:
    """Emits (the first 64 KiB of the page, "html") at the end of the input."""

    def __init__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> None:
        self.offset = 0
        self._emit = emit
        self._kept = bytearray()
        self._room = min(_KEPT, limit)

    def feed(self, data: bytes) -> None:
        """Takes a read of any size."""
        self._kept += data[: self._room - len(self._kept)]

    def close(self) -> None:
        """Takes the end of the input."""
        if self._kept:
            page = bytes(self._kept)
            self._kept.clear()
            self._emit(page, "html")
