"""`weft demo`: a stream is read live, frame by frame, into a timeline and a message."""

import time
from typing import Any

from weft.cli import samples
from weft.cli.command import Command, Parser
from weft.cli.options import add_color
from weft.cli.output import Output
from weft.cli.screen import Line, Screen, screen_for
from weft.cli.timeline import Timeline
from weft.events import Event
from weft.message import Collector, Message
from weft.reader import Reader

_PROTOCOL = "anthropic"
_PAUSE = 0.08


def _arguments(parser: Parser) -> None:
    add_color(parser)
    parser.add_argument("--fast", action="store_true", help="without the pauses, as it is where nobody is looking")


def _run(arguments: Any) -> int:
    with Output() as output:
        screen = screen_for(output, arguments.color)
        pause = _PAUSE if output.is_terminal and not arguments.fast else 0.0
        screen.show([("An answer of Anthropic's, frame by frame as it would come from the network:", "name")])
        message = _read(screen, pause)
        for line in _lines(message):
            screen.show(line)
    return 0


def _read(screen: Screen, pause: float) -> Message:
    """Read the sample as it comes: a line for each thing that was said, and the one being said below them."""
    timeline = Timeline(screen.show, screen.width, timed=bool(pause))
    collector = Collector()
    began = time.monotonic()

    def take(event: Event) -> None:
        collector.feed(event)
        timeline.event(event, reader.offset, time.monotonic() - began if pause else None)

    reader = Reader(_PROTOCOL, take)
    for frame in samples.demo():
        reader.feed(frame)
        if (line := timeline.open_line()) is not None:
            screen.hold(line)
        screen.flush()
        time.sleep(pause)
    reader.close()
    return collector.message


def _lines(message: Message) -> list[Line]:
    call = message.tool_calls[0]
    return [
        [],
        [("What a program gets, whichever provider it was:", "name")],
        [("  message.text         ", "kind"), (repr(message.text), "text")],
        [("  message.reasoning    ", "kind"), (repr(message.reasoning), "reasoning")],
        [("  message.tool_calls   ", "kind"), (f"{call.name}({call.arguments})", "call"), ("  complete: safe to execute", "aside")],
        [("  message.finish       ", "kind"), (f"{message.finish}", ""), (f"  the source said {message.finish_raw}", "aside")],
        [("  message.outcome      ", "kind"), (message.outcome, "good")],
        [],
        [("Yours: ", "name"), ("weft inspect FILE", ""), (" for a recorded stream, ", "aside"), ("curl -sN … | weft inspect", ""), (" for a live one.", "aside")],
    ]  # fmt: skip


COMMAND = Command(
    description="Reads an embedded answer live into a timeline, and shows the message that it amounts to. No key, no network.",
    examples=(
        ("weft demo", "the show"),
        ("weft demo --fast", "the same at once"),
    ),
    arguments=_arguments,
    run=_run,
)
