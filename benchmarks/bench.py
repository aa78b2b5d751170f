"""What Weft costs a chunk, against the floor of the same run. What others cost is asked by benchmarks/beside.py.

    python -m benchmarks.bench [--rounds N] [--only WORD] [--instructions]

The floor is the least that any reader must do: split the frames and parse each once with the decoder's own wire types. Ratios are medians over
rounds in which floor and reader take turns, so that a busy machine slows both; trust them, not the digits.
"""

import argparse
import gc
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
from benchmarks.inputs import INPUTS, anthropic_tools, chat_tools, responses_tools

from weft.framing import FRAMERS
from weft.pipe import Pipe
from weft.protocol import resolve
from weft.reader import Reader

ROOT = Path(__file__).parent.parent
READ = 4096

# input -> the budget as a ratio to the floor: at 4 KiB reads, at one frame a read
TEXT, TOOLS = (1.8, 2.0), (2.0, 2.4)
PAIRS = (
    ("chat text", "openai-responses"),
    ("chat text", "anthropic"),
    ("chat tools", "openai-responses"),
    ("chat tools", "anthropic"),
    ("anthropic mixed", "openai-chat"),
    ("anthropic mixed", "openai-responses"),
    ("gemini", "openai-chat"),
)
PAIR = (2.2, 2.7)

Reads = list[bytes]


def in_reads(frames: Reads, size: int | None) -> Reads:
    """The same bytes, one frame a read or in reads of `size`."""
    if size is None:
        return frames
    whole = b"".join(frames)
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def floor(protocol: str, reads: Reads) -> None:
    """Split the frames in the plainest way, and parse each once."""
    spec, _ = resolve(protocol)
    if spec.framing == "aws":
        return _floor_binary(spec, reads)
    parse = msgspec.json.Decoder(spec.decoder.wire).decode
    mark = b"\n" if spec.framing == "ndjson" else b"\r\n\r\n" if b"\r\n\r\n" in reads[0] else b"\n\n"
    rest = b""
    for read in reads:
        *frames, rest = (rest + read).split(mark)
        for frame in frames:
            at = frame.find(b"data: ") if mark != b"\n" else -6
            payload = frame[at + 6 :]
            if payload and payload != b"[DONE]":
                parse(payload)
    return None


def _floor_binary(spec: Any, reads: Reads) -> None:
    """Our own framer stands in for a bare splitter: both have to check two sums a frame."""
    parsers = {name: msgspec.json.Decoder(wire).decode for name, wire in spec.decoder.wires.items()}

    def take(payload: bytes, name: str) -> None:
        parsers[name](payload)

    framer = FRAMERS["aws"](take, lambda *_: None)
    for read in reads:
        framer.feed(read)


def read_all(protocol: str, reads: Reads) -> None:
    """Bytes to events, which are let go of as they come."""
    events: list[Any] = []
    reader = Reader(protocol, events.append)
    for read in reads:
        reader.feed(read)
        events.clear()
    reader.close()


def pipe_all(protocol: str, target: str, reads: Reads) -> None:
    """Bytes to bytes."""
    pipe = Pipe(protocol, target, keep=False)
    for read in reads:
        pipe.feed(read)
    pipe.close()


def compare(base: Callable[[], None], subject: Callable[[], None], rounds: int) -> tuple[float, float, float]:
    """Seconds of both, and the median ratio over rounds in which they take turns."""
    base(), subject()
    pairs: list[tuple[float, float]] = []
    for _ in range(rounds):
        gc.collect()
        spent = [cpu(base), cpu(subject)]
        pairs.append((spent[0], spent[1]))
    return min(a for a, _ in pairs), min(b for _, b in pairs), statistics.median(b / a for a, b in pairs)


def cpu(run: Callable[[], None]) -> float:
    started = process_time()
    run()
    return process_time() - started


