"""The cookbook's programs, run as their user runs them, against the replay server."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

from tests.cookbook.played import PROGRAMS, answer, capture, played, run
from weft.replay import Manner, Shelf, captures_in, serving
from weft.replay.fault import fault_named

THOUGHT = ("thought", "Stone, surely.", "c2ln")
PAGE = ["Lighthouses mark the ", "coast.\n\nThey are ", "built of:\n\n```\n", "tower\n\nlamp\n", "```\n\nThat is all."]


def test_every_program_is_tested():
    tested = {"agent_loop", "discord_bot", "key_rotation", "output_contract", "vscode_backend"}
    assert tested == {path.stem for path in PROGRAMS.glob("*.py")}


# -- as the page has them ----------------------------------------------------------------------------------------------

PAGE_OF_THEM = PROGRAMS.parent.parent / "docs" / "cookbook.md"
COMMANDS = re.findall(r"^.*python examples/cookbook/(\w+)\.py http.*$", PAGE_OF_THEM.read_text("utf-8"), re.MULTILINE)
LAST = {
    "discord_bot": "completed: 332 characters, thought: True",
    "agent_loop": "openai-responses: It is warmer in Rome: 17 degrees, against 4 in Oslo.",
    "vscode_backend": '{"id":1,"done":true,"usage":{"inputTokens":6,"outputTokens":9}}',
    "output_contract": '{"name":"Dyna","metres":6.5,"colours":["white","black"]}',
    "key_rotation": "Ahoy from the best model.",
}


def test_page_runs_every_program():
    assert [*LAST] == COMMANDS


@pytest.mark.parametrize("program", LAST)
def test_program_runs_as_the_page_says(program: str):
    """With the recordings that lie beside it, in a shell, from the repository's root."""
    page = PAGE_OF_THEM.read_text("utf-8")
    [line] = [line for line in page.splitlines() if f"python examples/cookbook/{program}.py http" in line]
    shelf = Shelf(captures_in([PROGRAMS / "recordings"]), Manner(speed=0))
    with serving(shelf) as base:
        said = line.replace("http://127.0.0.1:8790", base).replace("python ", f"{shlex.quote(sys.executable)} ", 1)
        child = subprocess.run(
            ["sh", "-c", said], cwd=PROGRAMS.parent.parent, capture_output=True, text=True, timeout=60, check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
    assert (0, "") == (child.returncode, child.stderr)
    assert LAST[program] == child.stdout.splitlines()[-1]


# -- the bot -----------------------------------------------------------------------------------------------------------


def test_bot_writes_paragraphs_and_keeps_code_whole_and_thoughts_out():
    with played(capture("a", "anthropic", answer(THOUGHT, PAGE))) as base:
        status, out, err = run("discord_bot", base, "How?")
    assert (0, "") == (status, err)
    assert [
        "[bot] Lighthouses mark the coast.",
        "[bot] They are built of:",
        "[bot] ```", "tower", "", "lamp", "```",
        "[bot] That is all.",
        "completed: 82 characters, thought: True",
    ] == out.splitlines()  # fmt: skip


def test_bot_cuts_what_is_too_long_for_a_message():
    words = "The light turns. " * 400
    with played(capture("a", "anthropic", answer([words]))) as base:
        _, out, _ = run("discord_bot", base, "How?")
    messages = out.replace("[bot] ", "\0").split("\0")[1:]
    assert 4 == len(messages)
    assert all(len(message) <= 2001 and message.strip().endswith(".") for message in messages[:3])
    assert words.split() == "".join(messages).rpartition("completed")[0].split()


def test_bot_shows_what_came_before_a_failure_and_says_it_in_the_readers_language():
    with played(capture("a", "anthropic", answer(PAGE)), faults=[fault_named("cut@60%")]) as base:
        _, out, _ = run("discord_bot", base, "How?", "de")
    assert "[bot] Lighthouses mark the coast." == out.splitlines()[0]
    assert "Verbindung" in out
    assert "error" == out.splitlines()[-1].partition(":")[0]


def test_bot_says_that_it_has_nothing_to_say():
    with played(capture("a", "anthropic", answer())) as base:
        assert ["[bot] *has nothing to say*", "empty: 0 characters, thought: False"] == run(
            "discord_bot", base, "How?"
        )[1].splitlines()


# -- the agent ---------------------------------------------------------------------------------------------------------


def agent_answers():
    oslo, rome = ("call", "toolu_1", "temperature", '{"city":"Oslo"}'), ("call", "", "temperature", '{"city":"Rome"}')
    return (
        capture("one", "anthropic", answer(THOUGHT, ["Let me look."], oslo, finish="tool_calls")),
        capture("two", "gemini", answer(rome, finish="tool_calls")),
        capture("three", "openai-responses", answer(["It is warmer in Rome."])),
    )


def test_agent_takes_its_conversation_from_one_provider_to_the_next():
    asked: list[str] = []
    with played(*agent_answers(), tell=asked.append) as base:
        status, out, err = run("agent_loop", base, "Where?", "anthropic", "gemini", "openai-responses")
    assert (0, "") == (status, err)
    assert "openai-responses: It is warmer in Rome." == out.splitlines()[-1]
    assert [
        "  temperature({'city': 'Oslo'}) = {'city': 'Oslo', 'celsius': 4}",
        "  temperature({'city': 'Rome'}) = {'city': 'Rome', 'celsius': 17}",
    ] == [line for line in out.splitlines() if "celsius" in line]
    assert 3 == len(asked)
    assert "block 0 does not go to gemini as it was: signature" in out


def test_agent_loses_nothing_where_it_stays_with_one_provider():
    first, *_ = agent_answers()
    last = capture("last", "anthropic", answer(["Rome."]))
    with played(first, last) as base:
        _, out, _ = run("agent_loop", base, "Where?", "anthropic")
    assert "does not go" not in out
    assert "anthropic: Rome." == out.splitlines()[-1]


def test_agent_does_not_run_half_a_call():
    first, *_ = agent_answers()
    with played(first, faults=[fault_named("cut@80%")]) as base:
        status, out, err = run("agent_loop", base, "Where?", "anthropic")
    assert 1 == status
    assert "celsius" not in out
    assert "truncated" in err or "failed" in err


# -- VS Code -----------------------------------------------------------------------------------------------------------


def test_back_end_reports_parts_for_two_requests_at_once():
    requests = "".join(json.dumps({"id": id, "model": "lighthouse", "prompt": "Hi"}) + "\n" for id in (1, "b"))
    with played(capture("lighthouse", "openai-chat", answer(THOUGHT, ["Ahoy", " there"]))) as base:
        status, out, err = run("vscode_backend", base, stdin=requests)
    assert (0, "") == (status, err)
    lines = [json.loads(line) for line in out.splitlines()]
    for id in (1, "b"):
        parts = [line["part"] for line in lines if line["id"] == id and "part" in line]
        assert "Ahoy there" == "".join(part["value"] for part in parts if part["type"] == "LanguageModelTextPart")
        assert "Stone, surely." == "".join(
            part["value"] for part in parts if part["type"] == "LanguageModelThinkingPart"
        )
        assert {"id": id, "done": True, "usage": {"inputTokens": 6, "outputTokens": 9}} in lines


def test_back_end_stops_asking_when_a_request_is_cancelled():
    told: list[str] = []
    with played(
        capture("lighthouse", "openai-chat", answer(["Ahoy"])), faults=[fault_named("stall@90%")], tell=told.append
    ) as base:
        child = subprocess.Popen(
            [sys.executable, PROGRAMS / "vscode_backend.py", base],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            print(json.dumps({"id": 1, "model": "lighthouse", "prompt": "Hi"}), file=child.stdin, flush=True)
            assert "Ahoy" == json.loads(child.stdout.readline())["part"]["value"]
            child.communicate(json.dumps({"id": 1, "cancel": True}) + "\n", timeout=30)
            assert 0 == child.returncode
        finally:
            child.kill()
            child.wait()
    assert ["until the client left"] == [line.partition("bytes ")[2].rstrip(")") for line in told]


# -- the contract ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "status", "last"),
    [
        ('{"name":"Faerder","metres":43.5,"colours":["red"]}', 0, '{"name":"Faerder","metres":43.5,"colours":["red"]}'),
        ('{"name":"Faerder","metres":-1}', 1, "$.metres: -1 is less than or equal to the minimum of 0"),
        ('{"name":"Faerder","met', 1, "the output is not JSON"),
        ("It is red.", 1, "the output is not JSON"),
    ],
)
def test_contract_judges_at_the_end(text: str, status: int, last: str):
    with played(capture("lighthouse", "openai-responses", answer([text[:20], text[20:]]))) as base:
        code, out, err = run("output_contract", base, "Describe it")
    assert status == code
    assert (out if code == 0 else err).strip().endswith(last)


def test_values_are_shown_when_they_are_over():
    with played(
        capture(
            "lighthouse", "openai-responses", answer(['{"name":"Faer', 'der","metres":4', '3.5,"colours":["red"]}'])
        )
    ) as base:
        out = run("output_contract", base, "Describe it")[1]
    assert ["  name = 'Faerder'", "  metres = 43.5", "  colours.0 = 'red'"] == out.splitlines()[:3]


# -- keys --------------------------------------------------------------------------------------------------------------


def two_models():
    return capture("best", "openai-chat", answer(["Ahoy"])), capture(
        "spare", "openai-chat", answer(["Ahoy from the spare"])
    )


def test_next_key_is_tried_when_one_met_its_limit():
    with played(*two_models(), faults=[fault_named("429*1")]) as base:
        status, out, err = run("key_rotation", base, "Hi", WEFT_KEYS="secret-one,secret-two")
    assert (0, "") == (status, err)
    assert [
        "  1. best with key 1: failed: rate_limit, fault of the quota",
        "  2. best with key 2: completed",
        "Ahoy",
    ] == out.splitlines()


def test_spare_model_is_asked_when_the_keys_are_used_up():
    with played(*two_models(), faults=[fault_named("429*2")]) as base:
        out = run("key_rotation", base, "Hi", WEFT_KEYS="secret-one,secret-two")[1]
    assert "Ahoy from the spare" == out.splitlines()[-1]
    assert "secret" not in out


def test_request_at_fault_burns_no_key():
    with played(*two_models(), faults=[fault_named("400")]) as base:
        status, out, err = run("key_rotation", base, "Hi", WEFT_KEYS="secret-one,secret-two")
    assert (1, 1) == (status, len(out.splitlines()))
    assert "fault of the client" in out
    assert "failed" in err


def test_answer_that_broke_off_is_taken_back_and_asked_again():
    with played(*two_models(), faults=[fault_named("cut@60%*1")]) as base:
        status, out, _ = run("key_rotation", base, "Hi", WEFT_KEYS="secret-one")
    assert (0, "Ahoy") == (status, out.splitlines()[-1])
    assert 3 == len(out.splitlines())


def test_interrupting_a_program_leaves_the_provider():
    told: list[str] = []
    with played(*two_models(), faults=[fault_named("stall@90%")], tell=told.append) as base:
        child = subprocess.Popen(
            [sys.executable, PROGRAMS / "discord_bot.py", base, "Hi"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert "[bot]" in child.stdout.readline()
            child.send_signal(signal.SIGINT)
            assert 0 != child.wait(30)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()
    assert 1 == len(told)
    assert "until the client left" in told[0]
