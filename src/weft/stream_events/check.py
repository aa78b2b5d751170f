"""The invariants of Stream Event v1, held against somebody's adapter.

Knows: in which forms events may be handed over. Must not know: any rule; the linter has them.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import msgspec

from weft.linting import Finding, lint
from weft.linting.checklist import checklist
from weft.linting.report import Report
from weft.linting.rule import Rule
from weft.linting.transport import RULES as TRANSPORT_RULES
from weft.sources import pieces_of
from weft.stream_events.union import STREAM_EVENTS

PROTOCOL = "stream-event-v1"


def check_stream_events(stream: Any) -> list[Finding]:
    """What is wrong with a stream of events: the typed ones, dicts, or bytes or text of JSON lines. None if it keeps the contract.

    `offset` is the byte at which a line begins, and for events that are no bytes their place in the stream, counted from 0.
    """
    pieces = iter(pieces_of(stream))
    first = next(pieces, None)
    if first is None:
        return _judged(())
    every = chain((first,), pieces)
    if isinstance(first, bytes | bytearray | memoryview | str):
        return lint(every, PROTOCOL)
    return _judged(every)


def _judged(events: Iterable[Any]) -> list[Finding]:
    findings: list[Finding] = []
    rows = checklist(PROTOCOL)
    rules: dict[str, Rule] = {**TRANSPORT_RULES, **rows.rules}
    report = Report(findings.append, rules, rows.clients)
    machine = rows.machine(report)
    report.at = -1
    for report.at, event in enumerate(events):
        value = msgspec.to_builtins(event) if isinstance(event, STREAM_EVENTS) else event
        if isinstance(value, Mapping):
            machine.frame(dict(value), "")  # pyright: ignore[reportUnknownArgumentType] - JSON
        else:
            report.add("transport/not-object", f"a {type(event).__name__} is no event")
    report.at += 1
    machine.close()
    return findings
