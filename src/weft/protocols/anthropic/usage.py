"""The token counts of Anthropic Messages in the canonical split.

Knows: that the three input counts add up, and that a later snapshot corrects an earlier one member by member.
Must not know: when snapshots come.
"""

from typing import Any

import msgspec

from weft.events import UsageSource
from weft.protocols.anthropic.wire import Usage

_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")

Counts = tuple[dict[str, int | None], dict[str, UsageSource], dict[str, Any]]


class Counter:
    """Everything that was said of usage so far. Null keeps what was known, and so do three zeros where input was counted before."""

    def __init__(self) -> None:
        self._said: dict[str, Any] = {}

    def add(self, usage: Usage) -> Counts:
        """Take one snapshot; gives the canonical counts, where they are from, and the wire's own."""
        said: dict[str, Any] = msgspec.to_builtins(usage)
        if not any(said.get(name) for name in _INPUT) and any(self._said.get(name) for name in _INPUT):
            for name in _INPUT:
                said.pop(name, None)
        self._said = {**self._said, **said}
        return self._counts()

    def _counts(self) -> Counts:
        said = self._said
        written, read = said.get(_INPUT[1]), said.get(_INPUT[2])
        cached = (written or 0) + (read or 0)
        details: dict[str, int] = said.get("output_tokens_details") or {}
        fresh = said.get(_INPUT[0])
        counts = {
            "input_tokens": None if fresh is None else fresh + cached,
            "output_tokens": said.get("output_tokens"),
            "cache_read_tokens": read,
            "cache_write_tokens": written,
            "reasoning_tokens": details.get("thinking_tokens"),
        }
        return counts, {"input_tokens": "derived"} if cached else {}, said
