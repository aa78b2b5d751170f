"""Rewrites the goldens: for every fixture the events that are read from it now. The change is reviewed as a diff.

Usage: python tools/accept.py [SOURCE ...]
"""

import sys
from pathlib import Path

import weft

FIXTURES = Path(__file__).parent.parent / "fixtures"
RAW = (".sse", ".ndjson", ".json", ".eventstream", ".array")


def cases(*sources: str) -> list[tuple[str, Path]]:
    """Every fixture with the protocol it is read as: the folder's name, `/` for a dialect written `+`."""
    found = [
        (folder.name.replace("+", "/"), path)
        for folder in sorted(FIXTURES.iterdir())
        if folder.is_dir() and (not sources or folder.name in sources)
        for path in sorted(folder.iterdir())
        if path.suffix in RAW
    ]
    return found


def golden(path: Path) -> Path:
    """Where the events of a fixture are kept."""
    return path.with_name(path.stem + ".events.jsonl")


def events_of(protocol: str, path: Path) -> bytes:
    """The events that are read from a fixture, a line each."""
    return b"".join(weft.to_json(event) + b"\n" for event in weft.read(path.read_bytes(), protocol))


def main() -> None:
    """Rewrite the goldens of the named sources, or of all."""
    changed = 0
    for protocol, path in cases(*sys.argv[1:]):
        new = events_of(protocol, path)
        place = golden(path)
        if not place.exists() or place.read_bytes() != new:
            place.write_bytes(new)
            changed += 1
            print(f"rewrote {place.relative_to(FIXTURES.parent)}")
    print(f"{changed} goldens rewritten")


if __name__ == "__main__":
    main()
