"""`weft detect`: which protocol and dialect an input is, and by what it was told."""

from typing import Any

import msgspec

from weft.cli.command import Command, Parser, Refused
from weft.cli.input import Input
from weft.cli.options import add_file, add_output
from weft.cli.output import Output
from weft.cli.words import percent
from weft.detect import LIKELY, Candidate, Detector
from weft.framing.unreadable import unreadable

_SHOWN = 5
_WORTH_A_LINE = 0.01


def _arguments(parser: Parser) -> None:
    add_file(parser)
    add_output(parser)
    parser.add_argument("--json", action="store_true", help="print the candidates as JSON")


def _run(arguments: Any) -> int:
    with (
        Output(arguments.output, beside=arguments.file) as output,
        Input(arguments.file, quiet=arguments.quiet) as source,
    ):
        candidates, head = _look(source)
        if arguments.json:
            output.write(msgspec.json.encode(candidates) + b"\n")
        else:
            output.text(_table(candidates))
    if not source.position:
        raise Refused(f"{source.name} is empty")
    if (why := unreadable(head)) is not None:
        raise Refused(f"cannot read {source.name}: {why[1]}")
    if not candidates or candidates[0].confidence < LIKELY:
        raise Refused(f"{source.name} looks like no known protocol")
    if not candidates[0].reads:
        raise Refused(f"{source.name} looks like {candidates[0].title}, which Weft does not read")
    return 0


def _look(source: Input) -> tuple[list[Candidate], bytes]:
    """The candidates, and how the input begins."""
    detector, head = Detector(), b""
    try:
        for chunk in source.chunks():
            head = head or chunk
            detector.feed(chunk)
            if detector.sure or detector.full:
                break
    except OSError as error:
        raise source.refused(error) from None
    return [candidate for candidate in detector.close() if candidate.confidence >= _WORTH_A_LINE], head


def _table(candidates: list[Candidate]) -> str:
    shown = candidates[:_SHOWN] or [Candidate(protocol="unknown", title="", confidence=0.0)]
    width = max(len(candidate.name) for candidate in shown)
    return "".join(
        f"{candidate.name:<{width}}  {percent(candidate.confidence):>4}  {'; '.join(candidate.evidence)}".rstrip()
        + "\n"
        for candidate in shown
    )


COMMAND = Command(
    description="""\
Reads the first frames of an input (at most 64 KiB) and prints which protocol and dialect it is, with a probability and the evidence,
likeliest first. The exit status is 2 if Weft cannot read it.""",
    examples=(
        ("weft detect reply.sse", "a recorded stream or whole reply"),
        ("curl -sN … | weft detect", "answers as soon as it is sure"),
        ("weft detect --json reply.sse | jq -r '.[0].protocol'", "for a script"),
    ),
    arguments=_arguments,
    run=_run,
)
