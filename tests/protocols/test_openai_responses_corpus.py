"""Every recorded Responses stream, whole reply and error, and what OpenAI's own SDK makes of the same bytes."""

import json
from typing import Any

import pytest

import weft
from tests.conftest import CORPUS
from tests.referees.exceptions import agreed_failures, oracle_fields
from tests.referees.oracle import available, corpus_answers
from weft.errors import BRIDGE_INVALID_TRANSITION
from weft.grammar import STRICT_CODES
from weft.message import FilePart, Message, OpaquePart, Reasoning, Refusal, Text, ToolCall, ToolResult

PROTOCOL = "openai-responses"
SHORTENED = {"ai.openai-shell-container.1-e8295026"}
"""Deltas were taken out by hand; what is done was left whole."""
BRIDGE_CODES = {BRIDGE_INVALID_TRANSITION, *STRICT_CODES.values()}
"""How strict mode calls an oddity of the bytes."""


def rows(kind: str) -> list[dict[str, Any]]:
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["protocol"] == PROTOCOL and row["kind"] == kind]


def read(row: dict[str, Any], **options: Any) -> Message:
    data = (CORPUS / row["file"]).read_bytes()
    return weft.collect(weft.read(data, PROTOCOL, **options))


def test_streams_and_replies_end_as_they_say(corpus: Any):
    for row in rows("stream") + rows("nonstream"):
        message = read(row)
        said = set(row["finish"])
        if "failed" in said:
            assert ("failed", "error", "failed") == (message.outcome, message.finish, message.finish_raw), row["id"]
            assert message.error is not None
        elif "incomplete" in said:
            assert ("incomplete", "length", "max_output_tokens") == (
                message.outcome,
                message.finish,
                message.finish_raw,
            )
        else:
            assert ("completed", "completed") == (message.outcome, message.finish_raw), row["id"]
            assert message.finish in {"stop", "tool_calls", "refusal", "pause"}, row["id"]
        if message.finish in {"stop", "tool_calls"}:
            calls = [call for call in message.tool_calls if call.executor == "client" and call.complete]
            assert ("tool_calls" if calls else "stop") == message.finish, row["id"]


def test_recorded_bytes_are_read_without_a_word_of_complaint(corpus: Any):
    for row in rows("stream") + rows("nonstream"):
        message = read(row)
        assert [] == message.unknown, row["id"]
        if row["id"] not in SHORTENED:
            assert [] == message.notes, row["id"]


def test_no_member_of_the_recorded_bytes_is_unheard_of(corpus: Any):
    for row in rows("stream") + rows("nonstream"):
        if row["id"] not in SHORTENED:
            error = read(row, strict=True).error
            assert error is None or error.code not in BRIDGE_CODES, (row["id"], error)


def test_every_part_that_ended_is_complete_and_every_call_executable(corpus: Any):
    for row in rows("stream"):
        message = read(row)
        if message.outcome == "completed":
            assert all(part.complete for part in message.blocks), row["id"]


def test_errors_are_errors(corpus: Any):
    for row in rows("error"):
        message = read(row, status=row["status"])
        assert "failed" == message.outcome, row["id"]
        assert message.error is not None


# -- what the vendor's SDK says ------------------------------------------------------------------------------------

referees = pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
FIELDS = frozenset({"text", "reasoning", "refusal", "tool_calls", "finish_raw", "usage", "blocks"})
UNTOLD = {"stream": frozenset({"blocks"})}
"""The helper shows the items of the completed response, whose encrypted contents are others again."""
CALLS = {"function_call": "arguments", "custom_tool_call": "input", "mcp_call": "arguments"}


