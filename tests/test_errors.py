"""What an error holds besides its type: the wait, the parameter, the message fit to be shown; exceptions; the seeds' words; laws."""

import copy
import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft import error_tables as tables
from weft.errors import (
    Error,
    error_from_body,
    error_from_exception,
    error_from_http,
    http_status,
    is_error_body,
    make_error,
)


def openai(message="It failed.", type=None, code=None, param=None):
    return {"error": {"message": message, "type": type, "param": param, "code": code}}


def google(status, **detail):
    return {"error": {"message": "It failed.", "status": status, "details": [detail]}}


def test_status_of_the_response_is_kept_and_one_in_the_body_fills_in():
    assert 429 == error_from_http(429, {}, {"error": {"code": 400, "message": "No."}}).status
    assert 502 == error_from_http(200, {}, {"error": {"code": 502, "message": "No."}}).status
    assert 400 == error_from_body({"error": {"message": "No.", "status_code": 400}}).status
    assert error_from_body(openai()).status is None


@pytest.mark.parametrize(
    ("status", "body", "type", "message"),
    [
        (
            502,
            b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
            "server",
            "502 Bad Gateway",
        ),
        (503, b"upstream connect error", "overloaded", "upstream connect error"),
        (200, b"<!doctype html><title>Sign in</title>", "protocol", tables.KINDS["protocol"].message),
        (200, b"", "protocol", tables.KINDS["protocol"].message),
        (429, b"", "rate_limit", tables.KINDS["rate_limit"].message),
        (500, None, "server", tables.KINDS["server"].message),
        (500, b"\xff\xfe", "server", "\ufffd\ufffd"),
        (500, b"[" * 100_000, "server", "[" * 8_000),
        (
            429,
            b'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"Slow."}}\n\n',
            "rate_limit",
            "Slow.",
        ),
        (
            429,
            ': hi\r\ndata: {"type":"a"}\r\n\r\ndata: {"error":{"code":"insufficient_quota","message":"None."}}',
            "billing",
            "None.",
        ),
        (400, {"message": "No."}, "invalid_request", "No."),
        (400, [{"error": {"message": "No."}}], "invalid_request", "No."),
    ],
)
def test_any_kind_of_response_body_is_read(status, body, type, message):
    error = error_from_http(status, {}, body)
    assert (type, message) == (error.type, error.message)


@pytest.mark.parametrize(
    ("protocol", "type"),
    [
        (None, "context_length"),
        ("openai-chat", "context_length"),
        ("openai-chat/cerebras", "context_length"),
        ("anthropic", "invalid_request"),
    ],
)
def test_bodiless_400_is_an_overflow_where_chat_is_spoken(protocol, type):
    assert type == error_from_http(400, {}, b"", protocol).type


def test_bodiless_400_with_a_name_in_its_headers_is_that():
    error = error_from_http(400, {"X-Amzn-ErrorType": "ValidationException:http://internal.example/"}, b"")
    assert ("invalid_request", "ValidationException") == (error.type, error.code)


# --- waiting -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "12"}, 12.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"RETRY-AFTER-MS": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT", "Date": "Wed, 21 Oct 2015 07:27:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", "date": "Wed, 21 Oct 2015 07:27:30 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 41 Oct 2015 07:28:00 GMT", "date": "Wed, 21 Oct 2015 07:27:30 GMT"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_headers_say_when_to_come_back(headers, seconds):
    assert seconds == error_from_http(503, headers, openai()).retry_after


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        (openai("Please try again in 11.054s. See the page."), 11.054),
        (openai("Please try again in 28ms."), 0.028),
        (openai("Please try again in 1m30s."), 90.0),
        (openai("try again in 7m12.5s"), 432.5),
        (openai("Please retry after 59 seconds."), 59.0),
        (openai("Please retry your request in 2 minutes"), 120.0),
        (openai("Try again in 8 hours 30 minutes."), 30_600.0),
        (openai("Please wait 5 seconds"), 5.0),
        (openai("Try again in a while. 5s is short."), None),
        (openai("Try again in 5 steps"), None),
        (google("RESOURCE_EXHAUSTED", retryDelay="34.4s"), 34.4),
        (google("RESOURCE_EXHAUSTED", retryDelay={"seconds": "21"}), 21.0),
        ({"error": "Model a/b is currently loading", "estimated_time": 20.0}, 20.0),
        ({"error": {"type": "usage_limit_reached", "resets_in_seconds": 3600}}, 3600.0),
        ({"error": {"code": 429, "message": "Slow.", "metadata": {"headers": {"Retry-After": "7"}}}}, 7.0),
        (
            {
                "type": "error",
                "error": {"message": "Slow.", "statusCode": 429, "responseHeaders": {"retry-after-ms": "1500"}},
            },
            1.5,
        ),
        ({"error": {"message": "Slow.", "retry_after": -1}}, None),
        ({"error": {"message": "Slow.", "retry_after": True}}, None),
    ],
)
def test_body_says_when_to_come_back(body, seconds):
    assert seconds == error_from_body(body).retry_after


