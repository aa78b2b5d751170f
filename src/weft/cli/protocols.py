"""`weft protocols`: what can be read and written, by name, and what each target cannot say."""

from textwrap import wrap
from typing import Any, Final

import msgspec

from weft.cli.command import Command, Parser, say
from weft.cli.options import add_color, add_output
from weft.cli.output import Output
from weft.cli.screen import Line, screen_for
from weft.pairs import lost_between, lost_by
from weft.protocol import ProtocolSpec, specs

_WORDS: Final = 70
"""How wide the words that a target cannot say may run; less on a narrow terminal, but never less than the longest of them."""
_LONGEST: Final = 20


def _arguments(parser: Parser) -> None:
    add_output(parser)
    add_color(parser)
    parser.add_argument("--json", action="store_true", help="print the same as JSON")


def _run(arguments: Any) -> int:
    found = list(specs(lambda error: say(f"weft: {error}")))
    with Output(arguments.output) as output:
        if arguments.json:
            output.write(msgspec.json.encode([_plain(spec, _sources(found)) for spec in found]) + b"\n")
            return 0
        screen = screen_for(output, arguments.color)
        for line in _lines(found, screen.width):
            screen.show(line)
    return 0


def _plain(spec: ProtocolSpec, sources: list[ProtocolSpec]) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "source": spec.decoder is not None,
        "target": spec.encoder is not None,
        "framing": spec.framing,
        "profiles": dict(spec.encoder.profiles) if spec.encoder is not None else {},
        "loses": lost_by(spec),
        "from": {source.name: [*lost_between(source, spec)] for source in sources} if spec.encoder is not None else {},
        "dialects": [
            {"name": f"{spec.name}/{row.name}", "title": row.title, "models": row.models, "evidence": row.evidence}
            for row in spec.dialects
        ],
    }


def _lines(found: list[ProtocolSpec], room: int) -> list[Line]:
    width = max(len(f"{spec.name}/{row.name}") for spec in found for row in (spec.dialect, *spec.dialects)) + 2
    lines: list[Line] = []
    for spec in found:
        ways = f"{'read' if spec.decoder is not None else '':<6}{'write' if spec.encoder is not None else '':<7}"
        lines.append([(f"{spec.name:<{width}}", "name"), (ways, "kind"), (spec.title, "")])
        lines += [
            [(f"  /{row.name:<{width - 3}}", "kind"), (f"{'read':<13}{row.title}", "aside")] for row in spec.dialects
        ]
        if spec.encoder is not None:
            lines += _told(
                "cannot express", ", ".join(lost_by(spec)) or "nothing: it can express everything", width, room
            )
            for source in _sources(found) if lost_by(spec) else ():
                lines += _told(f"  from {source.name}", _pair(source, spec), width, room)
    return lines


def _sources(specs: list[ProtocolSpec]) -> list[ProtocolSpec]:
    return [spec for spec in specs if spec.decoder is not None]


def _pair(source: ProtocolSpec, target: ProtocolSpec) -> str:
    """What one cannot carry to the other, told by what the source never has."""
    kept = [word for word in lost_by(target) if word not in lost_between(source, target)]
    return f"all but {', '.join(kept)}" if kept else "all of it"


def _told(head: str, words: str, width: int, room: int) -> list[Line]:
    rows = wrap(words, max(_LONGEST, min(_WORDS, room - width)))
    return [[(f"  {'' if number else head:<{width - 2}}{row}", "aside")] for number, row in enumerate(rows)]


COMMAND = Command(
    description=(
        "Lists the protocols that can be read and written. Below each stand its dialects (variants of particular providers), and what it cannot\n"
        "express as a target: in all, and from each source, since few sources have all of these. weft convert --losses reports what one stream lost."
    ),
    examples=(
        ("weft protocols", "names for --from and --to"),
        ("weft protocols --json | jq -r '.[].dialects[].name'", "only the dialects"),
        (
            "weft protocols --json | jq '.[] | select(.name == \"gemini\").loses'",
            "what a target cannot express, and why",
        ),
        (
            "weft protocols --json | jq '.[] | select(.name == \"gemini\").from.anthropic'",
            "what is lost between these two",
        ),
    ),
    arguments=_arguments,
    run=_run,
)
