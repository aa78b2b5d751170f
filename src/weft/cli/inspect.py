"""`weft inspect`: a stream as a timeline for people."""

import time
from typing import Any

from weft.cli.command import Command, Parser, Refused
from weft.cli.convert import target_named
from weft.cli.options import StreamOptions, add_color, add_output, add_stream, stream_options
from weft.cli.output import Output
from weft.cli.page import Page
from weft.cli.reading import Reading
from weft.cli.screen import Screen, screen_for
from weft.cli.timeline import Timeline
from weft.cli.transcript import Transcript
from weft.cli.unread import Unread
from weft.cli.verdict import sureness
from weft.cli.words import counted, shortened, sized
from weft.context import Context
from weft.encoder import Encoder
from weft.events import End, Event
from weft.framing.sniff import Sniffer
from weft.losses import Losses
from weft.protocol import ProtocolSpec
from weft.reader import Reader
from weft.steps.narrow import narrowed


class Inspection:
    """Reads one stream onto a screen. Frames are cut a second time, to be counted and shown beside what they said."""

    def __init__(
        self, reading: Reading, screen: Screen, target: ProtocolSpec | None, *, frame_limit: int, frames: bool
    ) -> None:
        self._reading = reading
        self._screen = screen
        self._frames_shown = frames
        self._frame_limit = frame_limit
        self._timeline = Timeline(screen.show, screen.width, timed=reading.input.is_live)
        self._frames: Sniffer | None = None
        self._began = 0.0
        self._said: list[tuple[int, Event | tuple[bytes, str]]] = []
        self._unread = Unread()
        self._target = target
        self._losses = Losses()
        encoder = target.encoder(_unwritten, Context(), self._losses) if target is not None else None
        self._emit = narrowed(encoder, self._losses) if encoder is not None else _unsaid

    def run(self) -> None:
        """Read to the end."""
        self._reading.run(self._event, before=self._before, after=self._after)
        self._timeline.unread(self._unread.counts)
        if self._target is not None:
            self._timeline.losses(self._target.name, self._losses.report())
        counts = [counted(count, thing) for thing, count in self._timeline.count.items() if count]
        self._screen.show([(", ".join([*counts, sized(self._reading.input.position)]), "aside")])

    def _before(self, reader: Reader, chunk: bytes) -> None:
        if self._frames is None:
            self._began = time.monotonic()
            self._title(reader)
            self._frames = Sniffer(self._frame, _ignore, self._frame_limit, reader.spec.framing)
        self._frames.feed(chunk)

    def _frame(self, data: bytes, name: str) -> None:
        if self._frames is not None:
            self._said.append((self._frames.offset, (data, name)))
        if self._reading.reader is not None:
            self._unread.frame(self._reading.reader, data, name)

    def _event(self, event: Event) -> None:
        at = self._reading.offset if type(event) is not End else self._reading.input.position
        self._said.append((at, event))
        self._emit(event)

    def _after(self) -> None:
        """Tell what was said since the last time, frames before the events that came of them."""
        if self._reading.end is not None and self._frames is not None:
            self._frames.close()
        at = time.monotonic() - self._began if self._reading.input.is_live else None
        for offset, thing in sorted(self._said, key=lambda pair: pair[0]):
            if isinstance(thing, Event):
                self._timeline.event(thing, offset, at)
            else:
                self._timeline.frame(*thing, offset, at, shown=self._frames_shown)
        self._said.clear()
        if (line := self._timeline.open_line()) is not None:
            self._screen.hold(line)
        self._screen.flush()

    def _title(self, reader: Reader) -> None:
        name = f"{reader.spec.name}/{reader.dialect.name}" if reader.dialect.name else reader.spec.name
        detected = self._reading.detected
        how = f"  ({sureness(detected)})" if detected is not None else ""
        title = f"  {reader.dialect.title or reader.spec.title}"
        room = max(0, self._screen.width - len(name) - len(title))
        self._screen.show([(name, "name"), (title, ""), (shortened(how, room) if room else "", "aside")])


def _ignore(code: str, message: str, fatal: bool) -> None:
    """The reader tells of the same fault."""


