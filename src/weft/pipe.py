"""One stream from one protocol to another: reader, steps and encoder in a row, bytes in and bytes out.

Knows: what stands in the row, and what the caller may ask about it at any time.
Must not know: any protocol; clocks, sockets, files.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypedDict, Unpack

import msgspec

from weft.context import Context
from weft.encoder import Encoder
from weft.errors import Error
from weft.events import End, Event, Note, Outcome
from weft.losses import Loss, Losses
from weft.message import Collector, Message
from weft.protocol import Dialect, ProtocolSpec, resolve
from weft.reader import FilterMaker, Reader
from weft.rules import Limits
from weft.sources import Pieces, Source, take
from weft.steps import Emit, Step, chain
from weft.steps.narrow import by_reads
from weft.steps.restore import restored
from weft.verbatim import MakeEncoder, MakeReader, Unwatched, Verbatim


class PipeOptions(TypedDict, total=False):
    """What `Pipe` and `convert` take beside their ends, for a type checker."""

    dialect: str | Dialect | None
    strict: bool
    filters: Iterable[str | FilterMaker]
    steps: Iterable[Step]
    limits: Limits | None
    keep: bool
    verbatim: bool
    watch: bool
    context: Context | None
    status: int | None
    headers: Mapping[str, str] | None


class Pipe:
    """Incremental conversion. `feed` and `close` give the bytes that are ready; frames of one read leave as one write.

    `verbatim` forwards the frames of one and the same protocol as they came, while a reader watches. With `watch=False` none does: only the last
    frames are looked at, when the source is over, so that `outcome` comes with `close`, `notes` are of those frames, and there is no message.
    """

    def __init__(
        self,
        source: str | ProtocolSpec,
        target: str | ProtocolSpec,
        *,
        dialect: str | Dialect | None = None,
        strict: bool = False,
        filters: Iterable[str | FilterMaker] = (),
        steps: Iterable[Step] = (),
        limits: Limits | None = None,
        keep: bool = True,
        verbatim: bool = False,
        watch: bool = True,
        context: Context | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.last_activity = 0
        self._fed = 0
        self._losses = Losses()

        def make_reader(emit: Callable[[Event], object]) -> Reader:
            return Reader(
                source, emit, dialect=dialect, strict=strict, filters=filters, limits=limits, context=context,
                status=status, headers=headers,
            )  # fmt: skip

        def make_encoder(write: Callable[[bytes], object]) -> Encoder:
            return _encoder(target, write, context or Context(), self._losses)

        self._row: Rebuilt | Verbatim
        if not watch:
            _may_look_away(verbatim=verbatim, strict=strict)
        if verbatim:
            _may_forward(source, target, [*steps], [*filters])
            context = msgspec.structs.replace(context or Context(), response_id=None)  # the message has its own by then
            unseen = not watch and (status is None or status < 400)
            forward = partial(Unwatched, limits=limits or Limits()) if unseen else partial(Verbatim, keep=keep)
            self._row = forward(make_reader, make_encoder)
        else:
            row = restored(None if context is None else context.tools, steps)
            self._row = Rebuilt(make_reader, make_encoder, row, self._losses, keep=keep)

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; give what they amount to in the target's words."""
        self._fed += len(data)
        out = self._row.feed(data)
        if out:
            self.last_activity = self._fed
        return out

    def feed_object(self, value: Any) -> bytes:
        """Take one parsed frame."""
        return self._row.feed_object(value)

    def close(self, error: Error | None = None) -> bytes:
        """The source is over; `error` is the transport's own fault, if that is why. Gives the target's ending, whatever happened."""
        return self._row.close(error)

    @property
    def message(self) -> Message:
        """The message so far, as it left the last step. Needs `keep`."""
        message = self._row.message()
        if message is None:
            raise RuntimeError("this pipe was made with keep=False or watch=False and has no message")
        message.protocol = self._row.reader.spec.name
        return message

    @property
    def losses(self) -> list[Loss]:
        """What this stream had and the target could not say, so far. Forwarded bytes lose nothing."""
        return [] if isinstance(self._row, Verbatim) else self._losses.report()

    @property
    def notes(self) -> list[Note]:
        """What was odd, so far: to the reader, and then to the steps."""
        own = self._row.notes if isinstance(self._row, Rebuilt) else []
        return [*self._row.reader.notes, *own] if own else self._row.reader.notes

    @property
    def outcome(self) -> Outcome | None:
        """How the stream ended, once it has; steps may have had a word in it."""
        rewritten = self._row.outcome if isinstance(self._row, Rebuilt) else None
        return rewritten or self._row.reader.outcome

    @property
    def ending(self) -> bool:
        """Only usage is awaited; whoever reads the socket may close it after a grace."""
        return self._row.reader.ending


