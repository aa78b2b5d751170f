"""Steps: events to events. Each keeps a legal stream legal, and does what it says at any cut."""

import json
import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.strategies import legal_streams
from weft import events as ev
from weft.context import Context
from weft.grammar import Checker
from weft.losses import Losses
from weft.message import Message, collect
from weft.steps import chain
from weft.steps.coalesce import Coalesce
from weft.steps.contract import Contract
from weft.steps.limits import Most, OutputLimits
from weft.steps.one_choice import OneChoice
from weft.steps.restore import Restore
from weft.steps.sequential import Sequential
from weft.steps.tap import Tap
from weft.steps.unwrap import Unwrapper
from weft.tools import ToolIdentity, ToolIdentityMap


def through(events, *steps) -> list[ev.Event]:
    out: list[ev.Event] = []
    emit = chain(steps, out.append)
    for event in events:
        emit(event)
    checker = Checker()
    for event in renumbered(out):
        checker.feed(event)
    checker.close()
    return out


def renumbered(events: list[ev.Event]) -> list[ev.Event]:
    """Steps may change the order in which blocks open, but not their numbers: the checker wants them dense."""
    numbers: dict[int, int] = {}
    out = []
    for event in events:
        index = getattr(event, "index", None)
        if index is not None:
            number = numbers.setdefault(index, len(numbers))
            members = {name: getattr(event, name) for name in event.__struct_fields__}
            out.append(type(event)(**{**members, "index": number}))
        else:
            out.append(event)
    return out


def texts(*pieces: str, outcome: str = "completed", reason: str = "stop") -> list[ev.Event]:
    return [
        ev.Start("m"),
        ev.BlockStart(0, "text"),
        *(ev.TextDelta(0, piece) for piece in pieces),
        ev.BlockEnd(0, complete=True),
        ev.End(outcome, (ev.Finish(reason=reason, raw=reason),)),
    ]


def call(name: str, *pieces: str, complete: bool = True) -> list[ev.Event]:
    return [
        ev.Start("m"),
        ev.BlockStart(0, "tool_call", id="c1", name=name),
        *(ev.ArgsDelta(0, piece) for piece in pieces),
        ev.BlockEnd(0, complete=complete),
        ev.End("completed", (ev.Finish(reason="tool_calls"),)),
    ]


