"""The course of a run: which attempt comes first, and which comes after an error.

Knows: the attempts, the table of what follows from errors, and the state of keys and circuits.
Must not know: sockets, events, a clock of its own. It never waits; the same times and rolls give the same course.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from weft.errors import Error, ErrorType, make_error
from weft.runner.attempt import Attempt
from weft.runner.breaker import Breaker
from weft.runner.keys import Id, KeyRing
from weft.runner.recourse import Move, Recourse


class Step(msgspec.Struct, frozen=True):
    """What to do next: wait, then make this attempt."""

    attempt: Attempt
    wait: float = 0.0


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """How much may be tried: keys of one model, attempts in all, and the longest single wait in seconds."""

    keys_per_model: int = 3
    attempts: int = 12
    longest_wait: float = 60.0


class Course:
    """One run's way through its attempts."""

    def __init__(
        self,
        attempts: Iterable[Attempt],
        *,
        keys: KeyRing,
        breaker: Breaker,
        recourses: Mapping[ErrorType, Recourse],
        budget: Budget,
        roll: Callable[[], float],
    ) -> None:
        models: dict[tuple[str, ...], list[Attempt]] = {}
        for attempt in attempts:
            models.setdefault(attempt.model_id, []).append(attempt)
        self._models = [*models.values()]
        self._keys, self._breaker, self._recourses, self._budget, self._roll = keys, breaker, recourses, budget, roll
        self._at = 0
        self._made = 0
        self._begun = 0.0
        self._keys_here: set[Id] = set()
        self._repeats: Counter[ErrorType] = Counter()
        self._last: Attempt | None = None
        self._spent: set[tuple[int, Id]] = set()
        self._barred: set[Id] = set()

    # -- asking --------------------------------------------------------------------------------------------------

    def begin(self, now: float) -> Step | Error:
        """The first attempt: of the first model that has a free key, else of the key that is free soonest."""
        return self._next_model(0, now) or self._soonest(now)

    def after(self, error: Error, now: float) -> Step | Error:
        """What follows from this error of the last attempt: a step, or the error again if it ends the run."""
        if self._last is None or self._made >= self._budget.attempts:
            return error
        for move in self._moves(error):
            if (step := self._move(move, error, now)) is not None:
                return step
        return error

    # -- being told ----------------------------------------------------------------------------------------------

    def started(self, attempt: Attempt, now: float) -> None:
        """The attempt begins."""
        self._begun = now
        if attempt is not self._last:
            self._repeats.clear()
        self._last = attempt
        self._made += 1
        self._keys_here.add(attempt.key_id)
        self._keys.use(attempt)
        self._breaker.enter(attempt.circuit)

    def answered(self, attempt: Attempt) -> None:
        """The attempt gave output, or ended well: key and host are in order."""
        self._keys.clear(attempt, self._begun)
        self._breaker.succeed(attempt.circuit)

    def failed(self, attempt: Attempt, error: Error, now: float) -> None:
        """The attempt ended with this error: keys rest and circuits open as the table says."""
        row = self._recourses[error.type]
        if row.cooldown:
            until = now + max(row.cooldown, error.retry_after or 0.0)
            self._keys.cool(attempt, now, until, everywhere=row.cools == "key")
        if row.breaks and error.code != "total_timeout":
            self._breaker.fail(attempt.circuit, now)
        else:
            self._breaker.leave(attempt.circuit)
        self._spent.add((self._at, attempt.key_id))
        if row.cools == "key":
            self._barred.add(attempt.key_id)

    def left(self, attempt: Attempt) -> None:
        """The attempt was given up by us."""
        self._breaker.leave(attempt.circuit)

    # -- moves ---------------------------------------------------------------------------------------------------

    def _moves(self, error: Error) -> Iterable[Move]:
        """The table's moves, as far as the error itself allows them: its provider may have said whether a retry helps."""
        allowed = {"same": error.retryable, "key": error.fault != "client", "model": True}
        return (move for move in self._recourses[error.type].moves if allowed[move])

    def _move(self, move: Move, error: Error, now: float) -> Step | None:
        if move == "same":
            return self._same(error, now)
        if move == "key":
            return self._next_key(now)
        return self._next_model(self._at + 1, now)

    def _same(self, error: Error, now: float) -> Step | None:
        attempt, backoff = self._last, self._recourses[error.type].backoff
        if attempt is None or backoff is None or self._repeats[error.type] >= backoff.times:
            return None
        asked = error.retry_after or 0.0
        wait = max(backoff.wait(self._repeats[error.type], self._roll()), asked)
        if asked > self._budget.longest_wait or self._breaker.free_at(attempt.circuit) > now + wait:
            return None
        self._repeats[error.type] += 1
        return Step(attempt, wait)

    def _next_key(self, now: float) -> Step | None:
        if len(self._keys_here) >= self._budget.keys_per_model:
            return None
        attempt = self._free(self._at, now)
        return None if attempt is None else Step(attempt)

    def _next_model(self, start: int, now: float) -> Step | None:
        for at in range(start, len(self._models)):
            if (attempt := self._free(at, now)) is not None:
                self._at = at
                self._keys_here = set()
                return Step(attempt)
        return None

    def _free(self, at: int, now: float) -> Attempt | None:
        """The best attempt of this model whose key was not used up in this run, and whose key and host are free."""
        attempts = [attempt for attempt in self._models[at] if not self._is_spent(at, attempt)]
        return self._keys.choose([a for a in attempts if self._breaker.free_at(a.circuit) <= now], now)

    def _is_spent(self, at: int, attempt: Attempt) -> bool:
        return (at, attempt.key_id) in self._spent or attempt.key_id in self._barred

    def _soonest(self, now: float) -> Step | Error:
        """Nothing is free: wait for the key whose rest is over first, unless that takes too long or the hosts are closed off."""
        open_to = [
            (self._keys.free_at(attempt), at, attempt)
            for at, model in enumerate(self._models)
            for attempt in model
            if self._breaker.free_at(attempt.circuit) <= now
        ]
        if not open_to:
            ends = min(self._breaker.free_at(attempt.circuit) for model in self._models for attempt in model)
            return make_error(
                "overloaded", "The provider failed too often and is left alone for a while.", code="circuit_open",
                retry_after=None if ends == math.inf else ends - now,
            )  # fmt: skip
        free_at, at, attempt = min(open_to, key=lambda found: found[:2])
        if free_at == math.inf:
            return make_error("authentication", "Every key is disabled.", code="keys_disabled")
        if free_at - now > self._budget.longest_wait:
            return make_error("rate_limit", "Every key is resting.", code="keys_resting", retry_after=free_at - now)
        self._at = at
        return Step(attempt, free_at - now)
