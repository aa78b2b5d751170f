"""The one taxonomy of failure: an `Error` value, made from whatever a provider, a proxy or a socket says, and said in the seeds' words.

Knows: what an error is made from (a body, an HTTP response, an exception) and what follows from its type.
Must not know: where in a body things stand (`error_reading`), what a provider's words mean (`error_tables`), events, or wires.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from weft import error_tables as tables
from weft.error_reading import READ, Reading, decoded_body, found, is_error_body, status_type, word_type
from weft.error_tables import ErrorType, Fault

__all__ = [
    "BRIDGE_DELTA_AFTER_TERMINAL",
    "BRIDGE_INCOMPLETE_TOOL_CALL",
    "BRIDGE_INVALID_TRANSITION",
    "BRIDGE_MISSING_TERMINAL",
    "BRIDGE_OUTPUT_BEFORE_START",
    "Error",
    "ErrorType",
    "Fault",
    "error_code_type",
    "error_from_body",
    "error_from_exception",
    "error_from_http",
    "http_status",
    "is_error_body",
    "make_error",
    "masked",
    "says_all",
    "to_seed000",
    "to_seed001",
    "to_seed002",
]

# Seed 001's codes for a stream that broke its grammar.
BRIDGE_INVALID_TRANSITION = "bridge.stream.invalid_transition"
BRIDGE_OUTPUT_BEFORE_START = "bridge.stream.output_before_start"
BRIDGE_DELTA_AFTER_TERMINAL = "bridge.stream.delta_after_terminal"
BRIDGE_INCOMPLETE_TOOL_CALL = "bridge.stream.incomplete_tool_call"
BRIDGE_MISSING_TERMINAL = "bridge.stream.missing_terminal"


class Error(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong, as a value: a terminal carries it and it goes to JSON.

    `message` is fit to be shown: no credential, nothing of our insides. `status` is the provider's, None if it gave none.
    `original` is what the source said, untouched.
    """

    type: ErrorType
    code: str
    message: str
    retryable: bool
    fault: Fault
    retry_after: float | None = None
    status: int | None = None
    parameter: str | None = None
    original: Any = None


def make_error(
    type: ErrorType,
    message: str = "",
    *,
    code: str | None = None,
    retryable: bool | None = None,
    fault: Fault | None = None,
    retry_after: float | None = None,
    status: int | None = None,
    parameter: str | None = None,
    original: Any = None,
) -> Error:
    """An error of this type; what is not given follows from the type."""
    kind = tables.KINDS[type]
    return Error(
        type=type,
        code=code or type,
        message=masked(message[:READ]) or kind.message,
        retryable=kind.retryable if retryable is None else retryable,
        fault=fault or kind.fault,
        retry_after=retry_after,
        status=status,
        parameter=parameter,
        original=original,
    )


def masked(message: str) -> str:
    """The text without what looks like a credential."""
    for pattern, left in tables.SECRETS:
        message = re.sub(pattern, left, message)
    return message


def http_status(error: Error) -> int:
    """The status that tells an HTTP client of ours about this error."""
    return tables.KINDS[error.type].status


def error_code_type(code: str | int | None) -> ErrorType | None:
    """What a provider's code, type, status word or HTTP status means; None if nobody has named it yet."""
    word = "" if code is None else str(code)
    if word.isascii() and word.isdigit():
        return status_type(int(word[:9])) or tables.NUMBERS["code"].get(word)
    return word_type(word)


def error_from_body(obj: Any, *, status: int | None = None, headers: Mapping[str, str] | None = None) -> Error:
    """The error that a decoded body, the error object inside it, or a plain text words, in any provider's way."""
    told = status if status is not None and status >= 400 else None
    reading = Reading()
    reading.hear_headers(headers)
    reading.hear(obj)
    kind = reading.understand(reading.status or told)
    return make_error(
        kind,
        reading.message,
        code=reading.code,
        retryable=reading.retryable,
        retry_after=reading.wait,
        status=told or reading.status,
        parameter=reading.parameter,
        original=obj,
    )


def says_all(body: Any, fault: Error) -> bool:
    """Does a body of ours tell its reader all of an error? A code that is no more than the type need not be said."""
    told = error_from_body(body)
    same = (told.type, told.retry_after, told.parameter) == (fault.type, fault.retry_after, fault.parameter)
    return same and fault.code in (told.code, fault.type)