def cut(text: str, marks: list[int]) -> list[str]:
    places = [0, *sorted(mark % (len(text) + 1) for mark in marks), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


def content(message: Message):
    return [
        (choice.text, choice.reasoning, [(c.name, c.raw, c.complete) for c in choice.tool_calls])
        for choice in message.choices
    ]


@given(legal_streams(choices=2))
def test_sequential_opens_one_block_at_a_time_and_loses_nothing(events):
    """A18: the first block streams live, the others wait and follow whole and in order."""
    out = through(events, Sequential())
    open_blocks: set[int] = set()
    for event in out:
        if isinstance(event, ev.BlockStart):
            assert not open_blocks
            open_blocks.add(event.index)
        elif isinstance(event, ev.BlockEnd):
            open_blocks.remove(event.index)
    assert sorted(map(repr, events)) == sorted(map(repr, out))
    for index in {event.index for event in events if isinstance(event, ev.BlockStart)}:
        mine = [event for event in events if getattr(event, "index", None) == index]
        assert mine == [event for event in out if getattr(event, "index", None) == index]


def test_the_first_of_two_interleaved_calls_streams_live():
    """A18: call 0 is not held back because call 1 has begun."""
    out: list[ev.Event] = []
    step = Sequential()
    for event in (
        ev.BlockStart(0, "tool_call"),
        ev.BlockStart(1, "tool_call"),
        ev.ArgsDelta(1, "b"),
        ev.ArgsDelta(0, "a"),
    ):
        step(event, out.append)
    assert [ev.BlockStart(0, "tool_call"), ev.ArgsDelta(0, "a")] == out


def test_blocks_that_come_whole_wait_for_nobody_and_nobody_for_them():
    first = [ev.BlockStart(0, "tool_call", id="a", name="f"), ev.ArgsDelta(0, "{"), ev.BlockStart(1, "text")]
    rest = [ev.TextDelta(1, "x"), ev.ArgsDelta(0, "}"), ev.BlockEnd(0, True), ev.BlockEnd(1, True)]
    out: list[ev.Event] = []
    step = Sequential({"tool_call"})
    for event in [*first, *rest]:
        step(event, out.append)
    assert [*first, *rest] == out


@given(legal_streams(choices=3))
def test_one_choice_keeps_the_first_and_declares_the_rest(events):
    """B8."""
    losses = Losses()
    out = through(events, OneChoice(losses))
    others = {event.choice for event in events if isinstance(event, ev.BlockStart) and event.choice}
    assert {f"choice {number}" for number in others} == {loss.where for loss in losses.report()}
    assert content(collect(events))[:1] == content(collect(out))[:1]


@given(legal_streams())
def test_coalesce_and_tap_change_no_content(events):
    seen: list[ev.Event] = []
    out = through(events, Tap(seen.append), Coalesce(5))
    assert events == seen
    assert content(collect(events)) == content(collect(out))


def test_coalesce_joins_neighbours():
    out = through(texts("a", "b", "c"), Coalesce())
    assert ["abc"] == [event.text for event in out if isinstance(event, ev.TextDelta)]


def test_coalesce_joins_reasoning_within_a_part():
    deltas = [ev.ReasoningDelta(0, text, part) for text, part in (("a", 0), ("b", 0), ("c", 1))]
    events = [ev.Start("m"), ev.BlockStart(0, "reasoning"), *deltas, ev.BlockEnd(0, True), ev.End("completed")]
    out = through(events, Coalesce())
    assert [ev.ReasoningDelta(0, "ab", 0), ev.ReasoningDelta(0, "c", 1)] == [
        e for e in out if isinstance(e, ev.ReasoningDelta)
    ]


@pytest.mark.parametrize(
    ("form", "text", "outcome"),
    [
        ("json", "[1]", "completed"),
        ("json", '{"a":', "failed"),
        ("json_object", '{"a":1}', "completed"),
        ("json_object", "[1]", "failed"),
        ({"type": "object", "required": ["a"]}, '{"a":1}', "completed"),
        ({"type": "object", "required": ["a"]}, '{"b":1}', "failed"),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a":"x"}', "failed"),
    ],
)
def test_the_contract_is_judged_at_the_deferred_terminal(form, text, outcome):
    """G8, G9: a completed answer that breaks its promise becomes a failed one; what was said stays said."""
    out = through(texts(*text), Contract(form))
    assert (outcome, text) == (out[-1].outcome, collect(out).text)
    if outcome == "failed":
        assert "bridge.response.invalid_output_format" == out[-1].error.code


@pytest.mark.parametrize(
    ("given_outcome", "reason"), [("incomplete", "length"), ("completed", "tool_calls"), ("completed", "refusal")]
)
def test_what_promised_nothing_is_not_judged(given_outcome, reason):
    assert (
        given_outcome == through(texts("not json", outcome=given_outcome, reason=reason), Contract("json"))[-1].outcome
    )


def chat(*deltas: dict, finish: str | None = "stop") -> bytes:
    frames = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    frames.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return b"".join(b"data: " + json.dumps({"id": "x", "model": "m", **frame}).encode() + b"\n\n" for frame in frames)


def test_a_broken_contract_is_the_failure_that_seed_001_sends():
    """requirements 1.1.9: the terminal is rewritten, and its code is server_error."""
    pipe = weft.Pipe("openai-chat", "openai-responses", steps=[Contract("json")])
    out = pipe.feed(chat({"content": "no"})) + pipe.close()
    last = json.loads(out.decode().strip().splitlines()[-1].removeprefix("data: "))
    reason = "bridge.response.invalid_output_format: the output is not JSON"
    assert ("response.failed", "failed", None) == (
        last["type"],
        last["response"]["status"],
        last["response"]["incomplete_details"],
    )
    error = last["response"]["error"]
    assert ("server_error", reason, "response.output_text") == (error["code"], error["message"], error["param"])
    assert ("failed", ["contract_broken"]) == (pipe.outcome, [note.code for note in pipe.notes])


@pytest.mark.parametrize(
    ("schema", "text", "reason"),
    [
        ({"items": {"$ref": "#"}}, "[" * 900 + "]" * 900, "nested too deeply"),
        ({"$ref": "#/$defs/none"}, "{}", "refers to what it does not have"),
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "{}", "refers to what it does not have"),
        ({"type": "object"}, '"' + "x" * 100_000 + '"', "$: 'xxx"),
    ],
)
def test_a_schema_that_cannot_judge_fails_the_contract_and_does_not_raise(schema, text, reason):
    error = through(texts(text), Contract(schema))[-1].error
    assert reason in error.message
    assert len(error.message) < 400


def test_a_schema_may_refer_to_the_drafts_themselves():
    form = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert ["completed", "failed"] == [through(texts(text), Contract(form))[-1].outcome for text in ("{}", "5")]


