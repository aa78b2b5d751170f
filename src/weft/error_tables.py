"""How the world words its errors, as data: codes, statuses, messages, and where in a body they stand.

Knows: the words of providers, the seventeen types they mean, and the words of seeds 000, 001 and 002 for those types.
Must not know: how a body is read. A quirk of a provider is a row here and a case in tests/test_errors.py.
"""

from typing import Literal, NamedTuple

ErrorType = Literal[
    "authentication",
    "permission",
    "billing",
    "rate_limit",
    "overloaded",
    "timeout",
    "context_length",
    "content_blocked",
    "invalid_request",
    "request_too_large",
    "not_found",
    "server",
    "transport",
    "protocol",
    "truncated",
    "limit",
    "cancelled",
]
Fault = Literal["client", "credential", "quota", "provider", "transport"]


class Kind(NamedTuple):
    """What follows from a type unless the source says otherwise: may it be tried again, who must act, what an HTTP client is told."""

    retryable: bool
    fault: Fault
    status: int
    message: str


KINDS: dict[ErrorType, Kind] = {
    "authentication": Kind(False, "credential", 401, "The provider did not accept the credential."),
    "permission": Kind(False, "credential", 403, "The credential does not permit this request."),
    "billing": Kind(False, "quota", 402, "The account has no quota or balance left."),
    "rate_limit": Kind(True, "quota", 429, "Too many requests."),
    "overloaded": Kind(True, "provider", 503, "The provider is overloaded."),
    "timeout": Kind(True, "provider", 504, "The provider did not answer in time."),
    "context_length": Kind(False, "client", 400, "The prompt is too long for the model's context."),
    "content_blocked": Kind(False, "client", 400, "The content was blocked."),
    "invalid_request": Kind(False, "client", 400, "The provider did not accept the request."),
    "request_too_large": Kind(False, "client", 413, "The request is too large."),
    "not_found": Kind(False, "client", 404, "The model or resource was not found."),
    "server": Kind(True, "provider", 500, "The provider failed."),
    "transport": Kind(True, "transport", 502, "The connection to the provider failed."),
    "protocol": Kind(True, "provider", 502, "The provider's answer could not be understood."),
    "truncated": Kind(True, "provider", 502, "The stream ended before it was complete."),
    "limit": Kind(False, "provider", 502, "The stream exceeded a limit."),
    "cancelled": Kind(False, "client", 499, "The request was cancelled."),
}

VAGUE: frozenset[ErrorType] = frozenset({"invalid_request", "server"})
"""Types that say only whose side failed: a telling status or a telling message overrules them."""

# --- codes ---------------------------------------------------------------------------------------------------------

