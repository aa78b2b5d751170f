"""Every recorded Anthropic stream, whole reply and error, and what Anthropic's own SDK makes of the same bytes."""

import json
from typing import Any

import pytest

import weft
from tests.conftest import CORPUS
from tests.referees.exceptions import agreed_failures, oracle_fields
from tests.referees.oracle import available, corpus_answers
from weft.message import Message, OpaquePart, Reasoning, Text, ToolCall, ToolResult

PROTOCOLS = {
    "anthropic-messages": "anthropic",
    "bedrock-invoke": "anthropic/bedrock",
    "anthropic-complete": "anthropic",
}
FINISHES = {
    "end_turn": ("completed", {"stop", "tool_calls"}),
    "stop_sequence": ("completed", {"stop"}),
    "tool_use": ("completed", {"tool_calls"}),
    "pause_turn": ("completed", {"pause"}),
    "refusal": ("completed", {"refusal"}),
    "FINISH": ("completed", {"stop"}),
    "max_tokens": ("incomplete", {"length"}),
    "MAX_TOKENS": ("incomplete", {"length"}),
    "LENGTH": ("incomplete", {"length"}),
    "length": ("incomplete", {"length"}),
}
SPLICED = "odd:message-start-repeated"


def index(kind: str) -> list[dict[str, Any]]:
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["protocol"] in PROTOCOLS and row["kind"] == kind]


def rows(kind: str) -> list[dict[str, Any]]:
    return index(kind)


def read(row: dict[str, Any]) -> Message:
    data = (CORPUS / row["file"]).read_bytes()
    return weft.collect(weft.read(data, PROTOCOLS[row["protocol"]], status=row["status"]))


def test_streams_and_replies_end_as_their_finish_says(corpus: Any):
    for row in rows("stream") + rows("nonstream"):
        message = read(row)
        assert [] == message.unknown, row["id"]
        if SPLICED in row["odd"]:
            assert ("failed", "spliced_stream") == (message.outcome, message.error and message.error.code)
        elif "odd:error-frame-in-200-stream" in row["odd"]:
            assert ("failed", "overloaded") == (message.outcome, message.error and message.error.type)
        elif row["finish"]:
            outcome, finishes = FINISHES[row["finish"][-1]]
            assert outcome == message.outcome, row["id"]
            assert message.finish in finishes, row["id"]
            assert row["finish"][-1] == message.finish_raw, row["id"]


def test_recorded_streams_are_read_without_a_word_of_complaint(corpus: Any):
    for row in rows("stream"):
        if SPLICED not in row["odd"]:
            assert [] == [note.code for note in read(row).notes], row["id"]


def test_errors_are_errors(corpus: Any):
    for row in rows("error"):
        message = read(row)
        assert "failed" == message.outcome, row["id"]
        assert message.error is not None
        assert row["status"] == message.error.status, row["id"]


def test_nova_is_read_as_what_it_speaks(corpus: Any):
    """Nova speaks Converse inside InvokeModel: the same message by either name."""
    nova = [row for row in index("stream") if "inner:nova" in row["features"]]
    assert nova
    for row in nova:
        message = read(row)
        converse = weft.collect(weft.read((CORPUS / row["file"]).read_bytes(), "bedrock"))
        assert ([], []) == (message.unknown, message.notes), row["id"]
        assert message.outcome != "truncated", row["id"]
        assert (converse.text, converse.finish_raw) == (message.text, message.finish_raw), row["id"]
        assert [call.raw for call in converse.tool_calls] == [call.raw for call in message.tool_calls], row["id"]


# -- what the vendor's SDK says ------------------------------------------------------------------------------------

referees = pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
FIELDS = frozenset({"text", "reasoning", "tool_calls", "finish_raw", "usage", "blocks"})
KINDS = {"text": "text", "thinking": "reasoning", "redacted_thinking": "reasoning"}