def test_header_comes_before_the_body_in_what_to_wait():
    body = {"error": {"message": "Please try again in 3s.", "metadata": {"headers": {"retry-after": "5"}}}}
    assert 5.0 == error_from_body(body).retry_after
    assert 9.0 == error_from_http(429, {"retry-after": "9"}, body).retry_after


# --- what follows from a type --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "retryable", "fault", "status"),
    [
        ("authentication", False, "credential", 401),
        ("permission", False, "credential", 403),
        ("billing", False, "quota", 402),
        ("rate_limit", True, "quota", 429),
        ("overloaded", True, "provider", 503),
        ("timeout", True, "provider", 504),
        ("context_length", False, "client", 400),
        ("content_blocked", False, "client", 400),
        ("invalid_request", False, "client", 400),
        ("request_too_large", False, "client", 413),
        ("not_found", False, "client", 404),
        ("server", True, "provider", 500),
        ("transport", True, "transport", 502),
        ("protocol", True, "provider", 502),
        ("truncated", True, "provider", 502),
        ("limit", False, "provider", 502),
        ("cancelled", False, "client", 499),
    ],
)
def test_type_says_who_must_act(type, retryable, fault, status):
    error = make_error(type)
    assert (retryable, fault, status) == (error.retryable, error.fault, http_status(error))
    assert type == error.code
    assert error.message


def test_what_is_given_comes_before_what_follows():
    error = make_error(
        "timeout", "Late.", code="idle", retryable=False, fault="transport", retry_after=1.0, parameter="p"
    )
    assert (
        Error(
            type="timeout",
            code="idle",
            message="Late.",
            retryable=False,
            fault="transport",
            retry_after=1.0,
            parameter="p",
        )
        == error
    )


