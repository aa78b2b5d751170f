"""The server as clients see it, over real sockets on this machine."""

import http.client
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import weft
from weft.replay import Capture, Chunk, Manner, Shelf, captures_in, serving

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
TEXT = FIXTURES / "anthropic" / "text.sse"
ASKED = b'{"stream":true}'


@contextmanager
def asked(address: str, path: str = "/v1/messages", **headers: str) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=20)
    try:
        connection.request("POST", path, ASKED, {f"x-weft-{name}": value for name, value in headers.items()})
        yield connection.getresponse()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Shelf(captures_in([TEXT]), Manner(speed=0))) as base:
        yield base


def test_body_is_what_was_recorded(address: str):
    with asked(address) as response:
        assert (200, TEXT.read_bytes()) == (response.status, response.read())
        assert "text/event-stream" == response.headers["content-type"]


def test_cut_is_a_broken_connection_and_not_an_end(address: str):
    with asked(address, fault="cut@300") as response, pytest.raises(http.client.IncompleteRead) as broken:
        response.read()
    assert TEXT.read_bytes()[:300] == broken.value.partial


def test_cut_before_the_first_byte(address: str):
    with asked(address, fault="cut@0") as response, pytest.raises(http.client.IncompleteRead):
        response.read()


def test_stall_keeps_the_connection_open_and_silent(address: str):
    with asked(address, fault="stall@300") as response:
        assert TEXT.read_bytes()[:300] == response.read(300)
        response.fp.raw._sock.settimeout(0.3)
        with pytest.raises(TimeoutError):
            response.read(1)


def test_pieces_arrive_at_their_times():
    told: list[float] = []
    capture = Capture(name="slow", chunks=tuple(Chunk(at, b"data: {}\n\n") for at in (0.0, 0.3, 0.6)))
    with serving(Shelf([capture])) as base, asked(base, "/c/slow") as response:
        for _ in capture.chunks:
            response.read(10)
            told.append(time.monotonic())
    assert told[1] - told[0] > 0.2
    assert told[2] - told[1] > 0.2


def test_client_that_leaves_is_noticed_at_once():
    lines: list[str] = []
    capture = Capture(name="long", chunks=(Chunk(0.0, b"data: {}\n\n"), Chunk(600.0, b"data: {}\n\n")))
    with serving(Shelf([capture]), tell=lines.append) as base:
        with asked(base, "/c/long") as response:
            response.read(10)
        left = time.monotonic()
        while not lines and time.monotonic() - left < 10:
            time.sleep(0.01)
    assert ["POST /c/long → long (the client left after 10 bytes)"] == lines


def test_many_clients_at_once_each_get_their_own(address: str):
    with (
        asked(address, split="5") as one,
        asked(address, fault="cut@40") as two,
        asked(address, split="random:3") as three,
    ):
        assert TEXT.read_bytes() == three.read()
        with pytest.raises(http.client.IncompleteRead):
            two.read()
        assert TEXT.read_bytes() == one.read()


def test_stream_that_a_client_reads_over_http_is_the_message():
    shelf = Shelf(captures_in([FIXTURES / "gemini" / "tools.sse"]), Manner(speed=0, split="random:5"))
    with serving(shelf) as base, asked(base, "/v1/responses") as response:
        there = weft.collect(weft.read(iter(lambda: response.read(64), b""), "openai-responses"))
    here = weft.collect(weft.read((FIXTURES / "gemini" / "tools.sse").read_bytes(), "gemini"))
    assert [(call.name, call.arguments) for call in here.tool_calls] == [
        (call.name, call.arguments) for call in there.tool_calls
    ]
    assert here.tool_calls


def test_port_is_free_again_when_the_block_is_over():
    with serving(Shelf(captures_in([TEXT]))) as base:
        host, port = urlsplit(base).netloc.split(":")
    with socket.socket() as probe:
        probe.bind((host, int(port)))


# -- the command -------------------------------------------------------------------------------------------------------


def weft_replay(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "weft", "replay", *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_command_serves_until_it_is_interrupted():
    child = weft_replay(str(TEXT), "--port", "0", "--speed", "0")
    try:
        first = child.stderr.readline()
        address = first.split(" on ")[1].split()[0]
        assert "weft: 1 captures on http://127.0.0.1:" in first
        assert "text  anthropic, 10 pieces, 1101 bytes" in child.stderr.readline()
        with asked(address) as response:
            assert TEXT.read_bytes() == response.read()
        assert "POST /v1/messages → text (1101 bytes)" == child.stderr.readline().strip()
        child.send_signal(signal.SIGINT)
        assert 130 == child.wait(20)
        assert "" == child.stderr.read()
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        child.stderr.close()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nothing.sse"], "cannot read nothing.sse: no such file or directory"),
        ([str(TEXT), "--fault", "slow"], "'slow' is not a fault"),
        ([str(TEXT), "--split", "0"], "no way to cut"),
        ([str(TEXT), "--speed", "-1"], "no number from 0 on"),
        ([str(TEXT), "--port", "99999999"], "is not a port"),
        ([str(TEXT), "--host", "203.0.113.7"], "cannot listen on 203.0.113.7"),
        ([], "PATH"),
    ],
)
def test_command_refuses_in_one_line(words: list[str], told: str):
    child = subprocess.run(
        [sys.executable, "-m", "weft", "replay", *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert 2 == child.returncode
    assert told in child.stderr
    assert 1 == len(child.stderr.splitlines())


def test_port_that_is_taken_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        child = subprocess.run(
            [sys.executable, "-m", "weft", "replay", str(TEXT), "--port", port],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (2, True) == (child.returncode, "--port 0 picks a free one" in child.stderr)
