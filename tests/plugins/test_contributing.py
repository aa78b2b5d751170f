"""What CONTRIBUTING.md tells a contributor to write is applied to a copy of the project, and works there as it is told."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
DIFF = re.compile(r"^```diff\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^--- .*\n\+\+\+ b/(.*)\n((?:@@ .*\n)?)((?:\+.*\n)+)", re.MULTILINE)
LEFT_OUT = re.compile(r"^… .* examples/parrot\.py.*$", re.MULTILINE)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("src", "tools", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(
        ROOT / "tests" / "protocols", tmp_path / "tests" / "protocols", ignore=lambda _, names: {*names} - {"wire.py"}
    )
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    (tmp_path / "tests" / "__init__.py").touch()
    (tmp_path / "fixtures").mkdir()
    for diff in DIFF.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        for name, place, text in written(diff):
            apply(tmp_path / name, place, text)
    return tmp_path


def written(diff: str) -> Iterator[tuple[str, str, str]]:
    """Which file, below which word of it, and the lines."""
    for name, place, lines in FILE.findall(diff):
        yield name, place.removeprefix("@@ ").strip(), re.sub("^[+]", "", lines, flags=re.MULTILINE)


def apply(path: Path, place: str, text: str) -> None:
    example = (ROOT / "examples" / "parrot.py").read_text("utf-8").split('"""\n', 1)[1]
    text = LEFT_OUT.sub(lambda _: example, text)
    if place:
        old = path.read_text("utf-8")
        found = re.search(rf"^(### )?{place}\b.*\n\n?", old, re.MULTILINE)
        assert found, place
        text = old[: found.end()] + text + old[found.end() :]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def run(checkout: Path, *words: str) -> str:
    """What a program of the copy says; it must end well."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


def test_the_dialect_and_the_protocol_of_the_page_work(checkout: Path):
    assert "4 goldens rewritten" in run(checkout, "tools/accept.py", "openai-chat+acme", "parrot")
    call = (checkout / "fixtures" / "openai-chat+acme" / "name_in_pieces.events.jsonl").read_text("utf-8")
    assert '"name":"read_file"' in call
    answer = (checkout / "fixtures" / "parrot" / "cracker.events.jsonl").read_text("utf-8")
    assert '"outcome":"completed"' in answer
    assert "1 passed" in run(checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/protocols/test_parrot.py")
    assert "parrot/chatty" in run(checkout, "-m", "weft", "protocols", "--json")