@referees
@pytest.mark.referees
@pytest.mark.timeout(600)
def test_the_sdk_agrees(corpus: Any):
    judged = 0
    for case, answer in corpus_answers(PROTOCOL):
        failure = answer["error"]
        if case.kind == "error" or (failure is not None and (PROTOCOL, failure["class"]) in agreed_failures()):
            continue
        fields = oracle_fields(case, answer, FIELDS) - UNTOLD.get(case.mode, frozenset())
        message = weft.collect(weft.read(case.body.path.read_bytes(), PROTOCOL))
        told, ours = of_sdk(answer), of_weft(message)
        assert {name: told[name] for name in fields} == {name: ours[name] for name in fields}, (case.id, case.mode)
        judged += bool(fields)
    assert judged > 0


def of_sdk(answer: dict[str, Any]) -> dict[str, Any]:
    usage = answer["usage"] or {}
    taken, made = usage.get("input_tokens_details") or {}, usage.get("output_tokens_details") or {}
    return {
        "text": answer["text"],
        "reasoning": answer["reasoning"],
        "refusal": answer["refusal"],
        "finish_raw": answer["finish_detail"] or answer["finish_raw"],
        "usage": [
            usage.get("input_tokens") or 0,
            usage.get("output_tokens") or 0,
            usage.get("total_tokens") or 0,
            taken.get("cached_tokens") or 0,
            made.get("reasoning_tokens") or 0,
        ],
        "tool_calls": [
            (call["id"], call["name"], call["executor"], call["arguments"]) for call in answer["tool_calls"]
        ],
        "blocks": sorted((block for item in answer["blocks"] for block in of_item(item)), key=str),
    }


def of_item(item: dict[str, Any]) -> list[tuple[Any, ...]]:
    kind, id = item["type"], item.get("id") or None
    if kind == "message":
        return [
            (part["type"], id, part.get("text") or part.get("refusal") or "", clean(part.get("annotations") or []))
            for part in item["content"]
        ]
    if kind == "reasoning":
        texts = [part["text"] for part in [*(item.get("summary") or []), *(item.get("content") or [])]]
        return [("reasoning", id, [text for text in texts if text], item.get("encrypted_content") or None)]
    if kind in {"function_call", "custom_tool_call"}:
        return [("call", id, item["call_id"], item[CALLS[kind]])]
    return [("verbatim", id, clean(item))]


def of_weft(message: Message) -> dict[str, Any]:
    usage = message.usage
    names = ("input_tokens", "output_tokens", "total_tokens", "cache_read_tokens", "reasoning_tokens")
    return {
        "text": message.text,
        "reasoning": "".join(
            piece.text for part in message.blocks if isinstance(part, Reasoning) for piece in part.pieces
        ),
        "refusal": message.refusal,
        "finish_raw": message.finish_raw,
        "usage": [(usage and getattr(usage, name)) or 0 for name in names],
        "tool_calls": [
            (call.id, call.name, call.executor, call.raw)
            for call in message.tool_calls
            if call.tool in {"function", "custom", "mcp"}
        ],
        "blocks": sorted((block for part in message.blocks for block in of_part(part)), key=str),
    }


def of_part(part: Any) -> list[tuple[Any, ...]]:
    if isinstance(part, Text | Refusal):
        kind = "output_text" if isinstance(part, Text) else "refusal"
        return [(kind, part.item_id, part.text, clean([annotation.raw for annotation in part.annotations]))]
    if isinstance(part, Reasoning):
        signature = part.signatures[-1].value if part.signatures else None
        return [("reasoning", part.item_id, [piece.text for piece in part.pieces], signature)]
    if isinstance(part, ToolCall) and part.tool in {"function", "custom"}:
        return [("call", part.item_id, part.id, part.raw)]
    assert isinstance(part, ToolCall | ToolResult | FilePart | OpaquePart)
    if part.opaque is None:
        assert isinstance(part, ToolResult), "only a result may stand beside its call without a form of its own"
        return []
    return [("verbatim", part.item_id, clean(part.opaque.raw))]


def clean(value: Any) -> Any:
    """Without nulls, which the SDK adds for what was absent."""
    if isinstance(value, dict):
        return {name: clean(member) for name, member in value.items() if member is not None}
    return [clean(item) for item in value] if isinstance(value, list) else value