@pytest.mark.parametrize(
    ("status", "headers", "body", "retryable"),
    [
        (500, {"X-Should-Retry": "false"}, openai(), False),
        (400, {"x-should-retry": "true"}, openai(), True),
        (400, {}, {"type": "error", "error": {"message": "No.", "isRetryable": True}}, True),
        (499, {}, openai(), True),
        (409, {}, google("ABORTED"), True),
        (409, {}, google("ALREADY_EXISTS"), False),
        (
            429,
            {},
            openai(
                "Request too large for m on tokens per min: Limit 1, Requested 30.", "tokens", "rate_limit_exceeded"
            ),
            False,
        ),
        (429, {}, openai("Slow.", "tokens", "rate_limit_exceeded"), True),
        (501, {}, google("UNIMPLEMENTED"), False),
    ],
)
def test_provider_may_say_itself_whether_to_retry(status, headers, body, retryable):
    assert retryable == error_from_http(status, headers, body).retryable


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (openai(param="messages[0].role"), "messages[0].role"),
        ({"detail": [{"loc": ["body", "messages", 0], "msg": "Field required", "type": "missing"}]}, "body.messages.0"),
        (
            google("INVALID_ARGUMENT", fieldViolations=[{"field": "contents", "description": "x"}]),
            "contents",
        ),
        (openai(), None),
    ],
)
def test_parameter_is_named(body, parameter):
    assert parameter == error_from_body(body).parameter


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Incorrect API key provided: sk-proj-abcDEF123456.", "Incorrect API key provided: sk-***."),
        ("bad header 'Bearer abcdefgh.ijklmnop-1234'", "bad header 'Bearer ***'"),
        ("key AIzaSyA1234567890abcdefghijk is off", "key AIza*** is off"),
        ("GET https://host/v1?key=abcdef123456&alt=sse failed", "GET https://host/v1?key=***&alt=sse failed"),
        ("Incorrect API key provided: 9f8e7d6c5b4a3928.", "Incorrect API key provided: ***"),
        ("sent {'x-api-key': 'abcdef1234567890'}", "sent {'x-api-key': '***'}"),
        ("Bearer abcdefgh12 is short", "Bearer *** is short"),
        ("cannot reach https://me:pa55word@host/v1", "cannot reach https://***@host/v1"),
        ("AQ.Ab8RN6KkLmNoPqRs, ghp_abcdefghijklmnop1234, AKIAIOSFODNN7EXAMPLE", "AQ.***, ghp_***, AKIA***"),
        ("api key: see the documentation, version 2024-10-21", "api key: see the documentation, version 2024-10-21"),
        (
            "a risk-assessment of desk-based tasks with bearer authentication",
            "a risk-assessment of desk-based tasks with bearer authentication",
        ),
        ("max_tokens=100000 is over max_token=9", "max_tokens=100000 is over max_token=9"),
    ],
)
def test_message_holds_no_credential(message, shown):
    body = openai(message)
    error = error_from_body(body)
    assert shown == error.message
    assert message == error.original["error"]["message"]


# --- exceptions ----------------------------------------------------------------------------------------------------


class ReadTimeoutError(Exception):
    pass


class SlowPoolError(ReadTimeoutError):
    pass


class StatusError(Exception):
    def __init__(self, message, **members):
        super().__init__(message)
        self.__dict__.update(members)


@pytest.mark.parametrize(
    ("exc", "type"),
    [
        (TimeoutError("late"), "timeout"),
        (ReadTimeoutError("late"), "timeout"),
        (SlowPoolError(), "timeout"),
        (ConnectionResetError("/run/secret.sock"), "transport"),
        (ValueError("bad chunk"), "transport"),
    ],
)
def test_exception_of_the_source_is_the_fault_of_the_line(exc, type):
    error = error_from_exception(exc)
    assert (type, "transport", True) == (error.type, error.fault, error.retryable)
    assert {
        "exception": f"{exc.__class__.__module__}.{exc.__class__.__qualname__}",
        "message": str(exc),
    } == error.original
    assert tables.KINDS[error.type].message == error.message


