"""Patterns that must not leave: replaced over a sliding window, without holding the whole text back.

Knows: text, reasoning, refusals and arguments, each block for itself. Must not know: what a secret is; the caller's patterns say so.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from weft.events import ArgsDelta, BlockEnd, End, Event, ReasoningDelta, RefusalDelta, TextDelta
from weft.steps import Emit

_TEXTS = (TextDelta, ReasoningDelta, RefusalDelta, ArgsDelta)


class Redact:
    """Replaces what matches. A match of up to `window` characters is found wherever the deltas are cut; a longer one may be missed.

    The last `window` characters of an open block wait, so that is what a reader lags behind.
    """

    def __init__(
        self, patterns: Iterable[str | re.Pattern[str]], replacement: str = "[redacted]", window: int = 128
    ) -> None:
        self._pattern = re.compile("|".join(f"(?:{p if isinstance(p, str) else p.pattern})" for p in patterns))
        self._replacement = replacement
        self._window = window
        self._held: dict[int, tuple[Any, str]] = {}

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if isinstance(event, _TEXTS):
            self._take(event, emit)
            return
        if isinstance(event, BlockEnd):
            self._let_go(event.index, emit)
        elif isinstance(event, End):
            for index in list(self._held):
                self._let_go(index, emit)
        emit(event)

    def _take(self, event: Any, emit: Emit) -> None:
        _, before = self._held.get(event.index, (None, ""))
        text = before + event.text
        keep = max(0, len(text) - self._window)
        out: list[str] = []
        at = 0
        for match in self._pattern.finditer(text):
            if match.end() > keep:
                keep = min(keep, match.start())
                break
            out += (text[at : match.start()], self._replacement)
            at = match.end()
        keep = max(keep, at)
        out.append(text[at:keep])
        self._held[event.index] = (event, text[keep:])
        if said := "".join(out):
            emit(_with(event, said))

    def _let_go(self, index: int, emit: Emit) -> None:
        held = self._held.pop(index, None)
        if held is not None and held[1]:
            emit(_with(held[0], self._pattern.sub(lambda _: self._replacement, held[1])))


def _with(event: Any, text: str) -> Any:
    """The event with another text. Log probabilities are of the old text's tokens, so they do not go on."""
    fields: dict[str, Any] = {"text": text}
    if getattr(event, "logprobs", None) is not None:
        fields["logprobs"] = None
    return msgspec.structs.replace(event, **fields)
