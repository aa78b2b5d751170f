"""Bedrock's ConverseStream as a source: how it ends, what it cost, how it fails."""

import json

import pytest

from weft.reader import Reader

from .aws import error, event, exception
from .bedrock_frames import METADATA, START, TEXT, USAGE, call, closed, delta, read, stopped
from .wire import end, message, note_codes

# --- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "finish", "outcome", "kind"),
    [
        ("end_turn", "stop", "completed", None),
        ("stop_sequence", "stop", "completed", None),
        ("tool_use", "stop", "completed", None),
        ("max_tokens", "length", "incomplete", None),
        ("model_context_window_exceeded", "length", "incomplete", None),
        ("guardrail_intervened", "content_filter", "incomplete", "content_blocked"),
        ("content_filtered", "content_filter", "incomplete", "content_blocked"),
        ("malformed_model_output", "error", "failed", "protocol"),
        ("malformed_tool_use", "error", "failed", "protocol"),
        ("tomorrows_reason", "other", "completed", None),
        (None, None, "completed", None),
    ],
)
def test_stop_reasons(raw, finish, outcome, kind):
    """C6, D11"""
    got = end(START + delta(0, text="x") + closed(0) + stopped(raw) + METADATA, "bedrock")
    assert (outcome, finish) == (got.outcome, got.finishes[0].reason)
    assert kind == (got.error.type if got.error else None)


def test_metadata_after_message_stop_is_awaited():
    """G2, Q-B2"""
    got = []
    reader = Reader("bedrock", got.append)
    reader.feed(TEXT.removesuffix(METADATA))
    assert (False, True) == (reader.done, reader.ending)
    reader.feed(METADATA)
    assert reader.done
    assert (9, 4, 13) == (got[-1].usage.input_tokens, got[-1].usage.output_tokens, got[-1].usage.total_tokens)


def test_metadata_before_message_stop():
    got = read(START, delta(0, text="x"), closed(0), METADATA, stopped())
    assert ("completed", 9) == (got.outcome, got.usage.input_tokens)


def test_metadata_may_never_come():
    got = read(TEXT.removesuffix(METADATA))
    assert ("completed", "stop", None) == (got.outcome, got.finish, got.usage)


def test_every_cut_before_message_stop_is_truncated():
    """C2, D7, E14: any byte, so inside of frames and their preludes too."""
    data = START + delta(0, text="x") + closed(0) + call(1, "f", "{}") + stopped("tool_use")
    for size in range(len(data)):
        assert "truncated" == end(data[:size], "bedrock").outcome
    assert "completed" == end(data + METADATA, "bedrock").outcome


def test_half_a_metadata_frame_takes_nothing_back():
    """C14"""
    data = TEXT[:-5]
    assert "completed" == end(data, "bedrock").outcome
    assert ["partial_frame"] == note_codes(data, "bedrock")


def test_frame_with_a_wrong_checksum_ends_the_stream():
    """D7"""
    broken = bytearray(TEXT)
    broken[len(START) + len(delta(0, text="Blue")) + 90] ^= 1
    got = message(bytes(broken), "bedrock")
    assert ("Blue", "failed", "protocol", "crc_mismatch") == (got.text, got.outcome, got.error.type, got.error.code)


def test_stop_sequence_that_the_request_asked_for():
    fields = {"delta": {"stop_sequence": "END"}}
    got = read(START, stopped("stop_sequence", additionalModelResponseFields=fields), METADATA)
    assert ("END", fields) == (got.meta["stop_sequence"], got.meta["additional_model_response_fields"])
    got = read(START, stopped("stop_sequence", additionalModelResponseFields={"/stop_sequence": "\n"}), METADATA)
    assert "\n" == got.meta["stop_sequence"]


def test_guardrail_trace_and_service_tier_are_meta():
    trace = {"guardrail": {"actionReason": "Guardrail blocked."}}
    data = {
        "usage": USAGE,
        "metrics": {"latencyMs": 7},
        "trace": trace,
        "serviceTier": {"type": "flex"},
        "performanceConfig": {"latency": "optimized"},
    }
    got = read(START, delta(0, text="Sorry."), closed(0), stopped("guardrail_intervened"), event("metadata", data))
    assert {
        "metrics": {"latencyMs": 7},
        "trace": trace,
        "service_tier": "flex",
        "performance_config": {"latency": "optimized"},
    } == got.meta


