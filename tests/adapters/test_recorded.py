"""Recorded streams through the adapters and a sink: the text and the calls are the message's, however fine the cuts."""

import anyio
import pytest

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import recorded
from tests.orchestrator.stage import Log
from weft.orchestrator import FlushRules, orchestrate

RULES = FlushRules(at="sentence", limit=300)
STATUS = {True: {"error"}, False: {"completed", "function_call", "empty"}}


def shown(data: bytes, protocol: str, size: int):
    log = Log()

    async def source():
        for at in range(0, len(data), size):
            yield data[at : at + size]

    async def show():
        return await orchestrate(source(), log, adapter=protocol, rules=RULES)

    return anyio.run(show), log


@pytest.mark.parametrize(
    "protocol", ["openai-chat", "anthropic", "gemini", "openai-responses", "ollama", "cohere", "bedrock"]
)
def test_recorded_streams_are_shown_whole(corpus, protocol):
    count = 0
    for row in recorded(protocol, 20):
        data = (CORPUS / row["file"]).read_bytes()
        message = weft.collect(weft.read(data, protocol))
        result, log = shown(data, protocol, 1000)
        spoken = message.text + message.refusal
        assert sorted(spoken) == sorted("".join(log.shown)), row["file"]
        assert result.text == "".join(log.shown)
        mine = [call for call in message.tool_calls if call.complete and call.executor == "client"]
        if all(call.tool == "function" for call in mine):
            told = sorted((call.name, str(call.args)) for call in result.calls)
            assert sorted((call.name, str(call.arguments)) for call in mine) == told, row["file"]
        assert result.status in STATUS[message.error is not None], row["file"]
        count += 1
    assert count