@referees
@pytest.mark.referees
@pytest.mark.timeout(600)
@pytest.mark.parametrize("protocol", ["anthropic-messages", "bedrock-invoke"])
def test_the_sdk_agrees(corpus: Any, protocol: str):
    judged = 0
    for case, answer in corpus_answers(protocol):
        if case.kind == "error" or (protocol == "bedrock-invoke" and case.mode != "anthropic"):
            continue
        failure = answer["error"]
        if failure is not None and (protocol, failure["class"]) in agreed_failures():
            continue
        fields = oracle_fields(case, answer, FIELDS)
        if not fields:
            continue
        message = weft.collect(weft.read(case.body.path.read_bytes(), "anthropic"))
        told, ours = of_sdk(answer), of_weft(message)
        assert [
            call.get("raw", ours.raw) for call, ours in zip(answer["tool_calls"], message.tool_calls, strict=True)
        ] == [call.raw for call in message.tool_calls], case.id
        assert {name: told[name] for name in fields} == {name: ours[name] for name in fields}, (case.id, case.mode)
        judged += 1
    assert judged > 0


def of_sdk(answer: dict[str, Any]) -> dict[str, Any]:
    usage = answer["usage"] or {}
    parts = [
        usage.get(name) or 0 for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    return {
        "text": answer["text"],
        "reasoning": answer["reasoning"],
        "finish_raw": answer["finish_raw"],
        "usage": {
            "input_tokens": sum(parts),
            "output_tokens": usage.get("output_tokens") or 0,
            "cache_read_tokens": parts[2],
            "cache_write_tokens": parts[1],
            "reasoning_tokens": (usage.get("output_tokens_details") or {}).get("thinking_tokens") or 0,
        },
        "tool_calls": [
            (call["id"], call["name"], call["executor"], call["arguments"]) for call in answer["tool_calls"]
        ],
        "blocks": [of_block(block) for block in answer["blocks"]],
    }


def of_block(block: dict[str, Any]) -> tuple[Any, ...]:
    kind = block["type"]
    if kind == "text":
        return ("text", block["text"], [clean(citation) for citation in block.get("citations") or []])
    if kind == "thinking":
        return ("reasoning", block["thinking"], block.get("signature") or None)
    if kind == "redacted_thinking":
        return ("reasoning", "", block["data"])
    if kind.endswith("tool_use"):
        return ("tool_call", block["id"])
    if kind.endswith("tool_result"):
        return ("tool_result", block["tool_use_id"], clean(block["content"]))
    return ("opaque", clean(block))


def of_weft(message: Message) -> dict[str, Any]:
    usage = message.usage
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    return {
        "text": message.text,
        "reasoning": "".join(part.text for part in message.blocks if isinstance(part, Reasoning)),
        "finish_raw": message.finish_raw,
        "usage": {name: (usage and getattr(usage, name)) or 0 for name in names},
        "tool_calls": [(call.id, call.name, call.executor, call.arguments) for call in message.tool_calls],
        "blocks": [of_part(part) for part in message.blocks],
    }


def of_part(part: Any) -> tuple[Any, ...]:
    if isinstance(part, Text):
        return ("text", part.text, [clean(annotation.raw) for annotation in part.annotations])
    if isinstance(part, Reasoning):
        return ("reasoning", part.text, part.signatures[-1].value if part.signatures else None)
    if isinstance(part, ToolCall):
        return ("tool_call", part.id)
    if isinstance(part, ToolResult):
        return ("tool_result", part.call_id, clean(part.content))
    assert isinstance(part, OpaquePart)
    assert part.opaque is not None
    return ("opaque", clean(part.opaque.raw))


def clean(value: Any) -> Any:
    """Without nulls, which the SDK adds for what was absent."""
    if isinstance(value, dict):
        return {name: clean(member) for name, member in value.items() if member is not None}
    return [clean(item) for item in value] if isinstance(value, list) else value
