"""The wire of the Responses API, as anybody sends it: events, items, whole replies.

Knows: names and types of members that the decoder reads, all optional. What only some items have (an action, queries, outputs)
is not here: it is read as text of its own (verbatim.py).
Must not know: what any of it means.
"""

from typing import Any

import msgspec


class Wire(msgspec.Struct, gc=False):
    """What all wire types share."""


class Part(Wire):
    """A content part of a message, or a summary or content part of a reasoning item."""

    type: str | None = None
    text: str | None = None
    refusal: str | None = None
    annotations: list[dict[str, Any]] | None = None
    logprobs: list[Any] | None = None


class Item(Wire):
    type: str | None = None
    id: str | None = None
    status: str | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None
    input: str | None = None
    phase: str | None = None
    content: list[Part] | None = None
    summary: list[Part] | None = None
    encrypted_content: str | None = None
    execution: str | None = None
    environment: dict[str, Any] | None = None


class InputDetails(Wire):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class OutputDetails(Wire):
    reasoning_tokens: int | None = None


class Usage(Wire):
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    input_tokens_details: InputDetails | None = None
    output_tokens_details: OutputDetails | None = None


class IncompleteDetails(Wire):
    reason: str | None = None


class Response(Wire):
    """A whole reply, and what lifecycle events carry."""

    id: str | None = None
    object: str | None = None
    created_at: int | float | None = None
    model: str | None = None
    status: str | None = None
    output: list[Item] | None = None
    usage: Usage | None = None
    error: Any = None
    incomplete_details: IncompleteDetails | None = None
    tools: list[dict[str, Any]] | None = None
    reasoning: str | dict[str, Any] | None = None


class Event(Response):
    """Any event, as one flat type: that is faster than a union, and an event nobody has named yet is no error.

    The members of a response stand in it as well: a whole reply has no event around it, and some lifecycle events neither.
    """

    type: str | None = None
    item_id: str | None = None
    output_index: int | None = None
    content_index: int | None = None
    delta: str | dict[str, Any] | None = None
    logprobs: list[Any] | None = None
    item: Item | None = None
    response: Response | None = None
    part: Part | None = None
    text: str | dict[str, Any] | None = None
    refusal: str | None = None
    arguments: str | dict[str, Any] | None = None
    input: str | None = None
    code: str | None = None
    name: str | None = None
    annotation: dict[str, Any] | None = None
    annotations: list[dict[str, Any]] | None = None
    summary_index: int | None = None
    partial_image_b64: str | None = None
    output_format: str | None = None


_SETTINGS = """
    background conversation completed_at content_filters context_management frequency_penalty instructions max_output_tokens
    max_tool_calls metadata moderation output_text parallel_tool_calls presence_penalty previous_response_id prompt
    prompt_cache_key prompt_cache_retention safety_identifier service_tier store temperature text tool_choice tool_usage
    top_logprobs top_p truncation user
"""
_OF_ITEMS = """
    action actions approval_request_id async background caller code container_id created_by diff error fingerprint
    max_output_length namespace operation outcome output outputs pending_safety_checks prompt quality queries result results
    output_format revised_prompt role server_label size stderr stdout svg_usage tools
"""
_OF_USAGE = """
    cache_write_tokens_details context_details cost cost_details cost_in_usd_ticks is_byok num_server_side_tools_used
    num_sources_used server_side_tool_usage_details
"""
_OF_EVENTS = """
    annotation_index background billing command command_index copilot_usage cost diff obfuscation partial_image_index quality
    sequence_number size
"""

# Known, and not read by name: what is carried as it is (settings, an item's own form, raw usage) and what says nothing.
IGNORES = frozenset(f"*.{name}" for name in f"{_SETTINGS} {_OF_ITEMS} {_OF_USAGE} {_OF_EVENTS}".split())
