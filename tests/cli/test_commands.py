"""What each command gives for a stream that is as it should be."""

import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from weft.cli import COMMANDS
from weft.cli.command import Command
from weft.cli.samples import SAMPLES, demo
from weft.filters.named import NAMED
from weft.protocol import names

from .run import environment, lines, weft

ROOT = Path(__file__).parent.parent.parent
CHAT = b"".join(SAMPLES["openai-chat"].frames(["Hello", " you"]))
CALL = b"".join(demo())


def command(name: str) -> Command:
    return import_module(f"weft.cli.{name}").COMMAND


def test_version():
    assert f"weft {version('weft')}\n".encode() == weft("--version").stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_a_description_and_examples(name: str):
    done = weft(name, "--help")
    text = done.stdout.decode()
    assert (0, "") == (done.returncode, done.stderr)
    assert command(name).description.splitlines()[0] in text
    assert [line for line, _ in command(name).examples if line not in text] == []
    assert 2 <= len(command(name).examples) <= 6


def test_help_lists_every_command():
    text = weft("--help").stdout.decode()
    assert [name for name in COMMANDS if f"  {name} " not in text] == []


def test_docs_tell_every_command_and_option():
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"## weft {name}" not in page] == []
    for name in COMMANDS:
        words = weft(name, "--help").stdout.decode().replace(",", " ").replace("[", " ").replace("]", " ").split()
        assert [word for word in words if word.startswith("--") and len(word) > 2 and word not in page] == [], name


@pytest.mark.parametrize("source", SAMPLES)
def test_every_source_is_detected_and_collected(source: str):
    done = weft("collect", stdin=b"".join(SAMPLES[source].frames(["Hello", " you"])))
    message = json.loads(done.stdout)
    assert (0, "Hello you", "stop", "completed") == (
        done.returncode,
        message["text"],
        message["finish"],
        message["outcome"],
    )
    assert f"weft: reading as {source} (" in done.stderr


def test_events_are_one_a_line():
    done = weft("events", "--from", "openai-chat", stdin=CHAT)
    told = [json.loads(line)["type"] for line in lines(done.stdout)]
    assert ["start", "block-start", "text-delta", "text-delta", "block-end", "end"] == told


def test_events_go_back_in():
    events = weft("events", stdin=CALL).stdout
    again = weft("events", stdin=events).stdout
    assert [json.loads(line) for line in lines(events)] == [json.loads(line) for line in lines(again)]


def test_events_with_and_without_a_file(tmp_path: Path):
    path = tmp_path / "chat.sse"
    path.write_bytes(CHAT)
    out = tmp_path / "out.jsonl"
    expected = weft("events", "-q", stdin=CHAT).stdout
    assert expected == weft("events", "-q", path).stdout == weft("events", "-q", "-", stdin=CHAT).stdout
    assert b"" == weft("events", "-q", path, "-o", out).stdout
    assert expected == out.read_bytes()


def test_quiet_says_nothing():
    assert "" == weft("events", "--quiet", stdin=CHAT).stderr
    assert "reading as openai-chat" in weft("events", stdin=CHAT).stderr


@pytest.mark.parametrize("command", ["events", "collect", "inspect"])
def test_a_stream_of_another_protocol_than_was_said_is_told(command: str):
    data = b"".join(SAMPLES["anthropic"].frames(["Hello", " you"]))
    done = weft(command, "--from", "openai-chat", stdin=data)
    first, last = lines(done.stderr.encode())
    assert first.startswith("weft: standard input looks like anthropic (99 % sure: ")
    assert first.endswith(", not like openai-chat")
    assert (3, True) == (done.returncode, last.startswith("weft: truncated at byte "))


def test_an_error_is_not_told_to_be_another_protocol():
    done = weft(
        "events", "--from", "openai-responses", stdin=b'{"error":{"type":"server_error","code":"x","message":"No."}}'
    )
    assert 1 == done.stderr.count("\n")


def test_strict_ends_at_the_first_oddity():
    odd = CHAT.replace(b'"model"', b'"surprise":1,"model"', 1)
    assert 0 == weft("collect", "--from", "openai-chat", stdin=odd).returncode
    done = weft("collect", "--from", "openai-chat", "--strict", stdin=odd)
    assert 3 == done.returncode
    assert "bridge.stream.invalid_transition" in done.stderr
    assert "surprise" in done.stderr


def test_filter_is_put_in_front():
    tagged = b"".join(SAMPLES["openai-chat"].frames(["<thi", "nk>Hm.</thin", "k>Hello"]))
    message = json.loads(weft("collect", "--filter", "think", stdin=tagged).stdout)
    assert ("Hm.", "Hello") == (message["reasoning"], message["text"].strip())
    assert "" == json.loads(weft("collect", stdin=tagged).stdout)["reasoning"]


