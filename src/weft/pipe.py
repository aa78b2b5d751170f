"""One stream from one protocol to another: reader, steps and encoder in a row, bytes in and bytes out.

Knows: what stands in the row, and what the caller may ask about it at any time.
Must not know: any protocol; clocks, sockets, files.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from weft.context import Context
from weft.encoder import Encoder
from weft.errors import Error
from weft.events import End, Event, Note, Outcome
from weft.losses import Loss, Losses
from weft.message import Collector, Message
from weft.protocol import Dialect, ProtocolSpec, resolve
from weft.reader import FilterMaker, Reader
from weft.rules import Limits
from weft.sources import Source, pieces_of, take
from weft.steps import Step, chain
from weft.steps.one_choice import OneChoice
from weft.steps.sequential import Sequential


class Pipe:
    """Incremental conversion. `feed` and `close` give the bytes that are ready; frames of one read leave as one write."""

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
        context: Context | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.last_activity = 0
        self._fed = 0
        self._outcome: Outcome | None = None
        self._out: list[bytes] = []
        self._losses = Losses()
        self._collector = Collector() if keep else None
        self._encoder = _encoder(target, self._out.append, context or Context(), self._losses)
        needs: list[Step] = [] if self._encoder.choices else [OneChoice(self._losses)]
        needs += [Sequential()] if self._encoder.sequential else []
        folds: list[Step] = [self._fold] if keep else []
        self._watched = list(steps)
        emit = chain([*self._watched, *([self._watch] if self._watched else []), *folds, *needs], self._encoder.feed)
        self._reader = Reader(
            source, emit, dialect=dialect, strict=strict, filters=filters, limits=limits, context=context,
            status=status, headers=headers,
        )  # fmt: skip

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes; give what they amount to in the target's words."""
        self._reader.feed(data)
        return self._taken(len(data))

    def feed_object(self, value: Any) -> bytes:
        """Take one parsed frame."""
        self._reader.feed_object(value)
        return self._taken(0)

    def close(self, error: Error | None = None) -> bytes:
        """The source is over; `error` is the transport's own fault, if that is why. Gives the target's ending, whatever happened."""
        self._reader.close(error)
        return self._taken(0)

    @property
    def message(self) -> Message:
        """The message so far, as it left the last step. Needs `keep`."""
        if self._collector is None:
            raise RuntimeError("this pipe was made with keep=False and has no message")
        return self._collector.message

    @property
    def losses(self) -> list[Loss]:
        """What this stream had and the target could not say, so far."""
        return self._losses.report()

    @property
    def notes(self) -> list[Note]:
        """What was odd, so far."""
        return self._reader.notes

    @property
    def outcome(self) -> Outcome | None:
        """How the stream ended, once it has; steps may have had a word in it."""
        return self._outcome if self._watched else self._reader.outcome

    @property
    def ending(self) -> bool:
        """Only usage is awaited; whoever reads the socket may close it after a grace."""
        return self._reader.ending

    def _watch(self, event: Event, emit: Any) -> None:
        """A step may rewrite the terminal: what counts is what leaves the last one."""
        if type(event) is End:
            self._outcome = event.outcome
        emit(event)

    def _fold(self, event: Event, emit: Any) -> None:
        self._collector.feed(event)  # pyright: ignore[reportOptionalMemberAccess] - in the row only with keep
        emit(event)

    def _taken(self, size: int) -> bytes:
        self._fed += size
        self._encoder.flush()
        if not self._out:
            return b""
        self.last_activity = self._fed
        data = b"".join(self._out)
        self._out.clear()
        return data


def _encoder(target: str | ProtocolSpec, write: Any, context: Context, losses: Losses) -> Encoder:
    spec, _ = resolve(target)
    if spec.encoder is None:
        raise ValueError(f"{spec.name!r} is a source only; `weft protocols` lists the targets")
    return spec.encoder(write, context, losses)


def convert(source: Source, source_protocol: str | ProtocolSpec, target: str | ProtocolSpec, **options: Any) -> bytes:
    """A whole stream at once: everything that `Pipe` takes may be said here."""
    pipe = Pipe(source_protocol, target, **options)
    out = [take(pipe, piece) for piece in pieces_of(source)]
    return b"".join([*out, pipe.close()])
