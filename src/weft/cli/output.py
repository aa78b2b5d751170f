"""Where a command's output goes: standard output, or the file of `-o`, as it is produced.

Knows: bytes, and what it means when nobody takes them. Must not know: what they say.
"""

import io
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from weft.cli.command import Refused


class Output:
    """A sink that is flushed when there is something to see. What cannot be written is told in one line."""

    def __init__(self, path: str | None = None, *, beside: str | None = None) -> None:
        """`beside` is the input's path, which must not be overwritten while it is read."""
        self._own = path is not None and path != "-"
        try:
            if path is not None and self._own:
                if beside is not None and beside != "-" and Path(path).exists() and Path(path).samefile(beside):
                    raise Refused(f"{path!r} is the input: the output would overwrite it while it is read")
                self._sink: io.BufferedWriter | BinaryIO = io.BufferedWriter(io.FileIO(path, "w"))
            else:
                self._sink = _standard_output()
        except OSError as error:
            raise Refused(f"cannot write {path!r}: {error.strerror}") from None

    @property
    def is_terminal(self) -> bool:
        """Is somebody looking at it?"""
        return self._sink.isatty()

    def write(self, data: bytes) -> None:
        """Take some bytes; they are seen at the next `flush`."""
        try:
            self._sink.write(data)
        except OSError as error:
            raise refused_output(error) from None

    def text(self, line: str) -> None:
        """Take a line of text, in the encoding that standard output has."""
        encoding = (getattr(sys.stdout, "encoding", None) or "utf-8") if not self._own else "utf-8"
        self.write(line.encode(encoding, "backslashreplace"))

    def flush(self) -> None:
        """Let it be seen."""
        try:
            self._sink.flush()
        except OSError as error:
            raise refused_output(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._own:
            self._sink.close()
        elif kind is None:
            self.flush()


def refused_output(error: OSError) -> Refused:
    """Why the output is not taken. The interpreter's own last flush must not fail over it again, so it goes nowhere."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    if isinstance(error, BrokenPipeError):
        return Refused("the output was closed before its end")
    return Refused(f"cannot write: {error.strerror}")


def _standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise Refused("standard output is closed")
    return sys.stdout.buffer
