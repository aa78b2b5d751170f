"""Upstreams that play a part: each time they are asked they do the next of what was written for them."""

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

import weft
from tests.protocols.chat_wire import chunk, end, text, usage
from tests.protocols.wire import sse
from weft.runner import Ask, Attempt, Clocks, Key, Run, Upstream
from weft.testing import FakeClock

STALL = math.inf
PING = b": ping\n\n"


class Part(msgspec.Struct):
    """What one opening leads to: seconds to wait, exceptions to raise, functions to call, bytes to send. `open` comes before the body."""

    body: tuple[Any, ...] = ()
    open: tuple[Any, ...] = ()
    status: int = 200
    headers: dict[str, str] = {}


class Stage:
    """The upstreams of one test, their clock, and a log of who was asked when, and of what was closed."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.asked: list[str] = []
        self.times: list[float] = []
        self.asks: list[Ask] = []
        self.closed = 0

    def plays(self, *parts: Part) -> Callable[[Ask], Any]:
        """An opener; its last part is played for ever."""
        left = list(parts)

        @asynccontextmanager
        async def open(ask: Ask) -> AsyncIterator[Upstream]:
            self.asks.append(ask)
            self.asked.append("/".join(filter(None, (ask.model, ask.attempt.key_id[1]))))
            self.times.append(self.clock.now())
            part = left.pop(0) if len(left) > 1 else left[0]
            try:
                for act in part.open:
                    await self._act(act, ask)
                yield Upstream(self._body(part.body, ask), part.status, part.headers)
            finally:
                self.closed += 1

        return open

    async def _body(self, acts: tuple[Any, ...], ask: Ask) -> AsyncIterator[Any]:
        for act in acts:
            if isinstance(act, bytes | dict):
                yield act
            else:
                await self._act(act, ask)

    async def _act(self, act: Any, ask: Ask) -> None:
        if isinstance(act, int | float):
            await self.clock.sleep(act)
        elif isinstance(act, Exception):
            raise act
        elif act == "connected":
            ask.connected()
        else:
            act()

    def attempt(self, *parts: Part, model: str = "m", key: str = "", **fields: Any) -> Attempt:
        """An attempt at chat.completions."""
        given = {"protocol": "openai-chat", "key": Key(key, f"secret-{key}") if key else None, **fields}
        return Attempt(model=model, open=self.plays(*parts), **given)

    def run(self, *attempts: Attempt, **options: Any) -> Run:
        """A run on this stage's clock; waits are not spread unless a roll is given."""
        given = {"clocks": Clocks(), "time": self.clock, "random": lambda: 0.5, **options}
        return weft.run(attempts, **given)


def said(*words: str, **members: Any) -> bytes:
    """Pieces of text."""
    return sse(*(text(word) for word in words), **members)


def thought(*words: str) -> bytes:
    """Pieces of reasoning."""
    return sse(*(chunk({"reasoning_content": word}) for word in words))


DONE = sse(end(), done=True)
COUNTED = sse(end(), chunk(usage=usage()), done=True)
ANSWER = Part((said("Hello", " there"), DONE))
CUT = Part((said("Hel"),))
"""Some text, and then the connection is closed."""


def failing(status: int, message: str = "no", headers: dict[str, str] | None = None, **error: Any) -> Part:
    """A reply of this status with an error in its body."""
    return Part((msgspec.json.encode({"error": {"message": message, **error}}),), status=status, headers=headers or {})


RATE_LIMITED, OVERLOADED, BROKEN = failing(429), failing(503), failing(500)
REFUSED = failing(401, "Incorrect API key provided")
BROKE = failing(402, "insufficient balance", code="insufficient_quota")
UNKNOWN = failing(404, "no such model", code="model_not_found")
WRONG = failing(400, "temperature is too high")


async def told(run: Run) -> list[Any]:
    """All events of a run."""
    async with run:
        return [event async for event in run]
