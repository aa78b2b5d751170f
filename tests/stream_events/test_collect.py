"""Arguments and calls put together from a stream of events: nothing is lost, and what is wrong stands beside it."""

import asyncio
import json

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.encoders.rounds import fixtures
from tests.strategies import legal_streams
from weft.stream_events import (
    Problem,
    StreamContentEvent,
    StreamDoneEvent,
    StreamErrorEvent,
    StreamReturnEvent,
    StreamToolCallEvent,
    acollect_all_tool_calls,
    acollect_tool_args,
    check_stream_events,
    collect_all_tool_calls,
    collect_tool_args,
    stream_events,
)

DONE = StreamDoneEvent()
ERROR = StreamErrorEvent(code="RateLimited", detail="Slow down.")


def piece(arguments, index=0, **more):
    return StreamToolCallEvent(index=index, arguments=arguments, is_delta=True, **more)


def whole(arguments, index=0, **more):
    return StreamToolCallEvent(index=index, arguments=arguments, is_delta=False, **more)


def test_pieces_are_appended_to_their_call():
    events = [piece('{"a":', id="c", name="plan"), piece("[1", 1, name="other"), piece("1}"), piece("]", 1), DONE]
    found = collect_tool_args(events, "plan")
    assert ({"a": 1}, "c", None) == (found.args, found.call.id, found.problem)
    assert [("plan", '{"a":1}', True), ("other", "[1]", False)] == [
        (call.name, call.raw, call.complete) for call in found.all.calls
    ]


def test_an_object_of_another_tool_is_not_taken_for_the_one_that_was_asked_for():
    """Requirements 3.3.10: the first call with an object was given back, whatever its name."""
    events = [whole({"b": 2}, name="other"), piece('{"a":1}', 1, name="plan"), DONE]
    found = collect_tool_args(events, "plan")
    assert ({"a": 1}, None) == (found.args, found.problem)
    assert [{"b": 2}, {"a": 1}] == [call.arguments for call in found.all.calls]


def test_a_call_that_never_came_is_a_problem_that_names_those_that_did():
    found = collect_tool_args([whole({}, name="other"), DONE], "plan")
    assert (None, None) == (found.args, found.call)
    assert Problem(code="E-UICP-0102", detail="no call of 'plan'; the calls were: 'other'") == found.problem
    assert [{}] == [call.arguments for call in found.all.calls]
    assert "were: none" in collect_tool_args([DONE], "plan").problem.detail


@pytest.mark.parametrize(
    "call",
    [
        whole({}, name="now"),
        whole(None, name="now"),
        whole("", name="now"),
        piece("", name="now"),
        {"type": "tool_call", "index": 0, "name": "now", "isDelta": True},
        {"type": "tool_call", "name": "now"},
    ],
    ids=repr,
)
def test_a_call_without_arguments_is_found_with_an_empty_object(call):
    """Requirements 3.3.10: a call with no arguments, or empty ones, was not found."""
    found = collect_tool_args([call, DONE], "now")
    assert ({}, True, None) == (found.args, found.call.complete, found.problem)


@pytest.mark.parametrize("arguments", ["{", '{"a":1}x', "[1]", "null"])
def test_arguments_that_do_not_parse_are_reported_with_their_text(arguments):
    """Requirements 3.3.10: they were left out."""
    events = [piece(arguments, name="plan"), whole({"b": 2}, 1, name="other"), DONE]
    found = collect_tool_args(events, "plan")
    assert (None, arguments, "E-UICP-0101") == (found.args, found.call.raw, found.problem.code)
    every = collect_all_tool_calls(events)
    assert [("plan", arguments, False), ("other", '{"b":2}', True)] == [
        (call.name, call.raw, call.complete) for call in every.calls
    ]
    assert None is every.problem


@pytest.mark.parametrize("end", [[], [ERROR], [ERROR, DONE]])
def test_a_call_that_was_cut_off_is_incomplete_even_if_its_text_parses(end):
    events = [piece('{"a":1}', name="plan"), *end]
    found, every = collect_tool_args(events, "plan"), collect_all_tool_calls(events)
    assert (None, '{"a":1}', False) == (found.args, found.call.raw, found.call.complete)
    assert ("E-UICP-0102", "E-UICP-0104") == (found.problem.code, every.problem.code)
    assert (ERROR if end else None) == found.problem.cause


