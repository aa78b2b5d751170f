"""Cohere's v2 chat as a source."""

import json

import pytest

import weft
from weft.events import Annotation, BlockStart, TextDelta, Unknown
from weft.reader import Reader
from weft.testing import check_protocol
from weft.testing.laws import check_whole_reply

from .cohere_events import START, USAGE, call, call_delta, call_start, citation, content, ended, plan, read, stream
from .wire import end, events, message, note_codes


def kinds(got):
    return [part.__struct_config__.tag for part in got.blocks]


# --- content -------------------------------------------------------------------------------------------------------


def test_text():
    got = read(START, content(0, "Blue", " sky."), ended())
    assert ("66dec7d7", "Blue sky.", "completed") == (got.id, got.text, got.outcome)
    assert ("stop", "COMPLETE") == (got.finish, got.finish_raw)


def test_thinking_then_text():
    got = read(START, content(0, "Hm", "m.", kind="thinking"), content(1, "x"), ended())
    assert (["reasoning", "text"], "Hmm.", "x") == (kinds(got), got.reasoning, got.text)


def test_text_in_the_announcement_is_not_lost():
    """A11"""
    start = {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": "He"}}}}
    assert "Hello" == read(START, start, content(0, "llo")[1:], ended()).text


def test_content_that_was_not_announced():
    assert "x" == read(START, content(0, "x")[1:], ended()).text


def test_empty_content_is_no_block():
    """B12"""
    assert [] == read(START, content(0), ended()).blocks


def test_logprobs_stay_with_their_text():
    """B9"""
    odds = {"token_ids": [7], "logprobs": [-0.1]}
    spoken = content(0, "x")
    spoken[1]["logprobs"] = odds
    got = [event for event in events(stream(START, spoken, ended()), "cohere") if isinstance(event, TextDelta)]
    assert [TextDelta(0, "x", [{"token": "x", "token_id": 7, "logprob": -0.1}])] == got


# --- the plan and the calls ----------------------------------------------------------------------------------------


def test_plan_is_reasoning_on_a_channel_of_its_own():
    data = stream(START, plan("I will", " look."), call(0, "look", "{}"), ended("TOOL_CALL"))
    assert "I will look." == message(data, "cohere").reasoning
    opened = [(e.kind, e.channel) for e in events(data, "cohere") if isinstance(e, BlockStart)]
    assert [("reasoning", "tool_plan"), ("tool_call", None)] == opened


def test_plan_ends_before_what_follows_it():
    for follower in (content(0, "x"), call(0, "f", "{}")):
        got = [event.type for event in events(stream(START, plan("p"), follower, ended()), "cohere")]
        assert ["block-start", "reasoning-delta", "block-end", "block-start"] == got[1:5]


def test_call_is_an_object_and_its_arguments_come_in_pieces():
    """Q-H1"""
    got = read(START, call(0, "look", '{"', 'at": "s', 'ky"}'), ended("TOOL_CALL"))
    (only,) = got.tool_calls
    assert ("c1", "look", {"at": "sky"}, '{"at": "sky"}', True) == (
        only.id,
        only.name,
        only.arguments,
        only.raw,
        only.complete,
    )
    assert ("tool_calls", "TOOL_CALL") == (got.finish, got.finish_raw)


def test_call_in_a_list_is_read_as_well():
    start = call_start(0, "f")
    start["delta"]["message"]["tool_calls"] = [start["delta"]["message"]["tool_calls"]]
    assert ["f"] == [c.name for c in read(START, start, call(0, "f", "{}")[1:], ended("TOOL_CALL")).tool_calls]


def test_an_index_counts_within_its_kind():
    """Q-H2: content 0 and call 0 are open at the same time."""
    spoken, called = content(0, "a", "b"), call(0, "f", '{"n":', "1}")
    mixed = [x for pair in zip(spoken, called, strict=True) for x in pair]
    got = read(START, mixed, ended("TOOL_CALL"))
    assert ("ab", [{"n": 1}]) == (got.text, [c.arguments for c in got.tool_calls])


def test_interleaved_calls():
    """A18"""
    got = read(
        START,
        call_start(0, "f", "a"),
        call_start(1, "g", "b"),
        call_delta(0, '{"n"'),
        call_delta(1, '{"m"'),
        call_delta(0, ":1}"),
        call_delta(1, ":2}"),
        {"type": "tool-call-end", "index": 0},
        {"type": "tool-call-end", "index": 1},
        ended("TOOL_CALL"),
    )
    assert [("a", {"n": 1}), ("b", {"m": 2})] == [(c.id, c.arguments) for c in got.tool_calls]


@pytest.mark.parametrize("pieces", [(), ("",), ("{}",)])
def test_call_without_arguments(pieces):
    """A7"""
    (only,) = read(START, call(0, "now", *pieces), ended("TOOL_CALL")).tool_calls
    assert ({}, True) == (only.arguments, only.complete)


def test_call_without_an_id_gets_one():
    """A3"""
    start = call_start(0, "f")
    del start["delta"]["message"]["tool_calls"]["id"]
    (only,) = read(START, start, call(0, "f", "{}")[1:], ended("TOOL_CALL")).tool_calls
    assert (True, True) == (bool(only.id), only.made_id)


def test_cut_call_is_not_complete():
    """A9"""
    got = read(START, call_start(0, "f"), call_delta(0, '{"a": 1, "b'), ended("MAX_TOKENS"))
    assert [(None, '{"a": 1, "b', False)] == [(c.arguments, c.raw, c.complete) for c in got.tool_calls]
    assert ("incomplete", "length") == (got.outcome, got.finish)


# --- citations -----------------------------------------------------------------------------------------------------

SOURCE = {
    "type": "document",
    "id": "doc:0",
    "document": {"id": "doc:0", "title": "Notes", "url": "https://n.example", "text": "It is blue."},
}


def test_citation_names_its_content():
    """B11: offsets are characters of that block."""
    cited = citation(0, start=4, end=8, text="blue", content_index=1, type="TEXT_CONTENT", sources=[SOURCE])
    spoken = content(1, "Sky blue")
    got = read(START, content(0, "Hm", kind="thinking"), spoken[:-1], cited, spoken[-1:], ended())
    (note,) = got.blocks[1].annotations
    assert ("document", 4, 8, "blue", "Notes", "https://n.example") == (
        note.kind,
        note.start,
        note.end,
        note.text,
        note.title,
        note.url,
    )
    assert [SOURCE] == note.raw["sources"]


@pytest.mark.parametrize("where", [{}, {"content_index": None}])
def test_citation_without_an_address_is_of_the_last_text(where):
    cited = citation(
        0, start=0, end=1, text="x", sources=[{"type": "tool", "id": "c1:0", "tool_output": {"a": "1"}}], **where
    )
    spoken = content(2, "xyz")
    got = read(START, content(1, "Hm", kind="thinking"), spoken[:-1], cited, spoken[-1:], ended())
    assert [[], ["tool"]] == [[note.kind for note in part.annotations] for part in got.blocks]


def test_citation_of_the_plan():
    got = read(
        START,
        plan("I know it."),
        citation(0, start=2, end=6, text="know", type="PLAN", sources=[]),
        call(0, "f", "{}"),
        ended("TOOL_CALL"),
    )
    assert ["citation"] == [note.kind for note in got.blocks[0].annotations]


def test_citation_0_is_not_content_0():
    """Q-H2"""
    spoken = content(0, "ab", "cd")
    cited = citation(0, start=0, end=2, text="ab", sources=[], content_index=0)
    assert "abcd" == read(START, spoken[:2], cited, spoken[2:], ended()).text


def test_citation_with_odd_members():
    data = stream(START, content(0, "x")[:-1], citation(0, start="0", end=None, text=5, sources="?"), ended())
    (note,) = [event for event in events(data, "cohere") if isinstance(event, Annotation)]
    assert ("citation", None, None, None) == (note.kind, note.start, note.end, note.text)


# --- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "finish", "outcome", "kind"),
    [
        ("COMPLETE", "stop", "completed", None),
        ("STOP_SEQUENCE", "stop", "completed", None),
        ("MAX_TOKENS", "length", "incomplete", None),
        ("TOOL_CALL", "stop", "completed", None),
        ("ERROR", "error", "failed", "server"),
        ("TIMEOUT", "error", "failed", "timeout"),
        ("ERROR_TOXIC", "content_filter", "incomplete", "content_blocked"),
        ("ERROR_LIMIT", "error", "failed", "context_length"),
        ("USER_CANCEL", "other", "completed", None),
        ("TOMORROWS", "other", "completed", None),
        (None, None, "completed", None),
    ],
)
def test_finish_reasons(raw, finish, outcome, kind):
    """C6"""
    got = end(stream(START, content(0, "x"), ended(raw)), "cohere")
    assert (outcome, finish) == (got.outcome, got.finishes[0].reason)
    assert kind == (got.error.type if got.error else None)


