"""The words of this wire for what is the same in a stream and in a whole reply: stop reasons, counts, failures, formats.

Knows: names and tables. Must not know: frames, or when anything is said.
"""

from typing import Any, Final

from weft.errors import Error, ErrorType, says_all
from weft.events import End, Finish, FinishReason, Usage
from weft.finish import FINISHES

_STOP_REASONS: Final[dict[FinishReason | None, str]] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filtered",
    "refusal": "end_turn",
    "pause": "end_turn",
    "error": "malformed_model_output",
    "other": "end_turn",
    None: "end_turn",
}
_OWN: Final = frozenset(
    "end_turn tool_use max_tokens stop_sequence guardrail_intervened content_filtered malformed_model_output "
    "malformed_tool_use model_context_window_exceeded".split()
)

SAID: Final = frozenset({"stop", "tool_calls", "length", "content_filter", "error", None})
"""Finishes that this wire has a word for."""

# Those that a stream can end with are five; an SDK raises for any other name too.
_EXCEPTIONS: Final[dict[ErrorType, str]] = {
    "authentication": "unrecognizedClientException",
    "permission": "accessDeniedException",
    "billing": "throttlingException",
    "rate_limit": "throttlingException",
    "overloaded": "serviceUnavailableException",
    "timeout": "modelTimeoutException",
    "context_length": "validationException",
    "content_blocked": "validationException",
    "invalid_request": "validationException",
    "request_too_large": "validationException",
    "not_found": "resourceNotFoundException",
}

IMAGES: Final = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}

METAS: Final = {
    "metrics": "metrics",
    "trace": "trace",
    "performance_config": "performanceConfig",
}
"""Fact -> the member of `metadata` that holds it."""


def stop_reason(said: Finish) -> str:
    """The source's own word where it is one of this wire's and still holds, else ours."""
    raw = said.raw
    if raw in _OWN and (FINISHES.get(raw) == said.reason):
        return raw
    return _STOP_REASONS[said.reason]


def is_failure(end: End) -> bool:
    """Is this an end that only an exception can tell? One that a stop reason of this wire tells is none."""
    if end.error is None or (end.outcome == "incomplete" and end.error.type != "cancelled"):
        return False
    told = any(said.reason == "error" and said.raw in _OWN and said.raw == end.error.code for said in end.finishes)
    return not (end.outcome == "failed" and told)


def usage(counts: Usage | None) -> dict[str, int]:
    """The counts as this wire splits them: what was read from or written to a cache is not in the input. They are required.

    A total without what was cached would say that the input holds it already.
    """
    counts = counts or Usage()
    read, written = counts.cache_read_tokens, counts.cache_write_tokens
    fresh = max(0, (counts.input_tokens or 0) - (read or 0) - (written or 0))
    output = counts.output_tokens or 0
    whole = (counts.input_tokens or 0) + output
    said = {
        "inputTokens": fresh,
        "outputTokens": output,
        "totalTokens": whole if counts.total_tokens in (None, 0, fresh + output) else counts.total_tokens,
        "cacheReadInputTokens": read,
        "cacheWriteInputTokens": written,
    }
    return {name: count for name, count in said.items() if count is not None}


def exception(fault: Error) -> str:
    """The name of the exception."""
    return _EXCEPTIONS.get(fault.type, "internalServerException")


def tells_all(fault: Error) -> bool:
    """Do name and message say all that is known of a failure?"""
    return says_all({"__type": exception(fault), "message": fault.message}, fault)


def citation(url: str | None, title: str | None, text: str | None) -> dict[str, Any] | None:
    """A citation of another protocol's source; None if nothing of it is known."""
    said: dict[str, Any] = {"title": title} if title else {}
    if text:
        said["sourceContent"] = [{"text": text}]
    if url:
        said["location"] = {"web": {"url": url}}
    return said or None


def result(content: Any) -> list[Any]:
    """What a tool gave back, as this wire's list of texts and objects."""
    if isinstance(content, list) and all(_is_item(item) for item in content):  # pyright: ignore[reportUnknownVariableType]
        return content  # pyright: ignore[reportUnknownVariableType]
    return [{"text": content}] if isinstance(content, str) else [{"json": content}]


def _is_item(item: Any) -> bool:
    return isinstance(item, dict) and len(item) == 1 and bool({"text", "json"} & item.keys())  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