def test_a_whole_call_before_an_error_is_safe_and_the_error_is_told():
    found = collect_tool_args([whole({"a": 1}, name="plan"), ERROR, DONE], "plan")
    assert ({"a": 1}, "E-UICP-0102", "Slow down.") == (found.args, found.problem.code, found.problem.detail)


def test_the_first_complete_call_of_the_name_counts():
    events = [piece("{", id="a", name="plan"), whole({"a": 2}, 1, id="b", name="plan"), DONE]
    assert {"a": 2} == collect_tool_args(events, "plan").args


def test_a_new_id_on_a_used_index_is_another_call():
    events = [piece('{"a":1}', id="x", name="f"), piece('{"a":2}', id="y", name="f"), DONE]
    assert [("x", {"a": 1}), ("y", {"a": 2})] == [
        (call.id, call.arguments) for call in collect_all_tool_calls(events).calls
    ]


def test_the_first_name_and_id_win_and_continuations_need_none():
    """Requirements 3.3.2: pieces without a name were dropped, and arguments cut to the first."""
    events = [piece('{"a"', id="x", name="f"), piece(":", id="", name=""), piece("1}"), DONE]
    assert [("x", "f", {"a": 1})] == [
        (call.id, call.name, call.arguments) for call in collect_all_tool_calls(events).calls
    ]


def test_what_else_the_stream_had_is_kept():
    returned = StreamReturnEvent(name="f", result=[1])
    events = [StreamContentEvent(text="a"), StreamContentEvent(text=" "), returned, {"type": "usage"}, None, DONE]
    every = collect_all_tool_calls(events)
    assert ("a ", [returned], [{"type": "usage"}, None]) == (every.text, every.returns, every.unread)


@pytest.mark.parametrize("cut", [1, 7, 1000])
def test_lines_are_read_however_they_are_cut(cut):
    lines = b"".join(
        json.dumps(line).encode() + b"\n"
        for line in (
            {"type": "tool_call", "index": 0, "name": "plan", "arguments": '{"\u00fc":', "isDelta": True},
            {"type": "tool_call", "index": 0, "arguments": "1}", "isDelta": True},
            {"type": "done"},
        )
    )
    pieces = [lines[at : at + cut] for at in range(0, len(lines), cut)]
    assert {"\u00fc": 1} == collect_tool_args(pieces, "plan").args
    assert {"\u00fc": 1} == collect_tool_args(lines.decode(), "plan").args


def test_a_stream_that_raises_is_a_problem_and_what_came_is_kept():
    def stream():
        yield whole({"a": 1}, name="plan")
        raise ConnectionResetError("10.0.0.1")

    found = collect_tool_args(stream(), "plan")
    assert ({"a": 1}, "E-UICP-0102", "TransportError") == (found.args, found.problem.code, found.problem.cause.code)


def test_the_stream_is_not_read_beyond_its_done():
    def stream():
        yield whole({}, name="now")
        yield DONE
        raise AssertionError

    assert None is collect_tool_args(stream(), "now").problem


@given(legal_streams())
def test_the_collected_calls_are_those_of_the_message(events):
    """Law: collecting the target's events is collecting the source's."""
    lines = [weft.to_json(event) for event in events]
    every = collect_all_tool_calls(stream_events(b"\n".join(lines) + b"\n", "events"))
    message = weft.collect(events)
    wanted = [call for call in message.tool_calls if call.executor == "client"]
    assert [call.raw or "{}" for call in wanted] == [call.raw or "{}" for call in every.calls]
    assert message.text + message.refusal == every.text
    assert (message.error is None) == (every.problem is None)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4), st.lists, max_leaves=4
)
NEARLY = st.dictionaries(
    st.sampled_from("type index id name arguments isDelta text channel code result".split()), VALUES
)
TYPED = st.sampled_from("content tool_call return error done".split()).flatmap(
    lambda kind: NEARLY.map(lambda members: {**members, "type": kind})
)


