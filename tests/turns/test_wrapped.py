"""State that travelled through another protocol inside our wrapper comes back to its own origin as it was, with the block that it belongs to."""

from typing import Any

import pytest

import weft
from tests.turns.turn_one import FIXTURES, TURNS, turn_one

CARRIERS = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ai-sdk-ui", "events")
SIGNED = ("anthropic", "anthropic-redacted", "openai-responses", "gemini", "gemini-signatures", "bedrock", "bedrock-redacted", "openrouter")  # fmt: skip
STATES = ("signature", "data", "thoughtSignature", "encrypted_content", "redactedContent")


def stated(value: Any) -> list[Any]:
    """The objects that hold opaque state, without what only a structure of text could tell."""
    if isinstance(value, list):
        return [found for item in value for found in stated(item)]
    if not isinstance(value, dict):
        return []
    here = [{k: v for k, v in value.items() if k not in ("summary", "content")}] if value.keys() & set(STATES) else []
    return [*here, *(found for member in value.values() for found in stated(member))]


def told(state: dict[str, Any], protocol: str) -> dict[str, Any]:
    """What has to be the same: all of the block, but for Gemini, whose parts other protocols put together and whose calls get ids there."""
    names = [name for name in state if name != "index" and (protocol != "gemini" or name in STATES)]
    return {name: state[name] for name in names}


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("name", SIGNED)
def test_state_comes_home(name: str, carrier: str):
    protocol, file = TURNS[name]
    if protocol == carrier:
        pytest.skip("no other protocol")
    pipe = weft.Pipe(protocol, carrier)
    bytes_between = pipe.feed((FIXTURES / file).read_bytes()) + pipe.close()
    carried = weft.collect(weft.read(bytes_between, carrier))
    direct, home = (weft.replay_turn(message, protocol) for message in (turn_one(name), carried))
    if "signature" in {loss.what for loss in pipe.losses}:
        assert len(stated(home.items)) <= len(stated(direct.items))
        return
    assert [told(state, protocol) for state in stated(direct.items)] == [
        told(state, protocol) for state in stated(home.items)
    ]


def test_the_carrier_itself_does_not_get_it():
    """A state of Anthropic's that came by way of chat.completions is of no use to whoever speaks that."""
    pipe = weft.Pipe("anthropic", "openai-chat")
    between = pipe.feed((FIXTURES / TURNS["anthropic"][1]).read_bytes()) + pipe.close()
    replay = weft.replay_turn(weft.collect(weft.read(between, "openai-chat")), "openai-chat")
    assert [] == stated(replay.items)
    assert "signature" in {loss.what for loss in replay.losses}
