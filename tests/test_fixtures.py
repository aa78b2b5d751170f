"""Every fixture reads to its golden, and every law holds for it. Goldens are rewritten by tools/accept.py and reviewed as diffs."""

import importlib.util
from pathlib import Path

import pytest

from weft.protocol import BUILT_IN, resolve
from weft.testing import check_protocol

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("accept", ROOT / "tools" / "accept.py")
assert _spec is not None
assert _spec.loader is not None
accept = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(accept)

CASES = accept.cases()
IDS = [f"{protocol}:{path.name}" for protocol, path in CASES]


def test_there_are_fixtures():
    assert {"openai-chat", "anthropic", "gemini"} <= {protocol.partition("/")[0] for protocol, _ in CASES}


def test_every_dialect_has_a_fixture():
    """Law 9: a row is shown by a stream, and says how it is known."""
    rows = [(name, row) for name in BUILT_IN for row in resolve(name)[0].dialects]
    assert {f"{name}/{row.name}" for name, row in rows} <= {protocol for protocol, _ in CASES}
    assert [] == [row.name for _, row in rows if not row.evidence]


@pytest.mark.parametrize(("protocol", "path"), CASES, ids=IDS)
def test_reads_to_its_golden(protocol: str, path: Path):
    expected = accept.golden(path).read_text(encoding="utf-8").splitlines()
    assert expected == accept.events_of(protocol, path).decode().splitlines()


@pytest.mark.parametrize(("protocol", "path"), CASES, ids=IDS)
def test_laws_hold(protocol: str, path: Path):
    assert check_protocol(protocol, [path], rounds=12) == 1


@pytest.mark.parametrize(("protocol", "path"), CASES, ids=IDS)
def test_is_written_as_its_golden(protocol: str, path: Path):
    """Law 9: each target's bytes, and what it lost, beside the fixture."""
    expected = accept.targets_golden(path).read_bytes().splitlines()
    assert expected == accept.outputs_of(protocol, path).splitlines()
