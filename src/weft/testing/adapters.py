"""The laws of stream adapters as a function: for whoever writes one.

    from weft.testing import check_adapter
    check_adapter(Parrot, [[chunk, chunk, ...], ...])

Knows: what must hold for every adapter. Must not know: any adapter in particular.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from weft.adapters import ChunkReader, StreamAdapter
from weft.adapters.adapter import classified
from weft.chunks import ProcessedChunk, ProviderError, ProviderErrorType, to_json
from weft.errors import make_error
from weft.testing.laws import LawBrokenError

SECRET: Final = "sk-proj-abcdefghij0123456789"  # noqa: S105 - nobody's
FAILURES: Final[tuple[Any, ...]] = (
    TimeoutError("read timed out"),
    ConnectionResetError("peer went away"),
    {"error": {"type": "rate_limit_error", "message": f"the key {SECRET} is over its rate limit"}},
    {"error": {"code": 503, "message": "overloaded"}},
    "something else",
    make_error("content_blocked", "no", code="SAFETY"),
)
TYPES: Final[frozenset[str]] = frozenset(ProviderErrorType.__args__)
LANGUAGES: Final = ("en", "de_AT", "ja", "zh-TW", "xx")


def check_adapter(factory: Callable[[], StreamAdapter], samples: Iterable[Sequence[Any]]) -> int:
    """Hold the laws against every sample: the raw chunks of one stream, in order. Gives the number of samples."""
    streams = [list(sample) for sample in samples]
    if not streams:
        raise LawBrokenError("there is no sample to hold the laws against")
    for raws in streams:
        whole = _read(factory(), raws)
        _well_formed(whole)
        _same("a second attempt gave other chunks: something is kept beyond one adapter", whole, _read(factory(), raws))
        _side_by_side(factory, raws, whole)
        _prefixes(factory, raws, whole)
    _failures(factory)
    return len(streams)


def _read(adapter: StreamAdapter, raws: Sequence[Any]) -> list[ProcessedChunk]:
    """The chunks of a stream. The adapter's own mistakes come to light here, though in real life they would be error chunks."""
    reader = ChunkReader(adapter)
    chunks: list[ProcessedChunk] = []
    for raw in raws:
        chunks += reader.feed(raw)
    chunks += reader.close()
    error = chunks[-1].error
    if error is not None and error.code == "adapter_failed":
        raise LawBrokenError(f"the adapter raised on a chunk: {error.original_error!r}") from error.original_error
    return chunks


def _well_formed(chunks: Sequence[ProcessedChunk]) -> None:
    ends = [chunk for chunk in chunks if chunk.type in ("done", "error")]
    if ends != [chunks[-1]]:
        raise LawBrokenError(f"a stream ends once, with done or an error, and this one has {len(ends)} ends")
    for chunk in chunks:
        call = chunk.function_call
        if call is not None and (not call.name or not isinstance(call.args, dict)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise LawBrokenError(f"a call has a name and an object of arguments: {call}")
        if chunk.error is not None:
            _whole_error(chunk.error)
        to_json(chunk)


def _whole_error(error: Any) -> None:
    if not isinstance(error, ProviderError):
        raise LawBrokenError(f"handle_provider_error gives a ProviderError, not {error!r}")
    if error.type not in TYPES or not error.code or not error.message or error.retryable not in (True, False):
        raise LawBrokenError(f"an error has a type of the seed, a code, a message and retryable: {error}")
    if error.type == "content_blocked" and error.retryable:
        raise LawBrokenError("blocked content is blocked the next time as well: content_blocked is not retryable")


def _side_by_side(factory: Callable[[], StreamAdapter], raws: Sequence[Any], whole: list[ProcessedChunk]) -> None:
    """Two streams at once, a chunk of the one after a chunk of the other."""
    readers = [ChunkReader(factory()), ChunkReader(factory())]
    told: list[list[ProcessedChunk]] = [[], []]
    for raw in raws:
        for reader, chunks in zip(readers, told, strict=True):
            chunks.extend(reader.feed(raw))
    for reader, chunks in zip(readers, told, strict=True):
        chunks.extend(reader.close())
        _same("two streams at once disturbed each other: something is shared between adapters", whole, chunks)


def _prefixes(factory: Callable[[], StreamAdapter], raws: Sequence[Any], whole: list[ProcessedChunk]) -> None:
    """A stream that breaks off is never told as done, unless all that it had to say was said."""
    for size in range(len(raws)):
        chunks = _read(factory(), raws[:size])
        _well_formed(chunks)
        if chunks[-1].type == "done" and _content(chunks) != _content(whole):
            raise LawBrokenError(f"after {size} of {len(raws)} chunks the stream is told as done, yet content follows")


def _failures(factory: Callable[[], StreamAdapter]) -> None:
    """Whatever fails becomes a whole error, and is told without secrets in any language."""
    for failure in FAILURES:
        adapter = factory()
        error = adapter.handle_provider_error(failure)
        _whole_error(error)
        for language in LANGUAGES:
            told = adapter.create_error_description(error, language)
            if told is not None and SECRET in told:
                raise LawBrokenError(f"the description of an error tells a credential: {told}")
    chunks = ChunkReader(factory()).close(failure := TimeoutError("read timed out"))
    if chunks[-1].error is None or not chunks[-1].error.retryable:
        raise LawBrokenError(f"a stream that broke by {failure!r} has to end in an error: {classified(failure)}")


def _content(chunks: Sequence[ProcessedChunk]) -> tuple[str, list[Any]]:
    return "".join(chunk.content or "" for chunk in chunks), [
        chunk.function_call for chunk in chunks if chunk.function_call
    ]


def _same(law: str, expected: list[ProcessedChunk], actual: list[ProcessedChunk]) -> None:
    if expected != actual:
        at = next(
            (at for at, (a, b) in enumerate(zip(expected, actual, strict=False)) if a != b),
            min(len(expected), len(actual)),
        )
        raise LawBrokenError(f"{law}: chunk {at} was {expected[at : at + 1]}, then {actual[at : at + 1]}")
