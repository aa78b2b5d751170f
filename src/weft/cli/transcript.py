"""All that a stream said, frame by frame: the bytes of each, the events that came of them, and what a target was sent for those.

Knows: which event and which output belong to which frame, and which frames to which block. Must not know: how any of it is shown.
"""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from weft.events import (
    ArgsDelta,
    BlockEnd,
    BlockStart,
    End,
    Event,
    Note,
    ReasoningDelta,
    RefusalDelta,
    Start,
    TextDelta,
)

DELTAS = (TextDelta, ReasoningDelta, RefusalDelta, ArgsDelta)
"""What the text of a block comes in."""


class Frame:
    """One frame of the wire. One without a payload is the end of the input, for what was said only then; it comes last."""

    def __init__(self, number: int, offset: int, at: float | None, payload: bytes | None, name: str) -> None:
        self.number = number
        self.offset = offset
        self.at = at
        self.payload = payload
        self.name = name
        self.raw = b""
        self.events: list[Event] = []
        self.output: list[bytes] = []


class Block:
    """One block: where it began and ended, and its text."""

    def __init__(self, start: BlockStart, first: Frame) -> None:
        self.start = start
        self.first = self.last = first
        self.complete: bool | None = None
        self.pieces: list[str] = []
        self.deltas = 0


class Transcript:
    """Takes bytes, frames, events and output as they come; `settle` gives what was said since the last time to its frames."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.blocks: list[Block] = []
        self.notes: list[tuple[Note, Frame]] = []
        self.start: Start | None = None
        self.end: End | None = None
        self.size = 0
        self._input = bytearray()
        self._offsets: list[int] = []
        self._said: list[tuple[int | None, Event | bytes]] = []
        self._tail: Frame | None = None
        self._open: dict[int, Block] = {}
        self._on: dict[type[Event], Callable[[Any, Frame], None]] = {
            Start: self._take_start,
            End: self._take_end,
            Note: lambda note, frame: self.notes.append((note, frame)),
            BlockStart: self._take_block,
            BlockEnd: self._take_block_end,
        }

    def take(self, data: bytes) -> None:
        """Some bytes of the input came."""
        self._input += data
        self.size += len(data)

    def frame(self, offset: int, payload: bytes, name: str, at: float | None) -> None:
        """A frame that begins at `offset` was cut out of them."""
        self._bound(offset)
        self.frames.append(Frame(len(self.frames) + 1, offset, at, payload, name))
        self._offsets.append(offset)

    def say(self, offset: int, thing: Event | bytes, *, over: bool) -> None:
        """The frame at `offset` led to an event, or to output; unless the input is `over` and that frame had its say before."""
        late = over and bool(self._offsets) and offset <= self._offsets[-1]
        self._said.append((None if late else offset, thing))

    def settle(self) -> None:
        """Give each thing that was said to its frame."""
        for offset, thing in self._said:
            frame = self._frame_at(offset)
            if isinstance(thing, bytes):
                frame.output.append(thing)
            else:
                self._take_event(thing, frame)
        self._said.clear()

    def close(self) -> None:
        """Nothing more will come."""
        self.settle()
        self._bound(self.size)
        if self._tail is not None:
            self.frames.append(self._tail)
            self._tail = None

    @property
    def last(self) -> Frame | None:
        """The last frame; after `close` it may be the end of the input."""
        return self.frames[-1] if self.frames else None

    def frame_at(self, offset: int) -> Frame | None:
        """The frame that the byte at `offset` belongs to."""
        at = bisect_right(self._offsets, offset)
        return self.frames[at - 1] if at else None

    def _frame_at(self, offset: int | None) -> Frame:
        frame = self.frame_at(offset) if offset is not None else None
        if frame is not None:
            return frame
        if self._tail is None:
            self._tail = Frame(len(self.frames) + 1, self.size, None, None, "")
        return self._tail

    def _bound(self, offset: int) -> None:
        """The last frame ends where this begins; what stands before the first is shown with it."""
        if self.frames:
            frame = self.frames[-1]
            frame.raw = bytes(self._input[frame.offset if frame.number > 1 else 0 : offset])

    # -- events ----------------------------------------------------------------------------------------------------

    def _take_event(self, event: Any, frame: Frame) -> None:
        frame.events.append(event)
        take = self._on.get(type(event))  # pyright: ignore[reportUnknownArgumentType] - of whatever type it is
        if take is not None:
            take(event, frame)
        elif (block := self._open.get(getattr(event, "index", -1))) is not None:
            block.last = frame
            block.deltas += 1
            if isinstance(event, DELTAS):
                block.pieces.append(event.text)

    def _take_start(self, event: Start, frame: Frame) -> None:
        self.start = event

    def _take_end(self, event: End, frame: Frame) -> None:
        self.end = event

    def _take_block(self, event: BlockStart, frame: Frame) -> None:
        self._open[event.index] = block = Block(event, frame)
        self.blocks.append(block)

    def _take_block_end(self, event: BlockEnd, frame: Frame) -> None:
        block = self._open.pop(event.index)
        block.last, block.complete = frame, event.complete
