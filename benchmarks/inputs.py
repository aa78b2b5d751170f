"""The streams that everything is measured on, made the same way every time.

Each function gives the frames of one stream as a list of bytes, one item a frame, with the field set that the provider
really sends. Knows wire shapes and nothing else: no Weft, no SDK, no clock, no chance.
"""

import json
import struct
import zlib
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

WORDS = (
    "The harbour was quiet when the lamp went out, and nobody on the long pier could say whether the boat had already "
    "left or was still waiting behind the wall; so we stood there, counted the bells – seven, then none – and walked "
    "home slowly."
).split()
CREATED = 1_760_000_000


def words(count: int) -> Iterator[str]:
    """Text deltas: words with their space, over and over."""
    return (f" {word}" for word in islice(cycle(WORDS), count))


def chat_text(count: int = 2000) -> list[bytes]:
    """(a) Chat completions: text, a chunk a word, then finish, usage and [DONE]."""
    return [
        _chat({"role": "assistant", "content": "", "refusal": None}),
        *(_chat({"content": word}) for word in words(count)),
        *_chat_end("stop", count),
    ]


def chat_tools(calls: int = 3, fragments: int = 1800) -> list[bytes]:
    """(b) Chat completions: parallel tool calls, one after the other, their arguments in small fragments."""
    frames = [_chat({"role": "assistant", "content": None, "refusal": None})]
    for index in range(calls):
        function = {"name": f"write_note_{index}", "arguments": ""}
        opened = {"index": index, "id": f"call_{index:024d}", "type": "function", "function": function}
        frames.append(_chat({"tool_calls": [opened]}))
        frames += (
            _chat({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in _arguments(fragments // calls)
        )
    return [*frames, *_chat_end("tool_calls", fragments)]


def anthropic_mixed(thoughts: int = 400, text: int = 800, fragments: int = 400) -> list[bytes]:
    """(c) Anthropic Messages: a signed thought, a text and a tool call."""
    signature = {"type": "signature_delta", "signature": "c2lnbmVk" * 40}
    return [
        _named({"type": "message_start", "message": _anthropic_message()}),
        *_anthropic_block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            [*({"type": "thinking_delta", "thinking": word} for word in words(thoughts)), signature],
        ),
        _named({"type": "ping"}),
        *_anthropic_block(
            1, {"type": "text", "text": ""}, [{"type": "text_delta", "text": word} for word in words(text)]
        ),
        *_anthropic_block(
            2,
            {"type": "tool_use", "id": "toolu_0001", "name": "write_note", "input": {}},
            [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *_arguments(fragments))],
        ),
        _named(
            {
                "type": "message_delta",
                "delta": {"stop_reason": "tool_use", "stop_sequence": None},
                "usage": {**_anthropic_usage(), "output_tokens": thoughts + text + fragments},
            }
        ),
        _named({"type": "message_stop"}),
    ]


def gemini(count: int = 500) -> list[bytes]:
    """(d) Gemini: text, a whole response a frame, usage in each."""
    frames: list[bytes] = []
    for number, word in enumerate(words(count), 1):
        candidate: dict[str, Any] = {"content": {"parts": [{"text": word}], "role": "model"}, "index": 0}
        if number == count:
            candidate["finishReason"] = "STOP"
        usage = {
            "promptTokenCount": 12,
            "candidatesTokenCount": number,
            "totalTokenCount": 12 + number,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 12}],
        }
        body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "model-1", "responseId": "resp1"}
        frames.append(f"data: {json.dumps(body, separators=(',', ': '), ensure_ascii=False)}\r\n\r\n".encode())
    return frames


def responses_text(count: int = 2000) -> list[bytes]:
    """(e) OpenAI Responses: one message of one text part, a delta a word, everything repeated at its end."""
    whole = "".join(words(count))
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    item = {"id": "msg_1", "type": "message", "role": "assistant"}
    part = {"type": "output_text", "annotations": [], "logprobs": []}
    done = {**item, "status": "completed", "content": [{**part, "text": whole}]}
    delta = {"type": "response.output_text.delta", **place, "logprobs": [], "obfuscation": "Xk29sLq"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": _response("in_progress", [], None)},
        {"type": "response.in_progress", "response": _response("in_progress", [], None)},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "status": "in_progress", "content": []},
        },
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        *({**delta, "delta": word} for word in words(count)),
        {"type": "response.output_text.done", **place, "text": whole, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": {**part, "text": whole}},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": _response("completed", [done], count)},
    ]
    return [_named({**event, "sequence_number": number}) for number, event in enumerate(events)]