CODE_WORDS: dict[ErrorType, str] = {
    "authentication": (
        "authentication invalid_api_key incorrect_api_key missing_api_key API_KEY_INVALID API_KEY_EXPIRED "
        "UNAUTHENTICATED unauthorized invalid_authentication invalid_credentials invalid_token token_expired ExpiredToken "
        "UnrecognizedClientException InvalidClientTokenId IncompleteSignature InvalidSignatureException "
        "SignatureDoesNotMatch MissingAuthenticationToken CREDENTIALS_MISSING ACCESS_TOKEN_EXPIRED"
    ),
    "permission": (
        "permission permission_denied insufficient_permissions AccessDenied forbidden unsupported_country_region_territory FAILED_PRECONDITION "
        "IAM_PERMISSION_DENIED SERVICE_DISABLED API_KEY_SERVICE_BLOCKED CONSUMER_SUSPENDED PUP_LIMITED_DISABLED "
        "organization_restricted account_deactivated model_terms_required model_permission_blocked_project "
        "Model.AccessDenied ModelNotOpen data_residency_mismatch"
    ),
    "billing": (
        "billing insufficient_quota insufficient_balance insufficient_credits insufficient_user_quota payment_required "
        "usage_limit_reached usage_not_included quota_exceeded exceeded_current_quota billing_not_active BILLING_DISABLED "
        "Arrearage AccountOverdue AllocationQuota.FreeTierOnly"
    ),
    "rate_limit": (
        "rate_limit rate_limited too_many_requests Throttling RequestLimitExceeded RESOURCE_EXHAUSTED tokens requests "
        "ServiceQuotaExceeded service_tier_capacity_exceeded limit_requests limit_burst_rate AllocationQuota"
    ),
    "overloaded": (
        "overloaded engine_overloaded model_overloaded server_overloaded server_is_overloaded slow_down UNAVAILABLE "
        "service_unavailable insufficient_system_resource ModelNotReady capacity_exceeded over_capacity server_busy"
    ),
    "timeout": (
        "timeout request_timeout gateway_timeout DEADLINE_EXCEEDED ModelTimeout vector_store_timeout timed_out "
        "upstream_timeout ETIMEDOUT"
    ),
    "context_length": (
        "context_length context_length_exceeded context_window_exceeded model_context_window_exceeded ERROR_LIMIT "
        "string_above_max_length exceed_context_size too_many_prompt_tokens TOO_MANY_TOKENS tokens_limit_reached "
        "token_limit_exceeded prompt_too_long"
    ),
    "content_blocked": (
        "content_blocked content_policy content_policy_violation content_filter content_filtered invalid_prompt "
        "ResponsibleAIPolicyViolation data_inspection_failed bio_policy cyber_policy misalignment_policy_violation "
        "image_content_policy_violation moderation_blocked prompt_blocked sensitive sensitive_words_detected "
        "SensitiveContentDetected InputTextSensitiveContentDetected OutputTextSensitiveContentDetected "
        "InputTextRiskDetection OutputTextRiskDetection guardrail_intervened ERROR_TOXIC SAFETY RECITATION BLOCKLIST "
        "PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION MODEL_ARMOR JAILBREAK ESCALATION"
    ),
    "invalid_request": (
        "invalid_request bad_request INVALID_ARGUMENT OUT_OF_RANGE UNIMPLEMENTED Validation "
        "unprocessable_entity tool_use_failed json_validate_failed parameter_unknown unknown_parameter template "
        "empty_image_file failed_to_download_image MISSING_THOUGHT_SIGNATURE"
    ),
    "request_too_large": "request_too_large request_entity_too_large payload_too_large file_too_large",
    "not_found": (
        "not_found model_not_found ResourceNotFound DeploymentNotFound InvalidEndpointOrModel.NotFound model_decommissioned "
        "model_deprecated unknown_model invalid_model unknown_url"
    ),
    "server": (
        "server api internal internal_server InternalFailure UNKNOWN DATA_LOSS ABORTED ALREADY_EXISTS model modelStream upstream provider "
        "bad_gateway network "
        "UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS"
    ),
    "transport": "transport connection connection_reset ECONNRESET ECONNREFUSED ENOTFOUND EPIPE EAI_AGAIN UND_ERR_SOCKET",
    "protocol": (
        "protocol bridge malformed_model_output malformed_tool_use MALFORMED_FUNCTION_CALL MALFORMED_RESPONSE"
    ),
    "truncated": "truncated upstream_truncated interrupted",
    "limit": "limit",
    "cancelled": "cancelled canceled client_closed_request user_cancel abort",
}


def squashed(code: str) -> str:
    """A code without its spelling: `ThrottlingException`, `com.amazonaws#Throttling:http://…` and `throttling_error` are one."""
    bare = code.rpartition("#")[2].partition(":")[0].lower()
    bare = bare.replace("_", "").replace("-", "").replace(" ", "").replace(".", "")
    return bare.removesuffix("exception").removesuffix("error")


CODES: dict[str, ErrorType] = {squashed(word): kind for kind, words in CODE_WORDS.items() for word in words.split()}

CODE_STARTS: tuple[tuple[str, ErrorType], ...] = (
    ("ratelimit", "rate_limit"),
    ("throttl", "rate_limit"),
    ("authentication", "authentication"),
    ("permission", "permission"),
    ("unsupportedcountry", "permission"),
    ("billing", "billing"),
    ("credit", "billing"),
    ("insufficient", "billing"),
    ("contextlength", "context_length"),
    ("timeout", "timeout"),
    ("notfound", "not_found"),
    ("overloaded", "overloaded"),
    ("thecallerdoesnothavepermission", "permission"),
    ("clientspecifiedaninvalid", "invalid_request"),
    ("image", "invalid_request"),
    ("invalid", "invalid_request"),
    ("unsupported", "invalid_request"),
    ("missing", "invalid_request"),
    ("badrequest", "invalid_request"),
)
"""Families of codes, by how a squashed code begins; the longer and more telling first."""

