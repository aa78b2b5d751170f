"""Frames that follow each other in one read, handed over in one go.

Knows: how many of them were taken, and so where in the input the last of these begins. Must not know how frames are cut, or what they say.

A sink that parses takes a run in a loop of its own, which costs a frame no call. Where a frame begins is worked out when somebody asks.
"""

from collections.abc import Callable, Iterable
from operator import length_hint

TakeRun = Callable[[Iterable[bytes], str], bool]
"""Takes frames of one name, up to one that is not the JSON that it was taken for; whether that was none of them."""


class Run:
    """Whole frames with the same number of bytes between them; the first is at `at` of the input."""

    __slots__ = ("_at", "_between", "_counted", "_frames", "left")

    def __init__(self, frames: list[bytes], at: int, between: int) -> None:
        self.left = iter(frames)
        """Those that nobody has taken yet."""
        self._frames = frames
        self._at = at
        self._between = between
        self._counted = 0  # how many of the frames lie before `_at`

    @property
    def last(self) -> bytes:
        """The frame that was taken last."""
        return self._frames[self._taken() - 1]

    @property
    def offset(self) -> int:
        """Where that one begins. Nothing is counted twice, however often it is asked."""
        last = self._taken() - 1
        for frame in self._frames[self._counted : last]:
            self._at += len(frame) + self._between
        self._counted = last
        return self._at

    def _taken(self) -> int:
        return len(self._frames) - length_hint(self.left)
