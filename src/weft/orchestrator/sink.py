"""What an answer is shown through: a chat's channel, a terminal, a test's list.

Knows: what it may be asked to show. Must not know: streams.
"""

from typing import Protocol

from weft.chunks import FunctionCall, ProviderError, ThoughtLogEntry
from weft.orchestrator.result import StreamResult
from weft.orchestrator.rules import Flush


class Sink(Protocol):
    """Derive from it and write what you show; the rest does nothing. One call at a time, in the stream's order: whoever is slow slows the stream.

    After all else there is exactly one `done` or `error`. What a sink raises ends the stream and reaches the caller.
    """

    async def text(self, flush: Flush) -> None:
        """Show a piece of the visible text. It may be blank, which some chats refuse: `flush.blank`."""

    async def thought(self, entry: ThoughtLogEntry) -> None:
        """A piece of a thought, as it comes."""

    async def function_call(self, call: FunctionCall) -> None:
        """A complete call. The text before it was shown."""

    async def reset(self) -> None:
        """Take back all that was shown: a new attempt begins. Only streams of a runner that restarts ask for it."""

    async def error(self, error: ProviderError, description: str | None) -> None:
        """The stream failed or timed out. `description` is for people, in their language; None: there is nothing to tell."""

    async def done(self, result: StreamResult) -> None:
        """The stream is over and did not fail: completed, empty, with calls to make, or stopped."""
