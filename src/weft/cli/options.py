"""The options that commands share, and what they become.

Knows: how an option is spelt and what makes a bad value. Must not know: what a command does with it.
"""

import argparse
import re
from typing import Any, NamedTuple

from weft.cli.command import Parser
from weft.filters.named import NAMED
from weft.rules import Limits

AUTO = "auto"


class StreamOptions(NamedTuple):
    """How one stream is read."""

    file: str
    protocol: str
    strict: bool
    filters: list[str]
    status: int | None
    headers: dict[str, str] | None
    limits: Limits
    quiet: bool
    one_of_many: bool = False


def add_stream(parser: Parser) -> None:
    """FILE, and all that says how it is read."""
    add_file(parser)
    add = parser.add_argument
    add(
        "-f",
        "--from",
        dest="protocol",
        metavar="PROTOCOL",
        default=AUTO,
        help="the protocol of the input, as PROTOCOL[/DIALECT] (`weft protocols` lists them); auto detects it (default)",
    )
    add(
        "--strict",
        action="store_true",
        help="end the stream as failed at the first irregularity; a member that weft does not read counts as one",
    )
    add(
        "--filter",
        dest="filters",
        metavar="NAME",
        action="append",
        default=[],
        help=f"add a filter for reasoning or tool calls that a model writes into its text; may be repeated: {', '.join(sorted(NAMED))}",
    )
    add(
        "--status",
        metavar="N",
        type=_status,
        help="the HTTP status of the reply; from 400 on the input is read as an error body",
    )
    add(
        "--header",
        dest="headers",
        metavar="'K: V'",
        type=_header,
        action="append",
        default=[],
        help="a header of the reply (retry-after, …); may be repeated",
    )
    add("--limit-frame", metavar="SIZE", type=_size, help="the longest frame to accept: 65536, 512K, 64M (default 64M)")  # fmt: skip


def add_file(parser: Parser) -> None:
    """FILE alone."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="-",
        help="a recorded stream or whole reply; without it, or with -, standard input",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="write nothing but errors to standard error")  # fmt: skip


def add_output(parser: Parser) -> None:
    """Where the output goes."""
    parser.add_argument("-o", dest="output", metavar="OUT", help="write to this file instead of standard output")


def add_color(parser: Parser) -> None:
    """Whether the output is painted."""
    parser.add_argument(
        "--color",
        metavar="WHEN",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto (on a terminal, unless NO_COLOR is set), always or never",
    )


def stream_options(arguments: Any) -> StreamOptions:
    """What `add_stream` has parsed."""
    return StreamOptions(
        file=arguments.file,
        protocol=arguments.protocol,
        strict=arguments.strict,
        filters=arguments.filters,
        status=arguments.status,
        headers=dict(arguments.headers) or None,
        limits=Limits() if arguments.limit_frame is None else Limits(frame=arguments.limit_frame),
        quiet=arguments.quiet,
    )


def _status(text: str) -> int:
    if not re.fullmatch("[1-5][0-9][0-9]", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an HTTP status")
    return int(text)


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form 'Name: value'")
    return name.strip(), value.strip()


_UNITS = {"": 0, "k": 10, "m": 20, "g": 30}


def _size(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,12})\s*([kmg]?)(?:i?b)?", text.strip().lower())
    size = int(found[1]) << _UNITS[found[2]] if found else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 65536, 512K or 64M")
    return size
