"""The clocks: how long each part of an attempt may take, and the time that they are read from.

Knows: the four limits, and anyio as the real time. Must not know: attempts, events.
"""

import asyncio
import math
import time
from types import TracebackType
from typing import Literal, Protocol, Self

import anyio
import msgspec

Phase = Literal["connect", "first_event", "idle", "total", "grace"]


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds; None means no limit. Only events count, not keep-alives (unless `pings`), and no clock runs while the consumer is at work.

    `connect`: until there is a connection. `first_event`: from then until the first event. `idle`: between events. `total`: the whole run,
    with all its attempts and waits. `grace`: after the answer is whole and only its usage may still come, and again for the upstream to be left;
    it is no failure when it rings.
    """

    connect: float | None = 10.0
    first_event: float | None = 60.0
    idle: float | None = 120.0
    total: float | None = None
    grace: float | None = 2.0
    pings: bool = False


class Alarm(Protocol):
    """A part of the program that is interrupted when its time comes. `rang` tells afterwards that it was."""

    rang: bool

    def set(self, at: float) -> None:
        """When to ring, as `Time.now` counts; infinity for never. It may be moved while it runs."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Time(Protocol):
    """What the runner takes its time from; `weft.testing.FakeClock` is another."""

    def now(self) -> float:
        """Seconds since some moment."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def alarm(self) -> Alarm:
        """An alarm that is not set."""
        ...


class RealTime:
    """The time of the machine, on asyncio and on trio."""

    def now(self) -> float:
        """Monotonic, and the same in every loop, so that a key ring may outlive one."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await anyio.sleep(seconds)

    def alarm(self) -> Alarm:
        """An alarm that is not set."""
        return LazyAlarm() if _on_asyncio() else ScopeAlarm()


class ScopeAlarm:
    """An alarm that is a cancel scope with a deadline that moves: cheap on trio."""

    def __init__(self) -> None:
        self._scope = anyio.CancelScope()
        self.rang = False

    def set(self, at: float) -> None:
        """Move the deadline."""
        self._scope.deadline = math.inf if at == math.inf else anyio.current_time() + at - time.monotonic()

    def __enter__(self) -> Self:
        self._scope.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        caught = self._scope.__exit__(kind, error, trace)
        self.rang = self._scope.cancelled_caught
        return caught


class LazyAlarm(ScopeAlarm):
    """The same on asyncio, where to move a timer costs more than all else that is done for a chunk.

    The alarm is set for each of them, but the timer runs on: when it is up it looks whether the time was moved, and goes on waiting.
    """

    def __init__(self) -> None:
        super().__init__()
        self._at = self._armed = math.inf
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float) -> None:
        """Note the time; the timer is touched only if it would come too late."""
        self._at = at
        if at < self._armed:
            self._arm()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        self._at = math.inf
        self._disarm()
        return super().__exit__(kind, error, trace)

    def _look(self) -> None:
        if time.monotonic() >= self._at:
            self._scope.cancel()
        else:
            self._arm()

    def _arm(self) -> None:
        self._disarm()
        if self._at < math.inf:
            self._armed = self._at
            self._timer = asyncio.get_running_loop().call_later(max(0.0, self._at - time.monotonic()), self._look)

    def _disarm(self) -> None:
        self._armed = math.inf
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _on_asyncio() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
