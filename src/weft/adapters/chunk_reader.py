"""One stream through one adapter: whatever its methods return, in order, with exactly one end.

Knows: what an author may return or get wrong, and that nothing follows an end.
Must not know: providers, clocks, sinks.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from typing import Any, Final

import msgspec

from weft.adapters.adapter import Given, StreamAdapter, classified
from weft.adapters.descriptions import describe
from weft.chunks import ProcessedChunk, ProviderError, ThoughtLogEntry, provider_error
from weft.errors import make_error
from weft.sources import AsyncPieces, Pieces, Source

# What a mistake in an adapter raises. All else that it raises is what its provider's SDK raised.
MISTAKES: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RecursionError, TypeError, ValueError, msgspec.MsgspecError,
)  # fmt: skip


class ChunkReader:
    """`feed` raw chunks, then `close` once; both give chunks. A `done` waits for the end, since usage and even text may follow it.

    `alive` says whether the last raw chunk meant anything.
    """

    def __init__(self, adapter: StreamAdapter) -> None:
        adapter.begin()
        self.adapter = adapter
        self.alive = False
        self._done: ProcessedChunk | None = None
        self._over = False

    @property
    def ending(self) -> bool:
        """The answer is over; only its usage may still come."""
        return self._over or self._done is not None or self.adapter.ending

    def feed(self, raw: Any) -> list[ProcessedChunk]:
        """Take one raw chunk. Exceptions of the adapter are how the stream ended."""
        if self._over:
            return []
        try:
            chunks = self._passed(self.adapter.process_chunk(raw))
            self.alive = any(_says(chunk) for chunk in chunks) or self.adapter.meaningful()
        except Exception as error:  # noqa: BLE001 - an adapter's exception is an error chunk
            self.alive = True
            return self._failed(self._fault(error))
        return chunks

    def close(self, error: Any = None) -> list[ProcessedChunk]:
        """The stream is over; `error` is what broke it: an exception, or anything else that `handle_provider_error` takes."""
        if self._over:
            return []
        fault = None if error is None or self._done is not None else self._handled(error)
        try:
            chunks = self._passed(self.adapter.finish(fault))
        except Exception as mistake:  # noqa: BLE001 - so is one that it raises at the end
            return self._failed(self._fault(mistake))
        if self._over:
            return chunks
        if self._done is None:
            return chunks + self._failed(fault or provider_error(make_error("truncated")))
        self._over = True
        return [*chunks, self._done]

    def described(self, error: ProviderError, locale: str) -> str | None:
        """The error in words for people, by the adapter; by us where it fails."""
        try:
            return self.adapter.create_error_description(error, locale)
        except Exception:  # noqa: BLE001 - somebody waits for an answer
            return describe(error, locale)

    def _passed(self, given: Given) -> list[ProcessedChunk]:
        """What goes on at once; `done` is kept, an error is last."""
        chunks: list[ProcessedChunk] = []
        for chunk in listed(given):
            if chunk.type == "done":
                self._done = chunk if self._done is None else _joined(self._done, chunk)
            elif chunk.type == "error":
                return chunks + self._failed(chunk.error, chunk)
            else:
                chunks.append(chunk)
        return chunks

    def _failed(self, error: ProviderError | None, chunk: ProcessedChunk | None = None) -> list[ProcessedChunk]:
        """The error as the stream's end, with what a `done` had already told."""
        self._over = True
        end = chunk or ProcessedChunk("error", error=error)
        return [end if self._done is None else _joined(self._done, end)]

    def _fault(self, error: Exception) -> ProviderError:
        if isinstance(error, MISTAKES):
            said = make_error("protocol", "A chunk of the provider could not be read.", code="adapter_failed")
            return provider_error(said, error)
        return self._handled(error)

    def _handled(self, error: Any) -> ProviderError:
        try:
            return self.adapter.handle_provider_error(error)
        except Exception:  # noqa: BLE001 - what cannot be classified by the author is classified by us
            return classified(error)


def listed(given: Given) -> list[ProcessedChunk]:
    """What an adapter returned, as a list."""
    if given is None:
        return []
    chunks = [given] if isinstance(given, ProcessedChunk) else list(given)
    for chunk in chunks:
        if not isinstance(chunk, ProcessedChunk):  # pyright: ignore[reportUnnecessaryIsInstance] - authors may err
            raise TypeError(f"an adapter gives ProcessedChunks, not {type(chunk).__name__}")
    return chunks


def process(source: Source, adapter: StreamAdapter) -> Iterator[ProcessedChunk]:
    """The chunks of a whole stream, as they become known. An exception of the source is an error chunk."""
    reader, pieces = ChunkReader(adapter), Pieces(source)
    for raw in pieces:
        yield from reader.feed(raw)
    yield from reader.close(pieces.raised)


async def aprocess(source: AsyncIterable[Any], adapter: StreamAdapter) -> AsyncGenerator[ProcessedChunk, None]:
    """The same for an async source. Whoever closes it closes the source."""
    reader, pieces = ChunkReader(adapter), AsyncPieces(source)
    try:
        async for raw in pieces:
            for chunk in reader.feed(raw):
                yield chunk
    finally:
        await pieces.aclose()
    for chunk in reader.close(pieces.raised):
        yield chunk


def _says(chunk: ProcessedChunk) -> bool:
    return chunk.type != "text" or bool(chunk.content or chunk.thoughts or chunk.metadata)


def _joined(earlier: ProcessedChunk, later: ProcessedChunk) -> ProcessedChunk:
    """One end for two: what the later says counts, what only the earlier said is kept."""
    thoughts: list[ThoughtLogEntry] = [*earlier.thoughts, *later.thoughts]
    return msgspec.structs.replace(
        later,
        thoughts=thoughts,
        serving_provider=earlier.serving_provider or later.serving_provider,
        metadata={**earlier.metadata, **later.metadata},
    )
