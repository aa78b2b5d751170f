"""Writes the parts of docs/ that are tables of the code, so that they cannot rot.

Usage: python tools/docs.py [--check]    (--check writes nothing and fails if anything would change)

A table stands in a page between `<!-- generated: NAME -->` and `<!-- end -->`; the schema is a file of its own.
"""

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import continuity
import gallery
import msgspec
import seeds

from weft import events, protocol
from weft.adapters.descriptions import TROUBLES
from weft.error_tables import KINDS
from weft.finish import FINISHES
from weft.grammar import TRANSITIONS
from weft.linting import CLIENTS, PROTOCOLS, all_rules
from weft.linting.checklist import checklist
from weft.linting.rule import told
from weft.losses import WHAT
from weft.pairs import lost_by
from weft.rules import Limits, Rules
from weft.runner import RECOURSES, Recourse
from weft.runner.breaker import OTHERS, TRIPS
from weft.stream_events import StreamEventV1

ROOT = Path(__file__).parent.parent
MARK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def schema(union: object, title: str) -> str:
    """The JSON Schema of a union of events."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return msgspec.json.format(msgspec.json.encode(head | msgspec.json.schema(union)), indent=2).decode() + "\n"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _first_line(thing: object) -> str:
    return (thing.__doc__ or "").strip().split("\n")[0]


def event_table() -> str:
    """Every event with its members."""
    return _table(
        ("event", "members", "what it says"),
        [
            (f"`{kind.type}`", ", ".join(f"`{name}`" for name in kind.__struct_fields__) or "none", _first_line(kind))
            for kind in events.EVENTS
        ],
    )


def error_table() -> str:
    """The 17 types of error."""
    return _table(
        ("type", "retryable", "fault", "HTTP status"),
        [
            (f"`{name}`", "yes" if kind.retryable else "no", kind.fault, str(kind.status))
            for name, kind in KINDS.items()
        ],
    )


def finish_table() -> str:
    """Our finish and the words of all sources for it."""
    rows: dict[str, list[str]] = {}
    for raw, reason in FINISHES.items():
        rows.setdefault(reason, []).append(f"`{raw}`")
    return _table(("finish", "raw"), [(f"`{reason}`", " ".join(words)) for reason, words in rows.items()])


def phase_diagram() -> str:
    """The phases, as the assembler's own table has them."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> idle"]
    for phase, moves in TRANSITIONS.items():
        targets: dict[str, list[str]] = {}
        for kind, target in moves.items():
            if kind is not events.End:
                targets.setdefault(target.value, []).append(kind.type)
        for target, kinds in targets.items():
            label = ", ".join(kinds) if len(kinds) <= 3 else f"{len(kinds)} kinds of event"
            lines.append(f"    {phase.value} --> {target}: {label}")
    lines += [
        "    in_progress --> completed: end (completed)",
        "    in_progress --> incomplete: end (incomplete)",
        "    in_progress --> failed: end (failed, truncated)",
        "```",
    ]
    return "\n".join(lines) + "\n"


def source_table() -> str:
    """Every protocol that can be read, and what ends it."""
    rows: list[tuple[str, ...]] = []
    for name in protocol.BUILT_IN:
        spec, row = protocol.resolve(name)
        if spec.decoder is None:
            continue
        dialects = ", ".join(f"`{dialect.name}`" for dialect in spec.dialects) or "none"
        rows.append((f"`{name}`", spec.title, spec.framing, " or ".join(sorted(row.rules.ends_on)), dialects))
    return _table(("name", "what", "framing", "ends on", "dialects"), rows)


def dialect_table() -> str:
    """Every dialect's row: what it declares that the bare protocol does not."""
    rows: list[tuple[str, ...]] = [
        (f"`{spec.name}/{row.name}`", row.title, _differences(row, spec.dialect), row.evidence)
        for spec in _specs()
        for row in spec.dialects
    ]
    return _table(("dialect", "provider", "declares", "evidence"), rows)


def _specs() -> list[protocol.ProtocolSpec]:
    return [protocol.resolve(name)[0] for name in protocol.BUILT_IN]


