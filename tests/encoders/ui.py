"""Chunks of a UI message stream in short.

Knows their frame: start, steps, finish, `[DONE]`. Must not know what stands within.
"""

from typing import Any

TARGET = "ai-sdk-ui"


def inner(chunks: list[Any]) -> list[dict[str, Any]]:
    """What stands within the one step; the ends of the message are as they should be."""
    assert [{"type": "start"}, {"type": "start-step"}] == chunks[:2]
    assert "[DONE]" == chunks[-1]
    assert ["finish-step", "finish"] == [chunk["type"] for chunk in chunks[-3:-1]]
    return chunks[2:-3]


def types(chunks: list[Any]) -> list[str]:
    return [chunk["type"] if isinstance(chunk, dict) else chunk for chunk in chunks]