def test_complete_with_a_call_is_a_tool_finish():
    """C1"""
    assert "tool_calls" == read(START, call(0, "f", "{}"), ended("COMPLETE")).finish


@pytest.mark.parametrize(
    ("finish", "text", "kind"),
    [
        ("ERROR", "the model could not go on", "server"),
        ("TIMEOUT", "the model took too long", "timeout"),
        ("ERROR", "too many tokens: the prompt is too long", "context_length"),
        ("COMPLETE", "odd", "server"),
        (None, "no reason", "server"),
    ],
)
def test_error_in_message_end(finish, text, kind):
    """Q-H3, D1, D12: the usage beside it counts."""
    got = read(START, content(0, "x"), ended(finish, error=text))
    assert ("failed", kind, text, 70) == (got.outcome, got.error.type, got.error.message, got.usage.input_tokens)


def test_every_cut_before_message_end_is_truncated():
    """C2"""
    whole = stream(START, plan("p"), call(0, "f", "{}"), content(0, "x"), ended("TOOL_CALL"))
    last = whole.index(b"event: message-end")
    for size in range(last + len("event: message-end\ndata: ")):
        assert "truncated" == end(whole[:size], "cohere").outcome
    assert "completed" == end(whole, "cohere").outcome


def test_done_marker_alone_is_no_end():
    assert "truncated" == end(stream(START, content(0, "x")) + b"data: [DONE]\n\n", "cohere").outcome


