"""Feeds a source what nobody should send: python tests/fuzz/fuzz_decoders.py PROTOCOL SECONDS [SEED]

Starts from the project's own fixtures of the protocol (and, where it is present, the corpus), damages them in bytes and in structure, and
checks what must hold whatever the bytes are: nothing is raised, the events are legal with one terminal, they go to JSON, the message is made, and
the same bytes cut otherwise give the same events. Exit status 1 if it was found out; the seed in the output gives the same run again.
"""

import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "src"))

import weft  # noqa: E402 it is found only now
from weft.grammar import Checker  # noqa: E402
from weft.message import collect  # noqa: E402
from weft.protocol import BUILT_IN, resolve  # noqa: E402
from weft.reader import Reader  # noqa: E402
from weft.testing.laws import DAMAGES  # noqa: E402

CORPUS = {"anthropic": "anthropic-messages", "bedrock": "bedrock-converse"}
SUFFIXES = (".sse", ".ndjson", ".json", ".eventstream", ".array")
MOST = 20_000  # bytes of a seed: longer ones are cut, so that a run tries many


def seeds(protocol: str) -> list[bytes]:
    """Everything there is to start from."""
    base = protocol.partition("/")[0]
    folders = [path for path in (ROOT / "fixtures").iterdir() if path.name.partition("+")[0] == base]
    folders.append(ROOT.parent / "shared" / "corpus" / CORPUS.get(base, base))
    found = [
        path.read_bytes()[:MOST]
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if path.suffix in SUFFIXES and not path.name.endswith((".request.json", ".chunks.json"))
    ]
    return found or [b'{"type":"start"}\n{"text":"a"}\n']


def read(protocol: str, pieces: list[bytes], *, strict: bool) -> list[weft.events.Event]:
    """All events, each of which must go to JSON."""
    events: list[weft.events.Event] = []
    reader = Reader(protocol, events.append, strict=strict)
    for piece in pieces:
        reader.feed(piece)
    reader.close()
    return events


def try_out(protocol: str, data: bytes, chance: random.Random) -> None:
    """One input through everything that must hold."""
    strict = chance.random() < 0.1
    events = read(protocol, [data], strict=strict)
    checker = Checker()
    for event in events:
        checker.feed(event)
        weft.to_json(event)
    checker.close()
    collect(events).to_json()
    marks = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randint(1, 6)))
    pieces = [data[a:b] for a, b in zip([0, *marks], [*marks, len(data)], strict=True)]
    if read(protocol, pieces, strict=strict) != events:
        raise AssertionError(f"cuts at {marks} change the events")


def main() -> int:
    """Damage and read until the time is over."""
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in BUILT_IN or resolve(sys.argv[1])[0].decoder is None:
        print(__doc__)
        return 2
    protocol, seconds = sys.argv[1], float(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) == 4 else time.time_ns()
    chance, starts, executions, end = random.Random(seed), seeds(protocol), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        data = chance.choice(starts)
        for _ in range(chance.randint(1, 6)):
            data = chance.choice(DAMAGES)(data, chance)
        executions += 1
        try:
            try_out(protocol, data, chance)
        except Exception as error:  # noqa: BLE001 whatever is raised is a finding
            print(
                f"{protocol}: found after {executions} executions (seed {seed}): {type(error).__name__}: {error}\n{data!r}"
            )
            return 1
    print(f"{protocol}: {executions} executions from {len(starts)} seeds (seed {seed}), nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
