"""What the ollama SDK makes of native chat and generate bodies.

Runs in the referees' environment. Knows the SDK's objects; must not know Weft, nor correct what the SDK gets wrong.
"""

from typing import Any

import ollama

from .reply import Call, Reply

COUNTS = ("prompt_eval_count", "eval_count")


def chat(url: str, reply: Reply) -> None:
    """`chat(stream=True)`, part by part."""
    for part in _client(url).chat(model="m", messages=[{"role": "user", "content": "x"}], stream=True):
        _take_chat(reply, part)


def generate(url: str, reply: Reply) -> None:
    """`generate(stream=True)`, part by part."""
    for part in _client(url).generate(model="m", prompt="x", stream=True):
        _take_generate(reply, part)


def chat_whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed."""
    _take_chat(reply, _client(url).chat(model="m", messages=[{"role": "user", "content": "x"}]))


def generate_whole(url: str, reply: Reply) -> None:
    """A generated text that was not streamed."""
    _take_generate(reply, _client(url).generate(model="m", prompt="x"))


def _client(url: str) -> ollama.Client:
    return ollama.Client(host=url, timeout=20)


def _take_chat(reply: Reply, part: ollama.ChatResponse) -> None:
    told = reply.choice()
    told.text.append(part.message.content or "")
    told.reasoning.append(part.message.thinking or "")
    for call in part.message.tool_calls or []:
        reply.note("no id for tool calls")
        told.calls[len(told.calls)] = Call(name=call.function.name, arguments=dict(call.function.arguments))
    _take_end(reply, part)


def _take_generate(reply: Reply, part: ollama.GenerateResponse) -> None:
    told = reply.choice()
    told.text.append(part.response or "")
    told.reasoning.append(part.thinking or "")
    _take_end(reply, part)


def _take_end(reply: Reply, part: Any) -> None:
    reply.seen(None, part.model)
    if part.done:
        reply.choice().finish_raw = part.done_reason
        counts = {name: getattr(part, name) for name in COUNTS if getattr(part, name) is not None}
        reply.usage = counts or None
