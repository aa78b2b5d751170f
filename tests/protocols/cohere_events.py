"""Events as Cohere sends them in a stream of its v2 chat."""

from typing import Any

import weft
from weft.message import Message

from .wire import sse

START = {
    "id": "66dec7d7",
    "type": "message-start",
    "delta": {"message": {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}},
}
USAGE = {
    "billed_units": {"input_tokens": 3, "output_tokens": 4},
    "tokens": {"input_tokens": 70, "output_tokens": 9},
    "cached_tokens": 48,
}


def content(index: int, *pieces: str, kind: str = "text") -> list[dict[str, Any]]:
    """A content block from its start to its end."""
    said = [{"content": {"type": kind, kind: ""}}, *({"content": {kind: piece}} for piece in pieces)]
    types = ["content-start", *["content-delta"] * len(pieces)]
    events = [{"type": t, "index": index, "delta": {"message": m}} for t, m in zip(types, said, strict=True)]
    return [*events, {"type": "content-end", "index": index}]


def plan(*pieces: str) -> list[dict[str, Any]]:
    return [{"type": "tool-plan-delta", "delta": {"message": {"tool_plan": piece}}} for piece in pieces]


def call_start(index: int, name: str, id: str = "c1") -> dict[str, Any]:
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": ""}}
    return {"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": call}}}


def call_delta(index: int, piece: str) -> dict[str, Any]:
    call = {"function": {"arguments": piece}}
    return {"type": "tool-call-delta", "index": index, "delta": {"message": {"tool_calls": call}}}


def call(index: int, name: str, *pieces: str, id: str = "c1") -> list[dict[str, Any]]:
    """A call from its start to its end."""
    deltas = [call_delta(index, piece) for piece in pieces]
    return [call_start(index, name, id), *deltas, {"type": "tool-call-end", "index": index}]


def citation(index: int, **members: Any) -> list[dict[str, Any]]:
    """A citation, which is whole with its start."""
    start = {"type": "citation-start", "index": index, "delta": {"message": {"citations": members}}}
    return [start, {"type": "citation-end", "index": index}]


def ended(finish: str | None = "COMPLETE", usage: Any = USAGE, **more: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": finish, "usage": usage, **more}}


def stream(*events: Any) -> bytes:
    """Events, or lists of them, as Cohere puts them into server-sent events."""
    flat = [one for event in events for one in (event if isinstance(event, list) else [event])]
    return sse(*flat, event=True)


def read(*events: Any) -> Message:
    """The message of a stream."""
    return weft.collect(weft.read(stream(*events), "cohere"))
