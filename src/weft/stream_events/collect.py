"""The calls of a stream of events, put together: one by its name, or all. Nothing that came is left out.

Knows: when a call is safe to execute, and seed 002's codes for when it is not. Must not know: sources.
Which call a piece belongs to is decided by `calls`, as everywhere else. What goes wrong is said in the result, beside what was
collected: an early error, a timeout or a broken call costs nothing of the rest.
"""

import importlib
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from weft import jsontext
from weft.calls import Call, CallRouter
from weft.errors import Error, to_seed002
from weft.framing.sniff import Sniffer
from weft.sources import AsyncPieces, Pieces
from weft.stream_events.union import (
    StreamContentEvent,
    StreamErrorEvent,
    StreamEventV1,
    StreamReturnEvent,
    StreamToolCallEvent,
    from_data,
)

TIMEOUT: Final = 180.0
"""Seconds that seed 002's consumers wait."""

TIMED_OUT, PARSE_FAILED, FAILED = "E-UICP-0100", "E-UICP-0101", "E-UICP-0102"
ALL_TIMED_OUT, ALL_FAILED = "E-UICP-0103", "E-UICP-0104"

# What others leave out of a call, and what they mean by it.
_LEFT_OUT: Final = {"index": 0, "arguments": None, "isDelta": True}


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a result is not all that was asked for. `cause` is the stream's own error, if it had one."""

    code: str
    detail: str
    cause: StreamErrorEvent | None = None


class CollectedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call. `arguments` is the object when `complete`, else None; `raw` is the text of the arguments as it came.

    `complete` is: it came whole, or the stream ended well after it; and its arguments are empty or an object.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments: dict[str, Any] | None = None
    raw: str = ""
    complete: bool = False


