"""What the openai SDK makes of Chat Completions and Responses bodies.

Runs in the referees' environment. Knows the SDK's objects; must not know Weft, nor correct what the SDK gets wrong.
"""

from functools import cache
from typing import Any

import openai

from .reply import Call, Choice, Reply

MESSAGES: Any = [{"role": "user", "content": "x"}]
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")


@cache
def _shared() -> openai.OpenAI:
    return openai.OpenAI(api_key="x", base_url="http://127.0.0.1", max_retries=0, timeout=20)


def _client(url: str) -> openai.OpenAI:
    return _shared().with_options(base_url=url)


def chat_create(url: str, reply: Reply) -> None:
    """The loop of the vendor's guide over `create`: text joined, calls by index, the first fragment names them."""
    for chunk in _client(url).chat.completions.create(model="m", messages=MESSAGES, stream=True):
        reply.seen(getattr(chunk, "id", None), getattr(chunk, "model", None))
        if usage := getattr(chunk, "usage", None):
            reply.usage = _plain(usage)
        for choice in getattr(chunk, "choices", None) or []:
            told = reply.choice(getattr(choice, "index", None))
            told.finish_raw = getattr(choice, "finish_reason", None) or told.finish_raw
            if delta := getattr(choice, "delta", None):
                _take_message(told, delta, reply)
            else:
                reply.note("choice without delta")


def chat_stream(url: str, reply: Reply) -> None:
    """The `.stream()` helper and its own accumulator; on a failure, the last snapshot that it showed."""
    snapshot = None
    try:
        with _client(url).chat.completions.stream(model="m", messages=MESSAGES) as stream:
            for event in stream:
                if event.type == "chunk":
                    snapshot = event.snapshot
            snapshot = stream.get_final_completion()
    finally:
        if snapshot is not None:
            _take_completion(reply, snapshot)


def chat_whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed."""
    _take_completion(reply, _client(url).chat.completions.create(model="m", messages=MESSAGES))


def _take_completion(reply: Reply, completion: Any) -> None:
    reply.seen(getattr(completion, "id", None), getattr(completion, "model", None))
    reply.usage = _plain(getattr(completion, "usage", None))
    for choice in getattr(completion, "choices", None) or []:
        told = reply.choice(getattr(choice, "index", None))
        told.finish_raw = getattr(choice, "finish_reason", None)
        if message := getattr(choice, "message", None):
            _take_message(told, message, reply)


def _take_message(told: Choice, message: Any, reply: Reply) -> None:
    """A delta and a whole message have the same fields, so both are read here."""
    _take_text(told.text, message, "content", reply)
    _take_text(told.refusal, message, "refusal", reply)
    for name in REASONING_FIELDS:
        if getattr(message, name, None):
            _take_text(told.reasoning, message, name, reply)
            break
    for position, fragment in enumerate(getattr(message, "tool_calls", None) or []):
        _take_call(told, fragment, _key(fragment, position, message, reply))
    function = getattr(message, "function_call", None)
    if function is not None and (function.name or function.arguments):
        call = told.calls.setdefault("function_call", Call(name=function.name, arguments=""))
        call.extend(function.arguments)


def _key(fragment: Any, position: int, message: Any, reply: Reply) -> Any:
    """The SDK's key of a fragment is its index; whole messages carry none and are told apart by their place."""
    if isinstance(message, openai.types.chat.ChatCompletionMessage):
        return position
    if not isinstance(index := getattr(fragment, "index", None), int):
        reply.note("tool call without index")
    return index


def _take_call(told: Choice, fragment: Any, key: Any) -> None:
    function = getattr(fragment, "function", None)
    call = told.calls.setdefault(key, Call(arguments=""))
    call.id = call.id or getattr(fragment, "id", None)
    if function is not None:
        call.name = call.name or getattr(function, "name", None)
        call.extend(getattr(function, "arguments", None))


def _take_text(into: list[str], source: Any, name: str, reply: Reply) -> None:
    value = getattr(source, name, None)
    if isinstance(value, str):
        into.append(value)
    elif value is not None:
        reply.note(f"{name} is a {type(value).__name__}")


