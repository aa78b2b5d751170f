"""The loop that waits: one stream into one sink, with a clock, a stop button, and the upstream closed whatever happens.

Knows: waiting, interrupting, closing. Must not know: providers; what a chunk means (`routing`), where text is cut (`flusher`).
The stream is read in the caller's task, one raw chunk after the other, so a slow sink slows it down and nothing is dropped. A second task
minds the time: it may send what has been idle (never while the first sends), and it interrupts the first only while that waits for the stream.
"""

import math
from collections.abc import AsyncIterable, Callable, Iterable
from typing import Any, Final, Literal

import anyio

from weft.adapters import ChunkReader, EventAdapter, StreamAdapter, adapter_for
from weft.chunks import FunctionCall, ProcessedChunk
from weft.errors import make_error
from weft.events import Event
from weft.orchestrator.clock import Clock, LoopClock, Stop
from weft.orchestrator.result import StreamResult
from weft.orchestrator.routing import Action, Routing
from weft.orchestrator.rules import Flush, FlushReason, FlushRules
from weft.orchestrator.sink import Sink

INACTIVITY: Final = 120.0
GRACE: Final = 2.0
"""Seconds that a stream whose answer is over may take for its usage, and an upstream for being closed."""

Interruption = Literal["timeout", "stopped", "grace"]


async def orchestrate(
    source: AsyncIterable[Any],
    sink: Sink,
    *,
    adapter: StreamAdapter | Callable[[], StreamAdapter] | str | None = None,
    rules: FlushRules | None = None,
    inactivity: float | None = INACTIVITY,
    locale: str = "en",
    stop: Stop | None = None,
    clock: Clock | None = None,
) -> StreamResult:
    """Show a stream through a sink; gives what came of it. Wire faults are results; what the sink raises is raised.

    `adapter` reads the raw chunks: an adapter, what makes one, or the name of one; without it the stream is of events or of ProcessedChunks.
    `inactivity`: seconds of waiting without anything meaningful, after which the stream counts as hung; keep-alives do not count.
    """
    return await _Orchestration(
        source, sink, _made(adapter), rules, inactivity, locale, stop or Stop(), clock or LoopClock()
    ).run()


