"""A back end for a VS Code extension: requests come in on standard input, response parts go out on standard output, a JSON object a line.

    python vscode_backend.py http://127.0.0.1:8790

    in   {"id": 1, "model": "lighthouse", "prompt": "Hi"}           {"id": 1, "cancel": true}
    out  {"id": 1, "part": {"type": "LanguageModelTextPart", "value": "Ahoy"}}
         {"id": 1, "done": true, "usage": {"inputTokens": 6, "outputTokens": 2}}

The extension makes of each part the class of that name and hands it to `progress.report`. Many requests may be under way at once.
"""

import asyncio
import sys
from typing import Any

import msgspec

import weft
from weft.io.http import post
from weft.runner import Attempt

ADAPTER = weft.VSCodeStreamAdapter(enable_reasoning=True)
"""One for all: what belongs to a stream is made for each stream."""


class Report:
    """VS Code's `Progress`: writes each part as a line; the bytes of a data part are base64."""

    def __init__(self, id: Any) -> None:
        self.id = id

    def report(self, part: Any) -> None:
        tell({"id": self.id, "part": part})


def tell(value: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


async def answer(base: str, id: Any, model: str, prompt: str) -> None:
    """One request: parts as they come, then the usage."""
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": prompt}]}
    attempt = Attempt(protocol="openai-chat", model=model, open=post(f"{base}/v1/chat/completions", body))
    async with weft.run([attempt]) as run:
        usage = await ADAPTER.process_stream(run, Report(id), protocol="events")
    tell({"id": id, "done": True, "usage": usage})


async def serve(base: str) -> None:
    """Requests until standard input ends; those under way are finished."""
    under_way: dict[Any, asyncio.Task[None]] = {}
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = msgspec.json.decode(line)
        id = request["id"]
        if request.get("cancel"):
            if (task := under_way.pop(id, None)) is not None:
                task.cancel()
            continue
        under_way[id] = asyncio.create_task(answer(base, id, request["model"], request["prompt"]))
    await asyncio.gather(*under_way.values(), return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
