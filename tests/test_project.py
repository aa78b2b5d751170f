"""The house rules that a program can check, over every tracked file."""

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILE_LINES = 500
FUNCTION_LINES = 45

# A path of somebody's machine, or a place to install from that is not the reader's own to choose.
UNWANTED = {
    "machine path": re.compile(r"(?<![\w.~*})\]/-])/(?:work|root|tmp|home|Users)/[\w.]"),
    "package index": re.compile(
        r"--(?:extra-)?index-url|--find[-]links|files\.pythonhosted\.org|registry\.npmjs|registry\.yarnpkg"
    ),
}


def tracked(pattern: str = "*") -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", pattern], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout, so nobody says which files are the project's")
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def at(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def unwanted(text: str) -> Iterator[tuple[int, str]]:
    """The line and the kind of everything in a text that does not belong into a repository."""
    for kind, pattern in UNWANTED.items():
        for found in pattern.finditer(text):
            yield text.count("\n", 0, found.start()) + 1, kind


def functions(path: Path) -> Iterator[tuple[str, int, int]]:
    """Name, line and length of every function of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_no_file_names_a_machine_or_an_index():
    found = [
        f"{at(path, line)}: {kind}"
        for path in tracked()
        for line, kind in unwanted(path.read_bytes().decode("utf-8", "replace"))
    ]
    assert [] == found


def test_machine_paths_and_indexes_are_recognised():
    text = "\n".join(
        [
            "see /" + "work/main",
            "fine/" + "work/x",
            "pip install --" + "index-url x",
            'open("/' + 'tmp/x")',
            "https://a.b/" + "home/x",
        ]
    )
    assert [(1, "machine path"), (3, "package index"), (4, "machine path")] == sorted(unwanted(text))


def test_files_are_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in tracked("*.py")}
    assert [] == [at(path, length) for path, length in lengths.items() if length >= FILE_LINES]


def test_functions_are_short():
    long = [
        f"{at(path, line)} {name}: {length} lines"
        for path in tracked("*.py")
        for name, line, length in functions(path)
        if length > FUNCTION_LINES
    ]
    assert [] == long


def test_every_source_says_what_it_knows():
    silent = [
        at(path, 1)
        for path in tracked("src/*.py")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert [] == silent


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_make_targets_that_are_told_exist(page: str):
    told = set(re.findall(r"(?:^|`)make ([a-z-]+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE))
    assert told
    assert set() == told - make_targets()


def test_ci_runs_what_the_readme_tells():
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    assert "make test </dev/null" == run.read_text(encoding="utf-8").splitlines()[-1]
    assert re.search(r"^make test\b", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
