"""Responses as a source: functions, custom tools, and the tools with items of their own. References are to the failure gallery and the atlas."""

from typing import Any

import pytest

import weft
from tests.protocols.responses_wire import (
    added,
    args,
    args_done,
    call,
    call_item,
    completed,
    created,
    done,
    escaped,
    failed,
    incomplete,
    message_item,
    place,
    reasoning_item,
    response,
    stream,
    text,
)
from tests.protocols.wire import events, message, note_codes, sse
from weft.events import ArgsDelta, BlockStart, File
from weft.message import FilePart, OpaquePart, ToolCall, ToolResult

R = "openai-responses"


def only_call(data: bytes, **options: Any) -> ToolCall:
    (got,) = message(data, R, **options).tool_calls
    return got


# -- functions -----------------------------------------------------------------------------------------------------


def test_a_call_is_announced_streamed_and_executable():
    data = stream(call(0, '{"a"', ": 1}"))
    got = only_call(data)
    assert ("call_0", "fc_0", "look") == (got.id, got.item_id, got.name)
    assert ('{"a": 1}', {"a": 1}, True, "client") == (got.raw, got.arguments, got.complete, got.executor)
    assert ['{"a"', ": 1}"] == [event.text for event in events(data, R) if isinstance(event, ArgsDelta)]
    assert ("tool_calls", "completed") == (message(data, R).finish, message(data, R).outcome)


@pytest.mark.parametrize(
    "last", ["response.function_call_arguments.done", "response.output_item.done", "response.completed"]
)
def test_arguments_without_deltas_are_those_of_the_last_word(last: str):
    """A14 ★: codex-spark and LM Studio send no deltas at all; the first that says the whole counts."""
    whole = call_item(0, '{"a":1}')
    frames = [
        added(0, call_item(0, status="in_progress")),
        args_done(0, '{"a":1}'),
        done(0, whole),
        completed(whole),
    ]
    kept = [frame for frame in frames if frame["type"] in {"response.output_item.added", "response.completed", last}]
    data = sse(created(), *kept)
    assert ('{"a":1}', True) == ((got := only_call(data)).raw, got.complete)
    assert 1 == sum(isinstance(event, ArgsDelta) for event in events(data, R))


def test_empty_arguments_are_an_object():
    """A7 ★."""
    got = only_call(stream(call(0)))
    assert ("", {}, True) == (got.raw, got.arguments, got.complete)


def test_missing_pieces_are_added_once():
    frames = call(0, '{"a"', ": 1}")
    del frames[2]
    got = only_call(stream(frames))
    assert ('{"a": 1}', True) == (got.raw, got.complete)


def test_arguments_written_another_way_are_the_same():
    """LiteLLM cuts what it has written anew into pieces of its own."""
    data = stream([added(0, call_item(0)), args(0, '{"a": 1}'), done(0, call_item(0, '{"a":1}'))])
    assert ('{"a": 1}', True, []) == ((got := only_call(data)).raw, got.complete, note_codes(data, R))


def test_arguments_that_the_last_word_contradicts_are_not_executable():
    """The pieces are out already: they are kept, and nobody is told to run them."""
    data = stream(
        [added(0, call_item(0)), args(0, '{"a": 1}'), args_done(0, '{"a": 2}'), done(0, call_item(0, '{"a": 2}'))]
    )
    got = only_call(data)
    assert ('{"a": 1}', None, False) == (got.raw, got.arguments, got.complete)
    assert ["done_differs"] == note_codes(data, R)
    assert "stop" == message(data, R).finish


def test_arguments_as_an_object_keep_their_own_text():
    """Q-R11, A6: bifrost#4644. Never written anew."""
    text_of_it = b'{"big": 0.10000000000000000555, "e": 1e400}'
    marker = b'"@@"'
    for frame in (args_done(0, "@@"), done(0, call_item(0, "@@"))):
        data = stream([added(0, call_item(0)), frame, done(0, call_item(0, ""))]).replace(marker, text_of_it)
        assert text_of_it.decode() == only_call(data).raw


