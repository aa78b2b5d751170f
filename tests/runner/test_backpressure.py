"""Backpressure over real sockets: who does not read is not read for, and gets everything in the end."""

import anyio
import pytest
from examples import any_loop_client

import weft
from tests.protocols.chat_wire import end, text, usage
from tests.protocols.wire import sse
from tests.runner.loopback import HEAD, serving
from weft.io.http import post
from weft.runner import Attempt

pytestmark = pytest.mark.anyio

PIECES, LENGTH = 6000, 8000
BLOCK = sse(*[text("x" * LENGTH)] * 100)
TAIL = sse(end(), {"id": "c1", "choices": [], "usage": usage()}, done=True)
BUFFERS = 20_000_000
"""What the two kernels and the client may hold between them; the whole is more than twice of it."""


@pytest.mark.parametrize(
    ("anyio_backend", "client"),
    [("asyncio", post), ("asyncio", any_loop_client.post), ("trio", any_loop_client.post)],
    ids=["aiohttp", "anyio-asyncio", "anyio-trio"],
)
async def test_a_fast_upstream_waits_for_a_slow_consumer(client):
    with serving((HEAD, *[BLOCK] * (PIECES // 100), TAIL)) as server:
        attempt = Attempt(protocol="openai-chat", model="m", open=client(server.url, {}))
        length, stalled = 0, False
        async with weft.run([attempt], keep=False) as run:
            async for event in run:
                if event.type != "text-delta":
                    continue
                length += len(event.text)
                if not stalled:
                    stalled = True
                    await standstill(server)
                    assert server.sent < BUFFERS < PIECES * LENGTH / 2
                last = event
    assert PIECES * LENGTH == length
    assert "x" * LENGTH == last.text
    assert ["completed"] == [tried.outcome for tried in run.history]


async def standstill(server) -> None:
    """Wait until the server cannot send any more."""
    before = -1
    while before != server.sent:
        before = server.sent
        await anyio.sleep(0.3)
