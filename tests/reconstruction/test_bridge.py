"""Whole streams: whatever the deltas are, the events are one good Responses stream."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.reconstruction.driven import USAGE, bridged, call, faults, kinds, machine, output, terminals
from weft import Context
from weft.reconstruction import (
    BridgeError,
    ProviderStreamEventBridge,
    ResponseSseEncoder,
    ResponseStreamStateMachine,
    abridge,
    bridge,
)

GOOD: list[Any] = [
    {"reasoning": "Hm"},
    {"text": "Hel"},
    {"text": "lo"},
    call(0, "c1", "sh", '{"cmd":'),
    call(0, None, None, '["ls"]}'),
    call(1, "c2", "f", "{}"),
    {"finishReason": "tool_calls"},
    {"usage": USAGE},
]


def test_a_whole_stream():
    events = bridged(*GOOD)
    assert ["reasoning", "message", "local_shell_call", "function_call"] == [item["type"] for item in output(events)]
    assert 7 == events[-1]["response"]["usage"]["total_tokens"]


def test_one_delta_batches_of_them_and_a_single_object_are_taken():
    assert bridged(*GOOD) == bridged(GOOD) == bridged(GOOD[:3], *GOOD[3:5], GOOD[5:])
    assert ["failed"] == terminals(list(bridge(machine(), {"text": "a"})))  # pyright: ignore[reportArgumentType]


def test_the_async_loop_gives_the_same():
    async def source() -> Any:
        for delta in GOOD:
            yield delta

    async def all_events() -> list[Any]:
        return [event async for event in abridge(machine(), source())]

    assert bridged(*GOOD) == asyncio.run(all_events())


def test_whoever_leaves_the_async_loop_closes_its_source():
    left: list[str] = []

    async def source() -> Any:
        try:
            for delta in GOOD:
                yield delta
        finally:
            left.append("source")

    async def first() -> Any:
        async with aclosing(abridge(machine(), source())) as events:
            return await anext(events)

    assert ("response.created", ["source"]) == (asyncio.run(first())["type"], left)


def test_the_async_loop_ends_a_source_that_breaks():
    async def source() -> Any:
        yield {"text": "a"}
        raise TimeoutError

    async def all_events() -> list[Any]:
        return [event async for event in abridge(machine(), source())]

    assert ["failed"] == terminals(asyncio.run(all_events()))


def test_a_stream_that_its_client_left_lacks_its_terminal():
    made = machine()
    events = bridge(made, GOOD)
    next(events)
    events.close()
    with pytest.raises(BridgeError, match=r"bridge\.stream\.missing_terminal"):
        made.require_terminal()


def test_the_stage_is_fed_and_flushed():
    stage = ProviderStreamEventBridge(machine())
    events = [*stage.feed(GOOD[:4]), *stage.feed(GOOD[4]), *stage.feed(GOOD[5:])]
    assert [] == terminals(events)
    assert ["completed"] == terminals(stage.flush())
    assert ([], []) == (stage.flush(), stage.feed({"text": "late"}))


def test_strict_streams_end_as_well():
    for deltas in ([{"text": None}], [call(name=None, arguments="{}"), {"finishReason": "stop"}]):
        events = list(bridge(machine(strict=True), deltas))
        assert (["failed"], []) == (terminals(events), faults(events))


def test_the_frames_of_the_events_are_those_of_the_pipe():
    """One implementation: what the component says is what the core's own conversion says."""
    deltas = [{"text": "Hi"}, call(arguments='{"a":1}'), {"finishReason": "tool_calls"}, {"usage": USAGE}]
    encoder = ResponseSseEncoder()
    context = Context(response_id="resp_1", created=5, request={"temperature": 1})
    events = bridge(ResponseStreamStateMachine(context), deltas)
    own = b"".join(map(encoder.encode, events))
    piped = weft.convert(deltas, "provider-delta", "openai-responses", context=context)
    assert [*weft.read(piped, "openai-responses")] == [*weft.read(own, "openai-responses")]


