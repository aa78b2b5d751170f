"""What the SDKs cost a chunk, in process: CPU time over the streams of benchmarks/inputs.py, as JSON lines.

Runs in the referees' environment. The SDK's own HTTP client is kept, with a transport that answers from memory, so
that no socket is measured. Knows how to ask an SDK in process; must not know Weft.

    .venv-referees/bin/python -m tests.referees.speed [--rounds N]
"""

import argparse
import json
import logging
import statistics
from collections.abc import Callable, Iterable, Iterator
from time import process_time
from typing import Any

import anthropic
import httpx2
import openai
from benchmarks import inputs

Reader = Callable[[httpx2.Client], Iterable[Any]]

MESSAGES: Any = [{"role": "user", "content": "x"}]
READ = 4096


def _openai(http: httpx2.Client) -> openai.OpenAI:
    return openai.OpenAI(api_key="x", base_url="http://127.0.0.1", http_client=http, max_retries=0)


def _anthropic(http: httpx2.Client) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="x", base_url="http://127.0.0.1", http_client=http, max_retries=0)


def chat_create(http: httpx2.Client) -> Iterable[Any]:
    return _openai(http).chat.completions.create(model="m", messages=MESSAGES, stream=True)


def chat_stream(http: httpx2.Client) -> Iterator[Any]:
    with _openai(http).chat.completions.stream(model="m", messages=MESSAGES) as stream:
        yield from stream
        stream.get_final_completion()


def responses_create(http: httpx2.Client) -> Iterable[Any]:
    return _openai(http).responses.create(model="m", input="x", stream=True)


def responses_stream(http: httpx2.Client) -> Iterator[Any]:
    with _openai(http).responses.stream(model="m", input="x") as stream:
        yield from stream
        stream.get_final_response()


def anthropic_create(http: httpx2.Client) -> Iterable[Any]:
    return _anthropic(http).messages.create(model="m", max_tokens=16, messages=MESSAGES, stream=True)


def anthropic_stream(http: httpx2.Client) -> Iterator[Any]:
    with _anthropic(http).messages.stream(model="m", max_tokens=16, messages=MESSAGES) as stream:
        yield from stream
        stream.get_final_message()


RUNS: tuple[tuple[str, str, str, Reader], ...] = (
    ("openai", "create", "chat text", chat_create),
    ("openai", "stream", "chat text", chat_stream),
    ("openai", "create", "chat tools", chat_create),
    ("openai", "stream", "chat tools", chat_stream),
    ("openai", "create", "responses text", responses_create),
    ("openai", "stream", "responses text", responses_stream),
    ("anthropic", "create", "anthropic mixed", anthropic_create),
    ("anthropic", "stream", "anthropic mixed", anthropic_stream),
)


def in_reads(frames: list[bytes], size: int | None) -> list[bytes]:
    """The same bytes, one frame a read or in reads of `size`."""
    if size is None:
        return frames
    whole = b"".join(frames)
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def measure(reader: Reader, reads: list[bytes]) -> float:
    """CPU seconds to read one stream to its end, the making of the SDK's client included."""

    def respond(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=iter(reads))

    with httpx2.Client(transport=httpx2.MockTransport(respond)) as http:
        started = process_time()
        seen = sum(1 for _ in reader(http))
        spent = process_time() - started
    if not seen:
        message = "the SDK gave nothing"
        raise RuntimeError(message)
    return spent


def main() -> None:
    """Measure every run and print it."""
    parser = argparse.ArgumentParser(description="CPU time of the vendors' SDKs for each chunk.")
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    logging.disable()
    versions = {"openai": openai.__version__, "anthropic": anthropic.__version__}
    for sdk, mode, name, reader in RUNS:
        _, make = inputs.INPUTS[name]
        frames = make()
        for read, size in (("frame", None), ("4 KiB", READ)):
            reads = in_reads(frames, size)
            measure(reader, reads)  # the SDK builds its types as it meets them
            costs = [1e6 * measure(reader, reads) / len(frames) for _ in range(rounds)]
            line = {"sdk": sdk, "version": versions[sdk], "mode": mode, "input": name, "read": read}
            line |= {"chunks": len(frames), "us_per_chunk": round(statistics.median(costs), 2)}
            print(json.dumps({**line, "rounds": [round(cost, 2) for cost in costs]}), flush=True)


if __name__ == "__main__":
    main()
