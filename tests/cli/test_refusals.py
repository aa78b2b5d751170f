"""What cannot be done is told in one line, with exit status 2 and without a traceback."""

import gzip
import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from weft.cli.samples import SAMPLES, demo

from .run import WEFT, environment, told, weft

CHAT = b"".join(SAMPLES["openai-chat"].frames(["Hello", " you"]))
COMMANDS = ["events", "collect", "inspect", "detect"]


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_file(command: str, tmp_path: Path):
    done = weft(command, tmp_path / "none.sse")
    assert 2 == done.returncode
    assert told(done).endswith("none.sse: no such file or directory")


@pytest.mark.parametrize("command", COMMANDS)
def test_directory(command: str, tmp_path: Path):
    done = weft(command, tmp_path)
    assert 2 == done.returncode
    assert told(done).endswith("is a directory")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_that_may_not_be_read(tmp_path: Path):
    path = tmp_path / "secret.sse"
    path.write_bytes(CHAT)
    path.chmod(0)
    done = weft("events", path)
    assert 2 == done.returncode
    assert told(done).endswith("permission denied")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("data", "why"),
    [(gzip.compress(CHAT), "compressed (gzip)"), (CHAT.decode().encode("utf-16"), "UTF-16")],
    ids=["gzip", "utf-16"],
)
def test_compressed_file_or_one_in_wide_characters(command: str, data: bytes, why: str, tmp_path: Path):
    path = tmp_path / "chat.sse"
    path.write_bytes(data)
    done = weft(command, path)
    assert 2 == done.returncode
    assert f"chat.sse: the bytes are {why}" in told(done)


def test_file_that_breaks_at_the_first_read():
    done = weft("events", "/proc/self/mem")
    assert 2 == done.returncode
    assert "cannot read /proc/self/mem" in told(done)


@pytest.mark.parametrize("command", COMMANDS)
def test_closed_standard_input(command: str):
    done = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *WEFT, command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment(),
    )
    assert (2, "cannot read standard input: standard input is closed") == (done.returncode, told(done))


def test_closed_standard_output(tmp_path: Path):
    path = tmp_path / "chat.sse"
    path.write_bytes(CHAT)
    done = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *WEFT, "events", "-q", str(path)],
        capture_output=True, text=True, timeout=60, check=False, env=environment(),
    )  # fmt: skip
    assert (2, "standard output is closed") == (done.returncode, told(done))


@pytest.mark.parametrize(
    "words",
    [
        ["events", "-q", "-"],
        ["inspect", "-q", "-"],
        ["collect", "-q", "-"],
        ["protocols"],
        ["events", "--help"],
        ["--help"],
    ],
)
def test_reader_of_the_output_goes_away(words: list[str]):
    """`weft … | head -1`: no traceback, neither from us nor from the interpreter at its exit."""
    with subprocess.Popen(
        [*WEFT, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as child:
        assert child.stdout
        assert child.stdin
        assert child.stderr
        child.stdout.close()
        with suppress(BrokenPipeError):  # not every command reads
            child.stdin.write(CHAT)
            child.stdin.close()
        stderr = child.stderr.read().decode()
        assert (2, "weft: the output was closed before its end\n") == (child.wait(60), stderr)


def test_disk_is_full():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*WEFT, "events", "-q"],
            input=CHAT,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
            env=environment(),
        )
    assert (2, b"weft: cannot write: no space left on device\n") == (done.returncode, done.stderr)


def test_disk_is_full_under_the_file_of_o():
    done = weft("events", "-q", "-o", "/dev/full", stdin=CHAT)
    assert (2, "cannot write '/dev/full': no space left on device") == (done.returncode, told(done))


def test_what_is_refused_changes_no_file(tmp_path: Path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"dear")
    for path in (old, new):
        assert 2 == weft("collect", "-o", path, stdin=b"what is this?").returncode
    assert b"dear" == old.read_bytes()
    assert not new.exists()


