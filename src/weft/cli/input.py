"""Where a command's input comes from: a file, or standard input, read as it comes.

Knows: files and pipes, and how to say that one cannot be read. Must not know: what the bytes are.
"""

import io
import os
import stat
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from weft.cli.command import Refused, say
from weft.cli.words import cause, one_line

_READ = 64 << 10


class Input:
    """Bytes from a file or from standard input. A read gives what is there: it never waits for more."""

    def __init__(self, name: str, *, quiet: bool = False) -> None:
        self.name = "standard input" if name == "-" else one_line(name)
        self.path = None if name == "-" else name
        self.position = 0
        try:
            self._raw = io.FileIO(self.path) if self.path is not None else _standard_input()
            self.size = _size_of(self._raw)
        except (OSError, ValueError) as error:
            raise self.refused(error) from None
        if self._raw.isatty() and not quiet:
            say("weft: reading from the terminal; Ctrl-D ends it")

    @property
    def is_live(self) -> bool:
        """Does it come over time, so that when it came says something?"""
        return self.size is None

    def refused(self, error: OSError | ValueError) -> Refused:
        """Why it cannot be read, in one line."""
        return Refused(f"cannot read {self.name}: {cause(error)}")

    def chunks(self) -> Iterator[bytes]:
        """What is there, again and again until the end. Raises OSError where it breaks off."""
        while data := self._raw.read(_READ):
            self.position += len(data)
            yield data

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.path is not None:
            self._raw.close()


def _standard_input() -> io.FileIO:
    if sys.stdin is None:
        raise OSError(0, "standard input is closed")
    return io.FileIO(sys.stdin.fileno(), closefd=False)


def _size_of(raw: io.FileIO) -> int | None:
    """The size of a regular file; None for what has none."""
    status = os.fstat(raw.fileno())
    return status.st_size if stat.S_ISREG(status.st_mode) else None
