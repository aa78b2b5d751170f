"""The wire of chat.completions, as anybody sends it: chunks, whole replies, and what imitators put in them.

Knows: names and types of members that the decoder reads, all optional. One set of Structs serves chunks and whole replies.
Must not know: what any of it means.
"""

from typing import Any

import msgspec


class Wire(msgspec.Struct, gc=False):
    """What all wire types share."""


class Function(Wire):
    name: str | None = None
    arguments: str | dict[str, Any] | list[Any] | None = None


class Custom(Wire):
    name: str | None = None
    input: str | None = None


class ToolCall(Wire):
    index: int | None = None
    id: str | int | None = None
    type: str | None = None
    function: Function | None = None
    custom: Custom | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | list[Any] | None = None
    extra_content: dict[str, Any] | None = None
    thought_signature: str | None = None


class ReasoningDetail(Wire):
    type: str | None = None
    text: str | None = None
    summary: str | None = None
    data: str | None = None
    signature: str | None = None
    id: str | None = None
    format: str | None = None
    index: int | None = None


class Delta(Wire):
    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[ToolCall] | None = None
    reasoning_text: str | None = None
    reasoning_details: list[ReasoningDetail] | None = None
    reasoning_opaque: str | None = None
    refusal: str | None = None
    function_call: Function | None = None
    annotations: list[Any] | None = None
    images: list[Any] | None = None
    audio: dict[str, Any] | None = None
    executed_tools: list[Any] | None = None
    extra_content: dict[str, Any] | None = None


class PromptDetails(Wire):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class CompletionDetails(Wire):
    reasoning_tokens: int | None = None


class Usage(Wire):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: PromptDetails | None = None
    prompt_token_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None
    prompt_cache_hit_tokens: int | None = None
    cached_tokens: int | None = None
    num_cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class GroqUsage(Wire):
    usage: Usage | None = None
    error: Any = None


class Choice(Wire):
    index: int | None = None
    delta: Delta | None = None
    finish_reason: str | None = None
    logprobs: dict[str, Any] | None = None
    message: Delta | None = None
    text: str | None = None
    usage: Usage | None = None
    native_finish_reason: str | None = None
    finishReason: str | None = None  # noqa: N815 - Gemini's compatible endpoint in its beta
    content_filter_results: dict[str, Any] | None = None


class Chunk(Wire):
    """A chunk, or a whole reply, or an error where either was due."""

    id: str | None = None
    created: float | None = None
    model: str | None = None
    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None
    provider: str | None = None
    service_tier: str | None = None
    x_groq: GroqUsage | None = None
    citations: list[Any] | None = None
    search_results: list[Any] | None = None
    prompt_filter_results: list[Any] | None = None
    message: Delta | None = None
    base_resp: dict[str, Any] | None = None


# Known and not read: said again on each chunk, or of no use to anybody downstream.
IGNORES = frozenset(
    {
        "object",
        "system_fingerprint",
        "obfuscation",
        "choices.delta.role",
        "choices.delta.obfuscation",
        "choices.message.role",
        "usage.queue_time",
        "usage.prompt_time",
        "usage.completion_time",
        "usage.total_time",
        "*.audio_tokens",
        "*.accepted_prediction_tokens",
        "*.rejected_prediction_tokens",
    }
)
