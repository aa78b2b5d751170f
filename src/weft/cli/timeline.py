"""The timeline: one line for each thing that a stream said, with the bytes (and the time, where it is known) at which it said it.

Knows: how each event reads to people. Must not know: files, clocks, or how lines get to a terminal. Texts are kept only as far as they are shown.
"""

from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any

import msgspec

from weft import events as ev
from weft.cli.screen import Line
from weft.cli.verdict import error_line
from weft.cli.words import counted, one_line, shortened, sized
from weft.losses import Loss

_HEAD = 400
_TAIL = 200
_ENOUGH = 60
_OF_A_KIND = 5
"""So many notes, and frames without a name, are shown of each kind; the rest are counted."""
_BYTES, _KIND, _TIME = 15, 12, 9
_ROLES = {"reasoning": "reasoning", "text": "text", "refusal": "odd", "tool_call": "call", "tool_result": "call"}
_OUTCOMES: dict[ev.Outcome, str] = {"completed": "good", "incomplete": "odd", "failed": "bad", "truncated": "bad"}


class _Block:
    """An open block, as far as it will be shown."""

    def __init__(self, start: ev.BlockStart, offset: int) -> None:
        self.start = start
        self.offset = offset
        self.head = self.tail = ""
        self.length = self.deltas = self.signatures = self.citations = 0

    def say(self, text: str) -> None:
        """A piece of its text."""
        self.length += len(text)
        self.deltas += 1
        if len(self.head) < _HEAD:
            self.head += text[: _HEAD - len(self.head)]
        self.tail = (self.tail + text[-_TAIL:])[-_TAIL:]


