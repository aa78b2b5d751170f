"""Each rule of the smaller protocols, by a stream that breaks it and no other."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.linting.streams import (  # fmt: skip
    END,
    Case,
    Frames,
    aws_event,
    both,
    change,
    check,
    cut,
    drop,
    judged,
    line,
    named,
    put,
    sse,
    twice,
    without,
)
from weft.linting import all_rules

GEMINI: Frames = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hm", "thought": True}]}, "index": 0}]},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]},
    {"candidates": [{"content": {"parts": [{"functionCall": {"name": "get", "args": {"a": 1}}, "thoughtSignature": "U0lH"}]}}]},
    {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}},
]  # fmt: skip
PART = "candidates.0.content.parts.0"
GEMINI_CASES = [
    Case("gemini/names", change(1, "model_version", "m"), 1),
    Case("gemini/names", change(3, "usageMetadata.prompt_token_count", 1), 3),
    Case("gemini/shape", change(1, "candidates", {}), 1),
    Case("gemini/shape", change(1, f"{PART}.text", 7), 1),
    Case("gemini/shape", change(1, "candidates.0.content", "Hi"), 1),
    Case("gemini/token-count", change(3, "usageMetadata.totalTokenCount", "2"), 3),
    Case("gemini/finish-value", change(3, "candidates.0.finishReason", "stop"), 3),
    Case("gemini/signature", change(2, f"{PART}.thoughtSignature", "no base64!"), 2),
    Case("gemini/call-arguments", change(2, f"{PART}.functionCall.args", '{"a":1}'), 2),
    Case("gemini/call-name", without(2, f"{PART}.functionCall.name"), 2),
    Case("gemini/finish-missing", drop(3), END),
]
GEMINI_CLEAN = [
    both(cut(1), put(1, {"error": {"code": 503, "message": "m", "status": "UNAVAILABLE"}})),
    both(cut(0), put(0, {"promptFeedback": {"blockReason": "SAFETY"}})),
    put(1, {}),
    put(1, b"\n\n"),
    put(2, {"candidates": [{"content": {"parts": [{"functionCall": {"willContinue": True}}]}}]}),
]

OLLAMA: Frames = [
    {"model": "m", "created_at": "2025-01-01T00:00:00Z", "message": {"role": "assistant", "content": "Hi"}, "done": False},
    {"message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "get", "arguments": {}}}]}},
    {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "eval_count": 3},
]  # fmt: skip
OLLAMA_CASES = [
    Case("ollama/member", without(2, "message"), 2),
    Case("ollama/member", change(0, "created_at", 1735689600), 0),
    Case("ollama/member", change(1, "message.tool_calls.0.function.arguments", "{}"), 1),
    Case("ollama/count", change(2, "eval_count", 1.5), 2),
    Case("ollama/role", change(0, "message.role", "model"), 0),
    Case("ollama/done-missing", drop(2), END),
    Case("ollama/error-form", both(cut(1), put(1, {"error": {"message": "m"}})), 1),
]
OLLAMA_CLEAN = [
    both(cut(1), put(1, {"error": "m"})),
    both(cut(0), put(0, {"response": "Hi", "done": True})),
    put(1, b"  "),
]

BEDROCK: Frames = [
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hi"}}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t", "name": "get"}}}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"a":1}'}}}),
    ("contentBlockStop", {"contentBlockIndex": 1}),
    ("messageStop", {"stopReason": "tool_use"}),
    ("metadata", {"usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}, "metrics": {"latencyMs": 1}}),
]
BEDROCK_CASES = [
    Case("bedrock/unknown-event", put(1, ("ping", {})), 1),
    Case("bedrock/member", without(0, "1.role"), 0),
    Case("bedrock/member", without(7, "1.metrics"), 7),
    Case("bedrock/member", without(3, "1.start.toolUse.name"), 3),
    Case("bedrock/first-message-start", drop(0), 0),
    Case("bedrock/first-message-start", twice(0), 1),
    Case("bedrock/call-not-started", drop(3), 3),
    Case("bedrock/block-reused", put(3, ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "!"}})), 3),
    Case("bedrock/block-not-stopped", drop(5), 3),
    Case("bedrock/block-not-stopped", drop(2), 1),
    Case("bedrock/message-stop-missing", cut(6), END),
    Case("bedrock/usage-missing", drop(7), END),
]
BEDROCK_CLEAN = [
    both(drop(5), change(4, "1.delta.toolUse.input", '{"a":')),
    both(*(change(at, "1.contentBlockIndex", 4) for at in (3, 4, 5))),
]

COHERE: Frames = [
    {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}},
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "Hi"}}}},
    {"type": "content-end", "index": 0},
    {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {"id": "c", "function": {"name": "get"}}}}},
    {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": "{}"}}}}},
    {"type": "tool-call-end", "index": 0},
    {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
]  # fmt: skip
COHERE_CASES = [
    Case("cohere/type", put(1, {"type": "ping"}), 1),
    Case("cohere/type", put(1, {"index": 0}), 1),
    Case("cohere/member", change(4, "delta.message.tool_calls", []), 4),
    Case("cohere/member", without(7, "delta"), 7),
    Case("cohere/first-message-start", drop(0), 0),
    Case("cohere/first-message-start", twice(0), 1),
    Case("cohere/not-started", drop(1), 1),
    Case("cohere/started-twice", twice(1), 2),
    Case("cohere/not-ended", drop(3), 1),
    Case("cohere/not-ended", drop(6), 4),
    Case("cohere/message-end-missing", drop(7), END),
    Case("cohere/finish-value", change(7, "delta.finish_reason", "stop"), 7),
]
COHERE_CLEAN = [
    put(8, b"data: [DONE]\n\n"),
    both(drop(6), change(5, "delta.message.tool_calls.function.arguments", "{")),
    put(1, {"type": "debug", "prompt": "p"}),
]

UI: Frames = [
    {"type": "start", "messageId": "m"},
    {"type": "start-step"},
    {"type": "reasoning-start", "id": "r"},
    {"type": "reasoning-delta", "id": "r", "delta": "Hm"},
    {"type": "reasoning-end", "id": "r", "providerMetadata": {"x": {"signature": "s"}}},
    {"type": "text-start", "id": "t"},
    {"type": "text-delta", "id": "t", "delta": "Hi"},
    {"type": "text-end", "id": "t"},
    {"type": "tool-input-start", "toolCallId": "c", "toolName": "get"},
    {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": "{}"},
    {"type": "tool-input-available", "toolCallId": "c", "toolName": "get", "input": {}},
    {"type": "tool-output-available", "toolCallId": "c", "output": None},
    {"type": "source-url", "sourceId": "s", "url": "https://example.com"},
    {"type": "data-progress", "data": {"p": 1}, "transient": True},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "stop"},
    b"data: [DONE]\n\n",
]
UI_CASES = [
    Case("ai-sdk-ui/unknown-type", put(1, {"type": "ping"}), 1),
    Case("ai-sdk-ui/unknown-type", put(1, {"type": "tool-input-end", "toolCallId": "c"}), 1),
    Case("ai-sdk-ui/unknown-type", put(1, {}), 1),
    Case("ai-sdk-ui/member", change(0, "messageId", None), 0),
    Case("ai-sdk-ui/member", change(12, "title", None), 12),
    Case("ai-sdk-ui/member", without(11, "output"), 11),
    Case("ai-sdk-ui/part-not-started", drop(5), 5),
    Case("ai-sdk-ui/part-not-started", twice(7), 8),
    Case("ai-sdk-ui/part-reused", put(8, *UI[5:8]), 8),
    Case("ai-sdk-ui/part-open", drop(4), 2),
    Case("ai-sdk-ui/tool-not-started", drop(8), 8),
    Case("ai-sdk-ui/tool-unknown", change(11, "toolCallId", "d"), 11),
    Case("ai-sdk-ui/finish-value", change(15, "finishReason", "tool_calls"), 15),
    Case("ai-sdk-ui/metadata", change(4, "providerMetadata.x", "s"), 4),
    Case("ai-sdk-ui/start-repeated", put(5, UI[0]), 5),
    Case("ai-sdk-ui/end-missing", drop(15), END),
    Case("ai-sdk-ui/after-end", put(16, UI[1]), 16),
]
UI_CLEAN = [
    drop(16),
    both(drop(9), drop(8)),
    both(drop(0)),
    change(6, "extra", 1),
    both(cut(8), put(8, {"type": "error", "errorText": "m"})),
    put(1, b": ping\n\n"),
]

AG: Frames = [
    {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
    {"type": "REASONING_START", "messageId": "rm"},
    {"type": "REASONING_MESSAGE_START", "messageId": "rm", "role": "reasoning"},
    {"type": "REASONING_MESSAGE_CONTENT", "messageId": "rm", "delta": "Hm"},
    {"type": "REASONING_MESSAGE_END", "messageId": "rm"},
    {"type": "REASONING_END", "messageId": "rm"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "get", "parentMessageId": None},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "usage": [{"inputTokens": 1}]},
]
AG_CASES = [
    Case("ag-ui/unknown-type", put(1, {"type": "text_message_start", "messageId": "m"}), 1),
    Case("ag-ui/member", without(0, "threadId"), 0),
    Case("ag-ui/member", change(0, "parentRunId", None), 0),
    Case("ag-ui/member", without(2, "role"), 2),
    Case("ag-ui/member", change(6, "timestamp", None), 6),
    Case("ag-ui/member", put(1, {"messageId": "m"}), 1),
    Case("ag-ui/first-run-started", drop(0), 0),
    Case("ag-ui/run-started-twice", twice(0), 1),
    Case("ag-ui/started-twice", twice(6), 7),
    Case("ag-ui/not-started", drop(6), 6),
    Case("ag-ui/open-at-finish", drop(11), 9),
    Case("ag-ui/open-at-finish", put(12, {"type": "STEP_STARTED", "stepName": "s"}), 12),
    Case("ag-ui/after-end", put(13, {"type": "CUSTOM", "name": "n", "value": 1}), 13),
    Case("ag-ui/chunk-id", put(6, {"type": "TEXT_MESSAGE_CHUNK", "delta": "Hi"}), 6),
    Case("ag-ui/token-count", change(12, "usage.0.inputTokens", 1.5), 12),
    Case("ag-ui/end-missing", drop(12), END),
]
AG_CLEAN = [
    both(cut(7), put(7, {"type": "RUN_ERROR", "message": "m"})),
    both(cut(0), put(0, {"type": "RUN_ERROR", "message": "m"})),
    both(drop(5), drop(1)),
    put(6, {"type": "TEXT_MESSAGE_CHUNK", "messageId": "x", "delta": "Hi"}, {"type": "TEXT_MESSAGE_CHUNK", "delta": "!"}),
    put(13, *AG),
    change(7, "delta", ""),
]  # fmt: skip

V1: Frames = [
    {"type": "content", "channel": "json", "text": "Hi"},
    {"type": "tool_call", "index": 0, "id": "c", "name": "get", "arguments": '{"a":', "isDelta": True},
    {"type": "tool_call", "index": 0, "arguments": "1}", "isDelta": True},
    {"type": "tool_call", "index": 1, "name": "put", "arguments": {"b": 2}, "isDelta": False},
    {"type": "return", "name": "get", "result": None},
    {"type": "done"},
]
V1_CASES = [
    Case("stream-event-v1/type", put(1, {"type": "usage"}), 1),
    Case("stream-event-v1/member", without(0, "text"), 0),
    Case("stream-event-v1/member", both(without(3, "isDelta"), change(3, "arguments", "{}")), 3),
    Case("stream-event-v1/channel", change(0, "channel", "analysis"), 0),
    Case("stream-event-v1/call-name", without(1, "name"), 1),
    Case("stream-event-v1/call-delta", change(2, "arguments", {}), 2),
    Case("stream-event-v1/call-delta", twice(3), 4),
    Case("stream-event-v1/error-once", put(5, *[{"type": "error", "code": "RateLimited"}] * 2), 6),
    Case("stream-event-v1/done-once", twice(5), 6),
    Case("stream-event-v1/done-missing", drop(5), END),
]
V1_CLEAN = [put(5, {"type": "error", "code": "RateLimited"})]

CHUNKS: Frames = [
    {"type": "text", "content": "", "thoughts": [{"kind": "raw", "content": "Hm"}]},
    {"type": "text", "content": "Hi"},
    {"type": "function_call", "functionCall": {"name": "get", "args": {"a": 1}}},
    {"type": "done", "metadata": {"finishReason": "tool_calls"}},
]
FAILED = {"type": "error", "error": {"type": "rate_limit", "message": "Slow down.", "retryable": True}}
CHUNKS_CASES = [
    Case("processed-chunk/type", put(1, {"type": "usage"}), 1),
    Case("processed-chunk/type", put(1, {"content": "Hi"}), 1),
    Case("processed-chunk/member", without(1, "content"), 1),
    Case("processed-chunk/member", change(2, "functionCall.args", "{}"), 2),
    Case("processed-chunk/member", both(cut(3), put(3, {"type": "error", "error": "boom"})), 3),
    Case(
        "processed-chunk/error-type", both(cut(3), put(3, {**FAILED, "error": {**FAILED["error"], "type": "quota"}})), 3
    ),
    Case("processed-chunk/thought", change(0, "thoughts.0.kind", "secret"), 0),
    Case("processed-chunk/end-missing", drop(3), END),
    Case("processed-chunk/after-end", twice(3), 4),
    Case("processed-chunk/after-end", put(3, FAILED), 4),
]
CHUNKS_CLEAN = [both(cut(2), put(2, FAILED)), without(2, "functionCall.args"), without(3, "metadata")]

PARTS: Frames = [
    {"type": "LanguageModelThinkingPart", "value": "Hm", "id": "r"},
    {"type": "LanguageModelTextPart", "value": "Hi"},
    {"type": "LanguageModelToolCallPart", "callId": "c", "name": "get", "input": {"a": 1}},
    {"type": "LanguageModelDataPart", "mimeType": "image/png", "data": "aGk="},
]
PARTS_CASES = [
    Case("vscode/type", put(1, {"type": "LanguageModelErrorPart", "value": "boom"}), 1),
    Case("vscode/type", put(1, {"value": "Hi"}), 1),
    Case("vscode/member", change(1, "value", None), 1),
    Case("vscode/member", change(2, "input", "{}"), 2),
    Case("vscode/data", without(3, "data"), 3),
    Case("vscode/data", change(3, "text", "hi"), 3),
]
PARTS_CLEAN = [drop(0), cut(0), put(4, {"type": "LanguageModelDataPart", "mimeType": "application/json", "json": [1]})]

OWN: Frames = [
    {"type": "start", "id": "m"},
    {"type": "block-start", "index": 0, "kind": "text"},
    {"type": "text-delta", "index": 0, "text": "Hi"},
    {"type": "block-end", "index": 0, "complete": True},
    {"type": "end", "outcome": "completed"},
]
OWN_CASES = [
    Case("events/form", put(1, {"type": "poem"}), 1),
    Case("events/form", put(3, {"type": "text-delta", "text": "Hi"}), 3),
    Case("events/order", drop(0), 0),
    Case("events/order", put(3, {"type": "args-delta", "index": 0, "text": "{}"}), 3),
    Case("events/order", drop(3), 3),
    Case("events/after-end", twice(4), 5),
    Case("events/end-missing", drop(4), END),
]
OWN_CLEAN = [put(0, {"type": "note", "code": "c", "message": "m"}), put(1, {"type": "meta", "name": "n", "new": 1})]

TABLES: dict[str, tuple[Callable[[Any], bytes], Frames, list[Case], list[Any]]] = {
    "gemini": (sse, GEMINI, GEMINI_CASES, GEMINI_CLEAN),
    "ollama": (line, OLLAMA, OLLAMA_CASES, OLLAMA_CLEAN),
    "bedrock": (aws_event, BEDROCK, BEDROCK_CASES, BEDROCK_CLEAN),
    "cohere": (named, COHERE, COHERE_CASES, COHERE_CLEAN),
    "ai-sdk-ui": (sse, UI, UI_CASES, UI_CLEAN),
    "ag-ui": (sse, AG, AG_CASES, AG_CLEAN),
    "stream-event-v1": (line, V1, V1_CASES, V1_CLEAN),
    "processed-chunk": (line, CHUNKS, CHUNKS_CASES, CHUNKS_CLEAN),
    "vscode": (line, PARTS, PARTS_CASES, PARTS_CLEAN),
    "events": (line, OWN, OWN_CASES, OWN_CLEAN),
}


@pytest.mark.parametrize(("protocol", "case"), [(name, case) for name, table in TABLES.items() for case in table[2]])
def test_rule_finds(protocol: str, case: Case):
    write, golden, _, _ = TABLES[protocol]
    check(protocol, write, golden, case)


@pytest.mark.parametrize("protocol", TABLES)
def test_every_rule_is_tried(protocol: str):
    own = {name for name in all_rules(protocol) if name.startswith(f"{protocol}/")}
    assert own == {case.rule for case in TABLES[protocol][2]}


@pytest.mark.parametrize("protocol", TABLES)
def test_good_stream_is_clean(protocol: str):
    write, golden, _, clean = TABLES[protocol]
    for edit in [lambda _: None, *clean]:
        assert [] == judged(protocol, write, golden, edit)[0]


def test_exception_of_bedrock_is_an_end():
    golden = [*BEDROCK[:2], b""]
    assert ["bedrock/message-stop-missing"] == [found.rule for found in judged("bedrock", aws_event, golden, lambda _: None)[0]]  # fmt: skip
    from tests.protocols import aws

    golden[2] = aws.exception("throttlingException", {"message": "slow"})
    assert [] == judged("bedrock", aws_event, golden, lambda _: None)[0]
