"""The AI SDK's steps, usage and finishes, and how a run fails."""

import pytest

from tests.protocols.ai_sdk_parts import CALL, FINISH, STEP, finish_step, read
from tests.protocols.wire import end, ndjson


def test_a_stop_after_answered_calls_is_a_stop():
    """The calls of earlier steps were answered within the run."""
    got = read(
        STEP,
        CALL,
        finish_step("tool-calls"),
        STEP,
        {"type": "text-delta", "id": "0", "text": "a"},
        finish_step(),
        FINISH,
    )
    assert ("stop", ["tool_calls", "stop"]) == (got.finish, [step.finish for step in got.steps])


def test_a_stop_with_a_call_of_the_provider_s_own_is_a_stop():
    assert "stop" == read({**CALL, "providerExecuted": True}, FINISH).finish
    assert "tool_calls" == read(CALL, FINISH).finish


USAGE = {"inputTokens": 10, "outputTokens": 4, "totalTokens": 14}


def test_the_usage_of_the_run_is_not_added_to_that_of_its_steps():
    total = {"inputTokens": 20, "outputTokens": 8, "totalTokens": 28}
    step = [STEP, {"type": "text-delta", "id": "0", "text": "a"}, finish_step(usage=USAGE)]
    got = read(*step, *step, {"type": "finish", "finishReason": "stop", "totalUsage": total})
    assert (20, 8, 28, "reported") == (
        got.usage.input_tokens,
        got.usage.output_tokens,
        got.usage.total_tokens,
        got.usage.source,
    )
    assert [10, 10] == [step.usage.input_tokens for step in got.steps]
    assert total == got.usage.raw


def test_a_run_that_was_cut_has_the_usage_of_its_steps():
    """G11 of the checklist: usage from finish-step; here the sum, which says that we made it."""
    one = read(STEP, finish_step(usage=USAGE))
    assert (10, "reported") == (one.usage.input_tokens, one.usage.source)
    two = read(STEP, finish_step(usage=USAGE), STEP, finish_step(usage=USAGE))
    assert (20, 8, 28, "derived") == (
        two.usage.input_tokens,
        two.usage.output_tokens,
        two.usage.total_tokens,
        two.usage.source,
    )


@pytest.mark.parametrize(
    "usage",
    [
        {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15, "cachedInputTokens": 4, "reasoningTokens": 2},
        {
            "inputTokens": 10,
            "outputTokens": 5,
            "totalTokens": 15,
            "inputTokenDetails": {"noCacheTokens": 6, "cacheReadTokens": 4},
            "outputTokenDetails": {"textTokens": 3, "reasoningTokens": 2},
        },
        {
            "inputTokens": {"total": 10, "noCache": 6, "cacheRead": 4, "cacheWrite": None},
            "outputTokens": {"total": 5, "text": 3, "reasoning": 2},
            "raw": {"prompt_tokens": 10},
        },
    ],
    ids=["V2", "V3 and later, by the app", "V3 and later, by the provider"],
)
def test_the_shapes_of_usage(usage):
    got = read({"type": "finish", "finishReason": "stop", "usage": usage}).usage
    assert (10, 5, 15, 4, None, 2) == (
        got.input_tokens,
        got.output_tokens,
        got.total_tokens,
        got.cache_read_tokens,
        got.cache_write_tokens,
        got.reasoning_tokens,
    )


def test_usage_that_nobody_knew_is_none():
    """G3: NaN becomes null in JSON."""
    usage = {"promptTokens": None, "completionTokens": None, "totalTokens": None}
    assert None is read({"type": "finish", "finishReason": "stop", "usage": usage}).usage


@pytest.mark.parametrize(
    ("part", "finish", "raw", "outcome"),
    [
        ({"finishReason": "stop"}, "stop", "stop", "completed"),
        ({"finishReason": "length"}, "length", "length", "incomplete"),
        ({"finishReason": "content-filter"}, "content_filter", "content-filter", "incomplete"),
        ({"finishReason": "error"}, "error", "error", "failed"),
        ({"finishReason": "interrupted"}, "error", "interrupted", "failed"),
        ({"finishReason": "other"}, "other", "other", "completed"),
        ({"finishReason": "unknown"}, "other", "unknown", "completed"),
        ({"finishReason": "brand-new"}, "other", "brand-new", "completed"),
        ({}, None, None, "completed"),
        ({"finishReason": "stop", "rawFinishReason": "end_turn"}, "stop", "end_turn", "completed"),
        ({"finishReason": {"unified": "length", "raw": "MAX_TOKENS"}}, "length", "MAX_TOKENS", "incomplete"),
        ({"finishReason": {"unified": "content-filter", "raw": "refusal"}}, "refusal", "refusal", "completed"),
        ({"finishReason": {"unified": "stop", "raw": "pause_turn"}}, "pause", "pause_turn", "completed"),
        ({"finishReason": {"unified": "other", "raw": "eos"}}, "stop", "eos", "completed"),
        ({"finishReason": {"unified": "other", "raw": "what"}}, "other", "what", "completed"),
        ({"finishReason": {"unified": "tool-calls", "raw": "STOP"}}, "stop", "STOP", "completed"),
    ],
)
def test_the_words_of_the_finish(part, finish, raw, outcome):
    """Atlas 6.1. Without any call a tool finish is a stop; where a provider's word is finer than the SDK's, it counts."""
    got = read({"type": "text-delta", "id": "0", "text": "a"}, {"type": "finish", **part})
    assert (finish, raw, outcome) == (got.finish, got.finish_raw, got.outcome)