class Rebuilt:
    """The row of stages that says a stream again in the target's words. Each stage hands on what a read amounted to in one go."""

    def __init__(
        self,
        make_reader: MakeReader,
        make_encoder: MakeEncoder,
        steps: list[Step],
        losses: Losses,
        *,
        keep: bool,
    ) -> None:
        self.outcome: Outcome | None = None
        self.notes: list[Note] = []
        """Those of the steps."""
        self._out: list[bytes] = []
        self._read: list[Event] = []
        self._said: list[Event] = []
        self._collector = Collector() if keep else None
        self._encoder = make_encoder(self._out.append)
        self._say = by_reads(self._encoder, losses)
        self._step = chain(steps, self._said.append) if steps else None
        self.reader = make_reader(self._read.append)

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes."""
        self.reader.feed(data)
        return self._taken()

    def feed_object(self, value: Any) -> bytes:
        """Take one parsed frame."""
        self.reader.feed_object(value)
        return self._taken()

    def close(self, error: Error | None) -> bytes:
        """The source is over."""
        self.reader.close(error)
        return self._taken()

    def message(self) -> Message | None:
        """The message, if it is kept."""
        return self._collector.message if self._collector is not None else None

    def _taken(self) -> bytes:
        """What the last read amounted to."""
        events = self._read if self._step is None else self._stepped(self._step)
        if not events:
            return b""
        try:
            if self._collector is not None:
                self._collector.feed_all(events)
            self._say(events)
        finally:
            events.clear()
        self._encoder.flush()
        data = b"".join(self._out)
        self._out.clear()
        return data

    def _stepped(self, step: Emit) -> list[Event]:
        """What leaves the last step. One may rewrite the terminal, and say why: then that is what counts. One that raises is the caller's own."""
        events, said = self._read.copy(), self._said
        self._read.clear()
        for event in events:
            step(event)
        told = self.reader.notes
        self.notes += (event for event in said if isinstance(event, Note) and not any(event is note for note in told))
        if said and isinstance(last := said[-1], End):
            self.outcome = last.outcome
        return said


def _may_forward(source: str | ProtocolSpec, target: str | ProtocolSpec, steps: list[Any], filters: list[Any]) -> None:
    """Bytes can be handed on only to their own protocol, and only if nobody wants to change them."""
    if resolve(source)[0].name != resolve(target)[0].name:
        raise ValueError("verbatim needs the same protocol on both ends")
    if steps or filters:
        raise ValueError("verbatim forwards the bytes as they came: steps and filters have no place in it")


def _may_look_away(*, verbatim: bool, strict: bool) -> None:
    """What is rebuilt has to be read, and so has what is to be checked."""
    if strict or not verbatim:
        raise ValueError("watch=False is for verbatim pipes that are not strict: all others look at what they hand on")


def _encoder(target: str | ProtocolSpec, write: Any, context: Context, losses: Losses) -> Encoder:
    spec, _ = resolve(target)
    if spec.encoder is None:
        raise ValueError(f"{spec.name!r} is a source only; `weft protocols` lists the targets")
    return spec.encoder(write, context, losses)


def convert(
    source: Source, source_protocol: str | ProtocolSpec, target: str | ProtocolSpec, **options: Unpack[PipeOptions]
) -> bytes:
    """A whole stream at once: everything that `Pipe` takes may be said here. An exception of the source becomes the target's failure."""
    pipe = Pipe(source_protocol, target, **options)
    pieces = Pieces(source)
    out = [take(pipe, piece) for piece in pieces]
    return b"".join([*out, pipe.close(pieces.fault)])
