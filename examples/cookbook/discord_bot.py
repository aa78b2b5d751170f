"""A chat bot: an answer is shown as messages of a channel while it is written, each whole, none too long.

    python discord_bot.py http://127.0.0.1:8790 "How are lighthouses built?"

`Channel` stands for a channel of your chat library: a message is sent, edited or deleted, and that takes a moment.
"""

import asyncio
import sys

import weft
from weft.chunks import FunctionCall, ProviderError
from weft.io.http import post
from weft.orchestrator import Flush, FlushRules, Sink, StreamResult, orchestrate
from weft.runner import Attempt, Clocks

LIMIT = 2000
"""What Discord takes in one message."""


class Channel:
    """Where the messages go; here, standard output."""

    async def send(self, text: str) -> None:
        await asyncio.sleep(0)
        print(f"[bot] {text}", flush=True)


class Show(Sink):
    """Shows text as messages, calls and failures as lines of their own; what the model thinks is not shown."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    async def text(self, flush: Flush) -> None:
        if not flush.blank:
            await self.channel.send(flush.rendered.strip("\n"))

    async def function_call(self, call: FunctionCall) -> None:
        await self.channel.send(f"*uses {call.name}*")

    async def error(self, error: ProviderError, description: str | None) -> None:
        await self.channel.send(f"**{description or error.message}**")

    async def done(self, result: StreamResult) -> None:
        if result.status == "empty":
            await self.channel.send("*has nothing to say*")


async def answer(base: str, prompt: str, channel: Channel, locale: str = "en") -> StreamResult:
    """Ask, show, and say what came of it."""
    body = {
        "model": "lighthouse",
        "max_tokens": 1000,
        "stream": True,
        "messages": [{"role": "user", "content": prompt}],
    }
    attempt = Attempt(protocol="anthropic", model="lighthouse", open=post(f"{base}/v1/messages", body))
    rules = FlushRules(at="paragraph", limit=LIMIT, idle=3.0)
    async with weft.run([attempt], clocks=Clocks(connect=10, first_event=30, idle=30)) as run:
        return await orchestrate(run, Show(channel), rules=rules, locale=locale, inactivity=None)


if __name__ == "__main__":
    result = asyncio.run(answer(sys.argv[1], sys.argv[2], Channel(), *sys.argv[3:4]))
    print(
        f"{result.status}: {len(result.text)} characters, thought: {bool(result.thoughts.raw or result.thoughts.summary)}"
    )