def ollama(count: int = 2000) -> list[bytes]:
    """(f) Ollama: text, a line a word, the counts on the last line."""
    line = {"model": "model-1", "created_at": "2026-01-02T03:04:05.678901234Z"}
    counts = {
        "total_duration": 4883583458,
        "load_duration": 1334875,
        "prompt_eval_count": 26,
        "prompt_eval_duration": 342546000,
        "eval_count": count,
        "eval_duration": 4535599000,
    }
    told = ({**line, "message": {"role": "assistant", "content": word}, "done": False} for word in words(count))
    last = {**line, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", **counts}
    return [f"{_json(frame)}\n".encode() for frame in (*told, last)]


def responses_tools(calls: int = 3, fragments: int = 1800) -> list[bytes]:
    """OpenAI Responses: function calls, their arguments in small fragments."""
    events: list[dict[str, Any]] = [{"type": "response.created", "response": _response("in_progress", [], None)}]
    done: list[dict[str, Any]] = []
    for index in range(calls):
        pieces = _arguments(fragments // calls)
        item = {"id": f"fc_{index}", "type": "function_call", "call_id": f"call_{index}", "name": "write_note"}
        done.append({**item, "status": "completed", "arguments": "".join(pieces)})
        delta = {"type": "response.function_call_arguments.delta", "item_id": f"fc_{index}", "output_index": index}
        events += [
            {
                "type": "response.output_item.added",
                "output_index": index,
                "item": {**item, "status": "in_progress", "arguments": ""},
            },
            *({**delta, "delta": piece, "obfuscation": "Xk29sLq"} for piece in pieces),
            {**delta, "type": "response.function_call_arguments.done", "arguments": "".join(pieces)},
            {"type": "response.output_item.done", "output_index": index, "item": done[-1]},
        ]
    events.append({"type": "response.completed", "response": _response("completed", done, fragments)})
    return [_named({**event, "sequence_number": number}) for number, event in enumerate(events)]


def anthropic_text(count: int = 2000) -> list[bytes]:
    """Anthropic Messages: one text block."""
    return anthropic_mixed(thoughts=0, text=count, fragments=2)


def anthropic_tools(fragments: int = 1800) -> list[bytes]:
    """Anthropic Messages: one call, its arguments in small fragments."""
    return anthropic_mixed(thoughts=0, text=0, fragments=fragments)


def cohere_text(count: int = 2000) -> list[bytes]:
    """Cohere v2: one text block."""
    message: dict[str, Any] = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    usage = {
        "billed_units": {"input_tokens": 9, "output_tokens": count},
        "tokens": {"input_tokens": 26, "output_tokens": count},
    }
    return [
        _named({"id": "c1", "type": "message-start", "delta": {"message": message}}),
        _named({"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}}),
        *(
            _named({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": word}}}})
            for word in words(count)
        ),
        _named({"type": "content-end", "index": 0}),
        _named({"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": usage}}),
    ]


def bedrock_text(count: int = 2000) -> list[bytes]:
    """Bedrock ConverseStream: one text block, binary frames."""
    usage = {"inputTokens": 26, "outputTokens": count, "totalTokens": 26 + count}
    return [
        _aws("messageStart", {"p": "abcd", "role": "assistant"}),
        *(
            _aws("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": word}, "p": "abcdefghij"})
            for word in words(count)
        ),
        _aws("contentBlockStop", {"contentBlockIndex": 0, "p": "abc"}),
        _aws("messageStop", {"p": "abcdef", "stopReason": "end_turn"}),
        _aws("metadata", {"metrics": {"latencyMs": 512}, "p": "abc", "usage": usage}),
    ]


def ai_sdk_text(count: int = 2000) -> list[bytes]:
    """AI SDK fullStream: one text block, a part a line."""
    usage = {"inputTokens": 26, "outputTokens": count, "totalTokens": 26 + count}
    return [
        f"{_json(part)}\n".encode()
        for part in (
            {"type": "start"},
            {"type": "start-step", "request": {}, "warnings": []},
            {"type": "text-start", "id": "0"},
            *({"type": "text-delta", "id": "0", "text": word} for word in words(count)),
            {"type": "text-end", "id": "0"},
            {"type": "finish-step", "finishReason": "stop", "usage": usage, "response": {"id": "r1", "modelId": "m"}},
            {"type": "finish", "finishReason": "stop", "totalUsage": usage},
        )
    ]


def ai_sdk_ui_text(count: int = 2000) -> list[bytes]:
    """AI SDK UI message stream: one text part."""
    parts: list[dict[str, Any]] = [
        {"type": "start", "messageId": "m1"},
        {"type": "start-step"},
        {"type": "text-start", "id": "0"},
        *({"type": "text-delta", "id": "0", "delta": word} for word in words(count)),
        {"type": "text-end", "id": "0"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "stop"},
    ]
    return [f"data: {_json(part)}\n\n".encode() for part in parts]


def provider_deltas(count: int = 2000) -> list[bytes]:
    """Deltas of a gateway's own kind: one text."""
    deltas: list[dict[str, Any]] = [*({"text": word} for word in words(count)), {"finishReason": "stop"}]
    return [f"{_json(delta)}\n".encode() for delta in deltas]


def own_events(count: int = 2000) -> list[bytes]:
    """Weft's own events as lines: one text."""
    events: list[dict[str, Any]] = [
        {"type": "start", "id": "m1", "model": "model-1"},
        {"type": "block-start", "index": 0, "kind": "text"},
        *({"type": "text-delta", "index": 0, "text": word} for word in words(count)),
        {"type": "block-end", "index": 0, "complete": True},
        {"type": "end", "outcome": "completed", "finishes": [{"reason": "stop", "raw": "stop"}]},
    ]
    return [f"{_json(event)}\n".encode() for event in events]


def _aws(name: str, payload: dict[str, Any]) -> bytes:
    """One frame of an AWS event-stream."""
    headers = b"".join(
        struct.pack("!B", len(key)) + key.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for key, value in ((":event-type", name), (":content-type", "application/json"), (":message-type", "event"))
    )
    body = _json(payload).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(body), len(headers))
    frame = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + body
    return frame + struct.pack("!I", zlib.crc32(frame))


# name -> the protocol (as Weft calls it) and the function that makes the stream
INPUTS = {
    "chat text": ("openai-chat", chat_text),
    "chat tools": ("openai-chat", chat_tools),
    "anthropic mixed": ("anthropic", anthropic_mixed),
    "gemini": ("gemini", gemini),
    "responses text": ("openai-responses", responses_text),
    "ollama": ("ollama", ollama),
    "anthropic text": ("anthropic", anthropic_text),
    "anthropic tools": ("anthropic", anthropic_tools),
    "responses tools": ("openai-responses", responses_tools),
    "cohere text": ("cohere", cohere_text),
    "bedrock text": ("bedrock", bedrock_text),
    "ai-sdk text": ("ai-sdk", ai_sdk_text),
    "ai-sdk-ui text": ("ai-sdk-ui", ai_sdk_ui_text),
    "provider-delta text": ("provider-delta", provider_deltas),
    "events text": ("events", own_events),
}


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _named(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {_json(event)}\n\n".encode()


def _chat(delta: dict[str, Any] | None, finish: str | None = None, usage: dict[str, Any] | None = None) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
    chunk = {
        "id": "chatcmpl-0000000000000000000000000001",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": "model-1",
        "service_tier": "default",
        "system_fingerprint": "fp_0123456789",
        "choices": choices,
        "usage": usage,
        "obfuscation": "Xk29sLq",
    }
    return f"data: {_json(chunk)}\n\n".encode()


def _chat_end(finish: str, count: int) -> list[bytes]:
    usage = {
        "prompt_tokens": 26,
        "completion_tokens": count,
        "total_tokens": 26 + count,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
    return [_chat({}, finish), _chat(None, usage=usage), b"data: [DONE]\n\n"]


def _arguments(fragments: int) -> list[str]:
    """The text of one JSON object in so many fragments."""
    return ['{"note":"', *words(fragments - 2), '"}']


def _anthropic_usage() -> dict[str, Any]:
    return {
        "input_tokens": 26,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 1,
        "service_tier": "standard",
    }


def _anthropic_message() -> dict[str, Any]:
    return {
        "model": "model-1",
        "id": "msg_0001",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _anthropic_usage(),
    }


def _anthropic_block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[bytes]:
    return [
        _named({"type": "content_block_start", "index": index, "content_block": start}),
        *(_named({"type": "content_block_delta", "index": index, "delta": delta}) for delta in deltas),
        _named({"type": "content_block_stop", "index": index}),
    ]


def _response(status: str, output: list[dict[str, Any]], count: int | None) -> dict[str, Any]:
    usage = count and {
        "input_tokens": 26,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": count,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 26 + count,
    }
    return {
        "id": "resp_0001",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "max_output_tokens": None,
        "model": "model-1",
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
        "metadata": {},
    }
