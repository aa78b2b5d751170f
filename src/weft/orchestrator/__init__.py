"""One stream into one sink: text flushed at good places, thoughts apart, every call delivered, one truthful end.

Knows: what of it is public. Must not know: providers.
"""

from weft.orchestrator.clock import Clock, Stop
from weft.orchestrator.flusher import Flusher
from weft.orchestrator.loop import orchestrate
from weft.orchestrator.result import StreamResult, StreamStatus, ThoughtLog
from weft.orchestrator.routing import Routing
from weft.orchestrator.rules import Flush, FlushRules
from weft.orchestrator.sink import Sink

__all__ = [
    "Clock",
    "Flush",
    "FlushRules",
    "Flusher",
    "Routing",
    "Sink",
    "Stop",
    "StreamResult",
    "StreamStatus",
    "ThoughtLog",
    "orchestrate",
]
