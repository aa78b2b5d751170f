"""The second turn of each pair: the items and the results of the client's tools, before a provider that refuses what the real ones refuse."""

from typing import Any

import pytest

import weft
from tests.turns.strict import DUMMY, RULES, refusals, results
from tests.turns.turn_one import TURNS, turn_one
from weft.message import Message


def issued(message: Message, target: str) -> set[str]:
    """The opaque values and the ids of items that this target itself gave out in the first turn."""
    states = [state for part in message.blocks for state in part.signatures if state.origin.protocol == target]
    ids = {part.item_id for part in message.blocks if part.item_id} | {state.origin.item for state in states}
    return {state.value for state in states} | {
        id for id in ids if id and message.protocol in (target, "ai-sdk", "ai-sdk-ui")
    }


@pytest.mark.parametrize("foreign", ["text", "drop"])
@pytest.mark.parametrize("target", RULES)
@pytest.mark.parametrize("name", TURNS)
def test_second_turn_is_taken(name: str, target: str, foreign: Any):
    message = turn_one(name)
    replay = weft.replay_turn(message, target, foreign=foreign, model="gemini-3-pro" if target == "gemini" else None)
    turn = [*replay.items, *results(target, replay.items, replay.call_ids)]
    assert [] == refusals(target, turn, issued(message, target))


@pytest.mark.parametrize(
    ("target", "turn", "why"),
    [
        ("anthropic", [{"role": "assistant", "content": [{"type": "thinking", "thinking": "a", "signature": "s"}]}], "last block"),
        ("anthropic", [{"role": "assistant", "content": [{"type": "text", "text": " "}]}], "blank"),
        ("openai-chat", [{"role": "assistant", "content": None}], "null"),
        ("openai-responses", [{"type": "reasoning", "id": "rs_1", "summary": []}], "following"),
        ("gemini", [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}], "thought_signature"),
        ("bedrock", [{"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "a"}}}]}], "signed"),
        ("ollama", [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}], "object"),
        ("cohere", [{"role": "assistant", "tool_plan": "a"}], "plan"),
    ],
)  # fmt: skip
def test_provider_is_strict(target: str, turn: list[dict[str, Any]], why: str):
    """A provider that takes anything would prove nothing."""
    assert why in " ".join(refusals(target, turn, set()))


def test_gemini_before_3_needs_no_excuse():
    parts = weft.replay_turn(turn_one("anthropic"), "gemini", model="gemini-2.5-pro").items[0]["parts"]
    assert DUMMY not in [part.get("thoughtSignature") for part in parts]
