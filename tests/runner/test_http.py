"""Over real sockets: aiohttp on asyncio, and the client of examples/ on both loops, against a server of ours."""

import json
import time
from email.utils import formatdate

import anyio
import pytest
from examples import any_loop_client

import weft
from tests.protocols.chat_wire import end, text, usage
from tests.protocols.wire import sse
from tests.runner.loopback import HEAD, HOLD, Loopback, failed, serving
from weft.io.http import Http, post
from weft.runner import Attempt, Backoff, Key, Recourse, Run

pytestmark = pytest.mark.anyio

BODY = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": True}
ANSWER = (HEAD, sse(text("Hello"), text(" there"), end(), {"id": "c1", "choices": [], "usage": usage()}, done=True))


clients = pytest.mark.parametrize(
    ("anyio_backend", "client"),
    [("asyncio", post), ("asyncio", any_loop_client.post), ("trio", any_loop_client.post)],
    ids=["aiohttp", "anyio-asyncio", "anyio-trio"],
)


def asking(client, server: Loopback, **options) -> Run:
    key = Key("main", "s3cret")
    attempt = Attempt(protocol="openai-chat", model="m", key=key, open=client(server.url, BODY))
    return weft.run([attempt], **options)


@clients
async def test_an_answer(client):
    with serving(ANSWER) as server:
        run = asking(client, server)
        message = await run.collect()
    assert ("Hello there", "completed", 7) == (message.text, message.outcome, message.usage.total_tokens)
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert BODY == json.loads(body)
    assert b"authorization: bearer s3cret" in head.lower()


@clients
async def test_a_failed_status_is_an_error_with_its_wait(client):
    limited = failed(429, b'{"error":{"message":"slow down","code":"rate_limit_exceeded"}}', b"retry-after: 7")
    with serving((limited,)) as server:
        error = (await asking(client, server, max_attempts=1).collect()).error
    assert ("rate_limit", 429, 7.0, "slow down") == (error.type, error.status, error.retry_after, error.message)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_wait_until_a_date_counts_though_the_reply_has_none_of_its_own():
    until = formatdate(time.time() + 40, usegmt=True).encode()
    with serving((failed(429, b"{}", b"retry-after: " + until),)) as server:
        error = (await asking(post, server, max_attempts=1).collect()).error
    assert 30 < error.retry_after <= 40


@clients
async def test_a_failure_then_an_answer(client):
    quick = {"overloaded": Recourse(moves=("same",), backoff=Backoff(1, 0.001, 0.001))}
    with serving((failed(503),), ANSWER) as server:
        run = asking(client, server, recourses=quick)
        assert "Hello there" == (await run.collect()).text
    assert ["overloaded", None] == [tried.error and tried.error.type for tried in run.history]
    assert 2 == server.connections


@clients
async def test_a_cut_connection_is_no_complete_answer(client):
    with serving((HEAD, sse(text("Hel")))) as server:
        message = await asking(client, server).collect()
    assert ("Hel", "truncated") == (message.text, message.outcome)


@clients
async def test_nobody_listens(client):
    with serving(ANSWER) as server:
        pass
    message = await asking(client, server, max_attempts=1).collect()
    assert ("failed", "transport") == (message.outcome, message.error.type)
    assert "127.0.0.1" not in message.error.message


@clients
async def test_a_reply_that_is_no_http_is_the_line_s_fault(client):
    with serving((b"SSH-2.0-OpenSSH_9\r\n\r\n",)) as server:
        error = (await asking(client, server, max_attempts=1).collect()).error
    assert ("transport", None, True) == (error.type, error.status, error.retryable)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("url", ["not a url", "ftp://127.0.0.1/x"])
async def test_a_request_that_cannot_be_sent_is_a_mistake_of_the_program(url: str):
    run = weft.run([Attempt(protocol="openai-chat", model="m", open=post(url, BODY))])
    with pytest.raises(TypeError, match="cannot be sent"):
        await run.collect()
    assert [] == run.history


@clients
async def test_a_redirect_does_not_take_the_key_elsewhere(client):
    away = b"HTTP/1.1 307 Away\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n"
    with serving((away,)) as server:
        message = await asking(client, server, max_attempts=1).collect()
    assert ("protocol", 307) == (message.error.type, message.error.status)
    assert 1 == server.connections


@clients
async def test_it_leaves_when_the_terminal_was_read_though_the_server_does_not(client):
    with serving((*ANSWER, HOLD)) as server:
        assert "completed" == (await asking(client, server).collect()).outcome
        assert await anyio.to_thread.run_sync(server.gone.wait, 5)


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_aiohttp_under_trio_says_what_to_do():
    with serving(ANSWER) as server, pytest.raises(NotImplementedError, match="asyncio only"):
        await asking(post, server).collect()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_pool_uses_its_connection_again():
    whole = sse(text("Hi"), end(), {"id": "c1", "choices": [], "usage": usage()}, done=True)
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n" % len(whole)
    with serving((head + whole, head + whole)) as server:
        async with Http() as http:
            first = await asking(http.post, server).collect()
            assert "completed" == first.outcome
    assert 1 == server.connections


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize(
    ("protocol", "header"),
    [
        ("openai-responses", b"authorization: bearer s3cret"),
        ("anthropic", b"x-api-key: s3cret"),
        ("gemini", b"x-goog-api-key: s3cret"),
        ("cohere", b"authorization: bearer s3cret"),
    ],
)
async def test_the_key_goes_where_the_protocol_wants_it(protocol: str, header: bytes):
    with serving((failed(400),)) as server:
        open = post(lambda _: server.url, lambda ask: {"model": ask.model}, headers={"x-more": "1"})
        attempt = Attempt(protocol=protocol, model="big", key=Key("main", "s3cret"), open=open)
        await weft.run([attempt]).collect()
    assert header in server.requests[0].lower()
    assert b"x-more: 1" in server.requests[0].lower()
    assert server.requests[0].endswith(b'{"model":"big"}')


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_pool_that_was_not_entered_says_so():
    with serving(ANSWER) as server, pytest.raises(TypeError, match="enter the pool"):
        await asking(Http().post, server).collect()