def test_a_null_delta_is_no_delta():
    """Q-R9, A8: bifrost#2935."""
    frames = call(0, '{"a": 1}')
    frames.insert(2, args(0, None))  # type: ignore[arg-type] - null on the wire
    frames.insert(1, {**text(1, "x")[2], "delta": None})
    assert '{"a": 1}' == only_call(stream(frames)).raw


def test_cut_arguments_are_never_a_call():
    """A9 ★."""
    item = call_item(0, '{"p": "/tmp", "dry_run": tr', status="incomplete")
    data = stream(
        [added(0, call_item(0)), args(0, item["arguments"]), done(0, item)], last=incomplete("max_output_tokens", item)
    )
    got = only_call(data)
    assert (False, None, item["arguments"]) == (got.complete, got.arguments, got.raw)
    cut = stream(call(0, '{"p": "/tmp"', "}"))
    cut = cut[: cut.index(b"event: response.function_call_arguments.done")]
    assert (False, '{"p": "/tmp"}') == ((got := only_call(cut)).complete, got.raw)


def test_a_call_left_open_by_a_completed_response_is_judged_by_its_arguments():
    for pieces, complete in ((['{"a"', ": 1}"], True), (['{"a"', ": "], False)):
        data = stream(added(0, call_item(0)), [args(0, piece) for piece in pieces])
        assert complete == only_call(data).complete


def test_calls_may_be_interleaved():
    """A18, xAI: keyed by output index."""
    frames = [
        added(0, call_item(0)), added(1, call_item(1)), args(0, "{"), args(1, '{"b"'), args(0, "}"), args(1, ":2}"),
        done(1, call_item(1, '{"b":2}')), done(0, call_item(0, "{}")),
    ]  # fmt: skip
    got = message(stream(frames), R).tool_calls
    assert [("call_0", "{}"), ("call_1", '{"b":2}')] == [(one.id, one.raw) for one in got]


def test_a_finished_item_may_still_say_in_progress():
    """Q-R6: the call of a program. Its own form says so, and who called."""
    item = call_item(0, "{}", status="in_progress", caller={"type": "program", "caller_id": "call_9"})
    got = only_call(stream(added(0, item), done(0, item)))
    assert (True, item) == (got.complete, got.opaque and got.opaque.raw)


def test_a_status_that_we_have_no_word_for_is_carried():
    item = call_item(0, "{}", status="in_progress")
    carried = only_call(stream(added(0, item), done(0, item))).opaque
    assert carried is not None
    assert item == carried.raw


def test_only_what_says_more_than_our_words_is_carried():
    assert only_call(stream(call(0, "{}"))).opaque is None
    item = call_item(0, "{}", namespace="crm")
    carried = only_call(stream(added(0, item), done(0, item))).opaque
    assert carried is not None
    assert item == carried.raw


def test_a_name_that_comes_late_opens_the_call_then():
    """Deltas before the item was added: nothing is lost, nothing is announced without a name."""
    frames = [
        args(0, '{"a"'),
        args(0, ": 1}"),
        args_done(0, '{"a": 1}', name="look"),
        done(0, call_item(0, '{"a": 1}')),
    ]
    data = stream(frames)
    got = only_call(data)
    assert ("look", '{"a": 1}', True) == (got.name, got.raw, got.complete)
    frames = [args(0, '{"a"'), added(0, call_item(0)), args(0, ": 1}"), done(0, call_item(0, '{"a": 1}'))]
    assert ("call_0", '{"a": 1}', True) == ((got := only_call(stream(frames))).id, got.raw, got.complete)


def test_a_call_that_never_gets_a_name_is_kept_and_incomplete():
    data = sse(created(), args(0, '{"a": 1}'))
    got = only_call(data)
    assert ("", '{"a": 1}', False) == (got.name, got.raw, got.complete)
    assert "call_without_name" in note_codes(data, R)


