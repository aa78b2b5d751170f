"""What the cohere SDK makes of v2 chat bodies.

Runs in the referees' environment. Knows the SDK's objects; must not know Weft, nor correct what the SDK gets wrong.
"""

from typing import Any

import cohere

from .reply import Call, Reply

MESSAGES: Any = [{"role": "user", "content": "x"}]


def stream(url: str, reply: Reply) -> None:
    """`chat_stream`, event by event."""
    for event in _client(url).chat_stream(model="m", messages=MESSAGES, request_options={"max_retries": 0}):
        reply.seen(getattr(event, "id", None), None)
        if take := EVENTS.get(event.type):
            take(reply, event)


def whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed."""
    response = _client(url).chat(model="m", messages=MESSAGES, request_options={"max_retries": 0})
    reply.seen(response.id, None)
    reply.choice().finish_raw = response.finish_reason
    reply.usage = _plain(response.usage)
    reply.plan.append(response.message.tool_plan or "")
    for content in response.message.content or []:
        _take_content(reply, content)
    for position, call in enumerate(response.message.tool_calls or []):
        reply.choice().calls[position] = Call(call.id, call.function.name, call.function.arguments)


def _client(url: str) -> cohere.ClientV2:
    return cohere.ClientV2(api_key="x", base_url=url, timeout=20, log_warning_experimental_features=False)


def _take_content(reply: Reply, content: Any) -> None:
    told = reply.choice()
    told.text.append(getattr(content, "text", None) or "")
    told.reasoning.append(getattr(content, "thinking", None) or "")


def _content(reply: Reply, event: Any) -> None:
    _take_content(reply, event.delta.message.content)


def _plan(reply: Reply, event: Any) -> None:
    reply.plan.append(event.delta.message.tool_plan)


def _call_start(reply: Reply, event: Any) -> None:
    call = event.delta.message.tool_calls
    reply.choice().calls[event.index] = Call(call.id, call.function.name, call.function.arguments)


def _call_delta(reply: Reply, event: Any) -> None:
    reply.choice().calls[event.index].extend(event.delta.message.tool_calls.function.arguments)


def _end(reply: Reply, event: Any) -> None:
    reply.choice().finish_raw = event.delta.finish_reason
    reply.usage = _plain(event.delta.usage)
    if error := getattr(event.delta, "error", None):
        reply.error = {"class": "message-end error", "message": error}


EVENTS = {
    "content-start": _content,
    "content-delta": _content,
    "tool-plan-delta": _plan,
    "tool-call-start": _call_start,
    "tool-call-delta": _call_delta,
    "message-end": _end,
}


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json", exclude_none=True) if value is not None else None
