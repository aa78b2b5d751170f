"""Every recorded stream, reply and error of Cohere's, and what its own SDK makes of the same bytes."""

from typing import Any

import pytest

from tests.referees.oracle import available

from .recordings import judged, read, reasoning, rows

ENDS = {
    "COMPLETE": ("completed", "stop"),
    "TOOL_CALL": ("completed", "tool_calls"),
    "MAX_TOKENS": ("incomplete", "length"),
}
FIELDS = frozenset({"id", "text", "reasoning", "finish_raw", "tool_calls", "usage"})


def test_streams_and_replies_are_read_without_a_word_of_complaint(corpus: Any):
    for row in rows("cohere", "stream", "nonstream"):
        message = read(row, "cohere")
        assert ([], []) == (message.notes, message.unknown), row["id"]
        assert ENDS[row["finish"][-1]] == (message.outcome, message.finish), row["id"]
        assert ("tool-calls" in row["features"]) == bool(message.tool_calls), row["id"]
        assert ("citations" in row["features"]) == any(getattr(part, "annotations", ()) for part in message.blocks), (
            row["id"]
        )
        assert all(part.complete for part in message.blocks), row["id"]


def test_citations_are_where_their_offsets_say(corpus: Any):
    cited = [row for row in rows("cohere", "stream", "nonstream") if "citations" in row["features"]]
    assert cited
    for row in cited:
        for part in read(row, "cohere").blocks:
            for note in getattr(part, "annotations", ()):
                assert note.text == part.text[note.start : note.end], row["id"]


def test_errors_are_errors(corpus: Any):
    kinds = {row["id"]: read(row, "cohere").error.type for row in rows("cohere", "error")}
    assert {"not_found", "context_length"} == set(kinds.values())


@pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
@pytest.mark.referees
def test_the_sdk_agrees(corpus: Any):
    count = 0
    for where, told, message, believed in judged("cohere", "cohere", FIELDS):
        usage = message.usage
        ours = {
            "id": message.id,
            "text": message.text,
            "reasoning": reasoning(message),
            "finish_raw": message.finish_raw,
            "tool_calls": [(call.id, call.name, call.raw) for call in message.tool_calls],
            "usage": [usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cache_read_tokens]
            if usage
            else None,
        }
        tokens = (told["usage"] or {}).get("tokens", {})
        theirs = {
            **told,
            "id": told["response_id"],
            "reasoning": told["plan"] + told["reasoning"],
            "tool_calls": [(call["id"], call["name"], call["arguments"]) for call in told["tool_calls"]],
            "usage": [
                *map(tokens.get, ("input_tokens", "output_tokens", "reasoning_tokens")),
                told["usage"].get("cached_tokens"),
            ],
        }
        assert {name: theirs[name] for name in believed} == {name: ours[name] for name in believed}, where
        count += 1
    assert count > 0
