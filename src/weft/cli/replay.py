"""`weft replay`: a fake provider that serves recorded streams with their timing, re-split, and with faults on demand."""

import argparse
from collections.abc import Callable
from typing import Any

from weft.cli.command import Command, Parser, Refused, say
from weft.cli.convert import targets
from weft.replay.capture import PACE, CaptureError, captures_in
from weft.replay.fault import KINDS, fault_named
from weft.replay.playing import SPLITS, Manner, speed_named, split_named
from weft.replay.server import address_of, listening, server_of
from weft.replay.shelf import Shelf

PORT = 8790


def _arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="+", help="recorded streams and whole replies, or folders of them")
    add("--host", default="127.0.0.1", help="the address to listen on (default 127.0.0.1: this machine alone)")
    add("--port", type=int, default=PORT, metavar="N", help=f"the port; 0 picks a free one (default {PORT})")
    add("--speed", type=_kind(speed_named), default=1.0, metavar="X", help="2 plays twice as fast as recorded, 0 does not wait (default 1)")  # fmt: skip
    add("--pace", type=_kind(speed_named), default=PACE, metavar="SECONDS", help=f"the time between frames, for recordings without times (default {PACE})")  # fmt: skip
    add("--split", type=_kind(split_named), default="recorded", metavar="HOW", help=f"how to cut the body: {SPLITS}")
    add(
        "--fault",
        dest="faults",
        type=_kind(fault_named),
        action="append",
        default=[],
        metavar="KIND[@WHERE][*N]",
        help="; ".join(f"{word}: {what}" for word, what in KINDS.items())
        + ". WHERE is a byte or a percentage of the body (default 50%%), N the number of requests that it affects (default all); may be repeated",
    )
    add(
        "-f",
        "--from",
        dest="protocol",
        metavar="PROTOCOL",
        help="the protocol of the recordings, instead of detecting it",
    )
    add("-q", "--quiet", action="store_true", help="do not log requests")


def _kind(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """A reader of an option's value whose ValueError argparse shows."""

    def value(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return value


def _run(arguments: Any) -> int:
    try:
        captures = captures_in(arguments.paths, protocol=arguments.protocol, pace=arguments.pace)
        shelf = Shelf(captures, Manner(speed=arguments.speed, split=arguments.split), arguments.faults)
        server = server_of(shelf, _quiet if arguments.quiet else say)
        bound = listening(arguments.host, arguments.port)
    except (CaptureError, ImportError) as error:
        raise Refused(error) from None
    except OSError as error:
        raise Refused(f"cannot listen on {arguments.host}:{arguments.port}: {(error.strerror or str(error)).lower()}; --port 0 picks a free one") from None  # fmt: skip
    except OverflowError:
        raise Refused(f"{arguments.port} is not a port") from None
    bound.listen()
    say(f"weft: {len(shelf.captures)} captures on {address_of(bound)} (Ctrl-C stops it)")
    if not arguments.quiet:
        for name, capture in list(shelf.captures.items())[:20]:
            say(f"  {name}  {capture.protocol or 'unknown'}, {len(capture.chunks)} pieces, {len(capture.body)} bytes")
    server.run(sockets=[bound])
    return 0


def _quiet(_: str) -> None:
    """Nobody wants to know."""


COMMAND = Command(
    description="Runs a fake provider on this machine that serves recorded streams to any client, with their original timing.\n\n"
    "The path of a request tells which protocol the client speaks (/v1/chat/completions, /v1/responses, /v1/messages,\n"
    "…:streamGenerateContent, /api/chat, /model/…/converse-stream, /v2/chat); a capture of another protocol is converted to it.\n"
    "A request names its capture as its model, by the header x-weft-capture, by ?capture=NAME or by /c/NAME/…; otherwise the captures\n"
    "take turns. The headers x-weft-fault, x-weft-speed and x-weft-split override the options for one request.\n\n"
    f"Speaks: {', '.join(targets()[:7])}.",
    examples=(
        ("weft replay recordings/", "serve a folder"),
        ("weft replay reply.sse --speed 0 --split 7", "as fast as it goes, in pieces of seven bytes"),
        (
            "weft replay reply.sse --fault '429*2' --fault cut@50%",
            "two refusals, then a connection that breaks off half-way",
        ),
        ("curl -N localhost:8790/v1/messages -d '{\"stream\":true}' | weft inspect", "see what it serves"),
    ),
    arguments=_arguments,
    run=_run,
)
