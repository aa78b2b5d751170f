"""Which failure of the gallery is tested where, read from the tests themselves.

Knows: how a test of tests/gallery names its mode, says it in a sentence, and refers to where it was seen.
Must not know: what the tests test.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

GALLERY = Path(__file__).parent.parent / "tests" / "gallery"
REFERENCE = re.compile(r"[\w.-]+/[\w.-]+(?:#\d+|@[0-9a-f]{7,})")
_NAME = re.compile(r"test_([a-m])(\d\d)_\w+")


class Case(NamedTuple):
    """One test of one mode: `what` goes wrong and what must happen instead, and where it was `seen`."""

    mode: str
    what: str
    seen: tuple[str, ...]
    file: str
    name: str


def cases() -> list[Case]:
    """All tests of modes, by mode."""
    found = [
        _case(node, path.name)
        for path in sorted(GALLERY.glob("test_[a-m]_*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _NAME.fullmatch(node.name)
    ]
    return sorted(found, key=lambda case: place(case.mode))


def not_here() -> dict[str, str]:
    """The modes that no stream can show, with the reason."""
    tree = ast.parse((GALLERY / "test_index.py").read_text(encoding="utf-8"))
    tables = [node.value for node in tree.body if isinstance(node, ast.Assign) and _is_named(node, "NOT_HERE")]
    return ast.literal_eval(tables[0])


def place(mode: str) -> tuple[str, int]:
    """What to sort modes by: A2 stands before A10, a group before its modes."""
    return mode[0], int(mode[1:] or 0)


def _case(node: ast.FunctionDef | ast.AsyncFunctionDef, file: str) -> Case:
    letter, number = _NAME.fullmatch(node.name).groups()
    text = ast.get_docstring(node) or ""
    what = " ".join(text.split("\n\n")[0].split())
    return Case(f"{letter.upper()}{int(number)}", what, tuple(REFERENCE.findall(text)), file, node.name)


def _is_named(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
