"""Responses as a source: what its imitators do with ids, indices and ends. References are to the failure gallery and the atlas."""

from itertools import count
from typing import Any

import pytest

from tests.protocols.responses_wire import (
    Frame,
    added,
    args,
    call,
    call_item,
    completed,
    created,
    done,
    message_item,
    place,
    reasoning_item,
    response,
    said,
    stream,
    summary,
    text,
    thought,
)
from tests.protocols.wire import end, events, message, note_codes, sse
from weft.events import Signature, Start
from weft.message import Text, ToolCall
from weft.protocols.openai_responses.dialects import ROWS
from weft.testing import check_protocol

R = "openai-responses"


def rotated(frames: list[Frame]) -> list[Frame]:
    """Another id wherever there is one, as Copilot gives them."""
    numbers = count()

    def turn(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: turn(member, key) for key, member in value.items()}
        if isinstance(value, list):
            return [turn(member) for member in value]
        return f"{value}_{next(numbers)}" if name in {"id", "item_id"} else value

    return [turn(frame) for frame in frames]


def without(names: set[str], frames: list[Frame]) -> list[Frame]:
    """Frames of somebody who leaves these members out."""
    return [{name: value for name, value in frame.items() if name not in names} for frame in frames]


# -- identity ------------------------------------------------------------------------------------------------------


def test_ids_may_be_others_in_each_event():
    """Q-R1: GitHub Copilot. The first names the response and the item; the index tells what belongs together."""
    reasoning = reasoning_item(0, "Hm.", encrypted_content="E1")
    items = [reasoning, message_item(1, "Hello"), call_item(2, "{}")]
    frames = [
        created(),
        added(0, reasoning_item(0, encrypted_content="E0")),
        summary(0, "Hm."),
        done(0, reasoning),
        *text(1, "Hel", "lo"),
        *call(2, "{", "}"),
        completed(*items),
    ]
    got, plain = message(sse(*rotated(frames)), R), message(sse(*frames), R)
    assert [] == got.notes
    assert (plain.text, plain.reasoning, len(plain.blocks)) == (got.text, got.reasoning, len(got.blocks))
    assert [(one.id, one.raw) for one in plain.tool_calls] == [(one.id, one.raw) for one in got.tool_calls]


def test_encrypted_content_keeps_the_id_that_it_came_with():
    """pydantic/pydantic-ai#7185: content and id that do not belong together are refused."""
    frames = [
        created(),
        added(0, reasoning_item(0)),
        done(0, {**reasoning_item(0, encrypted_content="E"), "id": "rs_other"}),
    ]
    (signature,) = [event for event in events(sse(*frames, completed()), R) if isinstance(event, Signature)]
    assert "rs_other" == signature.origin.item


def test_nothing_may_be_numbered():
    """Q-R2: llama.cpp has neither sequence numbers nor indices; the item's id tells what belongs together, and all are done at the end."""
    items = [
        reasoning_item(0, content=[{"type": "reasoning_text", "text": "Hm."}]),
        message_item(1, "Hello"),
        call_item(2, "{}"),
    ]
    frames = [
        added(0, reasoning_item(0)), thought(0, "Hm."), added(1, message_item(1)), said(1, "Hel"), said(1, "lo"),
        added(2, call_item(2)), args(2, "{"), args(2, "}"), *(done(at, item) for at, item in enumerate(items)),
    ]  # fmt: skip
    got = message(sse(*without({"output_index", "content_index"}, [created(), *frames, completed(*items)])), R)
    assert ("Hm.", "Hello", ["{}"], []) == (got.reasoning, got.text, [one.raw for one in got.tool_calls], got.notes)
    assert 3 == len(got.blocks)


def test_with_neither_index_nor_id_the_last_open_item_of_the_kind_is_meant():
    frames = without({"output_index", "content_index", "item_id"}, [*text(0, "Hi"), *call(1, "{", "}")])
    got = message(sse(created(), *frames, completed()), R)
    assert ("Hi", ["{}"], 2, []) == (got.text, [one.raw for one in got.tool_calls], len(got.blocks), got.notes)


