"""Members that stand beside known ones and that nobody reads: counted over a stream, for those who ask for a full report.

Knows: that frames are cut a second time, and looked into. Must not know: any protocol; the reader says which members it reads.
"""

import re
from collections import Counter
from typing import Final

from weft.framing.sniff import Sniffer
from weft.losses import Losses
from weft.reader import Reader

_PLACES: Final = re.compile(r"\[[0-9]+\]")
_MOST: Final = 1000
"""So many different members are told apart: a hostile stream has a new one in each frame."""


class Unread:
    """Counts, by the member's path without places in lists, the frames that have it."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def frame(self, reader: Reader, data: bytes, name: str) -> None:
        """Look into one frame."""
        for path in dict.fromkeys(_PLACES.sub("", path) for path in reader.unread(data, name)):
            if path in self.counts or len(self.counts) < _MOST:
                self.counts[path] += 1

    def report(self, losses: Losses) -> None:
        """What nobody reads, nobody can say."""
        for path, count in self.counts.items():
            for _ in range(count):
                losses.add("member", "this version does not read it", path)


class UnreadBytes:
    """The same for a stream that nobody else cuts into frames."""

    def __init__(self, frame_limit: int) -> None:
        self._limit = frame_limit
        self._frames: Sniffer | None = None
        self._reader: Reader | None = None
        self.unread = Unread()

    def feed(self, reader: Reader, data: bytes) -> None:
        """Take what the reader is about to get."""
        if self._frames is None:
            self._reader = reader
            self._frames = Sniffer(self._frame, _ignore, self._limit, reader.spec.framing)
        self._frames.feed(data)

    def report(self, losses: Losses) -> None:
        """The input is over."""
        if self._frames is not None:
            self._frames.close()
        self.unread.report(losses)

    def _frame(self, data: bytes, name: str) -> None:
        if self._reader is not None:
            self.unread.frame(self._reader, data, name)


def _ignore(code: str, message: str, fatal: bool) -> None:
    """The reader tells of the same fault."""
