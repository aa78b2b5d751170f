"""`weft demo`: a stream is read live, frame by frame, into a timeline and a message, and converted."""

import time
from itertools import groupby
from typing import Any

from weft.cli import samples
from weft.cli.command import Command, Parser
from weft.cli.options import add_color
from weft.cli.output import Output
from weft.cli.screen import Line, Screen, screen_for
from weft.cli.timeline import Timeline
from weft.events import Event
from weft.message import Collector, Message
from weft.pipe import Pipe
from weft.reader import Reader

_PROTOCOL, _TARGET = "anthropic", "openai-responses"
_PAUSE = 0.08


def _arguments(parser: Parser) -> None:
    add_color(parser)
    parser.add_argument(
        "--fast", action="store_true", help="leave out the pauses, as happens when the output is not a terminal"
    )


def _run(arguments: Any) -> int:
    with Output() as output:
        screen = screen_for(output, arguments.color)
        pause = _PAUSE if output.is_terminal and not arguments.fast else 0.0
        screen.show([("An answer of Anthropic's, frame by frame as it would come from the network:", "name")])
        message = _read(screen, pause)
        for line in [*_lines(message), *_converted(screen.width), *_yours()]:
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
    ]  # fmt: skip


def _converted(width: int) -> list[Line]:
    """The same bytes in another protocol's words: the first frame, the deltas, the last."""
    pipe = Pipe(_PROTOCOL, _TARGET)
    frames = [frame for read in samples.demo() for frame in pipe.feed(read).decode().split("\n\n") if frame]
    frames += [frame for frame in pipe.close().decode().split("\n\n") if frame]
    names = [frame.partition("\n")[0].removeprefix("event: ") for frame in frames]
    lost = ", ".join(sorted({loss.what for loss in pipe.losses})) or "nothing"
    lines: list[Line] = [[], [(f"The same answer as {_TARGET}, as a client of that protocol would get it:", "name")]]
    for name, run in groupby(names):
        count = len(list(run))
        lines.append([(f"  {name}"[: width - 8], "kind"), (f"  {count} times" if count > 1 else "", "aside")])
    lines.append([("  lost on the way: ", "aside"), (lost, "")])
    return lines


def _yours() -> list[Line]:
    return [
        [],
        [("Yours: ", "name"), ("weft inspect FILE", ""), (" for a recorded stream, ", "aside"), ("curl -sN … | weft inspect", ""), (" for a live one,", "aside")],
        [("       ", ""), ("weft convert --to openai-chat FILE", ""), (" for another protocol.", "aside")],
    ]  # fmt: skip


COMMAND = Command(
    description="Plays an embedded answer through the timeline, shows the assembled message, and converts it. Needs no key and no network.",
    examples=(
        ("weft demo", "the demonstration"),
        ("weft demo --fast", "the same without pauses"),
    ),
    arguments=_arguments,
    run=_run,
)
