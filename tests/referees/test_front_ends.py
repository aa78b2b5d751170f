"""What we write for front ends, read by their own clients: accepted, and put together to our own message."""

import json
from itertools import islice

import pytest

import weft
from tests.test_fixtures import CASES
from weft.context import Context
from weft.losses import Losses
from weft.message import Message, Refusal, Text, ToolCall, ToolResult
from weft.protocols.ai_sdk_ui.encode import UIStreamEncoder
from weft.protocols.ai_sdk_ui.reply import reply
from weft.unfold import at_once

from .cases import CORPUS, corpus_rows
from .front_ends import ask, available

pytestmark = [
    pytest.mark.referees,
    pytest.mark.skipif(
        not available(), reason="no Node, or no packages in tests/referees/node: `make test` makes them"
    ),
]

# client -> what we write for it
UI = {"ai": "v7-latest", "ai-v7": "v7", "ai-v6": "v6", "ai-v5": "v5"}
AG = {"ag-ui": None, "ag-ui-v0": "0.0"}
SOURCES = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic-messages": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
    "cohere": "cohere",
    "bedrock-converse": "bedrock",
    "ai-sdk-ui": "ai-sdk-ui",
}


def written(source: str, data: bytes, target: str, profile: str | None) -> tuple[bytes, Message]:
    pipe = weft.Pipe(source, target, context=Context(profile=profile))
    return pipe.feed(data) + pipe.close(), pipe.message


def judged(inputs: list[tuple[str, str, bytes]], target: str, clients: dict[str, str | None], folder, expected, seen):
    """Every input as the target, for every client of it: what is not as expected, by name."""
    names, bodies, messages = [], [], []
    for name, source, data in inputs:
        for client, profile in clients.items():
            body, message = written(source, data, target, profile)
            names.append(f"{name} for {client}")
            bodies.append((client, body))
            messages.append(message)
    wrong = []
    for name, message, answer in zip(names, messages, ask(bodies, folder), strict=True):
        client = name.rpartition(" ")[2]
        told = seen(answer["answer"]) if "answer" in answer else answer
        if expected(message, client) != told:
            wrong.append((name, expected(message, client), told))
    return wrong


def fixtures() -> list[tuple[str, str, bytes]]:
    return [(f"{protocol}:{path.name}", protocol, path.read_bytes()) for protocol, path in CASES]