class ToolCalls(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All calls, complete or not, and what else the stream had: its text, what tools gave back, what could not be read."""

    calls: list[CollectedCall] = []
    text: str = ""
    returns: list[StreamReturnEvent] = []
    unread: list[Any] = []
    problem: Problem | None = None


class ToolArgs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The arguments of the call that was asked for, None if there are none that are safe to use; `problem` then says why.

    `all` is everything that the stream had, the calls of other tools included.
    """

    args: dict[str, Any] | None = None
    call: CollectedCall | None = None
    all: ToolCalls
    problem: Problem | None = None


def collect_tool_args(stream: Any, name: str) -> ToolArgs:
    """The arguments of the tool of this name. `stream` is of typed events, dicts, or JSON lines as bytes or text."""
    return _one(_collected(stream), name)


def collect_all_tool_calls(stream: Any) -> ToolCalls:
    """Every call of the stream, in the order in which they began."""
    return _collected(stream).result(ALL_TIMED_OUT, ALL_FAILED)


async def acollect_tool_args(
    stream: AsyncIterable[Any],
    name: str,
    *,
    timeout: float | None = TIMEOUT,  # noqa: ASYNC109 - what was collected until then is given back
) -> ToolArgs:
    """The same for an async stream, which is not waited for longer than `timeout` seconds; None waits for ever."""
    return _one(await _acollected(stream, timeout), name)


async def acollect_all_tool_calls(
    stream: AsyncIterable[Any],
    *,
    timeout: float | None = TIMEOUT,  # noqa: ASYNC109 - as above
) -> ToolCalls:
    """The same for an async stream, which is not waited for longer than `timeout` seconds; None waits for ever."""
    return (await _acollected(stream, timeout)).result(ALL_TIMED_OUT, ALL_FAILED)


class _Collection:
    """One stream: `feed` its pieces, `close` it, ask for the result."""

    def __init__(self) -> None:
        self.late = False
        self._router = CallRouter()
        self._texts: list[str] = []
        self._returns: list[StreamReturnEvent] = []
        self._unread: list[Any] = []
        self._error: StreamErrorEvent | None = None
        self.done = False
        self._lines = Sniffer(self._line, self._fault, default="ndjson")
        self._on: dict[type[Any], Callable[[Any], None]] = {
            StreamContentEvent: lambda event: self._texts.append(event.text),
            StreamToolCallEvent: self._call,
            StreamReturnEvent: self._returns.append,
            StreamErrorEvent: self._failed,
        }

    def feed(self, piece: Any) -> None:
        """Take an event, in whatever form, or some bytes or text of lines, cut anywhere."""
        if isinstance(piece, str):
            self._lines.feed(piece.encode("utf-8", "surrogatepass"))
        elif isinstance(piece, bytes | bytearray | memoryview):
            self._lines.feed(bytes(piece))  # pyright: ignore[reportUnknownArgumentType] - of any item type
        else:
            self._take(piece)

    def close(self, fault: Error | None) -> None:
        """The stream is over; `fault` is what it raised."""
        self._lines.close()
        if fault is not None:
            self._failed(StreamErrorEvent(**to_seed002(fault)))

    def result(self, timed_out: str, failed: str) -> ToolCalls:
        """What was collected, under the codes of whoever asks."""
        well = self.done and self._error is None
        calls = [_finished(at, call, well) for at, call in enumerate(self._router)]
        return ToolCalls(
            calls=calls, text="".join(self._texts), returns=self._returns, unread=self._unread,
            problem=self._problem(timed_out, failed),
        )  # fmt: skip

    def _problem(self, timed_out: str, failed: str) -> Problem | None:
        if self._error is not None:
            return Problem(code=failed, detail=self._error.detail or self._error.code, cause=self._error)
        if self.late:
            return Problem(code=timed_out, detail="the stream did not end in time")
        return None if self.done else Problem(code=failed, detail="the stream ended without `done`")

    def _line(self, data: bytes, name: str) -> None:
        try:
            self._take(jsontext.decode(data))
        except ValueError:
            self._unread.append(data.decode("utf-8", "replace"))

    def _fault(self, code: str, message: str, fatal: bool) -> None:
        """What the lines are cut into is told by what can be read of them."""

    def _take(self, piece: Any) -> None:
        try:
            event: StreamEventV1 = from_data(_filled(piece) if isinstance(piece, Mapping) else piece)  # pyright: ignore[reportUnknownArgumentType] - JSON
        except ValueError:
            self._unread.append(piece)
            return
        if self.done:
            self._unread.append(piece)
        else:
            self._on.get(type(event), self._end)(event)

    def _call(self, event: StreamToolCallEvent) -> None:
        args = event.arguments
        text = args if isinstance(args, str) else "" if args is None else jsontext.line(args).decode()
        call = self._router.route(event.index, event.id or None, event.name or None, text)
        if call is None:
            return
        call.name = call.name or event.name or None
        if text:
            call.pieces.append(text)
        call.whole = call.whole or not event.is_delta or not isinstance(args, str | None)

    def _failed(self, event: StreamErrorEvent) -> None:
        self._error = self._error or event

    def _end(self, event: Any) -> None:
        self.done = True


def _collected(stream: Any) -> _Collection:
    collection = _Collection()
    pieces = Pieces(stream)
    for piece in pieces:
        collection.feed(piece)
        if collection.done:
            break
    collection.close(pieces.fault)
    return collection


async def _acollected(stream: AsyncIterable[Any], seconds: float | None) -> _Collection:
    collection, pieces = _Collection(), AsyncPieces(stream)
    if seconds is None:
        await _fill(collection, pieces)
    else:
        with _anyio().move_on_after(seconds) as scope:
            await _fill(collection, pieces)
        collection.late = scope.cancelled_caught
    collection.close(pieces.fault)
    return collection


async def _fill(collection: _Collection, pieces: AsyncPieces) -> None:
    """Feed what comes, up to `done`."""
    try:
        async for piece in pieces:
            collection.feed(piece)
            if collection.done:
                return
    finally:
        await pieces.aclose()


def _anyio() -> Any:
    try:
        return importlib.import_module("anyio")
    except ImportError as error:
        raise ImportError("a timeout is kept by anyio: pip install 'weft[runner]', or say timeout=None") from error


def _finished(at: int, call: Call, ended_well: bool) -> CollectedCall:
    raw = "".join(call.pieces)
    arguments = jsontext.decode_object(raw) if call.whole or ended_well else None
    index = at if call.index is None else call.index
    return CollectedCall(
        index=index, id=call.id, name=call.name, arguments=arguments, raw=raw, complete=arguments is not None
    )


def _filled(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event as others write it, without what is null, and with what they leave out of a call."""
    said = {name: value for name, value in event.items() if value is not None or name == "result"}
    return {**_LEFT_OUT, **said} if said.get("type") == "tool_call" else said


def _one(collection: _Collection, name: str) -> ToolArgs:
    every = collection.result(TIMED_OUT, FAILED)
    named: Iterable[CollectedCall] = [call for call in every.calls if call.name == name]
    call = next((call for call in named if call.complete), next(iter(named), None))
    problem = every.problem
    if problem is None and call is None:
        others = ", ".join(repr(other.name) for other in every.calls) or "none"
        problem = Problem(code=FAILED, detail=f"no call of {name!r}; the calls were: {others}")
    elif problem is None and call is not None and not call.complete:
        problem = Problem(code=PARSE_FAILED, detail=f"the arguments of {name!r} are not a JSON object")
    return ToolArgs(args=call.arguments if call is not None else None, call=call, all=every, problem=problem)
