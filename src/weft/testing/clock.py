"""A clock that stands still until everybody waits: programs that use it take no time, and come out the same every time.

Knows: who waits until when. Must not know: the real time. What waits for sockets or threads does not wait here: time would pass it by.
"""

import math
from types import TracebackType
from typing import Self

import anyio
import anyio.lowlevel

TURNS = 40
"""So many rounds of the loop the others get before time passes: those who still work have registered what they wait for by then."""


class FakeClock:
    """The runner's time for tests, on asyncio and on trio. It moves when somebody sleeps on it, to the next moment that anybody waits for."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start
        self._moves = 0
        self._sleepers: list[float] = []
        self._alarms: list[FakeAlarm] = []

    def now(self) -> float:
        """The time it is."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Wait; `math.inf` is a stall that only an alarm or a cancellation ends, and which lets time pass."""
        until = self._now + max(seconds, 0.0)
        self._sleepers.append(until)
        self._moves += 1
        try:
            while self._now < until:
                if await self._rest(until):
                    self._pass()
        finally:
            self._sleepers.remove(until)
            self._moves += 1

    def alarm(self) -> "FakeAlarm":
        """An alarm that is not set."""
        return FakeAlarm(self)

    async def _rest(self, until: float) -> bool:
        """Wait until nobody has moved for a while, or until the time has come by itself; then there is nothing to do."""
        seen, turns = self._moves, 0
        while turns < TURNS and self._now < until:
            await anyio.lowlevel.checkpoint()
            turns += 1
            if self._moves != seen:
                seen, turns = self._moves, 0
        return self._now < until

    def _pass(self) -> None:
        """On to the next moment that somebody waits for."""
        moment = min([*self._sleepers, *(alarm.at for alarm in self._alarms)])
        if moment == math.inf:
            return  # a stall: whoever can end it is not waiting on this clock
        if min(self._sleepers) <= self._now:
            return  # somebody's time has come, and they did not have their turn yet
        self._now = max(self._now, moment)
        self._moves += 1
        for alarm in [*self._alarms]:
            alarm.look()

    def watch(self, alarm: "FakeAlarm") -> None:
        """An alarm is running."""
        self._alarms.append(alarm)
        self._moves += 1

    def forget(self, alarm: "FakeAlarm") -> None:
        """It no longer is."""
        self._alarms.remove(alarm)
        self._moves += 1


class FakeAlarm:
    """An alarm of the fake clock."""

    def __init__(self, clock: FakeClock) -> None:
        self.at = math.inf
        self.rang = False
        self._clock = clock
        self._scope = anyio.CancelScope()

    def set(self, at: float) -> None:
        """When to ring."""
        self.at = at

    def look(self) -> None:
        """Ring if it is time; once is enough."""
        if self._clock.now() >= self.at:
            self.at = math.inf
            self._scope.cancel()

    def __enter__(self) -> Self:
        self._scope.__enter__()
        self._clock.watch(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        self._clock.forget(self)
        caught = self._scope.__exit__(kind, error, trace)
        self.rang = self._scope.cancelled_caught
        return caught
