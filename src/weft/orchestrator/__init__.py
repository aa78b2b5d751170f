"""One stream into one sink: text flushed at good places, thoughts apart, every call delivered, one truthful end.

Knows: what of it is public. The buffer and the routing need nothing; what waits needs anyio, and is imported when it is asked for.
Must not know: providers.
"""

import importlib
import typing

from weft.orchestrator.flusher import Flusher
from weft.orchestrator.result import StreamResult, StreamStatus, ThoughtLog
from weft.orchestrator.routing import Routing
from weft.orchestrator.rules import Flush, FlushRules
from weft.orchestrator.sink import Sink

if typing.TYPE_CHECKING:
    from weft.orchestrator.clock import Clock, Stop
    from weft.orchestrator.loop import orchestrate

_WAITING = {
    "Clock": "weft.orchestrator.clock",
    "Stop": "weft.orchestrator.clock",
    "orchestrate": "weft.orchestrator.loop",
}

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


def __getattr__(name: str) -> typing.Any:
    if name not in _WAITING:
        raise AttributeError(f"module 'weft.orchestrator' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(_WAITING[name]), name)
    except ModuleNotFoundError as error:
        raise ImportError("the orchestrator needs anyio: pip install 'weft[runner]'") from error
