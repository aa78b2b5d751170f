"""Runs in the referees' environment: reads a stream as the SDK's own objects and as bytes, and prints both messages.

    PYTHONPATH=src:. .venv-referees/bin/python -m tests.referees.read_objects

The SDK parses bytes that are handed to it from memory. Knows how to get an SDK's objects; must not judge.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anthropic
import botocore.eventstream
import botocore.session
import cohere
import httpx2
import ollama
import openai
from benchmarks import inputs
from botocore.parsers import create_parser
from google.genai import types

import weft
from weft.framing import FRAMERS


def _client(body: bytes) -> httpx2.Client:
    def respond(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=body)

    return httpx2.Client(transport=httpx2.MockTransport(respond))


def _frames(body: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    framer = FRAMERS["sse"](
        lambda payload, _: found.append(json.loads(payload)) if payload != b"[DONE]" else None, print
    )
    framer.feed(body)
    framer.close()
    return found


def openai_chat(body: bytes) -> Iterator[Any]:
    client = openai.OpenAI(api_key="x", base_url="http://127.0.0.1", http_client=_client(body), max_retries=0)
    yield from client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], stream=True)


def openai_responses(body: bytes) -> Iterator[Any]:
    client = openai.OpenAI(api_key="x", base_url="http://127.0.0.1", http_client=_client(body), max_retries=0)
    yield from client.responses.create(model="m", input="x", stream=True)


def anthropic_messages(body: bytes) -> Iterator[Any]:
    client = anthropic.Anthropic(api_key="x", base_url="http://127.0.0.1", http_client=_client(body), max_retries=0)
    yield from client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}], stream=True)


def openai_chat_helper(body: bytes) -> Iterator[Any]:
    """What the accumulating helper yields: its own events, with the chunks among them."""
    client = openai.OpenAI(api_key="x", base_url="http://127.0.0.1", http_client=_client(body), max_retries=0)
    with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "x"}]) as stream:
        yield from stream


def openai_responses_helper(body: bytes) -> Iterator[Any]:
    client = openai.OpenAI(api_key="x", base_url="http://127.0.0.1", http_client=_client(body), max_retries=0)
    with client.responses.stream(model="m", input="x") as stream:
        yield from stream


def anthropic_helper(body: bytes) -> Iterator[Any]:
    client = anthropic.Anthropic(api_key="x", base_url="http://127.0.0.1", http_client=_client(body), max_retries=0)
    with client.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]) as stream:
        yield from stream


def gemini(body: bytes) -> Iterator[Any]:
    for frame in _frames(body):
        yield types.GenerateContentResponse.model_validate(frame)


def ollama_chat(body: bytes) -> Iterator[Any]:
    for line in body.splitlines():
        yield ollama.ChatResponse(**json.loads(line))


def cohere_chat(body: bytes) -> Iterator[Any]:
    from cohere.core.unchecked_base_model import construct_type

    for frame in _frames(body):
        yield construct_type(type_=cohere.V2ChatStreamResponse, object_=frame)


def bedrock(body: bytes) -> Iterator[Any]:
    """boto3's own event dicts, by botocore's own parser."""
    model = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = model.operation_model("ConverseStream").output_shape.members["stream"]
    parser = create_parser("rest-json")._event_stream_parser
    buffer = botocore.eventstream.EventStreamBuffer()
    buffer.add_data(body)
    for message in buffer:
        yield parser.parse(message.to_response_dict(), shape)


READERS: tuple[tuple[str, str, Callable[[bytes], Iterator[Any]]], ...] = (
    ("chat text", "openai-chat", openai_chat),
    ("chat tools", "openai-chat", openai_chat),
    ("chat text", "openai-chat", openai_chat_helper),
    ("chat tools", "openai-chat", openai_chat_helper),
    ("responses text", "openai-responses", openai_responses),
    ("responses tools", "openai-responses", openai_responses),
    ("responses tools", "openai-responses", openai_responses_helper),
    ("anthropic mixed", "anthropic", anthropic_messages),
    ("anthropic mixed", "anthropic", anthropic_helper),
    ("gemini", "gemini", gemini),
    ("ollama", "ollama", ollama_chat),
    ("cohere text", "cohere", cohere_chat),
    ("bedrock text", "bedrock", bedrock),
)


async def _later(objects: Iterator[Any]) -> AsyncIterator[Any]:
    for value in objects:
        yield value


def _told(message: Any) -> dict[str, Any]:
    calls = [(call.id, call.name, call.raw, call.complete) for call in message.tool_calls]
    usage = message.usage and (message.usage.input_tokens, message.usage.output_tokens)
    return {
        "text": message.text,
        "reasoning": message.reasoning,
        "calls": calls,
        "finish": message.finish,
        "outcome": message.outcome,
        "usage": usage,
        "signatures": [state.value for part in message.blocks for state in part.signatures],
    }


def main() -> None:
    """One line of JSON for each input: by bytes, by objects, by objects that come asynchronously."""
    for name, protocol, objects in READERS:
        body = b"".join(inputs.INPUTS[name][1]())
        by_bytes = weft.collect(weft.read(body, protocol))
        by_objects = weft.collect(weft.read(objects(body), protocol))
        later = asyncio.run(weft.acollect(weft.aread(_later(objects(body)), protocol)))
        line = {
            "input": f"{name} by {objects.__name__}",
            "bytes": _told(by_bytes),
            "objects": _told(by_objects),
            "async": _told(later),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