@given(st.lists(TYPED | NEARLY | VALUES.filter(lambda value: not isinstance(value, str)), max_size=8))
def test_no_stream_makes_it_raise(events):
    """Whatever objects an adapter says, it is collected or told, and a stream without a good end has a problem."""
    every = collect_all_tool_calls(iter(events))
    assert all(isinstance(call.complete, bool) for call in every.calls)
    assert len(every.unread) + len(every.returns) <= len(events)
    assert (every.problem is None) == any(
        isinstance(event, dict) and event.get("type") == "done" for event in events
    ) or every.problem.cause is not None
    check_stream_events(iter(events))


@given(st.binary(max_size=60))
def test_no_bytes_make_it_raise(data):
    collect_all_tool_calls(data)
    check_stream_events(data)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "ai-sdk"])
def test_every_fixture_gives_its_messages_calls(source):
    for path in fixtures(source):
        data = path.read_bytes()
        message, every = weft.collect(weft.read(data, source)), collect_all_tool_calls(stream_events(data, source))
        wanted = [call for call in message.tool_calls if call.executor == "client" and not call.choice]
        pairs = list(zip(wanted, every.calls, strict=True))
        assert [call.name for call in wanted] == [call.name for call in every.calls], path.name
        safe = [(call, found) for call, found in pairs if call.complete and call.tool != "custom"]
        assert [call.arguments for call, _ in safe] == [found.arguments for _, found in safe], path.name


# -- async, with a timeout -----------------------------------------------------------------------------------------


async def stalled(*events):
    for event in events:
        yield event
    await trio.sleep_forever()


def on_a_clock(function, *args):
    """Run on a clock that jumps to the next deadline as soon as everybody waits."""
    return trio.run(function, *args, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_stream_that_does_not_end_is_given_up_and_what_came_is_kept():
    async def run():
        started = trio.current_time()
        found = await acollect_tool_args(stalled(piece("{", name="plan"), whole({}, 1, name="other")), "plan")
        return found, trio.current_time() - started

    found, seconds = on_a_clock(run)
    assert (180, None, "E-UICP-0100") == (seconds, found.args, found.problem.code)
    assert [("plan", "{"), ("other", "{}")] == [(call.name, call.raw) for call in found.all.calls]


def test_all_calls_have_their_own_code_for_a_timeout():
    async def run():
        return await acollect_all_tool_calls(stalled(whole({"a": 1}, name="plan")), timeout=5)

    every = on_a_clock(run)
    assert ("E-UICP-0103", [{"a": 1}]) == (every.problem.code, [call.arguments for call in every.calls])


def test_a_stream_that_said_done_is_not_waited_for():
    async def run():
        return await acollect_tool_args(stalled(whole({}, name="now"), DONE), "now")

    assert ({}, None) == ((found := on_a_clock(run)).args, found.problem)


def test_on_asyncio_too():
    async def stream(*events):
        for event in events:
            yield event
        await asyncio.Event().wait()

    async def run(*events, seconds):
        return await acollect_tool_args(stream(*events), "now", timeout=seconds)

    assert "E-UICP-0100" == asyncio.run(run(piece("{", name="now"), seconds=0.01)).problem.code
    assert {} == asyncio.run(run(whole({}, name="now"), DONE, seconds=None)).args


def test_an_async_stream_that_raises_is_a_problem_too():
    async def stream():
        yield piece('{"a":1}', name="plan")
        raise TimeoutError

    found = asyncio.run(acollect_tool_args(stream(), "plan"))
    assert (None, "E-UICP-0102", "TransportTimeout") == (found.args, found.problem.code, found.problem.cause.code)


def test_a_cancelled_collection_is_cancelled():
    """Cancellation is no error of the stream, and is not swallowed."""

    async def run():
        with trio.move_on_after(1) as scope:
            await acollect_tool_args(stalled(), "plan", timeout=None)
        return scope.cancelled_caught

    assert on_a_clock(run)