@pytest.mark.parametrize(
    ("exc", "type", "status"),
    [
        (
            StatusError(
                "429", status_code=429, body={"message": "Slow.", "type": "tokens", "code": "rate_limit_exceeded"}
            ),
            "rate_limit",
            429,
        ),
        (
            StatusError("stream", body={"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}),
            "overloaded",
            None,
        ),
        (
            StatusError("aws", response={"Error": {"Code": "ThrottlingException", "Message": "Slow."}}),
            "rate_limit",
            None,
        ),
        (
            StatusError(
                "google", code=503, details={"error": {"code": 503, "status": "UNAVAILABLE", "message": "Busy."}}
            ),
            "overloaded",
            503,
        ),
        (StatusError("httpx", response=StatusError("", status_code=401, headers={})), "authentication", 401),
        (StatusError("code is a word", code="ECONNRESET"), "transport", None),
        (
            StatusError("openai", body={"message": "No.", "code": "tool_use_failed", "failed_generation": "<f>"}),
            "invalid_request",
            None,
        ),
        (StatusError("ollama", status_code=-1, error="the model is overloaded"), "overloaded", None),
        (StatusError("openai, of a frame", body="the model is overloaded"), "overloaded", None),
        (StatusError("openai, of a proxy", status_code=502, body="<title>Bad Gateway</title>"), "server", 502),
    ],
)
def test_exception_that_carries_the_answer_is_that_answer(exc, type, status):
    error = error_from_exception(exc)
    assert (type, status) == (error.type, error.status)
    assert str(exc) == error.original["message"]


def test_the_text_of_an_answer_is_the_message():
    """OpenAI's SDK has `{"error": "…"}` in its body and says of itself only that an error occurred."""
    assert "Busy." == error_from_exception(StatusError("An error occurred", body="Busy.")).message
    assert (
        "Bad Gateway"
        == error_from_exception(StatusError("", status_code=502, body="<title>Bad Gateway</title>")).message
    )


def test_what_an_sdk_could_not_read_is_no_fault_of_the_line():
    with pytest.raises(json.JSONDecodeError) as raised:
        json.loads("{oops")
    error = error_from_exception(raised.value)
    assert ("protocol", "provider", True) == (error.type, error.fault, error.retryable)


@pytest.mark.parametrize("name", ["AbortError", "CancelledError"])
def test_a_source_that_says_it_was_stopped_is_cancelled(name):
    error = error_from_exception(type(name, (RuntimeError,), {})("stopped"))
    assert ("cancelled", "client", "stopped") == (error.type, error.fault, error.original["message"])
    assert "transport" == error_from_exception(ConnectionAbortedError()).type


def test_members_of_an_exception_that_are_old_are_not_looked_at_when_another_says_the_status():
    class AnsweredError(RuntimeError):
        status = 429

        @property
        def code(self) -> int:
            raise DeprecationWarning("use status instead")

    assert ("rate_limit", 429) == (
        error_from_exception(AnsweredError()).type,
        error_from_exception(AnsweredError()).status,
    )


def test_exception_brings_the_wait_from_its_response():
    exc = StatusError("429", response=StatusError("", status_code=429, headers={"Retry-After": "4"}))
    assert 4.0 == error_from_exception(exc).retry_after


# --- laws ----------------------------------------------------------------------------------------------------------

NAMES = sorted({*tables.FLAT_MEMBERS, *tables.CODE_MEMBERS, *tables.TEXT_MEMBERS, *tables.WAIT_MEMBERS, "error", "errors", "details", "metadata", "raw", "headers", "base_resp", "innererror", "response", "loc"})  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2000) | st.floats(allow_nan=True) | st.sampled_from(["", "error", "429", "1113", "{}", '{"error":{"code":"x"}}', "try again in 3s"]) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(JSON, st.none() | st.integers(0, 999))
@example({"base_resp": {"status_code": []}, "code": {}}, None)
@example({"loc": [[], {}], "retryDelay": {"seconds": "1" * 500}}, 429)
def test_no_json_makes_the_reading_raise(body, status):
    before = copy.deepcopy(body)
    is_error_body(body)
    error = error_from_body(body, status=status)
    assert repr(before) == repr(body)
    assert error.type in tables.KINDS
    assert error.code
    assert error.message
    assert error.retry_after is None or (math.isfinite(error.retry_after) and error.retry_after >= 0)


@given(
    st.integers(100, 599),
    st.binary(max_size=60),
    st.dictionaries(st.sampled_from(["retry-after", "Date", "x-amzn-errortype"]), st.text(max_size=30)),
)
def test_no_bytes_make_the_reading_raise(status, body, headers):
    assert error_from_http(status, headers, body).code


def test_deep_bodies_are_read_to_a_depth():
    body = {"error": "It failed."}
    for _ in range(500):
        body = {"error": body}
    assert "server" == error_from_body(body).type


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "unit",
    [
        "try again in 1m",
        "input token count ",
        "model a",
        "exceed the the the ",
        "{",
        "sk-",
        "<title",
        "1111111111",
        "content policy violates ",
        "a" * 50,
    ],
)
def test_long_message_costs_no_more_than_its_head(unit):
    text = unit * (2_000_000 // len(unit))
    assert len(error_from_http(400, {}, text).message) <= 8_000
    assert error_from_body(
        {"error": {"message": text, "metadata": {"raw": text}, "details": [{"description": text}]}}
    ).type