class _Orchestration:
    """One stream, once."""

    def __init__(
        self,
        source: AsyncIterable[Any],
        sink: Sink,
        adapter: StreamAdapter | None,
        rules: FlushRules | None,
        inactivity: float | None,
        locale: str,
        stop: Stop,
        clock: Clock,
    ) -> None:
        self._source, self._sink, self._locale, self._stop, self._clock = source, sink, locale, stop, clock
        self._own = adapter is None
        self._reader = ChunkReader(adapter or EventAdapter())
        self._routing = Routing(rules)
        self._patience = math.inf if inactivity is None else inactivity
        self._sending = anyio.Lock()
        self._waiting: anyio.CancelScope | None = None
        self._nap: anyio.CancelScope | None = None
        self._nap_ends = math.inf
        self._since = self._waited = 0.0
        self._interruption: Interruption | None = None
        self._fault: BaseException | None = None
        self._raised: Exception | None = None

    async def run(self) -> StreamResult:
        """The whole life of the stream."""
        began = self._since = self._clock.now()
        iterator = aiter(self._source)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._mind_the_time)
                tasks.start_soon(self._mind_the_stop)
                await self._guarded(self._read, iterator)
                async with self._sending:  # what has been idle may be on its way
                    tasks.cancel_scope.cancel()
        finally:
            await _closed(iterator, self._source)
        if self._raised is not None:
            raise self._raised
        return await self._end(began)

    async def _guarded(self, work: Callable[..., Any], *args: Any) -> None:
        """Do it; what it raises is raised when the upstream is closed, by itself and not in a group."""
        try:
            await work(*args)
        except Exception as error:  # noqa: BLE001 - kept, and raised by `run`
            self._raised = self._raised or error
            if self._waiting is not None:
                self._waiting.cancel()

    # -- the stream ----------------------------------------------------------------------------------------------

    async def _read(self, iterator: Any) -> None:
        """Take raw chunks until there are no more, or somebody has had enough."""
        while self._raised is None and self._routing.error is None:
            if self._stop.requested:
                self._interruption = "stopped"
            if self._interruption is not None:
                return
            arrived, raw = await self._next(iterator)
            if not arrived:
                return
            async with self._sending:
                await self._take(raw)

    async def _next(self, iterator: Any) -> tuple[bool, Any]:
        """The next raw chunk, if there is one. A chunk that came together with the interruption counts."""
        arrived, raw = False, None
        self._since = self._clock.now()
        with anyio.CancelScope() as self._waiting:
            self._wake_earlier()
            try:
                raw = await anext(iterator)
                arrived = True
            except StopAsyncIteration:
                pass
            except Exception as error:  # noqa: BLE001 - whatever the source raises is how the stream ended
                self._fault = error
        self._waiting = None
        self._waited += self._clock.now() - self._since
        if arrived and self._interruption != "stopped":
            self._interruption = None
        return arrived, raw

    async def _take(self, raw: Any) -> None:
        if self._own and not isinstance(raw, Event | ProcessedChunk):
            raise TypeError(f"without an adapter a stream is of events or ProcessedChunks, not of {type(raw).__name__}")
        if self._own and raw.type == "reset":
            self._reader = ChunkReader(EventAdapter())
            self._routing.reset()
            await self._sink.reset()
            return
        chunks = self._reader.feed(raw)
        if self._reader.alive:
            self._waited = 0.0
        await self._tell_all(chunks)

    async def _tell_all(self, chunks: Iterable[ProcessedChunk]) -> None:
        for chunk in chunks:
            for action in self._routing.take(chunk, self._clock.now()):
                await self._tell(action)

    async def _tell(self, action: Action) -> None:
        if isinstance(action, Flush):
            await self._sink.text(action)
        elif isinstance(action, FunctionCall):
            await self._sink.function_call(action)
        else:
            await self._sink.thought(action)

    # -- the time ------------------------------------------------------------------------------------------------

    def _due(self) -> float:
        """When the time has to be looked at next."""
        idle = self._routing.due
        return min(self._hung_at(), math.inf if idle is None else idle)

    def _hung_at(self) -> float:
        """When the stream counts as hung, at the earliest. Only waiting for the stream counts: a sink may take its time."""
        if self._interruption is not None:
            return math.inf
        patience = min(self._patience, GRACE) if self._reader.ending else self._patience
        left = patience - self._waited
        if self._waiting is not None:
            return self._since + left
        return self._clock.now() + left if left > 0 else math.inf

    def _wake_earlier(self) -> None:
        """The time has to be looked at before the nap is over."""
        if self._nap is not None and self._due() < self._nap_ends:
            self._nap.cancel()

    async def _mind_the_time(self) -> None:
        while self._raised is None:
            self._nap_ends = self._due()
            with anyio.CancelScope() as self._nap:
                if math.isinf(self._nap_ends):
                    await anyio.sleep_forever()
                await self._clock.sleep(max(0.0, self._nap_ends - self._clock.now()))
            self._nap = None
            await self._guarded(self._look)

    async def _look(self) -> None:
        """Send what has been idle; interrupt what hangs."""
        idle = self._routing.due
        if idle is not None and self._clock.now() >= idle:
            async with self._sending:
                for action in self._routing.tick(self._clock.now()):
                    await self._tell(action)
        if self._waiting is not None and self._clock.now() >= self._hung_at():
            self._interrupt("grace" if self._reader.ending else "timeout")

    async def _mind_the_stop(self) -> None:
        await self._stop.wait()
        self._interrupt("stopped")

    def _interrupt(self, why: Interruption) -> None:
        self._interruption = why
        if self._waiting is not None:
            self._waiting.cancel()

    # -- the end -------------------------------------------------------------------------------------------------

    async def _end(self, began: float) -> StreamResult:
        """Say the last words: what was held back, what is left of the text, and one `done` or `error`."""
        why = self._interruption
        fault: Any = self._fault
        if why == "timeout":
            message = f"The provider said nothing for {self._patience:g} seconds."
            fault = make_error("timeout", message, code="inactivity_timeout", fault="transport")
        elif why == "stopped":
            fault = make_error("cancelled")
        await self._tell_all(self._reader.close(fault))
        if why == "stopped":
            self._routing.error = None
        error = self._routing.error
        timed_out = why == "timeout" and error is not None
        reason: FlushReason = "timeout" if timed_out else "error" if error else "stopped" if why == "stopped" else "end"
        for action in self._routing.finish(reason):
            await self._tell(action)
        description = None if error is None else self._reader.described(error, self._locale)
        result = self._routing.result(
            "timeout" if timed_out else "stopped" if why == "stopped" else None,
            description=description,
            stop_reason=self._stop.reason if why == "stopped" else None,
            duration=self._clock.now() - began,
        )
        if error is not None:
            await self._sink.error(error, description)
        else:
            await self._sink.done(result)
        return result


def _made(adapter: StreamAdapter | Callable[[], StreamAdapter] | str | None) -> StreamAdapter | None:
    if isinstance(adapter, str):
        adapter = adapter_for(adapter)
    return adapter if adapter is None or isinstance(adapter, StreamAdapter) else adapter()


async def _closed(*upstreams: Any) -> None:
    """Close what was read, whatever happened, but do not wait for it without end."""
    with anyio.move_on_after(GRACE, shield=True):
        for upstream in upstreams:
            close = getattr(upstream, "aclose", None) or getattr(upstream, "close", None)
            if close is None:
                continue
            try:
                closing = close()
                if hasattr(closing, "__await__"):
                    await closing
            except Exception:  # noqa: BLE001, S112 - the stream is over, and its result stands
                continue
