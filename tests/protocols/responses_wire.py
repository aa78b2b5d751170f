"""The events of a Responses stream, short to write."""

import json
from typing import Any

from tests.protocols.wire import sse

Frame = dict[str, Any]
USAGE = {
    "input_tokens": 12,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 9,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 21,
}


def response(status: str = "in_progress", *output: Frame, **members: Any) -> Frame:
    known = {"id": "resp_1", "object": "response", "created_at": 1700000000, "model": "gpt-x"}
    return {**known, "status": status, "output": list(output), **members}


def created(**members: Any) -> Frame:
    return {"type": "response.created", "response": response(**members)}


def completed(*output: Frame, **members: Any) -> Frame:
    return {"type": "response.completed", "response": response("completed", *output, **{"usage": USAGE, **members})}


def incomplete(reason: str | None, *output: Frame) -> Frame:
    details = {"reason": reason} if reason else None
    return {
        "type": "response.incomplete",
        "response": response("incomplete", *output, incomplete_details=details, usage=USAGE),
    }


def failed(code: str = "server_error", message: str = "It broke.", **members: Any) -> Frame:
    error = {"code": code, "message": message}
    return {"type": "response.failed", "response": response("failed", error=error, **members)}


def added(index: int | None, item: Frame) -> Frame:
    return place("response.output_item.added", index, item=item)


def done(index: int | None, item: Frame) -> Frame:
    return place("response.output_item.done", index, item=item)


def place(type: str, index: int | None, **members: Any) -> Frame:
    return {"type": type, **({} if index is None else {"output_index": index}), **members}


def said(index: int, text: str, content_index: int = 0, **members: Any) -> Frame:
    members = {"item_id": f"msg_{index}", "content_index": content_index, "delta": text, "logprobs": [], **members}
    return place("response.output_text.delta", index, **members)


def args(index: int, text: str, **members: Any) -> Frame:
    return place(
        "response.function_call_arguments.delta", index, **{"item_id": f"fc_{index}", "delta": text, **members}
    )


def args_done(index: int, text: str, **members: Any) -> Frame:
    return place(
        "response.function_call_arguments.done", index, **{"item_id": f"fc_{index}", "arguments": text, **members}
    )


def summary(index: int, text: str, number: int = 0) -> Frame:
    return place(
        "response.reasoning_summary_text.delta", index, item_id=f"rs_{index}", summary_index=number, delta=text
    )


def thought(index: int, text: str, number: int = 0) -> Frame:
    return place("response.reasoning_text.delta", index, item_id=f"rs_{index}", content_index=number, delta=text)


def text_part(text: str, **members: Any) -> Frame:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": [], **members}


def refusal_part(text: str) -> Frame:
    return {"type": "refusal", "refusal": text}


def message_item(index: int, *content: Frame | str, **members: Any) -> Frame:
    parts = [text_part(part) if isinstance(part, str) else part for part in content]
    known = {"id": f"msg_{index}", "type": "message", "status": "completed", "role": "assistant", "content": parts}
    return {**known, **members}


def reasoning_item(index: int, *summaries: str, **members: Any) -> Frame:
    parts = [{"type": "summary_text", "text": text} for text in summaries]
    return {"id": f"rs_{index}", "type": "reasoning", "summary": parts, **members}


def call_item(index: int, arguments: str = "", name: str = "look", **members: Any) -> Frame:
    known = {"id": f"fc_{index}", "type": "function_call", "status": "completed", "call_id": f"call_{index}"}
    return {**known, "name": name, "arguments": arguments, **members}


def text(index: int, *pieces: str, **members: Any) -> list[Frame]:
    """A whole message as OpenAI streams it."""
    part = {"item_id": f"msg_{index}", "content_index": 0}
    whole = text_part("".join(pieces))
    return [
        added(index, {**message_item(index, **members), "status": "in_progress"}),
        place("response.content_part.added", index, **part, part=text_part("")),
        *(said(index, piece) for piece in pieces),
        place("response.output_text.done", index, **part, text="".join(pieces), logprobs=[]),
        place("response.content_part.done", index, **part, part=whole),
        done(index, message_item(index, whole, **members)),
    ]


def call(index: int, *pieces: str, name: str = "look") -> list[Frame]:
    """A whole function call as OpenAI streams it."""
    whole = "".join(pieces)
    return [
        added(index, call_item(index, name=name, status="in_progress")),
        *(args(index, piece) for piece in pieces),
        args_done(index, whole),
        done(index, call_item(index, whole, name=name)),
    ]


def stream(*parts: Frame | list[Frame], last: Frame | None = None) -> bytes:
    """A stream from created to completed around these frames."""
    frames = [frame for part in parts for frame in (part if isinstance(part, list) else [part])]
    return sse(created(), *frames, last or completed(), event=True)


def escaped(*frames: Frame) -> bytes:
    """Frames in which half a character may stand, as JSON escapes it."""
    return sse(*map(json.dumps, frames))