def target_table() -> str:
    """What each target cannot say."""
    rows: list[tuple[str, ...]] = []
    for spec in _specs():
        if spec.encoder is None:
            continue
        needs = [
            word
            for word, has in (
                ("one block at a time", spec.encoder.sequential),
                ("one choice", not spec.encoder.choices),
            )
            if has
        ]
        words = ", ".join(f"`{what}`" for what in lost_by(spec)) or "nothing"
        rows.append((f"`{spec.name}`", "yes" if spec.reply is not None else "no", ", ".join(needs) or "any", words))
    return _table(("target", "whole replies", "blocks", "cannot express"), rows)


def never_table() -> str:
    """What sources have no words for."""
    return _table(
        ("source", "never sends"),
        [
            (
                f"`{spec.name}`",
                ", ".join(f"`{word}`" for word in WHAT if word in spec.never)
                or "none of these: it can send everything",
            )
            for spec in _specs()
            if spec.decoder is not None
        ],
    )


def profile_table() -> str:
    """The clients that targets know."""
    rows: list[tuple[str, ...]] = [
        (f"`{spec.name}`", f"`{profile}`", what)
        for spec in _specs()
        if spec.encoder is not None
        for profile, what in spec.encoder.profiles.items()
    ]
    return _table(("target", "profile", "what differs"), rows)


def loss_table() -> str:
    """The words for what can be lost."""
    return _table(("word", "what it means"), [(f"`{word}`", meaning) for word, meaning in WHAT.items()])


def _differences(row: protocol.Dialect, bare: protocol.Dialect) -> str:
    said = {"name", "title", "evidence", "rules"}
    parts = [
        f"`{field}={_said(getattr(row, field))}`"
        for field in row.__struct_fields__
        if field not in said and getattr(row, field) != getattr(bare, field)
    ]
    parts += [
        f"`{field}={_said(getattr(row.rules, field))}`"
        for field in Rules.__struct_fields__
        if getattr(row.rules, field) != getattr(bare.rules, field)
    ]
    return ", ".join(parts) or "nothing"


def _said(value: object) -> str:
    """A value as the code has it; a set in order, since its own changes with every run."""
    return f"{{{', '.join(map(repr, sorted(value)))}}}" if isinstance(value, frozenset) else repr(value)


def failure_table() -> str:
    """Every failure of the gallery, and the test that shows it."""
    rows = [
        (case.mode, case.what, ", ".join(case.seen) or "measured", f"`{case.file}::{case.name}`")
        for case in gallery.cases()
    ]
    rows += [(mode, reason, "", "not here") for mode, reason in gallery.not_here().items()]
    return _table(("mode", "what", "seen in", "test"), sorted(rows, key=lambda row: gallery.place(row[0])))


def seed_table() -> str:
    """Every feature of the five systems: where it lives and what shows it, or why it was left out."""
    head = ("row", "feature", "seed", "where", "shown by")
    rows = seeds.rows()
    return "\n".join(
        f"### {letter}. {title}\n\n" + _table(head, [_seed_row(row) for row in rows if row.id[0] == letter])
        for letter, (title, _) in seeds.GROUPS.items()
    )


def _seed_row(row: seeds.Row) -> tuple[str, ...]:
    optional = " (optional)" if row.optional else ""
    homes = ", ".join(f"`{name}`" for name in row.lives) or "left out"
    shown = ", ".join(f"`{name}`" for name in row.tests)
    return row.id, row.feature + optional, row.seeds, homes, ". ".join(part for part in (shown, row.reason) if part)


def trouble_table() -> str:
    """What people are told about errors, in the order in which it is looked for."""
    return _table(
        ("trouble", "types", "what is said"),
        [
            (f"`{trouble.name}`", ", ".join(f"`{kind}`" for kind in trouble.types), trouble.says or "nothing")
            for trouble in TROUBLES
        ],
    )


def recourse_table() -> str:
    """What the runner does about each type of error."""
    rows = [(f"`{kind}`", *_recourse(row)) for kind, row in RECOURSES.items()]
    return _table(("error", "moves", "the same again", "the key rests", "breaks"), rows)


