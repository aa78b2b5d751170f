"""The row of stages for one protocol on both ends, when the bytes should leave as they came.

Knows: whole frames are forwarded while a reader watches, and a stream that breaks off still gets the target's failure ending.
Must not know: any protocol. Which of the two ways a stream goes is decided once, when the pipe is made.
"""

from collections.abc import Callable
from typing import Any, Final

from weft.encoder import Encoder
from weft.errors import Error
from weft.events import BlockEnd, End, Event, Start
from weft.forward import Forward
from weft.message import Collector, Message
from weft.reader import Reader
from weft.unfold import end, facts, opening, parts, start

_HALVES: Final = frozenset({"broken_frame", "partial_frame"})
MakeEncoder = Callable[[Callable[[bytes], object]], Encoder]


class Verbatim:
    """Forwards; `feed` and `close` give the bytes that may leave."""

    def __init__(
        self, make_reader: Callable[[Callable[[Event], object]], Reader], make_encoder: MakeEncoder, *, keep: bool
    ) -> None:
        self._make_encoder = make_encoder
        self._collector = Collector() if keep else None
        self._unkept = Collector()
        self._reader = make_reader(self._collector.feed if self._collector is not None else self._only_end)
        self._forward = Forward(self._reader.spec.framing)

    @property
    def reader(self) -> Reader:
        """The reader that watches."""
        return self._reader

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes. After something that cannot be understood nothing more is forwarded."""
        self._reader.feed(data)
        return b"" if self._reader.broken else self._forward.feed(data)

    def feed_object(self, value: Any) -> bytes:
        """Parsed frames have no bytes to forward."""
        raise TypeError("a verbatim pipe forwards bytes; parsed objects have none")

    def close(self, error: Error | None) -> bytes:
        """The source is over: its own ending was forwarded; if it had none, it gets one. Half a frame is left out."""
        said, noted = self._reader.said_its_end, len(self._reader.notes)
        self._reader.close(error)
        rest, outcome = self._forward.rest(), self._reader.outcome
        if said or outcome == "completed" or (outcome == "incomplete" and error is None):
            half = any(note.code in _HALVES for note in self._reader.notes[noted:])
            return b"" if half else rest
        return self._ending()

    def message(self) -> Message | None:
        """The message, if it is kept."""
        return self._collector.message if self._collector is not None else None

    def _ending(self) -> bytes:
        """The failure form of the target, as an encoder goes on with it that had said all of the stream so far."""
        message, said = self.message() or self._unkept.message, list[bytes]()
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

    def _only_end(self, event: Event) -> None:
        """Nobody keeps the message, but whose it is and how it ended must be known."""
        if isinstance(event, Start | End):
            self._unkept.feed(event)


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
