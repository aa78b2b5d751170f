"""What others cost a chunk beside Weft, on the same bytes in the same run: the vendors' SDKs that merely read, and other bridges.

    python -m benchmarks.beside [--rounds N] [--only WORD]

Each other runs in a process and an environment of its own (`make bench` makes them), Weft in this one, right after each of its rows. Knows how
to start them and what is to be beaten; must not know how one of them is asked.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.bench import READ, ROOT, cpu, in_reads, pipe_all, read_all
from benchmarks.inputs import INPUTS
from benchmarks.table import MISSED, Table, tell_missed
from tests.referees.server import Body, serve

GOALS = {"llm-rosetta": 5, "LiteLLM": 100, "openai": 5, "anthropic": 5}
"""How many times our cost another's should be; the rest are there to be seen."""
PEERS = (".venv-peers", ".venv-peers-apart")
COLUMNS = (("other", 40), ("input", 15), ("becomes", 16), ("us", 6), ("ours us", 7), ("ratio", 20))

Line = dict[str, Any]


def others(environment: str, module: str, *options: str) -> Iterator[Line]:
    """The lines of a program that measures others, as it prints them; one that says why there are none."""
    python = ROOT / environment / "bin" / "python"
    if not (ROOT / environment / ".stamp").exists():
        yield {"problem": f"no {environment} here; `make bench` makes it"}
        return
    command = [str(python), "-m", module, *options]
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=said) as process,
    ):
        yield from (json.loads(line) for line in process.stdout or () if line.startswith("{"))
        if process.wait():
            said.seek(0)
            yield {"problem": f"{module} did not come to its end: {said.read()[-200:]}"}


def ours(name: str, target: str, size: int | None, rounds: int) -> float:
    """Weft's microseconds a chunk for the same: reading, or converting where something comes out."""
    protocol, make = INPUTS[name]
    frames = make()
    reads = in_reads(frames, size)
    run = partial(pipe_all, protocol, target, reads) if target else partial(read_all, protocol, reads)
    run()
    return min(cpu(run) for _ in range(rounds)) * 1e6 / len(frames)


def tell(title: str, lines: Iterable[Line], rounds: int) -> None:
    """A table of another's lines, as they come."""
    table = Table(title, *COLUMNS)
    for line in lines:
        table.row(*row(line, rounds))


def row(line: Line, rounds: int) -> tuple[str, ...]:
    """One line of another's, with ours beside it."""
    who, target = line.get("peer") or line.get("sdk", ""), line.get("target", "")
    title = " ".join(filter(None, (who, line.get("version", ""), line.get("mode", ""), line.get("remark", ""))))
    name = line.get("input", "")
    if "problem" in line:
        return title, name, target, line["problem"], "", ""
    mine = ours(name, target, None if line.get("read") == "frame" else READ, rounds)
    goal = GOALS.get(who)
    ratio = line["us_per_chunk"] / mine
    if goal is not None and ratio < goal:
        MISSED.append(f"{title}, {name} -> {target or 'events'}: {ratio:.1f} times ours, goal {goal}")
    verdict = "" if goal is None else f" {'ok' if ratio >= goal else 'UNDER'} (goal {goal})"
    return title, name, target or "events", f"{line['us_per_chunk']:.1f}", f"{mine:.2f}", f"{ratio:.0f}x{verdict}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.beside", description="What SDKs and other bridges cost a chunk, beside Weft."
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds for each row (default 5)")
    parser.add_argument("--only", default="", metavar="WORD", help="only others whose name has this word")
    options = parser.parse_args()
    rounds = str(options.rounds)
    if options.only in "openai anthropic":
        lines = others(".venv-referees", "tests.referees.speed", "--rounds", rounds)
        tell("The vendors' SDKs, only reading", lines, options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        bodies = {}
        for name, (_, make) in INPUTS.items():
            bodies[name] = Body(Path(folder) / name)
            bodies[name].path.write_bytes(b"".join(make()))
        with serve(bodies) as base:
            asked = ("--base", base, "--rounds", rounds, "--only", options.only)
            lines = chain.from_iterable(others(home, "benchmarks.peers", *asked) for home in PEERS)
            tell("Other bridges and readers", lines, options.rounds)
    tell_missed()


if __name__ == "__main__":
    main()
