"""`weft lint`: what it tells, in what words, and with what status."""

import json
import subprocess
from pathlib import Path

import pytest

from weft.cli.samples import SAMPLES

from .run import WEFT, environment, lines, told, weft

CHAT = b"".join(SAMPLES["openai-chat"].frames(["Hello", " you"]))
CUT = CHAT[: CHAT.index(b"data: ", 1)]
END = len(CUT)


@pytest.mark.parametrize("source", ["openai-chat", "gemini", "ollama"])
def test_good_stream_has_no_findings(source: str):
    done = weft("lint", "--protocol", source, stdin=b"".join(SAMPLES[source].frames(["Hello", " you"])))
    assert (0, b"", "weft: 0 findings\n") == (done.returncode, done.stdout, done.stderr)


def test_findings_are_told_with_their_place_and_effect():
    done = weft("lint", "--protocol", "openai-chat", stdin=CUT)
    first, second = lines(done.stdout)
    assert 1 == done.returncode
    assert first.split(None, 4)[:4] == ["byte", str(END), "crash", "chat/finish-missing:"]
    assert "openai-js and ai-sdk-compatible fail; openai-python and ai-sdk get it wrong" == second.strip()
    assert "weft: 1 finding\n" == done.stderr


def test_findings_as_json_are_one_a_line(tmp_path: Path):
    out = tmp_path / "findings"
    done = weft("lint", "-q", "--json", "--protocol", "openai-chat", "-o", out, stdin=CUT)
    (finding,) = map(json.loads, out.read_bytes().splitlines())
    assert (1, "", "chat/finish-missing", END) == (done.returncode, done.stderr, finding["rule"], finding["offset"])


def test_protocol_is_detected_and_said():
    done = weft("lint", stdin=CHAT)
    assert (0, "weft: checking as openai-chat\nweft: 0 findings\n") == (done.returncode, done.stderr)


def test_what_is_not_listed_is_counted():
    stream = b'data: {"choices":[]}\n\n' * 30
    done = weft("lint", "--protocol", "openai-chat", stdin=stream)
    assert "weft: 10 more findings of chat/object" in done.stderr
    assert "weft: 31 findings" in done.stderr


def test_finding_is_told_while_the_stream_goes_on():
    child = subprocess.Popen(
        [*WEFT, "lint", "-q", "--protocol", "openai-chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    )
    assert child.stdin is not None
    assert child.stdout is not None
    with child:
        child.stdin.write(b"data: {}\n\n")
        child.stdin.flush()
        assert b"chat/object" in child.stdout.readline()
        child.stdin.close()
        child.stdout.read()
    assert 1 == child.returncode


def test_rules_are_listed_and_explained():
    listed = lines(weft("lint", "--rules", "--protocol", "ollama").stdout)
    assert any(line.startswith("ollama/done-missing ") for line in listed)
    assert not any(line.startswith("chat/") for line in listed)
    text = weft("lint", "--explain", "responses/no-terminal").stdout.decode()
    assert "responses/no-terminal: the stream ends with" in text
    assert "codex hangs" in text
    assert "openai/codex#41340" in text
    assert "hang" == json.loads(weft("lint", "--json", "--explain", "responses/no-terminal").stdout)["effects"]["codex"]


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["--explain", "chat/finish-mising"], b"", "did you mean 'chat/finish-missing'?"),
        (["--protocol", "antropic"], b"", "did you mean 'anthropic'?"),
        ([], b"hello\n", "looks like no known protocol"),
        (["--protocol", "ollama", "nowhere.sse"], b"", "cannot read nowhere.sse"),
    ],
)
def test_what_cannot_be_judged_is_refused(words: list[str], stdin: bytes, said: str):
    done = weft("lint", *words, stdin=stdin)
    assert 2 == done.returncode
    assert said in told(done)
