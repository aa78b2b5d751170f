"""Every recorded stream and reply of Ollama's, and what its own SDK makes of the same bytes."""

from typing import Any

import pytest

from tests.referees.oracle import available

from .recordings import judged, read, reasoning, rows

ENDS = {
    "stop": ("completed", {"stop", "tool_calls"}),
    "length": ("incomplete", {"length"}),
    "load": ("completed", {"other"}),
    "custom": ("completed", {"other"}),
}
FIELDS = frozenset({"model", "text", "reasoning", "finish_raw", "tool_calls", "usage"})


def test_streams_and_replies_are_read_without_a_word_of_complaint(corpus: Any):
    for row in rows("ollama", "stream", "nonstream"):
        message = read(row, "ollama")
        assert ([], []) == (message.notes, message.unknown), row["id"]
        outcome, finishes = ENDS[row["finish"][-1]]
        assert outcome == message.outcome, row["id"]
        assert message.finish in finishes, row["id"]
        assert ("tool-calls" in row["features"]) == bool(message.tool_calls), row["id"]
        assert all(call.complete for call in message.tool_calls), row["id"]


@pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
@pytest.mark.referees
def test_the_sdk_agrees(corpus: Any):
    count = 0
    for where, told, message, believed in judged("ollama", "ollama", FIELDS):
        usage, counted = message.usage, told["usage"] or {}
        ours = {
            "model": message.model,
            "text": message.text,
            "reasoning": reasoning(message),
            "finish_raw": message.finish_raw,
            "tool_calls": [(call.name, call.arguments) for call in message.tool_calls],
            "usage": (usage and usage.input_tokens, usage and usage.output_tokens),
        }
        theirs = {
            **told,
            "tool_calls": [(call["name"], call["arguments"]) for call in told["tool_calls"]],
            "usage": (counted.get("prompt_eval_count"), counted.get("eval_count")),
        }
        assert {name: theirs[name] for name in believed} == {name: ours[name] for name in believed}, where
        count += 1
    assert count > 0
