"""The AI SDK's calls and results: in pieces and whole, by whom, failed and denied."""

import pytest

import weft
from tests.protocols.ai_sdk_parts import CALL, FINISH, STEP, VERSION_4, finish_step, pieces, read
from tests.protocols.wire import events, message, ndjson, note_codes
from weft.message import ToolResult


def test_a_call_said_in_pieces_and_as_a_whole_is_one():
    """Deduped by its id; the text of the arguments is what came first."""
    got = read(*pieces('{ "at" :', ' "sky" }'), CALL, FINISH)
    assert [('{ "at" : "sky" }', True)] == [(call.raw, call.complete) for call in got.tool_calls]
    assert [] == got.notes


def test_a_call_without_pieces_comes_whole_in_its_own_text():
    line = b'{"type":"tool-call","toolCallId":"c","toolName":"f","input":{"n": 1.50, "s":"\\u00e9"}}\n'
    (call,) = message(line + ndjson(FINISH), "ai-sdk").tool_calls
    assert ('{"n": 1.50, "s":"\\u00e9"}', {"n": 1.5, "s": "é"}) == (call.raw, call.arguments)
    starts = [e for e in events(line, "ai-sdk") if isinstance(e, weft.events.BlockStart)]
    assert ["whole"] == [start.arrival for start in starts]


def test_the_tail_that_the_pieces_lack_is_added():
    got = read(*pieces('{"at":'), {**CALL, "input": '{"at":"sky"}'}, FINISH)
    assert [('{"at":"sky"}', True)] == [(call.raw, call.complete) for call in got.tool_calls]


def test_a_whole_that_contradicts_its_pieces_is_noted():
    """What was said cannot be unsaid; a tool's own defaults are filled in between."""
    data = ndjson(*pieces('{"at":"sky"}'), {**CALL, "input": {"at": "sky", "deep": False}}, FINISH)
    assert ["input_changed"] == note_codes(data, "ai-sdk")
    assert ['{"at":"sky"}'] == [call.raw for call in message(data, "ai-sdk").tool_calls]


@pytest.mark.parametrize("input", [{}, None, "", "{}"])
def test_a_call_without_input_has_empty_arguments(input):
    """A7."""
    got = read({"type": "tool-call", "toolCallId": "c", "toolName": "now", "input": input}, FINISH)
    assert [({}, True)] == [(call.arguments, call.complete) for call in got.tool_calls]


def test_pieces_without_their_call_are_whole_at_the_finish():
    """D18 of the checklist: what was streamed is flushed when the run ends well."""
    got = read(*VERSION_4[2:4], {"type": "finish", "finishReason": "tool-calls"})
    assert [({"at": "sky"}, True)] == [(call.arguments, call.complete) for call in got.tool_calls]


@pytest.mark.parametrize(
    "last",
    [{"type": "abort"}, {"type": "finish", "finishReason": "length"}, {"type": "finish", "finishReason": "error"}],
)
def test_pieces_without_their_call_are_not_to_be_executed_after_anything_else(last):
    """A9, D18: cleared when aborted."""
    assert [False] == [call.complete for call in read(*VERSION_4[2:4], last).tool_calls]


def test_a_piece_of_a_call_that_version_1_providers_do_not_announce():
    got = read(
        {"type": "tool-call-delta", "toolCallId": "c", "toolName": "f", "argsTextDelta": '{"a"'},
        {"type": "tool-call-delta", "toolCallId": "c", "toolName": "f", "argsTextDelta": ":1}"},
        FINISH,
    )
    assert [("f", '{"a":1}')] == [(call.name, call.raw) for call in got.tool_calls]


def test_a_piece_of_a_call_that_nobody_knows_is_noted():
    assert ["args_without_call"] == note_codes(ndjson({"type": "tool-input-delta", "id": "x", "delta": "{"}), "ai-sdk")


def test_parallel_calls_are_kept_apart():
    """A18."""
    a, b = pieces('{"a"', ":1}", id="a"), pieces('{"b"', ":2}", id="b")
    mixed = [part for pair in zip(a, b, strict=True) for part in pair]
    got = read(*mixed, FINISH)
    assert ['{"a":1}', '{"b":2}'] == [call.raw for call in got.tool_calls]


