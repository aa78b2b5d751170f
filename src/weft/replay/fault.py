"""What goes wrong on demand: a word for it, where in the body, and for how many requests.

Knows: how a fault is spelt. Must not know: how it is played.
"""

import re
from typing import Final, Literal

import msgspec

Kind = Literal["cut", "stall", "garbage", "error", "status"]

KINDS: Final[dict[str, str]] = {
    "cut": "the connection breaks off there",
    "stall": "nothing more is sent, but the connection stays open",
    "garbage": "bytes that are not a frame are inserted, between two pieces",
    "error": "the provider reports a failure there, in its protocol's own form",
    "429": "or any status from 400 to 599: the request is refused with that status",
}
"""word -> what happens."""

_SPELT: Final = re.compile(
    r"(?P<kind>cut|stall|garbage|error|[45][0-9]{2})(?:@(?P<at>[0-9]{1,12})(?P<percent>%)?)?(?:\*(?P<times>[0-9]{1,6}))?"
)


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault. `at` is a byte of the body, or a part of it from 0 to 1 if it is a float; `times` is None for every request."""

    kind: Kind
    at: int | float = 0.5
    status: int = 0
    times: int | None = None

    def place(self, size: int) -> int:
        """The byte at which it happens in a body of this size."""
        return min(size, int(size * self.at) if isinstance(self.at, float) else self.at)


def fault_named(text: str) -> Fault:
    """`KIND[@BYTE|@PERCENT%][*TIMES]`, as `cut@50%`, `stall@120`, `429*2`. Raises `ValueError` with the ways to say it."""
    found = _SPELT.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(
            f"{text!r} is not a fault; the faults are {', '.join(KINDS)}, optionally with @BYTE or @PERCENT% and *TIMES"
        )
    kind, number = found["kind"], found["at"]
    status = int(kind) if kind.isdigit() else 0
    at: int | float = 0.5 if number is None else min(int(number), 100) / 100 if found["percent"] else int(number)
    times = None if found["times"] is None else int(found["times"])
    return Fault(kind="status" if status else kind, at=at, status=status, times=times)  # pyright: ignore[reportArgumentType] - the pattern names the kinds
