"""What Weft costs a chunk, against the floor of the same run. What others cost is asked by benchmarks/beside.py.

    python -m benchmarks.bench [--rounds N] [--only WORD] [--instructions]

The floor is the least that any reader must do: split the frames and parse each once with the decoder's own wire types. Ratios are medians over
rounds in which floor and subject take turns, so that a busy machine slows both; trust them, not the digits.
"""

import argparse
import gc
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import msgspec
from benchmarks.floors import NARROW, Reads, floor, narrow_floor, split
from benchmarks.inputs import INPUTS, anthropic_tools, chat_tools, responses_tools
from benchmarks.table import Table, tell_missed

from weft.pipe import Pipe
from weft.reader import Reader

ROOT = Path(__file__).parent.parent
READ = 4096
SIZES = (("4 KiB", READ), ("a frame", None))

# The budget as a ratio to the floor: at 4 KiB reads, at one frame a read.
TEXT, TOOLS, PAIR = (1.8, 2.0), (2.0, 2.4), (2.2, 2.7)
WATCHED, UNWATCHED = 1.15, 1.3  # of reading alone, of the bare split
PAIRS = (
    ("chat text", "openai-responses"),
    ("chat text", "anthropic"),
    ("chat tools", "openai-responses"),
    ("chat tools", "anthropic"),
    ("anthropic mixed", "openai-chat"),
    ("anthropic mixed", "openai-responses"),
    ("gemini", "openai-chat"),
)
FORWARDED = ("chat text", "chat tools", "anthropic mixed", "gemini", "responses text", "ollama", "bedrock text")
GROWING: dict[str, Callable[[int], Reads]] = {
    **{name: make for name, (_, make) in INPUTS.items() if name not in ("chat tools", "anthropic mixed", "responses tools")},
    "chat tools": partial(chat_tools, 1),
    "anthropic tools": anthropic_tools,
    "responses tools": partial(responses_tools, 1),
}  # fmt: skip
_IMPORTS = ("import weft", "import weft; weft.read")
Run = Callable[[], None]


def in_reads(frames: Reads, size: int | None) -> Reads:
    """The same bytes, one frame a read or in reads of `size`."""
    if size is None:
        return frames
    whole = b"".join(frames)
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def read_all(protocol: str, reads: Reads) -> None:
    """Bytes to events, which are let go of as they come."""
    events: list[Any] = []
    reader = Reader(protocol, events.append)
    for read in reads:
        reader.feed(read)
        events.clear()
    reader.close()


def pipe_all(protocol: str, target: str, reads: Reads, **options: Any) -> None:
    """Bytes to bytes."""
    pipe = Pipe(protocol, target, **{"keep": False, **options})
    for read in reads:
        pipe.feed(read)
    pipe.close()


def cpu(run: Run) -> float:
    """Seconds."""
    started = process_time()
    run()
    return process_time() - started


def compare(rounds: int, base: Run, *subjects: Run) -> list[tuple[float, float]]:
    """For the base and each subject: its least seconds, and the median of its ratio to the base over rounds in which all take turns."""
    runs = (base, *subjects)
    for run in runs:
        run()
    spent: list[list[float]] = []
    for _ in range(rounds):
        gc.collect()
        spent.append([cpu(run) for run in runs])
    return [
        (min(row[at] for row in spent), statistics.median(row[at] / row[0] for row in spent)) for at in range(len(runs))
    ]


def readers(rounds: int, only: str) -> None:
    """Bytes to events, for every source."""
    columns = (
        ("input", 19),
        ("reads", 7),
        ("floor us", 8),
        ("weft us", 7),
        ("ratio to floor", 20),
        ("to the narrow one", 17),
    )
    table = Table("Bytes to events, CPU a chunk", *columns)
    for name, (protocol, make) in INPUTS.items():
        if only not in name:
            continue
        frames = make()
        for (label, size), goal in zip(SIZES, TOOLS if "tools" in name else TEXT, strict=True):
            reads = in_reads(frames, size)
            narrow = narrow_floor if protocol in NARROW else floor
            runs = [partial(run, protocol, reads) for run in (floor, read_all, narrow)]
            (least, _), (ours, ratio), (narrowest, _) = compare(rounds, *runs)
            per = 1e6 / len(frames)
            verdict = table.judged((name, label), ratio, goal)
            table.row(name, label, f"{least * per:.2f}", f"{ours * per:.2f}", verdict, f"{ours / narrowest:.2f}")