def test_help_names_the_filters():
    help_text = "".join(weft("events", "--help").stdout.decode().split())
    assert [name for name in NAMED if name not in help_text] == []


def test_status_and_headers_make_an_error_of_a_body():
    body = b'{"error":{"message":"Slow down","type":"rate_limit_error"}}'
    done = weft("collect", "--from", "openai-chat", "--status", "429", "--header", "Retry-After: 7", stdin=body)
    error = json.loads(done.stdout)["error"]
    assert (3, "rate_limit", 7, 429) == (done.returncode, error["type"], error["retry_after"], error["status"])
    assert "retry after 7 s" in done.stderr


@pytest.mark.parametrize("words", [["--status", "500"], []])
def test_error_body_needs_no_protocol(words: list[str]):
    done = weft("collect", *words, stdin=b'{"error":{"message":"Nothing works","type":"server_error"}}')
    assert (3, "Nothing works") == (done.returncode, json.loads(done.stdout)["error"]["message"])


def test_frame_over_the_limit():
    done = weft("collect", "--from", "openai-chat", "--limit-frame", "1k", stdin=CHAT.replace(b"Hello", b"x" * 2000))
    assert (3, "limit") == (done.returncode, json.loads(done.stdout)["error"]["type"])


def test_collect_has_the_call():
    message = json.loads(weft("collect", stdin=CALL).stdout)
    (call,) = message["tool_calls"]
    assert ("get_weather", {"city": "Oslo", "unit": "celsius"}, True) == (
        call["name"],
        call["arguments"],
        call["complete"],
    )
    assert "tool_calls" == message["finish"]


def test_detect_tells_how_sure_and_why():
    (line,) = lines(weft("detect", stdin=CHAT).stdout)
    name, sure, _, evidence = line.split(maxsplit=3)
    assert "openai-chat" == name
    assert 95 <= int(sure)
    assert "object begins with 'chat.completion'" in evidence


def test_detect_as_json():
    best = json.loads(weft("detect", "--json", stdin=CALL).stdout)[0]
    assert ("anthropic", True) == (best["protocol"], best["reads"])
    assert best["confidence"] > 0.95


def test_detect_of_nothing_known():
    done = weft("detect", stdin=b'{"hello":"world"}')
    assert (2, b"unknown  0 %") == (done.returncode, done.stdout.replace(b"   ", b"  ").strip())
    assert "weft: standard input looks like no known protocol\n" == done.stderr


def test_detect_of_what_weft_does_not_read():
    done = weft("detect", stdin=b'{"jsonrpc":"2.0","id":1,"result":{}}')
    assert 2 == done.returncode
    assert done.stdout.startswith(b"json-rpc")
    assert "which Weft does not read" in done.stderr


def test_protocols_lists_all_with_their_dialects():
    table = weft("protocols").stdout.decode()
    assert [name for name in names() if not any(line.split()[0] == name for line in table.splitlines())] == []
    assert "  /zhipu" in table


def test_protocols_tells_sources_from_targets_and_what_a_target_cannot_say():
    rows = weft("protocols").stdout.decode().splitlines()
    ways = {row.split()[0]: row.split()[1:3] for row in rows if not row.startswith(" ")}
    assert ["read", "write"] == ways["anthropic"]
    assert "read" == ways["ai-sdk"][0] != ways["ai-sdk"][1] != "write"
    assert "write" == ways["text"][0]
    at = next(number for number, row in enumerate(rows) if row.startswith("text "))
    assert "tool_call" in " ".join(rows[at + 1 : at + 4])
    assert not any("…" in row for row in rows)


def test_protocols_as_json():
    rows = {row["name"]: row for row in json.loads(weft("protocols", "--json").stdout)}
    assert sorted(rows) == names()
    assert "openai-chat/zhipu" in [row["name"] for row in rows["openai-chat"]["dialects"]]
    assert rows["anthropic"]["source"]
    assert "tool_call" in rows["text"]["loses"]
    assert {} == rows["ai-sdk"]["loses"]


@pytest.fixture
def call(tmp_path: Path) -> Path:
    path = tmp_path / "call.sse"
    path.write_bytes(CALL)
    return path


def test_inspect_tells_what_was_said_where(call: Path):
    table = lines(weft("inspect", "--from", "anthropic", call).stdout)
    kinds = [line.split()[1] for line in table[1:-1]]
    assert ["start", "reasoning", "text", "tool_call", "usage", "end"] == kinds
    places = [line.split()[0] for line in table[1:-1]]
    at = CALL.index(b'event: content_block_start\ndata: {"type": "content_block_start", "index": 1')
    assert "0" == places[0]
    assert places[2].startswith(f"{at}…")
    assert "get_weather" in table[4]
    assert "792 in (380 from cache)" in table[5]
    assert table[-1].startswith(f"{len(demo())} frames, 3 blocks")


