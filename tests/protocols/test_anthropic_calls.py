"""Anthropic Messages as a source: tool calls, and tools that the provider runs. References are to the failure gallery and the protocol atlas."""

import json
from typing import Any

import pytest

from tests.protocols.anthropic_wire import (
    ECHO,
    ECHOED,
    FAILED,
    FOUND,
    SEARCH,
    STOP,
    Frame,
    args,
    call,
    closed,
    ended,
    opened,
    start,
    stream,
    text,
    tool,
)
from tests.protocols.wire import events, message, note_codes, sse
from weft.events import ArgsDelta, BlockStart
from weft.message import Message, ToolResult

A = "anthropic"


def calls(got: Message) -> list[tuple[Any, ...]]:
    return [(call.id, call.name, call.raw, call.complete) for call in got.tool_calls]


def kinds(got: Message) -> list[str]:
    return [part.__struct_config__.tag for part in got.blocks]


# -- tool calls ----------------------------------------------------------------------------------------------------


def test_arguments_come_as_they_were_written():
    """A26: fragments are passed on, never parsed and written anew."""
    pieces = ["", '{"a": ', "0.10", '0, "b":"\\u00e9}"', "}"]
    data = stream(call(0, *pieces), end=ended("tool_use"))
    assert pieces[1:] == [event.text for event in events(data, A) if isinstance(event, ArgsDelta)]
    assert [("toolu_1", "look", "".join(pieces), True)] == calls(message(data, A))


@pytest.mark.parametrize("frames", [call(0), call(0, ""), [opened(0, tool())]])
def test_a_call_without_arguments_is_an_empty_object(frames: list[Frame]):
    """A7, Q-A7: with an empty fragment, with none, and without even its stop."""
    got = message(stream(frames, end=ended("tool_use")), A)
    assert [({}, True)] == [(call.arguments, call.complete) for call in got.tool_calls]
    assert "tool_calls" == got.finish


def test_a_call_cut_before_its_first_argument_is_not_complete():
    """A9: at the token limit, no arguments is not an empty object, even if the block was stopped."""
    got = message(stream(call(0, ""), end=ended("max_tokens")), A)
    assert ("incomplete", [("toolu_1", "look", "", False)]) == (got.outcome, calls(got))


def test_an_empty_call_with_another_after_it_was_not_cut():
    got = message(stream(call(0), call(1, id="toolu_2"), end=ended("max_tokens")), A)
    assert [True, False] == [call.complete for call in got.tool_calls]


@pytest.mark.parametrize("stopped", [True, False])
def test_the_limit_in_the_middle_of_a_call(stopped: bool):
    """A9, Q-A9: the raw text is kept, and nothing is repaired."""
    frames = call(1, '{"name": "taxes', " and ")
    got = message(stream(text(0, "Writing."), frames if stopped else frames[:-1], end=ended("max_tokens")), A)
    assert [("toolu_1", "look", '{"name": "taxes and ', False)] == calls(got)
    assert got.tool_calls[0].arguments is None
    assert ("incomplete", "length") == (got.outcome, got.finish)


def test_fine_grained_streaming_may_end_in_invalid_json():
    """Atlas 2.3.3 rule 11: the outcome stands, the call is not safe to execute."""
    got = message(stream(call(0, '{"a": [1,'), end=ended("tool_use")), A)
    assert ("completed", [False]) == (got.outcome, [call.complete for call in got.tool_calls])


def test_the_whole_input_may_stand_in_the_start():
    """Q-A8: its text is the source's own."""
    block = json.dumps(opened(0, tool(input={"n": 1}))).replace('{"n": 1}', '{"n":  1.50}')
    data = sse(start(), block, closed(0), ended("tool_use"), STOP)
    assert [("toolu_1", "look", '{"n":  1.50}', True)] == calls(message(data, A))
    assert ["whole"] == [event.arrival for event in events(data, A) if isinstance(event, BlockStart)]


@pytest.mark.parametrize("ending", [[closed(0)], []])
def test_deltas_count_for_more_than_the_input_in_the_start(ending: list[Frame]):
    """Atlas 2.3.3 rule 3."""
    frames = [opened(0, tool(input={"half": True})), args(0, '{"whole":'), args(0, "1}"), *ending]
    assert '{"whole":1}' == message(stream(frames, end=ended("tool_use")), A).tool_calls[0].raw


def test_input_in_the_start_of_a_block_that_is_never_stopped():
    got = message(stream([opened(0, tool(input={"n": 1}))], end=ended("tool_use")), A)
    assert [("toolu_1", "look", '{"n": 1}', True)] == calls(got)


