"""Anthropic Messages as a source: the blocks and their deltas. References are to the failure gallery and the protocol atlas."""

import json
from typing import Any

import pytest

import weft
from tests.protocols.anthropic_wire import (
    ECHO,
    ECHOED,
    FOUND,
    SEARCH,
    TEXT,
    THINKING,
    Frame,
    args,
    call,
    closed,
    delta,
    ended,
    opened,
    said,
    stream,
    text,
    thought,
    tool,
)
from tests.protocols.wire import events, message, note_codes, sse
from weft.events import BlockEnd, BlockStart, End, Opaque
from weft.message import Message, OpaquePart, Reasoning, Text

A = "anthropic"


def calls(got: Message) -> list[tuple[Any, ...]]:
    return [(call.id, call.name, call.raw, call.complete) for call in got.tool_calls]


def kinds(got: Message) -> list[str]:
    return [part.__struct_config__.tag for part in got.blocks]


# -- reasoning -----------------------------------------------------------------------------------------------------


def signed(index: int, value: str) -> Frame:
    return delta(index, "signature_delta", signature=value)


def test_reasoning_keeps_its_signature_and_where_it_is_from():
    """F5, requirement B12: several thoughts, each with its own."""
    data = stream(
        [opened(0, THINKING), thought(0, "First."), signed(0, "s1"), closed(0)],
        text(1, "Said."),
        [opened(2, THINKING), thought(2, "Then."), signed(2, "s2"), closed(2)],
        call(3, "{}"),
        end=ended("tool_use"),
    )
    got = message(data, A)
    assert ["reasoning", "text", "reasoning", "tool_call"] == kinds(got)
    assert "First.\n\nThen." == got.reasoning
    thoughts = [part for part in got.blocks if isinstance(part, Reasoning)]
    assert ["s1", "s2"] == [part.signatures[0].value for part in thoughts]
    assert ("anthropic", "claude-x", False) == (
        thoughts[0].signatures[0].origin.protocol,
        thoughts[0].signatures[0].origin.model,
        thoughts[0].signatures[0].encrypted,
    )


def test_a_later_signature_replaces_an_earlier():
    frames = [opened(0, THINKING), thought(0, "Hm."), signed(0, "old"), signed(0, "new"), signed(0, ""), closed(0)]
    assert ["new"] == [signature.value for signature in message(stream(frames), A).blocks[0].signatures]


def test_thinking_and_signature_may_share_a_delta():
    """F4, Q-A12."""
    frames = [
        opened(0, THINKING),
        thought(0, "Hm"),
        delta(0, "thinking_delta", thinking=".", signature="sig"),
        closed(0),
    ]
    got = message(stream(frames), A)
    assert ("Hm.", "sig") == (got.reasoning, got.blocks[0].signatures[0].value)


def test_a_signature_without_text_is_kept():
    """F5: thinking whose display is omitted."""
    for frames in (
        [opened(0, THINKING), signed(0, "sig"), closed(0)],
        [opened(0, THINKING | {"signature": "sig"}), closed(0)],
    ):
        got = message(stream(frames), A)
        assert ("", "sig") == (got.reasoning, got.blocks[0].signatures[0].value)


def test_redacted_thinking_is_kept():
    """F11, requirement B12."""
    block = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}
    (part,) = message(stream(opened(0, block), closed(0)), A).blocks
    assert isinstance(part, Reasoning)
    assert ("", "ZW5jcnlwdGVk", True, block) == (
        part.text,
        part.signatures[0].value,
        part.signatures[0].encrypted,
        part.opaque.raw,
    )


def test_thinking_inside_a_text_block_is_reasoning():
    """H1, Q-A11: a proxy opened the block before it knew."""
    data = stream(opened(0, TEXT), thought(0, "Hm"), thought(0, "."), said(0, "Hi"), said(0, "!"), closed(0))
    got = message(data, A)
    assert ("Hm.", "Hi!") == (got.reasoning, got.text)
    assert ["delta_of_other_kind"] * 2 == note_codes(data, A)


def test_text_beside_a_call_does_not_end_the_call():
    """A11: nothing of the arguments is lost, and nothing of the text."""
    data = stream(
        opened(0, tool()),
        args(0, '{"a"'),
        said(0, "Hi"),
        args(0, ":1}"),
        said(0, "!"),
        closed(0),
        end=ended("tool_use"),
    )
    got = message(data, A)
    assert ("Hi!", [("toolu_1", "look", '{"a":1}', True)]) == (got.text, calls(got))
    assert ["delta_of_other_kind"] == note_codes(data, A)


# -- text ----------------------------------------------------------------------------------------------------------


def test_empty_deltas_change_nothing():
    """B12: not even inside a block of another kind."""
    data = stream(
        opened(0, tool()), args(0, "{"), said(0, ""), thought(0, ""), args(0, "}"), closed(0), end=ended("tool_use")
    )
    assert (["tool_call"], [], [True]) == (
        kinds(message(data, A)),
        message(data, A).notes,
        [c.complete for c in message(data, A).tool_calls],
    )


