"""Loops around the reader: `read` and `aread`, over bytes, text, parsed frames or the objects of the vendors' SDKs.

Knows: what an iterable of a stream may yield, and that its exceptions become the terminal.
Must not know: any protocol; sockets. The async loop awaits nothing but the source itself.
"""

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any, Protocol, cast

from weft.context import Context
from weft.errors import Error, error_from_exception
from weft.events import AnyEvent, Event
from weft.message import Collector, Message
from weft.plain import plain
from weft.protocol import Dialect, ProtocolSpec
from weft.reader import FilterMaker, Reader
from weft.rules import Limits
from weft.steps import Step, chain
from weft.steps.restore import restored

Source = bytes | bytearray | memoryview | str | Mapping[str, Any] | Iterable[Any]


def read(
    source: Source,
    protocol: str | ProtocolSpec,
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
) -> "Reading":
    """The events of one stream, as they become known, after the `steps` (and the restoring of the tools that `context` names). An exception of the source becomes the terminal.

    Nothing is kept of them and no bytes are written: `keep`, `verbatim` and `watch` are taken so that a pipe's options can be handed over as they are.
    """
    events: list[Event] = []
    reader = Reader(
        protocol, chain(restored(None if context is None else context.tools, steps), events.append),
        dialect=dialect, strict=strict, filters=filters, limits=limits, context=context, status=status, headers=headers,
    )  # fmt: skip
    return Reading(reader.spec.name, _run(reader, events, Pieces(source)))


def aread(
    source: AsyncIterable[Any] | Source,
    protocol: str | ProtocolSpec,
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
) -> "AsyncReading":
    """The same for an async source, or for what is all there already: a whole reply, bytes, a list of pieces."""
    events: list[Event] = []
    reader = Reader(
        protocol, chain(restored(None if context is None else context.tools, steps), events.append),
        dialect=dialect, strict=strict, filters=filters, limits=limits, context=context, status=status, headers=headers,
    )  # fmt: skip
    return AsyncReading(reader.spec.name, _arun(reader, events, AsyncPieces(source)))


class Reading(Iterator[AnyEvent]):
    """The events of one stream, and the name of the `protocol` they are read from. A loop runs over the generator itself."""

    def __init__(self, protocol: str, events: Generator[Event]) -> None:
        self.protocol = protocol
        self._events = cast(Generator[AnyEvent], events)  # the union is closed: there are no others
        self.close = events.close

    def __iter__(self) -> Iterator[AnyEvent]:  # noqa: PYI034 - the generator itself: a loop costs no more than before
        return self._events

    def __next__(self) -> AnyEvent:
        return next(self._events)


class AsyncReading(AsyncIterator[AnyEvent]):
    """The same of an async source."""

    def __init__(self, protocol: str, events: AsyncGenerator[Event]) -> None:
        self.protocol = protocol
        self._events = cast(AsyncGenerator[AnyEvent], events)
        self.aclose = events.aclose

    def __aiter__(self) -> AsyncIterator[AnyEvent]:  # noqa: PYI034 - likewise
        return self._events

    async def __anext__(self) -> AnyEvent:
        return await anext(self._events)


def _run(reader: Reader, events: list[Event], pieces: "Pieces") -> Generator[Event]:
    for piece in pieces:
        take(reader, piece)
        if events:
            yield from events
            events.clear()
    reader.close(pieces.fault)
    yield from events


async def _arun(reader: Reader, events: list[Event], pieces: "AsyncPieces") -> AsyncGenerator[Event]:
    try:
        async for piece in pieces:
            take(reader, piece)
            if events:
                for event in events:
                    yield event
                events.clear()
    finally:
        await pieces.aclose()
    reader.close(pieces.fault)
    for event in events:
        yield event


class Stage(Protocol):
    """What takes the pieces of a source: a reader, or a pipe."""

    def feed(self, data: bytes) -> Any: ...

    def feed_object(self, value: Any) -> Any: ...


