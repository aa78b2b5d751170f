"""The checklist of the five systems: every row is there, and what it names exists."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
_spec = importlib.util.spec_from_file_location("seeds", ROOT / "tools" / "seeds.py")
assert _spec is not None
assert _spec.loader is not None
seeds = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(seeds)

# Beside the checkout where the project is developed; a clone has none, and needs none.
DESIGN = ROOT.parent / "shared" / "design" / "requirements.md"
_ROW = re.compile(r"^\| ([A-G]\d+) \| (.+?) \| ([\d,–]+) \| ", re.MULTILINE)


def test_every_row_is_there_once_and_what_it_names_exists():
    assert [] == seeds.broken()


def test_there_are_123_rows():
    assert 123 == len(seeds.expected_ids()) == len(set(seeds.expected_ids()))


def test_ids_and_options_are_those_of_the_design():
    if not DESIGN.is_file():
        pytest.skip("no ../shared/design/requirements.md beside this checkout")
    asked = _ROW.findall(DESIGN.read_text(encoding="utf-8"))
    wanted = [(id, numbers.replace("–", "").replace(",", ", "), "*opt" in feature) for id, feature, numbers in asked]
    assert wanted == [(row.id, row.seeds, row.optional) for row in seeds.rows()]


@pytest.mark.parametrize(
    ("module", "found"),
    [("weft.calls", True), ("weft.protocols.gemini", True), ("weft.vscode.adapter", True), ("weft.nothing", False)],
)
def test_a_module_that_is_not_there_is_noticed(module, found):
    assert found == seeds._is_module(module)


def test_a_test_that_is_not_there_is_noticed():
    assert seeds._is_test("seeds/test_checklist.py::test_there_are_123_rows")
    assert not seeds._is_test("seeds/test_checklist.py::test_there_are_124_rows")
    assert not seeds._is_test("seeds/test_checklist.py::_ROW")
    assert not seeds._is_test("seeds/test_nothing.py::test_there_are_123_rows")
