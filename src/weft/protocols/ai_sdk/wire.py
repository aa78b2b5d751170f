"""The parts of the AI SDK's streams: `fullStream` of versions 4 to 7, and what a provider (LanguageModelV1 to V4) hands to it.

Knows: names and types of members that the decoder reads, all optional; a part that had other names in another version has them all.
Must not know: what any of it means.
"""

from datetime import datetime
from typing import Any

import msgspec

from weft.provider_state import Metadata

Id = str | int


class Wire(msgspec.Struct, gc=False, rename="camel"):
    """What all wire types share: members are written in camel case."""


class Tokens(Wire):
    total: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


class InputDetails(Wire):
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


class OutputDetails(Wire):
    reasoning_tokens: int | None = None


class Usage(Wire):
    input_tokens: int | Tokens | None = None
    output_tokens: int | Tokens | None = None
    total_tokens: int | None = None
    input_token_details: InputDetails | None = None
    output_token_details: OutputDetails | None = None
    cached_input_tokens: int | None = None
    reasoning_tokens: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Word(Wire):
    unified: str | None = None
    raw: str | None = None


class Response(Wire):
    id: str | None = None
    model_id: str | None = None
    timestamp: datetime | None = None


class Blob(Wire):
    """A file, in whatever way it is held; `data` is base64, bytes or an object that says which."""

    media_type: str | None = None
    mime_type: str | None = None
    base64: str | None = None
    base64_data: str | None = None
    uint8_array: Any = None
    uint8_array_data: Any = None
    data: Any = None
    url: str | None = None
    filename: str | None = None


class Reference(Wire):
    source_type: str | None = None
    url: str | None = None
    title: str | None = None


class Part(Wire, tag_field="type"):
    """Parts are told apart by their `type`."""


# Text and reasoning.


class TextStart(Part, tag="text-start"):
    id: Id | None = None
    provider_metadata: Metadata | None = None


class TextDelta(Part, tag="text-delta"):
    id: Id | None = None
    text: str | None = None
    delta: str | None = None
    text_delta: str | None = None
    provider_metadata: Metadata | None = None


class TextEnd(Part, tag="text-end"):
    id: Id | None = None
    provider_metadata: Metadata | None = None


class ReasoningStart(Part, tag="reasoning-start"):
    id: Id | None = None
    provider_metadata: Metadata | None = None


class ReasoningDelta(Part, tag="reasoning-delta"):
    id: Id | None = None
    text: str | None = None
    delta: str | None = None
    provider_metadata: Metadata | None = None


class ReasoningEnd(Part, tag="reasoning-end"):
    id: Id | None = None
    provider_metadata: Metadata | None = None


class Reasoning(Part, tag="reasoning"):
    text_delta: str | None = None


class ReasoningSignature(Part, tag="reasoning-signature"):
    signature: str | None = None


class RedactedReasoning(Part, tag="redacted-reasoning"):
    data: str | None = None


# Tools.


class ToolInputStart(Part, tag="tool-input-start"):
    id: Id | None = None
    tool_name: str | None = None
    input_encoding: str | None = None
    provider_executed: bool | None = None
    provider_metadata: Metadata | None = None


class ToolInputDelta(Part, tag="tool-input-delta"):
    id: Id | None = None
    delta: str | None = None


class ToolInputEnd(Part, tag="tool-input-end"):
    id: Id | None = None
    provider_metadata: Metadata | None = None


class ToolCallStreamingStart(Part, tag="tool-call-streaming-start"):
    tool_call_id: Id | None = None
    tool_name: str | None = None


class ToolCallDelta(Part, tag="tool-call-delta"):
    tool_call_id: Id | None = None
    tool_name: str | None = None
    args_text_delta: str | None = None


class ToolCall(Part, tag="tool-call"):
    """The input is an object, or its JSON as text (from a provider, or where it is invalid); it is kept as it was written."""

    tool_call_id: Id | None = None
    tool_name: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    args: msgspec.Raw = msgspec.Raw()
    invalid: bool | None = None
    provider_executed: bool | None = None
    provider_metadata: Metadata | None = None


class ToolResult(Part, tag="tool-result"):
    tool_call_id: Id | None = None
    tool_name: str | None = None
    output: Any = None
    result: Any = None
    is_error: bool | None = None
    preliminary: bool | None = None
    provider_executed: bool | None = None
    provider_metadata: Metadata | None = None


