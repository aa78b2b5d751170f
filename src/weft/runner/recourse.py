"""What follows from an error, as a table: where to turn next, how long to wait, which key has to rest.

Knows: the types of errors and what may help against each. Must not know: attempts, keys, a clock.
"""

from typing import Literal

import msgspec

from weft.errors import ErrorType

Move = Literal["same", "key", "model"]
"""Try the same again after a wait, turn to another key of the model, turn to the next model."""

SPREAD = 0.25
"""Waits are spread by this share to both sides, so that those who failed together do not come back together."""


class Backoff(msgspec.Struct, frozen=True):
    """How often the same may be tried again, and how the wait grows."""

    times: int
    first: float
    most: float
    factor: float = 2.0

    def wait(self, repeat: int, roll: float) -> float:
        """The wait before the repeat of this number (from 0); `roll` is a number from 0 to 1."""
        return min(self.most, self.first * self.factor**repeat) * (1 + SPREAD * (2 * roll - 1))


class Recourse(msgspec.Struct, frozen=True, kw_only=True):
    """The row of one type of error: the moves in the order in which they are thought of; none means that it ends the run.

    `cooldown` is how long the key rests, at least as long as the provider said; with this `model`, or as a `key` with all of them.
    `breaks`: it speaks against the host.
    """

    moves: tuple[Move, ...] = ()
    backoff: Backoff | None = None
    cooldown: float = 0.0
    cools: Literal["model", "key"] = "model"
    breaks: bool = False


_LIMITED = Backoff(5, 1.0, 60.0)
_LATE = Backoff(3, 0.5, 10.0, 1.5)
_FAILED = Backoff(4, 0.1, 2.0)
_CUT_OFF = Backoff(3, 0.2, 5.0)

RECOURSES: dict[ErrorType, Recourse] = {
    # the key
    "authentication": Recourse(moves=("key", "model"), cooldown=300.0, cools="key"),
    "permission": Recourse(moves=("key", "model")),
    "billing": Recourse(moves=("key", "model"), cooldown=300.0, cools="key"),
    "rate_limit": Recourse(moves=("key", "model", "same"), backoff=_LIMITED, cooldown=60.0),
    # the model
    "not_found": Recourse(moves=("model",)),
    "overloaded": Recourse(moves=("model", "same"), backoff=_FAILED, breaks=True),
    # the provider and the line
    "server": Recourse(moves=("same", "key", "model"), backoff=_FAILED, breaks=True),
    "protocol": Recourse(moves=("same", "key", "model"), backoff=_FAILED, breaks=True),
    "truncated": Recourse(moves=("same", "key", "model"), backoff=_FAILED, breaks=True),
    "timeout": Recourse(moves=("same", "key", "model"), backoff=_LATE, breaks=True),
    "transport": Recourse(moves=("same", "key", "model"), backoff=_CUT_OFF, breaks=True),
    # the request, or whoever asked
    "context_length": Recourse(),
    "content_blocked": Recourse(),
    "invalid_request": Recourse(),
    "request_too_large": Recourse(),
    "limit": Recourse(),
    "cancelled": Recourse(),
}
"""The figures are seeds 000's and 002's; `run(recourses=…)` replaces rows."""
