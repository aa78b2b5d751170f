"""Ask the front ends' clients, which run in Node, what they make of a body.

Runs in the project's own environment. Knows how the process of `node/drive.mjs` is started and asked; must not know a client, nor Weft.
"""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "node"
PATIENCE = 300.0


def available() -> bool:
    """Whether there is a Node, and its packages have been installed (`make test` does it)."""
    return shutil.which("node") is not None and (FOLDER / "node_modules" / "ai").is_dir()


def ask(bodies: Sequence[tuple[str, bytes]], folder: Path) -> list[dict[str, Any]]:
    """What each client made of its body, in order: `answer`, or the `error` that it ended with. The folder is for the bodies."""
    questions: list[str] = []
    for number, (client, body) in enumerate(bodies):
        file = folder / f"{number}.sse"
        file.write_bytes(body)
        questions.append(json.dumps({"client": client, "file": str(file)}))
    told = subprocess.run(
        ["node", str(FOLDER / "drive.mjs")],
        input="\n".join(questions),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=True,
    )
    answers = [json.loads(line) for line in told.stdout.split("\n") if line]
    assert len(bodies) == len(answers), told.stderr
    return answers
