"""A trial: one attempt under way, from opening the upstream to its terminal, under the clocks.

Knows: how an upstream is opened, read and left, and which clock runs when. Its state is its own: nothing outlives it.
Must not know: which attempt comes next, or what the consumer is told.
"""

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from weft.errors import Error, error_from_exception, error_from_http, make_error
from weft.events import End, Event, Note, Unknown
from weft.message import Message
from weft.reader import Reader
from weft.runner.attempt import Ask, Attempt, Upstream
from weft.runner.clocks import Alarm, Clocks, Phase, Time
from weft.runner.secrets import without
from weft.sources import take

MISUSE = (AssertionError, AttributeError, ImportError, LookupError, NameError, NotImplementedError, TypeError)
"""What an opener raises because the program is wrong. It is not the upstream's fault: it reaches the caller, and no retry hides it."""

QUIET: frozenset[type[Event]] = frozenset({Note, Unknown})
"""Events that say nothing of the answer: they do not count for the clocks."""

RINGS: dict[Phase, str] = {
    "connect": "No connection was made in time.",
    "first_event": "The provider did not begin to answer in time.",
    "idle": "The provider stopped in the middle of its answer.",
    "total": "The answer took longer than it may.",
}

MakeReader = Callable[..., Reader]
Hear = Callable[[list[Event]], Awaitable[None]]


class Total:
    """When the whole run must be over. The time that the consumer takes is added."""

    def __init__(self, at: float) -> None:
        self.at = at


class Trial:
    """Made for one attempt, run once, closed once; then `tail` and `end` are how it ended."""

    def __init__(
        self,
        attempt: Attempt,
        number: int,
        *,
        make_reader: MakeReader,
        clocks: Clocks,
        time: Time,
        total: Total,
        so_far: Message | None = None,
        waited: float = 0.0,
    ) -> None:
        self.attempt, self.number, self.waited = attempt, number, waited
        self.tail: list[Event] = []
        self.end: End | None = None
        self.seconds = 0.0
        """How long it took, without the time of the consumer."""
        self._make_reader = make_reader
        self._clocks, self._time, self._total = clocks, time, total
        self._so_far = so_far
        self._events: list[Event] = []
        self._reader: Reader | None = None
        self._alarm: Alarm = time.alarm()
        self._phase: Phase = "connect"
        self._fault: Error | None = None
        self._ours: Exception | None = None
        self._leaving = False
        self._due = math.inf
        self._begun = time.now()

    async def run(self, hear: Hear) -> None:
        """Open, read, leave. What goes wrong upstream is in `end`; only misuse and our own faults are raised."""
        entered = False
        with self._alarm as alarm:
            self._begin("connect", self._clocks.connect)
            try:
                async with self.attempt.open(self._ask()) as upstream:
                    entered = True
                    await self._guarded(upstream, hear)
            except Exception as error:
                if not entered and isinstance(error, MISUSE):
                    raise
                self._fault = self._fault or error_from_exception(error)
        if self._ours is not None:
            raise self._ours
        if alarm.rang and not self._leaving:
            self._fault = self._rung()
        self.close(self._fault)

    def close(self, fault: Error | None) -> None:
        """The attempt is over, if it was not yet; `fault` is why, unless the answer was whole by then."""
        self.seconds = self._time.now() - self._begun
        if self.end is not None:
            return
        reader = self._reader or self._read_with(None, None)
        reader.close(fault)
        *tail, end = self._events
        self.tail, self.end = tail, self._cleaned(end)

    # -- reading -------------------------------------------------------------------------------------------------

    async def _guarded(self, upstream: Upstream, hear: Hear) -> None:
        """Faults of the line are kept by `_read`: what else is raised is ours, and no reason to try again."""
        try:
            await self._read(upstream, hear)
        except Exception as error:  # noqa: BLE001 - kept, and raised when the upstream was left
            self._ours = error
        self._leave()

    async def _read(self, upstream: Upstream, hear: Hear) -> None:
        reader = self._reader = self._read_with(upstream.status, upstream.headers)
        self._connected()
        if 300 <= upstream.status < 400:
            self._fault = error_from_http(upstream.status, upstream.headers, None)
            return
        pieces = aiter(upstream.body)
        try:
            while self.end is None and not reader.done:
                try:
                    piece = await anext(pieces)
                except StopAsyncIteration:
                    break
                except Exception as error:  # noqa: BLE001 - whatever the source raises is how the stream ended
                    self._fault = error_from_exception(error)
                    break
                take(reader, piece)
                await self._told(reader, hear)
            self._leave()
        finally:
            await _closed(pieces)

    async def _told(self, reader: Reader, hear: Hear) -> None:
        """Hand on what the last piece amounted to, with all clocks at rest, and set them for the next."""
        events = self._events
        meant = self._clocks.pings
        if events:
            batch = events.copy()
            events.clear()
            meant = meant or not QUIET.issuperset(map(type, batch))
            if type(batch[-1]) is End:
                self.end = self._cleaned(batch.pop())
            self._alarm.set(math.inf)
            before = self._time.now()
            await hear(batch)
            spent = self._time.now() - before
            self._begun += spent
            self._total.at += spent
            self._due += spent
        if reader.ending or self.end is not None:
            if self._phase != "grace":
                self._begin("grace", self._clocks.grace)
        elif meant:
            self._begin("idle", self._clocks.idle)
        self._alarm.set(min(self._due, self._total.at))

    # -- clocks --------------------------------------------------------------------------------------------------

    def _begin(self, phase: Phase, seconds: float | None) -> None:
        self._phase = phase
        self._due = math.inf if seconds is None else self._time.now() + seconds
        self._alarm.set(min(self._due, self._total.at))

    def _connected(self) -> None:
        if self._phase == "connect":
            self._begin("first_event", self._clocks.first_event)

    def _leave(self) -> None:
        """Nothing more is read. How long the upstream takes to be left says nothing about its answer, but has an end."""
        if not self._leaving:
            self._leaving = True
            self._begin("grace", self._clocks.grace)

    def _rung(self) -> Error | None:
        """The clock that rang, as an error. After the grace it is none: the answer was whole."""
        if self._phase == "grace" and self._due <= self._total.at:
            return None
        phase: Phase = "total" if self._total.at < self._due else self._phase
        line = "transport" if phase == "connect" else None
        return make_error("timeout", RINGS[phase], code=f"{phase}_timeout", fault=line, retryable=phase != "total")

    # -- parts ---------------------------------------------------------------------------------------------------

    def _ask(self) -> Ask:
        return Ask(attempt=self.attempt, number=self.number, so_far=self._so_far, connected=self._connected)

    def _read_with(self, status: int | None, headers: Mapping[str, str] | None) -> Reader:
        return self._make_reader(
            self.attempt.protocol, self._events.append,
            dialect=self.attempt.dialect, filters=self.attempt.filters, status=status, headers=headers,
        )  # fmt: skip

    def _cleaned(self, end: Any) -> End:
        """The terminal without the key's secret, which a provider or a client may have repeated in its complaint."""
        secret = self.attempt.key.secret if self.attempt.key is not None else ""
        if end.error is None or not secret:
            return end
        return msgspec.structs.replace(end, error=without(secret, end.error))


async def _closed(pieces: AsyncIterator[Any]) -> None:
    """Finish a generator that was not read to its end. How that goes says nothing about the answer."""
    if (aclose := getattr(pieces, "aclose", None)) is not None:
        with suppress(Exception):
            await aclose()
