"""Patterns that must not leave: replaced over a sliding window, without holding the whole text back.

Knows: text, reasoning, refusals and arguments, each block for itself. Must not know: what a secret is; the caller's patterns say so.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from weft import jsontext
from weft.events import (
    Annotation,
    ArgsDelta,
    BlockEnd,
    BlockStart,
    End,
    Event,
    Note,
    ReasoningDelta,
    RefusalDelta,
    Signature,
    TextDelta,
)
from weft.steps import Emit
from weft.steps.window import Window, compiled

_TEXTS = (TextDelta, ReasoningDelta, RefusalDelta, ArgsDelta)


class _Open:
    """A block whose text goes through a window. `like` is the last delta, whose shape what is let go of has."""

    def __init__(self, window: Window, like: Any) -> None:
        self.window = window
        self.like = like
        self.said: list[str] = []
        """What was let go of, of arguments alone."""


class Redact:
    """Replaces what matches. A match of up to `window` characters is found wherever the deltas are cut; a longer one may be missed.

    The last `window` characters of an open block wait, so that is what a reader lags behind; a match that goes on for longer is replaced at once.
    What no longer holds goes too: offsets into a text that was changed, the proof of its origin, and that a call may be executed whose arguments
    are no JSON any more. Arguments are matched as the JSON text that they are.
    """

    def __init__(
        self,
        patterns: str | re.Pattern[str] | Iterable[str | re.Pattern[str]],
        replacement: str = "[redacted]",
        window: int = 128,
    ) -> None:
        self._patterns = compiled(patterns)
        self._replacement = replacement
        self._size = window
        self._open: dict[int, _Open] = {}
        self._custom: set[int] = set()
        self._changed: dict[int, type[Event]] = {}
        """Blocks that were changed, and of what kind their text is."""

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if isinstance(event, _TEXTS):
            self._take(event, emit)
            return
        if isinstance(event, BlockStart):
            if event.kind == "tool_call" and event.tool == "custom":
                self._custom.add(event.index)
        elif isinstance(event, BlockEnd):
            event = self._end(event, emit)
        elif isinstance(event, Annotation):
            event = self._placed(event)
        elif isinstance(event, Signature):
            self._let_go(event.index, emit)
            if self._changed.get(event.index) is ReasoningDelta and not event.encrypted:
                event = Note(
                    "signature_redacted", "what a signature vouched for was changed, so that it is not passed on"
                )
        elif isinstance(event, End):
            self._custom, self._changed = set(), {}
        emit(event)

    def _take(self, event: Any, emit: Emit) -> None:
        if isinstance(event, ReasoningDelta) and event.form == "encrypted":
            emit(event)
            return
        held = self._open.get(event.index)
        if held is not None and not _same_part(held.like, event):
            self._let_go(event.index, emit)
            held = None
        if held is None:
            held = self._open[event.index] = _Open(Window(self._patterns, self._worded(event), self._size), event)
        held.like = event
        self._say(held, held.window.feed(event.text), emit)

    def _worded(self, event: Any) -> str:
        """What stands in for a match: within JSON it is escaped."""
        is_json = isinstance(event, ArgsDelta) and event.index not in self._custom
        return jsontext.encode(self._replacement).decode()[1:-1] if is_json else self._replacement

    def _say(self, held: _Open, text: str, emit: Emit) -> None:
        if not text:
            return
        if isinstance(held.like, ArgsDelta):
            held.said.append(text)
        emit(_with(held.like, text))

    def _let_go(self, index: int, emit: Emit) -> _Open | None:
        """What waits of a block goes, since no more of it comes."""
        held = self._open.pop(index, None)
        if held is not None:
            self._say(held, held.window.close(), emit)
            if held.window.changed:
                self._changed[index] = type(held.like)
        return held

    def _end(self, end: BlockEnd, emit: Emit) -> BlockEnd:
        held = self._let_go(end.index, emit)
        is_json = held is not None and isinstance(held.like, ArgsDelta) and end.index not in self._custom
        self._custom.discard(end.index)
        if (
            held is None
            or not is_json
            or not held.window.changed
            or jsontext.decode_object("".join(held.said)) is not None
        ):
            return end
        return BlockEnd(end.index, complete=False)

    def _placed(self, note: Annotation) -> Annotation:
        held = self._open.get(note.index)
        if note.index in self._changed or (held is not None and held.window.changes()):
            return msgspec.structs.replace(note, start=None, end=None)
        return note


def _same_part(one: Any, other: Any) -> bool:
    """Parts of reasoning are texts of their own."""
    if not isinstance(one, ReasoningDelta) or not isinstance(other, ReasoningDelta):
        return True
    return (one.part, one.form) == (other.part, other.form)


def _with(event: Any, text: str) -> Any:
    """The event with another text. Log probabilities are of the old text's tokens, so they do not go on."""
    fields: dict[str, Any] = {"text": text}
    if getattr(event, "logprobs", None) is not None:
        fields["logprobs"] = None
    return msgspec.structs.replace(event, **fields)
