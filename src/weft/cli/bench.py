"""`weft bench`: what a text delta costs from bytes to events, against the floor."""

import gc
import re
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import msgspec

from weft.cli.command import Command, Parser, Refused
from weft.cli.options import add_color
from weft.cli.output import Output
from weft.cli.samples import SAMPLES
from weft.cli.screen import Line, screen_for
from weft.events import Event
from weft.nearest import UnknownNameError
from weft.protocol import resolve
from weft.reader import Reader

_WORDS = 2000
_READ = 4096
_ROUNDS = 7


def _arguments(parser: Parser) -> None:
    add_color(parser)
    parser.add_argument("sources", metavar="PROTOCOL", nargs="*", help=f"measure only these, of {', '.join(SAMPLES)}")


def _run(arguments: Any) -> int:
    for name in arguments.sources:
        if name not in SAMPLES:
            raise Refused(UnknownNameError("sample of protocol", name, SAMPLES))
    with Output() as output:
        screen = screen_for(output, arguments.color)
        screen.show([(f"{'source':<18}{'µs a chunk':>12}{'floor':>9}{'ratio':>8}", "name")])
        for protocol in arguments.sources or SAMPLES:
            screen.show(_measured(protocol))
            screen.flush()
        screen.show([(f"Text deltas, reads of {_READ} bytes; the floor splits frames and parses each once.", "aside")])
        screen.show(
            [("In a checkout of Weft, `make bench` measures tool calls, pairs and the vendors' SDKs as well.", "aside")]
        )
    return 0


def _measured(protocol: str) -> Line:
    frames = SAMPLES[protocol].frames([f"word{number % 97} " for number in range(_WORDS)])
    whole = b"".join(frames)
    reads = [whole[at : at + _READ] for at in range(0, len(whole), _READ)]
    pairs = [(_spent(_floor, protocol, reads), _spent(_read, protocol, reads)) for _ in range(_ROUNDS)]
    floor, cost = (min(column) * 1e6 / len(frames) for column in zip(*pairs, strict=True))
    ratio = median(read / least for least, read in pairs)
    return [(f"{protocol:<18}", "kind"), (f"{cost:>12.2f}{floor:>9.2f}", ""), (f"{ratio:>8.2f}", "good")]


def _spent(run: Callable[[str, list[bytes]], None], protocol: str, reads: list[bytes]) -> float:
    gc.collect()
    began = perf_counter()
    run(protocol, reads)
    return perf_counter() - began


def _read(protocol: str, reads: list[bytes]) -> None:
    """Bytes to events, which are let go of as they come."""
    reader = Reader(protocol, _let_go)
    for read in reads:
        reader.feed(read)
    reader.close()


def _let_go(event: Event) -> None:
    """Nobody listens."""


_PAYLOAD = re.compile(rb"\{.*", re.DOTALL)


def _floor(protocol: str, reads: list[bytes]) -> None:
    """The least that any reader must do: split frames at their separator, and parse each into the decoder's own wire type."""
    spec, _ = resolve(protocol)
    parse = msgspec.json.Decoder(spec.decoder.wire).decode
    mark = b"\n" if spec.framing == "ndjson" else b"\n\n"
    rest = b""
    for read in reads:
        *frames, rest = (rest + read).split(mark)
        for frame in frames:
            if (found := _PAYLOAD.search(frame)) is not None:
                parse(found[0])


COMMAND = Command(
    description="Measures for each source what one text delta costs, from bytes to events, and compares it with the minimum (splitting the frames and\nparsing each once) measured in the same run. Takes seconds.",
    examples=(
        ("weft bench", "all sources"),
        ("weft bench openai-chat anthropic", "some of them"),
    ),
    arguments=_arguments,
    run=_run,
)
