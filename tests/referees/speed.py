"""What the vendors' SDKs cost a chunk when they only read, in process: CPU time over the streams of benchmarks/inputs.py, as JSON lines.

Runs in the referees' environment. Each SDK keeps its own HTTP client, with a transport that answers from memory, so that no socket is measured;
boto3's has none to exchange, so the response is put in its place before it is sent for. The SDK's client is made and warmed up before the clock runs.
Knows how to ask an SDK in process; must not know Weft.

    .venv-referees/bin/python -m tests.referees.speed [--rounds N] [--only WORD]
"""

import argparse
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.metadata import version
from time import process_time
from typing import Any

from benchmarks import inputs

Reads = list[bytes]
Maker = Callable[[Reads], Any]
"""The reads of one stream -> the SDK's client, which is answered with them as often as it asks."""
Reader = Callable[[Any], Iterable[Any]]
"""The SDK's client -> all that it makes of one stream."""

MESSAGES: Any = [{"role": "user", "content": "x"}]
NOWHERE = "http://127.0.0.1"
READ = 4096


# -- clients that are answered from memory ----------------------------------------------------------------------------


def transport(package: str, reads: Reads) -> Any:
    """For a client of httpx or of its successor: the stream, one read after the other."""
    http = import_module(package)

    def respond(_request: Any) -> Any:
        return http.Response(200, headers={"content-type": "text/event-stream"}, content=iter(reads))

    return http.MockTransport(respond)


def client(package: str, reads: Reads) -> Any:
    """The HTTP client itself, for an SDK that takes one."""
    return import_module(package).Client(transport=transport(package, reads))


def openai(reads: Reads) -> Any:
    sdk = import_module("openai")
    return sdk.OpenAI(api_key="x", base_url=NOWHERE, http_client=client("httpx2", reads), max_retries=0)


def anthropic(reads: Reads) -> Any:
    sdk = import_module("anthropic")
    return sdk.Anthropic(api_key="x", base_url=NOWHERE, http_client=client("httpx2", reads), max_retries=0)


def google(reads: Reads) -> Any:
    sdk = import_module("google.genai")
    options = sdk.types.HttpOptions(base_url=NOWHERE, httpx_client=client("httpx2", reads))
    return sdk.Client(api_key="x", vertexai=False, http_options=options)


def cohere(reads: Reads) -> Any:
    sdk = import_module("cohere")
    http = client("httpx", reads)
    return sdk.ClientV2(api_key="x", base_url=NOWHERE, httpx_client=http, log_warning_experimental_features=False)


def ollama(reads: Reads) -> Any:
    return import_module("ollama").Client(host=NOWHERE, transport=transport("httpx", reads))