def pairs(rounds: int, only: str) -> None:
    """Bytes to bytes, for the pairs that people run most."""
    columns = (("pair", 35), ("reads", 7), ("floor us", 8), ("weft us", 7), ("ratio to floor", 20), ("with keep", 9))
    table = Table("Bytes to bytes, CPU a chunk", *columns)
    for name, target in PAIRS:
        protocol, make = INPUTS[name]
        title = f"{name} -> {target}"
        if only not in title:
            continue
        frames = make()
        for (label, size), goal in zip(SIZES, PAIR, strict=True):
            reads = in_reads(frames, size)
            run = partial(pipe_all, protocol, target, reads)
            (least, _), (ours, ratio), (_, kept) = compare(
                rounds, partial(floor, protocol, reads), run, partial(run, keep=True)
            )
            per = 1e6 / len(frames)
            verdict = table.judged((title, label), ratio, goal)
            table.row(title, label, f"{least * per:.2f}", f"{ours * per:.2f}", verdict, f"{kept:.2f}")


def verbatim(rounds: int, only: str) -> None:
    """Bytes handed on: beside reading them, and beside cutting them."""
    columns = (
        ("input", 15),
        ("reads", 7),
        ("reading us", 10),
        ("watching, of reading", 20),
        ("split us", 8),
        ("not watching, of split", 22),
    )
    table = Table("The same protocol on both ends, verbatim, CPU a chunk", *columns)
    for name in FORWARDED:
        protocol, make = INPUTS[name]
        if only not in name:
            continue
        frames = make()
        for label, size in SIZES:
            reads = in_reads(frames, size)
            run = partial(pipe_all, protocol, protocol, reads, verbatim=True)
            (reading, _), (_, watched) = compare(rounds, partial(read_all, protocol, reads), run)
            (cutting, _), (_, unwatched) = compare(rounds, partial(split, protocol, reads), partial(run, watch=False))
            per = 1e6 / len(frames)
            told = table.judged((name, label, "watching"), watched, WATCHED)
            blind = table.judged((name, label, "not watching"), unwatched, UNWATCHED)
            table.row(name, label, f"{reading * per:.2f}", told, f"{cutting * per:.2f}", blind)


def linearity(rounds: int, only: str) -> None:
    """What a fragment costs at 16,000 fragments against 1,000."""
    table = Table("A fragment at 16,000 against 1,000", ("stream", 40), ("ratio", 20))
    subjects: list[tuple[str, str, Callable[[int], Reads], str]] = [
        *((name, INPUTS[name][0], make, "") for name, make in GROWING.items()),
        *((f"{name} -> {to}", INPUTS[name][0], GROWING[name], to) for name, to in PAIRS if name in GROWING),
        ("anthropic tools -> openai-responses", "anthropic", anthropic_tools, "openai-responses"),
    ]
    for title, protocol, make, target in subjects:
        if only not in title:
            continue
        run = partial(pipe_all, protocol, target) if target else partial(read_all, protocol)
        few, many = (in_reads(make(count), READ) for count in (1000, 16000))
        _, (_, ratio) = compare(rounds, partial(_times, 16, partial(run, few)), partial(run, many))
        table.row(title, table.judged((title,), ratio, 1.1))


def _times(times: int, run: Run) -> None:
    for _ in range(times):
        run()


def imports(rounds: int) -> None:
    """Milliseconds of `import weft` over bare Python."""
    table = Table("Import, over bare Python", ("code", 25), ("CPU", 22))
    bare = min(_process("pass") for _ in range(rounds))
    spent = {code: 1e3 * (min(_process(code) for _ in range(rounds)) - bare) for code in _IMPORTS}
    table.row(_IMPORTS[0], table.judged(_IMPORTS[:1], spent[_IMPORTS[0]], 50, " ms"))
    table.row(_IMPORTS[1], f"{spent[_IMPORTS[1]]:.1f} ms")


