"""Seed 004's adapter: a stream's chunks in, VS Code's response parts out, for as many streams at once as one likes.

    adapter = VSCodeStreamAdapter(enable_reasoning=True, on_unknown_chunk=None, logger=None)
    usage = await adapter.process_stream(response.full_stream, progress)

Knows: what its caller wants to hear of (parts, usage, unknown chunks, failures), and that all state belongs to one stream.
Must not know: chunks and their mapping. A source's reader and the target `vscode` make the parts; here they are only handed on.
"""

import logging  # noqa: TID251 - the default of an option whose default is the console
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Generator, Iterable
from typing import Any, Final, cast
from typing import Protocol as Shape

import msgspec

from weft.context import Context
from weft.errors import Error
from weft.events import BlockStart, End, Event, Note, Unknown, Usage
from weft.pipe import Pipe
from weft.protocol import ProtocolSpec
from weft.sources import AsyncPieces, Pieces, pieces_of, take
from weft.steps.tap import Tap
from weft.vscode.parts import LanguageModelResponsePart, LanguageModelTextPart, from_json

NO_RESPONSE: Final = "**Error**: No response received from model. Please try again."
"""Said where a stream had nothing at all, and nothing went wrong either."""

# Notes on a chunk that nobody can read. Of parsed chunks even an empty one is that: keep-alives are for bytes.
_UNREADABLE: Final = frozenset({"broken_frame", "keepalive_as_data"})

# Losses that people may miss in what they see; the rest is of interest to who debugs.
_MISSED: Final = frozenset({"tool_call", "file", "executor"})

# Losses of the parts that are told in another way.
_TOLD: Final = frozenset({"usage", "unknown", "error_detail"})


class StreamUsage(msgspec.Struct, frozen=True, rename="camel"):
    """Token counts of one stream; None where nobody said."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Progress(Shape):
    """VS Code's own: where parts are reported."""

    def report(self, value: Any, /) -> object: ...


class AdapterLogger(Shape):
    """What is asked of a logger; Python's own will do."""

    def debug(self, msg: str, /, *args: Any) -> object: ...

    def warning(self, msg: str, /, *args: Any) -> object: ...

    def error(self, msg: str, /, *args: Any) -> object: ...


class _Options(msgspec.Struct, frozen=True):
    thinks: bool
    on_unknown_chunk: Callable[[Any], object] | None
    on_error: Callable[[Error], object] | None
    log: AdapterLogger


class VSCodeStreamAdapter:
    """Options, and the usage of the stream that finished last. Everything else is made for each stream anew.

    `thinking_available` is false for hosts without a thinking part. `on_error` is told of a failure after its text was reported: an error
    text alone looks like an answer to VS Code, and an exception raised there reaches whoever drives the stream.
    """

    def __init__(
        self,
        *,
        enable_reasoning: bool = True,
        on_unknown_chunk: Callable[[Any], object] | None = None,
        logger: AdapterLogger | None = None,
        thinking_available: bool = True,
        on_error: Callable[[Error], object] | None = None,
    ) -> None:
        log = logger or logging.getLogger("weft.vscode")
        self._options = _Options(enable_reasoning and thinking_available, on_unknown_chunk, on_error, log)
        self._usage = StreamUsage()

    async def process_stream(
        self,
        stream: AsyncIterable[Any] | Iterable[Any],
        progress: Progress,
        *,
        protocol: str | ProtocolSpec = "ai-sdk",
        **options: Any,
    ) -> StreamUsage:
        """Report every part of a stream, and give that stream's usage. `options` are those of `Pipe`."""
        turn = _Turn(self._options, protocol, options)
        parts = self._parts(turn, stream)
        try:
            async for part in parts:
                progress.report(part)
        finally:
            await parts.aclose()
        return turn.usage

    def adapt_stream(
        self, stream: AsyncIterable[Any] | Iterable[Any], *, protocol: str | ProtocolSpec = "ai-sdk", **options: Any
    ) -> AsyncGenerator[LanguageModelResponsePart, None]:
        """The parts of a stream, as they become known."""
        return self._parts(_Turn(self._options, protocol, options), stream)

    def process_stream_sync(
        self, stream: Iterable[Any], progress: Progress, *, protocol: str | ProtocolSpec = "ai-sdk", **options: Any
    ) -> StreamUsage:
        """`process_stream` without waiting."""
        turn = _Turn(self._options, protocol, options)
        for part in self._parts_sync(turn, stream):
            progress.report(part)
        return turn.usage

    def adapt_stream_sync(
        self, stream: Iterable[Any], *, protocol: str | ProtocolSpec = "ai-sdk", **options: Any
    ) -> Generator[LanguageModelResponsePart, None, None]:
        """`adapt_stream` without waiting."""
        return self._parts_sync(_Turn(self._options, protocol, options), stream)

    def get_usage(self) -> StreamUsage:
        """The usage of the stream that finished last; a value that nothing changes."""
        return self._usage

    async def _parts(
        self, turn: "_Turn", stream: AsyncIterable[Any] | Iterable[Any]
    ) -> AsyncGenerator[LanguageModelResponsePart, None]:
        pieces = AsyncPieces(_awaited(stream))
        try:
            async for chunk in pieces:
                for part in turn.take(chunk):
                    yield part
        finally:
            await pieces.aclose()
        for part in self._finished(turn, pieces.fault):
            yield part
        turn.told()

    def _parts_sync(self, turn: "_Turn", stream: Iterable[Any]) -> Generator[LanguageModelResponsePart, None, None]:
        pieces = Pieces(stream)
        for chunk in pieces:
            yield from turn.take(chunk)
        yield from self._finished(turn, pieces.fault)
        turn.told()

    def _finished(self, turn: "_Turn", fault: Error | None) -> list[LanguageModelResponsePart]:
        parts = turn.close(fault)
        self._usage = turn.usage
        return parts


