"""Streams that play a part by a clock that stands still, and a sink that writes down what it is told.

Knows: how a test is set up. Must not know: what an orchestrator should do.
"""

import math
from typing import Any

from weft.chunks import FunctionCall, ProcessedChunk, ProviderError, ThoughtLogEntry
from weft.orchestrator import Flush, Sink, StreamResult, orchestrate
from weft.testing import FakeClock

HUNG = math.inf


def text(content: str, **members: Any) -> ProcessedChunk:
    return ProcessedChunk("text", content, **members)


def thought(content: str, kind: Any = "raw") -> ProcessedChunk:
    return ProcessedChunk("text", "", thoughts=[ThoughtLogEntry(kind, content)])


def call(name: str, **args: Any) -> ProcessedChunk:
    return ProcessedChunk("function_call", function_call=FunctionCall(name, args))


def failed(kind: Any = "rate_limit") -> ProcessedChunk:
    return ProcessedChunk("error", error=ProviderError(kind, "Slow down.", "slow_down", retryable=True))


DONE = ProcessedChunk("done", metadata={"finishReason": "stop"})


class Log(Sink):
    """What it was told, in order. `pause` is how long each text takes to be sent; `break_on` is a text that cannot be sent."""

    def __init__(self, clock: FakeClock | None = None, pause: float = 0.0, break_on: str | None = None) -> None:
        self.told: list[tuple[str, Any]] = []
        self._clock, self._pause, self._break_on = clock, pause, break_on

    async def text(self, flush: Flush) -> None:
        if self._clock is not None and self._pause:
            await self._clock.sleep(self._pause)
        if flush.text == self._break_on:
            raise ConnectionError("the chat is gone")
        self.told.append(("text", flush.text))

    async def thought(self, entry: ThoughtLogEntry) -> None:
        self.told.append((entry.kind, entry.content))

    async def function_call(self, call: FunctionCall) -> None:
        self.told.append(("call", call.name))

    async def reset(self) -> None:
        self.told.append(("reset", None))

    async def error(self, error: ProviderError, description: str | None) -> None:
        self.told.append(("error", description))

    async def done(self, result: StreamResult) -> None:
        self.told.append(("done", result.status))

    @property
    def shown(self) -> list[str]:
        return [value for kind, value in self.told if kind == "text"]

    @property
    def ends(self) -> list[str]:
        return [kind for kind, _ in self.told if kind in ("done", "error")]


class Play:
    """A stream: what it gives in order, seconds to wait (`HUNG`: for ever), exceptions to raise. Says when it was read and closed."""

    def __init__(self, clock: FakeClock, *acts: Any) -> None:
        self._clock, self._acts = clock, acts
        self.read: list[float] = []
        self.closed: float | None = None

    async def __aiter__(self) -> Any:
        try:
            for act in self._acts:
                if isinstance(act, float | int):
                    await self._clock.sleep(act)
                elif isinstance(act, BaseException):
                    raise act
                else:
                    self.read.append(self._clock.now())
                    yield act
        finally:
            self.closed = self._clock.now()


async def played(*acts: Any, sink: Log | None = None, **options: Any) -> tuple[StreamResult, Log, Play]:
    """What came of a stream that was played to the end, what the sink was told, and the stream."""
    clock = options.setdefault("clock", FakeClock())
    log, play = sink or Log(), Play(clock, *acts)
    return await orchestrate(play, log, **options), log, play
