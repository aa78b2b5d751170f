"""Model families behind Bedrock's InvokeModel that speak a protocol of their own: their frames are read by that protocol's decoder.

Knows: by which member such a frame is recognised, and where Bedrock puts its own counts.
Must not know: those protocols; how the frames were wrapped.
"""

from collections.abc import Callable
from typing import Any, Final

from weft import jsontext
from weft.assembler import Assembler
from weft.protocols.anthropic.wire import METRICS

Visit = Callable[[bytes], None]

MEMBERS: Final = {
    "messageStart": "bedrock",  # Nova speaks Converse
    "contentBlockStart": "bedrock",
    "contentBlockDelta": "bedrock",
    "output": "bedrock",
    "choices": "openai-chat",  # gpt-oss, Qwen, DeepSeek
    "event_type": "cohere",  # Command R speaks version 1
    "chat_history": "cohere",
}
"""A member that no event of Messages has -> whose it is (atlas 2.7)."""


def find(frame: Any) -> str | None:
    """The protocol that this frame is of, if it is one of those."""
    if not jsontext.is_object(frame) or "type" in frame:
        return None
    return next((protocol for member, protocol in MEMBERS.items() if member in frame), None)


def received(out: Assembler, protocol: str) -> Visit:
    """What reads the frames of a guest. Bedrock's counts are told before it, since the guest's own say more."""
    read = out.place.guest(protocol)
    mark = METRICS.encode()

    def visit(frame: bytes) -> None:
        if mark in frame:
            _count(out, jsontext.read_object(frame).get(METRICS))
        read(frame, "")

    return visit


def _count(out: Assembler, metrics: Any) -> None:
    if jsontext.is_object(metrics):
        names = {"input_tokens": "inputTokenCount", "output_tokens": "outputTokenCount"}
        counts = {ours: value for ours, name in names.items() if isinstance(value := metrics.get(name), int)}
        out.usage(counts, None, metrics)
        out.meta("invocation_metrics", metrics)
