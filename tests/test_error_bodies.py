"""What providers say when they fail, in their shapes and our words, and which type of error it is."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import error_tables as tables
from weft.errors import (
    BRIDGE_DELTA_AFTER_TERMINAL,
    Error,
    error_code_type,
    error_from_body,
    error_from_http,
    is_error_body,
)


def openai(message="It failed.", type=None, code=None, param=None):
    return {"error": {"message": message, "type": type, "param": param, "code": code}}


def anthropic(type, message="It failed."):
    return {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_1"}


def google(code, status, message="It failed.", *details):
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def google_detail(kind, **members):
    return {"@type": f"type.googleapis.com/google.rpc.{kind}", **members}


PER_DAY = google_detail("QuotaFailure", violations=[{"quotaId": "RequestsPerDayPerModel-FreeTier"}])
PER_MINUTE = google_detail("QuotaFailure", violations=[{"quotaId": "RequestsPerMinutePerModel-FreeTier"}])
RETRY = google_detail("RetryInfo", retryDelay="34.4s")
KEY_INVALID = google_detail("ErrorInfo", reason="API_KEY_INVALID")
LOCATION = google_detail("DebugInfo", detail="[ORIGINAL ERROR] User location is not supported for the API use.")


# What a body alone says: (name, body, type, code).
BODIES = [
    # OpenAI chat
    ("invalid key", openai("Incorrect key.", "invalid_request_error", "invalid_api_key"), "authentication", "invalid_api_key"),
    ("quota", openai("No quota.", "insufficient_quota", "insufficient_quota"), "billing", "insufficient_quota"),
    ("rate", openai("Slow down.", "tokens", "rate_limit_exceeded"), "rate_limit", "rate_limit_exceeded"),
    ("requests", openai("Slow down.", "requests"), "rate_limit", "requests"),
    ("model", openai("No such.", "invalid_request_error", "model_not_found"), "not_found", "model_not_found"),
    ("overflow", openai("Long.", "invalid_request_error", "context_length_exceeded"), "context_length", "context_length_exceeded"),
    ("overflow in words", openai("This model's maximum context length is 8192 tokens."), "context_length", "context_length"),
    ("server", openai("Sorry.", "server_error"), "server", "server_error"),
    ("policy", openai("No.", "invalid_request_error", "content_policy_violation"), "content_blocked", "content_policy_violation"),
    ("country", openai("No.", "request_forbidden", "unsupported_country_region_territory"), "permission", None),
    ("nothing but words", openai(), "server", "server"),
    # OpenAI Responses
    (
        "responses flat",
        {"type": "error", "code": "server_is_overloaded", "message": "Busy.", "param": None, "sequence_number": 3},
        "overloaded",
        "server_is_overloaded",
    ),
    ("responses error object", {"code": "vector_store_timeout", "message": "Late."}, "timeout", "vector_store_timeout"),
    (
        "responses failed",
        {"type": "response.failed", "response": {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "Slow."}}},
        "rate_limit",
        "rate_limit_exceeded",
    ),
    ("codex limit", {"error": {"type": "usage_limit_reached", "resets_in_seconds": 60}}, "billing", "usage_limit_reached"),
    # Anthropic
    ("anthropic overloaded", anthropic("overloaded_error"), "overloaded", "overloaded_error"),
    ("anthropic overflow", anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), "context_length", None),
    ("anthropic sum overflow", anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 5 + 4 > 8"), "context_length", None),
    ("anthropic credit", anthropic("invalid_request_error", "Your credit balance is too low."), "billing", "invalid_request_error"),
    ("anthropic usage", anthropic("invalid_request_error", "You have reached your specified API usage limits."), "billing", None),
    ("anthropic filter", anthropic("invalid_request_error", "Output blocked by content filtering policy"), "content_blocked", None),
    ("vllm as anthropic", anthropic("internal_error"), "server", "internal_error"),
    ("llama.cpp as anthropic", {"code": 500, "message": "It failed.", "type": "server_error"}, "server", "server_error"),
    # Gemini
    ("gemini rate", google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", PER_MINUTE, RETRY), "rate_limit", "RESOURCE_EXHAUSTED"),
    ("gemini day", google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", PER_DAY, RETRY), "billing", "RESOURCE_EXHAUSTED"),
    ("gemini bare rate", google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota."), "rate_limit", "RESOURCE_EXHAUSTED"),
    ("gemini key", google(400, "INVALID_ARGUMENT", "Not good.", KEY_INVALID), "authentication", "INVALID_ARGUMENT"),
    ("gemini overflow", google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."), "context_length", None),
    ("gemini place", google(400, "FAILED_PRECONDITION", "$message", LOCATION), "permission", "FAILED_PRECONDITION"),
    ("gemini billing", google(400, "FAILED_PRECONDITION", "Please enable billing on your project."), "billing", None),
    ("gemini no key", google(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."), "authentication", None),
    ("gemini in an array", [google(503, "UNAVAILABLE")], "overloaded", "UNAVAILABLE"),
    ("gemini interactions", {"event_type": "error", "error": {"code": "quota_exceeded", "message": "Daily."}}, "billing", "quota_exceeded"),
    ("gemini twice encoded", {"error": {"code": 503, "message": '{\n "error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow."}}\n'}}, "rate_limit", "RESOURCE_EXHAUSTED"),
    # Azure
    (
        "azure filter",
        {"error": {"code": "content_filter", "message": "Filtered.", "param": "prompt", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
        "content_blocked",
        "content_filter",
    ),
    (
        "azure inner only",
        {"error": {"code": None, "message": "Filtered.", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
        "content_blocked",
        "content_blocked",
    ),
    ("azure deployment", {"error": {"code": "DeploymentNotFound", "message": "None."}}, "not_found", "DeploymentNotFound"),
    # Bedrock
    ("bedrock frame", {"throttlingException": {"message": "Slow."}}, "rate_limit", "throttlingException"),
    ("bedrock model stream", {"modelStreamErrorException": {"message": "It failed."}}, "server", "modelStreamErrorException"),
    (
        "bedrock model stream with its status",
        {"modelStreamErrorException": {"message": "It failed.", "originalStatusCode": 429, "originalMessage": "Slow."}},
        "rate_limit",
        "modelStreamErrorException",
    ),
    ("aws type", {"__type": "com.amazon.coral#UnrecognizedClientException", "Message": "No."}, "authentication", "UnrecognizedClientException"),
    ("botocore", {"Error": {"Code": "ModelNotReadyException", "Message": "Soon."}, "ResponseMetadata": {"HTTPStatusCode": 429}}, "overloaded", None),
    # Cohere, Ollama
    ("cohere tokens", {"error_type": "TOO_MANY_TOKENS", "id": "1", "message": "too many tokens"}, "context_length", "TOO_MANY_TOKENS"),
    ("ollama model", {"error": "model 'q:8b' not found, try pulling it first"}, "not_found", "not_found"),
    ("ollama busy", {"error": "server busy, please try again"}, "overloaded", "overloaded"),
    ("ollama overflow", {"error": "prompt too long; exceeded max context length by 9 tokens"}, "context_length", None),
    # Dialects of chat
    ("mistral", {"object": "error", "message": "Slow.", "type": "rate_limited", "param": None, "code": "1300"}, "rate_limit", "1300"),
    ("mistral number", {"object": "error", "message": "No.", "type": "invalid_request_invalid_args", "code": "3051"}, "invalid_request", "3051"),
    ("fastapi", {"detail": [{"type": "missing", "loc": ["body", "messages", 0], "msg": "Field required"}]}, "invalid_request", "missing"),
    ("siliconflow", {"code": 20012, "message": "Model does not exist", "data": None}, "not_found", "20012"),
    ("azure's gateway", {"statusCode": 429, "message": "Rate limit is exceeded. Try again in 5 seconds."}, "rate_limit", "rate_limit"),
    ("fastapi text", {"detail": "Your api key is invalid"}, "authentication", None),
    ("vllm", {"object": "error", "message": "No.", "type": "BadRequestError", "param": None, "code": 400}, "invalid_request", "BadRequestError"),
    ("llama.cpp overflow", {"error": {"code": 400, "message": "It is long.", "type": "exceed_context_size_error"}}, "context_length", "exceed_context_size_error"),
    ("tgi", {"error": "Model is overloaded", "error_type": "overloaded"}, "overloaded", "overloaded"),
    ("xai", {"code": "Client specified an invalid argument", "error": "Model not found: grok-0"}, "not_found", None),
    ("xai safety", {"code": "The caller does not have permission to execute it", "error": "Content violates usage guidelines."}, "content_blocked", None),
    ("glm balance", {"error": {"code": "1113", "message": "In arrears."}}, "billing", "1113"),
    ("glm concurrency", {"error": {"code": "1302", "message": "High."}}, "rate_limit", "1302"),
    ("glm safety", {"error": {"code": "1301", "message": "Unsafe."}}, "content_blocked", "1301"),
    ("glm overflow", {"error": {"code": "1261", "message": "Long."}}, "context_length", "1261"),
    ("minimax key", {"base_resp": {"status_code": 1004, "status_msg": "login fail"}}, "authentication", "1004"),
    ("minimax late", {"id": "1", "choices": None, "base_resp": {"status_code": 1001, "status_msg": "late"}}, "timeout", "1001"),
    ("minimax overflow", {"base_resp": {"status_code": 2013, "status_msg": "invalid params, context window exceeds limit"}}, "context_length", "2013"),
    ("baidu", {"error_code": 18, "error_msg": "qps"}, "rate_limit", "18"),
    ("deepseek", openai("Insufficient Balance", "unknown_error", "invalid_request_error"), "billing", "invalid_request_error"),
    ("kimi quota", openai("Suspended.", "exceeded_current_quota_error"), "billing", "exceeded_current_quota_error"),
    ("kimi engine", openai("Busy.", "engine_overloaded_error"), "overloaded", "engine_overloaded_error"),
    ("dashscope", {"code": "DataInspectionFailed", "message": "No.", "request_id": "1"}, "content_blocked", "DataInspectionFailed"),
    ("dashscope rate", {"code": "Throttling.RateQuota", "message": "Slow."}, "rate_limit", "Throttling.RateQuota"),
    ("dashscope overflow", openai("Range of input length should be [1, 8]", "invalid_request_error", "invalid_parameter_error"), "context_length", None),
    ("doubao", openai("Overdue.", "Forbidden", "AccountOverdueError"), "billing", "AccountOverdueError"),
    ("perplexity", {"error": {"message": "It is long.", "type": "too_many_prompt_tokens", "code": 400}}, "context_length", "too_many_prompt_tokens"),
    ("groq tool", openai("No.", "invalid_request_error", "tool_use_failed"), "invalid_request", "tool_use_failed"),
    ("cloudflare", {"success": False, "errors": [{"code": 7009, "message": "Upstream is overloaded"}], "result": None}, "overloaded", "7009"),
    ("problem document", {"type": "https://example.com/problems/limit", "title": "Too Many Requests", "status": 429}, "rate_limit", "429"),
    # Gateways
    (
        "openrouter behind",
        {"error": {"code": 502, "message": "Provider returned error", "metadata": {"raw": '{"error":{"type":"overloaded_error","message":"Busy."}}'}}},
        "overloaded",
        "overloaded_error",
    ),
    (
        "openrouter behind another class",
        {"error": {"type": "rate_limit_error", "message": "No.", "metadata": {"raw": '{"error":{"type":"overloaded_error","message":"Busy."}}'}}},
        "overloaded",
        "overloaded_error",
    ),
    (
        "openrouter behind in words",
        {"error": {"code": 429, "message": "Provider returned error", "metadata": {"raw": "It is rate-limited upstream."}}},
        "rate_limit",
        "429",
    ),
    ("openrouter flagged", {"error": {"code": 403, "message": 'Your input was flagged for "violence"'}}, "content_blocked", "403"),
    ("openrouter afford", {"error": {"code": 402, "message": "You can only afford 9."}}, "billing", "402"),
    ("openrouter endpoints", {"error": {"code": 404, "message": "No endpoints found for a/b."}}, "not_found", "404"),
    # AI SDK, AG-UI, the seeds
    (
        "ai sdk",
        {"type": "error", "error": {"name": "AI_APICallError", "message": "Busy", "statusCode": 529, "isRetryable": True}},
        "overloaded",
        "AI_APICallError",
    ),
    ("ai sdk ui", {"type": "error", "errorText": "An error occurred."}, "server", "server"),
    ("ag-ui", {"type": "RUN_ERROR", "message": "No.", "code": "TIMEOUT"}, "timeout", "TIMEOUT"),
    ("provider delta", {"error": {"message": "No.", "code": "rate_limit_exceeded"}}, "rate_limit", "rate_limit_exceeded"),
    ("node socket", {"error": {"name": "Error", "code": "ECONNRESET", "message": "socket hang up"}}, "transport", "ECONNRESET"),
    # Not even an object
    ("text", "Too many requests", "rate_limit", "rate_limit"),
    ("nothing", None, "server", "server"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "type", "code"), [row[1:] for row in BODIES], ids=[row[0] for row in BODIES])
def test_body_is_classified(body, type, code):
    error = error_from_body(body)
    assert type == error.type
    assert code is None or code == error.code
    assert body == error.original


@pytest.mark.parametrize("raw", ["{}", "null", "ERROR", " ... "])
def test_a_layer_that_says_nothing_does_not_hide_the_words_around_it(raw):
    body = {"error": {"code": 502, "message": "Provider returned error", "metadata": {"raw": raw}}}
    assert "Provider returned error" == error_from_body(body).message


@pytest.mark.parametrize(
    "body", [row[1] for row in BODIES if row[0] not in ("responses failed", "text", "nothing")], ids=repr
)
def test_error_body_looks_like_one(body):
    assert is_error_body(body)


FRAMES = [
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "error"}}],
        "error": None,
    },
    {"id": "c", "object": "chat.completion.chunk", "choices": [], "error": {"message": None, "code": None}},
    {"id": "m", "choices": [{"delta": {}}], "base_resp": {"status_code": 0, "status_msg": ""}},
    {"id": "r", "object": "response", "status": "completed", "output": [], "error": None},
    {
        "id": "r",
        "object": "response",
        "status": "failed",
        "output": [],
        "error": {"code": "server_error", "message": "No."},
    },
    {"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error"}}},
    {"type": "response.code_interpreter_call_code.done", "code": "x = 1", "item_id": "i"},
    {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
    {"type": "message", "id": "m", "role": "assistant", "content": [], "stop_reason": "end_turn"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "error"}},
    {"type": "ping"},
    {"candidates": [{"content": {"parts": [{"text": "error"}]}}], "usageMetadata": {}},
    {"promptFeedback": {"blockReason": "SAFETY"}},
    {"model": "q", "message": {"role": "assistant", "content": "error"}, "done": False},
    {"id": "c", "message": {"role": "assistant"}, "finish_reason": "COMPLETE"},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "a"}}}},
    {"type": "tool-error", "toolCallId": "t", "toolName": "f", "error": "it failed"},
    {"type": "tool-output-error", "toolCallId": "t", "errorText": "it failed"},
    {"type": "abort"},
    {"type": "note", "code": "bad_frame", "message": "A frame was skipped."},
    {"type": "conversation.item.input_audio_transcription.failed", "error": {"code": "x", "message": "No."}},
    {"code": 0, "message": "ok", "data": {}},
    {"code": "200", "msg": "success"},
    {"code": 0, "msg": "success", "data": None},
    {"messageStop": {"stopReason": "end_turn"}},
    [{"candidates": []}],
    {},
    [],
    "error",
    None,
    7,
]


@pytest.mark.parametrize("frame", FRAMES, ids=repr)
def test_frame_is_no_error_body(frame):
    assert not is_error_body(frame)


# Codes of the atlas's tables, one line for each type.
ATLAS_CODES = {
    "authentication": "authentication_error invalid_api_key UNAUTHENTICATED UnrecognizedClientException ExpiredToken ExpiredTokenException",
    "permission": "permission_error PERMISSION_DENIED AccessDenied AccessDeniedException unsupported_country_region_territory FAILED_PRECONDITION PUP_LIMITED_DISABLED access_denied",
    "billing": "insufficient_quota billing_error usage_not_included usage_limit_reached billing_hard_limit_reached credit_exhausted",
    "rate_limit": "rate_limit_error rate_limit_exceeded too_many_requests tokens requests RESOURCE_EXHAUSTED ThrottlingException throttlingException ServiceQuotaExceededException 429",
    "overloaded": "overloaded_error engine_overloaded_error slow_down server_is_overloaded UNAVAILABLE insufficient_system_resource ModelNotReadyException serviceUnavailableException 503 529",
    "timeout": "timeout_error request_timeout DEADLINE_EXCEEDED ModelTimeoutException modelTimeoutException vector_store_timeout TIMEOUT 408 504",
    "context_length": "context_length_exceeded string_above_max_length model_context_window_exceeded ERROR_LIMIT",
    "content_blocked": (
        "content_policy_violation content_filter responsible_ai_policy_violation ResponsibleAIPolicyViolation data_inspection_failed "
        "invalid_prompt bio_policy cyber_policy misalignment_policy_violation image_content_policy_violation ERROR_TOXIC SAFETY 498"
    ),
    "invalid_request": (
        "invalid_request_error bad_request_error INVALID_ARGUMENT OUT_OF_RANGE UNIMPLEMENTED ValidationException validationException "
        "tool_use_failed json_validate_failed invalid_image invalid_image_format invalid_base64_image image_too_large image_parse_error "
        "unsupported_image_media_type empty_image_file failed_to_download_image image_file_not_found MISSING_THOUGHT_SIGNATURE 400 422 501"
    ),
    "request_too_large": "request_too_large 413",
    "not_found": "not_found_error model_not_found NOT_FOUND ResourceNotFoundException 404",
    "server": (
        "server_error api_error INTERNAL UNKNOWN DATA_LOSS ABORTED internalServerException InternalServerException modelStreamErrorException "
        "ModelErrorException network_error UNEXPECTED_TOOL_CALL internal_error 424 500 502"
    ),
    "truncated": "upstream_truncated",
    "protocol": "malformed_model_output malformed_tool_use MALFORMED_FUNCTION_CALL MALFORMED_RESPONSE "
    + BRIDGE_DELTA_AFTER_TERMINAL,
    "cancelled": "CANCELLED USER_CANCEL 499",
}


@pytest.mark.parametrize(
    ("code", "type"), [(code, type) for type, codes in ATLAS_CODES.items() for code in codes.split()]
)
def test_code_of_the_atlas_has_a_type(code, type):
    assert type == error_code_type(code)


def test_no_code_stands_under_two_types():
    words = [tables.squashed(word) for words in tables.CODE_WORDS.values() for word in words.split()]
    assert sorted(set(words)) == sorted(words)


def test_every_type_is_a_code_of_itself():
    assert {kind: error_code_type(kind) for kind in tables.KINDS} == {kind: kind for kind in tables.KINDS}


@pytest.mark.parametrize(
    "code", ["", None, "gremlins", "42", "200", "generateContent", "content-type", "SEPARATE", "9" * 5000]
)
def test_unknown_code_has_no_type(code):
    assert error_code_type(code) is None


OVERFLOWS = [
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Input is too long for requested model.",
    "Your input exceeds the context window of this model.",
    "This model's maximum context length is 8,192 tokens.",
    "The request exceeds the model's maximum context length of 64000.",
    "The input token count (9) exceeds the maximum number of tokens allowed (8).",
    "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
    "Please reduce the length of the messages or completion.",
    "prompt token count of 9 exceeds the limit of 8",
    "the request exceeds the available context size, try increasing it",
    "tokens to keep from the initial prompt is greater than the context length",
    "invalid params, context window exceeds limit",
    "Your request exceeded model token limit: 8192",
    "Prompt contains 9 tokens, too large for model with 8 maximum context length",
    "Input (9 tokens) is longer than the model's context length (8 tokens).",
    "tokens in request more than max tokens allowed",
    "prompt too long; exceeded max context length by 4 tokens",
    "but the model's context length is only 8 tokens",
    "input length 9 exceeds the context length 8",
    "Range of input length should be [1, 30720]",
    "input too long: 9 input tokens, limit is 8",
    "error: context_length_exceeded",
    "token limit exceeded",
]


@pytest.mark.parametrize("message", OVERFLOWS)
def test_overflow_is_known_by_its_words(message):
    assert (
        "context_length"
        == error_from_body({"error": {"message": message, "type": "invalid_request_error"}}, status=400).type
    )
    assert "context_length" == error_from_body({"error": message}).type


@pytest.mark.parametrize(
    ("message", "status", "type"),
    [
        ("Throttling error: Too many tokens, please wait before trying again.", 429, "rate_limit"),
        ("Too many tokens, please wait before trying again.", 429, "rate_limit"),
        ("Service unavailable: too many tokens", 503, "overloaded"),
        ("Rate limit reached: too many tokens per minute", 400, "rate_limit"),
        ("Too many requests, token limit exceeded", None, "rate_limit"),
        ("Service unavailable: too many tokens", None, "server"),
        ("Rate limit reached: too many tokens in one request", 413, "request_too_large"),
    ],
)
def test_a_rate_spoken_of_in_tokens_is_no_overflow(message, status, type):
    assert type == error_from_body({"message": message}, status=status).type


@pytest.mark.parametrize(
    "message",
    [
        "generateContent failed: separate parameters are needed",
        "14000 tokens were asked for, 429 were given; 402 is not a divisor",
        "content-type must be application/json",
        "Invalid token in prompt: 123456.",
        "tool model_x: the function was not found",
        "'timeout' must be a number",
        "quota_project is not a field; rate_limit is not a field; safety_settings must be a list",
    ],
)
def test_bad_request_is_not_taken_for_something_else_by_a_word_in_it(message):
    assert "invalid_request" == error_from_body(openai(message, "invalid_request_error"), status=400).type
    assert "invalid_request" == error_from_http(400, {}, message).type


# A status against what the body says: (status, body, type).
STATUSES = [
    (400, {"message": "No."}, "invalid_request"),
    (401, openai("No.", "invalid_request_error"), "authentication"),
    (402, {"message": "No."}, "billing"),
    (403, openai("You are not allowed.", "invalid_request_error"), "permission"),
    (403, {"message": "Invalid API key"}, "authentication"),
    (404, {"message": "No."}, "not_found"),
    (408, {"message": "No."}, "timeout"),
    (409, {"message": "No."}, "server"),
    (413, {"message": "No."}, "request_too_large"),
    (413, {"message": "prompt is too long: 9 tokens > 8 maximum"}, "context_length"),
    (422, {"message": "No."}, "invalid_request"),
    (424, {"message": "No."}, "server"),
    (429, {"message": "No."}, "rate_limit"),
    (429, {"message": "Insufficient balance"}, "billing"),
    (429, {"message": "You exceeded your current quota, please check your plan."}, "billing"),
    (429, {"message": "You exceeded your current quota. Please retry in 3s."}, "rate_limit"),
    (429, {"error": {"code": "1113", "message": "x"}}, "billing"),
    (429, {"error": {"code": "1121", "message": "x"}}, "permission"),
    (429, {"message": "The engine is currently overloaded"}, "overloaded"),
    (434, {"message": "No."}, "permission"),
    (498, {"message": "No."}, "content_blocked"),
    (499, {"message": "No."}, "cancelled"),
    (500, {"message": "No."}, "server"),
    (500, openai("No.", "invalid_request_error"), "invalid_request"),
    (400, openai("No.", "server_error"), "invalid_request"),
    (501, {"message": "No."}, "invalid_request"),
    (502, {"message": "No."}, "server"),
    (503, openai("No.", "server_error"), "overloaded"),
    (504, {"message": "No."}, "timeout"),
    (520, {"message": "No."}, "server"),
    (524, {"message": "No."}, "timeout"),
    (529, {"message": "No."}, "overloaded"),
    (400, google(403, "PERMISSION_DENIED"), "permission"),
    (200, {"error": {"code": 502, "message": "No."}}, "server"),
]


@pytest.mark.parametrize(("status", "body", "type"), STATUSES)
def test_status_decides_where_the_code_is_vague(status, body, type):
    error = error_from_http(status, {}, msgspec.json.encode(body))
    assert type == error.type
    assert body == error.original


@given(st.integers(400, 599))
def test_every_status_of_failure_has_a_type_of_its_own_side(status):
    error = error_from_http(status, {}, {"message": "No."})
    assert status == error.status
    assert not (status < 500 and error.type == "server") or status in (409, 424)
    assert error.type in tables.KINDS


@pytest.mark.parametrize("body", [row[1] for row in BODIES], ids=[row[0] for row in BODIES])
def test_error_goes_to_json_and_back(body):
    error = error_from_body(body)
    assert error == msgspec.json.decode(msgspec.json.encode(error), type=Error)


def test_same_words_in_any_case_mean_the_same():
    for _, body, type, _ in BODIES:
        if isinstance(body, dict) and isinstance(body.get("error"), str):
            assert type == error_from_body({**body, "error": body["error"].upper()}).type
