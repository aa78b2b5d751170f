"""What other bridges and readers cost a chunk, on the streams of benchmarks/inputs.py, as JSON lines.

Runs in an environment of the peers'. llm-rosetta is asked in memory, as its gateway asks itself; the others fetch the same
bytes from 127.0.0.1, since they own their sockets. CPU time of this process; each row is warmed up first, and what comes out has to be
the text and the arguments of the stream: a peer that loses much of them is not measured, one that loses the last words is, and the row says so.

    .venv-peers/bin/python -m benchmarks.peers --base http://127.0.0.1:PORT [--rounds N] [--only WORD]
"""

import argparse
import asyncio
import json
import logging
import os
import warnings
from collections.abc import AsyncIterator, Callable, Iterable
from importlib.metadata import version
from time import process_time
from typing import Any
from urllib.parse import quote

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for prices

from benchmarks import inputs

READ = 4096
LITTLE = 20  # characters
MESSAGES: Any = [{"role": "user", "content": "x"}]
Run = Callable[[str, str], list[Any]]
"""Address and name of an input -> all that came out."""


# -- llm-rosetta: bytes to bytes, in memory ---------------------------------------------------------------------------

_ROSETTA = {"chat": "openai_chat", "anthropic": "anthropic", "gemini": "google", "responses": "openai_responses"}
_REQUESTS: dict[str, Any] = {
    "openai_chat": {"model": "m", "messages": MESSAGES, "stream": True},
    "openai_responses": {"model": "m", "input": "x", "stream": True},
    "anthropic": {"model": "m", "max_tokens": 16, "messages": MESSAGES, "stream": True},
}


def rosetta(target: str) -> Run:
    """What its gateway does with an upstream's bytes: lines, frames, json.loads, two converters, json.dumps."""
    from llm_rosetta._vendor.sse import AsyncEventSource
    from llm_rosetta.gateway.transport.sse_format import SSE_FORMATTERS
    from llm_rosetta.pipeline import ConversionPipeline

    async def lines(whole: bytes) -> AsyncIterator[str]:
        buffer = b""
        for at in range(0, len(whole), READ):
            buffer += whole[at : at + READ]
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                yield line.rstrip(b"\r").decode()

    async def convert(whole: bytes, source: str) -> list[str]:
        pipeline = ConversionPipeline(target, source)
        pipeline.convert_request(_REQUESTS[target])
        processor, write = pipeline.create_stream_processor(), SSE_FORMATTERS[target]
        out: list[str] = []
        async for event in AsyncEventSource(lines(whole)):
            if event.data == "[DONE]":
                break
            out += [write(chunk) for chunk in processor.process_chunk(json.loads(event.data))]
        return out

    def run(_address: str, name: str) -> list[Any]:
        return asyncio.run(convert(_whole(name), _ROSETTA[name.split(maxsplit=1)[0]]))

    return run


# -- LiteLLM's bridges: bytes to objects, over loopback ---------------------------------------------------------------


def litellm_completion(model: str, path: str = "") -> Run:
    import litellm

    def run(address: str, _name: str) -> list[Any]:
        return list(
            litellm.completion(
                model=model, messages=MESSAGES, api_base=address + path, api_key="x", stream=True, max_tokens=16
            )
        )

    return run


def litellm_responses(model: str, path: str = "") -> Run:
    import litellm

    def run(address: str, _name: str) -> list[Any]:
        return list(litellm.responses(model=model, input="x", api_base=address + path, api_key="x", stream=True))

    return run


def litellm_messages(model: str) -> Run:
    """A server of which LiteLLM knows that it speaks chat completions alone: where it thinks that one speaks Anthropic's wire, it hands on the bytes."""
    import litellm

    async def ask(address: str) -> list[Any]:
        stream: Any = await litellm.anthropic.messages.acreate(
            model=model, max_tokens=16, messages=MESSAGES, api_base=address, api_key="x", stream=True
        )
        return [chunk async for chunk in stream]

    return lambda address, _name: asyncio.run(ask(address))


# -- any-llm: bytes to objects, over loopback -------------------------------------------------------------------------


def any_llm_completion(provider: str) -> Run:
    import any_llm

    def run(address: str, _name: str) -> list[Any]:
        return list(
            any_llm.completion(
                model="m", provider=provider, messages=MESSAGES, api_key="x", api_base=address, stream=True
            )
        )

    return run


