"""How a stream ended: the words of every source in ours, and what the stream itself says against them.

Knows: the table raw finish -> our finish, in whatever spelling, and the rules by which content corrects it.
Must not know: wires or events in flight.
"""

from weft.events import Finish, FinishReason, Outcome

_WORDS: dict[FinishReason, str] = {
    "stop": "stop end_turn end eos eos_token endoftext stop_sequence STOP COMPLETE STOP_SEQUENCE FINISH completed",
    "length": (
        "length max_tokens max_output_tokens max_messages token_limit time_limit model_length model_context_window_exceeded MAX_TOKENS LENGTH "
        "incomplete budget_exceeded"
    ),
    "tool_calls": "tool_calls tool-calls function_call tool_use TOOL_CALL requires_action",
    "content_filter": (
        "content_filter content-filter content_filtered CONTENT_FILTERED sensitive guardrail_intervened recitation blocked "
        "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION "
        "MODEL_ARMOR ESCALATION JAILBREAK ERROR_TOXIC"
    ),
    "refusal": "refusal",
    "pause": "pause_turn compaction steered CONTINUATION requires_continuation",
    "error": (
        "error failed insufficient_system_resource network_error malformed_model_output malformed_tool_use ERROR TIMEOUT "
        "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MALFORMED_RESPONSE MISSING_THOUGHT_SIGNATURE "
        "PUP_LIMITED_DISABLED ERROR_LIMIT interrupted"
    ),
    "other": (
        "abort cancelled load unload OTHER NO_IMAGE IMAGE_OTHER FINISH_REASON_UNSPECIFIED USER_CANCEL unknown other"
    ),
}

FINISHES: dict[str, FinishReason] = {word: reason for reason, words in _WORDS.items() for word in words.split()}
"""Every raw finish that the atlas names."""

NOT_FINISHED = ("", "null", "none", "not_finished")
"""Words that some servers send on every chunk and that say nothing."""

SEVERITY: tuple[Outcome, ...] = ("failed", "truncated", "incomplete", "completed")

_OUTCOMES: dict[FinishReason | None, Outcome] = {
    "length": "incomplete",
    "content_filter": "incomplete",
    "error": "failed",
}


def finish_reason(raw: str | None) -> FinishReason | None:
    """Our word for a raw one, however it is written. None if nothing was said; `other` for what nobody has named yet, never a guessed stop."""
    if raw is None:
        return None
    return FINISHES.get(raw) or _FOLDED.get(_fold(raw), "other")


def _fold(word: str) -> str:
    """One spelling for `tool_calls`, `tool-calls`, `toolCalls` and `TOOL_CALLS`: gateways translate the words but not their case."""
    return word.strip().replace("_", "").replace("-", "").lower()


_FOLDED: dict[str, FinishReason | None] = {
    **{_fold(word): reason for word, reason in FINISHES.items()},
    **dict.fromkeys(map(_fold, NOT_FINISHED)),
}


def outcome_of(finish: Finish) -> Outcome:
    """The outcome that one choice's finish stands for, given that its end was really seen."""
    return _OUTCOMES.get(finish.reason, "completed")


def worst(outcomes: list[Outcome]) -> Outcome:
    """The outcome of a stream of several choices."""
    return min(outcomes, key=SEVERITY.index) if outcomes else "completed"


def effective(
    reason: FinishReason | None, *, calls: bool, complete_call: bool, only_refusal: bool
) -> FinishReason | None:
    """The finish that the content bears out: a stop with an executable call is a tool finish, a tool finish without any call is a stop.

    Length, filter and the rest are never masked. `calls` and `complete_call` count only calls that the client executes.
    """
    if reason == "stop" and complete_call:
        return "tool_calls"
    if reason == "stop" and only_refusal:
        return "refusal"
    if reason == "tool_calls" and not calls:
        return "stop"
    return reason