class _Turn:
    """One stream: its row of stages, its usage, and what it had to say beside its parts."""

    def __init__(self, wanted: _Options, protocol: str | ProtocolSpec, options: dict[str, Any]) -> None:
        self.usage = StreamUsage()
        self._wanted = wanted
        self._log = wanted.log
        self._chunks = 0
        self._spoke = False
        self._error: Error | None = None
        self._unknown: list[Unknown] = []
        self._unreadable = False
        self._warned: set[str] = set()
        if not wanted.thinks:
            context = options.get("context") or Context()
            options = {**options, "context": msgspec.structs.replace(context, profile="no-thinking")}
        steps = [Tap(self._look), *options.pop("steps", ())]
        self._pipe = Pipe(protocol, "vscode", steps=steps, keep=False, **options)

    def take(self, chunk: Any) -> list[LanguageModelResponsePart]:
        """The parts of one chunk (mostly one), after whoever asked for unknown chunks was told if it is such."""
        self._chunks += 1
        lines = take(self._pipe, chunk)
        if self._unknown or self._unreadable:
            self._tell_unknown(chunk)
        return self._parts(lines)

    def close(self, fault: Error | None) -> list[LanguageModelResponsePart]:
        """The last parts: what was buffered, and the text of what went wrong."""
        parts = self._parts(self._pipe.close(fault))
        for loss in self._pipe.losses:
            level = self._log.warning if loss.what in _MISSED else self._log.debug
            if loss.what not in _TOLD:
                level("%s: lost %s (%d): %s", loss.where, loss.what, loss.count, loss.why)
        nothing = fault is None if not self._chunks else self._error is None
        return [LanguageModelTextPart(NO_RESPONSE)] if nothing and not self._spoke else parts

    def told(self) -> None:
        """All parts were handed on: a failure is due where somebody wants to hear of it."""
        if self._error is not None and self._error.type != "cancelled" and self._wanted.on_error is not None:
            self._wanted.on_error(self._error)

    def _look(self, event: Event) -> None:
        """Keep what the parts do not say."""
        kind = type(event)
        if kind is BlockStart:
            self._spoke = True
        elif isinstance(event, Usage):
            self.usage = StreamUsage(event.input_tokens, event.output_tokens)
        elif isinstance(event, Unknown):
            self._unknown.append(event)
        elif isinstance(event, Note):
            self._unreadable = self._unreadable or event.code in _UNREADABLE
            self._log.debug("%s: %s", event.code, event.message)
        elif isinstance(event, End):
            self._error = event.error

    def _tell_unknown(self, chunk: Any) -> None:
        """Once for each chunk, as it came; of bytes, once for each frame. What the callback raises is its own and costs the stream nothing."""
        of_bytes = isinstance(chunk, bytes | bytearray | memoryview | str)
        unknown: list[Any] = [event.raw for event in self._unknown] if of_bytes else [chunk]
        self._unknown, self._unreadable = [], False
        for raw in unknown:
            self._warn(raw)
            if self._wanted.on_unknown_chunk is None:
                continue
            try:
                self._wanted.on_unknown_chunk(raw)
            except Exception as error:  # noqa: BLE001 - as above
                self._log.error("on_unknown_chunk raised %r", error)

    def _warn(self, raw: Any) -> None:
        """The first of its kind is a warning."""
        kind = str(cast("dict[str, Any]", raw).get("type")) if isinstance(raw, dict) else type(raw).__name__
        level = self._log.debug if kind in self._warned else self._log.warning
        self._warned.add(kind)
        level("unknown chunk: %s", kind)

    def _parts(self, lines: bytes) -> list[LanguageModelResponsePart]:
        parts: list[LanguageModelResponsePart] = []
        for line in lines.split(b"\n") if lines else ():
            try:
                parts += [from_json(line)] if line else []
            except ValueError as error:
                self._log.warning("a part was left out: %s", error)
        return parts


def _awaited(stream: AsyncIterable[Any] | Iterable[Any]) -> AsyncIterable[Any]:
    """A stream to be waited for; one that is there already is, too."""
    return stream if isinstance(stream, AsyncIterable) else _at_hand(stream)


async def _at_hand(stream: Iterable[Any]) -> AsyncIterator[Any]:
    for piece in pieces_of(stream):
        yield piece