def test_a_call_without_any_id_gets_one():
    """A3 ★."""
    item = {name: value for name, value in call_item(0, "{}").items() if name not in {"id", "call_id"}}
    data = stream(added(0, item), done(0, item))
    got = only_call(data)
    assert (True, True) == (got.made_id, got.id.startswith("call_"))
    assert got.id == only_call(data).id


def test_the_item_id_stands_in_for_a_missing_call_id():
    item = {name: value for name, value in call_item(0, "{}").items() if name != "call_id"}
    assert "fc_0" == only_call(stream(added(0, item), done(0, item))).id


# -- custom tools --------------------------------------------------------------------------------------------------


def custom_item(input: str = "", **members: Any) -> dict[str, Any]:
    return {"id": "ctc_0", "type": "custom_tool_call", "call_id": "call_0", "name": "patch", "input": input, **members}


def test_the_input_of_a_custom_tool_is_text():
    """A25: streamed as it is, and complete without being JSON."""
    pieces = ("*** Begin", " Patch\n{")
    frames = [
        added(0, custom_item(status="in_progress")),
        *(place("response.custom_tool_call_input.delta", 0, item_id="ctc_0", delta=piece) for piece in pieces),
        place("response.custom_tool_call_input.done", 0, item_id="ctc_0", input="".join(pieces)),
        done(0, custom_item("".join(pieces), status="completed")),
    ]
    data = stream(frames)
    got = only_call(data)
    assert ("custom", "patch", "*** Begin Patch\n{", True) == (got.tool, got.name, got.raw, got.complete)
    assert {"input": got.raw} == got.arguments
    assert "tool_calls" == message(data, R).finish
    assert list(pieces) == [event.text for event in events(data, R) if isinstance(event, ArgsDelta)]


def test_the_input_of_a_custom_tool_may_come_with_the_done_item_alone():
    assert "x = 1" == only_call(stream(added(0, custom_item()), done(0, custom_item("x = 1")))).raw


def test_another_input_than_the_deltas_is_not_executable():
    frames = [
        added(0, custom_item()),
        place("response.custom_tool_call_input.delta", 0, delta="1"),
        done(0, custom_item("2")),
    ]
    assert (False, "1") == ((got := only_call(stream(frames))).complete, got.raw)


# -- tools that the client runs ------------------------------------------------------------------------------------

