"""The JSON Schema of the events, in docs/events.schema.json: other languages read our lines by it, so it says what the code does."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given

import weft
from tests.strategies import legal_streams
from weft.events import EVENTS

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads((ROOT / "docs" / "events.schema.json").read_text(encoding="utf-8"))
VALID = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)


def test_it_is_a_schema_of_its_dialect():
    assert "https://json-schema.org/draft/2020-12/schema" == SCHEMA["$schema"]
    VALID.check_schema(SCHEMA)


def test_it_knows_every_event():
    assert {kind.type for kind in EVENTS} == set(SCHEMA["discriminator"]["mapping"])


def test_every_golden_is_valid():
    lines = {line for path in ROOT.glob("fixtures/*/*.events.jsonl") for line in path.read_text("utf-8").splitlines()}
    wrong = [line for line in sorted(lines) if not VALID.is_valid(json.loads(line))]
    assert (True, []) == (len(lines) > 1000, wrong)


@given(legal_streams())
def test_every_event_that_may_be_is_valid(stream):
    assert [] == [line for line in map(weft.to_json, stream) if not VALID.is_valid(json.loads(line))]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "text-delta", "index": "0", "text": "a"},
        {"type": "text-delta", "index": 0},
        {"type": "block-start", "index": 0, "kind": "poem"},
        {"type": "end", "outcome": "done"},
        {"type": "end", "outcome": "failed", "error": {"type": "bad_luck", "code": "x", "message": "x"}},
        {"type": "sonnet"},
        {},
    ],
)
def test_what_is_no_event_is_invalid(line):
    assert not VALID.is_valid(line)
