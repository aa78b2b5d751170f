"""How a stream ended: the words of every source in ours, and what the content says against them."""

import pytest

from weft.events import Finish
from weft.finish import FINISHES, NOT_FINISHED, effective, finish_reason, outcome_of, worst

# The atlas' master table (6.1) and chat's own (2.1.7), row by row.
ATLAS = {
    "stop": "stop end_turn stop_sequence STOP COMPLETE STOP_SEQUENCE eos eos_token end",
    "length": "length model_length model_context_window_exceeded max_output_tokens max_messages max_tokens MAX_TOKENS incomplete",
    "tool_calls": "tool_calls function_call tool_use tool-calls TOOL_CALL requires_action",
    "content_filter": (
        "content_filter content-filter sensitive guardrail_intervened content_filtered recitation blocked SAFETY RECITATION "
        "LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION MODEL_ARMOR "
        "ESCALATION ERROR_TOXIC"
    ),
    "refusal": "refusal",
    "pause": "pause_turn compaction steered CONTINUATION",
    "error": (
        "error failed insufficient_system_resource network_error malformed_model_output malformed_tool_use ERROR TIMEOUT "
        "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MALFORMED_RESPONSE MISSING_THOUGHT_SIGNATURE "
        "PUP_LIMITED_DISABLED interrupted"
    ),
    "other": "abort cancelled load unload OTHER NO_IMAGE IMAGE_OTHER FINISH_REASON_UNSPECIFIED unknown",
}


@pytest.mark.parametrize(("raw", "reason"), [(raw, reason) for reason, raws in ATLAS.items() for raw in raws.split()])
def test_every_raw_finish_of_the_atlas_has_our_word(raw: str, reason: str):
    assert reason == finish_reason(raw)


@pytest.mark.parametrize("raw", [None, *NOT_FINISHED, "None", "NULL", " "])
def test_words_that_say_nothing_are_no_finish(raw: str | None):
    """C4"""
    assert finish_reason(raw) is None


@pytest.mark.parametrize(
    "raw", ["Stop", "toolCalls", "TOOL_CALLS", "tool-calls", "maxTokens", "Content-Filter", "safety"]
)
def test_the_spelling_does_not_matter(raw: str):
    """C5"""
    assert finish_reason(raw) in {"stop", "tool_calls", "length", "content_filter"}


def test_two_spellings_never_mean_two_things():
    folded = {}
    for raw, reason in FINISHES.items():
        assert reason == folded.setdefault(raw.replace("_", "").replace("-", "").lower(), reason)


@pytest.mark.parametrize("raw", ["new_word", "stopped_by_moon", "tool"])
def test_an_unknown_word_is_other_and_never_a_stop(raw: str):
    """C6"""
    assert "other" == finish_reason(raw)


@pytest.mark.parametrize(
    ("reason", "calls", "complete", "refusal", "expected"),
    [
        ("stop", True, True, False, "tool_calls"),  # C1
        ("stop", True, False, False, "stop"),
        ("stop", False, False, True, "refusal"),  # D11
        ("stop", True, True, True, "tool_calls"),
        ("tool_calls", False, False, False, "stop"),  # A27
        ("tool_calls", True, False, False, "tool_calls"),
        ("length", True, True, False, "length"),
        ("content_filter", True, True, True, "content_filter"),
        ("error", True, True, False, "error"),
        ("other", True, True, False, "other"),
        (None, True, True, False, None),
    ],
)
def test_content_corrects_a_plain_finish_and_masks_no_other(reason, calls, complete, refusal, expected):
    assert expected == effective(reason, calls=calls, complete_call=complete, only_refusal=refusal)


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("stop", "completed"),
        ("tool_calls", "completed"),
        ("refusal", "completed"),
        ("pause", "completed"),
        ("other", "completed"),
        (None, "completed"),
        ("length", "incomplete"),
        ("content_filter", "incomplete"),
        ("error", "failed"),
    ],
)
def test_each_finish_has_its_outcome(reason, outcome):
    assert outcome == outcome_of(Finish(reason=reason))


def test_the_worst_of_several_choices_counts():
    assert "failed" == worst(["completed", "failed", "incomplete"])
    assert "incomplete" == worst(["completed", "incomplete"])
    assert "completed" == worst([])