def test_one_index_may_serve_two_items():
    """The bridge of LiteLLM: reasoning and message share output index 0."""
    whole = reasoning_item(0, "Hm.")
    frames = [
        added(0, reasoning_item(0)), summary(0, "Hm."), added(0, message_item(1)), {**said(0, "Hi"), "item_id": "msg_1"},
        done(0, whole), done(0, message_item(1, "Hi")),
    ]  # fmt: skip
    got = message(stream(frames, last=completed(whole, message_item(1, "Hi"))), R)
    assert ("Hm.", "Hi", 2, []) == (got.reasoning, got.text, len(got.blocks), got.notes)


def test_what_shares_an_index_is_told_apart_by_its_kind():
    frames = [
        added(0, reasoning_item(0)), added(0, message_item(1)), {**said(0, "Hi"), "item_id": "msg_1"},
        summary(0, "Hm"), done(0, reasoning_item(0, "Hm.")), done(0, message_item(1, "Hi!")),
    ]  # fmt: skip
    got = message(stream(frames), R)
    assert ("Hm.", "Hi!", [True, True], []) == (
        got.reasoning,
        got.text,
        [part.complete for part in got.blocks],
        got.notes,
    )


INTERLEAVED = [
    added(0, call_item(0)), added(1, call_item(1)), args(0, '{"a"'), args(1, '{"b"'), args(0, ":1}"), args(1, ":2}"),
]  # fmt: skip


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param(without({"output_index"}, INTERLEAVED), id="no index"),
        pytest.param([{**frame, "output_index": 0} for frame in INTERLEAVED], id="one index for both"),
        pytest.param(
            [{**frame, "item_id": "fc"} | ({"item": {**frame["item"], "id": "fc"}} if "item" in frame else {})
             for frame in INTERLEAVED], id="one id for both",
        ),
    ],
)  # fmt: skip
def test_calls_that_interleave_are_told_apart_by_what_tells_them_apart(frames: list[Any]):
    got = message(stream(frames), R)
    assert ['{"a":1}', '{"b":2}'] == [one.raw for one in got.tool_calls]


def test_texts_that_interleave_without_an_index_are_told_apart_by_their_ids():
    frames = [added(0, message_item(0)), added(1, message_item(1)), said(0, "a"), said(1, "b"), said(0, "c")]
    got = message(stream(without({"output_index"}, frames)), R)
    assert ["ac", "b"] == [part.text for part in got.blocks if isinstance(part, Text)]


def test_an_index_may_be_used_again():
    """Whoever numbers each message 0: what comes after one is done is another."""
    again = [{**frame, "output_index": 0} for frame in text(1, "lo")]
    got = message(stream(text(0, "Hel"), again), R)
    assert ("Hello", ["msg_0", "msg_1"], []) == (got.text, [part.item_id for part in got.blocks], got.notes)


def test_items_that_are_never_added_are_told_apart_by_their_index():
    got = message(stream(said(0, "a"), said(1, "x"), said(0, "b"), said(1, "y")), R)
    assert ["ab", "xy"] == [part.text for part in got.blocks if isinstance(part, Text)]


def test_the_content_index_may_count_what_is_not_in_the_message():
    """vLLM and Bedrock number the only part of a message 1, after the reasoning's 0."""
    frames = [
        added(1, message_item(1)),
        said(1, "Hi", 1),
        place("response.output_text.done", 1, content_index=1, text="Hi"),
        done(1, message_item(1, "Hi")),
    ]
    got = message(stream(frames, last=completed(message_item(1, "Hi"))), R)
    assert ("Hi", 1, []) == (got.text, len(got.blocks), got.notes)


