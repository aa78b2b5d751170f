"""The framers by name.

Knows which there are. Must not know which source uses which: that is the source's own row.
"""

from collections.abc import Mapping
from typing import Final, Protocol

from weft.framing.aws_eventstream import AWSEventStream
from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, Framer
from weft.framing.json_array import JSONArray
from weft.framing.ndjson import NDJSON
from weft.framing.sse import SSE


class MakeFramer(Protocol):
    """What makes a framer: its class."""

    def __call__(self, emit: Emit, fault: Fault, limit: int = DEFAULT_LIMIT) -> Framer: ...


FRAMERS: Final[Mapping[str, MakeFramer]] = {
    "sse": SSE,
    "ndjson": NDJSON,
    "json_array": JSONArray,
    "aws": AWSEventStream,
}