NUMBERS: dict[str, dict[str, ErrorType]] = {
    # Zhipu and Z.AI. HTTP 429 covers rates, balances and locked accounts alike; only these tell them apart.
    "code": {
        **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), "authentication"),
        **dict.fromkeys(("1110", "1111", "1112", "1121", "1220", "1313"), "permission"),
        **dict.fromkeys(("1113", "1304", "1308", "1309", "1310", "1311"), "billing"),
        **dict.fromkeys(("1210", "1212", "1213", "1214", "1215", "1231"), "invalid_request"),
        **dict.fromkeys(("1211", "1221", "1222"), "not_found"),
        **dict.fromkeys(("1120", "1200", "1230", "1234"), "server"),
        **dict.fromkeys(("1300", "1301"), "content_blocked"),
        **dict.fromkeys(("1302", "1303"), "rate_limit"),
        **dict.fromkeys(("1305", "1312"), "overloaded"),
        "1261": "context_length",
    },
    # MiniMax, in `base_resp`, at HTTP 200.
    "status_code": {
        **dict.fromkeys(("1000", "1013", "1024", "1033"), "server"),
        **dict.fromkeys(("1002", "1039", "1041"), "rate_limit"),
        **dict.fromkeys(("1004", "2049"), "authentication"),
        **dict.fromkeys(("1008", "2056"), "billing"),
        **dict.fromkeys(("1026", "1027"), "content_blocked"),
        **dict.fromkeys(("1042", "2013"), "invalid_request"),
        "1001": "timeout",
    },
    # Baidu.
    "error_code": {"17": "billing", "18": "rate_limit", "110": "authentication", "111": "authentication"},
}
"""Business codes that are numbers, by the member they stand in. They count only where no word says more."""

STATUSES: dict[int, ErrorType] = {
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    408: "timeout",
    409: "server",  # a conflict inside the provider: it passes
    410: "not_found",
    413: "request_too_large",
    424: "server",  # Bedrock: the model failed
    429: "rate_limit",
    434: "permission",  # Zhipu: an interface in closed beta
    435: "request_too_large",  # Zhipu: a file over the limit
    451: "permission",
    498: "content_blocked",  # Cohere
    499: "cancelled",
    501: "invalid_request",
    503: "overloaded",
    504: "timeout",
    522: "timeout",
    524: "timeout",
    529: "overloaded",
}
"""Statuses that say more than their hundred: any other 4xx is invalid_request, any other 5xx is server."""

RETRYABLE: dict[str, bool] = {"499": True, "cancelled": True, "alreadyexists": False}
"""Statuses and squashed codes that differ from their type: what a provider cancelled of itself may be tried again."""

SUCCESS_CODES: frozenset[object] = frozenset({None, "", 0, "0", 200, "200", "OK", "ok", "success"})

# --- messages ------------------------------------------------------------------------------------------------------

NEVER = r"(?!)"
MODEL_NAME = r"[\"'`]?[\w./:@-]+[\"'`]?"


class Wording(NamedTuple):
    """A type that a message proves against others.

    `weak` wording gives way to a telling code, and to a provider that says when to come back: that one limits a rate.
    """

    kind: ErrorType
    overrules: frozenset[ErrorType]
    pattern: str
    unless: str
    weak: bool


def _row(kind: ErrorType, overrules: str, *patterns: str, unless: str = NEVER, weak: bool = False) -> Wording:
    known: dict[str, ErrorType] = {name: name for name in KINDS}
    return Wording(kind, frozenset(known[name] for name in overrules.split()), "|".join(patterns), unless, weak)


RATE_WORDING = r"\brate[- ]limit(s|ed)?( is| was| has been)? (reached|exceeded|hit)\b|\brate[- ]limited\b|\btoo many requests\b|\bthrottl(ed|ing)\b"

