"""The wire of Bedrock's Converse: the events of ConverseStream, and the whole reply.

Knows: names and types of members that the decoder reads, all optional. Bytes are base64 here, as on the wire.
Must not know: what any of it means.
"""

from typing import Any

import msgspec


class Wire(msgspec.Struct, gc=False, rename="camel"):
    """What all wire types share."""


# --- what stream and whole reply have in common --------------------------------------------------------------------


class S3Location(Wire):
    uri: str | None = None


class Source(Wire):
    bytes: str | None = None
    s3_location: S3Location | None = None


class Problem(Wire):
    message: str | None = None


class Media(Wire):
    """An image, a video, a sound or a document."""

    format: str | None = None
    name: str | None = None
    source: Source | None = None
    error: Problem | None = None


class Usage(Wire, omit_defaults=True):
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    cache_details: list[Any] | None = None
    server_tool_usage: dict[str, Any] | None = None


class ServiceTier(Wire):
    type: str | None = None


class Metadata(Wire):
    usage: Usage | None = None
    metrics: dict[str, Any] | None = None
    trace: dict[str, Any] | None = None
    performance_config: dict[str, Any] | None = None
    service_tier: ServiceTier | None = None


# --- events, which the framing names -------------------------------------------------------------------------------


class MessageStart(Wire):
    role: str | None = None


class ToolUseStart(Wire):
    tool_use_id: str | None = None
    name: str | None = None
    type: str | None = None


class ToolResultStart(Wire):
    tool_use_id: str | None = None
    type: str | None = None
    status: str | None = None


class Start(Wire):
    tool_use: ToolUseStart | None = None
    tool_result: ToolResultStart | None = None
    image: Media | None = None


class ContentBlockStart(Wire):
    content_block_index: int | None = None
    start: Start | None = None


class ToolUseDelta(Wire):
    """Text; the object itself from those who imitate Bedrock."""

    input: Any = None


class ReasoningDelta(Wire):
    """Some SDKs call the redacted content `data`."""

    text: str | None = None
    signature: str | None = None
    redacted_content: str | None = None
    data: str | None = None


class Delta(Wire):
    text: str | None = None
    tool_use: ToolUseDelta | None = None
    reasoning_content: ReasoningDelta | None = None
    citation: dict[str, Any] | None = None
    tool_result: list[Any] | None = None
    image: Media | None = None


class ContentBlockDelta(Wire):
    content_block_index: int | None = None
    delta: Delta | None = None


class ContentBlockStop(Wire):
    content_block_index: int | None = None


class MessageStop(Wire):
    stop_reason: str | None = None
    additional_model_response_fields: Any = None


# --- the whole reply -----------------------------------------------------------------------------------------------


class ToolUse(Wire):
    tool_use_id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    type: str | None = None


class ToolResult(Wire):
    tool_use_id: str | None = None
    content: list[Any] | None = None
    status: str | None = None
    type: str | None = None


class ReasoningText(Wire):
    text: str | None = None
    signature: str | None = None


class Reasoning(Wire):
    reasoning_text: ReasoningText | None = None
    redacted_content: str | None = None


class CitedText(Wire):
    text: str | None = None


class Citations(Wire):
    content: list[CitedText] | None = None
    citations: list[dict[str, Any]] | None = None


class Block(Wire):
    text: str | None = None
    tool_use: ToolUse | None = None
    tool_result: ToolResult | None = None
    reasoning_content: Reasoning | None = None
    citations_content: Citations | None = None
    image: Media | None = None
    audio: Media | None = None
    video: Media | None = None
    document: Media | None = None


class Message(Wire):
    content: list[Block] | None = None


class Output(Wire):
    message: Message | None = None


class Unnamed(Metadata):
    """What comes without a name: a whole reply, or an event as an SDK wraps it."""

    output: Output | None = None
    stop_reason: str | None = None
    additional_model_response_fields: Any = None
    message_start: MessageStart | None = None
    content_block_start: ContentBlockStart | None = None
    content_block_delta: ContentBlockDelta | None = None
    content_block_stop: ContentBlockStop | None = None
    message_stop: MessageStop | None = None
    metadata: Metadata | None = None


class Chunk(msgspec.Struct, gc=False):
    """InvokeModel's only event: a frame of the model's own, which for Nova is an event of Converse."""

    wrapped: bytes | None = msgspec.field(default=None, name="bytes")


EVENTS: dict[str, Any] = {
    "messageStart": MessageStart,
    "contentBlockStart": ContentBlockStart,
    "contentBlockDelta": ContentBlockDelta,
    "contentBlockStop": ContentBlockStop,
    "messageStop": MessageStop,
    "metadata": Metadata,
    "chunk": Chunk,
}

# Known and not read: padding of random length, who speaks, and two counts under their former names.
IGNORES = frozenset(
    {
        "p",
        "role",
        "output.message.role",
        "ResponseMetadata",
        "*.cacheReadInputTokenCount",
        "*.cacheWriteInputTokenCount",
    }
)
