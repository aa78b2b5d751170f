"""What others cost a chunk beside Weft, on the same bytes in the same run: the vendors' SDKs that merely read, and other bridges.

    python -m benchmarks.beside [--rounds N] [--only WORD] [--limit SECONDS]

Each other runs in a process of its own, in the environment that `make bench` makes for it, Weft in this one, right after each of its rows, while the
other stands still. Both figures are the least of their rounds. Knows how to start others, how long to wait for them and what is to be beaten; must not know how one of them is asked.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from threading import Timer
from typing import Any, NamedTuple

from benchmarks.bench import READ, ROOT, cpu, in_reads, pipe_all, read_all
from benchmarks.inputs import INPUTS
from benchmarks.table import MISSED, Table, tell_missed
from tests.referees.server import Body, serve


class Other(NamedTuple):
    """One that is measured beside us, and how many times our cost its own should be; without a goal it is there to be seen."""

    name: str
    environment: str
    goal: int | None = None


SDKS = tuple(
    Other(name, ".venv-referees", 5) for name in ("openai", "anthropic", "google-genai", "cohere", "ollama", "boto3")
)
BRIDGES = (
    Other("llm-rosetta", ".venv-peers", 5),
    Other("LiteLLM", ".venv-peers", 100),
    Other("any-llm", ".venv-peers"),
    Other("pydantic-ai", ".venv-peers-apart"),
)
LIMIT = 180.0
"""Seconds that one row may take by the clock, the other's import included. On a machine that does little else the longest takes some fifteen."""
COLUMNS = (("other", 40), ("input", 15), ("becomes", 16), ("us", 6), ("ours us", 7), ("ratio", 20))

Line = dict[str, Any]


def lines(other: Other, module: str, limit: float, *options: str) -> Iterator[Line]:
    """What the program that measures others prints of this one, line by line; one that says why there is no more."""
    if not (ROOT / other.environment / ".stamp").exists():
        yield {"problem": f"no {other.environment} here; `make bench` makes it"}
        return
    python = ROOT / other.environment / "bin" / "python"
    command = [str(python), "-m", module, "--only", other.name, *options]
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=said) as process,
    ):
        silences: list[float] = []
        for line in printed(process, limit, silences):
            if line.startswith("{"):
                process.send_signal(SIGSTOP)
                try:
                    yield json.loads(line)
                finally:
                    process.send_signal(SIGCONT)
        if silences:
            yield {"problem": f"stopped: a row took more than {limit:.0f} s"}
        elif process.wait():
            said.seek(0)
            yield {"problem": "did not come to its end: " + (said.read().strip().splitlines() or ["?"])[-1][:100]}


def printed(process: subprocess.Popen[str], limit: float, silences: list[float]) -> Iterator[str]:
    """The lines of a process, which is killed where it says nothing for so many seconds; then the silence is noted."""

    def stop() -> None:
        silences.append(limit)
        process.kill()

    line = "\n"
    while line:
        timer = Timer(limit, stop)
        timer.start()
        try:
            line = process.stdout.readline() if process.stdout is not None else ""
        finally:
            timer.cancel()
        yield line


def ours(name: str, target: str, size: int | None, rounds: int) -> float:
    """Weft's microseconds a chunk for the same: reading, or converting where something comes out."""
    protocol, make = INPUTS[name]
    frames = make()
    reads = in_reads(frames, size)
    run = partial(pipe_all, protocol, target, reads) if target else partial(read_all, protocol, reads)
    run()
    return min(cpu(run) for _ in range(rounds)) * 1e6 / len(frames)


def compare(title: str, others: list[Other], module: str, options: argparse.Namespace, *more: str) -> None:
    """A table of these, row by row as they come."""
    if not others:
        return
    table = Table(title, *COLUMNS)
    for other in others:
        waiting(f"  {other.name} …")
        for line in lines(other, module, options.limit, "--rounds", str(options.rounds), *more):
            told = row(other, line, options.rounds)
            waiting("")
            table.row(*told)
            waiting(f"  {other.name} …")
    waiting("")


def waiting(text: str) -> None:
    """Whom we wait for, on a terminal, until the next row takes its place."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def row(other: Other, line: Line, rounds: int) -> tuple[str, ...]:
    """One line of another's, with ours beside it. What has a goal and could not be measured has missed it."""
    target, name = line.get("target", ""), line.get("input", "")
    title = " ".join(filter(None, (other.name, *(line.get(part) for part in ("version", "mode", "read", "remark")))))
    what = f"{title}, {name} -> {target or 'events'}" if name else title
    if "problem" in line:
        if other.goal is not None:
            MISSED.append(f"{what}: not measured: {line['problem']}")
        return title, name, target or "events", line["problem"], "", ""
    mine = ours(name, target, None if line.get("read") == "frame" else READ, rounds)
    ratio = line["us_per_chunk"] / mine
    verdict = ""
    if other.goal is not None:
        verdict = f" {'ok' if ratio >= other.goal else 'UNDER'} (goal {other.goal}x)"
        if ratio < other.goal:
            MISSED.append(f"{what}: {ratio:.1f} times ours, goal {other.goal}")
    return title, name, target or "events", f"{line['us_per_chunk']:.1f}", f"{mine:.2f}", f"{ratio:.1f}x{verdict}"


def asked() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.beside", description="What SDKs and other bridges cost a chunk, beside Weft."
    )
    names = [other.name for other in (*SDKS, *BRIDGES)]
    parser.add_argument("--rounds", type=int, default=5, help="rounds for each row (default 5)")
    parser.add_argument(
        "--only", default="", metavar="WORD", help=f"only others whose name has this word: {', '.join(names)}"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help=f"the most that a row may take (default {LIMIT:.0f})",
    )
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds is 1 at least")
    if not any(options.only in name for name in names):
        parser.error(f"nobody is called {options.only!r}; there are {', '.join(names)}")
    return options


def main() -> None:
    """Measure and print."""
    options = asked()
    sdks, bridges = ([other for other in row if options.only in other.name] for row in (SDKS, BRIDGES))
    compare("The vendors' SDKs, only reading, CPU a chunk", sdks, "tests.referees.speed", options)
    with tempfile.TemporaryDirectory() as folder:
        bodies = {}
        for name, (_, make) in INPUTS.items():
            bodies[name] = Body(Path(folder) / name)
            bodies[name].path.write_bytes(b"".join(make()))
        with serve(bodies) as base:
            compare("Other bridges and readers, CPU a chunk", bridges, "benchmarks.peers", options, "--base", base)
    tell_missed()


if __name__ == "__main__":
    main()
