"""Frames as Bedrock sends them for ConverseStream."""

import base64
from typing import Any

import weft
from weft.message import Message

from .aws import event

START = event("messageStart", {"role": "assistant", "p": "abcd"})
USAGE = {"inputTokens": 9, "outputTokens": 4, "totalTokens": 13}
METADATA = event("metadata", {"usage": USAGE, "metrics": {"latencyMs": 500}, "p": "abc"})


def opened(index: int, **start: Any) -> bytes:
    return event("contentBlockStart", {"contentBlockIndex": index, "start": start, "p": "a"})


def delta(index: int, **delta: Any) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": index, "delta": delta, "p": "abcdefg"})


def closed(index: int) -> bytes:
    return event("contentBlockStop", {"contentBlockIndex": index})


def stopped(reason: str | None = "end_turn", **more: Any) -> bytes:
    return event("messageStop", {"stopReason": reason, **more})


def call(index: int, name: str, *pieces: str, id: str = "tooluse_1", **more: Any) -> bytes:
    start = opened(index, toolUse={"toolUseId": id, "name": name, **more})
    return start + b"".join(delta(index, toolUse={"input": piece}) for piece in pieces) + closed(index)


TEXT = START + delta(0, text="Blue") + delta(0, text=" sky.") + closed(0) + stopped() + METADATA


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def read(*frames: bytes) -> Message:
    """The message of a stream."""
    return weft.collect(weft.read(b"".join(frames), "bedrock"))


def kinds(got: Message) -> list[str]:
    """What the blocks of a message are."""
    return [part.__struct_config__.tag for part in got.blocks]
