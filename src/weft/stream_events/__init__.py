"""Stream Event v1 (seed 002) for programs: its events as values, from any source; its invariants as a checker; its collectors.

    for event in stream_events(source, "anthropic"): ...
    plan = collect_tool_args(stream_events(source, "anthropic"), "emit_plan").args

Knows: the public names. Must not know: how a source becomes these events; that is the target `stream-event-v1`, and nothing besides it.
"""

from weft.stream_events.check import check_stream_events
from weft.stream_events.collect import (
    CollectedCall,
    Problem,
    ToolArgs,
    ToolCalls,
    acollect_all_tool_calls,
    acollect_tool_args,
    collect_all_tool_calls,
    collect_tool_args,
)
from weft.stream_events.source import astream_events, stream_events
from weft.stream_events.union import (
    StreamContentEvent,
    StreamDoneEvent,
    StreamErrorEvent,
    StreamEventV1,
    StreamReturnEvent,
    StreamToolCallEvent,
    from_json,
    to_json,
)

__all__ = [
    "CollectedCall",
    "Problem",
    "StreamContentEvent",
    "StreamDoneEvent",
    "StreamErrorEvent",
    "StreamEventV1",
    "StreamReturnEvent",
    "StreamToolCallEvent",
    "ToolArgs",
    "ToolCalls",
    "acollect_all_tool_calls",
    "acollect_tool_args",
    "astream_events",
    "check_stream_events",
    "collect_all_tool_calls",
    "collect_tool_args",
    "from_json",
    "stream_events",
    "to_json",
]
