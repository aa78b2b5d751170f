"""One small answer in every wire shape: a thought, a sentence, a tool call, with finish and usage.

Written by hand after the protocols' field sets. Knows bytes; must not know who reads them.
"""

import json
import struct
import zlib
from base64 import b64encode


def sse(*frames, named=False):
    """Frames as server-sent events, with an event line where the protocol has one."""
    lines = []
    for frame in frames:
        lines += [f"event: {frame['type']}\n"] if named else []
        lines += [f"data: {json.dumps(frame)}\n\n"]
    return "".join(lines).encode()


def aws(*events):
    """(event type, payload) pairs as AWS event-stream messages."""
    return b"".join(aws_message(kind, json.dumps(payload).encode()) for kind, payload in events)


def aws_message(kind, payload):
    names = {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}
    headers = b"".join(
        struct.pack(f">B{len(name)}sBH{len(value)}s", len(name), name.encode(), 7, len(value), value.encode())
        for name, value in names.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


def chat_chunk(delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m1", "choices": [choice], **more}


CHAT = (
    sse(
        chat_chunk({"role": "assistant", "reasoning_content": "It rains, "}),
        chat_chunk({"reasoning_content": "I think."}),
        chat_chunk({"content": "Take an "}),
        chat_chunk({"content": "umbrella."}),
        chat_chunk(
            {
                "tool_calls": [
                    {"index": 0, "id": "t1", "type": "function", "function": {"name": "look", "arguments": ""}}
                ]
            }
        ),
        chat_chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"at": "sky"}'}}]}),
        chat_chunk({}, "tool_calls"),
        {**chat_chunk({}), "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}},
    )
    + b"data: [DONE]\n\n"
)

CALL_ITEM = {
    "type": "function_call",
    "id": "f1",
    "call_id": "t1",
    "name": "look",
    "arguments": "",
    "status": "in_progress",
}
DONE_ITEM = {**CALL_ITEM, "arguments": '{"at": "sky"}', "status": "completed"}
TEXT_PART = {"type": "output_text", "text": "", "annotations": []}
MESSAGE = {"type": "message", "id": "m1", "role": "assistant", "status": "in_progress", "content": []}
DONE_MESSAGE = {**MESSAGE, "status": "completed", "content": [{**TEXT_PART, "text": "Take an umbrella."}]}
RESPONSE = {"id": "r1", "object": "response", "created_at": 1, "model": "m1", "status": "in_progress", "output": []}
RESPONSE_USAGE = {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12}
DONE_RESPONSE = {**RESPONSE, "status": "completed", "output": [DONE_MESSAGE, DONE_ITEM], "usage": RESPONSE_USAGE}
PLACE = {"item_id": "m1", "output_index": 0, "content_index": 0}
RESPONSES = sse(
    {"type": "response.created", "response": RESPONSE},
    {"type": "response.output_item.added", "output_index": 0, "item": MESSAGE},
    {"type": "response.content_part.added", **PLACE, "part": TEXT_PART},
    {"type": "response.output_text.delta", **PLACE, "delta": "Take an "},
    {"type": "response.output_text.delta", **PLACE, "delta": "umbrella."},
    {"type": "response.output_item.done", "output_index": 0, "item": DONE_MESSAGE},
    {"type": "response.output_item.added", "output_index": 1, "item": CALL_ITEM},
    {"type": "response.function_call_arguments.delta", "item_id": "f1", "output_index": 1, "delta": '{"at": '},
    {"type": "response.function_call_arguments.delta", "item_id": "f1", "output_index": 1, "delta": '"sky"}'},
    {"type": "response.output_item.done", "output_index": 1, "item": DONE_ITEM},
    {"type": "response.completed", "response": DONE_RESPONSE},
    named=True,
)

ANTHROPIC_FRAMES = (
    {
        "type": "message_start",
        "message": {
            "id": "a1",
            "type": "message",
            "role": "assistant",
            "model": "m1",
            "content": [],
            "usage": {"input_tokens": 5, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "It rains, I think."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Take an umbrella."}},
    {"type": "content_block_stop", "index": 1},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
    },
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"at": '}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '"sky"}'}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
)

GEMINI = sse(
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "It rains, I think.", "thought": True}]}}]},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Take an umbrella."}]}}]},
    {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"functionCall": {"id": "t1", "name": "look", "args": {"at": "sky"}}}],
                },
                "finishReason": "STOP",
            }
        ],
        "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 7, "totalTokenCount": 12},
        "responseId": "g1",
    },
)

OLLAMA = b"".join(
    json.dumps({"model": "m1", **line}).encode() + b"\n"
    for line in (
        {"message": {"role": "assistant", "content": "", "thinking": "It rains, I think."}, "done": False},
        {"message": {"role": "assistant", "content": "Take an umbrella."}, "done": False},
        {
            "message": {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "look", "arguments": {"at": "sky"}}}],
            },
            "done": False,
        },
        {
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 5,
            "eval_count": 7,
        },
    )
)

COHERE = sse(
    {"type": "message-start", "id": "h1", "delta": {"message": {"role": "assistant"}}},
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "thinking", "thinking": ""}}}},
    {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"thinking": "It rains, I think."}}}},
    {"type": "content-end", "index": 0},
    {"type": "content-start", "index": 1, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    {"type": "content-delta", "index": 1, "delta": {"message": {"content": {"text": "Take an umbrella."}}}},
    {"type": "content-end", "index": 1},
    {
        "type": "tool-call-start",
        "index": 0,
        "delta": {
            "message": {"tool_calls": {"id": "t1", "type": "function", "function": {"name": "look", "arguments": ""}}}
        },
    },
    {
        "type": "tool-call-delta",
        "index": 0,
        "delta": {"message": {"tool_calls": {"function": {"arguments": '{"at": "sky"}'}}}},
    },
    {"type": "tool-call-end", "index": 0},
    {
        "type": "message-end",
        "delta": {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 5, "output_tokens": 7}}},
    },
    named=True,
)

CONVERSE = aws(
    ("messageStart", {"role": "assistant"}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "It rains, I think."}}}),
    ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "c2ln"}}}),
    ("contentBlockStop", {"contentBlockIndex": 0}),
    ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Take an umbrella."}}),
    ("contentBlockStop", {"contentBlockIndex": 1}),
    ("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "t1", "name": "look"}}}),
    ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"at": '}}}),
    ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '"sky"}'}}}),
    ("contentBlockStop", {"contentBlockIndex": 2}),
    ("messageStop", {"stopReason": "tool_use"}),
    ("metadata", {"usage": {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}, "metrics": {"latencyMs": 9}}),
)

INVOKE = aws(*(("chunk", {"bytes": b64encode(json.dumps(frame).encode()).decode()}) for frame in ANTHROPIC_FRAMES))
ANTHROPIC = sse(*ANTHROPIC_FRAMES, named=True)
