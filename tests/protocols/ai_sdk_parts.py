"""The AI SDK's parts, short to write: one of each kind, and the same run in the words of every version."""

from typing import Any

import pytest

from tests.protocols.wire import message, ndjson

STEP = {"type": "start-step", "request": {}, "warnings": []}
FINISH = {"type": "finish", "finishReason": "stop", "totalUsage": {}}
CALL = {"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": {"at": "sky"}}


def read(*parts: Any, **options: Any):
    return message(ndjson(*parts), "ai-sdk", **options)


def finish_step(reason: str = "stop", **more: Any) -> dict[str, Any]:
    return {"type": "finish-step", "finishReason": reason, "usage": {}, "response": {}, **more}


def pieces(*texts: str, id: str = "c") -> list[dict[str, Any]]:
    """A call's input in pieces, as versions 5 and later send it."""
    start = {"type": "tool-input-start", "id": id, "toolName": "look"}
    deltas = [{"type": "tool-input-delta", "id": id, "delta": text} for text in texts]
    return [start, *deltas, {"type": "tool-input-end", "id": id}]


VERSION_4 = [
    {"type": "reasoning", "textDelta": "Hm"},
    {"type": "text-delta", "textDelta": "Hi"},
    {"type": "tool-call-streaming-start", "toolCallId": "c", "toolName": "look"},
    {"type": "tool-call-delta", "toolCallId": "c", "toolName": "look", "argsTextDelta": '{"at":"sky"}'},
    {"type": "tool-call", "toolCallId": "c", "toolName": "look", "args": {"at": "sky"}},
    {"type": "finish", "finishReason": "tool-calls", "usage": {"promptTokens": 1, "completionTokens": 2}},
]
VERSION_5 = [
    {"type": "start"},
    STEP,
    {"type": "reasoning-start", "id": "0"},
    {"type": "reasoning-delta", "id": "0", "text": "Hm"},
    {"type": "reasoning-end", "id": "0"},
    {"type": "text-start", "id": "1"},
    {"type": "text-delta", "id": "1", "text": "Hi"},
    {"type": "text-end", "id": "1"},
    *pieces('{"at":', '"sky"}'),
    CALL,
    finish_step("tool-calls"),
    {"type": "finish", "finishReason": "tool-calls", "totalUsage": {"inputTokens": 1, "outputTokens": 2}},
]
PROVIDER = [
    {"type": "stream-start", "warnings": []},
    {"type": "reasoning-start", "id": "0"},
    {"type": "reasoning-delta", "id": "0", "delta": "Hm"},
    {"type": "reasoning-end", "id": "0"},
    {"type": "text-start", "id": "1"},
    {"type": "text-delta", "id": "1", "delta": "Hi"},
    {"type": "text-end", "id": "1"},
    *pieces('{"at":', '"sky"}'),
    {"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": '{"at":"sky"}'},
    {
        "type": "finish",
        "finishReason": {"unified": "tool-calls", "raw": "tool_use"},
        "usage": {"inputTokens": {"total": 1}, "outputTokens": {"total": 2}},
    },
]

every_version = pytest.mark.parametrize("parts", [VERSION_4, VERSION_5, PROVIDER], ids=["4", "5 and later", "provider"])
