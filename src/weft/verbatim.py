"""The row of stages for one protocol on both ends, when the bytes should leave as they came.

Knows: whole frames are forwarded while a reader watches, and a stream that breaks off still gets the target's failure ending.
Must not know: any protocol. Which of the two ways a stream goes is decided once, when the pipe is made.
"""

from collections.abc import Callable
from typing import Any

from weft.encoder import Encoder
from weft.errors import Error
from weft.events import BlockEnd, End, Event
from weft.forward import Forward
from weft.message import Collector, Message
from weft.reader import Reader
from weft.unfold import end, facts, opening, parts, start

MakeEncoder = Callable[[Callable[[bytes], object]], Encoder]


class Verbatim:
    """Forwards; `feed` and `close` give the bytes that may leave."""

    def __init__(
        self, make_reader: Callable[[Callable[[Event], object]], Reader], make_encoder: MakeEncoder, *, keep: bool
    ) -> None:
        self._make_encoder = make_encoder
        self._collector = Collector() if keep else None
        self._unkept = Message()
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
            half = any(note.code == "broken_frame" for note in self._reader.notes[noted:])
            return b"" if half else rest
        return self._ending()

    def message(self) -> Message | None:
        """The message, if it is kept."""
        return self._collector.message if self._collector is not None else None

    def _ending(self) -> bytes:
        """The failure form of the target, as an encoder would say it that had said all of the stream so far."""
        out: list[bytes] = []
        encoder = self._make_encoder(out.append)
        message = self.message() or self._unkept
        encoder.feed(start(message))
        for fact in facts(message):
            encoder.feed(fact)
        whole = parts(message)
        for part in sorted(whole, key=lambda part: not part.complete):
            for event in opening(part):
                encoder.feed(event)
            if part.complete:
                encoder.feed(BlockEnd(part.index, True))
                continue
            encoder.settle()
            mark = len(out)
            encoder.feed(BlockEnd(part.index, False))
            encoder.feed(end(message))
            return b"".join(out[mark:])
        encoder.settle()
        mark = len(out)
        encoder.feed(end(message))
        return b"".join(out[mark:])

    def _only_end(self, event: Event) -> None:
        """Nobody keeps the message, but how it ended must be known."""
        if isinstance(event, End):
            self._unkept.outcome, self._unkept.error = event.outcome, event.error