class PageInspection:
    """Reads one stream into a page: frames, what was said in each, and what a target is sent for it as if each came by itself."""

    def __init__(self, reading: Reading, target: ProtocolSpec | None, *, frame_limit: int) -> None:
        self._reading = reading
        self._frame_limit = frame_limit
        self._transcript = Transcript()
        self._losses = Losses()
        self._unread = Unread()
        self._target = target
        self._encoder: Encoder | None = target.encoder(self._write, Context(), self._losses) if target else None
        self._emit = narrowed(self._encoder, self._losses) if self._encoder is not None else _unsaid
        self._frames: Sniffer | None = None
        self._began = 0.0
        self._offset = 0
        self._over = True

    def run(self) -> None:
        """Read to the end."""
        self._reading.run(self._event, before=self._before, after=self._after, progress=True)

    def page(self) -> Page:
        """What was read, as a page."""
        if self._frames is not None:
            self._frames.close()
        self._transcript.close()
        return Page(self._transcript, self._reading, self._target, self._losses.report(), self._unread.counts)

    def _before(self, reader: Reader, chunk: bytes) -> None:
        if self._frames is None:
            self._began = time.monotonic()
            self._frames = Sniffer(self._frame, _ignore, self._frame_limit, reader.spec.framing)
        self._transcript.take(chunk)
        self._frames.feed(chunk)
        self._over = False

    def _frame(self, data: bytes, name: str) -> None:
        if self._frames is not None:
            at = time.monotonic() - self._began if self._reading.input.is_live else None
            self._transcript.frame(self._frames.offset, data, name, at)
        if self._reading.reader is not None:
            self._unread.frame(self._reading.reader, data, name)

    def _event(self, event: Event) -> None:
        if self._reading.offset != self._offset:
            self._flush()
            self._offset = self._reading.offset
        self._transcript.say(self._offset, event, over=self._over)
        self._emit(event)

    def _write(self, data: bytes) -> None:
        self._transcript.say(self._offset, data, over=self._over)

    def _flush(self) -> None:
        if self._encoder is not None:
            self._encoder.flush()

    def _after(self) -> None:
        self._flush()
        if not self._over:
            self._transcript.settle()
        self._over = True


def _unwritten(data: bytes) -> None:
    """Only the losses are asked for."""


def _unsaid(event: Event) -> None:
    """There is no target."""


def _arguments(parser: Parser) -> None:
    add_stream(parser)
    add_output(parser)
    add_color(parser)
    parser.add_argument("--frames", action="store_true", help="show every frame too")
    parser.add_argument(
        "--html",
        metavar="PAGE",
        help="write an HTML page instead, with frames, events and output side by side; - is standard output",
    )
    parser.add_argument(
        "-t",
        "--to",
        dest="target",
        metavar="PROTOCOL",
        help="list what this target would lose; on an HTML page, also show what it would be sent",
    )


def _run(arguments: Any) -> int:
    options = stream_options(arguments)
    if arguments.html is not None:
        return _write_page(options, arguments)
    target = target_named(arguments.target) if arguments.target is not None else None
    reading = Reading(options, announce=False)
    with Output(arguments.output, beside=options.file) as output:
        screen = screen_for(output, arguments.color)
        Inspection(reading, screen, target, frame_limit=options.limits.frame, frames=arguments.frames).run()
    return reading.told()


def _write_page(options: StreamOptions, arguments: Any) -> int:
    """The page is written when the stream is over, or was interrupted."""
    target = target_named(arguments.target) if arguments.target is not None else None
    if arguments.output is not None or arguments.frames:
        raise Refused("--html names the output and shows every frame: it cannot be combined with -o or --frames")
    reading = Reading(options, announce=False)
    inspection = PageInspection(reading, target, frame_limit=options.limits.frame)
    with Output(arguments.html, beside=options.file) as output:
        try:
            inspection.run()
        finally:
            if reading.end is not None:
                output.write(inspection.page().html().encode("utf-8", "replace"))
    return reading.told()


COMMAND = Command(
    description="""\
Shows a stream as a timeline: one line for each thing that was said, with its byte offsets in the input and, for a live stream, the
time; then the usage, how the stream ended, what went wrong and who is at fault.""",
    examples=(
        ("weft inspect reply.sse", "a recorded stream"),
        ("curl -sN … | weft inspect", "a live stream, as it arrives"),
        ("weft inspect --frames --color always reply.sse | less -R", "with every frame"),
        (
            "weft inspect --html page.html --to anthropic reply.sse",
            "an HTML page that also shows what a target would be sent",
        ),
    ),
    arguments=_arguments,
    run=_run,
)
