"""How an answer is played: its pieces re-cut, its waits scaled, its faults put in.

Knows: pieces and waits. Must not know: sockets, clocks, protocols; whoever plays does the waiting.
"""

import math
import random
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final, Literal

import msgspec

from weft.replay.capture import Chunk, frames_of
from weft.replay.fault import Fault

Ending = Literal["closed", "cut", "stall"]
Split = int | str

SPLITS: Final = "recorded, frames, whole, a number of bytes, or random[:SEED]"
GARBAGE: Final = b'data: {"half":\n\n\x00\xff{]\r\n\r\n'
LARGEST_RANDOM: Final = 400
LONGEST_WAIT: Final = 3600.0


class Manner(msgspec.Struct, frozen=True, kw_only=True):
    """How to play: `speed` 2.0 is twice as fast, 0 is without waiting; `split` is how the body is cut into pieces."""

    speed: float = 1.0
    split: Split = "recorded"


class Play(msgspec.Struct, frozen=True):
    """What is to be sent: after each wait its piece, and how it ends."""

    pieces: tuple[tuple[float, bytes], ...]
    ending: Ending = "closed"


def play(chunks: Iterable[Chunk], manner: Manner, fault: Fault | None = None, *, cut: bool = False) -> Play:
    """The pieces with their waits. A piece is due when its last byte had come."""
    chunks = [chunk for chunk in chunks if chunk.data]
    body = b"".join(chunk.data for chunk in chunks)
    marks, ending = _marks(body, chunks, manner.split), "cut" if cut else "closed"
    place = fault.place(len(body)) if fault is not None else len(body)
    if fault is not None and fault.kind in ("cut", "stall"):
        marks = [mark for mark in marks if mark < place] + ([place] if place else [])
        ending = fault.kind
    ends = list(accumulate(len(chunk.data) for chunk in chunks))
    pieces: list[tuple[float, bytes]] = []
    before, start = 0.0, 0
    for mark in marks:
        due = chunks[min(bisect_right(ends, mark - 1), len(chunks) - 1)].at
        wait = max(0.0, due - before) / manner.speed if manner.speed > 0 else 0.0
        pieces.append((min(wait, LONGEST_WAIT), body[start:mark]))
        start, before = mark, max(before, due)
    if fault is not None and fault.kind == "garbage":
        pieces = list(_with_garbage(pieces, place))
    return Play(tuple(pieces), ending)  # pyright: ignore[reportArgumentType] - one of the words above


def _marks(body: bytes, chunks: list[Chunk], split: Split) -> list[int]:
    """Where each piece ends."""
    if split == "recorded":
        return list(accumulate(len(chunk.data) for chunk in chunks))
    if split == "frames":
        return list(accumulate(map(len, frames_of(body))))
    if split == "whole":
        return [len(body)] if body else []
    if isinstance(split, int):
        return [*range(split, len(body), split), *([len(body)] if body else [])]
    return list(_random_marks(len(body), split.partition(":")[2]))


def _random_marks(size: int, seed: str) -> Iterator[int]:
    chance, mark = random.Random(seed), 0  # noqa: S311 - the same seed is to give the same cuts
    while mark < size:
        mark = min(size, mark + chance.randint(1, LARGEST_RANDOM))
        yield mark


def _with_garbage(pieces: list[tuple[float, bytes]], place: int) -> Iterator[tuple[float, bytes]]:
    """What nobody can read, before the first piece that begins at the place or behind it."""
    sent, done = 0, False
    for wait, piece in pieces:
        if not done and sent >= place:
            yield (0.0, GARBAGE)
            done = True
        yield (wait, piece)
        sent += len(piece)
    if not done:
        yield (0.0, GARBAGE)


def split_named(text: str) -> Split:
    """The way to cut that these words mean. Raises `ValueError` with the ways there are."""
    if text in ("recorded", "frames", "whole") or text.partition(":")[0] == "random":
        return text
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise ValueError(f"{text!r} is no way to cut: {SPLITS}")


def speed_named(text: str) -> float:
    """The speed that this is. Raises `ValueError` on what is none."""
    try:
        speed = float(text)
    except ValueError:
        speed = -1.0
    if not 0 <= speed < math.inf:
        raise ValueError(f"{text!r} is no number from 0 on")
    return speed
