"""Several keys and two models: whoever answers first. A key that was refused rests, and other requests of this program know it.

WEFT_KEYS=key-one,key-two python key_rotation.py http://127.0.0.1:8790 "Hi"
"""

import asyncio
import os
import sys

import weft
from weft.io.http import Http
from weft.runner import Attempt, Breaker, Clocks, Key, KeyRing, expand

RING = KeyRing()
BREAKER = Breaker()
"""Both belong to the program, not to a request: what one run learns of a key or a host, the next one knows."""


async def ask(base: str, prompt: str, keys: list[Key]) -> weft.Message:
    """One answer, out of as many attempts as it takes."""
    body = {"stream": True, "messages": [{"role": "user", "content": prompt}]}
    async with Http() as http:
        post = http.post(f"{base}/v1/chat/completions", lambda ask: {**body, "model": ask.model})
        models = [Attempt(protocol="openai-chat", model=name, open=post) for name in ("best", "spare")]
        run = weft.run(
            expand(models, keys), keys=RING, breaker=BREAKER,
            clocks=Clocks(connect=5, first_event=20, idle=20, total=120), after_commit="restart",
        )  # fmt: skip
        message = await run.collect()
    for tried in run.history:
        why = "" if tried.error is None else f": {tried.error.type}, fault of the {tried.error.fault}"
        print(f"  {tried.number}. {tried.model} with {tried.key}: {tried.outcome}{why}")
    return message


if __name__ == "__main__":
    told = os.environ.get("WEFT_KEYS", "none").split(",")
    answer = asyncio.run(
        ask(sys.argv[1], sys.argv[2], [Key(f"key {number}", secret) for number, secret in enumerate(told, 1)])
    )
    if answer.error is not None:
        sys.exit(f"{answer.outcome}: {answer.error.message}")
    print(answer.text)