def test_a_contract_of_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="not 'xml'"):
        Contract("xml")


def test_each_of_several_choices_keeps_its_promise_for_itself():
    """Choice 0 was cut, and promised nothing; choice 1 came to its end, and is no JSON."""
    blocks = [
        e for n in (0, 1) for e in (ev.BlockStart(n, "text", choice=n), ev.TextDelta(n, "{"), ev.BlockEnd(n, True))
    ]
    end = ev.End("incomplete", (ev.Finish(0, "length"), ev.Finish(1, "stop")))
    last = through([ev.Start("m"), *blocks, end], Contract("json"))[-1]
    assert ("failed", True) == (last.outcome, "choice 1: the output is not JSON" in last.error.message)


def test_the_last_step_is_the_answer_and_commentary_is_none():
    said = [("prose", 0, None), ("more prose", 1, "commentary"), ("[1]", 1, None)]
    blocks = [
        event
        for n, (text, step, channel) in enumerate(said)
        for event in (ev.BlockStart(n, "text", step=step, channel=channel), ev.TextDelta(n, text), ev.BlockEnd(n, True))
    ]
    out: list[ev.Event] = []
    step = Contract("json")
    for event in [*blocks, ev.End("completed", (ev.Finish(reason="stop"),))]:
        step(event, out.append)
    assert "completed" == out[-1].outcome


@pytest.mark.parametrize("step", [Contract("json"), OutputLimits(Most(text=3))])
def test_what_one_stream_said_is_not_held_against_the_next(step):
    for outcome, text in (("failed", "nope"), ("completed", "[1]")):
        assert outcome == through(texts(text), step)[-1].outcome


def test_a_limit_cuts_the_stream_and_keeps_what_came():
    out = through(texts("abc", "def", "ghi"), OutputLimits(Most(text=5)))
    assert ("abc", "failed", "limit", "text") == (
        collect(out).text,
        out[-1].outcome,
        out[-1].error.type,
        out[-1].error.parameter,
    )


@given(legal_streams())
def test_limits_that_are_not_reached_change_nothing(events):
    assert events == through(events, OutputLimits(Most(text=10_000, calls=100, blocks=100, arguments=10_000)))


CUSTOM = ToolIdentityMap([ToolIdentity(provider_name="patch_it", requested_name="patch", requested_type="custom")])


@given(st.text(max_size=30), st.lists(st.integers(0, 200), max_size=8), st.booleans())
def test_a_custom_tools_input_streams_unwrapped_at_any_cut(text, marks, ascii_only):
    """A25, D15: raw input, not JSON."""
    wrapped = json.dumps({"input": text}, ensure_ascii=ascii_only)
    got = collect(through(call("patch_it", *cut(wrapped, marks)), Restore(CUSTOM))).tool_calls[0]
    assert (text, "patch", "custom", True) == (got.raw, got.name, got.tool, got.complete)


def test_a_custom_tools_input_comes_out_before_it_is_whole():
    out: list[ev.Event] = []
    step = Restore(CUSTOM)
    for event in call("patch_it", '{"input": "abc', "def"):
        if not isinstance(event, ev.BlockEnd | ev.End):
            step(event, out.append)
    assert ["abc", "def"] == [event.text for event in out if isinstance(event, ev.ArgsDelta)]


def test_a_reader_restores_as_a_pipe_does():
    data, context = b"".join(map(weft.to_json, call("patch_it", '{"input": "abc"}'))), weft.Context(tools=CUSTOM)
    read = collect(weft.read(data, "events", context=context)).tool_calls
    pipe = weft.Pipe("events", "events", context=context)
    pipe.feed(data)
    pipe.close()
    assert [("patch", "custom", "abc")] == [(got.name, got.tool, got.raw) for got in read]
    assert pipe.message.tool_calls == read


@pytest.mark.parametrize("raw", ['{"other": 1}', "not json", '{"input": 5}', ""])
def test_a_custom_call_that_never_had_the_form_closes_incomplete_with_its_raw_text(raw):
    """DESIGN: tool restore; D16: the type never changes between added and done."""
    got = collect(through(call("patch_it", *raw), Restore(CUSTOM))).tool_calls[0]
    assert (raw, "custom", False) == (got.raw, got.tool, got.complete)


def test_a_custom_input_that_ends_in_half_a_character_is_given_whole():
    for raw, text in ((r'{"input":"abc\ud83d"}', "abc\ufffd"), (r'{"input":"a\\ud83d"}', r"a\ud83d")):
        got = collect(through(call("patch_it", *raw), Restore(CUSTOM))).tool_calls[0]
        assert (text, True) == (got.raw, got.complete)


