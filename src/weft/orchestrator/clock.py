"""The time that the orchestrator goes by, and the wish to stop.

Knows: anyio's clock; tests bring their own. Must not know: streams.
"""

from typing import Protocol

import anyio


class Clock(Protocol):
    """Seconds since some moment, and waiting."""

    def now(self) -> float:
        """What time it is."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class LoopClock:
    """The clock of the running event loop, asyncio's or trio's."""

    def now(self) -> float:
        """What time it is."""
        return anyio.current_time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)


class Stop:
    """Somebody's wish that a stream ends. It is heard while the stream is waited for, and between chunks."""

    def __init__(self) -> None:
        self._event = anyio.Event()
        self.reason: str | None = None

    def request(self, reason: str = "user_request") -> None:
        """Ask for it; the first reason counts."""
        if self.reason is None:
            self.reason = reason
            self._event.set()

    @property
    def requested(self) -> bool:
        """Somebody has asked."""
        return self.reason is not None

    async def wait(self) -> None:
        """Until somebody asks."""
        await self._event.wait()
