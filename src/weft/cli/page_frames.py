"""The frames of a page: in each row what came, what it means, and what a target was sent for it.

Knows: how a frame, an event and a piece of output read, and which frames are folded together. Must not know: the rest of the page.
"""

from collections.abc import Iterator
from itertools import groupby
from math import ceil
from typing import Any

import msgspec

from weft import events as ev
from weft.cli.markup import Html, seen, tag
from weft.cli.transcript import DELTAS, Frame
from weft.cli.words import counted, one_line, shortened, sized
from weft.framing.framers import FRAMERS

_CELL = 4_000
"""So many characters of a frame, an event or an output are shown."""
_FEW, _MANY = 4, 500
"""Fewer frames than these are not folded; more are folded in several equal parts, so that opening one stays quick."""
MOST = 20_000
"""Of more frames than these the first and the last half are shown: a page that no browser opens shows nothing."""
_WORDS = 160
_QUIET = (*DELTAS, ev.Usage)
_NUL = 0


def section(frames: list[Frame], *, target: bool) -> Html:
    """All frames, up to a limit. Runs of those that only go on with what was begun are folded."""
    titles = ["", "frame", "events", *(["output"] if target else [])]
    if len(frames) > MOST:
        between = f"{counted(len(frames) - MOST, 'frame')} in between are not shown; weft inspect --frames shows all"
        first, last = frames[: MOST // 2], frames[-(MOST // 2) :]
        parts = [*_rows(first, target=target), tag("p", between, class_="between"), *_rows(last, target=target)]
    else:
        parts = [*_rows(frames, target=target)]
    return tag(
        "section",
        tag("h2", "Frames", tag("small", "what came, what it means", ", what is sent" if target else None)),
        tag(
            "div",
            tag("input", type="search", id="find", placeholder="find in frames", aria_label="find in frames"),
            tag("button", "open all", type="button", data_open="yes"),
            tag("button", "close all", type="button", data_open="no"),
            tag("output", id="found"),
            class_="tools",
        ),
        tag("div", *[tag("span", title) for title in titles], class_="row names"),
        *parts,
        id="frames",
        class_="with-output" if target else None,
    )


def _rows(frames: list[Frame], *, target: bool) -> Iterator[Html]:
    for quiet, run in groupby(frames, _goes_on):
        yield from _parts([*run], quiet=quiet, target=target)


def _goes_on(frame: Frame) -> bool:
    return frame.payload is not None and all(isinstance(event, _QUIET) for event in frame.events)


def _parts(run: list[Frame], *, quiet: bool, target: bool) -> Iterator[Html]:
    if not quiet or len(run) < _FEW:
        yield from (_row(frame, target=target) for frame in run)
        return
    size = ceil(len(run) / ceil(len(run) / _MANY))
    for at in range(0, len(run), size):
        yield _fold(run[at : at + size], target=target)


def _fold(run: list[Frame], *, target: bool) -> Html:
    blocks = dict.fromkeys(event.index for frame in run for event in frame.events if isinstance(event, DELTAS))
    size = sum(len(frame.raw) for frame in run)
    words = "".join(event.text for frame in run for event in frame.events if isinstance(event, DELTAS))
    return tag(
        "details",
        tag(
            "summary",
            tag("span", f"{run[0].number} … {run[-1].number}", class_="place"),
            tag("b", counted(len(run), "frame")),
            *[tag("a", f"#{index}", href=f"#b{index}", class_="index") for index in [*blocks][:8]],
            tag("q", shortened(one_line(words[:_WORDS]), _WORDS)) if words else tag("i", "nothing was said"),
            tag("small", sized(size)),
        ),
        *[_row(frame, target=target) for frame in run],
        class_="fold",
    )


def _row(frame: Frame, *, target: bool) -> Html:
    place = tag(
        "a",
        tag("b", str(frame.number) if frame.payload is not None else "end"),
        tag("span", f"byte {frame.offset:,}"),
        tag("span", f"+{frame.at:.2f} s") if frame.at is not None else None,
        class_="place",
        href=f"#f{frame.number}",
    )
    raw = (
        tag("pre", seen(_text_of(frame.raw), _CELL), class_="raw")
        if frame.payload is not None
        else tag("i", "the input is over")
    )
    output = tag("pre", seen(_text_of(b"".join(frame.output)), _CELL), class_="sent") if target else None
    return tag(
        "article", place, raw, tag("div", *map(_event, frame.events)), output, class_="row", id=f"f{frame.number}"
    )


def _text_of(data: bytes) -> str:
    """Bytes as text; of binary frames their names and payloads."""
    frames: list[str] = []
    if _NUL in data:
        FRAMERS["aws"](
            lambda payload, name: frames.append(f"{name}\n{payload.decode('utf-8', 'replace')}"), _ignore, len(data)
        ).feed(data)
    return "\n\n".join(frames) or data.decode("utf-8", "replace").strip("\r\n")


def _ignore(code: str, message: str, fatal: bool) -> None:
    """The reader tells of the same fault."""


def _event(event: Any) -> Html:
    """One event: its type, its block, and the rest of what it says."""
    index = getattr(event, "index", None)
    fields: dict[str, Any] = msgspec.to_builtins(event, enc_hook=str)
    said = {name: _json(value) for name, value in fields.items() if name not in {"type", "index"}}
    body = said["text"] if [*said] == ["text"] else "  ".join(f"{name}={value}" for name, value in said.items())
    return tag(
        "div",
        tag("b", event.type),
        tag("a", f"#{index}", href=f"#b{index}", class_="index") if index is not None else None,
        tag("code", seen(body, _CELL)) if said else None,
        class_=f"event {event.type}",
    )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")
