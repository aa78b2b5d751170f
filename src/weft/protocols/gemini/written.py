"""How this wire writes what is the same in a chunk and in a whole reply: finishes, counts, failures.

Knows: names and tables. Must not know: chunks, or when anything is said.
"""

from typing import Any, Final

from weft.errors import Error, ErrorType, error_from_body, says_all
from weft.events import End, Finish, FinishReason, Usage
from weft.finish import FINISHES
from weft.jsontext import is_array, is_object

_FINISHES: Final[dict[FinishReason | None, str]] = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "refusal": "SAFETY",
    "pause": "STOP",
    "error": "OTHER",
    "other": "OTHER",
    None: "STOP",
}
MALFORMED: Final = "MALFORMED_FUNCTION_CALL"
_OWN: Final = frozenset(
    "STOP MAX_TOKENS SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT "
    "IMAGE_RECITATION IMAGE_OTHER NO_IMAGE MODEL_ARMOR ESCALATION CONTINUATION MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL "
    "TOO_MANY_TOOL_CALLS MALFORMED_RESPONSE MISSING_THOUGHT_SIGNATURE PUP_LIMITED_DISABLED OTHER".split()
)
_OF_PROMPTS: Final = frozenset("SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY MODEL_ARMOR JAILBREAK".split())
"""Why a prompt is blocked."""

_STATUSES: Final[dict[ErrorType, tuple[int, str]]] = {
    "authentication": (401, "UNAUTHENTICATED"),
    "permission": (403, "PERMISSION_DENIED"),
    "billing": (429, "RESOURCE_EXHAUSTED"),
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "overloaded": (503, "UNAVAILABLE"),
    "timeout": (504, "DEADLINE_EXCEEDED"),
    "context_length": (400, "INVALID_ARGUMENT"),
    "content_blocked": (400, "INVALID_ARGUMENT"),
    "invalid_request": (400, "INVALID_ARGUMENT"),
    "request_too_large": (400, "INVALID_ARGUMENT"),
    "not_found": (404, "NOT_FOUND"),
    "cancelled": (499, "CANCELLED"),
}
_INTERNAL: Final = (500, "INTERNAL")
_COUNTED: Final = (
    "promptTokenCount",
    "cachedContentTokenCount",
    "candidatesTokenCount",
    "toolUsePromptTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
)


def finish(said: Finish) -> str:
    """The source's own word where it is one of this wire's and still holds, else ours."""
    raw = said.raw
    if raw in _OWN and (FINISHES.get(raw) == said.reason or (raw == "STOP" and said.reason == "tool_calls")):
        return raw
    return _FINISHES[said.reason]


def of_prompt(said: Finish, counts: Usage | None) -> bool:
    """Was it the prompt that was blocked? That is so if the source says it in a word of this wire and nothing was generated."""
    return said.reason == "content_filter" and said.raw in _OF_PROMPTS and (counts is None or not counts.output_tokens)


def is_failure(end: End) -> bool:
    """Is this an end that only an error can tell? One that a finish of this wire tells is none."""
    if end.error is None or (end.outcome == "incomplete" and end.error.type != "cancelled"):
        return False
    told = any(said.reason == "error" and said.raw in _OWN and said.raw == end.error.code for said in end.finishes)
    return not (end.outcome == "failed" and told)


def usage(counts: Usage) -> dict[str, Any]:
    """The counts as this wire splits them: thoughts are no output, what tools read is no prompt. Details of its own are kept."""
    own = counts.raw if is_object(counts.raw) and any(name in counts.raw for name in _COUNTED) else {}
    tools = own.get("toolUsePromptTokenCount")
    read = tools if isinstance(tools, int) else 0
    output, prompt = counts.output_tokens, counts.input_tokens
    thoughts = _part_of(output, counts.reasoning_tokens)
    said = (
        max(0, prompt - read) if prompt is not None else None,
        counts.cache_read_tokens,
        max(0, output - (thoughts or 0)) if output is not None else None,
        read or None,
        thoughts,
        counts.total_tokens,
    )
    known = {name: count for name, count in zip(_COUNTED, said, strict=True) if count is not None}
    return known | {name: value for name, value in own.items() if name not in _COUNTED and _is_worded(value)}


def is_split(counts: Usage) -> bool:
    """Can all splits be told? Nothing is written to a cache here, and thoughts are no more than the output."""
    return (
        not counts.cache_write_tokens
        and _part_of(counts.output_tokens, counts.reasoning_tokens) == counts.reasoning_tokens
    )


def _is_worded(detail: Any) -> bool:
    """Is this a word, or a list by words? The numbers of a proto dump are not read back by Google's own SDK."""
    if is_array(detail):
        return all(is_object(item) and isinstance(item.get("modality"), str) for item in detail)
    return isinstance(detail, str)


def _part_of(whole: int | None, part: int | None) -> int | None:
    """Some servers leave out of the output what they count as reasoning: the sum has to be right."""
    return part if part is None or whole is None else min(part, whole)


def error(fault: Error) -> dict[str, Any]:
    """The error object. What its status does not tell is the reason in its details."""
    code, status = _STATUSES.get(fault.type, _INTERNAL)
    said: dict[str, Any] = {"code": code, "message": fault.message, "status": status}
    if fault.status is not None and fault.code.isupper():
        said |= {"code": fault.status, "status": fault.code}
    details: list[dict[str, str]] = []
    if error_from_body({"error": said}).type != fault.type:
        details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": fault.type})
    if fault.retry_after is not None:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{fault.retry_after:g}s"})
    return {**said, "details": details} if details else said


def tells_all(fault: Error) -> bool:
    """Does the error object say all that is known?"""
    return says_all({"error": error(fault)}, fault)