def test_done_marker_after_message_end_changes_nothing():
    data = stream(START, content(0, "x"), ended())
    assert events(data, "cohere") == events(data + b"data: [DONE]\n\n", "cohere")


def test_terminal_comes_with_message_end():
    """C13"""
    got = []
    reader = Reader("cohere", got.append)
    reader.feed(stream(START, content(0, "x"), ended()))
    assert reader.done


def test_prompt_for_those_who_debug_is_meta():
    assert {"prompt": "<BOS>Hi"} == read({"type": "debug", "prompt": "<BOS>Hi"}, START, content(0, "x"), ended()).meta


# --- usage ---------------------------------------------------------------------------------------------------------


def test_usage_is_what_the_model_read_and_wrote_not_what_is_paid_for():
    usage = read(START, content(0, "x"), ended()).usage
    assert (70, 9, 79, 48) == (usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.cache_read_tokens)
    assert USAGE == usage.raw


def test_reasoning_tokens_and_counts_as_floats():
    usage = read(
        START, ended(usage={"tokens": {"input_tokens": 5.0, "output_tokens": 9.0, "reasoning_tokens": 4.0}})
    ).usage
    assert (5, 9, 4) == (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens)


def test_what_is_paid_for_is_an_estimate_where_nothing_else_is_said():
    usage = read(START, ended(usage={"billed_units": {"input_tokens": 3, "output_tokens": 4}})).usage
    assert (3, 4, "estimated") == (usage.input_tokens, usage.output_tokens, usage.source)


def test_counts_beyond_any_number_are_none():
    data = stream(START, content(0, "x"), ended()).replace(b'"input_tokens": 70', b'"input_tokens": 1e400')
    assert (None, 9) == (message(data, "cohere").usage.input_tokens, message(data, "cohere").usage.output_tokens)


# --- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"id": "x", "message": "invalid request: messages must not be empty"}, "invalid_request"),
        (
            400,
            {"error_type": "TOO_MANY_TOKENS", "message": "too many tokens: size limit exceeded by 9 tokens."},
            "context_length",
        ),
        (401, {"message": "invalid api token"}, "authentication"),
        (404, {"id": "x", "message": "model 'm' not found, make sure the correct model ID was used"}, "not_found"),
        (429, {"message": "You are past the per minute request limit, please wait and try again later."}, "rate_limit"),
        (498, {"message": "blocked"}, "content_blocked"),
        (503, {"message": "try again later"}, "overloaded"),
    ],
)
def test_http_errors(status, body, kind):
    got = end(json.dumps(body).encode(), "cohere", status=status)
    assert ("failed", kind, status) == (got.outcome, got.error.type, got.error.status)


def test_error_body_where_a_stream_was_due():
    """D3"""
    got = end(b'{"id":"x","message":"internal server error"}', "cohere")
    assert ("failed", "server") == (got.outcome, got.error.type)


def test_error_object_between_the_events():
    """D4"""
    got = end(stream(START, content(0, "x")) + b'{"message": "internal server error"}\n\n', "cohere")
    assert "failed" == got.outcome


# --- what is not known ---------------------------------------------------------------------------------------------


def test_event_of_tomorrow_is_carried():
    """B16"""
    odd = {"type": "mood-change", "index": 0, "delta": {"mood": "blue"}}
    got = events(stream(START, odd, content(0, "x"), ended()), "cohere")
    assert [odd] == [event.raw for event in got if isinstance(event, Unknown)]
    assert "completed" == got[-1].outcome


