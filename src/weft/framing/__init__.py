"""Framing: bytes in, frames out.

Knows bytes: where a frame begins and ends, and its name. Must not know what a payload says, nor any provider.
"""

from weft.framing.aws_eventstream import AWSEventStream
from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, Framer
from weft.framing.framers import FRAMERS, MakeFramer
from weft.framing.json_array import JSONArray
from weft.framing.ndjson import NDJSON
from weft.framing.sniff import Sniffer
from weft.framing.sse import SSE

__all__ = [
    "DEFAULT_LIMIT",
    "FRAMERS",
    "NDJSON",
    "SSE",
    "AWSEventStream",
    "Emit",
    "Fault",
    "Framer",
    "JSONArray",
    "MakeFramer",
    "Sniffer",
]
