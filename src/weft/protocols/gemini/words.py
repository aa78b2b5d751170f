"""Enumerated values of this wire, which some servers write as numbers and some in lower case.

Knows: the numbers of proto enums, and which words say nothing. Must not know: what is done about a value.
"""

from collections.abc import Sequence
from typing import Final

# A number stands for the same name in any JSON of a proto message; these are Vertex's, which alone sends numbers.
_FINISHES: Final = (
    "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER BLOCKLIST PROHIBITED_CONTENT SPII "
    "MALFORMED_FUNCTION_CALL MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION IMAGE_OTHER "
    "UNEXPECTED_TOOL_CALL NO_IMAGE"
).split()
_BLOCKS: Final = "BLOCKED_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT".split()
_NOT_BLOCKED: Final = frozenset({"", "BLOCKED_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED"})


def finish_word(value: str | int | None) -> str | None:
    """The word of a finish. The number 0 is what a proto dump writes where nothing was set."""
    return _named(value, _FINISHES) if value != 0 else None


def block_word(value: str | int | None) -> str | None:
    """Why a prompt was blocked, if it was."""
    word = _named(value, _BLOCKS)
    return None if word in _NOT_BLOCKED else word


def _named(value: str | int | None, names: Sequence[str]) -> str | None:
    if not isinstance(value, int):
        return value
    return names[value] if 0 <= value < len(names) else str(value)