def test_output_that_is_the_input_is_left_alone(tmp_path: Path):
    path = tmp_path / "chat.sse"
    path.write_bytes(CHAT)
    done = weft("events", path, "-o", path)
    assert 2 == done.returncode
    assert "is the input" in told(done)
    assert CHAT == path.read_bytes()


def test_output_in_a_folder_that_is_not_there(tmp_path: Path):
    done = weft("events", "-o", tmp_path / "none" / "out", stdin=CHAT)
    assert 2 == done.returncode
    assert told(done).endswith("no such file or directory")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["event"], "there is no command 'event'; did you mean 'events'?"),
        (["events", "--from", "antropic"], "there is no protocol 'antropic'; did you mean 'anthropic'?"),
        (["events", "--from", "openai-chat/zipu"], "there is no protocol 'openai-chat/zipu'; did you mean 'openai-chat/zhipu'?"),
        (["--verson"], "there is no option '--verson'; did you mean '--version'?"),
        (["events", "--form", "anthropic"], "there is no option '--form'; did you mean '--from'?"),
        (["events", "--filter", "thnk"], "there is no filter 'thnk'; did you mean 'think'?"),
        (["events", "--from"], "argument -f/--from: expected one argument (see weft events --help)"),
        (["events", "--status", "99"], "argument --status: '99' is not an HTTP status (see weft events --help)"),
        (["events", "--header", "retry-after"], "argument --header: 'retry-after' is not of the form 'Name: value' (see weft events --help)"),
        (["events", "--limit-frame", "many"], "argument --limit-frame: 'many' is not a size such as 65536, 512K or 64M (see weft events --help)"),
        (["events", "--limit-frame", "0"], "argument --limit-frame: '0' is not a size such as 65536, 512K or 64M (see weft events --help)"),
        (["events", "a.sse", "b.sse"], "expected one FILE, but 'b.sse' is another (see weft events --help)"),
        (["bench", "anthropik"], "there is no sample of protocol 'anthropik'; did you mean 'anthropic'?"),
    ],
)  # fmt: skip
def test_wrong_usage(words: list[str], line: str):
    done = weft(*words)
    assert (2, line, b"") == (done.returncode, told(done), done.stdout)


def test_bad_colour():
    done = weft("inspect", "--color", "blue", stdin=CHAT)
    assert 2 == done.returncode
    assert told(done).startswith("argument --color: invalid choice: 'blue'")


def test_no_command_shows_the_usage():
    done = weft()
    assert (2, b"") == (done.returncode, done.stdout)
    assert done.stderr.startswith("usage: weft COMMAND")


def test_name_is_told_before_the_file_is_opened(tmp_path: Path):
    assert "there is no protocol" in told(weft("events", "--from", "nobody", tmp_path / "none.sse"))


def test_nothing_to_detect():
    done = weft("events", stdin=b"")
    assert (2, "standard input is empty") == (done.returncode, told(done))


def test_protocol_that_nobody_knows():
    done = weft("events", stdin=b'{"hello": "world"}\n')
    assert (2, "cannot tell which protocol standard input is; say it with --from") == (done.returncode, told(done))


def test_protocol_that_is_known_by_sight_only():
    done = weft("events", stdin=b'data: {"type":"session.created","event_id":"e1","session":{}}\n\n')
    assert (2, "standard input looks like OpenAI Realtime, which Weft does not read") == (done.returncode, told(done))


def test_page_of_html():
    done = weft("inspect", stdin=b"<!DOCTYPE html><html><title>502 Bad Gateway</title></html>")
    assert (2, "standard input looks like an HTML page, which Weft does not read") == (done.returncode, told(done))


def test_bug_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from weft import cli
    from weft.cli import demo as module

    def broken() -> list[bytes]:
        raise LookupError("nothing there")

    assert demo() != []
    monkeypatch.setattr(module.samples, "demo", broken)
    assert 70 == cli.main(["demo"])
    assert "weft: this is a bug in Weft: LookupError: nothing there" in capsys.readouterr().err
