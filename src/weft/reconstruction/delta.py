"""Seed 001's ProviderStreamDelta as types, under the names that it has in JSON.

Knows: the members. Must not know: what is wrong with a delta; the contract's checks stand with its decoder (`protocols/provider_delta.py`).
"""

from typing import Any, NotRequired, TypedDict

from weft.jsontext import is_object

ResponseStreamEvent = dict[str, Any]
"""One event of the Responses protocol, as it stands in the data of its frame."""


class ToolCallDelta(TypedDict, total=False):
    """A fragment of one call. `type` is `function` or `custom`."""

    index: int
    id: str
    type: str
    name: str
    arguments: str


class InputTokensDetails(TypedDict, total=False):
    """What of the input was read from a cache."""

    cached_tokens: int


class OutputTokensDetails(TypedDict, total=False):
    """What of the output was reasoning."""

    reasoning_tokens: int


class UsageDelta(TypedDict):
    """A snapshot of the counts: the last one holds."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    input_tokens_details: NotRequired[InputTokensDetails]
    output_tokens_details: NotRequired[OutputTokensDetails]


class ErrorDelta(TypedDict):
    """How the provider failed; without a code it is `server_error`."""

    message: str
    code: NotRequired[str]


class ProviderStreamDelta(TypedDict, total=False):
    """What one chunk of a provider said. It may say several things at once."""

    text: str
    reasoning: str
    refusal: str
    toolCall: ToolCallDelta
    usage: UsageDelta
    finishReason: str | None
    error: ErrorDelta


def without_nulls(delta: Any) -> Any:
    """The delta without members that are null: many providers send them where they have nothing to say (MiniMax: `"id": null`)."""
    if not is_object(delta):
        return delta
    call = delta.get("toolCall")
    inner = _said(call) if is_object(call) and call else call
    return _said({**delta, "toolCall": inner or None}) if inner is not call else _said(delta)


def _said(members: dict[str, Any]) -> dict[str, Any]:
    """The members that are not null; the same object if none is."""
    return (
        {name: value for name, value in members.items() if value is not None} if None in members.values() else members
    )
