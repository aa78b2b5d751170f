"""What the anthropic SDK makes of Messages bodies, plain and inside Bedrock's event stream.

Runs in the referees' environment. Knows the SDK's objects; must not know Weft, nor correct what the SDK gets wrong.
"""

from functools import cache
from typing import Any

import anthropic

from .reply import Call, Reply

ASK: Any = {"model": "m", "max_tokens": 16, "messages": [{"role": "user", "content": "x"}]}
# kind of block -> who runs the call
CALLS = {"tool_use": "client", "server_tool_use": "provider", "mcp_tool_use": "provider"}
TEXTS = {"text": ("text", "text"), "thinking": ("thinking", "reasoning")}


@cache
def _shared() -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="x", base_url="http://127.0.0.1", max_retries=0, timeout=20)


@cache
def _bedrock() -> anthropic.AnthropicBedrock:
    return anthropic.AnthropicBedrock(
        aws_access_key="x",
        aws_secret_key="x",
        aws_region="us-east-1",
        base_url="http://127.0.0.1",
        max_retries=0,
        timeout=20,
    )


def stream(url: str, reply: Reply) -> None:
    """The `messages.stream()` helper and its own accumulator."""
    _follow(_shared().with_options(base_url=url).messages.stream(**ASK), reply)


def beta_stream(url: str, reply: Reply) -> None:
    """The same of the beta interface, whose types know more kinds of blocks."""
    _follow(_shared().with_options(base_url=url).beta.messages.stream(**ASK), reply)


def bedrock_stream(url: str, reply: Reply) -> None:
    """The helper over the events that InvokeModelWithResponseStream wraps."""
    _follow(_bedrock().with_options(base_url=url).messages.stream(**ASK), reply)


def whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed."""
    _take_message(reply, _shared().with_options(base_url=url).messages.create(**ASK), {})


def _follow(manager: Any, reply: Reply) -> None:
    """Run the helper to its end; whatever happens, take the message as far as it came."""
    message = None
    raw: dict[int, list[str]] = {}
    try:
        with manager as stream:
            for event in stream:
                message = stream.current_message_snapshot
                if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                    raw.setdefault(event.index, []).append(event.delta.partial_json)
            message = stream.get_final_message()
    finally:
        if message is not None:
            _take_message(reply, message, {index: "".join(parts) for index, parts in raw.items()})


def _take_message(reply: Reply, message: Any, raw: dict[int, str]) -> None:
    reply.seen(getattr(message, "id", None), getattr(message, "model", None))
    reply.usage = _plain(getattr(message, "usage", None))
    told = reply.choice()
    told.finish_raw = getattr(message, "stop_reason", None)
    for position, block in enumerate(getattr(message, "content", None) or []):
        reply.blocks.append(_plain(block))
        kind = getattr(block, "type", None)
        if kind in TEXTS:
            source, into = TEXTS[kind]
            getattr(told, into).append(getattr(block, source, None) or "")
        elif kind in CALLS:
            told.calls[position] = Call(block.id, block.name, block.input, raw.get(position), CALLS[kind])


def _plain(value: Any) -> Any:
    return value.to_dict(mode="json") if isinstance(value, anthropic.BaseModel) else value
