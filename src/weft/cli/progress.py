"""How far a long input has been read, on one line of the terminal.

Knows: the clock and standard error. Must not know: what is read.
"""

import sys
import time

from weft.cli.words import sized

_PATIENCE = 1.0
"""Seconds before anything is shown: what is over sooner needs no progress."""
_EVERY = 0.1


class Progress:
    """A line that is rewritten in place, and gone at the end. Shown only where it disturbs nobody."""

    def __init__(self, size: int | None, *, shown: bool) -> None:
        self._size = size
        self._due = time.monotonic() + _PATIENCE if size and shown and sys.stderr and sys.stderr.isatty() else None
        self._visible = False

    def at(self, position: int) -> None:
        """So many bytes were read."""
        if self._due is None or self._size is None or (now := time.monotonic()) < self._due:
            return
        self._due, self._visible = now + _EVERY, True
        share = min(1.0, position / self._size)
        print(f"\r{share:4.0%} of {sized(self._size)}", end="\x1b[K", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave the line as it was."""
        if self._visible:
            print("\r", end="\x1b[K", file=sys.stderr, flush=True)
            self._visible = False
