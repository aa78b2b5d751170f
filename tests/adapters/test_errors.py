"""Classification: what a provider's SDK raises or its wire says, in the seed's words, by our one taxonomy."""

import pytest

import weft
from tests.protocols.wire import sse
from weft.adapters import process
from weft.adapters.adapter import classified
from weft.chunks import ProviderError, error_of, provider_error
from weft.error_tables import KINDS
from weft.errors import make_error, to_seed000


class SdkError(Exception):
    """As the vendors' SDKs raise them."""

    def __init__(self, status, body=None):
        super().__init__(f"Error code: {status} - {body}")
        self.status_code, self.body = status, body


@pytest.mark.parametrize(
    ("error", "type", "retryable", "code"),
    [
        (SdkError(400, {"error": {"message": "Bad.", "code": "bad_request"}}), "api_error", False, "bad_request"),
        (SdkError(401), "api_error", False, "authentication"),
        (SdkError(403), "api_error", False, "permission"),
        (SdkError(404), "api_error", False, "not_found"),
        (SdkError(408), "timeout", True, "timeout"),
        (SdkError(429, {"error": {"type": "rate_limit_error"}}), "rate_limit", True, "rate_limit_error"),
        (SdkError(429, {"error": {"message": "insufficient balance"}}), "api_error", False, "billing"),
        (SdkError(429, {"error": {"message": "Your plan does not include this model."}}), "api_error", False, "billing"),
        (SdkError(500), "api_error", True, "server"),
        (SdkError(503), "provider_overloaded", True, "overloaded"),
        (SdkError(504), "timeout", True, "timeout"),
        (SdkError(529, {"error": {"type": "overloaded_error"}}), "provider_overloaded", True, "overloaded_error"),
        (TimeoutError("read"), "timeout", True, "timeout"),
        (ConnectionRefusedError(61, "refused"), "api_error", True, "transport"),
        ({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, "rate_limit", True, "RESOURCE_EXHAUSTED"),
        ({"error": {"code": 504, "status": "DEADLINE_EXCEEDED"}}, "timeout", True, "DEADLINE_EXCEEDED"),
        ("the model is overloaded", "provider_overloaded", True, None),
        (object(), "api_error", True, "protocol"),
    ],
)  # fmt: skip
def test_what_went_wrong_has_the_seeds_type(error, type, retryable, code):
    said = classified(error)
    assert (type, retryable) == (said.type, said.retryable)
    assert said.code == code or (code is None and said.code)
    assert said.message


@pytest.mark.parametrize(
    ("message", "type"),
    [
        ("generateContent failed: bad argument", "api_error"),  # "rate" in "generate"
        ("unexpected content-type text/html", "api_error"),  # "content"
        ("the prompt has 14000 tokens", "api_error"),  # "400", "402"
        ("line 402 of the schema is invalid", "api_error"),
        ("the quota project is not set", "api_error"),
    ],
)
def test_no_part_of_a_word_or_number_makes_a_type(message, type):
    """Requirements 3.2.8."""
    said = classified(SdkError(400, {"error": {"message": message}}))
    assert (type, False) == (said.type, said.retryable)


def test_the_raw_error_is_kept_for_logs():
    raised = SdkError(500)
    assert raised is classified(raised).original_error
    assert {"error": {"message": "No."}} == classified({"error": {"message": "No."}}).original_error


def test_what_is_classified_already_stays():
    error = ProviderError("model_error", "No such model.", "404_model", retryable=False)
    assert error is classified(error)
    assert "rate_limit" == classified(make_error("rate_limit")).type


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_of_ours_has_one_of_the_seeds(kind):
    error = make_error(kind, "What went wrong.", original={"a": 1})
    said = provider_error(error)
    assert to_seed000(error) == {
        "type": said.type,
        "message": said.message,
        "code": said.code,
        "retryable": KINDS[kind].retryable,
        "originalError": said.original_error,
    }
    assert error == error_of(said)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ProviderError("rate_limit", "No.", "x", True), "rate_limit"),
        (ProviderError("provider_overloaded", "No.", "x", True), "overloaded"),
        (ProviderError("model_error", "No.", "x", False), "not_found"),
        (ProviderError("api_error", "No.", "invalid_api_key", False), "authentication"),
        (ProviderError("unknown", "You can only afford 12 tokens.", "402", False), "billing"),
        (ProviderError("api_error", "No.", "x", False), "server"),
    ],
)
def test_an_authors_error_is_one_of_ours(error, kind):
    ours = error_of(error)
    assert (kind, error.code, error.message, error.retryable) == (ours.type, ours.code, ours.message, ours.retryable)


@pytest.mark.parametrize(
    ("frame", "type", "retryable"),
    [
        ({"error": {"code": 429, "message": "Rate limit exceeded"}}, "rate_limit", True),
        ({"error": {"code": 503, "message": "no capacity"}}, "provider_overloaded", True),
        ({"error": {"code": 402, "message": "Insufficient credits"}}, "api_error", False),
    ],
)
def test_an_error_in_mid_stream_is_classified_as_any(frame, type, retryable):
    """Requirements 3.2.7, E2: they were always api_error and never retryable."""
    first = {"id": "c", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
    chunks = list(process(sse(first, frame), weft.adapter_for("openai-chat")()))
    assert ["text", "error"] == [chunk.type for chunk in chunks]
    assert (type, retryable) == (chunks[-1].error.type, chunks[-1].error.retryable)
