"""`weft convert`: streams as it reads, says what was lost, ends as truly as it read."""

import json
import signal
import subprocess

import pytest

import weft
from tests.cli.run import WEFT, environment, told
from tests.cli.run import weft as run
from tests.protocols.wire import sse

FRAMES = [
    {"id": "c1", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hello"}}]},
    {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"id": "c1", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
]
STREAM = sse(*FRAMES, done=True)


@pytest.mark.parametrize("target", ["openai-responses", "anthropic", "openai-chat", "events", "text"])
def test_the_output_is_what_the_library_makes(target):
    done = run("convert", "--from", "openai-chat", "--to", target, stdin=STREAM)
    assert (weft.convert(STREAM, "openai-chat", target), 0) == (done.stdout, done.returncode)


def test_a_cut_stream_is_well_formed_and_the_status_says_so():
    """Exit 3: the output has the target's failure ending, and the last line on stderr says why."""
    done = run("convert", "--from", "openai-chat", "--to", "anthropic", stdin=sse(FRAMES[0]))
    assert (3, True, False) == (done.returncode, b"event: error" in done.stdout, b"message_stop" in done.stdout)
    assert done.stderr.splitlines()[-1].startswith("weft: truncated")


def test_what_was_lost_is_written_as_json(tmp_path):
    report = tmp_path / "losses.json"
    run("convert", "--from", "openai-chat", "--to", "text", "--losses", report, stdin=STREAM)
    assert ["usage"] == [loss["what"] for loss in json.loads(report.read_text())]


@pytest.mark.parametrize("mode", [[], ["--whole"]])
def test_a_full_report_names_members_that_nobody_reads(tmp_path, mode):
    report = tmp_path / "losses.json"
    stream = sse({**FRAMES[0], "mood": {"a": 1}}, *FRAMES[1:], done=True)
    run("convert", "--from", "openai-chat", "--to", "openai-chat", "--losses", report, *mode, stdin=stream)
    assert [("member", "mood")] == [(loss["what"], loss["where"]) for loss in json.loads(report.read_text())]


def test_a_whole_reply_is_written():
    done = run("convert", "--from", "openai-chat", "--to", "anthropic", "--whole", stdin=STREAM)
    body = json.loads(done.stdout)
    assert ([{"type": "text", "text": "Hello"}], "end_turn", 2) == (
        body["content"],
        body["stop_reason"],
        body["usage"]["output_tokens"],
    )


def test_verbatim_changes_no_byte():
    done = run("convert", "--from", "openai-chat", "--to", "openai-chat", "--verbatim", stdin=STREAM)
    assert STREAM == done.stdout


def test_verbatim_of_a_cut_stream_gets_a_failure_ending_and_no_half_frame():
    done = run("convert", "--from", "openai-chat", "--to", "openai-chat", "--verbatim", stdin=STREAM[:150])
    assert (3, sse(FRAMES[0])[:0]) == (done.returncode, done.stdout[:0])
    assert b'data: {"error":' in done.stdout
    assert done.stdout.endswith(b"\n\n")


def test_many_files_go_into_a_folder(tmp_path):
    names = [f"s{number}" for number in range(3)]
    for name in names:
        (tmp_path / f"{name}.sse").write_bytes(STREAM)
    files = [tmp_path / f"{name}.sse" for name in names]
    done = run("convert", "--from", "openai-chat", "--to", "anthropic", "-o", tmp_path / "out", "-j", "2", *files)
    assert 0 == done.returncode
    assert [f"{name}.anthropic.sse" for name in names] == sorted(path.name for path in (tmp_path / "out").iterdir())
    assert "3 of 3" in done.stderr


def test_files_of_one_name_do_not_overwrite_each_other(tmp_path):
    cut, files = sse(FRAMES[0]), [tmp_path / "a" / "s.sse", tmp_path / "b" / "s.sse"]
    for file, data in zip(files, (STREAM, cut), strict=True):
        file.parent.mkdir()
        file.write_bytes(data)
    done = run("convert", files[0], "--from", "openai-chat", "--to", "anthropic", "-o", tmp_path / "out", files[1])
    outputs = [tmp_path / "out" / folder / "s.sse.anthropic.sse" for folder in ("a", "b")]
    assert [b"message_stop" in output.read_bytes() for output in outputs] == [True, False]
    assert 3 == done.returncode


def test_each_of_many_files_says_why_and_the_last_line_which(tmp_path):
    good, cut = tmp_path / "good.sse", tmp_path / "cut.sse"
    good.write_bytes(STREAM)
    cut.write_bytes(sse(FRAMES[0]))
    done = run(
        "convert", "-q", "--from", "openai-chat", "--to", "text", "-o", tmp_path / "out", good, cut, tmp_path / "none"
    )
    *lines, last = done.stderr.splitlines()
    assert (3, True) == (done.returncode, last.endswith("and 1 more file did not complete"))
    assert [True, True] == [
        any(str(file) in line and why in line for line in lines)
        for file, why in ((cut, "truncated at byte"), (tmp_path / "none", "no such file"))
    ]


def test_verbatim_has_a_loss_report_too(tmp_path):
    report = tmp_path / "losses.json"
    run("convert", "--to", "openai-chat", "--verbatim", "--losses", report, stdin=STREAM)
    assert [] == json.loads(report.read_text())


def test_verbatim_of_another_protocol_is_refused():
    stream = weft.convert(STREAM, "openai-chat", "anthropic")
    done = run("convert", "--to", "openai-chat", "--verbatim", stdin=stream)
    assert (2, b"") == (done.returncode, done.stdout)
    assert "looks like anthropic" in done.stderr


@pytest.mark.parametrize("mode", [[], ["--verbatim"]])
def test_interrupted_it_ends_as_the_target_does(mode):
    command = [*WEFT, "convert", "--from", "openai-chat", "--to", "openai-chat", *mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(sse(FRAMES[0]))
        child.stdin.flush()
        first = child.stdout.readline()
        child.send_signal(signal.SIGINT)
        rest = child.stdout.read()
        child.stdin.close()
    assert (130, True) == (child.returncode, first.startswith(b"data: "))
    assert b"interrupted" in rest.splitlines()[-2]


def test_the_first_frame_comes_out_before_the_input_ends():
    with subprocess.Popen(
        [*WEFT, "convert", "--from", "openai-chat", "--to", "anthropic"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(),
    ) as child:  # fmt: skip
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(sse(FRAMES[0]))
        child.stdin.flush()
        assert b"event: message_start\n" == child.stdout.readline()
        child.stdin.close()
        child.stdout.read()
    assert 3 == child.returncode


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--to", "openai-responses", "--profile", "codx"], "did you mean 'codex'"),
        (["--to", "anthropc"], "did you mean 'anthropic'"),
        (["--to", "provider-delta"], "can be read but not written"),
        (["--to", "anthropic", "--from", "openai-chat", "--verbatim"], "the same protocol on both ends"),
        (["--to", "anthropic", "--verbatim", "--whole"], "cannot be combined with --whole or --filter"),
        (["--to", "anthropic", "a.sse", "b.sse"], "-o FOLDER"),
        (["a.sse", "--to", "anthropic", "b.sse"], "-o FOLDER"),
        (["--to", "anthropic", "-o", "out", "a.sse", "-"], "cannot be combined with files"),
        (["--to", "anthropic", "-j", "0", "a.sse"], "not a number of processes"),
        (["--to", "anthropic", "--from", "antropic", "-o", "out", "a.sse", "b.sse"], "did you mean 'anthropic'"),
        (["--to", "gemini", "--profile", "codex"], "this target has no profiles"),
        (["--to", "anthropic", "no-such-file"], "cannot read no-such-file"),
        ([], "--to"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(words, says):
    done = run("convert", *words)
    assert 2 == done.returncode
    assert says in told(done)
