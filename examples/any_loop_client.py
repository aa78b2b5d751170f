"""An HTTP client of one's own for the runner, on asyncio and on trio: anyio for the sockets, h11 for the protocol.

    attempt = Attempt(protocol="openai-chat", model="m", key=key, open=post("http://127.0.0.1:8080/v1/chat/completions", body))

It opens one connection for each attempt and closes it when the attempt is left, whatever the reason. That is all that the runner asks of a client.
"""

import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.abc
import h11
import msgspec

from weft.runner import Ask, Upstream


def post(url: str, body: Any, *, tls: ssl.SSLContext | None = None) -> Callable[[Ask], Any]:
    """An opener for `Attempt(open=…)`."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    data = msgspec.json.encode(body)

    @asynccontextmanager
    async def open(ask: Ask) -> AsyncIterator[Upstream]:
        stream = await anyio.connect_tcp(
            parts.hostname or "", parts.port or (443 if secure else 80), tls=secure, ssl_context=tls
        )
        try:
            ask.connected()
            http = h11.Connection(h11.CLIENT)
            headers = [
                ("host", parts.netloc),
                *([("authorization", f"Bearer {ask.secret}")] if ask.secret else []),
                ("content-type", "application/json"),
                ("content-length", str(len(data))),
            ]
            request = h11.Request(method="POST", target=parts.path or "/", headers=headers)
            await stream.send(
                b"".join(http.send(event) or b"" for event in (request, h11.Data(data), h11.EndOfMessage()))
            )
            response = await heard(stream, http)
            answer = {name.decode(): value.decode("latin-1") for name, value in response.headers}
            yield Upstream(content(stream, http), response.status_code, answer)
        finally:
            await anyio.aclose_forcefully(stream)

    return open


async def content(stream: anyio.abc.ByteStream, http: h11.Connection) -> AsyncIterator[bytes]:
    """The bytes of the answer."""
    while isinstance(event := await heard(stream, http), h11.Data):
        yield bytes(event.data)


async def heard(stream: anyio.abc.ByteStream, http: h11.Connection) -> Any:
    """The next thing that the server said, as h11 understands it."""
    while (event := http.next_event()) is h11.NEED_DATA:
        try:
            data = await stream.receive()
        except anyio.EndOfStream:
            data = b""
        http.receive_data(data)
    return event
