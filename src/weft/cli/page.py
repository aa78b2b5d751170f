"""`weft inspect --html`: a transcript as one page that needs nothing else.

Knows: how frames, events, output, blocks and losses are laid out. Must not know: how a stream is read, or any protocol.
A stream is hostile input: all of it goes through `markup`, and the page forbids every script but its own.
"""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import PurePath
from typing import Any

import msgspec

from weft import events as ev
from weft.cli import page_frames, verdict
from weft.cli.markup import Html, joined, seen, tag
from weft.cli.reading import Reading
from weft.cli.transcript import Block, Frame, Transcript
from weft.cli.words import counted, sized
from weft.errors import Error
from weft.losses import WHAT, Loss
from weft.protocol import ProtocolSpec

_TEXT = 20_000
"""So many characters of a block are shown."""
_NOTES = 1_000
_TICKS = (0, 25, 50, 75, 100)
_ROLES: dict[ev.Outcome, str] = {"completed": "good", "incomplete": "odd", "failed": "bad", "truncated": "bad"}
_COUNTS = {
    "input_tokens": "input",
    "cache_read_tokens": "… read from cache",
    "cache_write_tokens": "… written to cache",
    "output_tokens": "output",
    "reasoning_tokens": "… reasoning",
    "total_tokens": "total",
}


class Page:
    """A transcript, what is known about its reading, and what the target lost, if there is one."""

    def __init__(
        self,
        transcript: Transcript,
        reading: Reading,
        target: ProtocolSpec | None,
        losses: list[Loss],
        unread: Mapping[str, int],
    ) -> None:
        self._transcript = transcript
        self._reading = reading
        self._target = target
        self._losses = losses
        self._unread = unread
        self._name = PurePath(reading.input.name).name  # where it lies is nobody's business but the machine's

    def html(self) -> str:
        """The page."""
        style, script = (Html(_asset(name)) for name in ("page.css", "page.js"))
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        head = tag(
            "head",
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", f"{self._name} · weft inspect"),
            tag("style", style),
        )
        body = tag(
            "body", tag("header", self._title(), self._why()), tag("main", *self._sections()), tag("script", script)
        )
        return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"

    def _sections(self) -> list[Html | None]:
        return [
            tag("div", self._facts(), self._usage(), class_="cards"),
            self._timeline(),
            self._notes(),
            self._lost(),
            self._not_read(),
            page_frames.section(self._transcript.frames, target=self._target is not None),
        ]

    # -- the head ----------------------------------------------------------------------------------------------------

    def _title(self) -> Html:
        end = self._transcript.end
        outcome = end.outcome if end is not None else "truncated"
        finishes = [finish.raw or finish.reason for finish in end.finishes] if end is not None else []
        said = ", ".join(seen(finish, 80) for finish in finishes if finish and finish != outcome)
        return tag(
            "div",
            tag("h1", self._name),
            tag("span", outcome, tag("small", said) if said else None, class_=f"badge {_ROLES[outcome]}"),
            class_="title",
        )

    def _why(self) -> Html | None:
        """What went wrong, where, and whose fault it is."""
        end, reader = self._transcript.end, self._reading.reader
        if end is None or end.outcome == "completed":
            return None
        size = self._transcript.size
        failed_at = reader.failed_at if reader is not None else None
        where = self._transcript.frame_at(failed_at) if failed_at is not None else self._transcript.last
        place = failed_at if failed_at is not None else size
        return tag(
            "section",
            tag("h2", "What went wrong"),
            tag("p", seen(end.error.message, _TEXT) if end.error is not None else verdict.reason(end, place, size)),
            tag(
                "p",
                tag("strong", "fault of the ", end.error.fault) if end.error is not None else None,
                f" at byte {place:,}, ",
                _link(where) if where is not None else "before any frame",
            ),
            _details_of(end.error) if end.error is not None else None,
            class_=f"why {_ROLES[end.outcome]}",
            id="why",
        )

    def _facts(self) -> Html:
        transcript, reader, detected = self._transcript, self._reading.reader, self._reading.detected
        start = transcript.start
        sent = sum(len(piece) for frame in transcript.frames for piece in frame.output)
        facts: dict[str, str | None] = {}
        if reader is not None:
            dialect = f"/{reader.dialect.name}" if reader.dialect.name else ""
            facts["protocol"] = f"{reader.dialect.title or reader.spec.title} ({reader.spec.name}{dialect})"
        facts["detected"] = verdict.sureness(detected) if detected is not None else None
        if start is not None:
            facts["id"] = f"{seen(start.id, 200)}{' (made by weft)' if start.made else ''}"
            facts["model"] = seen(start.model, 200) if start.model else None
            facts["provider"] = seen(start.provider, 200) if start.provider else None
        facts["input"] = (
            f"{counted(sum(f.payload is not None for f in transcript.frames), 'frame')}, {sized(transcript.size)}"
        )
        facts["blocks"] = f"{len(transcript.blocks):,}"
        facts["output"] = f"{self._target.name}, {sized(sent)}" if self._target is not None else None
        return tag("section", tag("h2", "Stream"), _pairs(facts), class_="card")

    def _usage(self) -> Html | None:
        usage = self._transcript.end.usage if self._transcript.end is not None else None
        if usage is None:
            return None
        rows = [
            tag("tr", tag("th", word), tag("td", f"{count:,}", class_="number"), tag("td", usage.sources.get(name, "")))
            for name, word in _COUNTS.items()
            if (count := getattr(usage, name)) is not None
        ]
        return tag("section", tag("h2", "Tokens"), tag("table", *rows), class_="card")

    # -- blocks ------------------------------------------------------------------------------------------------------

    def _timeline(self) -> Html | None:
        blocks = self._transcript.blocks
        if not blocks:
            return None
        live = self._reading.input.is_live
        frames = self._transcript.frames
        whole = max((frame.at or 0.0 for frame in frames), default=0.0) if live else float(self._transcript.size)
        ticks = [tag("span", _tick(whole * share / 100, live=live), style=f"--at:{share}%") for share in _TICKS]
        lanes = [_lane(block, whole or 1.0, live=live) for block in blocks]
        return tag(
            "section",
            tag("h2", "Blocks", tag("small", "by time" if live else "by bytes of the input")),
            tag("div", tag("div", *ticks, class_="axis"), *lanes, class_="lanes"),
            id="blocks",
        )

    # -- tables ------------------------------------------------------------------------------------------------------

    def _notes(self) -> Html | None:
        notes = self._transcript.notes
        rows = [
            tag(
                "tr",
                tag("td", tag("code", seen(note.code, 80))),
                tag("td", seen(note.message, 500)),
                tag("td", _link(frame)),
            )
            for note, frame in notes[:_NOTES]
        ]
        if len(notes) > _NOTES:
            rows.append(tag("tr", tag("td", f"and {len(notes) - _NOTES:,} more", colspan=3)))
        return _table("notes", "Notes", "irregularities that did not end the stream", rows) if rows else None

    def _lost(self) -> Html | None:
        if self._target is None:
            return None
        rows = [
            tag(
                "tr",
                tag("td", tag("code", loss.what)),
                tag("td", WHAT[loss.what]),
                tag("td", loss.why),
                tag("td", _place(loss)),
            )
            for loss in self._losses
        ]
        about = f"what {self._target.name} cannot express"
        return _table("losses", "Losses", about, rows or [tag("tr", tag("td", "Nothing was lost."))])

    def _not_read(self) -> Html | None:
        rows = [
            tag("tr", tag("td", tag("code", seen(path, 200))), tag("td", f"in {counted(count, 'frame')}"))
            for path, count in [*self._unread.items()][:_NOTES]
        ]
        return _table("unread", "Not read", "members of known frames that weft does not read", rows) if rows else None