def _process(code: str) -> float:
    script = f"import resource, subprocess, sys\nsubprocess.run([sys.executable, '-c', {code!r}], check=True)\nu = resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(u.ru_utime + u.ru_stime)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return float(done.stdout)


def memory(only: str) -> None:
    """Peak memory over a stream of 10 MB, in reads of 4 KiB, when nobody keeps the events."""
    table = Table("Peak memory on 10 MB, nothing kept", ("stream", 40), ("length", 8), ("peak", 8))
    subjects = [*((name, name, "") for name in INPUTS), *((f"{name} -> {to}", name, to) for name, to in PAIRS)]
    for title, name, target in subjects:
        if only not in title:
            continue
        protocol, make = INPUTS[name]
        frames = make()
        middle = frames[len(frames) // 2]
        reads = in_reads([*frames[: len(frames) // 2], *([middle] * (10_000_000 // len(middle)))], READ)
        tracemalloc.start()
        pipe_all(protocol, target, reads) if target else read_all(protocol, reads)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        table.row(title, f"{sum(map(len, reads)) / 1e6:.1f} MB", f"{peak / 1e6:.2f} MB")


def instructions(only: str) -> None:
    """User instructions a chunk, floor and subject, as `perf stat` or valgrind count them: free of the machine's noise, and blind to its caches."""
    columns = (("stream", 35), ("floor", 6), ("weft", 6), ("ratio", 5))
    table = Table("Instructions a chunk, 4 KiB reads", *columns)
    for name, target in [*((name, "") for name in INPUTS), *PAIRS]:
        title = f"{name} -> {target}" if target else name
        if only not in title:
            continue
        subject = f"pipe_all(protocol, {target!r}, reads)" if target else "read_all(protocol, reads)"
        counts = [_counted(body, name) for body in ("None", "floor(protocol, reads)", subject)]
        if not all(counts):
            table.row("neither perf nor valgrind can count here", "", "", "")
            return
        least, ours = ((count - counts[0]) / 5 / len(INPUTS[name][1]()) for count in counts[1:])
        table.row(title, f"{least:.0f}", f"{ours:.0f}", f"{ours / least:.2f}")


def _counted(body: str, name: str) -> int:
    code = f"from benchmarks.bench import *\nprotocol, make = INPUTS[{name!r}]\nreads = in_reads(make(), READ)\n"
    code += f"floor(protocol, reads); read_all(protocol, reads)\nfor _ in range(5): {body}"
    for command in (
        ["perf", "stat", "-x", ",", "-e", "instructions:u"],
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
    ):
        if shutil.which(command[0]) is None:
            continue
        done = subprocess.run(
            [*command, sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=ROOT, env=_fixed()
        )
        found = re.search(r"^(\d+),|I\s+refs:\s+([\d,]+)", done.stderr, re.MULTILINE)
        if found is not None:
            return int((found[1] or found[2]).replace(",", ""))
    return 0


def _fixed() -> dict[str, str]:
    """Sets are in the same order each time."""
    return {**os.environ, "PYTHONHASHSEED": "0"}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.bench", description="What Weft costs a chunk, against the floor of the same run."
    )
    parser.add_argument("--rounds", type=int, default=9, help="rounds for each ratio (default 9)")
    parser.add_argument("--only", default="", metavar="WORD", help="only streams whose name has this word")
    parser.add_argument(
        "--instructions", action="store_true", help="count instructions as well (needs perf or valgrind)"
    )
    options = parser.parse_args()
    rounds, only = options.rounds, options.only
    print(f"CPython {platform.python_version()}, msgspec {msgspec.__version__}, {platform.machine()}; {rounds} rounds")
    readers(rounds, only)
    pairs(rounds, only)
    verbatim(rounds, only)
    linearity(rounds, only)
    if not only:
        imports(5)
    memory(only)
    if options.instructions:
        instructions(only)
    tell_missed()


if __name__ == "__main__":
    main()