class Timeline:
    """Feeds on frames and events; gives a line to `show` for each thing that is over, and has a line for what is still open."""

    def __init__(self, show: Callable[[Line], object], width: int, *, timed: bool = False) -> None:
        self._show = show
        self._width = width
        self._timed = timed
        self._blocks: dict[int, _Block] = {}
        self._odd: dict[str, int] = {}
        self.count = {"frame": 0, "block": 0, "note": 0}
        self._at: float | None = None
        self._offset = 0
        self._latest: _Block | None = None
        self._on: dict[type[ev.Event], Callable[[Any], None]] = {
            ev.Start: self._start,
            ev.Meta: lambda e: self._row("meta", f"{e.name} = {_plain(e.value)}", role="aside"),
            ev.Note: self._note,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._delta,
            ev.ReasoningDelta: self._delta,
            ev.RefusalDelta: self._delta,
            ev.ArgsDelta: self._delta,
            ev.Signature: self._signature,
            ev.Annotation: self._annotation,
            ev.File: self._file,
            ev.Result: lambda e: self._blocks[e.index].say(_plain(e.content)),
            ev.Opaque: lambda e: self._blocks[e.index].say(_plain(e.raw)),
            ev.BlockEnd: self._block_end,
            ev.StepStart: lambda e: self._row("step", f"{e.step} begins", role="aside"),
            ev.StepEnd: lambda e: self._row("step", f"{e.step} ends: {e.finish_raw or e.finish}", role="aside"),
            ev.Unknown: lambda e: self._oddity("unknown", "frame", f"{e.name} {_plain(e.raw)}".strip()),
            ev.End: self._end,
        }

    def frame(self, data: bytes, name: str, offset: int, at: float | None, *, shown: bool) -> None:
        """A frame of the wire came."""
        self.count["frame"] += 1
        if shown:
            self._offset, self._at = offset, at
            self._row(
                "frame",
                f"{name} {data[:_HEAD].decode('utf-8', 'replace')}".strip(),
                sized(len(data)),
                "place",
            )

    def event(self, event: ev.Event, offset: int, at: float | None) -> None:
        """An event came. Usage is told once, at the end."""
        self._offset, self._at = offset, at
        take = self._on.get(type(event))
        if take is not None:
            take(event)

    def open_line(self) -> Line | None:
        """What is being said just now, by its latest words."""
        block = self._latest
        if block is None or block.start.index not in self._blocks:
            return None
        body = shortened(one_line(block.tail)[::-1], self._room(""))[::-1]
        return self._line(f"{block.offset}…", _label(block.start), body, "", _ROLES.get(block.start.kind, ""))

    def unread(self, counts: Mapping[str, int]) -> None:
        """Members that nobody reads, and in how many frames they were."""
        for path, count in [*counts.items()][:_ENOUGH]:
            self._row("unread", path, f"in {counted(count, 'frame')}", "odd")
        if len(counts) > _ENOUGH:
            self._row("and", f"{len(counts) - _ENOUGH:,} more that weft does not read", role="odd")

    def losses(self, target: str, losses: Sequence[Loss]) -> None:
        """What a target could not say."""
        for loss in losses:
            times = f", {loss.count:,} times" if loss.count > 1 else ""
            self._row("lost", f"{loss.what}: {loss.why}", f"{one_line(loss.where)}{times}", "odd")
        if not losses:
            self._row("lost", f"nothing: {target} can express all of it", role="good")

    # -- one method for each event -------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        facts = [event.id, event.model, event.provider]
        self._row("start", " · ".join(fact for fact in facts if fact), "id made by weft" if event.made else "")

    def _note(self, event: ev.Note) -> None:
        self.count["note"] += 1
        self._oddity("note", event.code, f"{event.code}: {event.message}")

    def _oddity(self, kind: str, name: str, body: str) -> None:
        seen = self._odd[name] = self._odd.get(name, 0) + 1
        if seen <= _OF_A_KIND:
            self._row(kind, body, role="odd")

    def _block_start(self, event: ev.BlockStart) -> None:
        self.count["block"] += 1
        self._latest = self._blocks[event.index] = _Block(event, self._offset)

    def _delta(self, event: ev.TextDelta | ev.ReasoningDelta | ev.RefusalDelta | ev.ArgsDelta) -> None:
        self._latest = self._blocks[event.index]
        hidden = isinstance(event, ev.ReasoningDelta) and event.form == "encrypted"
        self._latest.say("" if hidden else event.text)

    def _signature(self, event: ev.Signature) -> None:
        self._blocks[event.index].signatures += 1

    def _annotation(self, event: ev.Annotation) -> None:
        self._blocks[event.index].citations += 1

    def _file(self, event: ev.File) -> None:
        size = sized(len(event.data) * 3 // 4) if event.data else ""
        facts = [event.media_type, event.name, size, event.url or event.file_id, "preview" if event.partial else ""]
        self._blocks[event.index].say(" ".join(fact for fact in facts if fact) + " ")

    def _block_end(self, event: ev.BlockEnd) -> None:
        block = self._blocks.pop(event.index)
        asides, body = _asides(block, event.complete), _body(block)
        while len(asides) > 1 and self._room(", ".join(asides)) < min(_ENOUGH, len(body)):
            asides.pop()
        aside = ", ".join(asides)
        role = _ROLES.get(block.start.kind, "") if event.complete else "odd"
        place = f"{block.offset}…{self._offset}"
        self._show(self._line(place, _label(block.start), shortened(body, self._room(aside)), aside, role))

    def _end(self, event: ev.End) -> None:
        for name, seen in self._odd.items():
            if seen > _OF_A_KIND:
                self._row("and", f"{seen - _OF_A_KIND:,} more of {name}", role="odd")
        if event.usage is not None:
            aside = event.usage.source or ""
            first, *more = wrap(_usage(event.usage), self._room(aside)) or [""]
            self._row("usage", first, aside)
            for line in more:
                self._row("", line)
        self._row("end", f"{event.outcome}{_finishes(event)}", role=_OUTCOMES[event.outcome])
        if event.error is not None:
            for line in wrap(error_line(event.error), self._room("")):
                self._row("why", line, role="bad")

    # -- lines ---------------------------------------------------------------------------------------------------

    def _row(self, kind: str, body: str, aside: str = "", role: str = "") -> None:
        room = self._room(aside)
        self._show(self._line(str(self._offset), kind, shortened(one_line(body), room), aside, role))

    def _room(self, aside: str) -> int:
        return max(16, self._width - _BYTES - _KIND - 3 - self._timed * _TIME - (len(aside) + 2 if aside else 0))

    def _line(self, place: str, kind: str, body: str, aside: str, role: str) -> Line:
        line: Line = (
            [(f"{f'+{self._at:.2f} s' if self._at is not None else '':>{_TIME - 1}} ", "place")] if self._timed else []
        )
        line += [(f"{place:>{_BYTES}}  ", "place"), (f"{kind:<{_KIND}} ", "kind"), (body, role)]
        if aside:
            line.append((f"  {aside}", "aside"))
        return line


def _label(start: ev.BlockStart) -> str:
    return f"{start.kind} #{start.choice}" if start.choice else start.kind


def _body(block: _Block) -> str:
    start, said = block.start, one_line(block.head)
    if start.kind == "tool_call":
        return f"{one_line(start.name or '(no name)')} {said}"
    if start.kind in {"tool_result", "opaque", "file"}:
        return f"{one_line(start.name or '')} {said}".strip()
    return said


def _asides(block: _Block, complete: bool) -> list[str]:
    """What stands behind a block's text, the most important first."""
    start = block.start
    facts = [
        "" if complete else "not complete",
        one_line(start.id or "") if start.kind in {"tool_call", "tool_result"} else "",
        "run by the provider" if start.kind == "tool_call" and start.executor == "provider" else "",
        "signed" if block.signatures else "",
        one_line(start.channel or ""),
        counted(block.citations, "citation") if block.citations else "",
        counted(block.length, "character") if start.kind in {"text", "reasoning", "refusal"} else "",
        counted(block.deltas, "delta") if block.deltas > 1 else "",
    ]
    return [fact for fact in facts if fact]


def _usage(usage: ev.Usage) -> str:
    into = [(usage.cache_read_tokens, "from cache"), (usage.cache_write_tokens, "into cache")]
    out = [(usage.reasoning_tokens, "reasoning")]
    parts = [
        _tokens(usage.input_tokens, "in", into),
        _tokens(usage.output_tokens, "out", out),
        _tokens(usage.total_tokens, "in all", []),
    ]
    return ", ".join(part for part in parts if part)


def _tokens(count: int | None, word: str, of_which: list[tuple[int | None, str]]) -> str:
    if count is None:
        return ""
    split = ", ".join(f"{part:,} {name}" for part, name in of_which if part)
    return f"{count:,} {word}{f' ({split})' if split else ''}"


def _finishes(end: ev.End) -> str:
    told = [
        f"{finish.reason}" + (f" ({finish.raw})" if finish.raw and finish.raw != finish.reason else "")
        for finish in end.finishes
        if finish.reason
    ]
    return f": {', '.join(told)}" if told else ""


def _plain(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode("utf-8", "replace")
    return text[:_HEAD]