def test_what_follows_a_custom_input_costs_no_more_than_its_length():
    unwrapper = Unwrapper()
    assert "a" == unwrapper.feed('{"input":"a","other":"')
    began = time.perf_counter()
    for _ in range(200_000):
        unwrapper.feed("xxxxxxxxxxxxxxxx")
    assert time.perf_counter() - began < 2
    unwrapper.feed('"}')
    assert ("", True) == unwrapper.finish()


NATIVE = ToolIdentityMap(
    [
        ToolIdentity(provider_name=f"{kind}_fn", requested_name=kind, requested_type=kind)
        for kind in ("local_shell", "shell", "apply_patch")
    ]
)


@pytest.mark.parametrize(
    ("name", "arguments", "tool", "action"),
    [
        ("local_shell_fn", {"cmd": ["ls"]}, "local_shell", {"type": "exec", "command": ["ls"], "env": {}}),
        ("local_shell_fn", {"command": ["ls"], "env": {"A": "b", "N": 1}, "timeout_ms": 5}, "local_shell",
         {"type": "exec", "command": ["ls"], "env": {"A": "b"}, "timeout_ms": 5}),
        ("shell_fn", {"commands": ["ls", "pwd"]}, "shell", {"commands": ["ls", "pwd"]}),
        ("apply_patch_fn", {"operation": {"type": "delete_file", "path": "a"}}, "apply_patch", {"type": "delete_file", "path": "a"}),
        ("shell_fn", {"commands": "ls"}, "function", {"commands": "ls"}),
        ("apply_patch_fn", {"operation": {"type": "update_file", "path": "a"}}, "function", {"operation": {"type": "update_file", "path": "a"}}),
    ],
)  # fmt: skip
def test_shell_and_patch_calls_are_held_and_sent_whole(name, arguments, tool, action):
    """D13: seed 001's table; what does not have the form stays a function's."""
    got = collect(through(call(name, *json.dumps(arguments)), Restore(NATIVE))).tool_calls[0]
    assert (tool, action, True) == (got.tool, json.loads(got.raw), got.complete)


def test_a_restored_shell_call_is_an_item_of_its_own_in_responses():
    stream = b"".join(weft.to_json(event) + b"\n" for event in call("local_shell_fn", '{"cmd":["ls"]}'))
    out = weft.convert(stream, "events", "openai-responses", context=Context(tools=NATIVE)).decode()
    kinds = re.findall(r'"type":"(\w+_call)"', out)
    assert {"local_shell_call"} == set(kinds)


def test_events_that_are_read_are_of_the_restored_tools_too():
    stream = b"".join(weft.to_json(event) + b"\n" for event in call("local_shell_fn", '{"cmd":["ls"]}'))
    start = next(e for e in weft.read(stream, "events", context=Context(tools=NATIVE)) if isinstance(e, ev.BlockStart))
    assert ("local_shell", "local_shell") == (start.name, start.tool)


def test_blocks_that_waited_are_numbered_as_they_open():
    """Law 4: what leaves is a legal stream, though the shell's call opens behind the text that came after it."""
    start, args, end = call("local_shell_fn", '{"cmd":["ls"]}')[1:4]
    text = [ev.BlockStart(1, "text"), ev.TextDelta(1, "Hi")]
    events = [ev.Start("m"), start, *text, args, end, ev.BlockEnd(1, complete=True), ev.End("completed")]
    stream = b"".join(weft.to_json(event) + b"\n" for event in events)
    out = list(weft.read(stream, "events", context=Context(tools=NATIVE)))
    assert [(0, "text"), (1, "tool_call")] == [(e.index, e.kind) for e in out if isinstance(e, ev.BlockStart)]
    checker = Checker()
    for event in out:
        checker.feed(event)
    assert ("Hi", ["local_shell"]) == (collect(out).text, [c.tool for c in collect(out).tool_calls])


def test_two_tools_under_one_provider_name_are_refused():
    tools = ToolIdentityMap([ToolIdentity(provider_name="a", requested_name="x")])
    with pytest.raises(ValueError, match="stands for 'x' already"):
        tools.add(ToolIdentity(provider_name="a", requested_name="y"))


def test_a_plain_function_is_a_step():
    def shout(event, emit):
        emit(ev.TextDelta(event.index, event.text.upper()) if isinstance(event, ev.TextDelta) else event)

    assert b"HI" == weft.convert(
        b"".join(weft.to_json(e) + b"\n" for e in texts("hi")), "events", "text", steps=[shout]
    )