def any_llm_messages(provider: str) -> Run:
    import any_llm

    def run(address: str, _name: str) -> list[Any]:
        return list(
            any_llm.messages(
                model="m",
                provider=provider,
                messages=MESSAGES,
                max_tokens=16,
                api_key="x",
                api_base=address,
                stream=True,
            )
        )

    return run


# -- pydantic-ai: bytes to its own events, over loopback --------------------------------------------------------------


def pydantic_ai(make: Callable[[str], Any]) -> Run:
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import ModelRequest

    async def ask(address: str) -> list[Any]:
        async with model_request_stream(make(address), [ModelRequest.user_text_prompt("x")]) as stream:
            return [event async for event in stream]

    return lambda address, _name: asyncio.run(ask(address))


def _chat_model(address: str) -> Any:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIChatModel("m", provider=OpenAIProvider(base_url=address, api_key="x"))


def _responses_model(address: str) -> Any:
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIResponsesModel("m", provider=OpenAIProvider(base_url=address, api_key="x"))


def _anthropic_model(address: str) -> Any:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicModel("m", provider=AnthropicProvider(base_url=address, api_key="x"))


def _google_model(address: str) -> Any:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel("m", provider=GoogleProvider(base_url=address, api_key="x"))


# -- the rows ---------------------------------------------------------------------------------------------------------

# peer, its package, the input, what it becomes (empty: it is only read), who runs it
Row = tuple[str, str, str, str, Callable[[], Run]]
ROWS: tuple[Row, ...] = (
    ("llm-rosetta", "llm-rosetta", "chat text", "openai-responses", lambda: rosetta("openai_responses")),
    ("llm-rosetta", "llm-rosetta", "chat tools", "openai-responses", lambda: rosetta("openai_responses")),
    ("llm-rosetta", "llm-rosetta", "chat text", "anthropic", lambda: rosetta("anthropic")),
    ("llm-rosetta", "llm-rosetta", "chat tools", "anthropic", lambda: rosetta("anthropic")),
    ("llm-rosetta", "llm-rosetta", "anthropic mixed", "openai-chat", lambda: rosetta("openai_chat")),
    ("llm-rosetta", "llm-rosetta", "anthropic mixed", "openai-responses", lambda: rosetta("openai_responses")),
    ("llm-rosetta", "llm-rosetta", "gemini", "openai-chat", lambda: rosetta("openai_chat")),
    ("LiteLLM", "litellm", "chat text", "openai-responses", lambda: litellm_responses("deepseek/m")),
    ("LiteLLM", "litellm", "chat text", "anthropic", lambda: litellm_messages("hosted_vllm/m")),
    ("LiteLLM", "litellm", "anthropic mixed", "openai-chat", lambda: litellm_completion("anthropic/m", "/v1/messages")),
    ("LiteLLM", "litellm", "anthropic mixed", "openai-responses", lambda: litellm_responses("anthropic/m", "/v1/messages")),
    ("LiteLLM", "litellm", "gemini", "openai-chat", lambda: litellm_completion("gemini/m")),
    ("any-llm", "any-llm-sdk", "chat text", "anthropic", lambda: any_llm_messages("openai")),
    ("any-llm", "any-llm-sdk", "anthropic mixed", "openai-chat", lambda: any_llm_completion("anthropic")),
    ("any-llm", "any-llm-sdk", "gemini", "openai-chat", lambda: any_llm_completion("gemini")),
    ("pydantic-ai", "pydantic-ai-slim", "chat text", "", lambda: pydantic_ai(_chat_model)),
    ("pydantic-ai", "pydantic-ai-slim", "chat tools", "", lambda: pydantic_ai(_chat_model)),
    ("pydantic-ai", "pydantic-ai-slim", "anthropic mixed", "", lambda: pydantic_ai(_anthropic_model)),
    ("pydantic-ai", "pydantic-ai-slim", "gemini", "", lambda: pydantic_ai(_google_model)),
    ("pydantic-ai", "pydantic-ai-slim", "responses text", "", lambda: pydantic_ai(_responses_model)),
)  # fmt: skip


# -- is it all there? -------------------------------------------------------------------------------------------------


