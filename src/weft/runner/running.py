"""A run: attempts made one after the other until one answers, told to the consumer as one stream.

Knows: the order of things: choose, wait, try, tell, choose again; one task owns all of it and is ended with the block that started it.
Must not know: how any of these is done. It pulls: while the consumer is at work, nothing more is read than one piece.
"""

import math
import random as chance
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import deepcopy
from functools import partial
from types import TracebackType
from typing import Self, get_args

import anyio
import anyio.abc
from anyio.lowlevel import checkpoint_if_cancelled

from weft.context import Context
from weft.errors import Error, ErrorType, make_error
from weft.events import End, Event, Usage
from weft.message import Collector, Message
from weft.nearest import UnknownNameError
from weft.protocol import resolve_source
from weft.reader import Reader
from weft.rules import Limits
from weft.runner.attempt import Attempt
from weft.runner.breaker import NEVER, Breaker
from weft.runner.clocks import Clocks, RealTime, Time
from weft.runner.commit import VISIBLE, AfterCommit, Reset, Telling, Visible
from weft.runner.course import Budget, Course, Step
from weft.runner.handover import Handover
from weft.runner.history import Tried, total
from weft.runner.keys import Id, KeyRing
from weft.runner.recourse import RECOURSES, Recourse
from weft.runner.trial import MakeReader, Total, Trial


def run(
    attempts: Iterable[Attempt],
    *,
    clocks: Clocks | None = None,
    after_commit: AfterCommit = "fail",
    commit_on: Collection[Visible] = VISIBLE,
    keys: KeyRing | None = None,
    breaker: Breaker | None = None,
    recourses: Mapping[ErrorType, Recourse] | None = None,
    keys_per_model: int = 3,
    max_attempts: int = 12,
    longest_wait: float = 60.0,
    strict: bool = False,
    limits: Limits | None = None,
    context: Context | None = None,
    keep: bool = True,
    time: Time | None = None,
    random: Callable[[], float] = chance.random,
) -> "Run":
    """Ask in these ways until one answers. `keys` and `breaker` carry what was learned from one run to the next: without them each run is
    on its own, and no circuit opens.

    `after_commit` says what happens when an attempt breaks off after visible output: `fail` ends there, `continue` lets the next attempt go
    on in the same message, `restart` takes all back with a `Reset`. `recourses` replaces rows of `RECOURSES`.
    """
    ways = [*attempts]
    _refuse_nonsense(ways, after_commit, commit_on, recourses or {})
    if after_commit == "continue" and not keep:
        raise ValueError("to continue, the message so far has to be kept: keep=False does not go with it")
    course = Course(
        ways,
        keys=keys or KeyRing(),
        breaker=breaker or Breaker({}, NEVER),
        recourses={**RECOURSES, **(recourses or {})},
        budget=Budget(keys_per_model=keys_per_model, attempts=max_attempts, longest_wait=longest_wait),
        roll=random,
    )
    make_reader = partial(Reader, strict=strict, limits=limits, context=context)
    telling = Telling(after_commit, commit_on)
    return Run(ways[0], course, telling, make_reader, clocks or Clocks(), time or RealTime(), keep=keep)


def _refuse_nonsense(
    ways: list[Attempt], after_commit: str, commit_on: Collection[str], recourses: Collection[str]
) -> None:
    """What would be found out in the middle of a run, or never: protocols that nobody reads, keys that look alike, words without a meaning."""
    if not ways:
        raise ValueError("a run needs at least one attempt")
    secrets: dict[Id, str] = {}
    for way in ways:
        resolve_source(way.protocol, way.dialect)
        if way.key is not None and secrets.setdefault(way.key_id, way.key.secret) != way.key.secret:
            raise ValueError(f"two keys have the label {way.key.label!r}: they are told apart by it alone")
    for kind, words, known in (
        ("after_commit", [after_commit], get_args(AfterCommit)),
        ("visible output to commit_on", commit_on, get_args(Visible)),
        ("type of error", recourses, RECOURSES),
    ):
        for word in words:
            if word not in known:
                raise UnknownNameError(kind, word, known)


