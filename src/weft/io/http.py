"""Asking a provider over HTTP, with aiohttp (so on asyncio only).

    attempt = Attempt(protocol="anthropic", model="…", key=key, open=post(url, body))

Knows: HTTP, where each protocol's key goes, and how to leave an answer so that the provider notices at once.
Must not know: what is in the answer, when to ask again. The clocks are the runner's: aiohttp's own are off.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from email.utils import formatdate
from types import TracebackType
from typing import Any, Self

import msgspec

from weft.runner.attempt import Ask, Open, Upstream

try:
    import aiohttp
except ImportError as error:
    raise ImportError("weft.io.http needs aiohttp: pip install 'weft[http]'") from error

__all__ = ["CREDENTIALS", "Http", "bearer", "post"]

Headers = Mapping[str, str]


def bearer(secret: str) -> Headers:
    """The key as most providers want it."""
    return {"authorization": f"Bearer {secret}"} if secret else {}


CREDENTIALS: dict[str, Callable[[str], Headers]] = {
    "anthropic": lambda secret: {"x-api-key": secret, "anthropic-version": "2023-06-01"},
    "gemini": lambda secret: {"x-goog-api-key": secret},
}
"""Where the key goes, by protocol; `bearer` for the others."""


class Http:
    """One pool of connections for many attempts: `async with Http() as http`, then `http.post(…)` wherever an opener is due.

    `options` go to `aiohttp.ClientSession` (connector, proxy, trust_env, …).
    """

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        _must_be_asyncio()
        trace = aiohttp.TraceConfig()
        trace.on_connection_create_end.append(_connected)
        trace.on_connection_reuseconn.append(_connected)
        options: dict[str, Any] = {
            "timeout": aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
            "cookie_jar": aiohttp.DummyCookieJar(),
            "trace_configs": [trace],
            **self._options,
        }
        self._session = aiohttp.ClientSession(**options)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._session is not None:
            await self._session.close()

    def post(
        self,
        url: str | Callable[[Ask], str],
        body: Any | Callable[[Ask], Any],
        *,
        headers: Headers | Callable[[Ask], Headers] | None = None,
    ) -> Open:
        """An opener that posts `body` as JSON (bytes as they are). What is a function is asked anew for each attempt.

        The key goes where the protocol wants it; `headers` come on top. Redirects are not followed: the key is for this address.
        """

        @asynccontextmanager
        async def open(ask: Ask) -> AsyncGenerator[Upstream]:
            if self._session is None:
                raise TypeError("enter the pool first: async with Http() as http")
            said = _said(body, ask)
            with _faults_told_apart():
                response = await self._session.post(
                    _said(url, ask),
                    data=said if isinstance(said, bytes) else msgspec.json.encode(said),
                    headers={**_credentials(ask), "content-type": "application/json", **(_said(headers, ask) or {})},
                    allow_redirects=False,
                    trace_request_ctx=ask,
                )
            try:
                yield Upstream(response.content.iter_any(), response.status, _dated(response.headers))
            finally:
                _leave(response)

        return open


def post(
    url: str | Callable[[Ask], str],
    body: Any | Callable[[Ask], Any],
    *,
    headers: Headers | Callable[[Ask], Headers] | None = None,
    **options: Any,
) -> Open:
    """The same with a connection of its own for each attempt: nothing to open or close, at the price of a handshake each time."""

    @asynccontextmanager
    async def open(ask: Ask) -> AsyncGenerator[Upstream]:
        async with Http(**options) as http, http.post(url, body, headers=headers)(ask) as upstream:
            yield upstream

    return open


@contextmanager
def _faults_told_apart() -> Generator[None]:
    """What aiohttp raises says too little: a reply that is no HTTP is a 400 of its own making, a request that cannot be sent a `ValueError`."""
    try:
        yield
    except aiohttp.ClientResponseError as error:
        raise ConnectionError("what came is no HTTP reply") from error
    except (ValueError, aiohttp.NonHttpUrlClientError) as error:
        if isinstance(error, OSError):  # a certificate that was not accepted is one of these as well
            raise
        raise TypeError(f"this request cannot be sent: {error}") from error


def _leave(response: aiohttp.ClientResponse) -> None:
    """A connection that was read to its end may be used again. Any other is torn down, without a word that could take time."""
    if response.content.at_eof():
        response.release()
        return
    connection = response.connection
    transport = connection.transport if connection is not None else None
    if transport is not None:
        transport.abort()
    response.close()


def _dated(headers: Headers) -> Headers:
    """The headers with the time at which they came, where the provider does not tell its own: `Retry-After` may be a date."""
    return headers if "date" in headers else {**headers, "date": formatdate(usegmt=True)}


def _said(what: Any, ask: Ask) -> Any:
    return what(ask) if callable(what) else what


def _credentials(ask: Ask) -> Headers:
    return CREDENTIALS.get(ask.attempt.source.partition("/")[0], bearer)(ask.secret)


async def _connected(session: aiohttp.ClientSession, context: Any, params: Any) -> None:
    """There is a connection: what comes now is waiting for the provider."""
    context.trace_request_ctx.connected()


def _must_be_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        raise NotImplementedError(
            "aiohttp runs on asyncio only: with trio, give Attempt(open=…) a client of its own (docs/runner.md shows one)"
        ) from error
