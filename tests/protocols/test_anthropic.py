"""Anthropic Messages as a source: the message around the blocks. References are to the failure gallery and the protocol atlas."""

import json

import pytest

import weft
from tests.protocols.anthropic_wire import (
    PING,
    STOP,
    TEXT,
    args,
    call,
    closed,
    ended,
    opened,
    said,
    start,
    stream,
    text,
    tool,
)
from tests.protocols.wire import end, events, message, note_codes, sse
from weft.events import BlockEnd, Meta, Start, Usage
from weft.testing import check_prefixes, check_whole_reply

A = "anthropic"


# -- the golden stream ---------------------------------------------------------------------------------------------


def test_text_is_read():
    got = message(stream(text(0, "Hel", "lo")), A)
    assert ("msg_1", "claude-x", "Hello") == (got.id, got.model, got.text)
    assert ("completed", "stop", "end_turn") == (got.outcome, got.finish, got.finish_raw)
    assert [] == got.notes


def test_pings_may_stand_everywhere_and_change_nothing():
    """E1: even before message_start and after message_stop."""
    frames = [start(), opened(0, TEXT), said(0, "Hi"), closed(0), ended(), STOP]
    pinged = [frame for pair in zip([PING] * 6, frames, strict=True) for frame in pair] + [PING]
    assert weft.collect(weft.read(sse(*frames, event=True), A)) == weft.collect(weft.read(sse(*pinged, event=True), A))


@pytest.mark.parametrize("form", ["no event lines", "no space", "named only by the event line", "padded"])
def test_frames_may_be_written_otherwise(form: str):
    """E5, GLM, Anthropic's own padding."""
    frames = [start(), *text(0, "Hi"), ended(), STOP]
    match form:
        case "no event lines":
            data = sse(*frames)
        case "no space":
            data = sse(*frames, event=True).replace(b"data: ", b"data:").replace(b"event: ", b"event:")
        case "padded":
            data = sse(*frames, event=True).replace(b"}\n\n", b"          }\n\n")
        case _:
            pairs = [(frame["type"], {name: frame[name] for name in frame if name != "type"}) for frame in frames]
            data = "".join(f"event: {name}\ndata: {json.dumps(body)}\n\n" for name, body in pairs).encode()
    got = message(data, A)
    assert ("Hi", "completed", []) == (got.text, got.outcome, got.notes)


def test_sdk_objects_are_read_and_what_they_say_twice_is_not():
    """The vendor's stream helper yields the raw events and, beside them, events of its own."""
    echo = [
        {"type": "text", "text": "Hi", "snapshot": "Hi"},
        {"type": "input_json", "partial_json": "{}", "snapshot": {}},
        {"type": "signature", "signature": "s"},
        {"type": "citation", "citation": {}, "snapshot": []},
    ]
    frames = [
        start(),
        opened(0, TEXT),
        said(0, "Hi"),
        *echo,
        closed(0) | {"content_block": TEXT},
        ended(),
        STOP | {"message": {"id": "msg_1"}},
    ]
    got = message(frames, A)
    assert ("Hi", "completed", [], []) == (got.text, got.outcome, got.notes, got.unknown)


# -- message_start -------------------------------------------------------------------------------------------------


def test_message_start_twice_with_one_id_is_ignored():
    """H3, Q-A2."""
    data = sse(start(), start(), *text(0, "Hi"), ended(), STOP, event=True)
    assert ("Hi", "completed") == (message(data, A).text, message(data, A).outcome)
    assert ["message_repeated"] == note_codes(data, A)


def test_another_message_inside_an_open_one_is_a_failure():
    """H3: two generations spliced by a proxy; the call that was open is not complete."""
    opening = [start("msg_1"), opened(0, tool()), args(0, '{"a":"Spark')]
    data = sse(
        *opening, start("msg_2"), opened(0, tool("toolu_2")), args(0, '{"a":1}'), closed(0), ended("tool_use"), STOP
    )
    got = message(data, A)
    assert ("failed", "protocol", "spliced_stream") == (got.outcome, got.error.type, got.error.code)
    assert [("toolu_1", '{"a":"Spark', False)] == [(c.id, c.raw, c.complete) for c in got.tool_calls]


