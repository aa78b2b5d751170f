"""Log probabilities of tokens, in the form that chat.completions made common: a list of tokens, each with its rivals.

Knows: the two parallel lists of this wire, to read and to write. Must not know: which text they belong to.
"""

from typing import Any

from weft.jsontext import is_array, is_object
from weft.logprobs import tokens_of


def tokens(result: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The chosen tokens with the most likely ones beside them; None if nothing was chosen."""
    chosen, rivals = _list(result.get("chosenCandidates")), _list(result.get("topCandidates"))
    content: list[dict[str, Any]] = []
    for at, token in enumerate(chosen):
        beside: Any = rivals[at] if at < len(rivals) else None
        top = _list(beside.get("candidates")) if is_object(beside) else []
        content.append({**_token(token), "top_logprobs": [_token(rival) for rival in top]})
    return content or None


def _token(value: Any) -> dict[str, Any]:
    """One token. Log probability 0 is what the wire leaves out."""
    members = value if is_object(value) else {}
    token = {"token": members.get("token", ""), "logprob": members.get("logProbability", 0.0)}
    return {**token, "token_id": members["tokenId"]} if "tokenId" in members else token


def _list(value: Any) -> list[Any]:
    return value if is_array(value) else []


def result(logprobs: Any) -> dict[str, Any] | None:
    """The two lists of this wire; None for what is not a list of tokens."""
    entries = tokens_of(logprobs)
    if not entries:
        return None
    rivals = [{"candidates": [_candidate(rival) for rival in _list(entry.get("top_logprobs"))]} for entry in entries]
    return {"chosenCandidates": [_candidate(entry) for entry in entries], "topCandidates": rivals}


def _candidate(value: Any) -> dict[str, Any]:
    members = value if is_object(value) else {}
    said = {"token": members.get("token", ""), "logProbability": members.get("logprob", 0.0)}
    return {**said, "tokenId": members["token_id"]} if "token_id" in members else said
