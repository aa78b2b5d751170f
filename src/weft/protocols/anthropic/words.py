"""The words of this wire for what is the same in a stream and in a whole reply: the message, its usage, its stop reason, its errors.

Knows: names and tables. Must not know: frames, or when anything is said.
"""

from typing import Any, Final

from weft.errors import Error, ErrorType
from weft.events import Finish, FinishReason, Usage
from weft.finish import finish_reason
from weft.message import Choice

STOP_REASONS: Final[dict[FinishReason | None, str]] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "content_filter": "refusal",
    "refusal": "refusal",
    "pause": "pause_turn",
    "error": "end_turn",
    "other": "end_turn",
    None: "end_turn",
}

OWN: Final = frozenset(
    "end_turn max_tokens stop_sequence tool_use pause_turn refusal model_context_window_exceeded compaction".split()
)

ERRORS: Final[dict[ErrorType, str]] = {
    "authentication": "authentication_error",
    "permission": "permission_error",
    "billing": "billing_error",
    "rate_limit": "rate_limit_error",
    "overloaded": "overloaded_error",
    "timeout": "timeout_error",
    "context_length": "invalid_request_error",
    "content_blocked": "invalid_request_error",
    "invalid_request": "invalid_request_error",
    "request_too_large": "request_too_large",
    "not_found": "not_found_error",
}

CITATIONS: Final = frozenset(
    "char_location page_location content_block_location web_search_result_location search_result_location".split()
)

METAS: Final = frozenset({"stop_sequence", "stop_details", "container", "context_management"})


def stop_reason(finish: Finish, *, called: bool) -> str:
    """The source's own word where it is one of this wire's and still holds, else ours. Where nothing was said, a call that can be executed tells."""
    if finish.reason is None and called:
        return "tool_use"
    raw = finish.raw
    if raw in OWN and finish_reason(raw) == finish.reason:
        return raw
    return STOP_REASONS[finish.reason]


def message(id: str, model: str | None) -> dict[str, Any]:
    """The envelope, before there is any content."""
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model or "",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def usage(counts: Usage | None) -> dict[str, Any]:
    """The counts as this wire splits them: input is what was neither read from nor written to a cache."""
    if counts is None:
        return {"input_tokens": 0, "output_tokens": 0}
    read, written = counts.cache_read_tokens, counts.cache_write_tokens
    said = {"cache_creation_input_tokens": written, "cache_read_input_tokens": read}
    thought = counts.reasoning_tokens
    return {
        "input_tokens": max(0, (counts.input_tokens or 0) - (read or 0) - (written or 0)),
        **{name: value for name, value in said.items() if value is not None},
        "output_tokens": counts.output_tokens or 0,
        **({} if thought is None else {"output_tokens_details": {"thinking_tokens": thought}}),
    }


def error(fault: Error) -> dict[str, str]:
    """The error object."""
    return {"type": ERRORS.get(fault.type, "api_error"), "message": fault.message}


def stop_reason_of(choice: Choice) -> str:
    """A collected choice's stop reason."""
    called = any(call.complete and call.executor == "client" for call in choice.tool_calls)
    return stop_reason(Finish(0, choice.finish, choice.finish_raw), called=called)
