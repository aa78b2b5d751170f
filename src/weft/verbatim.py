"""The row of stages for one protocol on both ends, when the bytes should leave as they came.

Knows: whole frames are forwarded while a reader watches, and a stream that breaks off still gets the target's failure ending.
Must not know: any protocol. Which of the ways a stream goes is decided once, when the pipe is made.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from weft.encoder import Encoder
from weft.errors import Error, make_error
from weft.events import BlockEnd, End, Event, Start
from weft.forward import Forward
from weft.framing.framer import too_long
from weft.message import Collector, Message
from weft.reader import Reader
from weft.rules import Limits
from weft.unfold import end, facts, opening, parts, start

_HALVES: Final = frozenset({"broken_frame", "partial_frame"})
MakeReader = Callable[[Callable[[Event], object]], Reader]
MakeEncoder = Callable[[Callable[[bytes], object]], Encoder]
_LAST, _ENOUGH = 16, 1 << 11
"""If nobody watched, what so many reads gave at the end is looked at, or less of them if it is so many bytes: finish, usage and terminator may come one by one."""


class Verbatim:
    """Forwards; `feed` and `close` give the bytes that may leave."""

    def __init__(self, make_reader: MakeReader, make_encoder: MakeEncoder, *, keep: bool) -> None:
        self._make_encoder = make_encoder
        self._collector = Collector() if keep else None
        self._read: list[Event] = []
        self._last: deque[Event] = deque(maxlen=1)
        self._reader = make_reader(self._read.append if keep else self._last.append)
        self._forward = Forward(self._reader.spec.framing)

    @property
    def reader(self) -> Reader:
        """The reader that watches."""
        return self._reader

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes. After something that cannot be understood nothing more is forwarded."""
        reader = self._reader
        reader.feed(data)
        if self._read:
            self._fold()
        return b"" if reader.broken else self._forward.feed(data)

    def feed_object(self, value: Any) -> bytes:
        """Parsed frames have no bytes to forward."""
        raise TypeError("a verbatim pipe forwards bytes; parsed objects have none")

    def close(self, error: Error | None) -> bytes:
        """The source is over: its own ending was forwarded; if it had none, it gets one. Half a frame is left out."""
        said, noted = self._reader.said_its_end, len(self._reader.notes)
        self._reader.close(error)
        self._fold()
        rest, outcome = self._forward.rest(), self._reader.outcome
        if said or outcome == "completed" or (outcome == "incomplete" and error is None):
            half = any(note.code in _HALVES for note in self._reader.notes[noted:])
            return b"" if half else rest
        return self._ending()

    def message(self) -> Message | None:
        """The message, if it is kept."""
        return self._collector.message if self._collector is not None else None

    def _fold(self) -> None:
        if self._collector is not None:
            self._collector.feed_all(self._read)
        self._read.clear()

    def _unkept(self) -> Message:
        """Nobody keeps the message, but whose it is and how it ended is known."""
        collector = Collector()
        for event in (self._reader.started, *self._last):
            if isinstance(event, Start | End):
                collector.feed(event)
        return collector.message

    def _ending(self) -> bytes:
        """The failure form of the target, as an encoder goes on with it that had said all of the stream so far."""
        message, said = self.message() or self._unkept(), list[bytes]()
        encoder = self._make_encoder(said.append)
        ending = Tail(encoder, said, self._forward.last)
        ending.skip(start(message), *facts(message))
        for part in parts(message):
            ending.skip(*opening(part))
            if part.complete:
                ending.skip(BlockEnd(part.index, True))
            else:
                ending.keep(encoder.cut, BlockEnd(part.index, False))
        ending.skip()
        ending.keep(encoder.feed, end(message))
        return self._forward.ending(b"".join(ending.frames), message.error.message if message.error is not None else "")


class Unwatched(Verbatim):
    """Forwards without a look at what it is. Once the source is over its last frames are read, which tell how it ended."""

    def __init__(self, make_reader: MakeReader, make_encoder: MakeEncoder, limits: Limits) -> None:
        super().__init__(make_reader, make_encoder, keep=False)
        self._limit = limits.frame
        self._error: Error | None = None
        self._tail: deque[bytes] = deque(maxlen=_LAST)

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes. After a frame that is longer than it may be nothing more is forwarded."""
        whole = self._forward.feed(data)
        if whole:
            self._tail.append(whole)
        elif self._forward.size > self._limit:
            code, why, _ = too_long(self._limit)
            self._error = self._error or make_error("limit", why, code=code)
            self._forward.rest()
        return b"" if self._error is not None else whole

    def close(self, error: Error | None) -> bytes:
        """The source is over: what it said last is whether that was its end."""
        if self._error is None:
            self._reader.feed(self._ending_seen() + self._forward.held)
        return super().close(self._error or error)

    def _ending_seen(self) -> bytes:
        """Whole frames from the end."""
        size, pieces = 0, deque[bytes]()
        for piece in reversed(self._tail):
            size += len(piece)
            pieces.appendleft(piece)
            if size >= _ENOUGH:
                break
        return b"".join(pieces)


class Tail:
    """What an encoder says behind frames that it did not write: it is told what they said, and what it says of that is kept only if there were none."""

    def __init__(self, encoder: Encoder, said: list[bytes], before: bytes) -> None:
        self.frames: list[bytes] = []
        self._encoder = encoder
        self._said = said
        self._before = before

    def skip(self, *events: Event) -> None:
        """What the frames said; without events, that nothing more of it comes."""
        for event in events:
            self._encoder.feed(event)
        if not events:
            self._encoder.settle()
        if not self._before:
            self.frames += self._said
        self._said.clear()

    def keep(self, feed: Callable[[Any], object], event: Event) -> None:
        """What they did not say, by the way in which the encoder takes it."""
        if self._before:
            self._encoder.follow(b"".join(self.frames) or self._before)
        feed(event)
        self.frames += self._said
        self._said.clear()
