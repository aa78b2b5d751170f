"""Output comes as it is known, not at the end; and the end is told truthfully, in the exit status and in one line."""

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from weft.cli.samples import SAMPLES

from .run import WEFT, environment, lines, told, weft

CHAT = SAMPLES["openai-chat"].frames(["Hello", " you"])


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command with pipes on all sides, ended by its own id if it does not end by itself."""
    child = subprocess.Popen(
        [*WEFT, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.communicate()


def arrived(child: subprocess.Popen[bytes], word: bytes, seconds: float = 20) -> bytes:
    """What has come on standard output once this word is in it. Fails where it does not come while the input is open."""
    assert child.stdout
    seen, until = b"", time.monotonic() + seconds
    while word not in seen:
        ready, _, _ = select.select([child.stdout], [], [], max(0, until - time.monotonic()))
        assert ready, f"{word!r} did not come, only {seen!r}"
        seen += os.read(child.stdout.fileno(), 65536)
    return seen


def send(child: subprocess.Popen[bytes], data: bytes) -> None:
    assert child.stdin
    child.stdin.write(data)
    child.stdin.flush()


@pytest.mark.parametrize("source", [["--from", "openai-chat"], []], ids=["named", "detected"])
def test_events_come_while_the_input_is_open(source: list[str]):
    with started("events", *source) as child:
        send(child, CHAT[0] + CHAT[1])
        arrived(child, b'"text":"Hello"')
        send(child, CHAT[2])
        arrived(child, b'"text":" you"')
        send(child, CHAT[3])
        child.communicate(timeout=20)
        assert 0 == child.returncode


def test_timeline_comes_while_the_input_is_open():
    with started("inspect") as child:
        send(child, CHAT[0] + CHAT[1])
        assert b"start" in arrived(child, b"c1 ")


def test_detection_answers_while_the_input_is_open():
    with started("detect") as child:
        send(child, CHAT[0])
        assert b"openai-chat" in arrived(child, b"openai-chat")
        assert 0 == child.wait(20)


def test_one_byte_at_a_time_gives_the_same():
    whole = weft("events", stdin=b"".join(CHAT)).stdout
    with started("events") as child:
        for byte in b"".join(CHAT):
            send(child, bytes([byte]))
        out, _ = child.communicate(timeout=20)
        assert whole == out


def test_input_need_not_end_once_the_stream_has():
    """The terminator and usage were there: a connection that stays open keeps nobody waiting."""
    usage = b'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}\n\n'
    with started("events", "-q") as child:
        send(child, b"".join(CHAT[:-1]) + CHAT[-1].replace(b"data: [DONE]", usage + b"data: [DONE]"))
        assert 0 == child.wait(20)


def test_endless_garbage_ends_at_the_limit():
    with Path("/dev/zero").open("rb") as zeros:
        done = weft("events", "--from", "openai-chat", "--limit-frame", "1M", stdin=zeros.fileno())
    assert 3 == done.returncode
    assert "limit" in told(done)


def test_interrupted_stream_is_still_well_formed():
    with started("events") as child:
        send(child, CHAT[0] + CHAT[1])
        begun = arrived(child, b"Hello")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
        last = json.loads(lines(begun + out)[-1])
        assert (130, "end", "incomplete", "cancelled") == (
            child.returncode,
            last["type"],
            last["outcome"],
            last["error"]["type"],
        )
        assert b"Traceback" not in err


def test_interrupted_message_is_what_there_was():
    with started("collect", "--from", "openai-chat") as child:
        send(child, CHAT[0] + CHAT[1])
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=20)
        assert (130, "Hello", "incomplete") == (child.returncode, json.loads(out)["text"], json.loads(out)["outcome"])


def test_completed_stream_exits_with_0_and_says_nothing_more():
    done = weft("events", "--from", "openai-chat", stdin=b"".join(CHAT))
    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"".join(CHAT[:-1]), ["truncated at byte", "the stream stopped before"]),
        (b"".join(CHAT[:-1]) + CHAT[-1].replace(b'"stop"', b'"length"'), ["incomplete", "length"]),
        (
            CHAT[0] + b'data: {"error":{"message":"Slow down","type":"rate_limit_error","code":"rate_limit_exceeded"}}\n\n' + CHAT[-1],
            [f"failed at byte {len(CHAT[0])}", "Slow down", "rate_limit", "fault of the"],
        ),
        (b"", ["truncated at byte 0"]),
    ],
    ids=["cut", "length", "error", "empty"],
)  # fmt: skip
@pytest.mark.parametrize("command", ["events", "collect", "inspect"])
def test_unfinished_stream_exits_with_3_and_says_why_last(command: str, data: bytes, words: list[str]):
    done = weft(command, "--from", "openai-chat", stdin=data)
    assert 3 == done.returncode
    last = done.stderr.splitlines()[-1]
    assert last.startswith("weft: ")
    assert [word for word in words if word not in last] == []


@pytest.mark.parametrize(
    "frame",
    [
        rb'{"id":"c1","usage":{"prompt_tokens":"\ud83d","completion_tokens":2}}',
        rb'{"usage":{"prompt_tokens":"\ud83d"},"choices":[]}',
        b'{"choices":[],"surprise":"\xff"}',
        b'{"error":{"message":"Nothing works"},"surprise":"\xff"}',
    ],
)
def test_half_characters_and_bytes_that_are_no_text_end_in_a_known_status(frame: bytes):
    done = weft("events", "-q", "--from", "openai-chat", stdin=CHAT[0] + b"data: " + frame + b"\n\n" + CHAT[-1])
    assert ("end", True) == (json.loads(lines(done.stdout)[-1])["type"], done.returncode in {0, 3})


@pytest.mark.parametrize("cut", range(0, 300, 37))
def test_any_bytes_end_in_a_known_status(cut: int):
    """Law 3 at the outermost edge: cut, shifted and repeated bytes never end in a traceback or another status."""
    whole = b"".join(CHAT)
    noise = bytes((byte * 31 + cut) % 256 for byte in range(cut))
    done = weft("collect", "--from", "openai-chat", stdin=whole[cut:] + noise + whole[:cut])
    assert done.returncode in {0, 3}
    assert json.loads(done.stdout)["outcome"] in {"completed", "incomplete", "failed", "truncated"}