def responses_create(url: str, reply: Reply) -> None:
    """The events of `create`: deltas joined, items as announced; `final` is the terminal's response object."""
    for event in _client(url).responses.create(model="m", input="x", stream=True):
        kind = getattr(event, "type", None)
        if kind in DELTAS:
            getattr(reply.choice(), DELTAS[kind]).append(event.delta)
        elif kind in ARGUMENTS:
            _item_call(reply, event).extend(event.delta)
        elif kind in ITEMS:
            _take_item(reply, event)
        elif kind in TERMINALS:
            reply.final = Reply()
            _take_response(reply.final, event.response)
            reply.usage = reply.final.usage
            reply.finish_detail = reply.final.finish_detail
            reply.choice().finish_raw = reply.final.choice().finish_raw
        elif kind == "error":
            reply.error = {"class": "error event", "message": event.message, "body": _plain(event)}
        if response := getattr(event, "response", None):
            reply.seen(getattr(response, "id", None), getattr(response, "model", None))


DELTAS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
    "response.reasoning_text.delta": "reasoning",
    "response.reasoning_summary_text.delta": "reasoning",
}
ARGUMENTS = {
    "response.function_call_arguments.delta",
    "response.custom_tool_call_input.delta",
    "response.mcp_call_arguments.delta",
}
ITEMS = {"response.output_item.added", "response.output_item.done"}
TERMINALS = {"response.completed", "response.incomplete", "response.failed"}
# kind of item -> where its id, its name and its arguments stand, and who runs it
CALLS = {
    "function_call": ("call_id", "name", "arguments", "client"),
    "custom_tool_call": ("call_id", "name", "input", "client"),
    "mcp_call": ("id", "name", "arguments", "provider"),
}


def _item_call(reply: Reply, event: Any) -> Call:
    return reply.choice().calls.setdefault(event.output_index, Call(arguments=""))


def _take_item(reply: Reply, event: Any) -> None:
    """An announced call names itself; a done item replaces the joined fragments only where there were none."""
    item = event.item
    if event.type == "response.output_item.done":
        reply.blocks.append(_plain(item))
    if item is None or item.type not in CALLS:
        return
    id_field, name_field, arguments_field, executor = CALLS[item.type]
    call = _item_call(reply, event)
    call.id = call.id or getattr(item, id_field, None)
    call.name = call.name or getattr(item, name_field, None)
    call.executor = executor
    if event.type == "response.output_item.done" and not call.arguments:
        call.extend(getattr(item, arguments_field, None))


def responses_stream(url: str, reply: Reply) -> None:
    """The `.stream()` helper; it gives a final response only for completed ones, so the terminal event is read too."""
    with _client(url).responses.stream(model="m", input="x") as stream:
        for event in stream:
            if event.type in {"response.incomplete", "response.failed"}:
                _take_response(reply, event.response)
        if not reply.choices:
            _take_response(reply, stream.get_final_response())


def responses_whole(url: str, reply: Reply) -> None:
    """A reply that was not streamed."""
    _take_response(reply, _client(url).responses.create(model="m", input="x"))


def _take_response(reply: Reply, response: Any) -> None:
    reply.seen(getattr(response, "id", None), getattr(response, "model", None))
    reply.usage = _plain(getattr(response, "usage", None))
    told = reply.choice()
    told.finish_raw = getattr(response, "status", None)
    reply.finish_detail = getattr(getattr(response, "incomplete_details", None), "reason", None)
    if error := getattr(response, "error", None):
        reply.error = {"class": "response.error", "message": getattr(error, "message", None), "body": _plain(error)}
    for position, item in enumerate(getattr(response, "output", None) or []):
        reply.blocks.append(_plain(item))
        if item.type in CALLS:
            id_field, name_field, arguments_field, executor = CALLS[item.type]
            told.calls[position] = Call(
                id=getattr(item, id_field, None),
                name=getattr(item, name_field, None),
                arguments=getattr(item, arguments_field, None),
                executor=executor,
            )
        for part in [*(getattr(item, "summary", None) or []), *(getattr(item, "content", None) or [])]:
            _take_part(told, part)


def _take_part(told: Choice, part: Any) -> None:
    field = PARTS.get(getattr(part, "type", None))
    if field is not None:
        source, into = field
        getattr(told, into).append(getattr(part, source, None) or "")


# kind of part -> its field, and where it is told
PARTS: dict[Any, tuple[str, str]] = {
    "output_text": ("text", "text"),
    "refusal": ("refusal", "refusal"),
    "summary_text": ("text", "reasoning"),
    "reasoning_text": ("text", "reasoning"),
}


def _plain(value: Any) -> Any:
    return value.to_dict(mode="json") if isinstance(value, openai.BaseModel) else value