class _Body:
    """A body as botocore takes it from urllib3."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    def stream(self) -> Iterator[bytes]:
        return iter(self._reads)


def boto3(reads: Reads) -> Any:
    sdk, response = import_module("boto3"), import_module("botocore.awsrequest").AWSResponse
    session = sdk.Session(aws_access_key_id="x", aws_secret_access_key="x", region_name="us-east-1")
    made = session.client("bedrock-runtime", endpoint_url=NOWHERE)

    def respond(**_request: Any) -> Any:
        return response(NOWHERE, 200, {"content-type": "application/vnd.amazon.eventstream"}, _Body(reads))

    made.meta.events.register("before-send.bedrock-runtime.ConverseStream", respond)
    return made


# -- how each is asked ------------------------------------------------------------------------------------------------


def chat_create(sdk: Any) -> Iterable[Any]:
    return sdk.chat.completions.create(model="m", messages=MESSAGES, stream=True)


def chat_stream(sdk: Any) -> Iterator[Any]:
    with sdk.chat.completions.stream(model="m", messages=MESSAGES) as stream:
        yield from stream
        stream.get_final_completion()


def responses_create(sdk: Any) -> Iterable[Any]:
    return sdk.responses.create(model="m", input="x", stream=True)


def responses_stream(sdk: Any) -> Iterator[Any]:
    with sdk.responses.stream(model="m", input="x") as stream:
        yield from stream
        stream.get_final_response()


def anthropic_create(sdk: Any) -> Iterable[Any]:
    return sdk.messages.create(model="m", max_tokens=16, messages=MESSAGES, stream=True)


def anthropic_stream(sdk: Any) -> Iterator[Any]:
    with sdk.messages.stream(model="m", max_tokens=16, messages=MESSAGES) as stream:
        yield from stream
        stream.get_final_message()


def google_stream(sdk: Any) -> Iterable[Any]:
    return sdk.models.generate_content_stream(model="m", contents="x")


def cohere_stream(sdk: Any) -> Iterable[Any]:
    return sdk.chat_stream(model="m", messages=MESSAGES)


def ollama_chat(sdk: Any) -> Iterable[Any]:
    return sdk.chat(model="m", messages=MESSAGES, stream=True)


def bedrock_stream(sdk: Any) -> Iterable[Any]:
    return sdk.converse_stream(modelId="m", messages=[{"role": "user", "content": [{"text": "x"}]}])["stream"]


# SDK, who makes its client, and then how it is asked, the input, who asks
RUNS: tuple[tuple[str, Maker, str, str, Reader], ...] = (
    ("openai", openai, "create", "chat text", chat_create),
    ("openai", openai, "stream", "chat text", chat_stream),
    ("openai", openai, "create", "chat tools", chat_create),
    ("openai", openai, "stream", "chat tools", chat_stream),
    ("openai", openai, "create", "responses text", responses_create),
    ("openai", openai, "stream", "responses text", responses_stream),
    ("anthropic", anthropic, "create", "anthropic mixed", anthropic_create),
    ("anthropic", anthropic, "stream", "anthropic mixed", anthropic_stream),
    ("google-genai", google, "stream", "gemini", google_stream),
    ("cohere", cohere, "stream", "cohere text", cohere_stream),
    ("ollama", ollama, "chat", "ollama", ollama_chat),
    ("boto3", boto3, "converse", "bedrock text", bedrock_stream),
)


# -- measuring --------------------------------------------------------------------------------------------------------


def in_reads(frames: Reads, size: int | None) -> Reads:
    """The same bytes, one frame a read or in reads of `size`."""
    if size is None:
        return frames
    whole = b"".join(frames)
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def measure(reader: Reader, sdk: Any, frames: int) -> float:
    """CPU seconds to read one stream to its end. What is not a chunk to an SDK is at most `[DONE]` and a ping."""
    started = process_time()
    seen = sum(1 for _ in reader(sdk))
    spent = process_time() - started
    if seen < frames - 2:
        message = f"{seen} of {frames} frames came out"
        raise RuntimeError(message)
    return spent


def measured(name: str, make: Maker, reader: Reader, frames: Reads, size: int | None, rounds: int) -> dict[str, Any]:
    """The least that a chunk costs, or why that is not said."""
    told: dict[str, Any] = {}
    try:
        told["version"] = version(name)
        sdk = make(in_reads(frames, size))
        measure(reader, sdk, len(frames))  # the SDK builds its types as it meets them
        costs = [1e6 * measure(reader, sdk, len(frames)) / len(frames) for _ in range(rounds)]
    except Exception as error:  # noqa: BLE001 - an SDK that cannot is a row that says so
        return {**told, "problem": f"{type(error).__name__}: {str(error)[:100]}"}
    told |= {"chunks": len(frames), "us_per_chunk": round(min(costs), 2)}
    return {**told, "rounds": [round(cost, 2) for cost in costs]}


def main() -> None:
    """Measure every run and print it."""
    parser = argparse.ArgumentParser(description="CPU time of the vendors' SDKs for each chunk.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="WORD", help="only SDKs whose name has this word")
    options = parser.parse_args()
    logging.disable()
    for sdk, make, mode, name, reader in RUNS:
        if options.only not in sdk:
            continue
        frames = inputs.INPUTS[name][1]()
        for read, size in (("frame", None), ("4 KiB", READ)):
            line = {"sdk": sdk, "mode": mode, "input": name, "read": read}
            line |= measured(sdk, make, reader, frames, size, options.rounds)
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
