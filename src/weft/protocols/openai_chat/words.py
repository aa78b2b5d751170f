"""The words of chat.completions for what is the same in a stream and in a whole reply: finishes, errors, usage.

Knows: names and tables. Must not know: chunks, or when anything is said.
"""

from typing import Any

from weft.errors import Error
from weft.events import FinishReason, Usage

FINISHES: dict[FinishReason | None, str] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
    "refusal": "stop",
    "pause": "stop",
    "other": "stop",
    None: "stop",
}

FACTS = frozenset(
    "service_tier citations search_results web_search content_filter prompt_filter_results moderation".split()
)
"""Facts beside the message that some who speak this protocol say as members of a chunk."""

CHOICE_FACTS = frozenset("content_filter_results native_finish_reason".split())
"""Facts of one choice, which stand beside its finish."""

TOOLS = frozenset({"function", "custom", "function_call"})
"""Kinds of tools that have a form here. A `function_call` is a function of the old days."""

TRANSCRIPT = "transcript"
"""The channel of text that was spoken: it stands beside its audio."""

CONTENT = b'{"content":', b"}"
SPOKEN = b'{"audio":{"transcript":', b"}}"

# The name of the member that holds reasoning, by client profile.
REASONING: dict[str | None, str] = {
    None: "reasoning_content",
    "openrouter": "reasoning",
    "vllm": "reasoning",
    "copilot": "reasoning_text",
}

# Client profiles that want the transport's terminator even after an error.
DONE_AFTER_ERROR = frozenset({"done-after-error"})

PROFILES = {
    **{profile: f"reasoning is in `{member}`" for profile, member in REASONING.items() if profile is not None},
    **dict.fromkeys(DONE_AFTER_ERROR, "`[DONE]` follows an error, too"),
}

ERROR_TYPES = {
    "authentication": "authentication_error",
    "permission": "permission_error",
    "billing": "insufficient_quota",
    "rate_limit": "rate_limit_error",
    "not_found": "not_found_error",
    "invalid_request": "invalid_request_error",
    "context_length": "invalid_request_error",
    "content_blocked": "invalid_request_error",
    "request_too_large": "invalid_request_error",
}


def finish(reason: FinishReason | None, *, calls: bool, refused: bool) -> str:
    """The finish of one choice, given whether it has calls that can be executed and whether it says that it refuses."""
    if reason is None and calls:
        return "tool_calls"
    if reason == "refusal" and not refused:
        return "content_filter"
    return FINISHES[reason]


def error(fault: Error) -> dict[str, Any]:
    """The error object. A code that is only an HTTP status says less than the type does."""
    kind = ERROR_TYPES.get(fault.type, "server_error")
    code = kind if fault.code.isdigit() else fault.code
    return {"message": fault.message, "type": kind, "param": fault.parameter, "code": code}


def usage(counts: Usage) -> dict[str, Any]:
    """The counts, with the details that are known."""
    body: dict[str, Any] = {
        "prompt_tokens": counts.input_tokens or 0,
        "completion_tokens": counts.output_tokens or 0,
        "total_tokens": counts.total_tokens or (counts.input_tokens or 0) + (counts.output_tokens or 0),
    }
    prompt = {"cached_tokens": counts.cache_read_tokens, "cache_write_tokens": counts.cache_write_tokens}
    completion = {"reasoning_tokens": counts.reasoning_tokens}
    for name, details in (("prompt_tokens_details", prompt), ("completion_tokens_details", completion)):
        said = {key: value for key, value in details.items() if value is not None}
        if said:
            body[name] = said
    return body