@pytest.mark.parametrize(("input", "raw"), [('{"n": 1}', '{"n": 1}'), ("", ""), (None, ""), ({}, "")])
def test_the_input_may_be_text_or_nothing(input: Any, raw: str):
    """A6: some proxies write the JSON into a string."""
    got = message(stream(opened(0, tool(input=input)), closed(0), end=ended("tool_use")), A)
    assert [("toolu_1", "look", raw, True)] == calls(got)


def test_calls_may_be_open_side_by_side():
    """Q-A4, vLLM: fragments go by their index."""
    frames = [
        opened(0, tool("t0")),
        opened(1, tool("t1")),
        args(0, '{"a"'),
        args(1, '{"b"'),
        args(0, ":0}"),
        args(1, ":1}"),
        closed(0),
        closed(1),
    ]
    got = message(stream(frames, end=ended("tool_use")), A)
    assert [("t0", "look", '{"a":0}', True), ("t1", "look", '{"b":1}', True)] == calls(got)


def test_fragments_under_a_wrong_index_go_to_the_call_that_was_opened_last():
    """Q-A5: lost arguments would leave an empty call, ready to be executed."""
    data = stream(text(0, "Hi"), opened(1, tool()), args(5, '{"a"'), args(5, ":1}"), closed(1), end=ended("tool_use"))
    assert [("toolu_1", "look", '{"a":1}', True)] == calls(message(data, A))
    assert ["args_rerouted"] == note_codes(data, A)


def test_fragments_without_any_call_are_noted():
    assert ["args_without_call"] == note_codes(stream(text(0, "Hi"), args(3, "{}")), A)


def test_a_call_without_an_id_gets_one():
    """A3."""
    (made,) = message(stream(call(0, "{}", id=""), end=ended("tool_use")), A).tool_calls
    assert made.made_id
    assert made.id.startswith("call_")
    assert made.id == message(stream(call(0, "{}", id=""), end=ended("tool_use")), A).tool_calls[0].id


def test_a_call_carries_what_we_have_no_words_for():
    caller = {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}
    got = message(stream(call(0, "{}", caller=caller), end=ended("tool_use")), A).tool_calls[0]
    assert {"type": "tool_use", "id": "toolu_1", "name": "look", "caller": caller} == got.opaque.raw
    assert message(stream(call(0, "{}")), A).tool_calls[0].opaque is None


# -- tools that the provider runs ----------------------------------------------------------------------------------


def test_server_tools_and_their_results():
    """B14."""
    data = stream(opened(0, SEARCH), args(0, '{"query":"q"}'), closed(0), opened(1, FOUND), closed(1), text(2, "So."))
    got = message(data, A)
    assert ["tool_call", "tool_result", "text"] == kinds(got)
    assert [("srv_1", "web_search", "provider", True)] == [
        (c.id, c.name, c.executor, c.complete) for c in got.tool_calls
    ]
    result = got.blocks[1]
    assert isinstance(result, ToolResult)
    assert ("srv_1", FOUND["content"], False, True) == (
        result.call_id,
        result.content,
        result.is_error,
        result.complete,
    )
    assert FOUND == result.opaque.raw
    assert {"type": "server_tool_use", "id": "srv_1", "name": "web_search"} == got.tool_calls[0].opaque.raw
    assert "stop" == got.finish


def test_a_result_may_say_that_the_tool_failed():
    """Atlas 2.3.2: results are told from errors by the type of their content."""
    result = message(stream(opened(0, FAILED), closed(0)), A).blocks[0]
    assert (True, FAILED["content"]) == (result.is_error, result.content)
    result = message(stream(opened(0, ECHOED | {"is_error": True}), closed(0)), A).blocks[0]
    assert result.is_error


def test_mcp_calls_keep_the_name_of_their_server():
    got = message(stream(opened(0, ECHO), args(0, "{}"), closed(0), opened(1, ECHOED), closed(1)), A)
    assert "provider" == got.tool_calls[0].executor
    assert {"type": "mcp_tool_use", "id": "mcp_1", "name": "echo", "server_name": "echoes"} == got.tool_calls[
        0
    ].opaque.raw
    assert [{"type": "text", "text": "hi"}] == got.blocks[1].content


def test_a_paused_turn_keeps_its_open_server_tool():
    got = message(stream(opened(0, SEARCH), args(0, '{"query":"q"}'), closed(0), end=ended("pause_turn")), A)
    assert ("completed", "pause", True) == (got.outcome, got.finish, got.tool_calls[0].complete)