def test_text_may_stand_in_the_start():
    assert "Hello" == message(stream(opened(0, TEXT | {"text": "Hel"}), said(0, "lo"), closed(0)), A).text


def test_citations_belong_to_their_text():
    """B11: each of many small blocks has its own."""
    web = {
        "type": "web_search_result_location",
        "url": "https://a.example",
        "title": "A",
        "cited_text": "so",
        "encrypted_index": "e",
    }
    page = {
        "type": "page_location",
        "document_title": "D",
        "document_index": 0,
        "cited_text": "it",
        "start_page_number": 1,
    }
    data = stream(
        [opened(0, TEXT | {"citations": []}), delta(0, "citations_delta", citation=web), said(0, "One."), closed(0)],
        [opened(1, TEXT | {"citations": [page]}), said(1, "Two."), closed(1)],
    )
    first, second = message(data, A).blocks
    assert isinstance(first, Text)
    assert [("web_search_result_location", "https://a.example", "A", "so", web)] == [
        (a.kind, a.url, a.title, a.text, a.raw) for a in first.annotations
    ]
    assert [("page_location", None, "D", "it", None)] == [
        (a.kind, a.url, a.title, a.text, a.start) for a in second.annotations
    ]


# -- starts and stops ----------------------------------------------------------------------------------------------


def test_stops_may_all_come_at_the_end():
    """llama.cpp."""
    frames = [
        opened(0, THINKING),
        thought(0, "Hm."),
        opened(1, TEXT),
        said(1, "Hi"),
        opened(2, tool()),
        args(2, "{}"),
        closed(0),
        closed(1),
        closed(2),
    ]
    got = message(stream(frames, end=ended("tool_use")), A)
    assert ("Hm.", "Hi", [True, True, True]) == (got.reasoning, got.text, [part.complete for part in got.blocks])


def test_stops_may_be_missing():
    """Q-A9: the finish ends what is open."""
    got = message(stream(opened(0, TEXT), said(0, "Hi"), opened(1, tool()), args(1, "{}"), end=ended("tool_use")), A)
    assert ([True, True], "completed") == ([part.complete for part in got.blocks], got.outcome)


def test_a_delta_may_come_without_a_start():
    data = stream(said(0, "Hi"), said(0, "!"), closed(0))
    assert ("Hi!", ["block_not_started"]) == (message(data, A).text, note_codes(data, A))


def test_indexes_may_be_sparse_or_start_again():
    """A16, H5: an index is a key, not a place."""
    got = message(stream(text(3, "a"), text(7, "b"), text(3, "c")), A)
    assert ["a", "b", "c"] == [part.text for part in got.blocks]
    assert [0, 1, 2] == [part.index for part in got.blocks]


def test_an_index_that_is_opened_again_ends_its_block():
    data = stream(
        opened(0, tool("t1")),
        args(0, '{"a":1}'),
        opened(0, tool("t2")),
        args(0, "{}"),
        closed(0),
        end=ended("tool_use"),
    )
    assert [("t1", False), ("t2", True)] == [(c.id, c.complete) for c in message(data, A).tool_calls]
    assert ["block_reopened"] == note_codes(data, A)


def test_what_was_held_of_a_block_is_said_before_its_index_is_taken():
    frames = [opened(0, tool("t1", input={"a": 1})), opened(0, {"type": "hologram"}), opened(0, TEXT), closed(0)]
    got = message(stream(frames, end=ended("tool_use")), A)
    assert [("t1", "look", '{"a": 1}', False)] == calls(got)
    assert {"type": "hologram"} == got.blocks[1].opaque.raw


@pytest.mark.parametrize("absent", [True, False])
def test_blocks_may_have_no_index(absent: bool):
    """A2: absent is not 0."""
    frames: list[Frame] = [
        opened(None, TEXT),
        delta(None, "text_delta", text="Hi"),
        opened(None, tool()),
        delta(None, "input_json_delta", partial_json="{}"),
    ]
    if absent:
        frames = [{name: frame[name] for name in frame if name != "index"} for frame in frames]
    got = message(stream(frames, end=ended("tool_use")), A)
    assert ("Hi", [("toolu_1", "look", "{}", True)]) == (got.text, calls(got))
    assert ([True, True], []) == ([part.complete for part in got.blocks], got.notes)


def test_blocks_close_before_the_next_one_opens():
    """Law 4 for targets that allow one open block: a well-formed source stays well-formed."""
    opens, got = (
        0,
        events(stream(text(0, "a"), call(1), call(2, "{}", id="t2"), text(3, "b"), end=ended("tool_use")), A),
    )
    for event in got:
        opens += isinstance(event, BlockStart) - isinstance(event, BlockEnd)
        assert opens <= 1
    assert isinstance(got[-1], End)


# -- blocks that are only carried ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [
        {"type": "container_upload", "file_id": "file_1"},
        {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": "refusal"},
        {"type": "mcp_tool_listing", "mcp_server_name": "m", "tools": []},
        {"type": "hologram", "shape": [1, 2]},
    ],
)
def test_blocks_without_words_of_ours_are_carried(block: Frame):
    """B16: known or not, each with the place it had."""
    got = message(stream(text(0, "a"), opened(1, block), closed(1), text(2, "b")), A)
    part = got.blocks[1]
    assert isinstance(part, OpaquePart)
    assert (block["type"], block, True) == (part.name, part.opaque.raw, part.complete)
    assert ("ab", [], "completed") == (got.text, got.notes, got.outcome)


