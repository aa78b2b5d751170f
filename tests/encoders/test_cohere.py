"""Cohere as a target: the events that its SDK reads, and what becomes of what they cannot say (atlas 2.8)."""

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

START = ev.Start("r1", made=True)
STOP = ev.End("completed", (ev.Finish(reason="stop", raw="stop"),))
CLAUDE = ev.Origin("anthropic", model="claude")


def block(index: int, kind: str, *inside: ev.Event, complete: bool = True, **more) -> list[ev.Event]:
    return [ev.BlockStart(index, kind, **more), *inside, ev.BlockEnd(index, complete)]


def call(index: int, args: str, complete: bool = True, **more) -> list[ev.Event]:
    return block(
        index, "tool_call", ev.ArgsDelta(index, args), complete=complete, **{"id": f"c{index}", "name": "look", **more}
    )


def events(out: bytes) -> list[dict]:
    """The events; each is named, by its line and in itself."""
    found: list[dict] = []
    for frame in out.decode().removesuffix("\n\n").split("\n\n"):
        name, data = frame.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert f"event: {found[-1]['type']}" == name
    return found


def said(*happened: ev.Event) -> tuple[list[dict], list[str]]:
    out, losses = encode("cohere", [START, *happened])
    return events(out), words(losses.report())


def message(**members) -> dict:
    return {"delta": {"message": members}}


def test_the_golden_order():
    """Atlas 2.8.2: an index counts within its kind."""
    told, lost = said(
        *block(0, "reasoning", ev.ReasoningDelta(0, "Hm.")),
        *block(1, "text", ev.TextDelta(1, "Hel"), ev.TextDelta(1, "lo")),
        *call(2, '{"a":1}'),
        ev.End("completed", (ev.Finish(reason="tool_calls", raw="x"),), ev.Usage(9, 4, 13, 3)),
    )
    function = {"name": "look", "arguments": ""}
    usage = {"tokens": {"input_tokens": 9, "output_tokens": 4}, "cached_tokens": 3}
    empty = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    call_start = {"id": "c2", "type": "function", "function": function}
    assert [
        {"type": "message-start", "id": "r1", **message(**empty)},
        {"type": "content-start", "index": 0, **message(content={"type": "thinking", "thinking": ""})},
        {"type": "content-delta", "index": 0, **message(content={"thinking": "Hm."})},
        {"type": "content-end", "index": 0},
        {"type": "content-start", "index": 1, **message(content={"type": "text", "text": ""})},
        {"type": "content-delta", "index": 1, **message(content={"text": "Hel"})},
        {"type": "content-delta", "index": 1, **message(content={"text": "lo"})},
        {"type": "content-end", "index": 1},
        {"type": "tool-call-start", "index": 0, **message(tool_calls=call_start)},
        {"type": "tool-call-delta", "index": 0, **message(tool_calls={"function": {"arguments": '{"a":1}'}})},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": usage}},
    ] == told
    assert [] == lost


@pytest.mark.parametrize(
    ("reason", "raw", "word"),
    [
        ("stop", "stop", "COMPLETE"),
        ("stop", "STOP_SEQUENCE", "STOP_SEQUENCE"),
        ("tool_calls", "tool_use", "TOOL_CALL"),
        ("length", "length", "MAX_TOKENS"),
        ("content_filter", "SAFETY", "ERROR_TOXIC"),
        ("refusal", "refusal", "COMPLETE"),
        ("pause", "pause_turn", "COMPLETE"),
        ("other", "weird", "COMPLETE"),
        (None, None, "COMPLETE"),
    ],
)
def test_finishes(reason, raw, word):
    told, lost = said(ev.End("completed", (ev.Finish(0, reason, raw),)))
    assert word == told[-1]["delta"]["finish_reason"]
    assert (["finish_other"] if reason in ("refusal", "pause", "other") else []) == lost