def test_another_message_after_the_end_is_left_out():
    data = sse(start(usage=None), *text(0, "Hi"), ended(usage={}), STOP, start("msg_2"), *text(0, "Ho"), STOP)
    got = message(data, A)
    assert ("Hi", "completed", None) == (got.text, got.outcome, got.error)


def test_blocks_before_message_start_are_read():
    """H2, Q-A1: the message begins with them, under an id of ours, and its own is told when it comes."""
    got = events(sse(*text(0, "Hi"), start(), ended(), STOP), A)
    assert isinstance(got[0], Start)
    assert got[0].made
    assert Meta("id", "msg_1") in got
    assert "Hi" == weft.collect(got).text


@pytest.mark.parametrize(
    "members", [{"content": None}, {"usage": None}, {"content": "", "usage": "none"}, {"role": None}]
)
def test_a_poor_message_start_is_a_start(members: dict):
    """H6, Q-A3."""
    got = message(sse(start(**members), *text(0, "Hi"), ended(), STOP), A)
    assert ("msg_1", "Hi", "completed", 7) == (got.id, got.text, got.outcome, got.usage.output_tokens)


def test_message_start_may_hold_the_whole_answer():
    """Q-A10: a programmatic continuation is two frames."""
    block = {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "roll",
        "input": {"die": 6},
        "caller": {"type": "code_execution_20250825", "tool_id": "s1"},
    }
    data = sse(start(content=[TEXT | {"text": "Rolling."}, block], stop_reason="tool_use"), STOP, event=True)
    got = message(data, A)
    assert ("completed", "tool_calls", "Rolling.") == (got.outcome, got.finish, got.text)
    assert [("toolu_1", {"die": 6}, True)] == [(c.id, c.arguments, c.complete) for c in got.tool_calls]
    assert block["caller"] == got.tool_calls[0].opaque.raw["caller"]


# -- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "outcome", "finish"),
    [
        ("end_turn", "completed", "stop"),
        ("stop_sequence", "completed", "stop"),
        ("max_tokens", "incomplete", "length"),
        ("model_context_window_exceeded", "incomplete", "length"),
        ("pause_turn", "completed", "pause"),
        ("compaction", "completed", "pause"),
        ("refusal", "completed", "refusal"),
        ("tool_use", "completed", "stop"),
        ("stop", "completed", "stop"),
        ("length", "incomplete", "length"),
        ("content_filter", "incomplete", "content_filter"),
        ("sunspots", "completed", "other"),
        (None, "completed", None),
    ],
)
def test_every_stop_reason(raw: str | None, outcome: str, finish: str | None):
    """C4, C6, A27: an unknown one is `other`, null says nothing, and tool_use without any call is a plain stop."""
    got = message(stream(text(0, "Hi"), end=ended(raw)), A)
    assert (outcome, finish, raw) == (got.outcome, got.finish, got.finish_raw)


def test_tool_use_with_a_call_is_a_tool_finish():
    assert "tool_calls" == message(stream(call(0, "{}"), end=ended("tool_use")), A).finish


def test_end_turn_with_a_complete_call_is_a_tool_finish():
    """C1."""
    got = message(stream(call(0, '{"a":1}'), end=ended("end_turn")), A)
    assert ("tool_calls", "end_turn") == (got.finish, got.finish_raw)


def test_server_tools_do_not_make_a_tool_finish():
    got = message(stream(call(0, '{"q":1}', type="server_tool_use", name="web_search"), end=ended("end_turn")), A)
    assert "stop" == got.finish


def test_a_stop_reason_is_an_end_without_message_stop():
    """C2, Q-A6."""
    assert "completed" == message(sse(start(), *text(0, "Hi"), ended()), A).outcome


