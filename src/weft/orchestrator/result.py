"""What came of one stream: how it ended, what was said and thought, the calls to make.

Knows: these values. Must not know: how they come about.
"""

from typing import Any, Literal

import msgspec

from weft.chunks import FunctionCall, ProviderError

StreamStatus = Literal["completed", "function_call", "error", "timeout", "stopped", "empty"]


class ThoughtLog(msgspec.Struct, frozen=True):
    """What the model thought, summaries and raw thoughts apart. Never part of the text."""

    summary: str = ""
    raw: str = ""

    def merged(self, later: "ThoughtLog") -> "ThoughtLog":
        """The log with that of a later turn of the same answer behind it; what is said twice is kept once."""
        return ThoughtLog(_merged(self.summary, later.summary), _merged(self.raw, later.raw))


class StreamResult(msgspec.Struct, frozen=True, kw_only=True):
    """`status` is one of six. `text` is all of the visible text; `calls` are all calls, in order; `error` and `description` say what failed.

    `metadata` is that of the stream's end; `duration` is in seconds.
    """

    status: StreamStatus
    text: str = ""
    thoughts: ThoughtLog = ThoughtLog()
    calls: tuple[FunctionCall, ...] = ()
    error: ProviderError | None = None
    description: str | None = None
    metadata: dict[str, Any] = {}
    serving_provider: str | None = None
    stop_reason: str | None = None
    duration: float = 0.0

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped, if it said so."""
        return self.metadata.get("finishReason")


def _merged(earlier: str, later: str) -> str:
    if not later or later in earlier:
        return earlier
    if not earlier or earlier in later:
        return later
    return f"{earlier}\n\n{later}"
