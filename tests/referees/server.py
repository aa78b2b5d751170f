"""One loopback HTTP server that answers with stored bytes.

Knows paths, statuses and content types; must not know any protocol: what it is given it sends, byte for byte.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, unquote


@dataclass(frozen=True)
class Body:
    """A stored answer: the file is read when it is asked for, so that a whole corpus costs no memory."""

    path: Path
    status: int = 200
    content_type: str = "text/event-stream"


@contextmanager
def serve(bodies: Mapping[str, Body]) -> Iterator[str]:
    """Serve `bodies` by name under `<address>/c/<name>/…` for any path below it; ends with the block."""

    class Stored(_Answering):
        stored = bodies

    server = _Server(("127.0.0.1", 0), Stored)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def address_of(base: str, name: str) -> str:
    """The base address under which an SDK finds the body `name`."""
    return f"{base}/c/{quote(name, safe='')}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves early is nothing to report."""


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    stored: Mapping[str, Body] = {}

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        body = self.stored.get(self._name())
        if body is None:
            self._answer(404, "text/plain", b"no such body")
        else:
            self._answer(body.status, body.content_type, body.path.read_bytes())

    do_GET = do_PUT = do_DELETE = do_PATCH = do_POST

    def _name(self) -> str:
        parts = self.path.split("?", 1)[0].split("/")
        return unquote(parts[2]) if len(parts) > 2 and parts[1] == "c" else ""

    def _answer(self, status: int, content_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Silent: a test run is not a web log."""
