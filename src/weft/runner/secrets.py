"""Keeping a key's secret out of what is shown.

Knows: the secret, and errors. Must not know: where either comes from.
"""

from typing import Any

import msgspec

from weft.errors import Error
from weft.jsontext import is_array, is_object

LEFT = "***"
DEPTH = 64  # what is nested deeper is left out


def without(secret: str, error: Error) -> Error:
    """The error with the secret blotted out wherever it stands."""

    def blotted(value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            return value.replace(secret, LEFT)
        if not is_object(value) and not is_array(value):
            return value
        if depth >= DEPTH:
            return LEFT
        if is_object(value):
            return {name: blotted(member, depth + 1) for name, member in value.items()}
        return [blotted(item, depth + 1) for item in value]

    return msgspec.structs.replace(
        error,
        code=blotted(error.code),
        message=blotted(error.message),
        parameter=blotted(error.parameter),
        original=blotted(error.original),
    )
