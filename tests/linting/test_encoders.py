"""Law 4: what our own encoders write, a strict client can read. And a vendor's own stream too, or the rule is wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import weft
from tests.conftest import CORPUS
from tests.encoders.rich import rich_streams
from tests.encoders.test_totality import encode
from tests.strategies import legal_streams
from weft.linting import PROTOCOLS, lint
from weft.protocol import BUILT_IN, resolve

TARGETS = [name for name in PROTOCOLS if name in BUILT_IN and resolve(name)[0].encoder is not None]
READABLE = {name for name in BUILT_IN if resolve(name)[0].decoder is not None}
SOURCES = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic-messages": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
    "bedrock-converse": "bedrock",
    "cohere": "cohere",
    "ag-ui": "ag-ui",
    "ai-sdk-ui": "ai-sdk-ui",
}
VENDORS = {
    "openai-chat": {"openai"},
    "openai-responses": {"openai"},
    "anthropic-messages": {"anthropic", "vertex"},
    "gemini": {"gemini-api", "vertex"},
    "ollama": {"ollama"},
    "bedrock-converse": {"bedrock"},
    "cohere": {"cohere"},
    "ag-ui": {"ag-ui-dotnet"},
    "ai-sdk-ui": {"ai-sdk"},
}

# Rules that some vendor streams do break, and why that is no fault of the rule.
ARGUED = {
    "responses/sequence-number": "recorded in March 2025, before OpenAI numbered its events",
    "responses/output-lost": "ChatGPT's own backend sends an empty output; the SDK's final response is empty then",
    "responses/first-event-created": "a background response begins with `response.queued`; the SDK's helper does not take that",
    "responses/keepalive": "OpenAI sends it while an image is drawn; readers with closed types do not know it",
    "responses/item-not-done": "an MCP server that never answered its list of tools: only the final output has it",
}
THE_MODELS_OWN = {"anthropic/input-json"}  # arguments that the model wrote wrong go out as they come, while they come
NOT_THE_VENDOR = {
    "openllmetry.test-chat-test-chat-streaming-0e91f354": "a letter a chunk and times in milliseconds: an imitator behind OpenAI's name",
    "agentgateway.responses-stream-refusal-73057076": "written by hand: no part is added, no id is given",
    "anthropic-sdk-python.incomplete-partial-json-response-e0e79ee1": "a stream that its recorder cut",
    "prism.gemini-stream-basic-text-1-77dd9068": "a fixture that was edited by hand: data over several lines",
}


def rows(kind: str) -> Iterator[dict[str, Any]]:
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["kind"] == kind and row["protocol"] in SOURCES:
                yield row


def is_vendors_own(row: dict[str, Any]) -> bool:
    return (
        row["dialect"] in VENDORS[row["protocol"]] and row["fidelity"] == "exact" and "cohere-v1" not in row["features"]
    )


@pytest.mark.parametrize("streams", [legal_streams(), rich_streams()], ids=["plain", "rich"])
@pytest.mark.parametrize("target", TARGETS)
def test_every_legal_stream_is_written_cleanly(target: str, streams: Any):
    @given(streams)
    @settings(max_examples=80)
    def check(events: Any):
        out, _ = encode(target, events)
        assert [] == [finding for finding in lint(out, target) if finding.rule not in THE_MODELS_OWN]

    check()


def test_streams_of_the_vendors_are_clean(corpus: Path):
    judged = 0
    for row in rows("stream"):
        if not is_vendors_own(row) or row["id"] in NOT_THE_VENDOR:
            continue
        judged += 1
        found = lint((corpus / row["file"]).read_bytes(), SOURCES[row["protocol"]])
        assert [] == [finding for finding in found if finding.rule not in ARGUED], row["id"]
    assert judged > 500


def test_every_argued_exception_is_real(corpus: Path):
    seen = {
        finding.rule
        for row in rows("stream")
        if is_vendors_own(row) and row["id"] not in NOT_THE_VENDOR
        for finding in lint((corpus / row["file"]).read_bytes(), SOURCES[row["protocol"]])
    }
    assert ARGUED.keys() == seen


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_what_we_make_of_recorded_streams_is_clean(target: str, corpus: Path):
    for row in rows("stream"):
        source = SOURCES[row["protocol"]]
        if source in READABLE and row["bytes"] < 300_000:
            out = weft.convert((corpus / row["file"]).read_bytes(), source, target)
            assert [] == lint(out, target), row["id"]
