"""An answer that has to be JSON of a schema: values are shown while they come, and an answer that broke its promise is a failure.

python output_contract.py http://127.0.0.1:8790 "Describe the lighthouse of Oslo"
"""

import asyncio
import sys
from typing import Any

import weft
from weft.io.http import post
from weft.runner import Attempt
from weft.steps import chain
from weft.steps.contract import Contract
from weft.steps.partial import Partials

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "metres": {"type": "number", "exclusiveMinimum": 0},
        "colours": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["name", "metres"],
}


def shown(block: Any, complete: Any) -> None:
    """A value is over and will not change: it may be used, though the answer as a whole is not judged yet."""
    path = ".".join(map(str, complete.path))
    if path and not isinstance(complete.value, dict | list):
        print(f"  {path} = {complete.value!r}", flush=True)


async def ask(base: str, prompt: str) -> weft.Message:
    """The answer, judged."""
    body = {
        "model": "lighthouse", "stream": True, "input": prompt,
        "text": {"format": {"type": "json_schema", "name": "lighthouse", "schema": SCHEMA, "strict": True}},
    }  # fmt: skip
    events: list[weft.Event] = []
    judge = chain([Contract(SCHEMA), Partials(lambda *_: None, shown)], events.append)
    attempt = Attempt(protocol="openai-responses", model="lighthouse", open=post(f"{base}/v1/responses", body))
    async with weft.run([attempt]) as run:
        async for event in run:
            judge(event)
    return weft.collect(events)


if __name__ == "__main__":
    message = asyncio.run(ask(sys.argv[1], sys.argv[2]))
    if message.error is not None:
        sys.exit(f"{message.outcome}: {message.error.message}")
    print(message.text)