def test_message_stop_is_an_end_without_a_stop_reason():
    got = message(sse(start(), *text(0, "Hi"), STOP), A)
    assert ("completed", None) == (got.outcome, got.finish)


def test_a_stream_that_just_stops_is_truncated():
    """C2."""
    got = message(sse(start(), *text(0, "Hi")), A)
    assert ("truncated", "truncated", "Hi") == (got.outcome, got.error.type, got.text)


def test_done_is_no_end_of_this_protocol():
    """C12, Q-T14: a gateway's [DONE] neither completes a cut stream nor disturbs a whole one."""
    assert "truncated" == message(sse(start(), *text(0, "Hi"), done=True), A).outcome
    whole = stream(text(0, "Hi")) + b"event: data\ndata: [DONE]\n\n"
    assert ("completed", []) == (message(whole, A).outcome, message(whole, A).notes)


def test_the_last_of_two_message_deltas_counts():
    """C8, Q-A16."""
    got = message(sse(start(), *text(0, "Hi"), ended("end_turn"), ended("max_tokens"), STOP), A)
    assert ("incomplete", "max_tokens") == (got.outcome, got.finish_raw)


def test_no_prefix_of_a_stream_is_complete_before_its_end():
    """Law 2, at every byte."""
    data = stream(text(0, "Hello"), call(1, '{"a":', "1}"), end=ended("tool_use"))
    said_so = data.index(b'"stop_reason": "tool_use"')
    for size in range(said_so):
        assert "truncated" == message(data[:size], A).outcome
    check_prefixes(A, data, rounds=len(data))


def test_refusal_details_and_other_facts_are_told():
    details = {"type": "refusal", "category": "bio", "explanation": "no"}
    last = ended(
        "refusal", context_management={"applied_edits": [{"type": "x"}]}, input_transformations=[{"type": "y"}]
    )
    last["delta"] |= {"stop_details": details, "stop_sequence": "END", "container": {"id": "c1"}}
    got = message(stream(text(0, ""), end=last), A)
    assert {
        "stop_details": details,
        "stop_sequence": "END",
        "container": {"id": "c1"},
        "context_management": {"applied_edits": [{"type": "x"}]},
        "input_transformations": [{"type": "y"}],
    } == got.meta


# -- usage ---------------------------------------------------------------------------------------------------------


def counts(data: bytes) -> tuple:
    usage = message(data, A).usage
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.reasoning_tokens,
    )


def test_usage_is_a_snapshot_and_input_is_the_sum_of_its_parts():
    """Requirement B20, G1, G5, Q-U1, Q-U2: cumulative counts are never added up; cached tokens are part of the input."""
    first = {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 1}
    last = {"output_tokens": 40, "output_tokens_details": {"thinking_tokens": 25}}
    data = stream(text(0, "Hi"), begin=start(usage=first), end=ended(usage=last))
    assert (60, 40, 30, 20, 25) == counts(data)
    usage = message(data, A).usage
    assert (100, "derived", "reported") == (
        usage.total_tokens,
        usage.sources["input_tokens"],
        usage.sources["output_tokens"],
    )


def test_usage_may_rise_and_null_keeps_what_was_known():
    """G3, atlas 2.3.3 rules 7 and 8: server tools read more input in the course of the answer."""
    first = {"input_tokens": 589, "cache_read_input_tokens": 5, "output_tokens": 1}
    last = {"input_tokens": 1250, "cache_read_input_tokens": None, "output_tokens": 83}
    assert (1255, 83, 5, None, None) == counts(stream(begin=start(usage=first), end=ended(usage=last)))


def test_input_may_be_corrected_downwards():
    """GLM: part of what was counted at first turns out to be cached."""
    last = {"input_tokens": 3883, "cache_read_input_tokens": 30941, "output_tokens": 5}
    assert (34824, 5, 30941, None, None) == counts(
        stream(begin=start(usage={"input_tokens": 34824}), end=ended(usage=last))
    )


