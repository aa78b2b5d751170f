"""The SDK's own words for how a message ended and what it cost.

Knows: tables. Must not know: chunks.
"""

from collections.abc import Mapping
from typing import Any, Final

from weft import jsontext
from weft.events import FinishReason, Usage

FINISHES: Final[Mapping[FinishReason, str]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool-calls",
    "content_filter": "content-filter",
    "refusal": "content-filter",
    "pause": "other",
    "error": "error",
    "other": "other",
}

NOT_COMPLETE: Final = "The arguments of this call are not complete."

_TOKENS: Final = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "totalTokens": "total_tokens",
}
_DETAILS: Final = {
    "inputTokenDetails": {"cacheReadTokens": "cache_read_tokens", "cacheWriteTokens": "cache_write_tokens"},
    "outputTokenDetails": {"reasoningTokens": "reasoning_tokens"},
}


def usage(usage: Usage) -> dict[str, Any]:
    """The counts that are known, as the SDK has them since version 6."""
    said: dict[str, Any] = _counts(usage, _TOKENS)
    return said | {name: counts for name, words in _DETAILS.items() if (counts := _counts(usage, words))}


def _counts(usage: Usage, words: Mapping[str, str]) -> dict[str, int]:
    said = {word: getattr(usage, name) for word, name in words.items()}
    return {word: count for word, count in said.items() if count is not None}


def text_of(content: Any) -> str:
    """What went wrong, as a text."""
    return content if isinstance(content, str) else jsontext.line(content).decode()