def error_from_http(
    status: int,
    headers: Mapping[str, str] | None,
    body: bytes | str | dict[str, Any] | list[Any] | None,
    protocol: str | None = None,
) -> Error:
    """The error that an HTTP response stands for: JSON, an event stream, a proxy's HTML page, plain text, or nothing at all."""
    decoded = decoded_body(body)
    if status < 400 and not is_error_body(decoded):
        return make_error("protocol", status=status, original=decoded)
    if isinstance(decoded, str) and (title := re.search(tables.HTML_TITLE, decoded[:READ])):
        answer = error_from_body(title[1].strip(), status=status, headers=headers)
        return msgspec.structs.replace(answer, original=decoded)
    answer = error_from_body(decoded, status=status, headers=headers)
    if decoded is None and answer.code == answer.type and status in _bodiless_overflows(protocol):
        return make_error("context_length", status=status)
    return answer


def _bodiless_overflows(protocol: str | None) -> frozenset[int]:
    if protocol is None:
        return frozenset[int]().union(*tables.BODILESS_OVERFLOWS.values())
    return tables.BODILESS_OVERFLOWS.get(protocol.partition("/")[0], frozenset())


def error_from_exception(exc: BaseException) -> Error:
    """What an exception of the source means. If it carries the provider's answer (an SDK's does), that; else the line failed.

    Its text may name hosts and paths, so it goes into `original` and not into the message.
    """
    original: dict[str, Any] = {"exception": f"{type(exc).__module__}.{type(exc).__qualname__}", "message": str(exc)}
    response: Any = getattr(exc, "response", None)
    numbers = _numbers(exc, response)
    status = numbers[-1] if numbers and 400 <= numbers[-1] < 600 else None
    answers: list[Any] = [getattr(exc, name, None) for name in tables.EXCEPTION_BODIES]
    body: Any = next(filter(lambda value: isinstance(value, dict), answers), None)
    if body is None:
        body = _text_of(exc, numbered=bool(numbers))
    if status is not None or _is_answer(body):
        sent: Any = getattr(response, "headers", None)
        headers = cast("Mapping[str, str]", sent) if isinstance(sent, Mapping) else None
        if status is not None and isinstance(body, str):
            answer = error_from_http(status, headers, body)
        else:
            answer = error_from_body(body, status=status, headers=headers)
        return msgspec.structs.replace(answer, original={**original, "body": body})
    bases = [base.__name__ for base in type(exc).__mro__]
    if not tables.CANCELLED_NAMES.isdisjoint(bases):
        return make_error("cancelled", original=original)
    if not tables.GARBLED_NAMES.isdisjoint(bases):
        return make_error("protocol", original=original)
    late = any(part in " ".join(bases) for part in tables.TIMEOUT_NAMES)
    return make_error("timeout" if late else "transport", fault="transport", original=original)


def _text_of(exc: BaseException, *, numbered: bool) -> str | None:
    """The answer that an exception has as text: a body, or what stands beside a status."""
    names = tables.EXCEPTION_TEXTS if numbered else tables.EXCEPTION_TEXTS[:1]
    texts: list[Any] = [getattr(exc, name, None) for name in names]
    return next((text for text in texts if isinstance(text, str) and text.strip()), None)


def _numbers(exc: BaseException, response: Any) -> list[int]:
    """The numbers that may be its status, up to the first that is one: no member is looked at needlessly, since some warn that they are old."""
    numbers: list[int] = []
    members = [(exc, name) for name in tables.EXCEPTION_STATUSES]
    for holder, name in (*members, (response, "status_code")):
        value: Any = getattr(holder, name, None)
        if isinstance(value, int):
            numbers.append(value)
            if 400 <= value < 600:
                break
    return numbers


def _is_answer(body: Any) -> bool:
    """Whether what an exception carries is the provider's answer. An SDK hands out the error without what stood around it."""
    if isinstance(body, dict):
        members = cast("dict[str, Any]", body)
        return is_error_body(members) or any(isinstance(members.get(name), str) for name in tables.TEXT_MEMBERS)
    return isinstance(body, str)


def to_seed000(error: Error) -> dict[str, Any]:
    """Seed 000's ProviderError."""
    return {
        "type": tables.SEED000.get(error.type, "api_error"),
        "message": error.message,
        "code": error.code,
        "retryable": error.retryable,
        "originalError": error.original,
    }


def to_seed001(error: Error) -> str:
    """Seed 001's response error code: one of its own is kept, and what it has no word for is `server_error`."""
    if error.code in tables.SEED001_CODES:
        return error.code
    return "rate_limit_exceeded" if error.type == "rate_limit" else "server_error"


def to_seed002(error: Error) -> dict[str, str]:
    """Seed 002's error code and detail. A key that was never given is told from one that was refused."""
    missing = error.code in tables.MISSING_CREDENTIAL_CODES or found(tables.MISSING_CREDENTIAL_WORDING, error.message)
    code = "AuthMissing" if error.type == "authentication" and missing else tables.SEED002[error.type]
    return {"code": code, "detail": error.message}
