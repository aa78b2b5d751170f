"""Ollama as a target: the lines that its SDKs read, and what becomes of what they cannot say (atlas 3.5, A.5, A.8)."""

import json

import pytest

import weft
from tests.encoders.rounds import (
    read,
    whole,
    words,
)
from tests.encoders.test_totality import encode
from weft import events as ev
from weft.errors import make_error

START = ev.Start("r1", "m1", None, 60, True)
STOP = ev.End("completed", (ev.Finish(reason="stop", raw="stop"),))
CLAUDE = ev.Origin("anthropic", model="claude")
# The channels and bare lines of a tagged stream are not Ollama's own, and a failure has but its text.


def block(index: int, kind: str, *inside: ev.Event, complete: bool = True, **more) -> list[ev.Event]:
    return [ev.BlockStart(index, kind, **more), *inside, ev.BlockEnd(index, complete)]


def call(index: int, args: str, complete: bool = True, **more) -> list[ev.Event]:
    return block(
        index, "tool_call", ev.ArgsDelta(index, args), complete=complete, **{"id": f"c{index}", "name": "look", **more}
    )


def lines(out: bytes) -> list[dict]:
    """The lines; none of them is empty."""
    assert b"\n\n" not in out
    return [json.loads(line) for line in out.splitlines()]


def said(*events: ev.Event) -> tuple[list[dict], list[str]]:
    out, losses = encode("ollama", [START, *events])
    return lines(out), words(losses.report())


def test_the_golden_order_thinking_content_call_done():
    """Atlas 3.5: each line is whole, durations are left out."""
    told, lost = said(
        *block(0, "reasoning", ev.ReasoningDelta(0, "Hm.")),
        *block(1, "text", ev.TextDelta(1, "Hel"), ev.TextDelta(1, "lo")),
        *call(2, '{"a":1}'),
        ev.End("completed", (ev.Finish(reason="tool_calls", raw="tool_use"),), ev.Usage(9, 4, 13)),
    )

    def line(message, done=False, **more):
        message = {"role": "assistant", "content": "", **message}
        return {"model": "m1", "created_at": "1970-01-01T00:01:00Z", "message": message, "done": done, **more}

    function = {"index": 0, "name": "look", "arguments": {"a": 1}}
    assert [
        line({"thinking": "Hm."}),
        line({"content": "Hel"}),
        line({"content": "lo"}),
        line({"tool_calls": [{"id": "c2", "function": function}]}),
        line({}, True, done_reason="stop", prompt_eval_count=9, eval_count=4),
    ] == told
    assert [] == lost


def test_a_time_is_text_even_where_none_is_known():
    """A.8: a number is refused."""
    out, _ = encode("ollama", [ev.Start("r1", "m1", made=True), STOP])
    assert "0001-01-01T00:00:00Z" == lines(out)[0]["created_at"]
    assert read(out, "ollama").created is None


def test_line_breaks_of_unicode_are_escaped():
    """A.8: the Python SDK splits lines at them."""
    out, _ = encode("ollama", [START, *block(0, "text", ev.TextDelta(0, "a\u2028b\u0085c")), STOP])
    assert not {"\u2028", "\u0085"} & set(out.decode())
    assert "a\u2028b\u0085c" == read(out, "ollama").text


@pytest.mark.parametrize(
    ("reason", "raw", "word"),
    [
        ("stop", "end_turn", "stop"),
        ("tool_calls", "tool_use", "stop"),
        ("length", "max_tokens", "length"),
        ("content_filter", "SAFETY", "stop"),
        ("refusal", "refusal", "stop"),
        ("pause", "pause_turn", "stop"),
        ("other", "unload", "unload"),
        (None, None, "stop"),
    ],
)
def test_finishes(reason, raw, word):
    """Atlas 6.1b."""
    told, lost = said(ev.End("completed", (ev.Finish(0, reason, raw),)))
    assert word == told[-1]["done_reason"]
    assert (reason in ("content_filter", "refusal", "pause")) == ("finish_other" in lost)


@pytest.mark.parametrize("outcome", ["failed", "truncated", "incomplete"])
@pytest.mark.parametrize("before", [[], block(0, "text", ev.TextDelta(0, "half"), complete=False)])
def test_a_failure_is_an_error_line_and_none_that_is_done(outcome, before):
    """Atlas 4.5."""
    kind = {"failed": "overloaded", "incomplete": "cancelled"}.get(outcome, outcome)
    told, lost = said(*before, ev.End(outcome, (), None, make_error(kind, "what went wrong")))
    assert {"error": "what went wrong"} == told.pop()
    assert not any(line["done"] for line in told)
    assert ["error_detail"] == lost


def test_a_call_that_was_cut_off_is_left_out():
    told, lost = said(*call(0, '{"a":1}', complete=False), ev.End("incomplete", (ev.Finish(reason="length"),)))
    assert [{"role": "assistant", "content": ""}] == [line["message"] for line in told]
    assert ("length", ["incomplete"]) == (told[-1]["done_reason"], lost)


def test_a_call_that_ended_and_is_no_object_is_an_error_as_ollama_says_it():
    told, lost = said(*call(0, '{"a":', complete=False), STOP)
    assert [{"error": "error parsing tool call: raw='{\"a\":'"}] == told
    assert ["args_invalid"] == lost


def test_arguments_keep_their_own_text_on_one_line():
    out, losses = encode("ollama", [START, *call(0, '{"a": 1e400, "b": "x"}'), STOP])
    assert b'"arguments":{"a": 1e400, "b": "x"}' in out
    assert [] == losses.report()
    assert ["args_text"] == said(*call(0, '{\n"a": 1}'), STOP)[1]


def test_losses_are_reported():
    _, lost = said(
        *block(0, "reasoning", ev.ReasoningDelta(0, "x", 0, "summary"), ev.Signature(0, "s", CLAUDE)),
        *block(1, "text", ev.TextDelta(1, "a"), ev.Annotation(1, "url_citation", url="https://example.org")),
        *block(2, "text", ev.TextDelta(2, "b")),
        *block(3, "file", ev.File(3, "image/png", "aGk=")),
        *call(4, "{}", executor="provider"),
        *block(5, "tool_result", ev.Result(5, "c4", "x")),
        *block(6, "opaque", ev.Opaque(6, {}, CLAUDE)),
        *call(7, "free text", tool="custom"),
        ev.End("completed", (ev.Finish(reason="stop"),), ev.Usage(1, 2, 3, 1, None, 1)),
    )
    expected = "annotation blocks executor file opaque reasoning_form signature tool_kind tool_result usage_split"
    assert expected.split() == lost


def test_the_whole_reply_is_one_line_with_everything():
    message = weft.collect([START, *block(0, "reasoning", ev.ReasoningDelta(0, "Hm.")), *call(1, "{}"), STOP])
    body = json.loads(whole(message, "ollama")[0])
    assert (True, "Hm.", "look") == (
        body["done"],
        body["message"]["thinking"],
        body["message"]["tool_calls"][0]["function"]["name"],
    )