def test_pieces_may_come_before_what_they_belong_to():
    """Q-R5: Azure before the content part, Ollama before the summary part, and anybody before the item."""
    for frames in (
        [added(0, message_item(0)), said(0, "Hi"), text(0, "")[1], said(0, "!"), done(0, message_item(0, "Hi!"))],
        [said(0, "Hi"), added(0, message_item(0)), said(0, "!"), done(0, message_item(0, "Hi!"))],
    ):
        got = message(stream(frames), R)
        assert ("Hi!", 1, []) == (got.text, len(got.blocks), got.notes)
    got = message(
        stream(summary(0, "Hm"), added(0, reasoning_item(0)), done(0, reasoning_item(0, "Hm.", encrypted_content="E"))),
        R,
    )
    assert ("Hm.", 1, "E") == (got.reasoning, len(got.blocks), got.blocks[0].signatures[0].value)


def test_a_call_may_be_announced_twice_under_two_ids():
    """Requirements 1.5.4: the same call, so one call. What comes under either name belongs to it."""
    twin = {**call_item(0), "id": "fc_other"}
    frames = [
        added(None, call_item(0)),
        added(None, twin),
        {**args(0, '{"a"'), "item_id": "fc_other"},
        {**args(0, ":1}"), "item_id": "call_0"},
        done(None, {**twin, "arguments": '{"a":1}'}),
        done(None, call_item(0, '{"a":1}')),
    ]
    got = message(stream(without({"output_index"}, frames)), R)
    assert [('{"a":1}', True)] == [(one.raw, one.complete) for one in got.tool_calls]
    assert [] == got.notes


def test_a_call_id_used_again_is_another_call():
    """Bedrock reuses ids: what comes after the first is done is a call of its own."""
    second = {**call_item(1, '{"b":2}'), "call_id": "call_0"}
    got = message(stream(call(0, "{}"), added(1, second), done(1, second)), R)
    assert ["{}", '{"b":2}'] == [one.raw for one in got.tool_calls]


def test_an_item_without_a_type_may_be_a_call():
    item = {name: value for name, value in call_item(0, "{}").items() if name != "type"}
    (got,) = message(stream(added(0, item), done(0, item)), R).blocks
    assert isinstance(got, ToolCall)
    assert ("look", "{}", True) == (got.name, got.raw, got.complete)


# -- the whole output at the end -----------------------------------------------------------------------------------


def test_an_empty_output_at_the_end_takes_nothing_back():
    """Q-R3: the ChatGPT backend. A client that trusts the last snapshot loses everything."""
    for output in ([], None):
        last = {"type": "response.completed", "response": {**response("completed"), "output": output}}
        got = message(stream(text(0, "Hi"), call(1, "{}"), last=last), R)
        assert ("Hi", ["{}"], "tool_calls", []) == (
            got.text,
            [one.raw for one in got.tool_calls],
            got.finish,
            got.notes,
        )


def test_an_output_that_was_not_streamed_is_read():
    got = message(sse(created(), completed(message_item(0, "Hi"), call_item(1, "{}"))), R)
    assert ("Hi", ["{}"], []) == (got.text, [one.raw for one in got.tool_calls], got.notes)


def test_items_that_were_left_out_of_the_stream_are_read_and_noted():
    got = message(stream(text(0, "Hi"), last=completed(message_item(0, "Hi"), call_item(1, "{}"))), R)
    assert ("Hi", ["{}"]) == (got.text, [one.raw for one in got.tool_calls])
    assert ["item_not_streamed"] == [note.code for note in got.notes]


def test_items_left_open_are_finished_from_the_output():
    """Recorded: items that are added and never done stand whole in the completed response."""
    frames = [added(0, reasoning_item(0)), added(1, message_item(1)), said(1, "Hel")]
    last = completed({**reasoning_item(0, "Hm."), "id": "rs_new"}, message_item(1, "Hello"))
    got = message(stream(frames, last=last), R)
    assert ("Hm.", "Hello", [True, True], []) == (
        got.reasoning,
        got.text,
        [part.complete for part in got.blocks],
        got.notes,
    )


def test_an_output_numbered_with_gaps_is_the_same_output():
    got = message(stream(text(0, "a"), text(5, "b"), last=completed(message_item(0, "a"), message_item(5, "b"))), R)
    assert ("ab", []) == (got.text, got.notes)