class Run:
    """One answer. `async with` it and iterate: events, exactly one terminal among them, the last. `history` tells what it took."""

    def __init__(
        self,
        first: Attempt,
        course: Course,
        telling: Telling,
        make_reader: MakeReader,
        clocks: Clocks,
        time: Time,
        *,
        keep: bool,
    ) -> None:
        self.history: list[Tried] = []
        """What became of each attempt, in order."""
        self._first, self._course, self._telling = first, course, telling
        self._clocks, self._time, self._make_reader = clocks, time, make_reader
        self._after = telling.after_commit
        self._collector = Collector() if keep else None
        self._total = Total(math.inf)
        self._trial: Trial | None = None
        self._cancelled = False
        self._ended = False
        self._awaited = False
        self._fault: Exception | None = None
        self._ready: deque[Event] = deque()
        self._group: anyio.abc.TaskGroup | None = None
        self._scope: anyio.CancelScope | None = None
        self._hand: Handover | None = None

    # -- for the consumer ----------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        if self._group is not None:
            raise RuntimeError("a run is made for one answer: make another with weft.run(...)")
        self._hand, self._scope = Handover(), anyio.CancelScope()
        if self._cancelled:
            self._scope.cancel()
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        self._group.start_soon(self._own)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Leave the upstream, whatever it is doing, and wait until it is left. The block's own exception goes on as it is."""
        if self._group is not None and self._scope is not None:
            self._scope.cancel()
            await self._group.__aexit__(None, None, None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        if not self._ready:
            if self._hand is None:
                raise RuntimeError("enter the run first: async with weft.run(...) as run")
            if self._awaited:
                raise RuntimeError("another task waits for this run's next event: a run has one consumer")
            self._awaited = True
            try:
                batch = await self._hand.take()
            finally:
                self._awaited = False
            if batch is None:
                if self._fault is not None:
                    raise self._fault
                raise StopAsyncIteration
            self._ready.extend(batch)
        return self._ready.popleft()

    def cancel(self) -> None:
        """End the run now, from any task of its loop: the upstream is left, and the terminal is incomplete with a `cancelled` error."""
        self._cancelled = True
        if self._scope is not None:
            self._scope.cancel()

    async def collect(self) -> Message:
        """The whole answer at once, for those who do not need it as it comes. It enters and leaves the run itself."""
        async with self:
            async for _ in self:
                pass
        return self.message

    @property
    def message(self) -> Message:
        """The message so far: all that was given, after a `Reset` anew. Needs `keep`."""
        if self._collector is None:
            raise RuntimeError("this run was made with keep=False and has no message")
        return self._collector.message

    @property
    def usage(self) -> Usage | None:
        """What all attempts cost together, those included that gave nothing to the message."""
        return total([tried.usage for tried in self.history])

    # -- the owner -----------------------------------------------------------------------------------------------

    async def _own(self) -> None:
        """The one task that holds the upstream. However it ends, the consumer finds a terminal, or the fault that is ours."""
        hand, scope = self._hand, self._scope
        assert hand is not None  # noqa: S101 - for the type checker: __aenter__ made both
        assert scope is not None  # noqa: S101
        try:
            with scope:
                await self._work(hand)
        except Exception as fault:  # noqa: BLE001 - raised where the consumer waits
            self._fault = fault
        finally:
            hand.leave(self._interrupted())

    async def _work(self, hand: Handover) -> None:
        self._total.at = math.inf if self._clocks.total is None else self._time.now() + self._clocks.total
        step = self._course.begin(self._time.now())
        if isinstance(step, Step) and self._too_late(step):
            step = make_error("timeout", "No key is free in time.", code="total_timeout", retryable=False)
        while isinstance(step, Step):
            if step.wait > 0:
                await self._time.sleep(step.wait)
            await checkpoint_if_cancelled()
            trial = self._trial = self._begun(step)
            await trial.run(partial(self._hear, hand, trial))
            end = self._over(trial)
            following = self._next(trial.attempt, end)
            if following is None:
                await self._give(hand, self._telling.finish(trial.tail, end))
                return
            await self._give(hand, self._telling.break_off(trial.tail, end))
            step = following
        await self._give(hand, self._unmade(step))

    def _begun(self, step: Step) -> Trial:
        attempt = step.attempt
        number = len(self.history) + 1
        self._course.started(attempt, self._time.now())
        self._telling.begin(number)
        so_far = deepcopy(self.message) if self._after == "continue" and self._telling.told else None
        return Trial(
            attempt, number, make_reader=self._make_reader, clocks=self._clocks, time=self._time, total=self._total,
            so_far=so_far, waited=step.wait,
        )  # fmt: skip

    def _next(self, attempt: Attempt, end: End) -> Step | None:
        """The step that follows, or None if this end is the run's."""
        if end.error is None:
            self._course.answered(attempt)
            return None
        now = self._time.now()
        self._course.failed(attempt, end.error, now)
        if self._telling.live and self._after == "fail":
            return None
        step = self._course.after(end.error, now)
        return None if isinstance(step, Error) or self._too_late(step) else step

    def _too_late(self, step: Step) -> bool:
        """Would the wait outlast the whole run?"""
        return self._time.now() + step.wait >= self._total.at

    # -- telling -------------------------------------------------------------------------------------------------

    async def _hear(self, hand: Handover, trial: Trial, events: list[Event]) -> None:
        was_live = self._telling.live
        told = self._telling.hear(events)
        if self._telling.live and not was_live:
            self._course.answered(trial.attempt)
        await self._give(hand, told)

    async def _give(self, hand: Handover, events: list[Event]) -> None:
        if events:
            self._fold(events)
            await hand.give(events)

    def _fold(self, events: list[Event]) -> None:
        for event in events:
            if type(event) is Reset:
                self._collector = Collector() if self._collector is not None else None
            elif self._collector is not None:
                self._collector.feed(event)
        self._ended = self._ended or type(events[-1]) is End

    def _interrupted(self) -> list[Event]:
        """What is left to tell when the run did not come to its end. If the attempt's answer was whole by then, that it was."""
        error = make_error("cancelled")
        trial = self._trial
        if trial is not None:
            self._course.left(trial.attempt)
        if self._ended or self._fault is not None:
            return []
        if trial is not None:
            trial.close(error)
            events = self._telling.finish(trial.tail, self._over(trial))
        elif self.history:
            events = self._telling.finish([], End("incomplete", error=error))
        else:
            events = self._unmade(error)
        self._fold(events)
        return events

    def _unmade(self, error: Error) -> list[Event]:
        trial = Trial(
            self._first, 0, make_reader=self._make_reader, clocks=self._clocks, time=self._time, total=self._total
        )
        trial.close(error)
        return self._telling.finish(trial.tail, trial.end or End("failed", error=error))

    def _over(self, trial: Trial) -> End:
        """The attempt is over: remember what became of it."""
        attempt, self._trial = trial.attempt, None
        end = trial.end or End("truncated", error=make_error("truncated"))
        self.history.append(
            Tried(
                number=trial.number, protocol=attempt.source, model=attempt.model, key=attempt.key_id[1],
                provider=attempt.key_id[0], host=attempt.host, variant=attempt.variant,
                waited=trial.waited, seconds=trial.seconds, committed=self._telling.live,
                outcome=end.outcome, error=end.error, usage=end.usage,
            )
        )  # fmt: skip
        return end
