"""The checklist of the five systems that Weft grew from: each feature, where it lives, and the tests that show it.

Knows: tools/seeds.toml, and how a module and a test are found. Must not know: what they do.
A row names its `feature`, the `seeds` that ask for it, `lives` (modules), `tests` (below tests/), and if it was left out, the `reason`;
only a row that is `optional` may have none.
"""

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
ROWS = Path(__file__).parent / "seeds.toml"

GROUPS = {
    "A": ("Inputs", 23),
    "B": ("Events and deltas", 22),
    "C": ("State machine and reconstruction", 15),
    "D": ("Tool calls", 23),
    "E": ("Errors, retries, limits", 19),
    "F": ("Repair of text and reasoning", 7),
    "G": ("Outputs", 14),
}
"""Letter -> title, and how many rows the checklist has under it."""


class Row(NamedTuple):
    """One feature."""

    id: str
    feature: str
    seeds: str
    lives: tuple[str, ...]
    tests: tuple[str, ...]
    optional: bool
    reason: str


def rows() -> list[Row]:
    """All rows, in order."""
    data: dict[str, dict[str, Any]] = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    return [
        Row(
            id, row["feature"], row.get("seeds", ""), tuple(row.get("lives", ())), tuple(row.get("tests", ())),
            row.get("optional", False), row.get("reason", ""),
        )
        for id, row in data.items()
    ]  # fmt: skip


def expected_ids() -> list[str]:
    """The ids that there must be."""
    return [f"{letter}{number}" for letter, (_, count) in GROUPS.items() for number in range(1, count + 1)]


def broken() -> list[str]:
    """What is wrong with the rows: ids, modules and tests that are not there. Empty if all is well."""
    ids = [row.id for row in rows()]
    found = [f"the rows are not {expected_ids()[0]} to {expected_ids()[-1]} in order"] if ids != expected_ids() else []
    for row in rows():
        found += [f"{row.id}: no module {name}" for name in row.lives if not _is_module(name)]
        found += [f"{row.id}: no test {name}" for name in row.tests if not _is_test(name)]
        if not (row.lives and row.tests) and not (row.optional and row.reason):
            found.append(f"{row.id}: neither a home and a test nor, for an optional row, a reason")
    return found


def _is_module(name: str) -> bool:
    path = (ROOT / "src").joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file() or any(path.glob("*.py"))


def _is_test(node: str) -> bool:
    file, _, name = node.partition("::")
    return name in _tests(ROOT / "tests" / file)


@cache
def _tests(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    body = ast.parse(path.read_text(encoding="utf-8")).body
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(name for name in functions if name.startswith("test_"))