# --- usage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "total_input", "source"),
    [
        (
            {
                "inputTokens": 11,
                "outputTokens": 236,
                "totalTokens": 1275,
                "cacheReadInputTokens": 0,
                "cacheWriteInputTokens": 1028,
            },
            1039,
            "derived",
        ),
        (
            {
                "inputTokens": 11,
                "outputTokens": 4,
                "totalTokens": 120,
                "cacheReadInputTokens": 100,
                "cacheWriteInputTokens": 5,
            },
            116,
            "derived",
        ),
        ({"inputTokens": 111, "outputTokens": 4, "totalTokens": 115, "cacheReadInputTokens": 100}, 111, "reported"),
        ({"inputTokens": 9, "outputTokens": 4, "totalTokens": 13, "cacheReadInputTokens": 0}, 9, "reported"),
    ],
)
def test_cached_tokens_are_part_of_the_input(usage, total_input, source):
    """G5: what the cache gave is not in inputTokens, unless the total says that it is."""
    got = read(START, stopped(), event("metadata", {"usage": usage})).usage
    assert (total_input, usage["totalTokens"], source) == (got.input_tokens, got.total_tokens, got.source)
    assert usage.get("cacheWriteInputTokens") == got.cache_write_tokens
    assert usage == got.raw


def test_usage_of_nothing_but_zeros_is_none():
    """G3"""
    zeros = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
    got = read(
        START, delta(0, text="x"), closed(0), stopped("guardrail_intervened"), event("metadata", {"usage": zeros})
    )
    assert (None, "incomplete") == (got.usage, got.outcome)


# --- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "body", "kind", "status", "retryable"),
    [
        ("throttlingException", {"message": "Too many requests"}, "rate_limit", None, True),
        ("internalServerException", {"message": "oops"}, "server", None, True),
        ("serviceUnavailableException", {"message": "busy"}, "overloaded", None, True),
        ("validationException", {"message": "bad field"}, "invalid_request", None, False),
        ("validationException", {"message": "Input is too long for requested model."}, "context_length", None, False),
        ("modelTimeoutException", {"message": "slow"}, "timeout", None, True),
        (
            "modelStreamErrorException",
            {"message": "m", "originalStatusCode": 429, "originalMessage": "slow down"},
            "rate_limit",
            429,
            True,
        ),
        ("modelStreamErrorException", {"message": "m", "originalStatusCode": 400}, "invalid_request", 400, False),
        ("modelStreamErrorException", {"message": "m"}, "server", None, True),
        ("tomorrowsException", {"message": "?"}, "server", None, True),
        ("throttlingException", {}, "rate_limit", None, True),
    ],
)
def test_exception_frames(name, body, kind, status, retryable):
    """D7: not one of them is an empty success."""
    got = message(START + delta(0, text="x") + exception(name, body), "bedrock")
    assert ("failed", kind, name) == (got.outcome, got.error.type, got.error.code)
    assert (status, retryable, "x") == (got.error.status, got.error.retryable, got.text)


@pytest.mark.parametrize("payload", [b"", b"slow down", b"[]", b'{"message":7}'])
def test_exception_whose_payload_is_odd_is_one_all_the_same(payload):
    got = end(START + exception("throttlingException", payload), "bedrock")
    assert ("failed", "rate_limit") == (got.outcome, got.error.type)


def test_exception_as_the_first_frame():
    assert "rate_limit" == end(exception("throttlingException", {"message": "slow"}), "bedrock").error.type


def test_exception_after_message_stop():
    got = end(
        START + delta(0, text="x") + closed(0) + stopped() + exception("internalServerException", {"message": "x"}),
        "bedrock",
    )
    assert ("failed", "server") == (got.outcome, got.error.type)


def test_error_frame():
    got = end(START + error("InternalFailure", "the connection was reset"), "bedrock")
    assert ("failed", "server", "InternalFailure") == (got.outcome, got.error.type, got.error.code)
    assert "the connection was reset" == got.error.message


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind"),
    [
        (
            400,
            {"x-amzn-errortype": "ValidationException:http://internal.amazon.com/"},
            {"message": "no"},
            "invalid_request",
        ),
        (429, {"x-amzn-ErrorType": "ThrottlingException"}, {"message": "Too many tokens, please wait"}, "rate_limit"),
        (403, {}, {"__type": "UnrecognizedClientException", "message": "bad token"}, "authentication"),
        (424, {"x-amzn-errortype": "ModelErrorException"}, {"message": "m", "originalStatusCode": 500}, "server"),
        (404, {}, {"Message": "no such thing"}, "not_found"),
    ],
)
def test_http_errors(status, headers, body, kind):
    got = end(json.dumps(body).encode(), "bedrock", status=status, headers=headers)
    assert ("failed", kind, status) == (got.outcome, got.error.type, got.error.status)


def test_error_body_where_a_stream_was_due():
    """D3"""
    got = end(b'{"message":"The security token included in the request is expired"}', "bedrock")
    assert "failed" == got.outcome
