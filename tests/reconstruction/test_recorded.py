"""Recorded chat.completions streams, handed on by hooks such as GodeX's providers have: the same answers as the core's own reading gives."""

import json
from collections.abc import Iterator
from typing import Any

import weft
from tests.protocols.recordings import rows
from tests.reconstruction.driven import faults, machine, terminals
from weft.message import Message
from weft.reconstruction import bridge

FINISHED = {"stop", "tool_calls", "length", "content_filter"}


def hook(chunk: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a hook makes of a chunk: usage, then for the one choice its text, reasoning and calls, then its finish. Nulls are handed on as they are."""
    usage = chunk.get("usage")
    if usage:
        yield {
            "usage": {
                "input_tokens": usage["prompt_tokens"],
                "output_tokens": usage["completion_tokens"],
                "total_tokens": usage["total_tokens"],
            }
        }
    for choice in chunk.get("choices") or ():
        delta = choice.get("delta") or {}
        yield {"text": delta.get("content"), "reasoning": delta.get("reasoning_content")}
        for call in delta.get("tool_calls") or ():
            function = call.get("function") or {}
            beside = {name: call.get(name) for name in ("index", "id", "type")}
            yield {"toolCall": {**beside, "name": function.get("name"), "arguments": function.get("arguments")}}
        if choice.get("finish_reason"):
            yield {"finishReason": choice["finish_reason"]}


def chunks(data: bytes) -> list[dict[str, Any]]:
    lines = [line[5:].strip() for line in data.decode().splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line.startswith("{")]


ODD = frozenset(
    "n>1 refusal logprobs citations error server-tools truncated "
    "reasoning-field:reasoning reasoning-field:reasoning_details reasoning-field:content.thinking".split()
)


def plain(row: dict[str, Any]) -> bool:
    """Streams that a hook as simple as this one reads whole."""
    return (
        not ODD & set(row["features"])
        and set(row["finish"]) <= FINISHED
        and len(row["finish"]) == 1
        and (row["framing"], row["status"]) == ("sse", 200)
    )


def facts(message: Message) -> tuple[Any, ...]:
    calls = [(call.id, call.name, call.raw or "{}", call.complete) for call in message.tool_calls if not call.made_id]
    return message.text, message.reasoning.replace("\n\n", ""), calls, message.outcome


def test_recorded_streams_through_a_hook(corpus: Any):
    count = 0
    for row in rows("openai-chat", "stream"):
        if not plain(row):
            continue
        data = (corpus / row["file"]).read_bytes()
        batches = [list(hook(chunk)) for chunk in chunks(data)]
        events = list(bridge(machine(), batches))
        assert (1, []) == (len(terminals(events)), faults(events)), row["id"]
        own = weft.collect(weft.read(data, "openai-chat"))
        assert facts(own) == facts(weft.collect(weft.read(events, "openai-responses"))), row["id"]
        count += 1
    assert count > 500
