"""First turns: recorded-looking streams with reasoning, calls and opaque state, and what is made of them.

Knows where they lie and how they are read; must not know what any target does with them.
"""

import json
from pathlib import Path
from typing import Any

import weft
from weft.message import Message

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"

TARGETS = (
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "ollama",
    "bedrock",
    "cohere",
    "ai-sdk-ui",
    "ag-ui",
)

# name -> the protocol that reads it, and its file
TURNS = {
    "openai-chat": ("openai-chat", "openai-chat/f07-reasoning_before_a_call.sse"),
    "openrouter": ("openai-chat", "openai-chat/reasoning_details_signed.sse"),
    "openrouter-google": ("openai-chat", "openai-chat/reasoning_details_of_a_call.sse"),
    "openai-responses": ("openai-responses", "openai-responses/reasoning_text_call.sse"),
    "responses-hosted": ("openai-responses", "openai-responses/hosted_tools.sse"),
    "responses-client-tools": ("openai-responses", "openai-responses/client_tools.sse"),
    "responses-custom": ("openai-responses", "openai-responses/custom_tool.sse"),
    "responses-cut": ("openai-responses", "openai-responses/incomplete_in_a_call.sse"),
    "anthropic": ("anthropic", "anthropic/reasoning_and_tools.sse"),
    "anthropic-server-tools": ("anthropic", "anthropic/server_tools.sse"),
    "anthropic-redacted": ("anthropic", "anthropic/redacted_thinking.sse"),
    "anthropic-cut": ("anthropic", "anthropic/max_tokens_in_a_call.sse"),
    "gemini": ("gemini", "gemini/tools.sse"),
    "gemini-signatures": ("gemini", "gemini/signatures.sse"),
    "gemini-code": ("gemini", "gemini/code_execution.sse"),
    "ollama": ("ollama", "ollama/whole.json"),
    "bedrock": ("bedrock", "bedrock/whole.json"),
    "bedrock-redacted": ("bedrock", "bedrock/redacted_in_pieces.eventstream"),
    "cohere": ("cohere", "cohere/plan_and_tools.sse"),
    "cohere-thinking": ("cohere", "cohere/thinking.sse"),
    "ai-sdk": ("ai-sdk", "ai-sdk/run_of_two_steps.ndjson"),
    "ai-sdk-ui": ("ai-sdk-ui", "ai-sdk-ui/two_steps.sse"),
    "events": ("events", "anthropic/reasoning_and_tools.events.jsonl"),
}


def turn_one(name: str) -> Message:
    """The collected answer of a first turn."""
    protocol, file = TURNS[name]
    return weft.collect(weft.read((FIXTURES / file).read_bytes(), protocol))


def shown(target: str, replay: weft.Replay) -> str:
    """What goes back to a target, to be read by people: an item a line, then what is asked for and what is lost."""
    lines = [f"==== {target}", *(json.dumps(item, ensure_ascii=False) for item in replay.items)]
    renamed = {old: new for old, new in replay.call_ids.items() if old != new}
    lines += [f"ids {json.dumps(renamed)}"] if renamed else []
    lines += [f"asks for {demand}" for demand in sorted(replay.demands)]
    lines += [f"loses {loss.what}, {loss.where}: {loss.why}" for loss in replay.losses]
    return "\n".join(lines) + "\n"


def plain(value: Any) -> Any:
    """The same through JSON: fails on what is not plain data."""
    return json.loads(json.dumps(value, allow_nan=False))
