"""What to tell a person about an error: one message for each kind of trouble that is worth telling apart, in their language.

Knows: the kinds, in the order in which they are looked for, and what is said of each. Must not know: languages (`catalogue`), providers.
The provider's own text is appended, shortened, and without what looks like a credential; what stands in `original_error` is never told.
"""

import re
from collections.abc import Sequence
from gettext import NullTranslations
from typing import Final, NamedTuple

from weft.adapters.catalogue import translations
from weft.chunks import ProviderError, error_of
from weft.error_reading import READ
from weft.error_tables import KINDS, MODEL_NAME, ErrorType
from weft.errors import Error, masked

TOLD: Final = 500
"""How many characters of the provider's text are told."""


class Trouble(NamedTuple):
    """A kind of trouble: the types of error it may be, what proves it in `code` or message (nothing: the type alone), and what to say."""

    name: str
    types: tuple[ErrorType, ...]
    proof: str
    says: str


_SETTINGS = r"\b(temperature|top_?p|top_?k)\b"
_NOT_BOTH = r"\b(both|together|only one|either|mutually exclusive|at the same time)\b"

TROUBLES: Final = (
    Trouble(
        "privacy",
        ("not_found", "permission", "invalid_request", "server"),
        r"\bdata[- ]?policy\b|\bprivacy (settings?|preferences?|polic(y|ies))\b",
        "The provider offers nothing that fits your privacy settings. Change them in your account, or choose another model.",
    ),
    Trouble(
        "parameter_conflict",
        ("invalid_request",),
        rf"{_SETTINGS}.{{0,60}}{_SETTINGS}.{{0,60}}{_NOT_BOTH}|{_NOT_BOTH}.{{0,60}}{_SETTINGS}.{{0,60}}{_SETTINGS}",
        "The model does not accept these settings together. Leave one of them out, for example temperature or top_p.",
    ),
    Trouble(
        "model",
        ("not_found", "invalid_request", "permission"),
        r"\bmodel_?(not_?found|decommissioned|deprecated)|\b(unknown|invalid|unsupported|no such|unrecognized)[ _]model\b"
        rf"|\bmodels?[:/ ]+{MODEL_NAME} (is |was |has been |does )?"
        r"(not found|not exist|doesn't exist|not supported|not available|unavailable|no longer available|deprecated|decommissioned|retired|removed)\b",
        "The model does not exist, is no longer offered, or is not available to you. Choose another model.",
    ),
    Trouble(
        "balance",
        ("billing",),
        r"\binsufficient[ _](account )?(balance|credits?|funds)\b|\bbalance (is |was )?(too low|insufficient|exhausted)\b"
        r"|\b(not enough|out of|no more) credits?\b|\bno resource package\b|\bplease (recharge|top up)\b|余额不足|欠费",
        "The balance of the account is used up. Top it up to go on.",
    ),
    Trouble(
        "plan",
        ("billing", "permission"),
        r"\bplan (does not|doesn't|does not yet) include\b|\bdoes not yet include access\b|\busage_not_included\b",
        "The plan of the account does not include this. Choose another model, or another plan.",
    ),
    Trouble(
        "affordability",
        ("billing",),
        r"\bcan only afford\b|\brequires more credits\b|\bfewer max_tokens\b",
        "The balance of the account is too low for this request. Shorten it, allow fewer output tokens, or top up.",
    ),
    Trouble(
        "context_length",
        ("context_length",),
        "",
        "The conversation is too long for the model. Shorten it, or start a new one.",
    ),
    Trouble(
        "authentication",
        ("authentication",),
        "",
        "The provider did not accept the API key. Check that it is correct and still valid.",
    ),
    Trouble("permission", ("permission",), "", "The API key has no permission for this."),
    Trouble("billing", ("billing",), "", "The quota of the account is used up. Check its plan and its billing."),
    Trouble("rate_limit", ("rate_limit",), "", "Too many requests were sent in a short time."),
    Trouble("overloaded", ("overloaded",), "", "The provider is overloaded at the moment."),
    Trouble("timeout", ("timeout",), "", "The provider did not answer in time."),
    Trouble("content_blocked", ("content_blocked",), "", "The provider blocked this content."),
    Trouble("invalid_request", ("invalid_request",), "", "The provider did not accept the request."),
    Trouble(
        "request_too_large",
        ("request_too_large",),
        "",
        "The request is too large. Send less text, or fewer or smaller files.",
    ),
    Trouble("not_found", ("not_found",), "", "The provider could not find what was asked for."),
    Trouble("server", ("server",), "", "The provider had an internal error."),
    Trouble("transport", ("transport",), "", "The connection to the provider failed."),
    Trouble("protocol", ("protocol",), "", "The answer of the provider could not be understood."),
    Trouble("truncated", ("truncated",), "", "The answer broke off before it was complete."),
    Trouble("limit", ("limit",), "", "The answer exceeded the limit that was set for it."),
    Trouble("cancelled", ("cancelled",), "", ""),
)
"""In the order in which they are tried; the first that fits is told. What has nothing to say is nothing to tell: whoever cancelled knows."""

