"""Where a command's output goes: standard output, or the file of `-o`, as it is produced.

Knows: bytes, and what it means when nobody takes them. Must not know: what they say.
"""

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from weft.cli.command import Refused
from weft.cli.words import cause


class Output:
    """A sink that is flushed when there is something to see. What cannot be written is told in one line.

    A file is opened at once, so that a bad name is told at once, and emptied at the first write: what is refused changes no file.
    """

    def __init__(self, path: str | None = None, *, beside: str | None = None) -> None:
        """`beside` is the input's path, which must not be overwritten while it is read."""
        self._path = None if path == "-" else path
        self._begun = self._path is None
        self._sink: io.BufferedWriter | BinaryIO
        if self._path is None:
            self._sink = _standard_output()
            return
        try:
            self._new = not Path(self._path).exists()
            if beside is not None and beside != "-" and not self._new and Path(self._path).samefile(beside):
                raise Refused(f"{self._path!r} is the input: the output would overwrite it while it is read")
            self._sink = io.BufferedWriter(io.FileIO(self._path, "w", opener=_as_it_is))
        except OSError as error:
            raise self._refused(error) from None

    @property
    def is_terminal(self) -> bool:
        """Is somebody looking at it?"""
        return self._sink.isatty()

    def write(self, data: bytes) -> None:
        """Take some bytes; they are seen at the next `flush`."""
        self._begin()
        try:
            self._sink.write(data)
        except OSError as error:
            raise self._refused(error) from None

    def text(self, line: str) -> None:
        """Take a line of text, in the encoding that standard output has."""
        encoding = (getattr(sys.stdout, "encoding", None) or "utf-8") if self._path is None else "utf-8"
        self.write(line.encode(encoding, "backslashreplace"))

    def flush(self) -> None:
        """Let it be seen."""
        try:
            self._sink.flush()
        except OSError as error:
            raise self._refused(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._begin()
            self.flush()
        if self._path is None:
            return
        with suppress(OSError):  # was told by the write that failed
            self._sink.close()
        if self._new and not self._begun:
            Path(self._path).unlink(missing_ok=True)

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            with suppress(OSError):  # a device or a pipe has nothing to be emptied of
                self._sink.truncate(0)

    def _refused(self, error: OSError) -> Refused:
        return refused_output(error) if self._path is None else Refused(f"cannot write {self._path!r}: {cause(error)}")


def _as_it_is(path: str, flags: int) -> int:
    """Open without emptying."""
    return os.open(path, flags & ~os.O_TRUNC, 0o666)


def refused_output(error: OSError) -> Refused:
    """Why the output is not taken. The interpreter's own last flush must not fail over it again, so it goes nowhere."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    if isinstance(error, BrokenPipeError):
        return Refused("the output was closed before its end")
    return Refused(f"cannot write: {cause(error)}")


def _standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise Refused("standard output is closed")
    return sys.stdout.buffer