class ToolError(Part, tag="tool-error"):
    tool_call_id: Id | None = None
    tool_name: str | None = None
    error: Any = None
    provider_executed: bool | None = None
    provider_metadata: Metadata | None = None


class ToolOutputDenied(Part, tag="tool-output-denied"):
    tool_call_id: Id | None = None
    tool_name: str | None = None
    provider_executed: bool | None = None


class ToolApprovalRequest(Part, tag="tool-approval-request"):
    pass


class ToolApprovalResponse(Part, tag="tool-approval-response"):
    pass


# Sources, files and what only one provider has.


class SourcePart(Part, tag="source"):
    source_type: str | None = None
    url: str | None = None
    title: str | None = None
    source: Reference | None = None


class FilePart(Blob, tag_field="type", tag="file"):
    file: Blob | None = None
    provider_metadata: Metadata | None = None


class ReasoningFile(Blob, tag_field="type", tag="reasoning-file"):
    file: Blob | None = None
    provider_metadata: Metadata | None = None


class Custom(Part, tag="custom"):
    kind: str | None = None


class SteeringMessage(Part, tag="steering-message"):
    pass


# The run, its steps and its end.


class Start(Part, tag="start"):
    pass


class StreamStart(Part, tag="stream-start"):
    warnings: list[Any] | None = None


class ResponseMetadata(Part, tag="response-metadata"):
    id: str | None = None
    model_id: str | None = None
    timestamp: datetime | None = None


class StartStep(Part, tag="start-step"):
    message_id: str | None = None
    warnings: list[Any] | None = None


class StepStart(StartStep, tag="step-start"):
    pass


class FinishStep(Part, tag="finish-step"):
    response: Response | None = None
    usage: Usage | None = None
    finish_reason: str | Word | None = None
    raw_finish_reason: str | None = None
    provider_metadata: Metadata | None = None


class StepFinish(FinishStep, tag="step-finish"):
    pass


class Finish(Part, tag="finish"):
    response: Response | None = None
    usage: Usage | None = None
    total_usage: Usage | None = None
    finish_reason: str | Word | None = None
    raw_finish_reason: str | None = None
    provider_metadata: Metadata | None = None


class Abort(Part, tag="abort"):
    reason: str | None = None


class ErrorPart(Part, tag="error"):
    error: Any = None


class RawPart(Part, tag="raw"):
    pass


class Ping(Part, tag="ping"):
    pass


AnyPart = (
    TextDelta | ReasoningDelta | ToolInputDelta | TextStart | TextEnd | ReasoningStart | ReasoningEnd
    | Reasoning | ReasoningSignature | RedactedReasoning
    | ToolInputStart | ToolInputEnd | ToolCallStreamingStart | ToolCallDelta | ToolCall
    | ToolResult | ToolError | ToolOutputDenied | ToolApprovalRequest | ToolApprovalResponse
    | SourcePart | FilePart | ReasoningFile | Custom | SteeringMessage
    | Start | StreamStart | ResponseMetadata | StartStep | StepStart | FinishStep | StepFinish | Finish
    | Abort | ErrorPart | RawPart | Ping
)  # fmt: skip

# Known and not read: what was asked, what the host measured, and labels of parts.
IGNORES = frozenset(
    {
        "*.request",
        "*.warnings",
        "*.performance",
        "*.dynamic",
        "*.title",
        "*.toolMetadata",
        "*.providerMetadata",
        "*.experimental_providerMetadata",
        "*.toolCallType",
        "*.logprobs",
        "*.isContinued",
        "*.noCache",
        "*.noCacheTokens",
        "*.text",
        "*.textTokens",
        "*.raw",
        "*.rawValue",
        "*.input",
        "*.args",
        "*.toolName",
        "*.toolCall",
        "*.toolCallId",
        "*.approvalId",
        "*.approved",
        "*.isAutomatic",
        "*.signature",
        "*.id",
        "*.message",
        "*.messageId",
        "*.stepNumber",
        "*.mediaType",
        "*.filename",
        "*.error",
        "*.reason",
        "response.headers",
        "response.messages",
    }
)
