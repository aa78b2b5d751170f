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
