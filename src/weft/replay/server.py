"""The server around a shelf: HTTP in and out, and the waiting.

Knows: ASGI, and that whoever stops listening is noticed at once. Must not know: captures, or what is answered; the shelf decides that.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Generator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final

from weft.replay.shelf import Answer, Request, Shelf

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
Tell = Callable[[str], object]

LARGEST_REQUEST: Final = 64 << 20
STARTS_WITHIN: Final = 10.0


class Application:
    """A shelf as an ASGI application. `tell` gets one line for each request."""

    def __init__(self, shelf: Shelf, tell: Tell = lambda _: None) -> None:
        self._shelf = shelf
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request. A body that is to break off is left unfinished: the server then closes the connection."""
        if scope["type"] != "http":
            return
        body = await _body(receive)
        answer = self._shelf.answer(_request(scope, body))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            sent = await _play(answer, send, gone)
        finally:
            gone.cancel()
        self._tell(f"{scope['method']} {scope['path']} → {answer.told} ({sent})")


async def _play(answer: Answer, send: Send, gone: "asyncio.Future[None]") -> str:
    """Send it piece by piece; gives how that went."""
    headers = [(name.encode(), value.encode("latin-1", "replace")) for name, value in answer.headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    size = 0
    for wait, piece in answer.play.pieces:
        if wait > 0:
            await asyncio.wait([gone], timeout=wait)
        if gone.done():
            return f"the client left after {size} bytes"
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        size += len(piece)
    if answer.play.ending == "stall":
        await gone
        return f"stalled after {size} bytes until the client left"
    if answer.play.ending == "cut":
        await asyncio.sleep(0)  # what was sent is on its way before the connection goes
        return f"cut after {size} bytes"
    await send({"type": "http.response.body", "body": b"", "more_body": False})
    return f"{size} bytes"


async def _gone(receive: Receive) -> None:
    """Done when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(receive: Receive) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        piece = message.get("body", b"")
        size += len(piece)
        if size <= LARGEST_REQUEST:
            pieces.append(piece)
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return b"".join(pieces)


def _request(scope: Scope, body: bytes) -> Request:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    return Request(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers, body)


def listening(host: str, port: int) -> socket.socket:
    """A socket at that address; port 0 is any that is free. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound


def address_of(bound: socket.socket) -> str:
    """The URL of a socket that `listening` gave."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server_of(shelf: Shelf, tell: Tell = lambda _: None) -> Any:
    """A uvicorn server for the shelf; its `run` takes the sockets. Raises `ImportError` where uvicorn is not installed."""
    try:
        import uvicorn
    except ImportError as error:
        raise ImportError("the replay server needs uvicorn: pip install 'weft[replay]'") from error
    config = uvicorn.Config(
        Application(shelf, tell), http="httptools", ws="none", loop="asyncio", lifespan="off", interface="asgi3", log_config=None,
        log_level="critical", access_log=False, timeout_graceful_shutdown=1, server_header=False,
    )  # fmt: skip
    return uvicorn.Server(config)


@contextmanager
def serving(shelf: Shelf, *, host: str = "127.0.0.1", port: int = 0, tell: Tell = lambda _: None) -> Generator[str]:
    """The shelf on a port of this machine while the block lasts; gives the address. For tests, and for trying a client."""
    server = server_of(shelf, tell)
    bound = listening(host, port)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="weft-replay", daemon=True)
    bound.listen()
    thread.start()
    try:
        yield address_of(bound)
    finally:
        server.should_exit = server.force_exit = True
        thread.join(STARTS_WITHIN)
        bound.close()
