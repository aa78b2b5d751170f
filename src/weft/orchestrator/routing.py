"""What each chunk means for whoever shows the answer: pieces of text, thoughts and calls in their order. No clock, no sink.

Knows: what is flushed before what, and what is remembered for the result. Must not know: tasks, adapters, how a piece is sent.
"""

from collections.abc import Sequence
from typing import Any

from weft.chunks import FunctionCall, ProcessedChunk, ProviderError, ThoughtLogEntry
from weft.orchestrator.flusher import Flusher
from weft.orchestrator.result import StreamResult, StreamStatus, ThoughtLog
from weft.orchestrator.rules import Flush, FlushReason, FlushRules

Action = Flush | ThoughtLogEntry | FunctionCall
"""What is to be told to the sink."""


class Routing:
    """One stream. `take` chunks and `tick` give what is to be told now; `finish` the last of it; then `result`."""

    def __init__(self, rules: FlushRules | None = None) -> None:
        self._rules = rules
        self.error: ProviderError | None = None
        self._clear()

    def _clear(self) -> None:
        self._flusher = Flusher(self._rules)
        self._texts: list[str] = []
        self._thoughts: list[ThoughtLogEntry] = []
        self._calls: list[FunctionCall] = []
        self._metadata: dict[str, Any] = {}
        self._serving: str | None = None

    @property
    def due(self) -> float | None:
        """When `tick` is due."""
        return self._flusher.due

    def take(self, chunk: ProcessedChunk, now: float) -> list[Action]:
        """Take one chunk. A call waits for the text before it; an error comes last of all."""
        actions: list[Action] = [entry for entry in chunk.thoughts if entry.content]
        self._thoughts += chunk.thoughts
        self._serving = self._serving or chunk.serving_provider
        if chunk.type in ("done", "error"):
            self._metadata |= chunk.metadata
        if chunk.type == "text" and chunk.content:
            self._texts.append(chunk.content)
            actions += self._flusher.feed(chunk.content, now)
        elif chunk.function_call is not None:
            self._calls.append(chunk.function_call)
            actions += [*self._flusher.flush("tool_call"), chunk.function_call]
        elif chunk.error is not None:
            self.error = chunk.error
        return actions

    def tick(self, now: float) -> Sequence[Action]:
        """Time has passed."""
        return self._flusher.tick(now)

    def finish(self, reason: FlushReason) -> Sequence[Action]:
        """Nothing more will come: what is left of the text."""
        return self._flusher.flush(reason)

    def reset(self) -> None:
        """All that came is void; the stream begins anew."""
        self._clear()

    def result(self, interrupted: StreamStatus | None, **more: Any) -> StreamResult:
        """What came of it; `interrupted` is how it was ended from outside, if it was."""
        return StreamResult(
            status=interrupted or self._status(),
            text="".join(self._texts),
            thoughts=ThoughtLog(self._thought("summary"), self._thought("raw")),
            calls=tuple(self._calls),
            error=self.error,
            metadata=self._metadata,
            serving_provider=self._serving,
            **more,
        )

    def _status(self) -> StreamStatus:
        if self.error is not None:
            return "error"
        if self._calls:
            return "function_call"
        return "completed" if any(not text.isspace() for text in self._texts) else "empty"

    def _thought(self, kind: str) -> str:
        return "".join(entry.content for entry in self._thoughts if entry.kind == kind).strip()
