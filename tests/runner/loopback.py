"""A raw server on 127.0.0.1 in a thread and a loop of its own, which knows when its client went away.

It reads the request, plays its acts (bytes to send, seconds to wait, HOLD to wait for the client to go) and notes the times.
"""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

HOLD = "hold"
MUTE = "mute"
"""As the only act: accept, and say nothing at all, not even to a TLS handshake."""

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def failed(status: int, body: bytes = b"{}", *headers: bytes) -> bytes:
    """A whole reply of this status."""
    lines = [b"HTTP/1.1 %d No" % status, b"content-type: application/json", b"content-length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


class Loopback:
    """The server. Each connection plays the next of the plays, the last one for ever."""

    def __init__(self, *plays: tuple[Any, ...]) -> None:
        self.port = 0
        self.connections = 0
        self.requests: list[bytes] = []
        self.sent = 0
        self.asked = threading.Event()
        """A client is there: its request was read (of one that is met with silence: its first bytes)."""
        self.played = threading.Event()
        """What was to be said before HOLD has been said."""
        self.gone = threading.Event()
        """A client went away while it was held."""
        self.gone_at = 0.0
        self._plays = [*plays]
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1/chat/completions"

    @property
    def is_mute(self) -> bool:
        """It says nothing, so that a client that wants TLS never has a connection."""
        return self._plays[0] == (MUTE,)

    @property
    def sends_more(self) -> bool:
        """It has more to say than a client can hold, so it does not come to an end."""
        return HOLD not in self._plays[0] and MUTE not in self._plays[0]

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(10)

    def stop(self) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        tasks: set[asyncio.Task[None]] = set()

        def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._meet(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(met, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in [*tasks]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        play = self._plays.pop(0) if len(self._plays) > 1 else self._plays[0]
        self.connections += 1
        try:
            if play == (MUTE,):
                await reader.read(1)
                self.asked.set()
                self.played.set()
                await self._until_gone(reader)
                return
            self.requests.append(await _request(reader))
            self.asked.set()
            for act in play:
                if act == HOLD:
                    self.played.set()
                    await self._until_gone(reader)
                elif isinstance(act, bytes):
                    writer.write(act)
                    await writer.drain()
                    self.sent += len(act)
                else:
                    await asyncio.sleep(act)
        except (OSError, asyncio.IncompleteReadError):
            self._note_gone()
        finally:
            writer.close()

    async def _until_gone(self, reader: asyncio.StreamReader) -> None:
        try:
            while await reader.read(65536):
                pass
        except OSError:
            pass
        self._note_gone()

    def _note_gone(self) -> None:
        self.gone_at = time.monotonic()
        self.gone.set()


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b"x:0")
    return head + await reader.readexactly(int(length.partition(b":")[2]))


@contextmanager
def serving(*plays: tuple[Any, ...]) -> Iterator[Loopback]:
    """A server for the length of a block."""
    server = Loopback(*plays)
    server.start()
    try:
        yield server
    finally:
        server.stop()