def test_inspect_tells_when_a_live_stream_said_it():
    table = lines(weft("inspect", "--from", "anthropic", stdin=CALL).stdout)
    assert [line for line in table[1:-1] if not line.strip().startswith("+0.")] == []


def test_inspect_shows_frames_before_what_they_say(tmp_path: Path):
    path = tmp_path / "chat.sse"
    path.write_bytes(CHAT)
    table = lines(weft("inspect", "--from", "openai-chat", "--frames", path).stdout)
    kinds = [line.split()[1] for line in table[1:-1]]
    assert ["frame", "start", *["frame"] * 4, "text", "end"] == kinds


ODD = b"".join(
    b"data: " + json.dumps(frame).encode() + b"\n\n"
    for frame in (
        {"id": "c", "model": "m", "mood": "fine", "choices": [{"index": 0, "delta": {"content": "Hi", "pitch": 3}}]},
        {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"pitch": 4}, "finish_reason": "stop"}]},
    )
)


def test_inspect_names_members_that_nobody_reads(tmp_path: Path):
    """DESIGN, strict or lenient: a second parse names what the core does not see."""
    path = tmp_path / "odd.sse"
    path.write_bytes(ODD)
    table = lines(weft("inspect", "--from", "openai-chat", path).stdout)
    told = [line.split(maxsplit=2)[2] for line in table if " unread " in line]
    assert ["mood  in 1 frame", "choices.delta.pitch  in 2 frames"] == [line.strip() for line in told]


def test_inspect_tells_what_a_target_would_lose(call: Path):
    table = lines(weft("inspect", "--from", "anthropic", "--to", "text", call).stdout)
    assert {"lost"} == {line.split()[1] for line in table[7:-1]}
    assert any("tool_call: " in line for line in table)
    own = lines(weft("inspect", "--from", "anthropic", "--to", "events", call).stdout)
    assert "nothing: events can express all of it" in own[-2]


def test_inspect_tells_notes_and_whose_fault():
    odd = (
        CHAT.replace(b"data: [DONE]\n\n", b"").replace(b'"finish_reason":"stop"', b'"finish_reason":null')
        + b"data: {broken\n\n"
    )
    done = weft("inspect", "--from", "openai-chat", stdin=odd)
    table = done.stdout.decode()
    assert 3 == done.returncode
    assert f"{odd.index(b'data: {broken')}  note         broken_frame" in table
    assert "end          truncated" in table
    assert "fault of" in table


def test_inspect_counts_what_repeats():
    done = weft("inspect", "--from", "openai-chat", stdin=b"data: {broken\n\n" * 100 + CHAT)
    assert 5 == done.stdout.count(b"note  ")
    assert b"95 more of broken_frame" in done.stdout


def test_inspect_does_nothing_to_the_terminal():
    """What a model says reaches a terminal as text only: no escape, no control character, no change of direction."""
    evil = json.dumps("\x1b[2J\x1b]0;title\x07\r\u202e\u2066end\x9b31m").encode()
    table = weft("inspect", "--frames", stdin=CHAT.replace(b'"Hello"', evil)).stdout.decode()
    assert [char for char in table if not char.isprintable() and char != "\n"] == []
    assert r"\x1b[2J" in table


def test_demo_shows_and_ends():
    done = weft("demo")
    assert (0, "") == (done.returncode, done.stderr)
    assert "get_weather({'city': 'Oslo', 'unit': 'celsius'})" in done.stdout.decode()
    assert "lost on the way: nothing" in done.stdout.decode()
    assert b"\x1b" not in done.stdout


def test_bench_measures_against_the_floor():
    done = weft("bench", "openai-chat")
    ratio = float(lines(done.stdout)[1].split()[-1])
    assert 0 < ratio < 100  # on a busy machine any single figure is off; that it is one is what is tested


WITHOUT_RICH = "import sys; sys.modules['rich'] = None; from weft.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.parametrize(
    "words",
    [
        ["inspect"],
        ["events"],
        ["collect"],
        ["detect"],
        ["protocols", "--color", "always"],
        ["demo", "--color", "always"],
    ],
)
def test_everything_works_without_rich(words: list[str]):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_RICH, *words],
        input=CALL,
        capture_output=True,
        timeout=60,
        check=False,
        env=environment(),
    )
    assert 0 == done.returncode
    assert done.stdout
    assert b"Traceback" not in done.stderr


def test_core_commands_do_not_load_rich():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "weft", "events"],
        input=CALL,
        capture_output=True,
        text=False,
        timeout=60,
        check=False,
    )
    assert b" rich" not in done.stderr