WORDINGS: tuple[Wording, ...] = (
    _row(
        "billing",
        "rate_limit permission invalid_request server",
        r"\binsufficient (account )?(balance|credits?|funds|quota)\b|\bbalance (is |was )?(too low|insufficient|exhausted)",
        r"\b(not enough|out of|no more|requires more|prepayment|exhausted your) credits?\b|can only afford \d",
        r"\bno resource package\b|\bplease (recharge|top up)\b|\benable billing\b|\boverdue balance\b",
        r"\b(plan does not|plan doesn't|does not yet) include\b|\bused (up )?(all|your) (available )?credits\b",
        r"\b(reached|exceeded|hit) (your|its) (specified )?(api |plan |workspace |monthly )?(usage|spend(ing)?) limits?\b",
        r"\bper day\b.{0,80}\bfree[- _]tier\b|(?-i:PerDay)",
        "余额不足|欠费",
    ),
    _row(
        "billing",
        "rate_limit invalid_request server",
        r"\bexceeded your (current |monthly |daily )?quota\b|\bquota (has been )?(used up|exhausted)\b",
        weak=True,
    ),
    _row("rate_limit", "invalid_request server", RATE_WORDING),
    _row(
        "context_length",
        "invalid_request request_too_large server",
        r"\b(prompt|input) is too long\b|\bprompt too long\b|\binput too long: \d",
        r"\bexceed(s|ed)? (the |this |model'?s? |your )*(available )?context (window|size|limit|length)\b|\bcontext window exceeds limit\b",
        r"\bexceed(s|ed)? (the |this )?(model'?s |max )?(maximum )?context length\b|\bexceeded model token limit\b",
        r"\bmaximum (context length|prompt length) (is|of) \d|\bcontext length is only \d|\d maximum context length\b",
        r"\b(longer|greater) than (the )?(model'?s )?context length\b|\binput length\b.{0,120}\bcontext (length|limit)\b",
        r"\binput token count\b.{0,80}\bexceeds the maximum\b|\bexceeds the limit of \d|\brange of input length should be\b",
        r"\breduce the length of the (messages|prompt|input)\b|\btokens in request more than max tokens allowed\b",
        r"\bmodel_context_window_exceeded\b|\bcontext[_ ]length[_ ]exceeded\b|\btoken limit exceeded\b|\btoo many tokens\b",
        unless=RATE_WORDING + r"|^(throttling error|service unavailable):",
    ),
    _row(
        "authentication",
        "permission invalid_request server",
        r"\b(invalid|incorrect|wrong|missing|expired|malformed|bad|no) (x-)?(api|auth|authentication|authorization|access|subscription)[- _]?(key|token|credentials?|header)\b",
        r"\b(api|access|auth|subscription)[- _]?(key|token)( provided)?( is| was| has( been)?)? (not valid|invalid|expired|missing|not provided|required|revoked|disabled)\b",
        r"\bauthentication (fails|failed|required)\b|\bunauthori[sz]ed\b|\bunregistered callers\b|\b(didn't|did not) provide an api key\b",
    ),
    _row(
        "content_blocked",
        "permission invalid_request server",
        r"\bcontent (management |filtering |usage )?policy\b|\bviolat(es?|ing|ion of)\b.{0,40}\b(usage|content|safety) (guidelines|polic)",
        r"\b(input|prompt|output|content) (was |has been |is )?flagged\b|\binappropriate content\b|\bcontent moderation\b",
        r"\b(by|of) (our|the) (safety|content) (system|filter)|\bfor safety reasons\b|\bblocked by (content|safety)\b",
    ),
    _row(
        "permission",
        "invalid_request server",
        r"\blocation is not supported\b|\b(country|region|territory)\b.{0,30}\bnot (supported|available)\b",
    ),
    _row(
        "not_found",
        "invalid_request server",
        r"\bmodels?[:/ ]+"
        + MODEL_NAME
        + r" (is |was )?(not found|does not exist|doesn't exist|not exist|no longer available)\b",
        r"\bmodel[: ]+" + MODEL_NAME + r" (was|has been|is) (decommissioned|deprecated|removed|retired)\b",
        r"\bmodel not found\b|\b(unknown|no such|unrecognized) model\b|\binvalid model( name| id| identifier)?\b",
        r"\bmodel (identifier|name|id) is invalid\b|\bno endpoints found\b|\bsupported (api )?model names are\b",
    ),
    _row(
        "overloaded",
        "rate_limit server",
        r"\boverloaded\b|\b(at|over|exceeded) capacity\b|\bserver( is)? busy\b|\bmodel\b.{0,100}\bis (currently )?loading\b|\bhigh demand\b",
    ),
    _row("timeout", "server", r"\btimed[- ]out\b|\b(request|gateway|read) time-?out\b|\bdeadline exceeded\b"),
)
"""In the order in which they are tried; the first that may overrule and matches decides. Repeats are bounded: messages are bytes of others."""