def heard(items: Iterable[Any]) -> tuple[str, str]:
    """The text and the arguments that chunks of any of these kinds amount to."""
    text: list[str] = []
    arguments: list[str] = []
    for value in _values(items):
        for choice in value.get("choices") or ():
            delta = choice.get("delta") or {}
            text.append(delta.get("content") or "")
            arguments += [call["function"].get("arguments") or "" for call in delta.get("tool_calls") or ()]
        kind, delta = str(value.get("type") or value.get("event_kind") or ""), value.get("delta")
        if kind.endswith("output_text.delta"):
            text.append(delta)
        elif kind.endswith("function_call_arguments.delta"):
            arguments.append(delta)
        elif isinstance(delta, dict):
            text.append(delta.get("text") or "" if kind == "content_block_delta" else _spoken(delta, "text"))
            arguments.append(delta.get("partial_json") or _spoken(delta, "tool_call"))
        elif kind == "part_start":
            part = value["part"]
            text.append(part.get("content") or "" if part["part_kind"] == "text" else "")
            arguments.append(part.get("args") or "" if part["part_kind"] == "tool-call" else "")
    return "".join(text), "".join(arguments)


def _spoken(delta: dict[str, Any], kind: str) -> str:
    """A delta of pydantic-ai's."""
    return (delta.get("content_delta") or delta.get("args_delta") or "") if delta.get("part_delta_kind") == kind else ""


def _values(items: Iterable[Any]) -> Iterable[dict[str, Any]]:
    """The chunks as plain data, frames of bytes or text taken apart."""
    from pydantic import TypeAdapter

    plain = TypeAdapter(Any)
    for item in items:
        if isinstance(item, bytes | str):
            frames = item.decode() if isinstance(item, bytes) else item
            yield from (json.loads(line[6:]) for line in frames.splitlines() if line.startswith("data: {"))
        else:
            yield plain.dump_python(item, mode="json", warnings=False)


def told(name: str) -> tuple[str, str]:
    """The text and the arguments that the input itself amounts to."""
    return heard(_as_frames(name))


def _as_frames(name: str) -> Iterable[bytes]:
    if name != "gemini":
        yield from inputs.INPUTS[name][1]()
        return
    for frame in inputs.INPUTS[name][1]():
        text = json.loads(frame[6:])["candidates"][0]["content"]["parts"][0]["text"]
        yield b'data: {"choices":[{"delta":{"content":%b}}]}\n\n' % json.dumps(text).encode()


def _whole(name: str) -> bytes:
    return b"".join(inputs.INPUTS[name][1]())


# -- measuring --------------------------------------------------------------------------------------------------------


def measured(row: Row, base: str, rounds: int) -> dict[str, Any]:
    """One row: what it costs, or why that is not said."""
    peer, package, name, target, make = row
    line: dict[str, Any] = {"peer": peer, "input": name, "target": target}
    address = f"{base}/c/{quote(name, safe='')}"
    try:
        line["version"] = version(package)
        run = make()
        items = run(address, name)
        missing = len("".join(told(name))) - len("".join(heard(items)))
        if heard(items) != told(name) and not 0 < missing < LITTLE:
            return {**line, "problem": "what came out is not the text and the arguments that went in"}
        costs: list[float] = []
        for _ in range(rounds):
            started = process_time()
            run(address, name)
            costs.append(process_time() - started)
    except Exception as error:  # noqa: BLE001 - a peer that cannot is a row that says so
        return {**line, "problem": f"{type(error).__name__}: {str(error)[:100]}"}
    chunks = len(inputs.INPUTS[name][1]())
    if missing:
        line["remark"] = f"(loses {missing} characters)"
    return {**line, "chunks": chunks, "us_per_chunk": round(min(costs) * 1e6 / chunks, 1)}


def main() -> None:
    """Measure every row and print it."""
    parser = argparse.ArgumentParser(description="CPU time of Weft's peers for each chunk.")
    parser.add_argument("--base", required=True, help="where the inputs are served")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="WORD", help="only peers whose name has this word")
    options = parser.parse_args()
    logging.disable()
    warnings.simplefilter("ignore")
    for row in ROWS:
        if options.only in row[0]:
            print(json.dumps(measured(row, options.base, options.rounds)), flush=True)


if __name__ == "__main__":
    main()
