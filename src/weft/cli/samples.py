"""Short made-up answers in the wire shape of each source: what the demo shows and the bench measures.

Knows: wire shapes, as text. Must not know: how they are read.
"""

import json
from typing import Any, NamedTuple


class Sample(NamedTuple):
    """How a source says a text: what comes before, one frame for each word (at `%s`, as JSON), what comes after."""

    head: str
    word: str
    tail: str

    def frames(self, words: list[str]) -> list[bytes]:
        """One answer of these words, one item a frame."""
        said = (self.word.replace("%s", json.dumps(word)) for word in words)
        return [frame.encode() for frame in (self.head, *said, self.tail) if frame]


def _sse(*events: str, named: bool = False, done: bool = False) -> str:
    frames = (
        f"event: {json.loads(event)['type']}\ndata: {event}\n\n" if named else f"data: {event}\n\n" for event in events
    )
    return "".join(frames) + ("data: [DONE]\n\n" if done else "")


def _word(name: str, event: str) -> str:
    return f"event: {name}\ndata: {event}\n\n"


_CHUNK = '{"id":"c1","object":"chat.completion.chunk","created":1760000000,"model":"model-1","choices":[{"index":0,"delta":%d,"finish_reason":%f}]}'
_RESPONSE = (
    '{"id":"r1","object":"response","created_at":1760000000,"model":"model-1","status":"%s","output":[],"usage":null}'
)
_ITEM = '{"id":"m1","type":"message","role":"assistant","status":"in_progress","content":[]}'
_PLACE = '"item_id":"m1","output_index":0,"content_index":0'
_CANDIDATE = (
    '{"candidates":[{"content":{"role":"model","parts":[{"text":%s}]}%f}],"modelVersion":"model-1","responseId":"g1"}'
)
_LINE = (
    '{"model":"model-1","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":%s},"done":%d}\n'
)

SAMPLES: dict[str, Sample] = {
    "openai-chat": Sample(
        head=_sse(_CHUNK.replace("%d", '{"role":"assistant","content":""}').replace("%f", "null")),
        word=_sse(_CHUNK.replace("%d", '{"content":%s}').replace("%f", "null")),
        tail=_sse(_CHUNK.replace("%d", "{}").replace("%f", '"stop"'), done=True),
    ),
    "openai-responses": Sample(
        head=_sse(
            '{"type":"response.created","response":' + _RESPONSE.replace("%s", "in_progress") + "}",
            '{"type":"response.output_item.added","output_index":0,"item":' + _ITEM + "}",
            '{"type":"response.content_part.added",' + _PLACE + ',"part":{"type":"output_text","text":"","annotations":[]}}',
            named=True,
        ),
        word=_word("response.output_text.delta", '{"type":"response.output_text.delta",' + _PLACE + ',"delta":%s,"logprobs":[]}'),
        tail=_sse('{"type":"response.completed","response":' + _RESPONSE.replace("%s", "completed") + "}", named=True),
    ),
    "anthropic": Sample(
        head=_sse(
            '{"type":"message_start","message":{"id":"a1","type":"message","role":"assistant","model":"model-1","content":[]}}',
            '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
            named=True,
        ),
        word=_word("content_block_delta", '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}'),
        tail=_sse(
            '{"type":"content_block_stop","index":0}',
            '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}',
            '{"type":"message_stop"}',
            named=True,
        ),
    ),
    "gemini": Sample(
        head="",
        word=_sse(_CANDIDATE.replace("%f", "")),
        tail=_sse(_CANDIDATE.replace("%s", '""').replace("%f", ',"finishReason":"STOP"')),
    ),
    "ollama": Sample(
        head="",
        word=_LINE.replace("%d", "false"),
        tail=_LINE.replace("%s", '""').replace("%d", 'true,"done_reason":"stop"'),
    ),
    "cohere": Sample(
        head=_sse(
            '{"type":"message-start","id":"h1","delta":{"message":{"role":"assistant","content":[]}}}',
            '{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}',
            named=True,
        ),
        word=_word("content-delta", '{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":%s}}}}'),
        tail=_sse(
            '{"type":"content-end","index":0}',
            '{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"input_tokens":5,"output_tokens":9}}}}',
            named=True,
        ),
    ),
    "ai-sdk-ui": Sample(
        head=_sse('{"type":"start","messageId":"u1"}', '{"type":"start-step"}', '{"type":"text-start","id":"t1"}'),
        word=_sse('{"type":"text-delta","id":"t1","delta":%s}'),
        tail=_sse('{"type":"text-end","id":"t1"}', '{"type":"finish-step"}', '{"type":"finish","finishReason":"stop"}', done=True),
    ),
}  # fmt: skip

_THOUGHTS = ["The question is", " about the weather", " in Oslo; I should", " look before I say."]
_ANSWER = ["Let me ", "look at ", "the weather ", "in Oslo ", "for you."]
_ARGUMENTS = ['{"city": ', '"Oslo", ', '"unit": ', '"celsius"}']


def demo() -> list[bytes]:
    """An answer of Anthropic's Messages with a signed thought, a text and a tool call, one item a frame."""
    usage = {"input_tokens": 412, "cache_read_input_tokens": 380, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_demo",
        "type": "message",
        "role": "assistant",
        "model": "claude-demo",
        "content": [],
        "usage": usage,
    }
    thoughts = [{"type": "thinking_delta", "thinking": text} for text in _THOUGHTS]
    signed = {"type": "signature_delta", "signature": "ZGVtbw=="}
    words = [{"type": "text_delta", "text": text} for text in _ANSWER]
    pieces = [{"type": "input_json_delta", "partial_json": text} for text in _ARGUMENTS]
    call: dict[str, Any] = {"type": "tool_use", "id": "toolu_demo", "name": "get_weather", "input": {}}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        *_block(0, {"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signed]),
        {"type": "ping"},
        *_block(1, {"type": "text", "text": ""}, words),
        *_block(2, call, pieces),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 61}},
        {"type": "message_stop"},
    ]
    return [_sse(json.dumps(event), named=True).encode() for event in events]


def _block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]
