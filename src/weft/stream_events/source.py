"""Any source as typed events: the target's own lines, decoded.

Knows: that the target writes whole lines. Must not know: which event becomes which line; the encoder alone decides that.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from typing import Any

from weft.pipe import Pipe
from weft.protocol import ProtocolSpec
from weft.sources import AsyncPieces, Pieces, Source, take
from weft.stream_events.union import StreamEventV1, from_json

TARGET = "stream-event-v1"


def stream_events(source: Source, protocol: str | ProtocolSpec, **options: Any) -> Iterator[StreamEventV1]:
    """The events of one stream, as they become known; `options` are those of `Pipe`. An exception of the source is an error, then done."""
    return _run(Pipe(protocol, TARGET, keep=False, **options), source)


def astream_events(
    source: AsyncIterable[Any], protocol: str | ProtocolSpec, **options: Any
) -> AsyncGenerator[StreamEventV1, None]:
    """The same for an async source."""
    return _arun(Pipe(protocol, TARGET, keep=False, **options), source)


def _run(pipe: Pipe, source: Source) -> Iterator[StreamEventV1]:
    pieces = Pieces(source)
    for piece in pieces:
        yield from _said(take(pipe, piece))
    yield from _said(pipe.close(pieces.fault))


async def _arun(pipe: Pipe, source: AsyncIterable[Any]) -> AsyncGenerator[StreamEventV1, None]:
    pieces = AsyncPieces(source)
    try:
        async for piece in pieces:
            for event in _said(take(pipe, piece)):
                yield event
    finally:
        await pieces.aclose()
    for event in _said(pipe.close(pieces.fault)):
        yield event


def _said(lines: bytes) -> list[StreamEventV1]:
    """What the target wrote for one piece: whole lines, or nothing."""
    return [from_json(line) for line in lines.split(b"\n") if line]
