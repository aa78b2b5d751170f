"""`weft inspect`: a stream as a timeline for people."""

import time
from typing import Any

from weft.cli.command import Command, Parser
from weft.cli.options import add_color, add_output, add_stream, stream_options
from weft.cli.output import Output
from weft.cli.reading import Reading
from weft.cli.screen import Screen, screen_for
from weft.cli.timeline import Timeline
from weft.cli.verdict import sureness
from weft.cli.words import counted, sized
from weft.events import End, Event
from weft.framing.sniff import Sniffer
from weft.reader import Reader


class Inspection:
    """Reads one stream onto a screen. Frames are cut a second time, to be counted and shown beside what they said."""

    def __init__(self, reading: Reading, screen: Screen, *, frame_limit: int, frames: bool) -> None:
        self._reading = reading
        self._screen = screen
        self._frames_shown = frames
        self._frame_limit = frame_limit
        self._timeline = Timeline(screen.show, screen.width, timed=reading.input.is_live)
        self._frames: Sniffer | None = None
        self._began = 0.0
        self._said: list[tuple[int, Event | tuple[bytes, str]]] = []

    def run(self) -> None:
        """Read to the end."""
        self._reading.run(self._event, before=self._before, after=self._after)
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

    def _event(self, event: Event) -> None:
        at = self._reading.offset if type(event) is not End else self._reading.input.position
        self._said.append((at, event))

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
        self._screen.show([(name, "name"), (f"  {reader.dialect.title or reader.spec.title}", ""), (how, "aside")])


def _ignore(code: str, message: str, fatal: bool) -> None:
    """The reader tells of the same fault."""


def _arguments(parser: Parser) -> None:
    add_stream(parser)
    add_output(parser)
    add_color(parser)
    parser.add_argument("--frames", action="store_true", help="show every frame of the wire as well")


def _run(arguments: Any) -> int:
    options = stream_options(arguments)
    reading = Reading(options, announce=False)
    with Output(arguments.output, beside=options.file) as output:
        screen = screen_for(output, arguments.color)
        Inspection(reading, screen, frame_limit=options.limits.frame, frames=arguments.frames).run()
    return reading.told()


COMMAND = Command(
    description="""\
Shows a stream as a timeline: one line for each thing that was said, with the bytes of the input at which it was said and, for a live
stream, when; then the usage, how it ended, what went wrong and whose fault that is.""",
    examples=(
        ("weft inspect reply.sse", "a recorded stream"),
        ("curl -sN … | weft inspect", "a live one, as it comes"),
        ("weft inspect --frames --color always reply.sse | less -R", "with every frame of the wire"),
    ),
    arguments=_arguments,
    run=_run,
)
