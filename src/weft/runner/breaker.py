"""The circuit breaker: after so many failures in a row a host is left alone for a while, then asked by one probe.

Knows: failures that it is told of, and when. Must not know: a clock of its own, what failed or why.
"""

import math
import sys
from collections.abc import Mapping

import msgspec

Circuit = tuple[str, str]


class Trip(msgspec.Struct, frozen=True):
    """After how many failures in a row the circuit opens, and for how many seconds."""

    failures: int
    seconds: float


TRIPS: dict[str, Trip] = {
    "openai": Trip(3, 30),
    "openai-chat": Trip(3, 30),
    "openai-responses": Trip(3, 30),
    "openrouter": Trip(4, 20),
    "anthropic": Trip(4, 25),
    "ollama": Trip(8, 10),
}
"""By provider; seed 002's figures."""

OTHERS = Trip(4, 25)
NEVER = Trip(sys.maxsize, 0)


class State(msgspec.Struct):
    """One circuit: closed while `opened` is None."""

    failures: int = 0
    opened: float | None = None
    probing: bool = False


class Breaker:
    """The circuits of the hosts, shared by the runs that it is given to."""

    def __init__(self, trips: Mapping[str, Trip] = TRIPS, others: Trip = OTHERS) -> None:
        self._trips = dict(trips)
        self._others = others
        self._circuits: dict[Circuit, State] = {}

    def free_at(self, circuit: Circuit) -> float:
        """From when on this host may be asked: infinity while a probe is out."""
        state = self._circuits.get(circuit)
        if state is None or state.opened is None:
            return -math.inf
        return math.inf if state.probing else state.opened + self._trip(circuit).seconds

    def enter(self, circuit: Circuit) -> None:
        """An attempt begins; if the circuit is not closed it is the probe."""
        state = self._circuits.setdefault(circuit, State())
        state.probing = state.opened is not None

    def succeed(self, circuit: Circuit) -> None:
        """The host answered: the circuit closes."""
        self._circuits[circuit] = State()

    def fail(self, circuit: Circuit, now: float) -> None:
        """The host failed: one more in a row, or the probe."""
        state = self._circuits.setdefault(circuit, State())
        state.failures += 1
        if state.probing or state.failures >= self._trip(circuit).failures:
            state.opened = now
        state.probing = False

    def leave(self, circuit: Circuit) -> None:
        """The attempt ended in a way that says nothing about the host."""
        self._circuits.setdefault(circuit, State()).probing = False

    def _trip(self, circuit: Circuit) -> Trip:
        return self._trips.get(circuit[0], self._others)
