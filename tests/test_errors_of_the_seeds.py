"""Errors in the words of the five systems."""

import pytest

from weft import error_tables as tables
from weft.errors import (
    BRIDGE_DELTA_AFTER_TERMINAL,
    make_error,
    to_seed000,
    to_seed001,
    to_seed002,
)


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        ("rate_limit", "rate_limit"),
        ("content_blocked", "content_blocked"),
        ("timeout", "timeout"),
        ("overloaded", "provider_overloaded"),
        ("server", "api_error"),
        ("billing", "api_error"),
        ("truncated", "api_error"),
    ],
)
def test_seed_000_has_five_types(type, expected):
    error = make_error(type, "No.", code="c", original={"a": 1})
    assert {
        "type": expected,
        "message": "No.",
        "code": "c",
        "retryable": error.retryable,
        "originalError": {"a": 1},
    } == to_seed000(error)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (make_error("rate_limit"), "rate_limit_exceeded"),
        (make_error("content_blocked", code="invalid_prompt"), "invalid_prompt"),
        (make_error("invalid_request", code="image_too_large"), "image_too_large"),
        (make_error("invalid_request", code="anything"), "server_error"),
        (make_error("protocol", code=BRIDGE_DELTA_AFTER_TERMINAL), "server_error"),
    ],
)
def test_seed_001_keeps_its_own_codes(error, expected):
    assert expected == to_seed001(error)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (make_error("authentication", "Incorrect API key provided."), "AuthInvalid"),
        (make_error("authentication", "No API key found in request"), "AuthMissing"),
        (make_error("authentication", "Missing Authentication header"), "AuthMissing"),
        (make_error("authentication", "You didn't provide an API key."), "AuthMissing"),
        (make_error("authentication", "API key not valid. Please pass a valid API key."), "AuthInvalid"),
        (make_error("authentication", "x", code="1001"), "AuthMissing"),
        (make_error("timeout", code="1001"), "TransportTimeout"),
        (make_error("rate_limit"), "RateLimited"),
        (make_error("transport"), "TransportError"),
        (make_error("server"), "UpstreamFailure"),
        (make_error("permission"), "PolicyDenied"),
    ],
)
def test_seed_002_has_short_codes(error, expected):
    assert {"code": expected, "detail": error.message} == to_seed002(error)


def test_every_type_has_a_word_in_every_seed():
    for type in tables.KINDS:
        error = make_error(type)
        assert to_seed000(error)["type"] in (
            "api_error",
            "rate_limit",
            "content_blocked",
            "timeout",
            "provider_overloaded",
        )
        assert to_seed001(error) in tables.SEED001_CODES
        assert to_seed002(error)["code"]