HOPELESS_WORDING = r"^request too large for\b"
"""A rate limit that this one request is larger than: waiting does not help."""

MISSING_CREDENTIAL_WORDING = (
    r"\b(no|missing) ([\w-]+ )?(api[- ]?key|auth|authentication|authorization|credentials?)\b|\b(key|token|header)( is| was)? (missing|required|not (provided|found|received))\b"
    r"|\b(didn't|did not) (provide|send|supply)\b|\bunregistered callers\b|\bnot received in header\b"
)
"""How providers say that no key came at all, rather than a wrong one."""

MISSING_CREDENTIAL_CODES = frozenset({"1001", "missing_api_key", "MissingAuthenticationToken", "CREDENTIALS_MISSING"})

_UNIT = r"(?:milliseconds?|ms|minutes?|mins?|m|seconds?|secs?|s|hours?|hrs?|h|days?|d)(?![a-z])"
DURATION = rf"(\d{{1,12}}(?:\.\d{{1,12}})?)\s{{0,2}}({_UNIT})"
WAIT_WORDING = (
    r"\b(?:try again|retry|wait)(?: your request)?(?: in| after| for)?:?\s(?:about )?"
    rf"((?:\d{{1,12}}(?:\.\d{{1,12}})?\s{{0,2}}{_UNIT}[\s,]{{0,2}}){{1,5}})"
)
UNITS = {"ms": 0.001, "milli": 0.001, "m": 60.0, "s": 1.0, "h": 3600.0, "d": 86400.0}


def unit_seconds(unit: str) -> float:
    """How long one of a unit is, by how its name begins."""
    return next(length for start, length in UNITS.items() if unit.lower().startswith(start))


_NAMED = (
    r"(?i)\b((?:(?:api|access|auth|secret)[-_ ]?(?:key|token)|authorization)(?: provided| given| supplied)?"
    r"[\"']?\s{0,2}[:=]\s{0,2}[\"']?)"
)

SECRETS: tuple[tuple[str, str], ...] = (
    (r"(?<![A-Za-z0-9])sk-[\w-]{6,}", "sk-***"),
    (
        r"(?<![A-Za-z0-9])(rk|pk|gsk|xai|hf|nvapi|pplx|csk|r8|fw|tgp|ghp|gho|ghs|glpat|github_pat)([-_])[\w-]{16,}",
        r"\1\2***",
    ),
    (r"(?<![A-Za-z0-9])(AIza|AKIA|ASIA|AQ\.|ya29\.|eyJ)[\w.-]{12,}", r"\1***"),
    (r"(?i)\b((?:bearer|basic) +)(?:[\w.~+/=-]{16,}|(?=[a-z.~+/=_-]{0,15}\d)[\w.~+/=-]{8,})", r"\1***"),
    (r"(?i)\b((?:api|access|auth)[-_]?(?:key|token)=|key=|token=|secret=|password=)[^\s&\"']{6,}", r"\1***"),
    (_NAMED + r"(?=[^\s\"',;&]{0,200}\d)[^\s\"',;&]{8,}", r"\1***"),
    (r"(://)[^\s/@:]{1,100}:[^\s/@]{1,200}@", r"\1***@"),
)
"""What looks like a credential in a message, and what is left of it."""

HTML_TITLE = r"(?i)<title[^>]{0,100}>\s{0,100}([^<]{1,200})"

# --- places --------------------------------------------------------------------------------------------------------

CODE_MEMBERS = (
    "code", "Code", "status", "type", "error_type", "errorType", "error_code", "errorCode", "status_code", "__type", "reason", "name",
)  # fmt: skip
STATUS_MEMBERS = (
    "originalStatusCode", "status_code", "statusCode", "StatusCode", "HTTPStatusCode", "http_code", "http_status",
    "raw_status_code", "status", "code", "Code",
)  # fmt: skip
TEXT_MEMBERS = (
    "message", "Message", "originalMessage", "msg", "error_msg", "errorMessage", "error_message", "status_msg", "errorText",
    "error", "detail", "error_description", "title",
)  # fmt: skip
PARAMETER_MEMBERS = ("param", "parameter", "loc", "field")
WAIT_MEMBERS: dict[str, float] = {
    "retryDelay": 1.0,
    "retry_after": 1.0,
    "retryAfter": 1.0,
    "retry_after_seconds": 1.0,
    "retryAfterSeconds": 1.0,
    "resets_in_seconds": 1.0,
    "estimated_time": 1.0,
    "retry_after_ms": 0.001,
    "retryAfterMs": 0.001,
}
RETRYABLE_MEMBERS = ("isRetryable", "retryable")
HEADER_PATHS = ("metadata.headers", "responseHeaders", "headers", "ResponseMetadata.HTTPHeaders")

