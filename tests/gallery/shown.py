"""What the gallery's tests share: the fixtures of the starred modes, and what our encoders wrote, read by a parser that is not ours."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import weft
from tests.protocols.chat_wire import end
from tests.protocols.wire import sse

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"


def shown(case: str) -> bytes:
    """The bytes of a starred mode's fixture, named as in `fixtures/`."""
    return (FIXTURES / case).read_bytes()


def chat(*frames: Any, done: bool = True) -> bytes:
    """Chunks of chat.completions, `[DONE]` behind them."""
    return sse(*frames, done=done)


def answer(*frames: Any) -> bytes:
    """Chunks with the end that they lack."""
    return chat(*frames, end())


def frames(out: bytes) -> list[Any]:
    """What the `data:` lines hold, decoded; `[DONE]` stays a string."""
    lines = [line.removeprefix("data: ") for line in out.decode().split("\n") if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def converted(data: Any, target: str, source: str = "openai-chat", **options: Any) -> list[Any]:
    """The frames that another protocol's stream becomes."""
    return frames(weft.convert(data, source, target, **options))


def types(out: list[Any]) -> list[str]:
    """The types of the frames, a run of the same one once."""
    names = [frame["type"] for frame in out]
    return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]


class Answer(NamedTuple):
    """What a client understands: calls as (id, name, arguments), and how it ended in the target's own words."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    ending: str = ""


def as_anthropic_reads(out: list[Any]) -> Answer:
    """The answer as a strict client of Messages gathers it: by index, one block at a time."""
    blocks: list[dict[str, Any]] = []
    ending = ""
    for frame in out:
        match frame:
            case {"type": "content_block_start", "index": index, "content_block": block}:
                assert len(blocks) == index
                assert all("over" in before for before in blocks)
                blocks.append({**block, "said": ""})
            case {"type": "content_block_delta", "index": index, "delta": delta}:
                assert "over" not in blocks[index]
                blocks[index]["said"] += delta.get(_DELTAS.get(blocks[index]["type"], ""), "")
            case {"type": "content_block_stop", "index": index}:
                blocks[index]["over"] = True
            case {"type": "message_delta", "delta": delta, "usage": {"output_tokens": _}}:
                ending = delta["stop_reason"]
            case {"type": "error", "error": error}:
                ending = f"error {error['type']}"
    return Answer(
        "".join(block["said"] for block in blocks if block["type"] == "text"),
        "".join(block["said"] for block in blocks if block["type"] == "thinking"),
        tuple((block["id"], block["name"], block["said"]) for block in blocks if block["type"] == "tool_use"),
        ending,
    )


_DELTAS = {"text": "text", "thinking": "thinking", "tool_use": "partial_json"}


def as_responses_reads(out: list[Any]) -> Answer:
    """The answer as Codex gathers it: items when they are done, and only the terminals that it knows."""
    items = [frame["item"] for frame in out if frame["type"] == "response.output_item.done"]
    last = out[-1]["response"]
    assert items == last["output"]
    assert list(range(len(out))) == [frame["sequence_number"] for frame in out]
    ending = last["status"]
    if last["error"] is not None:
        ending += " " + last["error"]["code"]
    if last["incomplete_details"] is not None:
        ending += " " + last["incomplete_details"]["reason"]
    return Answer(
        "".join(part["text"] for item in items if item["type"] == "message" for part in item["content"]),
        "".join(part["text"] for item in items if item["type"] == "reasoning" for part in item.get("content", ())),
        tuple((item["call_id"], item["name"], item["arguments"]) for item in items if item["type"] == "function_call"),
        ending,
    )
