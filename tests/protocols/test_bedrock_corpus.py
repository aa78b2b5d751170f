"""Every recorded stream, reply and error of Bedrock's Converse, and what boto3 makes of the same bytes."""

import json
from typing import Any

import pytest

from tests.referees.oracle import available
from weft.message import Message, Reasoning, Text, ToolCall, ToolResult

from .recordings import judged, read, reasoning, rows

ENDS = {
    "end_turn": ("completed", {"stop", "tool_calls"}),
    "tool_use": ("completed", {"tool_calls"}),
    "max_tokens": ("incomplete", {"length"}),
    "guardrail_intervened": ("incomplete", {"content_filter"}),
}
FIELDS = frozenset({"text", "reasoning", "finish_raw", "tool_calls", "usage", "blocks"})


def test_streams_and_replies_are_read_without_a_word_of_complaint(corpus: Any):
    for row in rows("bedrock-converse", "stream", "nonstream"):
        message = read(row, "bedrock")
        assert ([], []) == (message.notes, message.unknown), row["id"]
        outcome, finishes = ENDS[row["finish"][-1]]
        assert outcome == message.outcome, row["id"]
        assert message.finish in finishes, row["id"]
        assert ("tool-calls" in row["features"]) == bool(message.tool_calls), row["id"]
        assert outcome == "incomplete" or all(part.complete for part in message.blocks), row["id"]


def test_errors_are_errors(corpus: Any):
    for row in rows("bedrock-converse", "error"):
        message = read(row, "bedrock")
        assert message.error is not None, row["id"]
        assert ("failed", row["status"]) == (message.outcome, message.error.status), row["id"]
        assert message.error.type in ("invalid_request", "not_found"), row["id"]


@pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
@pytest.mark.referees
def test_boto3_agrees(corpus: Any):
    count = 0
    for where, told, message, believed in judged("bedrock-converse", "bedrock", FIELDS):
        ours = {
            "text": message.text,
            "reasoning": reasoning(message),
            "finish_raw": message.finish_raw,
            "tool_calls": [(call.id, call.name, call.arguments, call.executor) for call in message.tool_calls],
            "usage": of_weft_usage(message),
            "blocks": [of_part(part) for part in message.blocks],
        }
        # Cited text stands in a block of its own; a delta without any text opens none here.
        blocks = [said for block in told["blocks"] if block and (said := of_block(block)) != ("text", "", [])]
        theirs = {
            **told,
            "text": "".join(block[1] for block in blocks if block[0] == "text"),
            "tool_calls": [
                (call["id"], call["name"], parsed(call["arguments"]), call["executor"]) for call in told["tool_calls"]
            ],
            "usage": of_boto3_usage(told["usage"]),
            "blocks": blocks,
        }
        assert {name: theirs[name] for name in believed} == {name: ours[name] for name in believed}, where
        count += 1
    assert count > 0


def parsed(arguments: Any) -> Any:
    return json.loads(arguments or "{}") if isinstance(arguments, str) else arguments


def of_boto3_usage(usage: dict[str, Any] | None) -> list[int] | None:
    if not usage:
        return None
    cached = [usage.get(name) or 0 for name in ("cacheReadInputTokens", "cacheWriteInputTokens")]
    return [usage["inputTokens"] + sum(cached), usage["outputTokens"], usage["totalTokens"], *cached]


def of_weft_usage(message: Message) -> list[int] | None:
    usage = message.usage
    names = ("input_tokens", "output_tokens", "total_tokens", "cache_read_tokens", "cache_write_tokens")
    return [getattr(usage, name) or 0 for name in names] if usage else None


def of_block(block: dict[str, Any]) -> tuple[Any, ...]:
    if "toolUse" in block:
        return ("tool_call", block["toolUse"]["toolUseId"])
    if "toolResult" in block:
        return ("tool_result", block["toolResult"]["toolUseId"], block["toolResult"]["content"])
    if "reasoningContent" in block:
        inner = block["reasoningContent"]
        text = inner.get("reasoningText", inner)
        return ("reasoning", text.get("text", ""), text.get("signature") or inner.get("redactedContent"))
    inner = block.get("citationsContent")
    if inner is not None:
        return (
            "text",
            "".join(part["text"] for part in inner["content"]),
            [note["title"] for note in inner["citations"]],
        )
    return ("text", block["text"], [block["citation"]["title"]] if "citation" in block else [])


def of_part(part: Any) -> tuple[Any, ...]:
    if isinstance(part, ToolCall):
        return ("tool_call", part.id)
    if isinstance(part, ToolResult):
        return ("tool_result", part.call_id, part.content)
    if isinstance(part, Reasoning):
        return ("reasoning", part.text, part.signatures[-1].value if part.signatures else None)
    assert isinstance(part, Text)
    return ("text", part.text, [note.title for note in part.annotations])
