"""Cohere's log probabilities as entries for each token.

Knows: that Cohere names tokens by number, and gives the text of a piece alone. Must not know: where they stood.
"""

from typing import Any

from weft.jsontext import is_array


def tokens(item: dict[str, Any] | list[Any] | None, text: str) -> list[dict[str, Any]] | None:
    """An entry for each token of a piece of text; the text of one of several is not known."""
    if not isinstance(item, dict):
        return None
    ids, odds, said = item.get("token_ids"), item.get("logprobs"), item.get("text") or text
    if not is_array(odds) or not odds:
        return None
    numbers = ids if is_array(ids) and len(ids) == len(odds) else [None] * len(odds)
    token = said if len(odds) == 1 else ""
    return [{"token": token, "token_id": number, "logprob": odd} for number, odd in zip(numbers, odds, strict=True)]
