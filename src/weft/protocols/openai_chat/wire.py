"""The wire of chat.completions, as anybody sends it: chunks, whole replies, and what imitators put in them.

Knows: names and types of members that the decoder reads, all optional. One set of Structs serves chunks and whole replies.
Must not know: what any of it means.

Members that most frames have come first: a Struct is read fastest in the order of its fields.
"""

from typing import Any

import msgspec

from weft.events import ChoiceNumber

Json = dict[str, Any]


class Wire(msgspec.Struct, gc=False):
    """What all wire types share."""


class Function(Wire):
    name: str | None = None
    arguments: str | Json | list[Any] | None = None


class Custom(Wire):
    name: str | None = None
    input: str | None = None


class ToolCall(Wire):
    index: int | None = None
    id: str | int | None = None
    function: Function | None = None
    custom: Custom | None = None
    name: str | None = None
    arguments: str | Json | list[Any] | None = None
    extra_content: Json | None = None
    thought_signature: str | None = None
    provider_specific_fields: Json | None = None


class ReasoningDetail(Wire):
    type: str | None = None
    text: str | None = None
    summary: str | None = None
    data: str | None = None
    signature: str | None = None
    id: str | None = None
    format: str | None = None
    index: int | None = None


class ThinkingBlock(Wire):
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None


class Audio(Wire):
    id: str | None = None
    data: str | None = None
    transcript: str | None = None
    expires_at: int | float | None = None


class Delta(Wire):
    """A delta, or a whole message."""

    content: str | list[Any] | None = None
    tool_calls: list[ToolCall] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    reasoning_details: list[ReasoningDetail] | None = None
    reasoning_text: str | None = None
    thinking: str | None = None
    reasoning_opaque: str | None = None
    thinking_blocks: list[ThinkingBlock] | None = None
    function_call: Function | None = None
    annotations: list[Any] | None = None
    images: list[Any] | None = None
    audio: Audio | None = None
    executed_tools: list[Json] | None = None
    extra_content: Json | None = None
    toolCalls: list[ToolCall] | None = None  # noqa: N815 - OpenRouter's own SDK spells so
    reasoningDetails: list[ReasoningDetail] | None = None  # noqa: N815 - the same


class Choice(Wire):
    index: ChoiceNumber | None = None
    delta: Delta | None = None
    logprobs: Json | None = None
    finish_reason: str | None = None
    native_finish_reason: str | None = None
    finishReason: str | None = None  # noqa: N815 - OpenRouter's own SDK, and Gemini's compatible endpoint in its beta
    stop_reason: str | int | None = None
    message: Delta | None = None
    text: str | None = None
    usage: Json | None = None
    error: Any = None
    content_filter_results: Json | None = None


class GroqExtra(Wire):
    usage: Json | None = None


class Chunk(Wire):
    """A chunk, or a whole reply, or an error where either was due. `wrapped` is a chunk as Bedrock's InvokeModel sends it, `result` may be a reply."""

    id: str | int | None = None
    created: int | float | None = None
    model: str | None = None
    service_tier: str | None = None
    choices: list[Choice] | None = None
    usage: Json | None = None
    error: Any = None
    provider: str | None = None
    x_groq: GroqExtra | None = None
    data: "Chunk | None" = None
    value: str | None = None
    wrapped: bytes | None = msgspec.field(default=None, name="bytes")
    result: msgspec.Raw = msgspec.Raw()
    citations: list[Any] | None = None
    search_results: list[Any] | None = None
    web_search: list[Any] | None = None
    content_filter: list[Any] | None = None
    prompt_filter_results: list[Any] | None = None
    moderation: Json | None = None


class PromptDetails(Wire):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class CompletionDetails(Wire):
    reasoning_tokens: int | None = None


class Usage(Wire):
    """Token counts under all their names. Chunks hold them as plain JSON, since they are also kept as they came."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    prompt_tokens_details: PromptDetails | None = None
    prompt_token_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None
    cached_tokens: int | None = None
    num_cached_tokens: int | None = None
    prompt_cache_hit_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


# Known and not read, by where they stand: said again on each chunk, or of no use to anybody downstream.
_UNREAD = {
    "": (
        "object system_fingerprint obfuscation "  # the protocol's own; the rest is what servers and gateways tell of themselves
        "amazon-bedrock-invocationMetrics base_resp copilot_usage cost created_at detail episode_id generationId input_sensitive kv_transfer_params "
        "latency_checkpoint metadata metrics model_id model_version output_sensitive p prompt prompt_logprobs prompt_progress "
        "prompt_text prompt_token_ids request_id sla_metrics stream_options system time_info timings usage_breakdown user_id "
        "venice_parameters"
    ),
    "choices.": ("obfuscation content_filter_offsets matched_stop role routed_experts seed token_ids trace_details"),
    "choices.delta.": (
        "role obfuscation audio_content channel content_list index name provider_metadata provider_specific_fields text token_id token_ids "
        "type thinking_blocks.type tool_calls.type tool_calls.function.description"
    ),
    "choices.message.": (
        "role name padding provider_metadata provider_specific_fields reasoning_encrypted thinking_blocks.type thought_signature "
        "tool_calls.type tool_calls.function.description"
    ),
    "x_groq.": "id seed usage_breakdown",
    "*.": "graph_data image_data llm_data translation_data web_search_data",  # Writer's places for results, empty so far
}
IGNORES = frozenset(place + name for place, names in _UNREAD.items() for name in names.split())