def test_member_of_a_wrong_type_loses_only_itself():
    spoken = content(0, "x")
    spoken[1]["logprobs"] = 5
    data = stream(START, spoken, ended())
    assert ("x", ["member_dropped"]) == (message(data, "cohere").text, note_codes(data, "cohere"))


def test_delta_of_nothing():
    odd = [{"type": "content-delta", "index": 0}, {"type": "tool-call-delta", "delta": {}}]
    assert "truncated" == end(stream(START, odd), "cohere").outcome


def test_the_last_event_ends_the_stream_though_it_says_nothing():
    got = read(START, content(0, "x"), {"type": "message-end"})
    assert ("x", "completed", None) == (got.text, got.outcome, got.finish)


def test_arguments_that_are_an_object_are_not_lost():
    """A6: a call without its arguments must not look executable."""
    start = call_start(0, "f")
    start["delta"]["message"]["tool_calls"]["function"]["arguments"] = {"x": 1}
    got = read(START, start, {"type": "tool-call-end", "index": 0}, ended("TOOL_CALL")).tool_calls
    assert [({"x": 1}, True)] == [(one.arguments, one.complete) for one in got]


def test_lists_in_events_are_read_as_in_a_whole_reply():
    text = {"type": "content-delta", "index": 0, "delta": {"message": {"content": [{"type": "text", "text": "Hi"}]}}}
    piece = {
        "type": "tool-call-delta",
        "index": 0,
        "delta": {"message": {"tool_calls": [{"function": {"arguments": '{"x":1}'}}]}},
    }
    got = read(START, text, call_start(0, "f"), piece, {"type": "tool-call-end", "index": 0}, ended("TOOL_CALL"))
    assert ("Hi", [{"x": 1}]) == (got.text, [one.arguments for one in got.tool_calls])


def test_unread_members_are_violations_in_strict_mode():
    assert (
        "completed" == end(stream(START, content(0, "x"), call(0, "f", "{}"), ended()), "cohere", strict=True).outcome
    )
    got = end(stream({**START, "surprise": 1}, ended()), "cohere", strict=True)
    assert ("failed", "surprise") == (got.outcome, got.error.parameter)


# --- whole replies, laws -------------------------------------------------------------------------------------------

CITED = {"start": 0, "end": 4, "text": "Blue", "sources": [SOURCE], "type": "TEXT_CONTENT"}
WHOLE = {
    "id": "66dec7d7",
    "finish_reason": "TOOL_CALL",
    "message": {
        "role": "assistant",
        "tool_plan": "I will look.",
        "content": [{"type": "thinking", "thinking": "Hmm."}, {"type": "text", "text": "Blue sky."}],
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "sky"}'}}],
        "citations": [CITED],
    },
    "usage": USAGE,
    "logprobs": [{"text": "Blue", "token_ids": [7], "logprobs": [-0.1]}],
}
SPOKEN = content(1, "Blue", " sky.")
STREAM = stream(
    START, plan("I will", " look."), content(0, "Hmm.", kind="thinking"), SPOKEN[:-1], citation(0, **CITED), SPOKEN[-1:],
    call(0, "look", '{"at": ', '"sky"}'), ended("TOOL_CALL"),
)  # fmt: skip


def test_whole_reply_is_the_stream():
    reply = json.dumps(WHOLE).encode()
    check_whole_reply("cohere", STREAM, reply)
    streamed, whole = message(STREAM, "cohere"), message(reply, "cohere")
    assert (streamed.id, streamed.usage, kinds(streamed)) == (whole.id, whole.usage, kinds(whole))
    assert [note.raw for note in streamed.blocks[2].annotations] == [note.raw for note in whole.blocks[2].annotations]
    assert [{"token": "Blue", "token_id": 7, "logprob": -0.1}] == whole.blocks[2].logprobs
    assert all(part.complete for part in whole.blocks)


def test_whole_reply_of_nothing_but_calls():
    reply = {**WHOLE, "message": {"role": "assistant", "tool_calls": WHOLE["message"]["tool_calls"]}, "logprobs": None}
    assert ["look"] == [c.name for c in message(json.dumps(reply).encode(), "cohere").tool_calls]


def test_parsed_events_are_read_as_their_bytes():
    parsed = [START, *content(0, "x"), ended()]
    assert ("x", "completed") == (
        weft.collect(weft.read(parsed, "cohere")).text,
        weft.collect(weft.read(parsed, "cohere")).outcome,
    )


def test_laws_hold():
    assert 2 == check_protocol("cohere", [STREAM, json.dumps(WHOLE).encode()], rounds=25)
