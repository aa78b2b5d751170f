"""The real command, as a user starts it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

WEFT = [sys.executable, "-m", "weft"]
PLAIN = {"COLUMNS": "", "NO_COLOR": "", "TERM": "xterm-256color", "PYTHONUTF8": "1"}


def environment(**extra: str) -> dict[str, str]:
    """The caller's environment, without what would change the output."""
    return {**os.environ, **PLAIN, **extra}


def weft(*words: str | Path, stdin: bytes | int = b"", env: dict[str, str] | None = None, **options: Any) -> Any:
    """Run `weft` to its end. Its standard error is text, its output bytes."""
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    done = subprocess.run(
        [*WEFT, *map(str, words)],
        capture_output=True,
        timeout=60,
        check=False,
        env=env or environment(),
        **given,
        **options,
    )
    done.stderr = done.stderr.decode()
    assert "Traceback" not in done.stderr
    return done


def told(done: Any) -> str:
    """The one line that a refusal is told in."""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("weft: ")
    return done.stderr.removeprefix("weft: ").rstrip("\n")


def lines(output: bytes) -> list[str]:
    """The lines of an output."""
    return output.decode().splitlines()
