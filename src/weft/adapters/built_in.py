"""Adapters for everything that Weft reads: a reader and the chunker in a row, behind the methods of `StreamAdapter`.

Knows: what a raw chunk may be, and when one meant something. Must not know: any protocol.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from weft.adapters.adapter import Given, StreamAdapter, classified
from weft.chunks import ProcessedChunk, ProviderError, RawStreamChunk, error_of
from weft.context import Context
from weft.errors import Error
from weft.events import Event, Note
from weft.losses import Loss, Losses
from weft.protocol import ProtocolSpec
from weft.protocols.processed_chunk import DIALECTS_THAT_WANT_REASONING_BACK, Chunker
from weft.reader import Reader
from weft.sources import take
from weft.steps import Emit, Step, chain
from weft.steps.narrow import narrowed


class ProtocolAdapter(StreamAdapter):
    """The adapter of a protocol by name. Takes bytes cut anywhere, text, parsed frames, an SDK's objects, and the seed's `RawStreamChunk`.

    Options are those of `weft.read`, and `steps`. What chunks cannot say stands in `losses`.
    """

    def __init__(
        self,
        source: str | ProtocolSpec,
        *,
        steps: Iterable[Step] = (),
        context: Context | None = None,
        **options: Any,
    ) -> None:
        self._row = _Row(steps, context)
        self._reader = Reader(source, self._row.emit, context=context, **options)
        self._row.chunker.goes_back = self._reader.dialect.name in DIALECTS_THAT_WANT_REASONING_BACK
        self._begun = self._closed = False
        self.name = self._reader.spec.name

    def begin(self) -> None:
        """Once: what is kept of one stream would be mixed into another."""
        if self._begun:
            raise RuntimeError(f"this adapter of {self.name} has a stream already: make another for each attempt")
        self._begun = True

    def process_chunk(self, raw: Any) -> list[ProcessedChunk]:
        """What the raw chunk completes. A call is said once, when all of it is there."""
        self._row.moved = False
        data = raw.data if isinstance(raw, RawStreamChunk) else raw
        fault = _fault(data, declared=isinstance(raw, RawStreamChunk) and raw.metadata.get("error") is True)
        if fault is not None:
            return self.finish(fault)
        if not self._closed:
            take(self._reader, data)
        return self._row.taken()

    def finish(self, error: ProviderError | None = None) -> list[ProcessedChunk]:
        """The end, as the stream and what broke it amount to."""
        cause = None if error is None else error_of(error)
        if not self._closed:
            self._closed = True
            self._reader.close(cause)
        chunks = self._row.taken()
        if error is not None and chunks and chunks[-1].error is not None and chunks[-1].error.cause is cause:
            chunks[-1] = msgspec.structs.replace(chunks[-1], error=error)
        return chunks

    def meaningful(self) -> bool:
        return self._row.moved

    @property
    def ending(self) -> bool:
        return self._reader.ending or self._reader.done

    @property
    def losses(self) -> list[Loss]:
        """What the stream had and chunks have no place for, so far."""
        return self._row.losses.report()


class EventAdapter(StreamAdapter):
    """For streams that were read already: takes our own events, and chunks as they are."""

    name = "weft"

    def __init__(self, *, steps: Iterable[Step] = (), context: Context | None = None) -> None:
        self._row = _Row(steps, context)

    def process_chunk(self, raw: Any) -> Given:
        """The chunks that an event completes; a chunk is itself."""
        self._row.moved = False
        if isinstance(raw, ProcessedChunk):
            return raw
        if not isinstance(raw, Event):
            raise TypeError(f"without an adapter a stream is of events or ProcessedChunks, not of {type(raw).__name__}")
        self._row.emit(raw)
        return self._row.taken()

    def meaningful(self) -> bool:
        return self._row.moved


class _Row:
    """Steps and the chunker, and whether an event went in that is more than a note."""

    def __init__(self, steps: Iterable[Step], context: Context | None) -> None:
        self.losses = Losses()
        self.moved = False
        self._chunks: list[ProcessedChunk] = []
        self.chunker = Chunker(self._chunks.append, context or Context(), self.losses)
        self._into: Emit = chain(steps, narrowed(self.chunker, self.losses))

    def emit(self, event: Event) -> None:
        """Take one event."""
        self.moved = self.moved or type(event) is not Note
        self._into(event)

    def taken(self) -> list[ProcessedChunk]:
        """The chunks since the last time."""
        chunks = self._chunks[:]
        self._chunks.clear()
        return chunks


def _fault(data: Any, *, declared: bool) -> ProviderError | None:
    """The error that stands in place of a chunk: an exception, an error value, or the seed's `{"error": ProviderError}`, as plain data where the
    chunk's metadata declares it.
    """
    inner: Any = data.get("error") if isinstance(data, Mapping) else data  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if isinstance(inner, BaseException | ProviderError | Error):
        return classified(inner)
    if not declared or not isinstance(inner, Mapping):
        return None
    members: dict[str, Any] = {**inner}
    try:
        return msgspec.convert({"code": members.get("type"), **members}, ProviderError)
    except msgspec.ValidationError:
        return None
