"""Seed 001's two tables: which finish reason ends a response how, and which error codes a response knows.

Knows: the words of chat.completions that GodeX's providers hand on, and what is said to the client where they fail.
Must not know: the machine, events in flight. What a word means to the rest of Weft stands in `weft.finish`.
"""

from typing import Final

import msgspec

from weft.errors import Error, error_from_body, make_error, to_seed001
from weft.events import End, Event, Finish, FinishReason, Outcome
from weft.finish import outcome_of, worst
from weft.steps import Emit

FINISHES: Final[dict[str, FinishReason]] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
}
"""The finish reasons that end a response otherwise than as failed."""

_REPORTED: Final = frozenset({"network_error"})
"""Known words for a failure."""


def outcome(raw: str | None) -> Outcome:
    """How a response with this finish reason ends."""
    reason = FINISHES.get(raw or "")
    return "failed" if reason is None else outcome_of(Finish(reason=reason))


def graver(old: str | None, new: str) -> str:
    """Which of two finish reasons counts: the later one, unless it would say that a cut answer was whole."""
    if old is None:
        return new
    return old if outcome(new) != worst([outcome(old), outcome(new)]) else new


def failure(raw: str | None, provider: str) -> Error | None:
    """What is wrong with a finish reason, in words for the client; None for one that is no failure."""
    if raw in FINISHES:
        return None
    who = f"Provider {provider}" if provider else "The provider"
    if raw is None:
        return make_error("truncated", f"{who} returned no finish reason.")
    said = f"reported {raw} finish reason" if raw in _REPORTED else f"returned unexpected finish reason: {raw}"
    return make_error("server", f"{who} {said}.")


def in_seed_words(event: Event, emit: Emit) -> None:
    """A step: the error of a failed response has one of seed 001's 18 codes, and nothing beside it but the message. A cancelled one has failed."""
    if type(event) is End and event.error is not None and _failed(event, event.error):
        code, message = to_seed001(event.error), event.error.message
        kind = error_from_body({"code": code, "message": message}).type
        error = msgspec.structs.replace(event.error, code=code, type=kind, parameter=None)
        event = msgspec.structs.replace(event, outcome="failed", error=error)
    emit(event)


def _failed(end: End, error: Error) -> bool:
    """A filter that stopped the answer leaves it incomplete; its error stands beside that and is not said."""
    return end.outcome in ("failed", "truncated") or error.type == "cancelled"
