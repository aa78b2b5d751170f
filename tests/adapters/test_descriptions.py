"""What people are told: the kind of trouble, in their language, the provider's words behind it, and no secret."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.protocols.wire import sse
from weft.adapters import describe, process, trouble_of
from weft.adapters.descriptions import TOLD, TROUBLES
from weft.chunks import ProviderError, provider_error
from weft.error_tables import KINDS
from weft.errors import error_from_body, make_error

SECRETS = [
    "sk-proj-abcdefghij0123456789",
    "AIzaSyA1234567890abcdefghijk",
    "Bearer abcdefghijklmnop123456",
    "api_key=0123456789abcdef",
]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"code": 404, "message": "No endpoints found matching your data policy (Free model publication)."}, "privacy"),
        ({"code": 400, "message": "`temperature` and `top_p` cannot both be specified for this model. Please use only one."}, "parameter_conflict"),
        ({"code": "model_not_found", "message": "The model `gpt-9` does not exist or you do not have access to it."}, "model"),
        ({"code": 404, "message": "models/gemini-0 is not found for API version v1beta"}, "model"),
        ({"code": 400, "message": "Unknown model"}, "model"),
        ({"code": 402, "message": "Insufficient Balance"}, "balance"),
        ({"code": "1113", "message": "余额不足或无可用资源包,请充值。"}, "balance"),
        ({"code": 429, "message": "Your subscription plan does not yet include access to this model"}, "plan"),
        ({"code": 402, "message": "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 120."}, "affordability"),
        ({"code": 400, "message": "This model's maximum context length is 8192 tokens. However, you requested 9000."}, "context_length"),
        ({"code": "context_length_exceeded", "message": "Too long."}, "context_length"),
        ({"code": "insufficient_quota", "message": "You exceeded your current quota."}, "billing"),
        ({"code": "invalid_api_key", "message": "Incorrect API key provided."}, "authentication"),
        ({"code": 429, "message": "Rate limit reached for requests"}, "rate_limit"),
        ({"code": 400, "message": "Unsupported parameter: 'max_tokens' is not supported with this model."}, "invalid_request"),
        ({"code": 400, "message": "The temperature must be between 0 and 2, top_p between 0 and 1."}, "invalid_request"),
    ],
)  # fmt: skip
def test_troubles_are_told_apart(body, name):
    """Requirements 1.2.10, in its order: privacy, settings, model, balance, affordability, context, then by type."""
    assert name == trouble_of(provider_error(error_from_body({"error": body}))).name


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_of_error_is_some_trouble(kind):
    assert kind in trouble_of(make_error(kind)).types


def test_lines_are_what_happened_what_to_do_the_providers_words_and_the_code():
    error = error_from_body({"error": {"code": "slow_down", "message": "Slow down.", "retry_after": 20}})
    assert [
        "The provider is overloaded at the moment.",
        "Try again in 20 seconds.",
        "The provider says: Slow down.",
        "Error code: slow_down",
    ] == describe(error).split("\n")


@pytest.mark.parametrize(
    ("wait", "line"),
    [
        (None, "Versuche es gleich noch einmal."),
        (0.2, "Versuche es in 1 Sekunde noch einmal."),
        (120, "Versuche es in 120 Sekunden noch einmal."),
        (121, "Versuche es in 3 Minuten noch einmal."),
    ],
)
def test_waits_are_told_in_the_plural_of_the_language(wait, line):
    assert line == describe(make_error("rate_limit", retry_after=wait), "de").split("\n")[1]


def test_what_will_fail_again_is_not_to_be_tried_again():
    assert "again" not in describe(make_error("authentication", "No."))


@pytest.mark.parametrize(
    ("locale", "start"),
    [
        ("de", "Der Anbieter hat nicht"),
        ("de_AT.UTF-8", "Der Anbieter hat nicht"),
        ("pt-BR", "O provedor não respondeu"),
        ("es-419", "El proveedor no respondió"),
        ("fr_CA@euro", "Le fournisseur n’a pas"),
        ("ja", "プロバイダーから時間内に"),
        ("ko-KR", "제공업체가 제시간에"),
        ("zh", "服务商未能"),
        ("zh-CN", "服务商未能"),
        ("zh-SG", "服务商未能"),
        ("zh-TW", "服務供應商未能"),
        ("zh_Hant_HK", "服務供應商未能"),
        ("zh-Hans-HK", "服务商未能"),
        ("en-GB", "The provider did not"),
        ("nl", "The provider did not"),
        ("", "The provider did not"),
    ],
)
def test_locales_in_any_spelling_fall_back(locale, start):
    assert describe(make_error("timeout"), locale).startswith(start)


def test_our_own_words_are_not_said_to_be_the_providers():
    assert "provider says" not in describe(make_error("truncated", "the stream stopped before its end"))


@pytest.mark.parametrize(
    "said",
    [
        {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "Not this."}},
        {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Not this."}]},
    ],
)
def test_words_that_came_with_a_finish_are_the_providers(said):
    [chunk] = process(sse(said), weft.adapter_for("gemini")())
    assert "The provider says: Not this." in describe(chunk.error)
    assert "Not this." == chunk.error.original_error["message"]


def test_an_authors_words_for_people_come_before_the_message():
    error = ProviderError("api_error", "E_17 at /v1", "E_17", retryable=False, user_message="The gate is shut.")
    told = describe(error)
    assert "The provider says: The gate is shut." in told
    assert "/v1" not in told


def test_who_cancelled_is_told_nothing():
    assert None is describe(make_error("cancelled"))


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("make", ["body", "author"])
def test_no_secret_is_told(secret, make):
    message = f"The key {secret} is not valid, and again: {secret}."
    body = {"error": {"message": message, "type": "authentication_error"}}
    error = error_from_body(body) if make == "body" else ProviderError("api_error", message, "x", False, body)
    told = weft.adapter_for("openai-chat")().create_error_description(
        error if make == "author" else provider_error(error), "en"
    )
    assert secret not in told
    assert "not valid" in told


def test_a_secret_is_not_cut_into_what_nobody_knows_again():
    error = ProviderError("api_error", "x" * (TOLD - 10) + " sk-abcdefghijklmnop", "x", False)
    assert "sk-abc" not in describe(error)


@given(st.text(max_size=2000), st.sampled_from(["en", "ja", "fr"]))
def test_the_providers_text_is_one_short_line(message, locale):
    error = ProviderError("api_error", message, "x", retryable=False)
    told = describe(error, locale)
    assert len(told.split("\n")) <= 3
    assert len(told) < TOLD + 200


def test_an_original_is_never_told():
    body = {"error": {"message": "No.", "internal": "host-17.example"}}
    assert "host-17" not in describe(error_from_body(body))


def test_names_of_troubles_are_unique():
    assert len(TROUBLES) == len({trouble.name for trouble in TROUBLES})
