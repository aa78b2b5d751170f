"""The fullStream of the AI SDK itself, of every version that is installed, through the adapter."""

import json
import subprocess
from typing import Any

import pytest

import weft
from tests.referees.front_ends import FOLDER, available
from tests.vscode.parts import Log, Progress, text
from weft.vscode import LanguageModelDataPart, LanguageModelThinkingPart, LanguageModelToolCallPart, StreamUsage

pytestmark = [
    pytest.mark.referees,
    pytest.mark.skipif(
        not available(), reason="no Node, or no packages in tests/referees/node: `make test` makes them"
    ),
]
every_version = pytest.mark.parametrize("version", ["ai-v5", "ai-v6", "ai-v7", "ai"])

CALL = [
    {"type": "tool-input-start", "id": "c", "toolName": "look"},
    {"type": "tool-input-delta", "id": "c", "delta": '{"at":'},
    {"type": "tool-input-delta", "id": "c", "delta": '"sky"}'},
    {"type": "tool-input-end", "id": "c"},
    {"type": "tool-call", "toolCallId": "c", "toolName": "look", "input": '{"at":"sky"}'},
]


def said(kind: str, *pieces: str) -> list[dict[str, Any]]:
    deltas = [{"type": f"{kind}-delta", "id": "0", "delta": piece} for piece in pieces]
    return [{"type": f"{kind}-start", "id": "0"}, *deltas, {"type": f"{kind}-end", "id": "0"}]


def ended(reason: str, read: int, written: int) -> dict[str, Any]:
    counts = {"inputTokens": read, "outputTokens": written, "totalTokens": read + written}
    return {"type": "finish", "finishReason": reason, "usage": counts}


def full_stream(version: str, *calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What streamText makes of these calls of a model."""
    told = subprocess.run(
        ["node", str(FOLDER / "full_stream.mjs"), version],
        input=json.dumps(calls), capture_output=True, text=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    return [json.loads(line) for line in told.stdout.split("\n") if line]


def adapted(chunks: list[dict[str, Any]]) -> tuple[list[Any], StreamUsage, list[Any]]:
    """The parts, the usage, and the chunks that nobody knew."""
    progress, unknown = Progress(), list[Any]()
    adapter = weft.VSCodeStreamAdapter(on_unknown_chunk=unknown.append, logger=Log())
    usage = adapter.process_stream_sync(chunks, progress)
    return progress.parts, usage, unknown


@every_version
def test_a_run_of_two_steps_with_everything(version):
    """A15: the names of each version; usage of the run, of which its steps are parts; nothing is unknown."""
    first = [*said("reasoning", "Hm."), *said("text", "Let me ", "look."), *CALL, ended("tool-calls", 10, 4)]
    image = {"type": "file", "mediaType": "image/png", "data": "AQID"}
    other = {"type": "tool-call", "toolCallId": "d", "toolName": "open", "input": "{}"}
    second = [image, *said("text", "Grey."), other, ended("tool-calls", 20, 3)]
    parts, usage, unknown = adapted(full_stream(version, first, second))
    assert [
        LanguageModelThinkingPart("Hm."),
        *text("Let me ", "look."),
        LanguageModelToolCallPart("c", "look", {"at": "sky"}),
        LanguageModelDataPart.image(b"\x01\x02\x03", "image/png"),
        *text("Grey."),
        LanguageModelToolCallPart("d", "open", {}),
    ] == parts
    assert (StreamUsage(30, 7), []) == (usage, unknown)


@every_version
def test_an_error_of_the_model_is_one_text(version):
    parts, _, unknown = adapted(full_stream(version, [*said("text", "Hi"), {"type": "error", "message": "Busy."}]))
    assert (text("Hi", "\n\n**Error:** Busy.\n\n"), []) == (parts, unknown)


@every_version
def test_a_call_that_the_sdk_finds_invalid_is_not_executed(version):
    broken = {"type": "tool-call", "toolCallId": "c", "toolName": "open", "input": '{"at":'}
    parts, _, _ = adapted(full_stream(version, [broken, ended("tool-calls", 1, 1)], [ended("stop", 1, 1)]))
    assert [] == [part for part in parts if isinstance(part, LanguageModelToolCallPart)]