def test_an_interrupted_run_says_that_it_was_cut():
    assert "truncated" == end(ndjson({"type": "finish", "finishReason": "interrupted"}), "ai-sdk").error.type


def test_who_answered():
    """A provider says it first, an app with the end of its first step."""
    known = {"id": "r1", "modelId": "heron", "timestamp": "1970-01-01T00:01:00Z"}
    got = read({"type": "response-metadata", **known}, FINISH)
    assert ("r1", "heron", 60) == (got.id, got.model, got.created)
    late = read(STEP, {"type": "text-delta", "id": "0", "text": "a"}, finish_step(response=known), FINISH)
    assert ("heron", 60, "r1") == (late.model, late.created, late.meta["id"])
    assert "msg-1" == read({"type": "step-start", "messageId": "msg-1"}, FINISH).id


def test_warnings_and_metadata_of_the_run_are_facts():
    got = read({"type": "stream-start", "warnings": ["w"]}, {**FINISH, "providerMetadata": {"gateway": {"cost": 1}}})
    assert {"warnings": ["w"], "provider_metadata": {"gateway": {"cost": 1}}} == got.meta


OVERLOADED = {
    "name": "AI_APICallError",
    "url": "https://api.example/v1/messages",
    "statusCode": 529,
    "isRetryable": True,
    "responseBody": '{"type":"error","error":{"type":"overloaded_error","message":"too many boats"}}',
}


@pytest.mark.parametrize(
    ("error", "type", "message"),
    [
        (OVERLOADED, "overloaded", "too many boats"),
        (
            {"name": "AI_RetryError", "reason": "maxRetriesExceeded", "lastError": OVERLOADED},
            "overloaded",
            "too many boats",
        ),
        ({"name": "AI_APICallError", "statusCode": 401, "isRetryable": False}, "authentication", None),
        ("the lamp went out", "server", "the lamp went out"),
        ({"message": "slow down", "type": "rate_limit_error"}, "rate_limit", "slow down"),
        (None, "server", None),
        ({}, "server", None),
    ],
)
def test_an_error_of_any_shape(error, type, message):
    last = end(ndjson({"type": "error", "error": error}), "ai-sdk")
    assert ("failed", type) == (last.outcome, last.error.type)
    assert message in (None, last.error.message)


def test_what_follows_an_error_is_read():
    """It ends nothing: the rest of the step, its finish and the usage come behind it."""
    got = read(
        STEP,
        {"type": "text-delta", "id": "0", "text": "a"},
        {"type": "error", "error": "first"},
        {"type": "text-delta", "id": "0", "text": "b"},
        {"type": "error", "error": "second"},
        finish_step("error", usage=USAGE),
        {"type": "finish", "finishReason": "error", "totalUsage": USAGE},
    )
    assert ("failed", "first", "ab", 10) == (got.outcome, got.error.message, got.text, got.usage.input_tokens)
    assert ([], ["error"]) == (got.notes, [step.finish for step in got.steps])


def test_an_aborted_run_is_cancelled():
    got = read({"type": "text-delta", "id": "0", "text": "a"}, {"type": "abort", "reason": "the user left"})
    assert ("incomplete", "cancelled", "the user left") == (got.outcome, got.error.type, got.error.message)
    assert [False] == [part.complete for part in got.blocks]


def test_an_error_before_the_abort_is_the_failure():
    got = read({"type": "error", "error": "broken"}, {"type": "abort"})
    assert ("failed", "broken") == (got.outcome, got.error.message)


def test_an_error_in_place_of_a_part_fails():
    assert "rate_limit" == end(b'{"error":{"type":"rate_limit_error","message":"x"}}\n', "ai-sdk").error.type


def test_what_follows_the_finish_is_dropped():
    got = read(FINISH, {"type": "text-delta", "id": "0", "text": "late"})
    assert ("completed", "") == (got.outcome, got.text)
