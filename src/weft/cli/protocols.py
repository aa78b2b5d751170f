"""`weft protocols`: what can be read and written, by name, and what each target cannot say."""

from textwrap import wrap
from typing import Any, Final

import msgspec

from weft.cli.command import Command, Parser, say
from weft.cli.options import add_color, add_output
from weft.cli.output import Output
from weft.cli.screen import Line, screen_for
from weft.protocol import ProtocolSpec, specs

_WORDS: Final = 70
"""How wide the words that a target cannot say may run; less on a narrow terminal, but never less than the longest of them."""
_LONGEST: Final = 20


def _arguments(parser: Parser) -> None:
    add_output(parser)
    add_color(parser)
    parser.add_argument("--json", action="store_true", help="the same as JSON")


def _run(arguments: Any) -> int:
    found = list(specs(lambda error: say(f"weft: {error}")))
    with Output(arguments.output) as output:
        if arguments.json:
            output.write(msgspec.json.encode([_plain(spec) for spec in found]) + b"\n")
            return 0
        screen = screen_for(output, arguments.color)
        for line in _lines(found, screen.width):
            screen.show(line)
    return 0


def _plain(spec: ProtocolSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "source": spec.decoder is not None,
        "target": spec.encoder is not None,
        "framing": spec.framing,
        "profiles": dict(spec.encoder.profiles) if spec.encoder is not None else {},
        "loses": dict(spec.encoder.loses) if spec.encoder is not None else {},
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
        words = ", ".join(spec.encoder.loses) if spec.encoder is not None else ""
        for number, row in enumerate(wrap(words, max(_LONGEST, min(_WORDS, room - width)))):
            lines.append([(f"  {'' if number else 'cannot say':<{width - 2}}{row}", "aside")])
    return lines


COMMAND = Command(
    description=(
        "Lists the protocols that can be read and written; below each its dialects, providers that speak it with an accent, and what it cannot "
        "say. From one protocol to another only that is lost which the first said and the second cannot say."
    ),
    examples=(
        ("weft protocols", "names for --from and --to"),
        ("weft protocols --json | jq -r '.[].dialects[].name'", "the dialects alone"),
        ("weft protocols --json | jq '.[] | select(.name == \"gemini\").loses'", "what a target cannot say, and why"),
    ),
    arguments=_arguments,
    run=_run,
)
