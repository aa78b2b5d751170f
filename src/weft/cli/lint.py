"""`weft lint`: which rules of strict clients a stream breaks, and what each client does about it."""

from textwrap import fill
from typing import Any

import msgspec

from weft.cli.command import Command, Parser, Refused, say
from weft.cli.input import Input
from weft.cli.options import AUTO, add_file, add_output
from weft.cli.output import Output
from weft.cli.words import counted, one_line
from weft.detect import LIKELY, Detector
from weft.linting import PROTOCOLS, Finding, Linter, all_rules
from weft.linting.checklist import checklist
from weft.linting.rule import Rule, told
from weft.nearest import UnknownNameError

CLEAN, FINDINGS = 0, 1
_WIDTH = 100


def _arguments(parser: Parser) -> None:
    add_file(parser)
    add_output(parser)
    add = parser.add_argument
    add("-p", "--protocol", metavar="PROTOCOL", default=AUTO, help=f"the protocol that the stream should be: {', '.join(PROTOCOLS)}; auto detects it (default)")  # fmt: skip
    add("--json", action="store_true", help="print findings and rules as JSON, one per line")
    add(
        "--former",
        action="store_true",
        help="also check for old versions of clients whose faults have since been fixed",
    )
    add(
        "--rules",
        action="store_true",
        help="list all rules, or those of the given protocol, instead of reading a stream",
    )
    add("--explain", metavar="RULE", help="describe one rule, instead of reading a stream")


def _run(arguments: Any) -> int:
    protocol: str = arguments.protocol
    try:
        if protocol != AUTO:
            checklist(protocol)
        if arguments.explain is not None or arguments.rules:
            return _tell_rules(arguments, None if protocol == AUTO else protocol)
    except UnknownNameError as error:
        raise Refused(error) from None
    return _lint(arguments, protocol)


def _lint(arguments: Any, protocol: str) -> int:
    with (
        Output(arguments.output, beside=arguments.file) as output,
        Input(arguments.file, quiet=arguments.quiet) as source,
    ):
        found: list[Finding] = []
        linter = Linter(protocol, found.append, former=arguments.former) if protocol != AUTO else None
        detector, held, total = Detector(), list[bytes](), 0
        try:
            for chunk in source.chunks():
                if linter is None:
                    held.append(chunk)
                    detector.feed(chunk)
                    if not (detector.full or detector.sure):
                        continue
                    linter = _linter(detector, found, source, arguments)
                    chunk = b"".join(held)  # noqa: PLW2901 - what was held is what is fed now
                linter.feed(chunk)
                total += _write(output, found, as_json=arguments.json)
        except OSError as error:
            raise source.refused(error) from None
        if linter is None:
            linter = _linter(detector, found, source, arguments)
            linter.feed(b"".join(held))
        linter.close()
        total += _write(output, found, as_json=arguments.json)
        unlisted = linter.unlisted()
    _summary(total, unlisted, quiet=arguments.quiet)
    return FINDINGS if total else CLEAN


def _linter(detector: Detector, found: list[Finding], source: Input, arguments: Any) -> Linter:
    """The linter for what the first bytes look like."""
    likely = [candidate for candidate in detector.close() if candidate.confidence >= LIKELY]
    if not likely or likely[0].protocol not in PROTOCOLS:
        what = likely[0].title if likely else "no known protocol"
        raise Refused(f"{source.name} looks like {what}; say with --protocol what it should be")
    if not arguments.quiet:
        say(f"weft: checking as {likely[0].protocol}")
    return Linter(likely[0].protocol, found.append, former=arguments.former)


def _write(output: Output, found: list[Finding], *, as_json: bool) -> int:
    """Show what was found since the last time, in the order of the bytes; how many these are."""
    count = len(found)
    for finding in sorted(found, key=lambda finding: finding.offset):
        if as_json:
            output.write(msgspec.json.encode(finding) + b"\n")
        else:
            output.text(
                f"byte {finding.offset:<8} {finding.severity:<6}  {finding.rule}: {one_line(finding.message)}\n"
            )
            output.text(f"{'':22}{finding.effect}\n")
    found.clear()
    if count:
        output.flush()
    return count


def _summary(total: int, unlisted: dict[str, int], *, quiet: bool) -> None:
    for rule, more in unlisted.items():
        say(f"weft: {counted(more, 'more finding')} of {rule}")
    if not quiet:
        say(f"weft: {counted(total + sum(unlisted.values()), 'finding')}")


def _tell_rules(arguments: Any, protocol: str | None) -> int:
    rules = all_rules(protocol)
    with Output(arguments.output) as output:
        if arguments.explain is not None:
            if arguments.explain not in rules:
                raise Refused(UnknownNameError("rule", arguments.explain, rules))
            rule = rules[arguments.explain]
            output.text(msgspec.json.encode(rule).decode() + "\n" if arguments.json else _explained(rule))
        else:
            width = max(map(len, rules))
            for rule in rules.values():
                line = f"{rule.id:<{width}}  {rule.title}"
                output.text((msgspec.json.encode(rule).decode() if arguments.json else line) + "\n")
    return CLEAN


def _explained(rule: Rule) -> str:
    said = (
        f"{rule.id}: {rule.title}.",
        "",
        rule.explain,
        "",
        f"Otherwise: {told(rule.effects)}.",
        f"Known by: {rule.reference}.",
    )
    return "".join(fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False) + "\n" for text in said)


COMMAND = Command(
    description="""\
Checks a stream against the rules of strict clients: which rules it breaks, at which byte, and which client crashes, hangs, gets it
wrong or ignores it. The exit status is 1 if anything was found.""",
    examples=(
        ("curl -sN … | weft lint --protocol openai-responses", "a gateway's stream, as it arrives"),
        ("weft lint --json reply.sse | jq -r .rule", "for a script"),
        ("weft lint --explain responses/no-terminal", "what a rule is about, and its evidence"),
    ),
    arguments=_arguments,
    run=_run,
)
