"""The vendors' own request types take every turn that goes back."""

import json
import subprocess
from typing import Any

import pytest

import weft
from tests.referees.oracle import PYTHON, available
from tests.turns.turn_one import TURNS, turn_one

pytestmark = [
    pytest.mark.referees,
    pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it"),
]

# Targets whose vendor has types for a request.
TYPED = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "cohere", "ollama")


def verdicts(cases: list[dict[str, Any]]) -> list[str | None]:
    """One start of the SDKs for all cases: each takes seconds to import."""
    child = subprocess.run(
        [PYTHON, "-m", "tests.turns.judge"], input=json.dumps(cases), capture_output=True, text=True, timeout=120, check=True
    )  # fmt: skip
    return json.loads(child.stdout)


@pytest.mark.parametrize("foreign", ["text", "drop"])
def test_request_types_take_every_turn(foreign: Any):
    cases = [
        {"name": name, "target": target, "items": weft.replay_turn(turn_one(name), target, foreign=foreign).items}
        for name in TURNS
        for target in TYPED
    ]
    complaints = [
        f"{case['name']} -> {case['target']}: {verdict}"
        for case, verdict in zip(cases, verdicts(cases), strict=True)
        if verdict is not None
    ]
    assert [] == complaints


def test_judges_object():
    """A judge that takes anything would be none."""
    bad = {
        "openai-chat": {"role": "assistant", "content": 3},
        "openai-responses": {"type": "reasoning", "id": "rs_1"},
        "anthropic": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
        "gemini": {"role": "model", "parts": [{"text": "a", "thoughtSignature": "###"}]},
        "bedrock": {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "a", "name": "b", "input": {}, "x": 1}}],
        },
        "cohere": {"role": "assistant", "tool_calls": [{"id": 3, "function": "x"}]},
        "ollama": {"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": "{}"}}]},
    }
    cases = [{"target": target, "items": [item]} for target, item in bad.items()]
    assert [] == [target for target, verdict in zip(bad, verdicts(cases), strict=True) if verdict is None]
