"""The front ends' own libraries take every turn that goes back: what a page keeps, once the results of its calls are in it."""

import json
import subprocess
from typing import Any

import pytest

import weft
from tests.referees.front_ends import FOLDER, available
from tests.turns.turn_one import TURNS, turn_one

pytestmark = [
    pytest.mark.referees,
    pytest.mark.skipif(not available(), reason="no node_modules in tests/referees/node: `make test` installs them"),
]


def verdicts(cases: list[dict[str, Any]]) -> list[str | None]:
    judge = ["node", str(FOLDER / "turns.mjs")]
    child = subprocess.run(judge, input=json.dumps(cases), capture_output=True, text=True, timeout=120, check=True)
    return json.loads(child.stdout)


def answered(replay: weft.Replay, target: str) -> list[dict[str, Any]]:
    """The turn with the client's results: in the calls themselves, or as messages of tools."""
    if target == "ag-ui":
        tools = [{"id": f"t{id}", "role": "tool", "toolCallId": id, "content": "ok"} for id in replay.call_ids.values()]
        return [*replay.items, *tools]
    for message in replay.items:
        for part in message["parts"]:
            if part.get("toolCallId") in replay.call_ids:
                part |= {"state": "output-available", "output": "ok"}
    return replay.items


def test_front_ends_take_every_turn():
    """AI SDK 5 to 7 make model messages of it; AG-UI's schemas know its messages."""
    cases = [
        {"name": name, "target": target, "items": answered(weft.replay_turn(turn_one(name), target), target)}
        for name in TURNS
        for target in ("ai-sdk-ui", "ag-ui")
    ]
    complaints = [
        f"{case['name']} -> {case['target']}: {verdict}"
        for case, verdict in zip(cases, verdicts(cases), strict=True)
        if verdict is not None
    ]
    assert [] == complaints


def test_judges_object():
    bad = [
        {
            "target": "ai-sdk-ui",
            "items": [{"id": "m", "role": "assistant", "parts": [{"type": "tool-x", "state": "?"}]}],
        },
        {"target": "ag-ui", "items": [{"id": "m", "role": "reasoning"}]},
    ]
    assert [] == [case["target"] for case, verdict in zip(bad, verdicts(bad), strict=True) if verdict is None]
