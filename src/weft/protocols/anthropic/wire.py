"""The wire of Anthropic Messages, as anybody sends it: the events of a stream, and whole replies.

Knows: names and types of members that the decoder reads, all optional. One flat `Event` serves every event and the whole reply,
so that a frame which nobody has named yet is still a frame.
Must not know: what any of it means.
"""

from typing import Any, Final, Literal

import msgspec

METRICS: Final = "amazon-bedrock-invocationMetrics"


class Wire(msgspec.Struct, gc=False):
    """What all wire types share."""


class Delta(Wire):
    """Of a block, or (from `stop_reason` on) of the message."""

    type: str = ""
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None
    citation: dict[str, Any] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None
    container: dict[str, Any] | None = None


class Block(Wire):
    """A content block. `input` keeps the source's own text."""

    type: str = ""
    id: str | None = None
    name: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    citations: list[Any] | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: Any = None


class OutputDetails(Wire, omit_defaults=True):
    thinking_tokens: int | None = None


class Usage(Wire, omit_defaults=True):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None
    output_tokens_details: OutputDetails | None = None
    cache_creation: Any = None
    server_tool_use: Any = None
    iterations: Any = None
    service_tier: str | None = None
    speed: str | None = None
    inference_geo: str | None = None
    fallback_credit: Any = None
    cost: float | None = None


class Message(Wire, kw_only=True):
    """What `message_start` holds, and what a whole reply is. AI21 numbers its replies."""

    id: str | int | None = None
    model: str | None = None
    provider: str | None = None
    content: list[Block] | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None
    container: dict[str, Any] | None = None
    context_management: Any = None
    input_transformations: Any = None
    diagnostics: Any = None


class Event(Message):
    """Any frame. The first three members are those of a delta, in its order. `wrapped` and the last two are Bedrock's.

    `message` may be the words of an error, `snapshot` marks what the vendor's SDK says a second time.
    """

    type: str = ""
    index: int | None = None
    delta: Delta | None = None
    content_block: Block | None = None
    message: Message | str | None = None
    error: Any = None
    snapshot: Any = None
    wrapped: bytes | None = msgspec.field(default=None, name="bytes")
    invocation_metrics: dict[str, Any] | None = msgspec.field(default=None, name=METRICS)
    guardrail_action: str | None = msgspec.field(default=None, name="amazon-bedrock-guardrailAction")


class PlainDelta(Wire):
    """A `Delta` that is one of these, which have no other members."""

    type: Literal["text_delta", "thinking_delta", "input_json_delta", "signature_delta"]
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None


class DeltaEvent(Wire):
    """An `Event` as nearly all of them are."""

    type: Literal["content_block_delta"]
    index: int
    delta: PlainDelta


# Known and not read: said by the type already, of no use downstream, or carried with the block's own form.
IGNORES = frozenset(
    {
        "role",
        "p",
        "request_id",
        "stop",
        "log_id",
        "amazon-bedrock-trace",
        "message.role",
        "message.type",
        "delta.estimated_tokens",
        "delta.content",
        "delta.encrypted_content",
        "*.caller",
        "*.server_name",
        "*.toolset_name",
        "*.file_id",
        "*.from",
        "*.to",
        "*.trigger",
        "*.encrypted_content",
        "*.tool_changes",
        "*.mcp_server_name",
        "*.tools",
        "usage.cost_details",
        "usage.is_byok",
    }
)