def test_the_response_is_that_of_the_whole_reply():
    """C14: stream and whole agree, ids and order too."""
    message = weft.collect(weft.read(GOOD, "provider-delta"))
    events = bridged({"text": "Hi"}, call(arguments='{"a":1}'), {"finishReason": "tool_calls"}, {"usage": USAGE})
    whole = weft.collect(weft.read(events[-1]["response"], "openai-responses"))
    streamed = weft.collect(weft.read(events, "openai-responses"))
    assert (whole.text, whole.tool_calls, whole.usage, whole.outcome) == (
        streamed.text,
        streamed.tool_calls,
        streamed.usage,
        streamed.outcome,
    )
    assert message.outcome == streamed.outcome


def test_transformed_events_are_numbered_where_they_have_no_number():
    encoder = ResponseSseEncoder()
    frames = [encoder.encode(event) for event in ({"type": "a"}, {"type": "b", "sequence_number": 7}, {"type": "c"})]
    assert [
        b'event: a\ndata: {"type":"a","sequence_number":0}\n\n',
        b'event: b\ndata: {"type":"b","sequence_number":7}\n\n',
        b'event: c\ndata: {"type":"c","sequence_number":8}\n\n',
    ] == frames


# -- any deltas at all ------------------------------------------------------------------------------------------------

TEXTS = st.one_of(st.none(), st.text(max_size=4))
CALLS = st.fixed_dictionaries(
    {},
    optional={
        "index": st.one_of(st.none(), st.integers(-1, 2)),
        "id": st.sampled_from([None, "", "a", "b", 5]),
        "name": st.sampled_from([None, "", "f", "sh", "shell", "patch", "grep_", "find"]),
        "type": st.sampled_from([None, "function", "custom"]),
        "arguments": st.sampled_from([None, "", "{", "}", '{"a":1}', '{"cmd":["l"]}', '{"input":"', "x", '"}', "[]"]),
    },
)
DELTAS = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXTS,
        "reasoning": TEXTS,
        "refusal": TEXTS,
        "toolCall": CALLS,
        "usage": st.sampled_from([USAGE, None, {"input_tokens": 1}]),
        "finishReason": st.sampled_from([None, "stop", "length", "tool_calls", "content_filter", "odd"]),
        "error": st.sampled_from([{"message": "m"}, {"message": "m", "code": "invalid_prompt"}, {}]),
        "other": st.integers(),
    },
)
GOODISH = st.one_of(
    st.builds(lambda text: {"text": text}, st.text(max_size=4)),
    st.builds(lambda text: {"reasoning": text}, st.text(max_size=4)),
    st.builds(lambda call: {"toolCall": call or {"index": 0}}, CALLS),
    DELTAS,
)


@given(st.lists(GOODISH, max_size=12), st.booleans())
def test_any_deltas_become_one_good_stream(deltas, strict):
    """C8: exactly one terminal, always; sequence numbers run on; strict clients have nothing against it."""
    made = machine(strict=strict)
    events = list(bridge(made, deltas))
    assert 1 == len(terminals(events))
    assert kinds(events)[-1] == terminals(events)[0] == made.phase
    assert [*range(len(events))] == [event["sequence_number"] for event in events]
    assert [] == faults(events)
    assert made.snapshot["output"] == output(events)


@given(st.lists(GOODISH, max_size=10))
def test_batches_change_nothing(deltas):
    one_by_one = list(bridge(machine(), deltas))
    assert one_by_one == list(bridge(machine(), [deltas]))


VERBS = st.sampled_from(
    [
        *[("start",), ("text", "a"), ("reasoning", "a"), ("refusal", "a"), ("tool_call", {"id": "c", "name": "f"})],
        *[("tool_call", {"arguments": "{"}), ("usage", USAGE), ("defer_finish", "length"), ("finish", "stop")],
        *[("finish", None), ("fail", {"message": "m"}), ("text", 5), ("finish", 5)],
    ]
)


@given(st.lists(VERBS, max_size=12))
def test_any_verbs_lead_to_at_most_one_terminal_and_a_refused_one_changes_nothing(program):
    made = machine()
    events: list[Any] = []
    for verb, *arguments in program:
        before = (made.phase, made.snapshot)
        try:
            events += getattr(made, verb)(*arguments)
        except BridgeError:
            assert before == (made.phase, made.snapshot)
            assert [] == made.taken()
    over = made.phase in ("completed", "incomplete", "failed")
    assert int(over) == len(terminals(events))
    if over:
        assert [] == faults(events)