def test_a_compaction_is_carried_with_what_its_delta_brought():
    block = {"type": "compaction", "content": None}
    whole = {"type": "compaction", "content": "So far: much.", "encrypted_content": "x"}
    frames = [opened(0, block), delta(0, "compaction_delta", content="So far: much.", encrypted_content="x"), closed(0)]
    assert whole == message(stream(frames, end=ended("compaction")), A).blocks[0].opaque.raw
    assert message(stream(frames), A) == message(stream(opened(0, whole), closed(0)), A)


@pytest.mark.parametrize("ending", [[closed(0)], []])
def test_an_unknown_block_collects_its_deltas(ending: list[Frame]):
    pieces = [
        delta(0, "text_delta", text="a"),
        delta(0, "hologram_delta", text="b", shape=[1]),
        delta(0, "hologram_delta", shape=[2], text=None),
    ]
    (part,) = message(stream([opened(0, {"type": "hologram", "text": "_"}), *pieces, *ending]), A).blocks
    assert {"type": "hologram", "text": "_ab", "shape": [2]} == part.opaque.raw


# -- seed 002 ------------------------------------------------------------------------------------------------------


def test_seed_002s_fragments():
    """Requirement A8: a delta of its own type without index or block, and a block where an event was due."""
    fragments = [
        {"type": "message_start", "message": {"id": "msg_1"}},
        {"type": "content_block_delta", "delta": {"type": "output_text_delta", "text": "Hi"}},
        {"type": "tool_use", "id": "tu_1", "name": "emit_plan", "input": {"a": 1}},
    ]
    for source in (sse(*fragments), fragments):
        got = weft.collect(weft.read(source, A))
        assert ("msg_1", "Hi") == (got.id, got.text)
        assert [("tu_1", "emit_plan", {"a": 1}, True)] == [
            (c.id, c.name, c.arguments, c.complete) for c in got.tool_calls
        ]
    assert ["delta", "whole"] == [
        event.arrival for event in events(sse(*fragments), A) if isinstance(event, BlockStart)
    ]


# -- whole replies -------------------------------------------------------------------------------------------------


def test_every_kind_of_block_reads_the_same_in_a_whole_reply():
    citation = {"type": "char_location", "cited_text": "x", "document_title": "D", "start_char_index": 0}
    parts: list[tuple[Frame, Frame, list[Frame]]] = [
        ({"type": "thinking", "thinking": "Hm.", "signature": "s"}, THINKING, [thought(0, "Hm."), signed(0, "s")]),
        ({"type": "redacted_thinking", "data": "x"}, {"type": "redacted_thinking", "data": "x"}, []),
        ({"type": "text", "text": "Hi", "citations": [citation]}, TEXT, [said(0, "Hi"), delta(0, "citations_delta", citation=citation)]),
        (SEARCH | {"input": {"q": 1}}, SEARCH, [args(0, '{"q": 1}')]),
        (FOUND, FOUND, []),
        (ECHO | {"input": {}}, ECHO, []),
        (ECHOED, ECHOED, []),
        ({"type": "container_upload", "file_id": "f"}, {"type": "container_upload", "file_id": "f"}, []),
        (tool("t1", input={"a": [1]}), tool("t1"), [args(0, '{"a":'), args(0, " [1]}")]),
    ]  # fmt: skip
    frames: list[Frame] = []
    for index, (_, block, deltas) in enumerate(parts):
        frames += [opened(index, block), *(frame | {"index": index} for frame in deltas), closed(index)]
    usage = {"input_tokens": 12, "output_tokens": 7}
    reply = {
        "type": "message",
        "id": "msg_1",
        "model": "claude-x",
        "content": [part[0] for part in parts],
        "stop_reason": "tool_use",
        "usage": usage,
    }
    whole = message(json.dumps(reply).encode(), A)
    assert whole == message(stream(frames, end=ended("tool_use")), A)
    assert [] == whole.notes


def test_a_misfit_among_the_blocks_of_a_reply_does_not_mix_up_the_others():
    """D9: what does not fit is dropped; what is carried verbatim is still that of its own block."""
    reply = {
        "type": "message",
        "content": ["misfit", FOUND, FOUND | {"tool_use_id": "srv_2", "content": []}],
        "stop_reason": "end_turn",
    }
    got = message(json.dumps(reply).encode(), A)
    assert [("srv_1", "srv_1"), ("srv_2", "srv_2")] == [
        (part.call_id, part.opaque.raw["tool_use_id"]) for part in got.blocks
    ]


def test_opaque_items_come_before_the_end_of_their_block():
    got = events(stream(opened(0, FOUND), closed(0)), A)
    kinds = [type(event) for event in got]
    assert kinds.index(Opaque) < kinds.index(BlockEnd)
