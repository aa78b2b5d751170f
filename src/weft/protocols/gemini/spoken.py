"""The visible text of one choice, kept so that positions counted in bytes can be told in characters of a block.

Knows: UTF-8 and where the block under way begins. Must not know: citations, frames, events.
A position is found by search among pieces of bounded size, so that telling many costs no more than they weigh.
"""

from bisect import bisect_left, bisect_right
from typing import Final

_PIECE: Final = 512


class SpokenText:
    """Hears the text as it is said; `cut` says that what comes next is in another block. What was heard is measured when it is asked about."""

    def __init__(self) -> None:
        self._heard: list[str] = []
        self.hear = self._heard.append
        self._pieces: list[str] = []
        self._byte_ends: list[int] = [0]
        self._char_ends: list[int] = [0]
        self._block = 0

    def cut(self) -> None:
        """The block is over."""
        self._measure()
        self._block = self._char_ends[-1]

    def span(self, start: int, end: int, text: str | None) -> tuple[int, int] | None:
        """Bytes `start` to `end` as characters of the block under way; None if they are not in it, or not what `text` says."""
        self._measure()
        first, last = self._character(start), self._character(end)
        if first is None or last is None or not self._block <= first <= last:
            return None
        if text is not None and text != self._between(first, last):
            return None
        return first - self._block, last - self._block

    def _measure(self) -> None:
        for text in self._heard:
            for at in range(0, len(text), _PIECE):
                piece = text[at : at + _PIECE]
                self._pieces.append(piece)
                self._byte_ends.append(self._byte_ends[-1] + len(_utf8(piece)))
                self._char_ends.append(self._char_ends[-1] + len(piece))
        self._heard.clear()

    def _character(self, byte: int) -> int | None:
        at = bisect_left(self._byte_ends, byte)
        if byte < 0 or at == len(self._byte_ends):
            return None
        if byte == self._byte_ends[at]:
            return self._char_ends[at]
        inside = _utf8(self._pieces[at - 1])[: byte - self._byte_ends[at - 1]]
        try:
            return self._char_ends[at - 1] + len(inside.decode("utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            return None

    def _between(self, first: int, last: int) -> str:
        low = bisect_right(self._char_ends, first) - 1
        high = bisect_left(self._char_ends, last)
        start = self._char_ends[low]
        return "".join(self._pieces[low:high])[first - start : last - start]


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
