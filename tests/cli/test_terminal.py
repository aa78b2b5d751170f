"""On a terminal: colour, a line that is rewritten in place, progress; and none of it elsewhere."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

from weft.cli.progress import _PATIENCE
from weft.cli.samples import SAMPLES

from .run import WEFT, environment, weft

CHAT = b"".join(SAMPLES["openai-chat"].frames(["Hello", " you"]))
ESCAPE = b"\x1b["


def on_terminal(
    *words: str | Path, stdin: bytes = b"", both: bool = True, env: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """Exit status, and all that a terminal was sent. Not `both`: only standard error is the terminal."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*WEFT, *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=theirs if both else subprocess.DEVNULL,
        stderr=theirs,
        env=env or environment(),
    )
    os.close(theirs)
    assert child.stdin
    child.stdin.write(stdin)
    child.stdin.close()
    seen, until = b"", time.monotonic() + 60
    try:
        while time.monotonic() < until:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                data = os.read(ours, 65536)
            except OSError:  # how Linux says that nobody holds the other side any more
                break
            if not data:
                break
            seen += data
        return child.wait(10), seen
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        os.close(ours)


def test_timeline_is_painted():
    status, seen = on_terminal("inspect", stdin=CHAT)
    assert 0 == status
    assert ESCAPE + b"36m" in seen  # the kind of a line, in cyan


@pytest.mark.parametrize(
    ("words", "env"),
    [([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}), (["--color", "never"], {})],
    ids=["NO_COLOR", "dumb", "never"],
)
def test_timeline_is_not_painted(words: list[str], env: dict[str, str]):
    _, seen = on_terminal("inspect", *words, stdin=CHAT, env=environment(**env))
    assert b"m" + b"Hello" not in seen
    assert ESCAPE + b"3" not in seen


@pytest.mark.parametrize("color", ["always", "never"])
def test_lines_are_cut_to_the_terminal(color: str):
    _, seen = on_terminal("inspect", "--color", color, stdin=CHAT, env=environment(COLUMNS="40"))
    shown = [re.sub(rb"\x1b\[[0-9;]*[mK]", b"", line) for line in re.split(rb"[\r\n]+", seen)]
    assert 40 == max(len(line.decode()) for line in shown)


def test_pipe_is_painted_only_if_asked():
    assert ESCAPE not in weft("inspect", stdin=CHAT).stdout
    assert ESCAPE + b"36m" in weft("inspect", "--color", "always", stdin=CHAT, env=environment(NO_COLOR="1")).stdout


def test_open_block_is_rewritten_in_place():
    _, seen = on_terminal("demo", "--color", "never")
    assert b"\r\x1b[2K" in seen
    assert b"\x1b[2K" not in weft("demo").stdout


def test_message_is_indented_for_people():
    _, seen = on_terminal("collect", "-q", stdin=CHAT)
    assert b'\n  "text": "Hello you"' in seen.replace(b"\r\n", b"\n")
    assert 1 == weft("collect", stdin=CHAT).stdout.count(b"\n")


def test_terminal_as_input_is_announced():
    ours, theirs = pty.openpty()
    try:
        child = subprocess.Popen(
            [*WEFT, "events"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        )
        os.write(ours, b"\x04")
        _, err = child.communicate(timeout=30)
    finally:
        os.close(ours)
        os.close(theirs)
    assert b"weft: reading from the terminal; Ctrl-D ends it\n" in err


def test_long_input_shows_how_far_it_is(tmp_path: Path):
    path = tmp_path / "long.sse"
    head, word, *_ = SAMPLES["openai-chat"].frames(["Hello"])
    with path.open("wb") as file:
        file.write(head)
        for _ in range(60):
            file.write(word * 10_000)
    began = time.monotonic()
    status, seen = on_terminal("events", "--from", "openai-chat", path, both=False)
    took = time.monotonic() - began
    assert 3 == status
    shown = b"% of 98.4 MB\x1b[K\r" in seen
    assert shown or took < _PATIENCE + 0.5  # what is over sooner needs no progress
    assert (b"\r\x1b[Kweft: truncated" if shown else b"weft: truncated") in seen
    assert b"%" not in on_terminal("events", "-q", "--from", "openai-chat", path, both=False)[1]