def show(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """A table."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    print(f"\n{title}")
    for row in (head, tuple("-" * width for width in widths), *rows):
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


def _verdict(ratio: float, goal: float) -> str:
    return f"{ratio:.2f} {'ok' if ratio <= goal else 'OVER'} (goal {goal})"


def readers(rounds: int, only: str) -> list[tuple[str, ...]]:
    """Bytes to events, for every source."""
    rows: list[tuple[str, ...]] = []
    for name, (protocol, make) in INPUTS.items():
        if only not in name:
            continue
        frames = make()
        goals = TOOLS if "tools" in name else TEXT
        for label, size, goal in (("4 KiB", READ, goals[0]), ("a frame", None, goals[1])):
            reads = in_reads(frames, size)
            least, ours, ratio = compare(partial(floor, protocol, reads), partial(read_all, protocol, reads), rounds)
            per = 1e6 / len(frames)
            rows.append((name, label, f"{least * per:.2f}", f"{ours * per:.2f}", _verdict(ratio, goal)))
    return rows


def pairs(rounds: int, only: str) -> list[tuple[str, ...]]:
    """Bytes to bytes, for the pairs that people run most."""
    rows: list[tuple[str, ...]] = []
    for name, target in PAIRS:
        protocol, make = INPUTS[name]
        if only not in name or resolve(target)[0].encoder is None:
            continue
        frames = make()
        for label, size, goal in (("4 KiB", READ, PAIR[0]), ("a frame", None, PAIR[1])):
            reads = in_reads(frames, size)
            run = partial(pipe_all, protocol, target, reads)
            least, ours, ratio = compare(partial(floor, protocol, reads), run, rounds)
            per = 1e6 / len(frames)
            rows.append(
                (f"{name} -> {target}", label, f"{least * per:.2f}", f"{ours * per:.2f}", _verdict(ratio, goal))
            )
    return rows


def linearity(rounds: int) -> list[tuple[str, ...]]:
    """What a fragment costs at 16,000 fragments against 1,000."""
    rows: list[tuple[str, ...]] = []
    makers = {
        "openai-chat": partial(chat_tools, 1),
        "anthropic": anthropic_tools,
        "openai-responses": partial(responses_tools, 1),
    }
    for protocol, make in makers.items():
        few, many = (in_reads(make(count), READ) for count in (1000, 16000))
        _, _, ratio = compare(partial(_times, 16, protocol, few), partial(read_all, protocol, many), rounds)
        rows.append((protocol, _verdict(ratio, 1.1)))
    return rows


def _times(times: int, protocol: str, reads: Reads) -> None:
    for _ in range(times):
        read_all(protocol, reads)


def imports(rounds: int) -> list[tuple[str, ...]]:
    """Milliseconds of `import weft` over bare Python."""
    spent = {
        code: min(_process(code) for _ in range(rounds)) for code in ("pass", "import weft", "import weft; weft.read")
    }
    return [(code, f"{1e3 * (spent[code] - spent['pass']):.1f} ms (goal 50)") for code in spent if code != "pass"]


def _process(code: str) -> float:
    script = f"import resource, subprocess, sys\nsubprocess.run([sys.executable, '-I', '-c', {code!r}], check=True)\nu = resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(u.ru_utime + u.ru_stime)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return float(done.stdout)


def memory() -> list[tuple[str, ...]]:
    """Peak memory of a reader on a stream of 10 MB, in reads of 4 KiB, when nobody keeps the events."""
    rows: list[tuple[str, ...]] = []
    for name in ("chat text", "chat tools", "anthropic text", "responses text", "gemini", "ollama"):
        protocol, make = INPUTS[name]
        frames = make()
        middle = frames[len(frames) // 2]
        body = [*frames[: len(frames) // 2], *([middle] * (10_000_000 // len(middle)))]
        reads = in_reads(body, READ)
        tracemalloc.start()
        read_all(protocol, reads)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        rows.append((name, f"{sum(map(len, reads)) / 1e6:.1f} MB", f"{peak / 1e6:.2f} MB"))
    return rows


def instructions(only: str) -> list[tuple[str, ...]]:
    """User instructions per chunk, floor and reader, where `perf stat` can count them: free of the machine's noise."""
    rows: list[tuple[str, ...]] = []
    for name, (_, make) in INPUTS.items():
        if only not in name:
            continue
        counts = {what: _counted(what, name) for what in ("nothing", "floor", "read_all")}
        if not all(counts.values()):
            return [("perf stat cannot count instructions here", "", "", "")]
        frames = 20 * len(make())
        least, ours = (counts[what] - counts["nothing"] for what in ("floor", "read_all"))
        rows.append((name, f"{least / frames:.0f}", f"{ours / frames:.0f}", f"{ours / least:.2f}"))
    return rows


def _counted(what: str, name: str) -> int:
    body = "" if what == "nothing" else f"[bench.{what}(protocol, reads) for _ in range(20)]"
    code = f"from benchmarks import bench\nprotocol, make = bench.INPUTS[{name!r}]\nreads = bench.in_reads(make(), 4096)\n{body}"
    command = ["perf", "stat", "-x", ",", "-e", "instructions:u", sys.executable, "-c", code]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    except FileNotFoundError:
        return 0
    first = done.stderr.strip().splitlines()[-1].split(",")[0] if done.stderr.strip() else ""
    return int(first) if first.isdigit() else 0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.bench", description="What Weft costs a chunk, against the floor of the same run."
    )
    parser.add_argument("--rounds", type=int, default=9, help="rounds for each ratio (default 9)")
    parser.add_argument("--only", default="", metavar="WORD", help="only inputs whose name has this word")
    parser.add_argument("--instructions", action="store_true", help="count instructions as well (needs perf)")
    options = parser.parse_args()
    head = ("input", "reads", "floor us", "weft us", "ratio")
    show("Bytes to events, CPU a chunk", head, readers(options.rounds, options.only))
    show("Bytes to bytes, CPU a chunk", head, pairs(options.rounds, options.only))
    if options.instructions:
        show("Instructions a chunk, 4 KiB reads", ("input", "floor", "weft", "ratio"), instructions(options.only))
    if options.only:
        return
    show("A fragment at 16,000 against 1,000", ("source", "ratio"), linearity(options.rounds))
    show("Import, over bare Python", ("code", "CPU"), imports(5))
    show("Peak memory on 10 MB, nothing kept", ("input", "stream", "peak"), memory())


if __name__ == "__main__":
    main()