def recorded(count: int | None) -> list[tuple[str, str, bytes]]:
    """So many recorded streams of each protocol, from all over its rows."""
    found = []
    for protocol, source in SOURCES.items():
        rows = [row for row in corpus_rows(protocol) if row["kind"] == "stream"]
        step = max(1, len(rows) // count) if count else 1
        found += [(row["id"], source, (CORPUS / row["file"]).read_bytes()) for row in islice(rows, 0, None, step)]
    return found


# -- the AI SDK ----------------------------------------------------------------------------------------------------


def spoken(message: Message) -> str:
    return "".join(part.text for part in message.blocks if isinstance(part, Text | Refusal))


def thought(message: Message) -> str:
    return message.reasoning.replace("\n\n", "")


def ui_expected(message: Message, client: str):
    failed = message.outcome in ("failed", "truncated")
    return {
        "text": spoken(message),
        "reasoning": thought(message),
        "calls": [ui_call(call, message, client) for call in message.tool_calls],
        "errors": [message.error.message] if failed and message.error else [],
        "ended": True,
    }


def ui_call(call: ToolCall, message: Message, client: str):
    """A call as its page shows it: with its input, and what became of it."""
    ids = {part.call_id: part for part in message.blocks if isinstance(part, ToolResult)}
    result = ids.get(call.id)
    state = "input-available" if call.complete else "output-error"
    if result is not None and call.complete:
        denied = result.content == {"type": "execution-denied"} and client != "ai-v5"
        state = "output-denied" if denied else "output-error" if result.is_error else "output-available"
    value = call.arguments if call.tool != "custom" else call.raw
    return [call.name, None if state == "output-error" else value, state]


def ui_seen(answer):
    parts = (answer["message"] or {"parts": []})["parts"]
    return {
        "text": "".join(part["text"] for part in parts if part["type"] == "text"),
        "reasoning": "".join(part["text"] for part in parts if part["type"] == "reasoning").replace("\n\n", ""),
        "calls": [ui_call_seen(part) for part in parts if "toolCallId" in part],
        "errors": answer["errors"],
        "ended": answer["types"][-1] in ("finish", "abort"),
    }


def ui_call_seen(part):
    """Of a call that failed, versions differ in what they keep of its input."""
    state = part["state"]
    return [part["type"].removeprefix("tool-"), None if state == "output-error" else part["input"], state]


@pytest.mark.timeout(300)
def test_the_ai_sdk_reads_every_fixture(tmp_path):
    assert [] == judged(fixtures(), "ai-sdk-ui", UI, tmp_path, ui_expected, ui_seen)


@pytest.mark.corpus
@pytest.mark.timeout(300)
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded streams are not beside the checkout")
def test_the_ai_sdk_reads_recorded_streams(tmp_path):
    assert [] == judged(recorded(12), "ai-sdk-ui", UI, tmp_path, ui_expected, ui_seen)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.timeout(900)
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded streams are not beside the checkout")
def test_the_ai_sdk_reads_all_recorded_streams(tmp_path):
    assert [] == judged(recorded(None), "ai-sdk-ui", {"ai": "v7-latest"}, tmp_path, ui_expected, ui_seen)


@pytest.mark.timeout(300)
def test_the_whole_reply_is_the_message_that_the_ai_sdk_puts_together(tmp_path):
    stream, context = at_once(UIStreamEncoder), Context(profile="v7-latest")
    messages = [weft.collect(weft.read(data, source)) for _, source, data in fixtures()]
    messages = [message for message in messages if message.outcome not in ("failed", "truncated")]
    answers = ask([("ai", stream(message, context, Losses())) for message in messages], tmp_path)
    replies = [json.loads(reply(message, context, Losses())) for message in messages]
    assert [ui_kept(told) for told in replies] == [ui_kept(answer["answer"]["message"]) for answer in answers]


def ui_kept(message):
    """What both say: a page makes an id of its own, and remembers raw texts and ids that it needs while it reads."""
    if message is None:
        return []
    made = {"id", "rawInput"}
    return [{name: value for name, value in part.items() if name not in made} for part in message["parts"]]


# -- the AI SDK's providers -----------------------------------------------------------------------------------------

PROVIDERS = {
    "openai-chat": ("openai-chat", None),
    "openai-compatible": ("openai-chat", None),
    "openai-responses": ("openai-responses", "ai-sdk"),
    "anthropic": ("anthropic", None),
    "gemini": ("gemini", None),
}
"""client -> the target that it reads, and the profile it reads it with"""


def provider_expected(message: Message, client: str):
    """Calls that were cut off are told by some clients and not by others, and @ai-sdk/openai knows no reasoning of chat.completions."""
    failed = message.outcome in ("failed", "truncated")
    return {
        "text": spoken(message),
        "reasoning": None if client == "openai-chat" else squeezed(message.reasoning),
        "calls": [
            [call.name, call.arguments] for call in message.tool_calls if call.complete and call.executor == "client"
        ],
        "failed": failed or (message.error is not None and message.error.type == "cancelled"),
    }


def provider_seen(message: Message, client: str, answer):
    cut = {call.raw for call in message.tool_calls if not call.complete}
    if "error" in answer:
        return {**provider_expected(message, client), "failed": True}
    told = answer["answer"]
    calls = [[name, json.loads(args or "{}")] for name, args, own in told["calls"] if not own and args not in cut]
    reasoning = None if client == "openai-chat" else squeezed(told["reasoning"])
    return {"text": told["text"], "reasoning": reasoning, "calls": calls, "failed": bool(told["errors"])}


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.corpus
@pytest.mark.timeout(300)
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded streams are not beside the checkout")
@pytest.mark.parametrize("client", PROVIDERS)
def test_the_ai_sdks_providers_read_recorded_streams(tmp_path, client):
    target, profile = PROVIDERS[client]
    told = [(name, *written(source, data, target, profile)) for name, source, data in recorded(12)]
    answers = ask([(client, body) for _, body, _ in told], tmp_path)
    wrong = [
        (name, provider_expected(message, client), provider_seen(message, client, answer), answer)
        for (name, _, message), answer in zip(told, answers, strict=True)
        if provider_expected(message, client) != provider_seen(message, client, answer)
    ]
    assert [] == wrong


# -- AG-UI ---------------------------------------------------------------------------------------------------------


def ag_expected(message: Message, client: str):
    cancelled = message.error is not None and message.error.type == "cancelled"
    failed = message.outcome in ("failed", "truncated") or (cancelled and client == "ag-ui-v0")
    ended = not failed and not cancelled
    return {
        "text": spoken(message),
        "reasoning": thought(message),
        "calls": [[call.name, ag_arguments(call)] for call in message.tool_calls],
        "errors": [{"message": message.error.message, "code": message.error.code}] if failed and message.error else [],
        "finish": message.finish if ended else None,
        "pending": pending(message) if ended and message.finish != "pause" and client == "ag-ui" else None,
    }


def ag_arguments(call: ToolCall):
    return json.dumps({"input": call.raw}, separators=(",", ":")) if call.tool == "custom" else call.raw


def pending(message: Message):
    """The calls that a page has to answer: complete, its own, and not answered within the run."""
    answered = {part.call_id for part in message.blocks if isinstance(part, ToolResult)}
    calls = [call for call in message.tool_calls if call.id not in answered]
    return len([call for call in calls if call.complete and call.executor == "client"])


def ag_seen(answer):
    said, calls = answer["messages"], []
    for message in said:
        calls += [call["function"] for call in message.get("toolCalls") or []]
    finished = answer["finished"] or {}
    result = finished.get("result") or {}
    return {
        "text": "".join(message.get("content") or "" for message in said if message["role"] == "assistant"),
        "reasoning": "".join(m["content"] for m in said if m["role"] == "reasoning").replace("\n\n", ""),
        "calls": [[call["name"], call["arguments"]] for call in calls],
        "errors": answer["errors"],
        "finish": result.get("finishReason"),
        "pending": len(finished["pendingToolCallIds"]) if "pendingToolCallIds" in finished else None,
    }


@pytest.mark.timeout(300)
def test_ag_ui_reads_every_fixture(tmp_path):
    assert [] == judged(fixtures(), "ag-ui", AG, tmp_path, ag_expected, ag_seen)


@pytest.mark.corpus
@pytest.mark.timeout(300)
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded streams are not beside the checkout")
def test_ag_ui_reads_recorded_streams(tmp_path):
    assert [] == judged(recorded(12), "ag-ui", AG, tmp_path, ag_expected, ag_seen)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.timeout(900)
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded streams are not beside the checkout")
def test_ag_ui_reads_all_recorded_streams(tmp_path):
    assert [] == judged(recorded(None), "ag-ui", {"ag-ui": None}, tmp_path, ag_expected, ag_seen)
