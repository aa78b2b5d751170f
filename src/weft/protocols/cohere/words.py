"""The words of this wire for what is the same in a stream and in a whole reply: finishes, counts, failures, citations.

Knows: names and tables. Must not know: events, or when anything is said.
"""

from typing import Any, Final

from weft.errors import Error, says_all
from weft.events import Annotation, End, Finish, FinishReason, Usage
from weft.finish import FINISHES
from weft.jsontext import is_object

_FINISHES: Final[dict[FinishReason | None, str]] = {
    "stop": "COMPLETE",
    "tool_calls": "TOOL_CALL",
    "length": "MAX_TOKENS",
    "content_filter": "ERROR_TOXIC",
    "refusal": "COMPLETE",
    "pause": "COMPLETE",
    "error": "ERROR",
    "other": "COMPLETE",
    None: "COMPLETE",
}
_OWN: Final = frozenset(
    "COMPLETE STOP_SEQUENCE MAX_TOKENS TOOL_CALL ERROR TIMEOUT ERROR_TOXIC ERROR_LIMIT USER_CANCEL".split()
)

SAID: Final = frozenset({"stop", "tool_calls", "length", "content_filter", "error", None})
"""Finishes that this wire has a word for."""


def finish(said: Finish) -> str:
    """The source's own word where it is one of this wire's and still holds, else ours."""
    raw = said.raw
    if raw in _OWN and FINISHES.get(raw) == said.reason:
        return raw
    return _FINISHES[said.reason]


def failure(end: End) -> tuple[str, str | None] | None:
    """Finish and text of a failure, None if this end is none. A finish of this wire that tells it all needs no text."""
    error = end.error
    if error is None or (end.outcome == "incomplete" and error.type != "cancelled"):
        return None
    for said in end.finishes:
        if end.outcome == "failed" and said.reason == "error" and said.raw in _OWN and said.raw == error.code:
            return said.raw, None
    return ("TIMEOUT" if error.type == "timeout" else "ERROR"), error.message


def tells_all(fault: Error, finish: str) -> bool:
    """Do finish and text say all that is known of a failure?"""
    return says_all({"code": finish, "error": fault.message}, fault)


def usage(counts: Usage) -> dict[str, Any]:
    """The counts: this wire's own as they were, others as what was read and written. What others bill is not known."""
    own: dict[str, Any] = counts.raw if is_object(counts.raw) else {}
    if is_object(own.get("tokens")) or is_object(own.get("billed_units")):
        return own
    tokens = {
        "input_tokens": counts.input_tokens,
        "output_tokens": counts.output_tokens,
        "reasoning_tokens": counts.reasoning_tokens,
    }
    said: dict[str, Any] = {"tokens": {name: count for name, count in tokens.items() if count is not None}}
    return said if counts.cache_read_tokens is None else {**said, "cached_tokens": counts.cache_read_tokens}


def citation(note: Annotation, index: int, thinking: bool) -> dict[str, Any] | None:
    """A citation of the content with this index; None if nothing is known of its source. One of this wire's own stays as it was."""
    raw: Any = note.raw
    if is_object(raw) and "sources" in raw:
        return {**raw, "content_index": index} if "content_index" in raw else raw
    document = {name: value for name, value in (("url", note.url), ("title", note.title)) if value}
    if not document:
        return None
    place = {"start": note.start, "end": note.end, "text": note.text}
    return {
        **{name: value for name, value in place.items() if value is not None},
        "sources": [{"type": "document", "id": note.url or note.title, "document": document}],
        "content_index": index,
        "type": "THINKING_CONTENT" if thinking else "TEXT_CONTENT",
    }
