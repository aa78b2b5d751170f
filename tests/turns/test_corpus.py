"""Over the recorded streams: what a provider gave out opaque, and whole items, go back to it as they came, byte for byte."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weft
from tests.encoders.rounds import recorded
from tests.turns.strict import RULES, refusals, results
from weft.framing import AWSEventStream
from weft.message import Message

Json = dict[str, Any]
STATES = {"signature", "thoughtSignature", "encrypted_content", "encrypted_index", "redactedContent", "data"}
EXCUSED = {"done_differs", "item_not_streamed"}
"""The source said two things of one item: the first counts."""

ADDED, DONE = "response.output_item.added", "response.output_item.done"


def frames(data: bytes) -> Iterator[Json]:
    """The JSON objects of an SSE body, read by nobody's reader but this one."""
    for line in data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n"):
        if line.startswith("data: {"):
            yield json.loads(line[len("data: ") :])


def aws_frames(data: bytes) -> Iterator[Json]:
    payloads: list[bytes] = []
    framer = AWSEventStream(lambda payload, _: payloads.append(payload), lambda *_: None)
    framer.feed(data)
    framer.close()
    return (json.loads(payload) for payload in payloads)


def opaque(value: Any, name: str = "") -> list[str]:
    """All opaque values in a JSON value, in order."""
    if isinstance(value, list):
        return [found for item in value for found in opaque(item)]
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k != "data" or value.get("type") == "redacted_thinking"}
        return [found for member, item in kept.items() for found in opaque(item, member)]
    return [value] if name in STATES and isinstance(value, str) and value else []


def first_turns(protocol: str) -> Iterator[tuple[str, bytes, Message]]:
    """Recorded streams that came to their end."""
    for row in recorded(protocol, kinds=("stream",)):
        data = (Path(__file__).parents[3] / "shared" / "corpus" / row["file"]).read_bytes()
        message = weft.collect(weft.read(data, protocol))
        if message.outcome == "completed" and message.finish != "refusal" and data[:1] not in b"[{":
            yield row["file"], data, message


@pytest.mark.parametrize(("protocol", "at_least"), [("anthropic", 50), ("gemini", 40), ("bedrock", 4)])
def test_opaque_state_goes_back_as_it_came(corpus: Path, protocol: str, at_least: int):
    seen = 0
    for name, data, message in first_turns(protocol):
        said = set(opaque(list(aws_frames(data) if protocol == "bedrock" else frames(data))))
        items = weft.replay_turn(message, protocol).items
        assert (name, said) == (name, set(opaque(items)))
        seen += bool(said)
    assert seen >= at_least


def as_sent(item: Json) -> Json:
    """An item without what is said of a response alone, or says nothing."""
    item = {name: value for name, value in item.items() if value is not None and name != "status"}
    for part in item.get("content") or []:
        part.pop("logprobs", None)
    return {name: value for name, value in item.items() if (name, value, item["type"]) != ("content", [], "reasoning")}


def test_items_of_responses_go_back_as_they_came(corpus: Path):
    """Where they were not stored, reasoning that is not encrypted does not."""
    seen = 0
    for name, data, message in first_turns("openai-responses"):
        kinds = {kind: [frame["item"] for frame in frames(data) if frame.get("type") == kind] for kind in (ADDED, DONE)}
        items = kinds[DONE] if len(kinds[ADDED]) == len(kinds[DONE]) else []
        stored = message.meta.get("response", {}).get("store") is not False
        named = all(item.get("id") for item in items)
        if items and named and stored and not EXCUSED & {note.code for note in message.notes}:
            replay = weft.replay_turn(message, "openai-responses")
            assert (name, [as_sent(item) for item in items]) == (name, [as_sent(item) for item in replay.items])
            seen += 1
    assert seen > 150


def test_reasoning_details_go_back_in_order_and_unchanged(corpus: Path):
    """OpenRouter: deltas of one kind and index are one detail, as failures F9 has it."""
    seen = 0
    for name, data, message in first_turns("openai-chat"):
        deltas = [
            detail
            for frame in frames(data)
            for choice in frame.get("choices") or []
            for detail in (choice.get("delta") or {}).get("reasoning_details") or []
        ]
        if not any(detail.get("signature") or detail.get("data") for detail in deltas):
            continue
        told = weft.replay_turn(message, "openai-chat").items[0].get("reasoning_details", [])
        assert (name, merged(deltas)) == (name, [shown(detail) for detail in told])
        seen += 1
    assert seen > 10


def merged(deltas: list[Json]) -> list[Json]:
    whole: list[Json] = []
    for delta in deltas:
        last = whole[-1] if whole else {}
        same = (last.get("type"), last.get("index"), "data" in last) == (
            delta["type"],
            delta.get("index"),
            "data" in delta,
        )
        if same and not last.get("signature") and "data" not in last:
            for member in ("text", "summary"):
                if delta.get(member):
                    last[member] = last.get(member, "") + delta[member]
            last |= {member: delta[member] for member in ("signature", "format") if delta.get(member)}
        else:
            whole.append(dict(delta))
    return [shown(detail) for detail in whole]


def shown(detail: Json) -> Json:
    """What carries meaning: kind, text, state."""
    return {
        name: detail[name] for name in ("type", "text", "summary", "signature", "data", "format") if detail.get(name)
    }


@pytest.mark.parametrize(
    "protocol", ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "bedrock", "cohere"]
)
def test_recorded_turns_are_taken_by_every_other_target(corpus: Path, protocol: str):
    for row in recorded(protocol, step=4):
        message = weft.collect(weft.read((corpus / row["file"]).read_bytes(), protocol))
        for target in RULES.keys() - {protocol}:
            replay = weft.replay_turn(message, target, model="gemini-3-pro" if target == "gemini" else None)
            turn = [*replay.items, *results(target, replay.items, replay.call_ids)]
            assert (row["file"], target, []) == (row["file"], target, refusals(target, turn, set()))
