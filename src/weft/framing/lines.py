"""One line at a time out of bytes that are cut anywhere.

Knows CR, LF and CRLF, the only line ends there are: U+2028 and its like are text, and legal inside JSON.
Must not know what a line says.
"""

import re
from typing import Final

LINE_END: Final = re.compile(rb"\r\n?|\n")
_LF: Final = 10


def all_crlf(data: bytes, pos: int, stop: int) -> bool:
    """Whether each CR and each LF of data[pos:stop] is half of a CRLF."""
    pairs = data.count(b"\r\n", pos, stop)
    return pairs == data.count(b"\n", pos, stop) == data.count(b"\r", pos, stop)


class Lines:
    """A cursor over the lines of a stream; it keeps only the line that is not ended yet."""

    __slots__ = ("after_cr", "at", "end", "line", "rest")

    def __init__(self) -> None:
        self.line: bytes | None = None
        """The line that `advance` found, without its end; None when the data ran out first."""
        self.at = 0
        """Where in the whole input the line begins."""
        self.end = 0
        """Where in the whole input what is known of the line ends."""
        self.rest = bytearray()
        """What is known of a line that is not ended yet."""
        self.after_cr = False
        """The bytes so far end with a CR: an LF that comes next is no line of its own."""

    def advance(self, data: bytes, pos: int, stop: int, base: int) -> int:
        """Looks for one line in data[pos:stop], data[0] being at `base` of the input; returns where to go on.

        A CR ends its line at once, also at the end of a read: an LF that comes next belongs to it.
        """
        if self.after_cr and pos < stop:
            self.after_cr = False
            pos += data[pos] == _LF
        if not self.rest:
            self.at = base + pos
        found = LINE_END.search(data, pos, stop)
        if found is None:
            self.rest += data[pos:stop]
            self.line = None
            self.end = base + stop
            return stop
        self.line = self._whole(data[pos : found.start()])
        self.end = base + found.start()
        self.after_cr = found.end() == stop and found[0] == b"\r"
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