def take(stage: Stage, piece: Any) -> Any:
    """Hand one piece of a source on: bytes and text as bytes, anything else as one parsed frame. Gives what the stage gives."""
    if isinstance(piece, bytes):
        return stage.feed(piece)
    if isinstance(piece, str):
        return stage.feed(piece.encode("utf-8", "surrogatepass"))
    if isinstance(piece, (bytearray, memoryview)):
        return stage.feed(bytes(piece))  # pyright: ignore[reportUnknownArgumentType] - of any item type
    return stage.feed_object(plain(piece))


class Pieces:
    """The pieces of a source, once. Whatever it raises is how the stream ended, and is kept: as `raised`, and as the `fault` that it amounts to.

    What is no source is refused.
    """

    def __init__(self, source: Source) -> None:
        self.fault: Error | None = None
        self.raised: Exception | None = None
        pieces = pieces_of(source)
        try:
            self._pieces = iter(pieces)
        except Exception as error:  # noqa: BLE001 - whatever it is, the source could not begin
            self.raised, self.fault, self._pieces = error, error_from_exception(error), iter(())

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._pieces)
        except StopIteration:
            raise
        except Exception as error:
            self.raised, self.fault = error, error_from_exception(error)
            raise StopIteration from error


class AsyncPieces:
    """The same of an async source. Whoever leaves it closes it, and with it the source: whoever sends is to know at once."""

    def __init__(self, source: AsyncIterable[Any] | Source) -> None:
        self.fault: Error | None = None
        self.raised: Exception | None = None
        pieces = _async_stream(source) or _at_hand(cast(Source, source))
        try:
            self._pieces: AsyncIterator[Any] = aiter(pieces)
        except Exception as error:  # noqa: BLE001 - as above
            self.raised, self.fault, self._pieces = error, error_from_exception(error), _at_hand([])

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return await anext(self._pieces)
        except StopAsyncIteration:
            raise
        except Exception as error:
            self.raised, self.fault = error, error_from_exception(error)
            raise StopAsyncIteration from error

    async def aclose(self) -> None:
        """Close the source, if it is one that can be."""
        close = getattr(self._pieces, "aclose", None)
        if close is not None:
            await close()


def _at_hand(source: Source) -> AsyncGenerator[Any]:
    """The pieces of what is all there, which nobody has to wait for. What would hold up the loop is refused."""
    pieces = pieces_of(source)
    if not isinstance(pieces, list | tuple):
        raise TypeError(f"{type(source).__name__!r} is no async source; weft.read reads it")

    async def each() -> AsyncGenerator[Any]:
        for piece in pieces:
            yield piece

    return each()


def pieces_of(source: Source) -> Iterable[Any]:
    """What to iterate over: one piece of bytes, text, a parsed frame or an SDK's whole reply is a source of its own."""
    one: tuple[Any] = (source,)
    if isinstance(source, bytes | bytearray | memoryview | str) or hasattr(source, "model_dump"):
        return one
    awaited = _async_stream(source)
    if awaited is not None and not hasattr(awaited, "__iter__"):
        raise TypeError(f"{type(awaited).__name__!r} is an async source; weft.aread reads it")
    if isinstance(source, Mapping):
        return next(filter(_is_stream, _members(source)), one)
    if not hasattr(source, "__iter__"):
        raise TypeError(
            f"{type(source).__name__!r} is no source: bytes, text, a parsed frame, an SDK's object, or an iterable of them"
        )
    return source


def _members(source: Any) -> Collection[Any]:
    """What a mapping holds. boto3's replies are plain data but for one member, which is the stream, or the body as a file."""
    return cast("Mapping[str, Any]", source).values() if isinstance(source, Mapping) else ()


def _async_stream(source: Any) -> AsyncIterable[Any] | None:
    """The source itself, or a member, if it is an async stream."""
    return next((one for one in (source, *_members(source)) if hasattr(one, "__aiter__")), None)


def _is_stream(member: Any) -> bool:
    return hasattr(member, "__iter__") and not isinstance(
        member, str | bytes | bytearray | memoryview | Mapping | Sequence
    )


async def acollect(events: AsyncIterable[Event]) -> Message:
    """The message that an async stream of events amounts to."""
    collector = Collector(getattr(events, "protocol", None))
    async for event in events:
        collector.feed(event)
    return collector.message
