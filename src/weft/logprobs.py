"""Log probabilities in the form that chat.completions made common: a list of tokens, each an object with its rivals.

Knows: how that list is told from what else sources say. Must not know: wires; which text the tokens belong to.
"""

from typing import Any

from weft.jsontext import is_array, is_object


def tokens_of(said: Any) -> list[dict[str, Any]] | None:
    """The tokens; None for what is no list of them (the parallel lists of /v1/completions, the token ids of Cohere)."""
    tokens: Any = said.get("content") if is_object(said) else said
    if not is_array(tokens) or not all(is_object(token) and "token" in token for token in tokens):
        return None
    return tokens


def spelled_out(said: Any) -> bool:
    """Do the tokens' texts say all of their bytes? A token that is part of a character has bytes that no text has."""
    return all(_whole(token) for token in tokens_of(said) or ())


def _whole(token: dict[str, Any]) -> bool:
    text, rivals = token.get("token"), token.get("top_logprobs")
    said = token.get("bytes") is None or (
        isinstance(text, str) and token["bytes"] == [*text.encode("utf-8", "replace")]
    )
    return said and all(_whole(rival) for rival in (rivals if is_array(rivals) else ()) if is_object(rival))
