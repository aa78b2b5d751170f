"""The contracts of the seeds' own shapes, to be held against somebody's adapter.

Knows: which checker judges which contract. Must not know: any rule.
"""

from typing import Any

from weft import stream_events
from weft.testing.laws import LawBrokenError


def check_stream_events(stream: Any) -> None:
    """Stream Event v1: the events (typed, dicts, or JSON lines) are of its union and in its order. Raises with all that is wrong."""
    found = stream_events.check_stream_events(stream)
    if found:
        lines = [f"at {finding.offset}: {finding.rule}: {finding.message}" for finding in found]
        raise LawBrokenError("the contract of Stream Event v1 is broken\n" + "\n".join(lines))
