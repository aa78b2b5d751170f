"""Framing: bytes in, frames out.

Knows bytes: where a frame begins and ends, and its name. Must not know what a payload says, nor any provider.
"""

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, Framer
from weft.framing.framers import FRAMERS, MakeFramer
from weft.framing.sse import SSE

__all__ = ["DEFAULT_LIMIT", "FRAMERS", "SSE", "Emit", "Fault", "Framer", "MakeFramer"]
