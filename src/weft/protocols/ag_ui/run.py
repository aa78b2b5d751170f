"""The run around the messages: whose it is, which of its calls are to be answered, how it ended, what it cost.

Knows: the lifecycle events and their members. Must not know: messages, or how frames are written.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from weft import events as ev
from weft.context import Context
from weft.errors import Error

NOT_COMPLETE: Final = "The arguments of this call are not complete."
EXECUTED: Final = "The provider ran this tool itself."

_COUNTS: Final[Mapping[str, str]] = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "totalTokens": "total_tokens",
    "reasoningTokens": "reasoning_tokens",
    "cachedInputTokens": "cache_read_tokens",
    "cacheWriteInputTokens": "cache_write_tokens",
}


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """What a version of the client understands of a run's outcome. Those before 1.0 refuse the run for a member too many."""

    pending_calls: bool = True
    cancelled: bool = True


# By client profile; None is the row of those who did not say.
CLIENTS: Final[Mapping[str | None, Client]] = {
    None: Client(),
    "1.0": Client(),
    "0.0": Client(pending_calls=False, cancelled=False),
}
PROFILES: Final[Mapping[str, str]] = {
    "0.0": "for clients before 1.0: an outcome does not list pending calls, and does not say that the run was cancelled",
    "1.0": "the same as without a profile",
}


class Run:
    """One run, which is one answer; what the caller does not say of it is derived from the answer's id."""

    def __init__(self, start: ev.Start, context: Context) -> None:
        self.id = context.response_id or start.id
        self.ids = {"threadId": context.thread_id or f"thread_{self.id}", "runId": context.run_id or f"run_{self.id}"}
        self.created = start.created or context.created
        self.labels = {
            name: value for name, value in (("provider", start.provider), ("model", start.model)) if value is not None
        }
        self.unanswered: dict[str, bool] = {}
        """Calls without a result -> is one awaited from the front end?"""

    def started(self) -> dict[str, Any]:
        """The members of RUN_STARTED. Times are whole milliseconds."""
        return {**self.ids, **({"timestamp": int(self.created * 1000)} if self.created else {})}

    def usage(self, counts: ev.Usage | None) -> dict[str, Any]:
        """The member that has the counts, as far as they are known."""
        if counts is None:
            return {}
        said = {word: getattr(counts, name) for word, name in _COUNTS.items()}
        return {"usage": [{**self.labels, **{word: count for word, count in said.items() if count is not None}}]}

    def finished(self, end: ev.End, client: Client) -> dict[str, Any]:
        """The members of RUN_FINISHED, but for the usage: the finish is its result, since no member is for it."""
        finish = end.finishes[0] if end.finishes else ev.Finish()
        said = (("finishReason", finish.reason), ("rawFinishReason", finish.raw), ("message", _message(end.error)))
        result = {name: value for name, value in said if value is not None}
        return {**self.ids, **({"result": result} if result else {}), **self._outcome(finish, client)}

    def _outcome(self, finish: ev.Finish, client: Client) -> dict[str, Any]:
        if finish.reason == "pause":
            pause = {"id": f"pause_{self.id}", "reason": finish.raw or "pause"}
            return {"outcome": {"type": "interrupt", "interrupts": [pause]}}
        if self.unanswered and client.pending_calls:
            return {"outcome": {"type": "success", "pendingToolCallIds": list(self.unanswered)}}
        return {}


def _message(error: Error | None) -> str | None:
    return error.message if error is not None else None