def test_zeros_are_placeholders():
    """G3, G4, Q-A15: the real number comes later, or came before."""
    zero, real = {"input_tokens": 0, "output_tokens": 0}, {"input_tokens": 12, "output_tokens": 7}
    assert (12, 7, None, None, None) == counts(stream(begin=start(usage=zero), end=ended(usage=real)))
    late = {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9}
    assert (12, 9, None, None, None) == counts(stream(begin=start(usage=real), end=ended(usage=late)))


def test_usage_keeps_the_providers_own_words():
    first = {
        "input_tokens": 1,
        "output_tokens": 1,
        "service_tier": "standard",
        "cache_creation": {"ephemeral_1h_input_tokens": 0},
    }
    last = {"output_tokens": 2, "server_tool_use": {"web_search_requests": 1}, "iterations": [{"type": "message"}]}
    usage = message(stream(begin=start(usage=first), end=ended(usage=last)), A).usage
    assert {**first, **last} == usage.raw


def test_a_message_delta_without_usage_is_none_the_worse():
    """H8."""
    last = ended("end_turn")
    del last["usage"]
    got = message(stream(text(0, "Hi"), end=last), A)
    assert ("completed", 12, 1) == (got.outcome, got.usage.input_tokens, got.usage.output_tokens)


def test_usage_of_a_failed_stream_is_kept():
    """D12, Q-U6."""
    data = sse(start(), opened(0, TEXT), {"type": "error", "error": {"type": "api_error", "message": "Oops"}})
    assert 12 == end(data, A).usage.input_tokens


def test_usage_is_told_as_it_becomes_known():
    told = [event.output_tokens for event in events(stream(text(0, "Hi")), A) if isinstance(event, Usage)]
    assert [1, 7] == told


# -- whole replies -------------------------------------------------------------------------------------------------

REPLY = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "sky", "far": True}},
    ],
    "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 12, "output_tokens": 7},
}  # fmt: skip


def streamed_reply() -> bytes:
    return stream(
        opened(0, {"type": "thinking", "thinking": "", "signature": ""}),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
        closed(0),
        text(1, "Let me ", "look."),
        call(2, "", '{"at": "sky",', ' "far": true}'),
        end=ended("tool_use"),
    )


def test_a_whole_reply_is_a_stream_of_one_frame():
    """Law: collect(stream) == decode(whole)."""
    reply = json.dumps(REPLY).encode()
    check_whole_reply(A, streamed_reply(), reply)
    assert message(streamed_reply(), A) == message(reply, A)


def test_a_whole_reply_that_does_not_say_what_it_is():
    reply = json.dumps({"role": "assistant", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"})
    assert ("Hi", "stop", "completed", []) == (
        (got := message(reply.encode(), "anthropic")).text, got.finish, got.outcome, got.notes,
    )  # fmt: skip


def test_the_text_of_whole_arguments_is_the_sources_own():
    """A26: numbers and spaces as they were written."""
    reply = (
        json.dumps(REPLY)
        .encode()
        .replace(b'{"at": "sky", "far": true}', b'{"at":  1e400, "far": 0.10000000000000000555}')
    )
    assert '{"at":  1e400, "far": 0.10000000000000000555}' == message(reply, A).tool_calls[0].raw


def test_the_last_call_of_a_reply_that_hit_the_limit_is_not_to_be_trusted():
    """A9: what was cut off shows as a smaller object."""
    got = message(json.dumps(REPLY | {"stop_reason": "max_tokens"}).encode(), A)
    assert ("incomplete", False, None) == (got.outcome, got.tool_calls[0].complete, got.tool_calls[0].arguments)


def test_blocks_end_when_the_source_says_so():
    kinds = [type(event) for event in events(stream(text(0, "Hi")), A)]
    assert kinds.index(BlockEnd) < len(kinds) - 2