AGAIN: Final = "Try again in a moment."
SECONDS: Final = ("Try again in {count} second.", "Try again in {count} seconds.")
MINUTES: Final = ("Try again in {count} minute.", "Try again in {count} minutes.")
PROVIDER: Final = "The provider says: {text}"
CODE: Final = "Error code: {code}"


def messages() -> Sequence[str | tuple[str, str]]:
    """All that there is to translate; a pair is a message with its plural."""
    return [trouble.says for trouble in TROUBLES if trouble.says] + [AGAIN, SECONDS, MINUTES, PROVIDER, CODE]


def trouble_of(error: ProviderError | Error) -> Trouble:
    """Which kind of trouble an error is."""
    ours = error_of(error) if isinstance(error, ProviderError) else error
    proof = f"{ours.code}\n{ours.message[:READ]}"
    return next(
        trouble
        for trouble in TROUBLES
        if ours.type in trouble.types and (not trouble.proof or re.search(trouble.proof, proof, re.IGNORECASE))
    )


def describe(error: ProviderError | Error, locale: str = "en") -> str | None:
    """The error in a person's language: what happened, whether to try again, what the provider says, and its code. A line each."""
    ours = error_of(error) if isinstance(error, ProviderError) else error
    trouble = trouble_of(ours)
    if not trouble.says:
        return None
    catalogue = translations(locale)
    lines = [catalogue.gettext(trouble.says)]
    if ours.retryable:
        lines.append(_again(catalogue, ours.retry_after))
    if said := _said(error, ours):
        lines.append(catalogue.gettext(PROVIDER).format(text=shortened(masked(said[:READ]))))
    if ours.code != ours.type:
        lines.append(catalogue.gettext(CODE).format(code=shortened(masked(ours.code[:READ]))))
    return "\n".join(lines)


def _said(error: ProviderError | Error, ours: Error) -> str | None:
    """The provider's own words. What we say of a failure that no provider spoke of is not theirs."""
    if isinstance(error, ProviderError) and (error.user_message or error.cause is None):
        return error.user_message or error.message
    return ours.message if ours.original is not None and ours.message != KINDS[ours.type].message else None


def shortened(text: str) -> str:
    """The text on one line, and no longer than is told."""
    line = " ".join(text.split())
    return line if len(line) <= TOLD else line[: TOLD - 1].rstrip() + "…"


def _again(catalogue: NullTranslations, wait: float | None) -> str:
    """When to try again, if the provider said so; what is more than two minutes is told in minutes."""
    if wait is None or wait <= 0:
        return catalogue.gettext(AGAIN)
    count = -int(-wait // 1)
    forms = SECONDS
    if count > 120:
        count, forms = -(-count // 60), MINUTES
    return catalogue.ngettext(*forms, count).format(count=count)
