"""A fake provider: recorded streams served over HTTP with their own timing, re-split, and with faults on demand.

Knows: the public names. Must not know: anything else.
"""

from weft.replay.capture import Capture, Chunk, captures_in
from weft.replay.fault import Fault
from weft.replay.playing import Manner
from weft.replay.server import serving
from weft.replay.shelf import Shelf

__all__ = ["Capture", "Chunk", "Fault", "Manner", "Shelf", "captures_in", "serving"]
