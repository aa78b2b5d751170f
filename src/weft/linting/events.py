"""Our own events: the shapes of the closed union, and the grammar of their order.

Knows: both, as the code itself has them. Must not know: lines and framing.
"""

from typing import Any, Final

import msgspec

from weft.events import AnyEvent, End
from weft.grammar import Checker, GrammarError
from weft.linting.checklist import Checklist
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="events/form",
        title="every line is an event",
        effects=all_of("ignore", "weft"),
        reference="docs/events.schema.json",
        explain="What is no event of the closed union, or lacks a member, is noted and skipped.",
    ),
    Rule(
        id="events/order",
        title="events come in the order of the grammar",
        effects=all_of("wrong", "weft"),
        reference="docs/events.md",
        explain="`start` first, each block from its start to its end and with deltas of its kind alone, numbers without a gap. What follows the first fault is not "
        "judged by this rule.",
    ),
    Rule(
        id="events/after-end",
        title="nothing comes after `end`",
        effects=all_of("ignore", "weft"),
        reference="docs/events.md",
        explain="Every stream has exactly one terminal, and it is last.",
    ),
    Rule(
        id="events/end-missing",
        title="the stream ends with `end`",
        effects=all_of("wrong", "weft"),
        reference="docs/events.md",
        explain="Without its terminal a stream is read as truncated.",
    ),
)  # fmt: skip


class _Machine:
    """One stream."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._checker: Checker | None = Checker()
        self._ended = False

    def done(self) -> None:
        """Nobody minds the marker where the lines are events."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one event."""
        try:
            event = msgspec.convert(value, AnyEvent)
        except msgspec.ValidationError as error:
            self._report.add("events/form", str(error))
            return
        if self._ended:
            self._report.add("events/after-end", f"`{event.type}` comes after `end`")
            return
        self._ended = isinstance(event, End)
        try:
            if self._checker is not None:
                self._checker.feed(event)
        except GrammarError as error:
            self._report.add("events/order", str(error))
            self._checker = None

    def close(self) -> None:
        """A stream has its terminal."""
        if not self._ended:
            self._report.add("events/end-missing", "the stream ends without `end`")


CHECKLIST: Final = Checklist(
    protocol="events",
    framings=("ndjson", "sse"),
    clients=("weft",),
    rules=RULES,
    machine=_Machine,
)
