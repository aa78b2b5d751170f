"""The key ring: which key is free, which is cooling, which had most to do.

Knows: labels and times that it is told. Must not know: secrets, a clock of its own, why a key has to rest.
Its methods never wait, so any number of runs under one loop may share a ring.
"""

import math
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from weft.runner.attempt import Attempt

Id = tuple[str, str]


class Rest(NamedTuple):
    """A key that has to rest: since when and until when."""

    since: float
    until: float


NONE = Rest(-math.inf, -math.inf)


class KeyRing:
    """The state of the keys, shared by the runs that it is given to."""

    def __init__(self) -> None:
        self._used: Counter[Id] = Counter()
        self._rests: dict[tuple[Id, tuple[str, ...]], Rest] = {}
        self._disabled: set[Id] = set()

    def choose(self, attempts: Iterable[Attempt], now: float) -> Attempt | None:
        """The attempt whose key is free and was used least; of equals the first."""
        free = [attempt for attempt in attempts if self.free_at(attempt) <= now]
        return min(free, key=lambda attempt: self._used[attempt.key_id], default=None)

    def free_at(self, attempt: Attempt) -> float:
        """When this key may be used with this model: infinity if it is disabled."""
        if attempt.key_id in self._disabled:
            return math.inf
        return max(self._rests.get((attempt.key_id, scope), NONE).until for scope in ((), attempt.model_id))

    def use(self, attempt: Attempt) -> None:
        """Count one use. Counted when it begins, so that runs beside each other take different keys."""
        self._used[attempt.key_id] += 1

    def cool(self, attempt: Attempt, now: float, until: float, *, everywhere: bool) -> None:
        """Let a key rest: with this model, or with all of them. A longer rest that it has already stays."""
        place = (attempt.key_id, () if everywhere else attempt.model_id)
        self._rests[place] = Rest(now, max(until, self._rests.get(place, NONE).until))

    def clear(self, attempt: Attempt, begun: float) -> None:
        """The key has served an attempt that began then: what it was to rest for before that is over."""
        for place in ((attempt.key_id, ()), (attempt.key_id, attempt.model_id)):
            if self._rests.get(place, NONE).since < begun:
                self._rests.pop(place, None)

    def disable(self, provider: str, label: str) -> None:
        """Take a key out of the ring."""
        self._disabled.add((provider, label))

    def enable(self, provider: str, label: str) -> None:
        """Put it back."""
        self._disabled.discard((provider, label))

    def used(self, provider: str, label: str) -> int:
        """How often this key was used."""
        return self._used[provider, label]