CLIENT: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}}, "local_shell", '{"type": "exec", "command": ["ls"]}'),
    ({"type": "shell_call", "action": {"commands": ["ls"]}, "environment": {"type": "local"}}, "shell", '{"commands": ["ls"]}'),
    ({"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}}, "apply_patch", '{"type": "delete_file", "path": "a"}'),
    ({"type": "computer_call", "action": {"type": "wait"}}, "computer", '{"type": "wait"}'),
    ({"type": "computer_call", "actions": [{"type": "wait"}]}, "computer", '{"actions":[{"type": "wait"}]}'),
    ({"type": "tool_search_call", "execution": "client", "arguments": {"goal": "x"}}, "tool_search", '{"goal": "x"}'),
]  # fmt: skip


@pytest.mark.parametrize(("item", "tool", "raw"), CLIENT, ids=[f"{row[1]}-{at}" for at, row in enumerate(CLIENT)])
def test_a_tool_of_its_own_kind_is_a_call_with_its_action_as_arguments(item: dict[str, Any], tool: str, raw: str):
    item = {"id": "it_0", "call_id": "call_0", "status": "completed", **item}
    data = stream(added(0, {**item, "status": "in_progress"}), done(0, item))
    got = only_call(data)
    assert (tool, tool, raw, "client") == (got.tool, got.name, got.raw, got.executor)
    assert (True, item) == (got.complete, got.opaque and got.opaque.raw)
    assert "tool_calls" == message(data, R).finish
    assert ["whole"] == [event.arrival for event in events(data, R) if isinstance(event, BlockStart)]


def test_the_id_of_a_search_for_tools_is_the_last_one():
    """Atlas 2.2.5: it is another one when the item is done, and that is the one to answer."""
    item = {"id": "tsc_0", "type": "tool_search_call", "execution": "client", "arguments": {}}
    data = stream(added(0, {**item, "call_id": "call_a"}), done(0, {**item, "call_id": "call_b"}))
    assert "call_b" == only_call(data).id


# -- tools that the provider runs ----------------------------------------------------------------------------------

HOSTED: list[tuple[dict[str, Any], str, str, Any]] = [
    ({"type": "web_search_call", "action": {"type": "search", "query": "x"}}, "web_search", '{"type": "search", "query": "x"}', None),
    ({"type": "file_search_call", "queries": ["x"], "results": [{"file_id": "f"}]}, "file_search", '{"queries":["x"]}', [{"file_id": "f"}]),
    ({"type": "file_search_call", "queries": ["x"], "results": None}, "file_search", '{"queries":["x"]}', None),
    ({"type": "code_interpreter_call", "code": "1+1", "outputs": [{"logs": "2"}]}, "code_interpreter", '{"code":"1+1"}', [{"logs": "2"}]),
    ({"type": "mcp_list_tools", "server_label": "s", "tools": [{"name": "t"}]}, "mcp_list_tools", "", [{"name": "t"}]),
    ({"type": "tool_search_call", "execution": "server", "call_id": None, "arguments": {"paths": ["a"]}}, "tool_search", '{"paths": ["a"]}', None),
    ({"type": "program", "call_id": "call_7", "code": "go()"}, "program", '{"code":"go()"}', None),
    ({"type": "x_search_call", "arguments": '{"q":"x"}'}, "x_search", '{"q":"x"}', None),
    ({"type": "shell_call", "call_id": "call_7", "action": {"commands": []}, "environment": {"type": "container_reference"}}, "shell", '{"commands": []}', None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("item", "tool", "raw", "result"), HOSTED, ids=[f"{row[1]}-{at}" for at, row in enumerate(HOSTED)]
)
def test_a_hosted_tool_is_the_providers_call_with_its_result(item: dict[str, Any], tool: str, raw: str, result: Any):
    """B14: translated as far as there are words, and always carried in its own form."""
    item = {"id": "it_0", "status": "completed", **item}
    data = stream(added(0, {**item, "status": "in_progress"}), done(0, item), text(1, "So."))
    got = message(data, R)
    one = got.tool_calls[0]
    assert (tool, tool, raw, "provider", True) == (one.tool, one.name, one.raw, one.executor, one.complete)
    assert item == (one.opaque and one.opaque.raw)
    results = [part for part in got.blocks if isinstance(part, ToolResult)]
    assert ([] if result is None else [(one.id, result, one.item)]) == [(p.call_id, p.content, p.item) for p in results]
    assert ("stop", []) == (got.finish, got.notes)


def test_what_a_provider_ran_may_come_as_an_item_of_its_own():
    for kind, member in (
        ("shell_call_output", "output"),
        ("program_output", "result"),
        ("tool_search_output", "tools"),
    ):
        item = {"id": "out_0", "type": kind, "call_id": "call_0", "status": "completed", member: ["x"]}
        (got,) = message(stream(added(0, {**item, member: []}), done(0, item)), R).blocks
        assert isinstance(got, ToolResult)
        assert ("call_0", ["x"], item) == (got.call_id, got.content, got.opaque and got.opaque.raw)


def mcp_item(**members: Any) -> dict[str, Any]:
    known = {
        "id": "mcp_0",
        "type": "mcp_call",
        "server_label": "wiki",
        "name": "ask",
        "arguments": "",
        "output": None,
        "error": None,
    }
    return {**known, **members}


@pytest.mark.parametrize(
    ("ends", "failed"), [({"output": "42"}, False), ({"error": {"message": "no"}, "status": "failed"}, True)]
)
def test_an_mcp_call_is_made_by_the_provider(ends: dict[str, Any], failed: bool):
    item = mcp_item(arguments='{"q":1}', **ends)
    frames = [
        added(0, mcp_item()),
        place("response.mcp_call.in_progress", 0, item_id="mcp_0"),
        place("response.mcp_call_arguments.delta", 0, item_id="mcp_0", delta='{"q":1}'),
        place("response.mcp_call_arguments.done", 0, item_id="mcp_0", arguments='{"q":1}'),
        place("response.mcp_call.completed", 0, item_id="mcp_0"),
        done(0, item),
    ]
    call_part, result = message(stream(frames), R).blocks
    assert isinstance(call_part, ToolCall)
    assert isinstance(result, ToolResult)
    assert ("mcp", "ask", '{"q":1}', "provider") == (call_part.tool, call_part.name, call_part.raw, call_part.executor)
    assert (next(iter(ends.values())), failed, "mcp_0") == (result.content, result.is_error, result.call_id)
    assert item == (call_part.opaque and call_part.opaque.raw)


def test_a_request_for_approval_is_a_pause():
    item = {
        "id": "mcpr_0",
        "type": "mcp_approval_request",
        "server_label": "s",
        "name": "pay",
        "arguments": '{"eur":5}',
    }
    got = message(stream(added(0, item), done(0, item)), R)
    assert ("pause", "completed") == (got.finish, got.outcome)
    (one,) = got.tool_calls
    assert ("mcpr_0", "pay", '{"eur":5}', "provider") == (one.id, one.name, one.raw, one.executor)


def test_code_is_streamed_inside_its_object():
    """The pieces together are what the done item says, quotes, line ends and half characters included."""
    code = 'print("é\n\U0001f600")\t\\'
    item = {"id": "ci_0", "type": "code_interpreter_call", "status": "completed", "code": code, "outputs": None}
    pieces = (code[:7], code[7:9], "\ud83d", "\ude00", code[10:12])
    data = escaped(
        added(0, {**item, "code": ""}),
        *(place("response.code_interpreter_call_code.delta", 0, item_id="ci_0", delta=piece) for piece in pieces),
        place("response.code_interpreter_call_code.done", 0, item_id="ci_0", code=code),
        done(0, item),
        completed(),
    )
    got = only_call(data)
    assert ({"code": code}, True, []) == (got.arguments, got.complete, note_codes(data, R))
    cut = only_call(data[: data.index(b'data: {"type": "response.output_item.done"')])
    assert (False, None) == (cut.complete, cut.arguments)


def test_an_image_is_a_file_and_its_previews_are_partial():
    item = {
        "id": "ig_0",
        "type": "image_generation_call",
        "status": "completed",
        "result": "QUJD",
        "output_format": "webp",
    }
    preview = {"item_id": "ig_0", "partial_image_b64": "QQ==", "partial_image_index": 0, "output_format": "webp"}
    frames = [
        added(0, {**item, "status": "in_progress", "result": None}),
        place("response.image_generation_call.generating", 0, item_id="ig_0"),
        place("response.image_generation_call.partial_image", 0, **preview),
        place("response.image_generation_call.completed", 0, item_id="ig_0"),
        done(0, item),
    ]
    data = stream(frames)
    files = [event for event in events(data, R) if isinstance(event, File)]
    assert [("QQ==", True, "image/webp"), ("QUJD", False, "image/webp")] == [
        (f.data, f.partial, f.media_type) for f in files
    ]
    (part,) = message(data, R).blocks
    assert isinstance(part, FilePart)
    assert ("QUJD", item) == (part.data, part.opaque and part.opaque.raw)


def test_kinds_without_words_are_carried_in_their_last_form():
    first = {"id": "cmp_0", "type": "compaction", "encrypted_content": "E0"}
    last = {**first, "encrypted_content": "E1"}
    (part,) = message(stream(added(0, first), done(0, last)), R).blocks
    assert isinstance(part, OpaquePart)
    assert ("compaction", "cmp_0", last) == (part.name, part.item_id, part.opaque and part.opaque.raw)


# -- the wrapper that nobody declared ------------------------------------------------------------------------------

WRAPPED = '{"tool_uses":[{"recipient_name":"functions.look","parameters":{"a": 1}},{"recipient_name":"functions.go","parameters":{}}]}'
TOOLS = [{"type": "function", "name": "look"}, {"type": "function", "name": "go"}]


def wrapped(name: str, arguments: str, tools: list[dict[str, Any]]) -> bytes:
    return sse(created(tools=tools), *call(0, arguments[:9], arguments[9:], name=name), completed())


@pytest.mark.parametrize("name", ["parallel", "multi_tool_use.parallel"])
def test_an_undeclared_wrapper_is_the_calls_inside(name: str):
    """A24, Q-R17."""
    got = message(wrapped(name, WRAPPED, TOOLS), R)
    assert [("look", '{"a": 1}', True), ("go", "{}", True)] == [
        (one.name, one.raw, one.complete) for one in got.tool_calls
    ]
    assert ["call_0_0", "call_0_1"] == [one.id for one in got.tool_calls]
    assert ("tool_calls", []) == (got.finish, got.notes)


@pytest.mark.parametrize(
    ("arguments", "tools"),
    [
        (WRAPPED, []),
        (WRAPPED, [*TOOLS, {"type": "function", "name": "parallel"}]),
        (WRAPPED, TOOLS[:1]),
        (WRAPPED.replace('{"a": 1}', "[1]"), TOOLS),
        (WRAPPED[:-4], TOOLS),
        ('{"steps": 3}', TOOLS),
    ],
    ids=["nothing declared", "the wrapper declared", "one inside undeclared", "no object", "cut", "another thing"],
)
def test_a_wrapper_in_doubt_stays_one_call(arguments: str, tools: list[dict[str, Any]]):
    assert ("parallel", arguments) == ((got := only_call(wrapped("parallel", arguments, tools))).name, got.raw)


# -- order, and what a failure leaves ------------------------------------------------------------------------------


def test_items_stand_in_order_of_appearance():
    """B13."""
    data = stream(
        [added(0, reasoning_item(0)), done(0, reasoning_item(0))],
        text(1, "a"),
        call(2, "{}"),
        text(3, "b"),
        call(4, "{}"),
    )
    got = message(data, R)
    assert ["rs_0", "msg_1", "fc_2", "msg_3", "fc_4"] == [part.item_id for part in got.blocks]
    assert list(range(5)) == [part.item for part in got.blocks]


def test_a_failure_leaves_open_what_was_open():
    data = stream(added(0, call_item(0)), args(0, "{}"), last=failed())
    assert False is only_call(data).complete


def test_a_whole_reply_says_all_its_items():
    items: list[Any] = [
        {"id": "ws_0", "type": "web_search_call", "status": "completed", "action": {"type": "search"}},
        mcp_item(output="42"),
        custom_item("x = 1"),
        {"id": "ig_0", "type": "image_generation_call", "status": "completed", "result": "QUJD"},
        message_item(5, "Hi"),
    ]
    got = weft.collect(weft.read(response("completed", *items), R))
    assert ["ToolCall", "ToolCall", "ToolResult", "ToolCall", "FilePart", "Text"] == [
        type(p).__name__ for p in got.blocks
    ]
    assert ('{"type":"search"}', "42", "x = 1") == (got.tool_calls[0].raw, got.blocks[2].content, got.tool_calls[2].raw)
