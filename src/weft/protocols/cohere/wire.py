"""The wire of Cohere's v2 chat: stream events and the whole reply, in one flat type.

Knows: names and types of members that the decoder reads, all optional. What a stream sends as an object, a reply has as a list.
Must not know: what any of it means; version 1, which is read by itself (`v1`).
"""

from typing import Any

import msgspec


class Wire(msgspec.Struct, gc=False):
    """What all wire types share."""


class Content(Wire):
    type: str | None = None
    text: str | None = None
    thinking: str | None = None


class Function(Wire):
    """Arguments are text; the object itself from those who imitate Cohere."""

    name: str | None = None
    arguments: Any = None


class ToolCall(Wire):
    id: str | None = None
    type: str | None = None
    function: Function | None = None


class Message(Wire):
    content: Content | list[Content] | None = None
    tool_calls: ToolCall | list[ToolCall] | None = None
    tool_plan: str | None = None
    citations: dict[str, Any] | list[dict[str, Any]] | None = None


class Tokens(Wire, omit_defaults=True):
    """Counts are written as floats by some."""

    input_tokens: int | float | None = None
    output_tokens: int | float | None = None
    reasoning_tokens: int | float | None = None
    search_units: int | float | None = None
    classifications: int | float | None = None


class Usage(Wire, omit_defaults=True):
    billed_units: Tokens | None = None
    tokens: Tokens | None = None
    cached_tokens: int | float | None = None


class Delta(Wire):
    message: Message | None = None
    finish_reason: str | None = None
    error: Any = None
    usage: Usage | None = None


class Frame(Wire):
    """An event; or a whole reply, whose `message` stands beside `finish_reason`; or an error, whose message is text.

    `wrapped` is an event as Bedrock's InvokeModel sends it.
    """

    type: str | None = None
    index: int | None = None
    delta: Delta | None = None
    logprobs: dict[str, Any] | list[Any] | None = None
    id: str | None = None
    message: Message | str | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    prompt: str | None = None
    event_type: str | None = None
    generation_id: str | None = None
    wrapped: bytes | None = msgspec.field(default=None, name="bytes")


# Known and not read: who speaks, and what the type of an event or block says already.
IGNORES = frozenset({"*.role", "delta.message.tool_calls.type"})
