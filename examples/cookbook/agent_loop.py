"""An agent that may change its provider between turns: ask, run the tools, send the answer back in whoever's form comes next.

    python agent_loop.py http://127.0.0.1:8790 "Is it warmer in Oslo or in Rome?" anthropic gemini openai-responses

A conversation is kept as prompts, `weft.Message`s and results. Each request is made from it for the provider that is asked next, so what one has
said and thought goes to another as far as that can take it: `replay_turn` says what it could not.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import weft
from weft.io.http import post
from weft.message import ToolCall
from weft.runner import Attempt

Json = dict[str, Any]

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TEMPERATURES = {"Oslo": 4, "Rome": 17}


def temperature(city: str) -> Json:
    """The one tool of this agent."""
    return {"city": city, "celsius": TEMPERATURES[city]}


TOOLS: Mapping[str, Callable[..., Json]] = {"temperature": temperature}


class Provider(NamedTuple):
    """How one protocol words what is not the assistant's: the rest is `replay_turn`'s."""

    path: str
    prompt: Callable[[str], Json]
    results: Callable[[list[tuple[ToolCall, str | None, Json]]], list[Json]]
    request: Callable[[list[Json]], Json]


def said(result: Json) -> str:
    return ", ".join(f"{name}: {value}" for name, value in result.items())


PROVIDERS = {
    "anthropic": Provider(
        "/v1/messages",
        lambda text: {"role": "user", "content": text},
        lambda done: [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": said(result)} for _, id, result in done]}],
        lambda turns: {"model": "claude", "max_tokens": 1000, "stream": True, "messages": turns,
                       "tools": [{"name": "temperature", "input_schema": SCHEMA}]},
    ),
    "gemini": Provider(
        "/v1beta/models/gemini:streamGenerateContent?alt=sse",
        lambda text: {"role": "user", "parts": [{"text": text}]},
        lambda done: [{"role": "user", "parts": [{"functionResponse": {"id": id, "name": call.name, "response": result}} for call, id, result in done]}],
        lambda turns: {"contents": turns, "tools": [{"functionDeclarations": [{"name": "temperature", "parameters": SCHEMA}]}]},
    ),
    "openai-responses": Provider(
        "/v1/responses",
        lambda text: {"role": "user", "content": text},
        lambda done: [{"type": "function_call_output", "call_id": id, "output": said(result)} for _, id, result in done],
        lambda turns: {"model": "gpt", "stream": True, "store": False, "include": ["reasoning.encrypted_content"], "input": turns,
                       "tools": [{"type": "function", "name": "temperature", "parameters": SCHEMA}]},
    ),
}  # fmt: skip


def executed(call: ToolCall) -> Json:
    """Run one call. A call that is not complete never reaches this: it may be half of one."""
    tool = TOOLS.get(call.name)
    try:
        return {"error": f"there is no tool {call.name!r}"} if tool is None else tool(**call.arguments or {})
    except Exception as error:  # noqa: BLE001 - the model is told, and may do better
        return {"error": f"{type(error).__name__}: {error}"}


def worded(conversation: list[Any], name: str) -> list[Json]:
    """The whole conversation in one provider's form."""
    provider, turns, ids = PROVIDERS[name], list[Json](), dict[str, str | None]()
    for turn in conversation:
        if isinstance(turn, str):
            turns.append(provider.prompt(turn))
        elif isinstance(turn, weft.Message):
            replay = weft.replay_turn(turn, name)
            turns += replay.items
            ids = replay.call_ids
            for loss in replay.losses:
                print(f"  [{loss.where} does not go to {name} as it was: {loss.what}, {loss.why}]")
        else:
            turns += provider.results([(call, ids[call.id], result) for call, result in turn if call.id in ids])
    return turns


async def converse(base: str, prompt: str, names: list[str]) -> weft.Message:
    """Turns until there is an answer without a call; the providers take turns, the last one goes on."""
    conversation: list[Any] = [prompt]
    for name in [*names, *[names[-1]] * 8]:
        provider = PROVIDERS[name]
        body = provider.request(worded(conversation, name))
        attempt = Attempt(protocol=name, model=name, open=post(base + provider.path, body))
        message = await weft.run([attempt]).collect()
        print(f"{name}: {message.text or '(calls only)'}")
        if message.error is not None:
            raise SystemExit(f"{message.outcome}: {message.error.message}")
        calls = [call for call in message.tool_calls if call.complete and call.executor == "client"]
        if not calls:
            return message
        conversation.append(message)
        conversation.append([(call, executed(call)) for call in calls])
        for call, result in conversation[-1]:
            print(f"  {call.name}({call.arguments}) = {result}")
    raise SystemExit("the model calls tools without end")


if __name__ == "__main__":
    asyncio.run(converse(sys.argv[1], sys.argv[2], sys.argv[3:] or ["anthropic"]))
