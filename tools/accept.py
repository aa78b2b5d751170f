"""Rewrites the goldens: for every fixture the events that are read from it, and what each target makes of them. Changes are reviewed as diffs.

Usage: python tools/accept.py [SOURCE ...]
"""

import sys
from base64 import encodebytes
from pathlib import Path

import weft
from weft.protocol import BUILT_IN, resolve

FIXTURES = Path(__file__).parent.parent / "fixtures"
TARGETS = [name for name in BUILT_IN if resolve(name)[0].encoder is not None and name != "events"]
RAW = (".sse", ".ndjson", ".json", ".eventstream", ".array")


def cases(*sources: str) -> list[tuple[str, Path]]:
    """Every fixture with the protocol it is read as: the folder's name, `/` for a dialect written `+`."""
    return [
        (folder.name.replace("+", "/"), path)
        for folder in sorted(FIXTURES.iterdir())
        if folder.is_dir() and (not sources or folder.name in sources)
        for path in sorted(folder.iterdir())
        if path.suffix in RAW
    ]


def golden(path: Path) -> Path:
    """Where the events of a fixture are kept."""
    return path.with_name(path.stem + ".events.jsonl")


def events_of(protocol: str, path: Path) -> bytes:
    """The events that are read from a fixture, a line each."""
    return b"".join(weft.to_json(event) + b"\n" for event in weft.read(path.read_bytes(), protocol))


def targets_golden(path: Path) -> Path:
    """Where what each target makes of a fixture is kept."""
    return path.with_name(path.stem + ".targets.txt")


def outputs_of(protocol: str, path: Path) -> bytes:
    """Every target's bytes for a fixture and what it lost, a section each; binary frames as base64."""
    sections: list[bytes] = []
    for target in TARGETS:
        pipe = weft.Pipe(protocol, target)
        out = pipe.feed(path.read_bytes()) + pipe.close()
        lost = [f"{loss.what} ({loss.where}): {loss.why}" for loss in pipe.losses]
        body = out if resolve(target)[0].framing != "aws" else encodebytes(out)
        head = f"==== {target} ==== {pipe.outcome}\n" + "".join(f"lost: {line}\n" for line in lost)
        sections.append(head.encode() + body + (b"" if body.endswith(b"\n") else b"\n"))
    return b"\n".join(sections)


def main() -> None:
    """Rewrite the goldens of the named sources, or of all."""
    changed = 0
    for protocol, path in cases(*sys.argv[1:]):
        for place, make in ((golden(path), events_of), (targets_golden(path), outputs_of)):
            new = make(protocol, path)
            if not place.exists() or place.read_bytes() != new:
                place.write_bytes(new)
                changed += 1
                print(f"rewrote {place.relative_to(FIXTURES.parent)}")
    print(f"{changed} goldens rewritten")


if __name__ == "__main__":
    main()
