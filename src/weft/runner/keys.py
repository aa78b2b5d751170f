"""The key ring: which key is free, which is cooling, which had most to do.

Knows: labels and times that it is told. Must not know: secrets, a clock of its own, why a key has to rest.
Its methods never wait, so any number of runs under one loop may share a ring.
"""

import math
from collections import Counter
from collections.abc import Iterable

from weft.runner.attempt import Attempt

Id = tuple[str, str]


class KeyRing:
    """The state of the keys, shared by the runs that it is given to."""

    def __init__(self) -> None:
        self._used: Counter[Id] = Counter()
        self._cooling: dict[tuple[Id, tuple[str, ...]], float] = {}
        self._disabled: set[Id] = set()

    def choose(self, attempts: Iterable[Attempt], now: float) -> Attempt | None:
        """The attempt whose key is free and was used least; of equals the first."""
        free = [attempt for attempt in attempts if self.free_at(attempt) <= now]
        return min(free, key=lambda attempt: self._used[attempt.key_id], default=None)

    def free_at(self, attempt: Attempt) -> float:
        """When this key may be used with this model: infinity if it is disabled."""
        if attempt.key_id in self._disabled:
            return math.inf
        rests = (self._cooling.get((attempt.key_id, scope), -math.inf) for scope in ((), attempt.model_id))
        return max(rests)

    def use(self, attempt: Attempt) -> None:
        """Count one use. Counted when it begins, so that runs beside each other take different keys."""
        self._used[attempt.key_id] += 1

    def cool(self, attempt: Attempt, until: float, *, everywhere: bool) -> None:
        """Let a key rest: with this model, or with all of them. A longer rest that it has already stays."""
        place = (attempt.key_id, () if everywhere else attempt.model_id)
        self._cooling[place] = max(until, self._cooling.get(place, -math.inf))

    def clear(self, attempt: Attempt) -> None:
        """The key has served this model: it needs no rest."""
        self._cooling.pop((attempt.key_id, ()), None)
        self._cooling.pop((attempt.key_id, attempt.model_id), None)

    def disable(self, provider: str, label: str) -> None:
        """Take a key out of the ring."""
        self._disabled.add((provider, label))

    def enable(self, provider: str, label: str) -> None:
        """Put it back."""
        self._disabled.discard((provider, label))

    def used(self, provider: str, label: str) -> int:
        """How often this key was used."""
        return self._used[provider, label]
