"""One line at a time out of bytes that are cut anywhere.

Knows CR, LF and CRLF, the only line ends there are: U+2028 and its like are text, and legal inside JSON.
Must not know what a line says.
"""

import re
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n?|\n")
_LF: Final = 10


class Lines:
    """A cursor over the lines of a stream; it keeps only the line that is not ended yet."""

    __slots__ = ("_after_cr", "at", "end", "line", "rest")

    def __init__(self) -> None:
        self.line: bytes | None = None
        """The line that `advance` found, without its end; None when the data ran out first."""
        self.at = 0
        """Where in the whole input the line begins."""
        self.end = 0
        """Where in the whole input what is known of the line ends."""
        self.rest = bytearray()
        """What is known of a line that is not ended yet."""
        self._after_cr = False

    def advance(self, data: bytes, pos: int, stop: int, base: int) -> int:
        """Looks for one line in data[pos:stop], which is not empty, data[0] being at `base` of the input; returns where to go on.

        A CR ends its line at once, also at the end of a read: an LF that comes next belongs to it.
        """
        if self._after_cr:
            self._after_cr = False
            pos += data[pos] == _LF
        if not self.rest:
            self.at = base + pos
        found = _LINE_END.search(data, pos, stop)
        if found is None:
            self.rest += data[pos:stop]
            self.line = None
            self.end = base + stop
            return stop
        self.line = self._whole(data[pos : found.start()])
        self.end = base + found.start()
        self._after_cr = found[0] == b"\r"
        return found.end()

    def flush(self) -> bytes:
        """Ends the line under way without a line end."""
        return self._whole(b"")

    def _whole(self, last: bytes) -> bytes:
        if not self.rest:
            return last
        whole = b"".join((self.rest, last))
        self.rest.clear()
        return whole
