"""The frames of an Anthropic stream, short to write."""

from base64 import b64encode
from typing import Any

from tests.framing.told import aws_event
from tests.protocols.wire import sse

Frame = dict[str, Any]


def start(id: str | None = "msg_1", **members: Any) -> Frame:
    message = {"id": id, "type": "message", "role": "assistant", "model": "claude-x", "content": [], **members}
    return {"type": "message_start", "message": {"usage": {"input_tokens": 12, "output_tokens": 1}, **message}}


def opened(index: int | None, block: Frame) -> Frame:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int | None, type: str, **members: Any) -> Frame:
    return {"type": "content_block_delta", "index": index, "delta": {"type": type, **members}}


def said(index: int | None, text: str) -> Frame:
    return delta(index, "text_delta", text=text)


def thought(index: int, text: str) -> Frame:
    return delta(index, "thinking_delta", thinking=text)


def args(index: int, text: str) -> Frame:
    return delta(index, "input_json_delta", partial_json=text)


def closed(index: int) -> Frame:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str | None = "end_turn", usage: Any = None, **members: Any) -> Frame:
    counts = {"output_tokens": 7} if usage is None else usage
    return {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": counts,
        **members,
    }


TEXT: Frame = {"type": "text", "text": ""}
THINKING: Frame = {"type": "thinking", "thinking": "", "signature": ""}
PING: Frame = {"type": "ping"}
STOP: Frame = {"type": "message_stop"}


def tool(id: str = "toolu_1", name: str = "look", type: str = "tool_use", **members: Any) -> Frame:
    return {"type": type, "id": id, "name": name, "input": {}, **members}


SEARCH: Frame = tool("srv_1", "web_search", "server_tool_use")
FOUND: Frame = {
    "type": "web_search_tool_result",
    "tool_use_id": "srv_1",
    "content": [{"type": "web_search_result", "url": "u", "encrypted_content": "x"}],
}
FAILED: Frame = {
    "type": "web_fetch_tool_result",
    "tool_use_id": "srv_1",
    "content": {"type": "web_fetch_tool_result_error", "error_code": "url_not_allowed"},
}
ECHO: Frame = tool("mcp_1", "echo", "mcp_tool_use", server_name="echoes")
ECHOED: Frame = {
    "type": "mcp_tool_result",
    "tool_use_id": "mcp_1",
    "is_error": False,
    "content": [{"type": "text", "text": "hi"}],
}


def text(index: int, *pieces: str) -> list[Frame]:
    """A whole text block."""
    return [opened(index, TEXT), *(said(index, piece) for piece in pieces), closed(index)]


def call(index: int, *pieces: str, **members: Any) -> list[Frame]:
    """A whole tool block."""
    return [opened(index, tool(**members)), *(args(index, piece) for piece in pieces), closed(index)]


def stream(*frames: Frame | list[Frame], begin: Frame | None = None, end: Frame | None = None) -> bytes:
    """A message with these frames inside; it ends with `end_turn` unless another end is given."""
    flat = [frame for item in frames for frame in (item if isinstance(item, list) else [item])]
    return sse(begin or start(), *flat, end or ended(), STOP, event=True)


def invoked(*frames: bytes) -> bytes:
    """Bodies as Bedrock's InvokeModelWithResponseStream wraps them."""
    return b"".join(aws_event(b"chunk", b'{"bytes":"' + b64encode(frame) + b'","p":"abcdefgh"}') for frame in frames)
