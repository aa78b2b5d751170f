"""The response object and its words: what is the same in a stream's lifecycle events and in a whole reply.

Knows: names, tables, the members that clients insist on. Must not know: events, or when anything is said.
"""

from typing import Any, Final

from weft.context import Context
from weft.errors import Error, ErrorType, error_from_body
from weft.events import End, Finish, Start, Usage
from weft.jsontext import is_object

_DEFAULTS: Final[dict[str, Any]] = {
    "background": False,
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "store": False,
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "truncation": "disabled",
    "user": None,
}
"""What a response says of its request. The caller's request, where known, fills it in."""

_ECHOED: Final = (
    *_DEFAULTS,
    "max_tool_calls",
    "prompt",
    "service_tier",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "context_management",
    "conversation",
    "include",
    "stream",
)

CODES: Final = frozenset(
    "server_error rate_limit_exceeded invalid_prompt data_residency_mismatch bio_policy misalignment_policy_violation vector_store_timeout invalid_image "
    "invalid_image_format invalid_base64_image invalid_image_url image_too_large image_too_small image_parse_error "
    "image_content_policy_violation invalid_image_mode image_file_too_large unsupported_image_media_type empty_image_file "
    "failed_to_download_image image_file_not_found insufficient_quota context_length_exceeded usage_not_included "
    "usage_limit_reached cyber_policy server_is_overloaded slow_down".split()
)
"""The documented codes, and those that Codex acts on."""

GENERAL: Final = "server_error"

UNSPECIFIC: Final = frozenset({GENERAL, "invalid_prompt"})
"""Codes that say less than a provider's own would, where it could be said."""

_CODE_OF: Final[dict[ErrorType, str]] = {
    "rate_limit": "rate_limit_exceeded",
    "billing": "insufficient_quota",
    "context_length": "context_length_exceeded",
    "overloaded": "server_is_overloaded",
    "content_blocked": "invalid_prompt",
}

_REASONS: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}


def asked(context: Context) -> dict[str, Any]:
    """What the request said, as far as a response repeats it."""
    request: Any = context.request
    echo = {name: request[name] for name in _ECHOED if request.get(name) is not None} if is_object(request) else {}
    if isinstance(echo.get("conversation"), str):
        echo["conversation"] = {"id": echo["conversation"]}
    return echo


def envelope(start: Start, context: Context) -> dict[str, Any]:
    """The response before there is any output."""
    id = context.response_id or start.id
    return {
        "id": id,
        "object": "response",
        "created_at": int(start.created or context.created),
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "model": start.model or "",
        "output": [],
        "usage": None,
        **_DEFAULTS,
        **asked(context),
    }


def repeated(form: dict[str, Any]) -> dict[str, Any]:
    """What a source's response said of its request; members that are not of their type are left out, since clients are typed."""
    return {
        name: value
        for name, value in form.items()
        if not isinstance(_DEFAULTS.get(name), dict) or isinstance(value, dict)
    }


def usage(counts: Usage | None) -> dict[str, Any] | None:
    """The counts, with the details that Codex insists on."""
    if counts is None:
        return None
    read, written = counts.cache_read_tokens, counts.cache_write_tokens
    details = {"cached_tokens": read or 0} | ({} if written is None else {"cache_write_tokens": written})
    total = counts.total_tokens
    return {
        "input_tokens": counts.input_tokens or 0,
        "input_tokens_details": details,
        "output_tokens": counts.output_tokens or 0,
        "output_tokens_details": {"reasoning_tokens": counts.reasoning_tokens or 0},
        "total_tokens": (counts.input_tokens or 0) + (counts.output_tokens or 0) if total is None else total,
    }


def error(fault: Error) -> dict[str, str]:
    """The error, under a code that clients act on; a wait is said in words, since that is where Codex looks for it.

    The general code says less than the type does, which a status may have told: then the type stands beside it.
    """
    own = fault.code in CODES and fault.code != GENERAL
    code = fault.code if own else _CODE_OF.get(fault.type, GENERAL)
    message = fault.message
    if fault.retry_after is not None and "try again in" not in message:
        message = f"{message} Please try again in {fault.retry_after:g}s."
    said = {"code": code, "message": message}
    if fault.parameter is not None:
        said["param"] = fault.parameter
    return said if error_from_body(said).type == fault.type else {**said, "type": fault.type}


def ending(end: End) -> tuple[str, dict[str, Any]]:
    """The status of the whole, and what stands beside it."""
    finish = end.finishes[0] if end.finishes else Finish()
    if end.outcome in ("failed", "truncated") or (end.error is not None and end.error.type == "cancelled"):
        return "failed", {"error": error(end.error) if end.error is not None else None}
    if end.outcome == "incomplete":
        return "incomplete", {"incomplete_details": {"reason": _REASONS.get(finish.reason or "", "max_output_tokens")}}
    return "completed", {}