@pytest.mark.parametrize(
    ("kind", "word"), [("overloaded", "ERROR"), ("timeout", "TIMEOUT"), ("truncated", "ERROR"), ("cancelled", "ERROR")]
)
@pytest.mark.parametrize("before", [[], block(0, "text", ev.TextDelta(0, "half"), complete=False)])
def test_a_failure_is_told_at_the_end(kind, word, before):
    """Atlas 2.8.3."""
    outcome = {"truncated": "truncated", "cancelled": "incomplete"}.get(kind, "failed")
    told, _ = said(*before, ev.End(outcome, (), ev.Usage(1, 2, 3), make_error(kind, "what went wrong")))
    usage = {"tokens": {"input_tokens": 1, "output_tokens": 2}}
    assert {"finish_reason": word, "error": "what went wrong", "usage": usage} == told[-1]["delta"]


def test_a_call_that_was_cut_off_is_not_ended():
    told, _ = said(
        *call(0, '{"a":1}', complete=False), *call(1, "{}"), ev.End("incomplete", (ev.Finish(reason="length"),))
    )
    assert [1] == [event["index"] for event in told if event["type"] == "tool-call-end"]


def test_the_plan_stays_a_plan():
    out, losses = encode(
        "cohere", [START, *block(0, "reasoning", ev.ReasoningDelta(0, "I will"), channel="tool_plan"), STOP]
    )
    assert {"type": "tool-plan-delta", **message(tool_plan="I will")} == events(out)[1]
    assert [] == losses.report()


def test_a_citation_stands_where_it_stood():
    note = ev.Annotation(0, "url_citation", 0, 5, "https://example.org", "Example", "Hello")
    told, lost = said(*block(0, "text", ev.TextDelta(0, "Hello"), note), STOP)
    document = {"url": "https://example.org", "title": "Example"}
    source = {"type": "document", "id": "https://example.org", "document": document}
    place = {"start": 0, "end": 5, "text": "Hello", "content_index": 0, "type": "TEXT_CONTENT"}
    cited = {"type": "citation-start", "index": 0, **message(citations={**place, "sources": [source]})}
    assert [cited, {"type": "citation-end", "index": 0}, {"type": "content-end", "index": 0}] == told[3:6]
    assert [] == lost


def test_a_custom_tool_is_wrapped_as_it_streams():
    pieces = [ev.ArgsDelta(0, 'ls "-l'), ev.ArgsDelta(0, "\n")]
    out, losses = encode("cohere", [START, *block(0, "tool_call", *pieces, id="c", name="sh", tool="custom"), STOP])
    assert {"input": 'ls "-l\n'} == read(out, "cohere").tool_calls[0].arguments
    assert ["tool_kind"] == words(losses.report())


def test_losses_are_reported():
    _, lost = said(
        *block(0, "reasoning", ev.ReasoningDelta(0, "x", 0, "summary"), ev.Signature(0, "s", CLAUDE)),
        *block(1, "text", ev.TextDelta(1, "a", [{"token": "a"}]), ev.Annotation(1, "file_citation")),
        *block(2, "file", ev.File(2, "image/png", "aGk=")),
        *call(3, "{}", executor="provider"),
        *block(4, "tool_result", ev.Result(4, "c3", "x")),
        *block(5, "opaque", ev.Opaque(5, {}, CLAUDE)),
        *block(6, "text", ev.TextDelta(6, "b"), channel="commentary"),
        ev.End("completed", (ev.Finish(reason="stop"),), ev.Usage(1, 2, 3, None, 1)),
    )
    expected = "annotation channel executor file logprobs opaque reasoning_form signature tool_result usage_split"
    assert expected.split() == lost


def test_a_whole_reply_has_no_call_that_was_cut_off():
    end = ev.End("incomplete", (ev.Finish(reason="length", raw="length"),))
    body, lost = whole(weft.collect([START, *call(0, '{"a":', complete=False), end]), "cohere")
    assert ({"role": "assistant"}, ["incomplete"]) == (json.loads(body)["message"], lost)