def _asset(name: str) -> str:
    return files("weft.cli").joinpath(name).read_text(encoding="utf-8")


def _link(frame: Frame) -> Html:
    return tag(
        "a", f"frame {frame.number}" if frame.payload is not None else "end of the input", href=f"#f{frame.number}"
    )


def _place(loss: Loss) -> Html:
    times = f", {loss.count:,} times" if loss.count > 1 else ""
    word, _, index = loss.where.partition(" ")
    if word == "block" and index.isdigit():
        return joined(tag("a", loss.where, href=f"#b{index}"), times)
    return joined(loss.where, times)


def _pairs(facts: dict[str, str | None]) -> Html:
    return tag("dl", *[joined(tag("dt", name), tag("dd", fact)) for name, fact in facts.items() if fact])


def _table(name: str, title: str, about: str, rows: list[Html]) -> Html:
    return tag("section", tag("h2", title, tag("small", about)), tag("table", *rows), class_="card", id=name)


def _details_of(error: Error) -> Html:
    values: dict[str, Any] = {
        "type": error.type,
        "code": error.code,
        "status": error.status,
        "parameter": error.parameter,
        "worth a retry": "yes" if error.retryable else "no",
        "retry after": f"{error.retry_after:g} s" if error.retry_after else None,
        "as it came": _plain(error.original) if error.original is not None else None,
    }
    return _pairs({name: None if value is None else seen(str(value), _TEXT) for name, value in values.items()})


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode("utf-8", "replace")


def _tick(value: float, *, live: bool) -> str:
    return f"{value:.2f} s" if live else sized(int(value))


def _lane(block: Block, whole: float, *, live: bool) -> Html:
    """A block as a bar from where it began to where it ended; opened, it shows its text."""
    start, first, last = block.start, block.first, block.last
    at, to = (first.at or 0.0, last.at or 0.0) if live else (first.offset, last.offset + len(last.raw))
    left = min(100.0, 100 * at / whole)
    width = max(0.0, min(100.0, 100 * to / whole) - left)
    text = "".join(block.pieces)
    asides = [f"choice {start.choice}" if start.choice else "", f"step {start.step}" if start.step else ""]
    asides += ["run by the provider" if start.executor == "provider" else "", start.id or ""]
    asides += [
        "not complete" if not block.complete else "",
        counted(len(text), "character"),
        counted(block.deltas, "delta"),
    ]
    name = seen(start.name, 60) if start.name else None
    bar = tag(
        "span",
        class_=f"bar {start.kind}{'' if block.complete else ' cut'}",
        style=f"--at:{left:.3f}%;--width:{width:.3f}%",
    )
    label = tag("span", tag("b", start.kind), f" #{start.index} ", tag("i", name) if name else None, class_="label")
    return tag(
        "details",
        tag("summary", label, tag("span", bar, class_="track")),
        tag("p", _link(first), " … ", _link(last), *[f" · {seen(aside, 120)}" for aside in asides if aside]),
        tag("pre", seen(text, _TEXT)) if text else None,
        class_="lane",
        id=f"b{start.index}",
    )