def _recourse(row: Recourse) -> tuple[str, ...]:
    moves = ", then ".join(f"`{move}`" for move in row.moves) or "none"
    backoff = row.backoff
    again = (
        f"{backoff.times} times, {backoff.first:g} s × {backoff.factor:g}, up to {backoff.most:g} s" if backoff else ""
    )
    rest = (
        f"{row.cooldown:g} s, {'with this model' if row.cools == 'model' else 'with all models'}"
        if row.cooldown
        else ""
    )
    return moves, again, rest, "yes" if row.breaks else ""


def trip_table() -> str:
    """When circuits open."""
    rows = [(f"`{name}`", str(trip.failures), f"{trip.seconds:g} s") for name, trip in TRIPS.items()]
    return _table(
        ("provider", "failures in a row", "left alone for"),
        [*rows, ("others", str(OTHERS.failures), f"{OTHERS.seconds:g} s")],
    )


def limit_table() -> str:
    """The limits and their defaults."""
    limits = Limits()
    return _table(
        ("limit", "default"), [(f"`{name}`", str(getattr(limits, name))) for name in Limits.__struct_fields__]
    )


def rule_table() -> str:
    """Every rule of the linter, by protocol; those of the transport first."""
    own = {name for protocol_name in PROTOCOLS for name in checklist(protocol_name).rules}
    groups = {"Transport": [rule for name, rule in all_rules().items() if name not in own]}
    groups |= {f"`{name}`": list(checklist(name).rules.values()) for name in PROTOCOLS}
    head = ("rule", "what must hold", "otherwise", "known by")
    return "\n".join(
        f"### {title}\n\n"
        + _table(head, [(f"`{rule.id}`", rule.title, told(rule.effects), rule.reference) for rule in rules])
        for title, rules in groups.items()
    )


def client_table() -> str:
    """The clients that rules speak of."""
    read = {name: [f"`{one}`" for one in PROTOCOLS if name in checklist(one).clients] for name in CLIENTS}
    return _table(
        ("client", "what was run or read", "reads"),
        [(f"`{name}`", what, ", ".join(read[name])) for name, what in CLIENTS.items()],
    )


def continuity_table() -> str:
    """What becomes of each kind of part when a turn goes back."""
    return _table(continuity.HEAD, continuity.rows())


def program(path: Path) -> str:
    """A program of the cookbook, whole."""
    return f"```python\n{path.read_text(encoding='utf-8')}```\n"


TABLES: dict[str, Callable[[], str]] = {
    "events": event_table,
    "errors": error_table,
    "finishes": finish_table,
    "phases": phase_diagram,
    "sources": source_table,
    "dialects": dialect_table,
    "targets": target_table,
    "losses": loss_table,
    "profiles": profile_table,
    "never": never_table,
    "limits": limit_table,
    "rules": rule_table,
    "clients": client_table,
    "failures": failure_table,
    "recourses": recourse_table,
    "trips": trip_table,
    "continuity": continuity_table,
    "seeds": seed_table,
    "troubles": trouble_table,
    **{f"program_{path.stem}": partial(program, path) for path in sorted(ROOT.glob("examples/cookbook/*.py"))},
}


def pages() -> dict[Path, str]:
    """Every file that has generated parts, as it should read."""
    wanted = {
        ROOT / "docs" / "events.schema.json": schema(events.AnyEvent, "A Weft event"),
        ROOT / "docs" / "stream-event-v1.schema.json": schema(StreamEventV1, "A Stream Event, version 1"),
    }
    for page in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md")]):
        text = page.read_text(encoding="utf-8")
        new = MARK.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], text)
        if MARK.search(text):
            wanted[page] = new
    return wanted


def main() -> int:
    """Write, or with --check say what is stale."""
    check = "--check" in sys.argv[1:]
    stale = [path for path, text in pages().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{'stale' if check else 'wrote'}: {path.relative_to(ROOT)}")
        if not check:
            path.write_text(pages()[path], encoding="utf-8")
    if check and stale:
        print("run `make docs` and commit the result")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
