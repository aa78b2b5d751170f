"""What is known about the end of a stream, and the one terminal that follows from it.

Knows: finishes said, terminators seen, errors, and which of them make an end true for this source.
Must not know: blocks, events in flight, wires.
"""

from collections.abc import Mapping

import msgspec

from weft.errors import Error, ErrorType, make_error
from weft.events import End, Finish, FinishReason, Outcome, Usage
from weft.finish import effective, finish_reason, outcome_of, worst
from weft.rules import EndSign, Rules


class Tally(msgspec.Struct):
    """What one choice has produced, as far as its finish depends on it."""

    calls: int = 0
    complete_calls: int = 0
    kinds: set[str] = set()


class Ending:
    """Collects the signs of the end. `error` is the first failure said; it makes the end true as well."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._finishes: dict[int, Finish] = {}
        self._words: dict[int, str] = {}
        self._signs: set[EndSign] = set()
        self.error: Error | None = None
        self.strangers = False
        """Were there frames that nobody could name?"""

    def finish(self, raw: str | None, reason: FinishReason | None, choice: int, why: str = "") -> None:
        """Remember a choice's finish: the last one said counts, and words that say nothing are not said."""
        reason = reason or self._rules.finishes.get(raw or "") or finish_reason(raw)
        if reason is not None:
            self._finishes[choice] = Finish(choice=choice, reason=reason, raw=raw)
        if why:
            self._words[choice] = why

    def sign(self, sign: EndSign) -> None:
        """The transport's or the protocol's terminator was seen."""
        self._signs.add(sign)

    def finished(self, choice: int) -> bool:
        """Was this choice's end said, by its own finish or by a terminator that counts here?"""
        return bool(self._signs & self._rules.ends_on) or ("finish" in self._rules.ends_on and choice in self._finishes)

    def reason(self, choice: int) -> FinishReason | None:
        """Our word for what this choice's finish was, before the content corrects it."""
        finish = self._finishes.get(choice)
        return finish.reason if finish else None

    def terminated(self) -> bool:
        """Nothing but usage can still come: the transport's or the protocol's terminator was there."""
        return bool(self._signs)

    def true(self, choices: list[int]) -> bool:
        """The source said that it is over: it failed, or every choice seen has its end."""
        if self.error is not None or self._signs & self._rules.ends_on:
            return True
        seen = set(choices) | self._finishes.keys()
        return "finish" in self._rules.ends_on and bool(seen) and all(choice in self._finishes for choice in seen)

    def end(self, tallies: dict[int, Tally], usage: Usage | None, cut: Error | None) -> End:
        """The terminal. `cut` is the fault of a stream that ended without saying so; it counts only if nothing was said."""
        finishes = tuple(self._effective(choice, tallies) for choice in sorted(tallies.keys() | self._finishes.keys()))
        error = self.error
        if error is None and not self.true(list(tallies)):
            error = cut or make_error("truncated", "the stream stopped before the source said that it was over")
        if error is None and self.strangers and usage is None and not finishes:
            error = make_error("protocol", _STRANGE, code="unknown_stream", retryable=False, fault="client")
        if error is not None:
            return End(_OUTCOMES.get(error.type, "failed"), finishes, usage, error)
        said: list[Outcome] = ["incomplete"] if "incomplete" in self._signs else []
        outcome: Outcome = worst([*said, *(outcome_of(finish) for finish in finishes)])
        return End(outcome, finishes, usage, error_of(outcome, finishes, self._words))

    def _effective(self, choice: int, tallies: dict[int, Tally]) -> Finish:
        finish = self._finishes.get(choice, Finish(choice=choice))
        tally = tallies.get(choice, Tally())
        reason = effective(
            finish.reason,
            calls=tally.calls > 0,
            complete_call=tally.complete_calls > 0,
            only_refusal="refusal" in tally.kinds and "text" not in tally.kinds,
        )
        return finish if reason == finish.reason else Finish(choice=choice, reason=reason, raw=finish.raw)


def error_of(outcome: Outcome, finishes: tuple[Finish, ...], words: Mapping[int, str]) -> Error | None:
    """The error that stands beside an outcome that a finish alone decided, in the source's own words if it had some."""
    wanted = {"failed": "error", "incomplete": "content_filter"}.get(outcome)
    finish = next((finish for finish in finishes if finish.reason == wanted), None) if wanted else None
    if finish is None:
        return None
    message = words.get(finish.choice)
    original = {"finish": finish.raw, "message": message} if message else None
    if wanted == "content_filter":
        ours = "the answer was stopped by a content filter"
        return make_error("content_blocked", message or ours, code=finish.raw, original=original)
    kind = _FAILED.get(finish.raw or "", "server")
    return make_error(kind, message or f"the source finished with {finish.raw!r}", code=finish.raw, original=original)


_STRANGE = "nothing but the end of the stream is of this protocol; is it another one?"

_OUTCOMES: dict[str, Outcome] = {"cancelled": "incomplete", "truncated": "truncated"}

_FAILED: dict[str, ErrorType] = {
    "insufficient_system_resource": "overloaded",
    "interrupted": "truncated",
    "TIMEOUT": "timeout",
    "PUP_LIMITED_DISABLED": "permission",
    "ERROR_LIMIT": "context_length",
    "MISSING_THOUGHT_SIGNATURE": "invalid_request",
    "MALFORMED_FUNCTION_CALL": "protocol",
    "MALFORMED_RESPONSE": "protocol",
    "malformed_model_output": "protocol",
    "malformed_tool_use": "protocol",
}
