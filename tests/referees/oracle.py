"""Ask the referees, and remember what they said.

Runs in the project's own environment: starts the server and the SDKs' child process, keeps answers in
`.cache/referees`. Knows how to ask and when an old answer still holds; must not import an SDK, nor Weft.

    python -m tests.referees.oracle [PROTOCOL ...] [--limit N]
"""

import argparse
import hashlib
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import Distribution
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import IO, Any

from .cases import CHECKOUT, STREAM_MODES, Case, corpus_cases
from .server import address_of, serve

PYTHON = CHECKOUT / ".venv-referees" / "bin" / "python"
CACHE = CHECKOUT / ".cache" / "referees"
PATIENCE = 60.0
PACKAGES = {
    "openai-chat": ("openai",),
    "openai-responses": ("openai",),
    "anthropic-messages": ("anthropic",),
    "gemini": ("google-genai",),
    "ollama": ("ollama",),
    "cohere": ("cohere",),
    "bedrock-converse": ("boto3", "botocore"),
    "bedrock-invoke": ("boto3", "botocore", "anthropic"),
}

Answer = dict[str, Any]


def available() -> bool:
    """Whether the referees' environment has been made (`make test` makes it)."""
    return PYTHON.exists()


def versions(protocol: str) -> dict[str, str]:
    """The installed SDKs that judge a protocol, read from their metadata without starting anything."""
    libraries = [str(path) for path in PYTHON.parents[1].glob("lib/python3*/site-packages")]
    found = {name: next(iter(Distribution.discover(name=name, path=libraries)), None) for name in PACKAGES[protocol]}
    return {name: package.version if package else "absent" for name, package in found.items()}


def corpus_answers(protocol: str, limit: int | None = None) -> Iterator[tuple[Case, Answer]]:
    """The referees' answers to every body of a protocol in the corpus."""
    return answers(islice(corpus_cases(protocol), limit), cache=CACHE)


def answers(cases: Iterable[Case], cache: Path | None = None) -> Iterator[tuple[Case, Answer]]:
    """Each case with its answer, in order; with a cache, only what is new or changed is asked."""
    asked = list(cases)
    known = {protocol: _Memory(protocol, cache) for protocol in {case.protocol for case in asked}}
    fresh = [case for case in asked if known[case.protocol].recall(case) is None]
    with _referees(fresh) as ask:
        for case in asked:
            memory = known[case.protocol]
            answer = memory.recall(case)
            if answer is None:
                answer = ask(case)
                memory.keep(case, answer)
            yield case, {**answer, "id": case.id}


class _Memory:
    """The answers of one protocol that still hold: same body, same SDKs, same drivers. Others are forgotten."""

    def __init__(self, protocol: str, folder: Path | None) -> None:
        self._file = folder / f"{protocol}.jsonl" if folder else None
        self._context = hashlib.sha256((json.dumps(versions(protocol)) + _drivers_digest()).encode()).hexdigest()
        self._digests: dict[Case, str] = {}
        self._known: dict[str, Answer] = {}
        if self._file and self._file.exists():
            self._load(self._file)

    def recall(self, case: Case) -> Answer | None:
        return self._known.get(self._digest(case))

    def keep(self, case: Case, answer: Answer) -> None:
        self._known[self._digest(case)] = answer
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(self._line(self._digest(case), answer))

    def _load(self, file: Path) -> None:
        """Take the lines that hold, and leave only them: none of older drivers, nor half a line of a killed run."""
        with file.open(encoding="utf-8") as stored:
            lines = list(stored)
        held = [line for line in lines if line.startswith(f'{{"context": "{self._context}"') and line.endswith("}\n")]
        self._known = {entry["case"]: entry["answer"] for entry in map(json.loads, held)}
        if len(held) < len(lines):
            file.write_text("".join(held), encoding="utf-8")

    def _line(self, digest: str, answer: Answer) -> str:
        return json.dumps({"context": self._context, "case": digest, "answer": answer}) + "\n"

    def _digest(self, case: Case) -> str:
        if case not in self._digests:
            self._digests[case] = case.digest()
        return self._digests[case]


def _drivers_digest() -> str:
    """A changed driver asks again."""
    here = Path(__file__).parent
    sources = sorted([*here.glob("sdk_*.py"), here / "drivers.py", here / "reply.py"])
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


@contextmanager
def _referees(cases: list[Case]) -> Iterator[Any]:
    """A function that asks about one of `cases`; nothing is started where there are none."""
    if not cases:
        yield None
        return
    bodies = {case.id: case.body for case in cases}
    with serve(bodies) as base, TemporaryDirectory() as home, _child(home) as (questions, replies, child):

        def ask(case: Case) -> Answer:
            line = {"protocol": case.protocol, "mode": case.mode, "id": case.id, "url": address_of(base, case.id)}
            questions.write(json.dumps(line) + "\n")
            questions.flush()
            watch = Timer(PATIENCE, child.kill)
            watch.start()
            try:
                told = replies.readline()
            finally:
                watch.cancel()
            if not told:
                message = f"the referees' process ended without an answer about {case.id} ({case.mode})"
                raise RuntimeError(message)
            return json.loads(told)

        yield ask


@contextmanager
def _child(home: str) -> Iterator[tuple[IO[str], IO[str], "subprocess.Popen[str]"]]:
    """The SDKs' process, with an environment that holds no keys, proxies or configuration of the machine."""
    with subprocess.Popen(
        [str(PYTHON), "-m", "tests.referees.drivers"],
        cwd=CHECKOUT,
        env=_environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as child:
        assert child.stdin
        assert child.stdout
        try:
            yield child.stdin, child.stdout, child
        finally:
            child.stdin.close()
            try:
                child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                child.kill()


def _environment(home: str) -> Mapping[str, str]:
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "NO_PROXY": "*",
        "AWS_EC2_METADATA_DISABLED": "true",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _report(protocol: str, limit: int | None) -> Counter[str]:
    """Ask about one protocol, show how it goes, and count how it went."""
    counts: Counter[str] = Counter()
    for number, (case, answer) in enumerate(corpus_answers(protocol, limit), 1):
        failure = answer["error"]
        outcome = "ok" if answer["ok"] else f"failed: {failure['class']}"
        counts[f"{case.kind:9} {case.mode:14} {outcome}"] += 1
        if number % 50 == 0:
            print(f"\r{protocol}: {number}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return counts


def main() -> None:
    """Ask about whole protocols of the corpus and print a summary."""
    parser = argparse.ArgumentParser(description="Ask the vendors' SDKs about the corpus.")
    parser.add_argument(
        "protocols", nargs="*", metavar="PROTOCOL", help=f"of {', '.join(STREAM_MODES)}; all by default"
    )
    parser.add_argument("--limit", type=int, help="at most so many bodies of each protocol")
    options = parser.parse_args()
    if unknown := set(options.protocols) - set(STREAM_MODES):
        parser.error(f"no such protocol: {', '.join(sorted(unknown))}")
    if not available():
        parser.error("there is no .venv-referees; `make test` makes it")
    for protocol in options.protocols or STREAM_MODES:
        judged = ", ".join(f"{name} {version}" for name, version in versions(protocol).items())
        counts = _report(protocol, options.limit)
        print(f"{protocol} ({judged}): {counts.total()} answers")
        for line, count in sorted(counts.items()):
            print(f"  {line} {count}")


if __name__ == "__main__":
    main()
