"""What became of each attempt.

Knows: what may be told about an attempt afterwards. Must not know: secrets.
"""

from collections.abc import Iterable

import msgspec

from weft.errors import Error
from weft.events import Outcome, Usage, UsageSource
from weft.usage import FIELDS


class Tried(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt: who was asked, with which key (its label), after which wait, for how long, and how it ended.

    `committed` tells that some of its output was given to the consumer. `seconds` leaves out the time that the consumer took.
    """

    number: int
    protocol: str
    model: str
    key: str = ""
    provider: str = ""
    host: str = ""
    variant: str = ""
    waited: float = 0.0
    seconds: float = 0.0
    committed: bool = False
    outcome: Outcome = "truncated"
    error: Error | None = None
    usage: Usage | None = None


def total(parts: Iterable[Usage | None]) -> Usage | None:
    """What several attempts cost together. Where one of them did not say, the sum is a lower bound and marked as estimated."""
    known = [*parts]
    said = [usage for usage in known if usage is not None]
    if len(known) < 2 or not said:
        return said[0] if said else None
    counts: dict[str, int] = {}
    sources: dict[str, UsageSource] = {}
    for field in FIELDS:
        values: list[int | None] = [getattr(usage, field, None) for usage in known]
        numbers = [value for value in values if value is not None]
        if numbers:
            counts[field] = sum(numbers)
            estimated = len(numbers) < len(known) or any(usage.sources.get(field) == "estimated" for usage in said)
            sources[field] = "estimated" if estimated else "derived"
    return Usage(**counts, sources=sources)
