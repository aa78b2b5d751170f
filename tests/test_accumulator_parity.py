"""Seed 003's promise: the accumulator gives the calls of the assembled message, from our events, from fragments, and from the whole reply alike."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weft
from tests.conftest import CORPUS
from tests.test_fixtures import CASES, IDS
from weft import Context, ToolCallAccumulator
from weft.losses import Losses
from weft.message import Message
from weft.protocol import resolve

Call = dict[str, Any]


def accumulated(fragments: Any, *, cut: bool = False) -> list[Call]:
    acc = ToolCallAccumulator.new()
    for fragment in fragments:
        acc.feed(fragment)
    return acc.finalize(cut=cut)


def calls_of(message: Message) -> list[Call]:
    """The calls of a message in the accumulator's words."""
    return [
        {"id": call.id, "name": call.name, "arguments": call.arguments}
        if call.complete
        else {"id": call.id, "name": call.name, "arguments": {}, "_invalid_arguments": call.raw}
        for call in message.tool_calls
    ]


# -- our own events ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("protocol", "path"), CASES, ids=IDS)
def test_our_events_give_the_calls_of_the_message(protocol: str, path: Path):
    events = list(weft.read(path.read_bytes(), protocol))
    assert calls_of(weft.collect(events)) == accumulated(events)


def has_whole_reply(protocol: str, path: Path) -> bool:
    """Can the stream be said as a whole reply that is read again with all its calls? A page's message is no reply, and a provider's own tools are lost."""
    if protocol in ("ai-sdk-ui", "events") or "/" in protocol or resolve(protocol)[0].reply is None:
        return False
    message = weft.collect(weft.read(path.read_bytes(), protocol))
    calls = message.tool_calls
    return message.outcome == "completed" and bool(calls) and all(call.executor == "client" for call in calls)


WHOLE = [case for case in CASES if has_whole_reply(*case)]


@pytest.mark.parametrize(("protocol", "path"), WHOLE, ids=[f"{protocol}:{path.name}" for protocol, path in WHOLE])
def test_the_stream_gives_the_calls_of_its_whole_reply(protocol: str, path: Path):
    """C14. Ids that nobody gave are ours, and another text leads to another id."""
    events = list(weft.read(path.read_bytes(), protocol))
    message = weft.collect(events)
    reply = resolve(protocol)[0].reply(message, Context(), Losses())
    whole = list(weft.read(reply, protocol))
    made = {call.id for call in message.tool_calls + weft.collect(whole).tool_calls if call.made_id}

    def given(calls: list[Call]) -> list[Call]:
        return [call | {"id": None} if call["id"] in made else call for call in calls]

    streamed, replied = given(accumulated(events)), given(accumulated(whole))
    assert streamed == replied == given(calls_of(message))


# -- recorded streams, and the fragments that Nous's normalisers make of them -----------------------------------------

SOURCES = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic-messages": "anthropic",
    "gemini": "gemini",
    "bedrock-converse": "bedrock",
    "cohere": "cohere",
    "ollama": "ollama",
}


def recorded() -> list[dict[str, Any]]:
    """The recorded streams and whole replies that have calls."""
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        row for row in rows if row["protocol"] in SOURCES and row["kind"] != "error" and "tool-calls" in row["features"]
    ]


def openai_fragments(chunk: Any) -> Iterator[Any]:
    """OpenAI-compatible, Zhipu and vLLM among them: the first choice's calls, in pieces or whole."""
    for choice in chunk.get("choices") or ():
        said = choice.get("delta") or choice.get("message") or {}
        if choice.get("index", 0) == 0 and said.get("tool_calls"):
            yield said["tool_calls"]


def anthropic_fragments(event: Any) -> Iterator[Any]:
    """Starts, pieces and stops of blocks; stops of every block and pieces of every tool, as Nous sends them."""
    kind, index = event.get("type"), event.get("index")
    if kind == "content_block_start" and event["content_block"]["type"] == "tool_use":
        yield event["content_block"] | {"_index": index, "_phase": "start"}
    elif kind == "content_block_delta" and event["delta"]["type"] == "input_json_delta":
        yield {"_index": index, "_phase": "partial", "partial_json": event["delta"]["partial_json"]}
    elif kind == "content_block_stop":
        yield {"_index": index, "_phase": "stop"}
    for block in event.get("content") or ():
        if block["type"] == "tool_use":
            yield {name: block[name] for name in ("id", "name", "input")}


def gemini_fragments(chunk: Any) -> Iterator[Any]:
    """Whole calls."""
    for candidate in chunk.get("candidates") or ():
        for part in candidate.get("content", {}).get("parts") or ():
            call = part.get("functionCall", {})
            if call.get("name"):
                yield {"name": call["name"], "arguments": call.get("args") or {}, "id": call.get("id")}


NORMALISERS = {"openai-chat": openai_fragments, "anthropic-messages": anthropic_fragments, "gemini": gemini_fragments}

BEYOND = {
    "legacy function_call": {"dd-trace-py.v0-chat-completion-function-call-streamed-a421471b"},
    "arguments by path": {"ai.google-vertex-stream-tool-call-arguments-nested.1-40479374"},
    "two messages in one stream": {"ai.spliced-message-start-2ac79bd2"},
}
"""Recordings whose calls are in places that Nous's fragments do not have."""


def frames(data: bytes) -> list[Any]:
    """The JSON of a body, however it is framed; a message's blocks that stand in its start are frames as well."""
    text = data.decode("utf-8", "replace").lstrip()
    if text.startswith(("{", "[")):
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    found = [json.loads(line) for line in lines if line.startswith("{")]
    return [*found, *(frame["message"] for frame in found if frame.get("type") == "message_start")]


def test_recorded_events_give_the_calls_of_the_message(corpus: Any):
    for row in recorded():
        events = list(weft.read((corpus / row["file"]).read_bytes(), SOURCES[row["protocol"]], status=row["status"]))
        assert calls_of(weft.collect(events)) == accumulated(events), row["id"]


@pytest.mark.parametrize("protocol", NORMALISERS)
def test_recorded_fragments_give_the_calls_of_the_message(protocol: str, corpus: Any):
    """As far as ids are the provider's: Nous makes ids only for Gemini, and we make others."""
    rows = [row for row in recorded() if row["protocol"] == protocol and row["id"] not in set().union(*BEYOND.values())]
    assert len(rows) > 50
    for row in rows:
        data = (corpus / row["file"]).read_bytes()
        message = weft.collect(weft.read(data, SOURCES[protocol], status=row["status"]))
        mine = [call for call in message.tool_calls if call.executor == "client"]
        expected = calls_of(Message(blocks=[*mine]))
        fragments = [fragment for frame in frames(data) for fragment in NORMALISERS[protocol](frame)]
        got = accumulated(fragments, cut=message.finish == "length")
        for call, ours, theirs in zip(mine, expected, got, strict=True):
            assert call.made_id or ours["id"] == theirs["id"], row["id"]
            assert ours | {"id": None} == theirs | {"id": None}, row["id"]


def test_recorded_responses_end_with_the_calls_of_their_stream(corpus: Any):
    """The terminal of a Responses stream is the whole reply."""
    count = 0
    for row in recorded():
        if (row["protocol"], row["kind"]) != ("openai-responses", "stream"):
            continue
        data = (corpus / row["file"]).read_bytes()
        last = next((frame["response"] for frame in frames(data) if frame.get("type") == "response.completed"), None)
        if last is not None and last.get("output"):
            events = list(weft.read(data, "openai-responses"))
            assert accumulated(weft.read(last, "openai-responses")) == accumulated(events), row["id"]
            count += 1
    assert count > 50