# -- hosts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_reads_by_its_name_and_has_its_reason(row: Any):
    data = stream(text(0, "Hi"), added(1, reasoning_item(1, encrypted_content="E")), done(1, reasoning_item(1)))
    got = message(data, f"{R}/{row.name}")
    assert ("Hi", "completed", row.provider) == (got.text, got.outcome, got.provider)
    assert row.provider == got.blocks[1].signatures[0].origin.provider
    assert row.evidence


def test_a_host_is_known_by_its_ids_or_models():
    def provider(**members: Any) -> str | None:
        (start,) = [
            event for event in events(sse(created(**members), completed(**members)), R) if isinstance(event, Start)
        ]
        return start.provider

    assert "openrouter" == provider(id="gen-17")
    assert "xai" == provider(model="grok-9")
    assert None is provider(model="gpt-x")


def test_the_custom_tools_of_xai_are_its_own():
    """vercel/ai#9896: x_semantic_search and the like; a client that runs them loops for ever."""
    item = {
        "id": "ctc_0",
        "type": "custom_tool_call",
        "call_id": "call_0",
        "name": "x_semantic_search",
        "input": '{"query":"x"}',
    }
    frames = [added(0, {**item, "input": ""}), done(0, item), *text(1, "So.")]
    for data, protocol in ((stream(frames), f"{R}/xai"), (sse(created(model="grok-9"), *frames, completed()), R)):
        got = message(data, protocol)
        assert ("provider", "stop") == (got.tool_calls[0].executor, got.finish)
    assert "tool_calls" == message(stream(frames), R).finish


def test_a_stream_that_ends_with_done_alone_is_complete_where_that_is_declared():
    """Q-R12: bigduu/Bamboo-agent#405."""
    data = sse(created(), *text(0, "Hi"), done=True)
    assert "truncated" == end(data, R).outcome
    assert "completed" == end(data, f"{R}/bamboo").outcome
    assert "truncated" == end(data.replace(b"data: [DONE]\n\n", b""), f"{R}/bamboo").outcome


def test_an_unknown_host_is_told_the_nearest():
    with pytest.raises(ValueError, match="openai-responses/openrouter"):
        message(stream(), f"{R}/openruoter")


# -- the laws ------------------------------------------------------------------------------------------------------


def test_the_laws_hold_for_every_kind_of_item_at_once():
    items: list[Frame] = [
        {"id": "ws_2", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "x"}},
        {"id": "mcp_3", "type": "mcp_call", "name": "ask", "arguments": "{}", "output": "42", "server_label": "s"},
        {"id": "ci_4", "type": "code_interpreter_call", "code": "1", "outputs": []},
        {"id": "ig_5", "type": "image_generation_call", "status": "completed", "result": "QUJD"},
        {"id": "ctc_6", "type": "custom_tool_call", "call_id": "call_6", "name": "patch", "input": "x"},
        {"id": "cmp_7", "type": "compaction", "encrypted_content": "E"},
        {"id": "sho_8", "type": "shell_call_output", "call_id": "call_8", "output": []},
    ]
    frames = [frame for at, item in enumerate(items, 2) for frame in (added(at, item), done(at, item))]
    code = place("response.code_interpreter_call_code.delta", 4, item_id="ci_4", delta="1")
    frames.insert(5, code)
    reasoning = reasoning_item(9, "Hm.", encrypted_content="E")
    rest = [added(9, reasoning_item(9)), summary(9, "Hm."), done(9, reasoning)]
    assert 2 == check_protocol(
        R,
        [
            stream(text(0, "Hel", "lo"), call(1, "{", "}"), frames, rest),
            stream(text(0, "Hi"), last=completed(*items, reasoning)),
        ],
        rounds=200,
    )


def test_notes_are_few_however_often_the_oddity_comes():
    data = stream(text(0, "Hi"), [said(0, "x")] * 500)
    assert ["delta_after_done"] == note_codes(data, R)