INNER_PATHS = (
    "error", "Error", "errors", "detail", "base_resp", "response.error", "metadata.raw", "data.error", "responseBody", "body",
    "lastError", "ResponseMetadata", "providerMetadata.gateway", "routing.attempts",
)  # fmt: skip
"""Where a body keeps the error proper, or the error of someone behind it: what is said there is more exact."""

ASIDE_PATHS = ("details", "innererror", "violations", "fieldViolations", "metadata.quota_limit")
"""Where a body keeps remarks: they help to understand the error but are not what it is called."""

ASIDE_TEXTS = ("quotaId", "description")
"""What remarks say beside a message."""

NOT_CODES = frozenset({"error", "exception", "failed", "failure", "object", "errorresponse", "null", "none"})
"""What stands in a code's place and says only that this is an error."""

FRAME_MEMBERS = ("type", "event", "event_type", "object")

ERROR_FRAMES = frozenset({"error", "RUN_ERROR", "exception", "response.error"})
"""What these members of a frame say when it is an error."""

FLAT_MEMBERS = frozenset(
    "code Code type __type message Message msg detail error_msg error_code error_type status status_code title instance param "
    "request_id requestId id object success log_id raw_status_code originalStatusCode originalMessage statusCode errorCode errorMessage "
    "trace_id traceId timestamp".split()
)
"""A body with text and no member but these is an error, though nothing in it says so."""

# --- headers, exceptions -------------------------------------------------------------------------------------------

BODILESS_OVERFLOWS: dict[str, frozenset[int]] = {"openai-chat": frozenset({400, 413})}
"""Cerebras answers a context overflow with a status and nothing else."""

MONTHS = {name: month for month, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}
HTTP_DATE = r"\w{3}, (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT"

TIMEOUT_NAMES = ("Timeout", "TimedOut")
CANCELLED_NAMES = frozenset({"AbortError", "CancelledError", "CanceledError"})
"""Names of exceptions with which a source says that its caller stopped it; what stops the task itself is none of these."""
GARBLED_NAMES = frozenset({"JSONDecodeError", "UnicodeDecodeError", "ValidationError", "APIResponseValidationError"})
"""Names of exceptions with which an SDK says that it could not read what came."""
EXCEPTION_STATUSES = ("status_code", "status", "code")
EXCEPTION_BODIES = ("body", "response", "details")
EXCEPTION_TEXTS = ("body", "error")  # ollama's has no body, but a status beside its `error`

# --- the seeds' words ----------------------------------------------------------------------------------------------

SEED000: dict[ErrorType, str] = {
    "rate_limit": "rate_limit",
    "content_blocked": "content_blocked",
    "timeout": "timeout",
    "overloaded": "provider_overloaded",
}
"""Seed 000's types; `api_error` for the rest."""

SEED001_CODES = frozenset(
    "server_error rate_limit_exceeded invalid_prompt vector_store_timeout invalid_image invalid_image_format "
    "invalid_base64_image invalid_image_url image_too_large image_too_small image_parse_error image_content_policy_violation "
    "invalid_image_mode image_file_too_large unsupported_image_media_type empty_image_file failed_to_download_image "
    "image_file_not_found".split()
)

SEED002: dict[ErrorType, str] = {
    "authentication": "AuthInvalid",
    "permission": "PolicyDenied",
    "billing": "PolicyDenied",
    "rate_limit": "RateLimited",
    "overloaded": "UpstreamFailure",
    "timeout": "TransportTimeout",
    "context_length": "PolicyDenied",
    "content_blocked": "PolicyDenied",
    "invalid_request": "SchemaMismatch",
    "request_too_large": "PolicyDenied",
    "not_found": "PolicyDenied",
    "server": "UpstreamFailure",
    "transport": "TransportError",
    "protocol": "SchemaMismatch",
    "truncated": "UpstreamFailure",
    "limit": "UpstreamFailure",
    "cancelled": "TransportError",
}