def test_a_call_said_twice_is_one_and_another_under_its_id_is_two():
    """A21."""
    assert ["call_repeated"] == note_codes(ndjson(CALL, CALL, FINISH), "ai-sdk")
    data = ndjson(CALL, {**CALL, "input": {"at": "sea"}}, FINISH)
    first, second = message(data, "ai-sdk").tool_calls
    assert ({"at": "sky"}, {"at": "sea"}) == (first.arguments, second.arguments)
    assert ("c", True) == (first.id, second.made_id)
    assert ["call_id_reused"] == note_codes(data, "ai-sdk")


def test_a_call_id_of_another_step_is_another_call():
    """A21."""
    got = read(STEP, CALL, finish_step("tool-calls"), STEP, CALL, finish_step("tool-calls"), FINISH)
    assert [(0, "c"), (1, "c")] == [(call.step, call.id) for call in got.tool_calls]
    assert [] == got.notes


def test_a_call_that_the_sdk_finds_invalid_is_not_complete():
    """Whether its text is broken or only not what the tool takes."""
    got = read({**CALL, "invalid": True, "error": {}}, {"type": "tool-error", "toolCallId": "c", "error": "no"}, FINISH)
    call, result = got.blocks
    assert (False, None, '{"at": "sky"}') == (call.complete, call.arguments, call.raw)
    assert ("no", True) == (result.content, result.is_error)


def test_a_freeform_input_is_text():
    start = {"type": "tool-input-start", "id": "c", "toolName": "patch", "inputEncoding": "text"}
    delta = {"type": "tool-input-delta", "id": "c", "delta": "*** Begin"}
    got = read(
        start, delta, {"type": "tool-call", "toolCallId": "c", "toolName": "patch", "input": "*** Begin"}, FINISH
    )
    assert [("custom", "*** Begin", True)] == [(call.tool, call.raw, call.complete) for call in got.tool_calls]


def test_a_result_says_who_executed():
    """In an agent's run the host answers its own calls; server tools are the provider's."""
    got = read(
        CALL,
        {"type": "tool-result", "toolCallId": "c", "toolName": "look", "input": {}, "output": {"colour": "grey"}},
        {**CALL, "toolCallId": "p", "providerExecuted": True},
        {"type": "tool-result", "toolCallId": "p", "toolName": "look", "result": [1]},
        FINISH,
    )
    assert ["client", "provider"] == [call.executor for call in got.tool_calls]
    results = [part for part in got.blocks if isinstance(part, ToolResult)]
    assert [("c", "look", {"colour": "grey"}), ("p", "look", [1])] == [(r.call_id, r.name, r.content) for r in results]
    data = ndjson(CALL, {"type": "tool-result", "toolCallId": "c", "output": 1})
    blocks = [e for e in events(data, "ai-sdk") if isinstance(e, weft.events.BlockStart)]
    assert ["client", "client"] == [block.executor for block in blocks]


def test_first_looks_at_a_result_are_replaced_by_the_last():
    data = ndjson(
        CALL,
        {"type": "tool-result", "toolCallId": "c", "output": "half", "preliminary": True},
        {"type": "tool-result", "toolCallId": "c", "output": "whole"},
        FINISH,
    )
    assert ["whole"] == [part.content for part in message(data, "ai-sdk").blocks if isinstance(part, ToolResult)]
    assert ["half", "whole"] == [e.content for e in events(data, "ai-sdk") if isinstance(e, weft.events.Result)]


def test_failed_and_denied_tools_have_results_too():
    got = read(
        CALL,
        {"type": "tool-error", "toolCallId": "c", "toolName": "look", "error": {"message": "dark"}},
        {**CALL, "toolCallId": "d"},
        {"type": "tool-output-denied", "toolCallId": "d", "toolName": "look"},
        FINISH,
    )
    results = [(part.content, part.is_error) for part in got.blocks if isinstance(part, ToolResult)]
    assert [({"message": "dark"}, True), ({"type": "execution-denied"}, True)] == results


def test_a_result_ends_the_pieces_of_its_call():
    got = read(*pieces('{"at":"sky"}'), {"type": "tool-result", "toolCallId": "c", "output": 1}, STEP)
    assert [True] == [call.complete for call in got.tool_calls]
