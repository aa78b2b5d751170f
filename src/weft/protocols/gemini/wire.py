"""The wire of Gemini, as AI Studio, Vertex, Firebase and those who imitate them send it: one Struct for chunks and whole replies.

Knows: names and types of members that the decoder reads, all optional. Arguments are kept as the source wrote them.
Must not know: what any of it means.
"""

from typing import Any

import msgspec

from weft.events import ChoiceNumber


class Wire(msgspec.Struct, gc=False, rename="camel"):
    """What all wire types share."""


class PartialArg(Wire):
    """A piece of the arguments. A null value is written as null, or as its name, so absence is another thing."""

    json_path: str | None = None
    string_value: str | None = None
    number_value: msgspec.Raw = msgspec.Raw()
    bool_value: bool | None = None
    null_value: msgspec.Raw = msgspec.Raw()
    will_continue: bool | None = None


class FunctionCall(Wire):
    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = msgspec.Raw()
    partial_args: list[PartialArg] | None = None
    will_continue: bool | None = None


class ToolCall(Wire):
    """A tool that Google runs."""

    id: str | None = None
    tool_type: str | int | None = None
    args: msgspec.Raw = msgspec.Raw()


class Blob(Wire):
    mime_type: str | None = None
    data: str | None = None
    display_name: str | None = None


class FileData(Wire):
    mime_type: str | None = None
    file_uri: str | None = None
    display_name: str | None = None


class Part(Wire):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    function_call: FunctionCall | None = None
    executable_code: msgspec.Raw = msgspec.Raw()
    code_execution_result: dict[str, Any] | None = None
    inline_data: Blob | None = None
    file_data: FileData | None = None
    tool_call: ToolCall | None = None
    tool_response: dict[str, Any] | None = None


class Content(Wire):
    parts: list[Part] | None = None


class Candidate(Wire):
    content: Content | None = None
    finish_reason: str | int | None = None
    index: ChoiceNumber | None = None
    grounding_metadata: dict[str, Any] | None = None
    citation_metadata: dict[str, Any] | None = None
    url_context_metadata: dict[str, Any] | None = None
    logprobs_result: dict[str, Any] | None = None
    finish_message: str | None = None
    safety_ratings: msgspec.Raw = msgspec.Raw()


class UsageMetadata(Wire, omit_defaults=True):
    prompt_token_count: int | None = None
    candidates_token_count: int | None = None
    thoughts_token_count: int | None = None
    total_token_count: int | None = None
    cached_content_token_count: int | None = None
    tool_use_prompt_token_count: int | None = None


class PromptFeedback(Wire):
    block_reason: str | int | None = None
    block_reason_message: str | None = None
    safety_ratings: msgspec.Raw = msgspec.Raw()


class Frame(Wire):
    """A chunk or a whole reply. `response` is the wrapper of Code Assist; calls and text at the top are how SDKs show a chunk."""

    candidates: list[Candidate] | None = None
    usage_metadata: UsageMetadata | None = None
    model_version: str | None = None
    response_id: str | None = None
    create_time: str | None = None
    prompt_feedback: PromptFeedback | None = None
    error: Any = None
    response: msgspec.Raw = msgspec.Raw()
    function_calls: list[FunctionCall] | None = None
    function_call: FunctionCall | None = None
    text: str | None = None


# Known and not read: who speaks, how sure a rating is of nothing, and what the request already said of its media.
IGNORES = frozenset(
    {
        "traceId",
        "modelStatus",
        "sdkHttpResponse",
        "automaticFunctionCallingHistory",
        "parsed",
        "candidates.avgLogprobs",
        "candidates.tokenCount",
        "candidates.continuationToken",
        "candidates.content.role",
        "candidates.content.parts.videoMetadata",
        "candidates.content.parts.partMetadata",
        "candidates.content.parts.mediaResolution",
        "candidates.content.parts.mediaProcessing",
        "candidates.content.parts.speechMetadata",
        "usageMetadata.trafficType",
        "usageMetadata.serviceTier",
        "usageMetadata.promptTokensDetails",
        "usageMetadata.candidatesTokensDetails",
        "usageMetadata.cacheTokensDetails",
        "usageMetadata.toolUsePromptTokensDetails",
        # of the Interactions API, which has wire types of its own
        *"content created delta event_id event_type id index interaction interaction_id metadata model object".split(),
        *"outputs role service_tier status step steps updated usage".split(),
    }
)
