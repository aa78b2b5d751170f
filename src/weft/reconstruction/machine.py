"""Seed 001's state machine: deltas or single verbs in, the events of one Responses stream out.

Knows: which verb may come in which phase, and what a caller who does otherwise is told.
Must not know: blocks, items, numbers, which belong to the assembler and the encoder behind it (row.py).

Each verb gives the events that it led to. What was made before an exception is not lost: the next verb, or `taken`, gives it.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, cast
from zlib import crc32

import msgspec

from weft.assembler import Assembler
from weft.context import Context
from weft.errors import Error, error_from_body
from weft.events import Note, Start
from weft.filters import Filter
from weft.grammar import OUTCOME_PHASE, TERMINAL, Phase
from weft.protocols import provider_delta
from weft.protocols.openai_responses import response
from weft.protocols.provider_delta import ProviderDeltaDecoder, breaches
from weft.reconstruction import finishes
from weft.reconstruction.bridge_error import (
    BRIDGE_DELTA_AFTER_TERMINAL,
    BRIDGE_INCOMPLETE_TOOL_CALL,
    BRIDGE_INVALID_TRANSITION,
    BRIDGE_MISSING_TERMINAL,
    BRIDGE_OUTPUT_BEFORE_START,
    BridgeContext,
    BridgeError,
)
from weft.reconstruction.delta import (
    ErrorDelta,
    ProviderStreamDelta,
    ResponseStreamEvent,
    ToolCallDelta,
    UsageDelta,
    without_nulls,
)
from weft.reconstruction.row import Row
from weft.rules import Limits
from weft.steps import Step

ResponseStreamPhase = Phase

_CONTENT: Final = ("text", "reasoning", "refusal", "toolCall")


class ResponseStreamStateMachine:
    """One response. `context` has what the stream does not: its id, the request that is echoed, the time, the tools to restore.

    `steps` stand before the terminal and may rewrite it (an output contract does). `strict` refuses what is only odd, as seed 001's own machine
    does: members that are null, content after the finish, a call without a name. `now_seconds` tells when it ended, if that shall be said.
    """

    def __init__(
        self,
        context: Context | None = None,
        *,
        provider: str = "",
        model: str = "",
        steps: Iterable[Step] = (),
        strict: bool = False,
        now_seconds: Callable[[], int] | None = None,
    ) -> None:
        asked = context or Context()
        id = asked.response_id or _made_id(model, asked)
        self.strict = strict
        self.notes: list[Note] = []
        self._context = msgspec.structs.replace(asked, response_id=id)
        self._start = Start(id, model or None, provider or None, asked.created or None)
        self._row = Row(self._context, steps, self._noted)
        self._verbs = self._row.verbs
        self._decoder = ProviderDeltaDecoder(
            cast(Assembler, _Held(self._verbs, self._defer, self._fail)), provider_delta.PROTOCOL.dialect
        )
        self._deferred: str | None = None
        self._now_seconds = now_seconds
        self._completed_at: int | None = None

    # -- what can be asked at any time ---------------------------------------------------------------------------

    @property
    def provider(self) -> str:
        """Who answers."""
        return self._start.provider or ""

    @property
    def model(self) -> str:
        """Which model answers."""
        return self._start.model or ""

    @property
    def phase(self) -> Phase:
        """Where the stream stands, as its client sees it."""
        if self._row.outcome is not None:
            return OUTCOME_PHASE[self._row.outcome]
        return Phase.IN_PROGRESS if self._row.assembler.started else Phase.IDLE

    @property
    def deferred_finish_reason(self) -> str | None:
        """The finish that was observed and not yet carried out."""
        return self._deferred

    @property
    def snapshot(self) -> dict[str, Any]:
        """The response object now, with the request echoed: `queued` before the start, the terminal's own after it. A copy."""
        if self.phase is Phase.IDLE:
            now: dict[str, Any] = {**response.envelope(self._start, self._context), "status": "queued"}
        else:
            now = self._row.response()
        if self.phase not in TERMINAL:
            now["usage"] = response.usage(self._row.usage)
        return {**now, **self._ended(), "output_text": _output_text(now["output"])}

    def taken(self) -> list[ResponseStreamEvent]:
        """Events that were made and not handed out, as after an exception."""
        events = self._row.taken()
        if self.phase in TERMINAL and events:
            events[-1]["response"] |= self._ended()
        return events

    # -- verbs ---------------------------------------------------------------------------------------------------

    def start(self) -> list[ResponseStreamEvent]:
        """`response.created` and `response.in_progress`. Once."""
        if self.phase is not Phase.IDLE:
            late = self.phase in TERMINAL
            code = BRIDGE_DELTA_AFTER_TERMINAL if late else BRIDGE_INVALID_TRANSITION
            raise self.breach(code, _while("start", self.phase))
        self._begin()
        return self.taken()

    def text(self, text: str) -> list[ResponseStreamEvent]:
        """A piece of visible text. An empty one opens nothing."""
        return self._say("text", text)

    def reasoning(self, text: str) -> list[ResponseStreamEvent]:
        """A piece of reasoning."""
        return self._say("reasoning", text)

    def refusal(self, text: str) -> list[ResponseStreamEvent]:
        """A piece of a refusal."""
        return self._say("refusal", text)

    def tool_call(self, call: ToolCallDelta) -> list[ResponseStreamEvent]:
        """A fragment of a call."""
        return self._say("toolCall", call)

    def usage(self, usage: UsageDelta) -> list[ResponseStreamEvent]:
        """The counts so far; the last ones stand in the terminal. May follow a deferred finish."""
        return self._say("usage", usage)

    def defer_finish(self, reason: str | None) -> list[ResponseStreamEvent]:
        """Remember how the provider finished; the terminal waits for `finish`. None is no finish. A later one does not make a cut answer whole."""
        self._may("defer_finish")
        self._check({"finishReason": reason})
        self._defer(reason)
        return self.taken()

    def finish(self, reason: str | None) -> list[ResponseStreamEvent]:
        """Close what is open and end the response as its finish reason says; None, that the provider gave none, is a failure.

        After `defer_finish`: `finish(machine.deferred_finish_reason)`.
        """
        self._may("finish")
        self._check({"finishReason": reason})
        reason = self._meant(reason)
        failure = finishes.failure(reason, self.provider)
        if finishes.outcome(reason) == "completed" and self._row.assembler.nameless():
            missing = self.breach(BRIDGE_INCOMPLETE_TOOL_CALL, "a call never got a name", "toolCall.name")
            if self.strict:
                raise missing
            failure = missing.as_error()
        if failure is None:
            self._verbs.finish(reason, finishes.FINISHES.get(reason or ""))
        else:
            self._verbs.fail(failure)
        self._end()
        return self.taken()

    def fail(self, error: ErrorDelta | Error) -> list[ResponseStreamEvent]:
        """End the response as failed; what is open was cut off. This always ends it."""
        self._may("fail")
        if not isinstance(error, Error):
            self._check({"error": error})
            error = error_from_body({"code": error.get("code", "server_error"), "message": error["message"]})
        self._fail(error)
        return self.taken()

    def take(self, delta: ProviderStreamDelta) -> None:
        """A whole delta: checked, the response started if it was not, and said. Its events are fetched with `taken`.

        The finish is deferred; content after it is taken, since providers do send some, and noted. With `strict` it is refused.
        """
        checked = self._checked(delta)
        if self.phase in TERMINAL:
            raise self.breach(BRIDGE_DELTA_AFTER_TERMINAL, _while("a delta", self.phase))
        if self.strict and self._deferred is not None and (late := next(filter(checked.__contains__, _CONTENT), None)):
            raise self._after_finish(late)
        if self.phase is Phase.IDLE:
            self._begin()
        self._decoder.say(checked)

    def require_terminal(self) -> None:
        """For whoever lets go of the stream: raises if its client was left without a terminal."""
        if self.phase not in TERMINAL:
            raise self.breach(BRIDGE_MISSING_TERMINAL, f"the stream was left in phase {self.phase.value}")

    def breach(self, code: str, message: str, parameter: str | None = None) -> BridgeError:
        """The error for a caller of this machine."""
        return BridgeError(code, message, BridgeContext(self.provider, self.model, parameter))

    # -- inside --------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        start = self._start
        self._row.assembler.start(start.id, start.model, start.provider, start.created)

    def _say(self, member: str, value: Any) -> list[ResponseStreamEvent]:
        """One verb of a caller: allowed, well-formed, said."""
        self._may(member)
        if member in _CONTENT and self._deferred is not None:
            raise self._after_finish(member)
        self._decoder.say(self._checked({member: value}))
        return self.taken()

    def _may(self, verb: str) -> None:
        if self.phase is Phase.IDLE:
            raise self.breach(BRIDGE_OUTPUT_BEFORE_START, _while(verb, self.phase))
        if self.phase in TERMINAL:
            raise self.breach(BRIDGE_DELTA_AFTER_TERMINAL, _while(verb, self.phase))

    def _after_finish(self, verb: str) -> BridgeError:
        message = f"{verb} cannot run after provider finish reason was observed."
        return self.breach(BRIDGE_DELTA_AFTER_TERMINAL, message, verb)

    def _checked(self, delta: Any) -> Any:
        """The delta, once it is known to keep the contract. What says nothing but null says nothing."""
        said = delta if self.strict else without_nulls(delta)
        if said or not delta:
            self._check(said)
        return said

    def _check(self, delta: Any) -> None:
        path = next(breaches(delta), None)
        if path is not None:
            raise self.breach(BRIDGE_INVALID_TRANSITION, f"the delta breaks the contract at {path}", path)

    def _meant(self, reason: str | None) -> str | None:
        """Providers that have nothing to say yet send an empty word as well as null."""
        return reason if self.strict else reason or None

    def _defer(self, reason: str | None) -> None:
        if (reason := self._meant(reason)) is None:
            return
        self._deferred = finishes.graver(self._deferred, reason)
        self._verbs.finish(self._deferred, finishes.FINISHES.get(self._deferred, "other"))

    def _fail(self, error: Error) -> None:
        self._verbs.fail(error)
        self._end()

    def _end(self) -> None:
        self._deferred = None
        self._row.end()
        if self._now_seconds is not None:
            self._completed_at = self._now_seconds()

    def _ended(self) -> dict[str, int]:
        return {} if self._completed_at is None else {"completed_at": self._completed_at}

    def _noted(self, note: Note) -> None:
        if len(self.notes) < Limits().notes:
            self.notes.append(note)


class _Held(Filter):
    """What the decoder speaks to: the finish of a delta is deferred, and its error ends the response at once."""

    def __init__(self, out: Any, finish: Callable[[str | None], None], fail: Callable[[Error], None]) -> None:
        super().__init__(out)
        self.finish = finish
        self.fail = fail


def _while(verb: str, phase: Phase) -> str:
    return f"{verb} cannot run while stream response phase is {phase.value}."


def _made_id(model: str, context: Context) -> str:
    """An id where the caller gives none: the same for the same request."""
    told = msgspec.json.encode([model, context.created, context.request], enc_hook=str)
    return f"resp_{crc32(told):08x}"


def _output_text(output: list[dict[str, Any]]) -> str:
    parts = (part for item in output if item["type"] == "message" for part in item["content"])
    return "".join(part["text"] for part in parts if part["type"] == "output_text")
