"""Weft: any LLM provider's stream as one typed, truthful event stream, and as any other protocol's.

The public names and nothing else; heavier ones are imported when they are first asked for.
"""

import importlib
import typing

if typing.TYPE_CHECKING:
    from weft.accumulator import ToolCallAccumulator
    from weft.adapters import StreamAdapter, adapter_for
    from weft.chunks import ProcessedChunk
    from weft.context import Context
    from weft.errors import Error, error_from_http
    from weft.events import Event, from_json, to_json
    from weft.linting import Finding, lint
    from weft.losses import Loss
    from weft.message import Choice, Message, collect
    from weft.orchestrator import orchestrate
    from weft.pipe import Pipe, convert
    from weft.rules import Limits
    from weft.runner import run
    from weft.sources import acollect, aread, read
    from weft.tools import ToolIdentity, ToolIdentityMap
    from weft.turns import Replay, replay_turn
    from weft.vscode import VSCodeStreamAdapter
    from weft.whole import Reply, reply

_HOMES = {
    "Choice": "weft.message",
    "Context": "weft.context",
    "Error": "weft.errors",
    "Event": "weft.events",
    "Finding": "weft.linting",
    "Limits": "weft.rules",
    "Loss": "weft.losses",
    "Message": "weft.message",
    "Pipe": "weft.pipe",
    "ProcessedChunk": "weft.chunks",
    "Replay": "weft.turns",
    "Reply": "weft.whole",
    "StreamAdapter": "weft.adapters",
    "ToolCallAccumulator": "weft.accumulator",
    "ToolIdentity": "weft.tools",
    "ToolIdentityMap": "weft.tools",
    "VSCodeStreamAdapter": "weft.vscode",
    "acollect": "weft.sources",
    "adapter_for": "weft.adapters",
    "aread": "weft.sources",
    "collect": "weft.message",
    "convert": "weft.pipe",
    "error_from_http": "weft.errors",
    "from_json": "weft.events",
    "lint": "weft.linting",
    "orchestrate": "weft.orchestrator",
    "read": "weft.sources",
    "replay_turn": "weft.turns",
    "reply": "weft.whole",
    "run": "weft.runner",
    "to_json": "weft.events",
}

__all__ = [
    "Choice",
    "Context",
    "Error",
    "Event",
    "Finding",
    "Limits",
    "Loss",
    "Message",
    "Pipe",
    "ProcessedChunk",
    "Replay",
    "Reply",
    "StreamAdapter",
    "ToolCallAccumulator",
    "ToolIdentity",
    "ToolIdentityMap",
    "VSCodeStreamAdapter",
    "acollect",
    "adapter_for",
    "aread",
    "collect",
    "convert",
    "error_from_http",
    "from_json",
    "lint",
    "orchestrate",
    "read",
    "replay_turn",
    "reply",
    "run",
    "to_json",
]


def __getattr__(name: str) -> typing.Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'weft' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
