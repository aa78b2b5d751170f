"""Bedrock's ConverseStream as a source: what is said."""

import base64

import pytest

from weft.events import ArgsDelta, Opaque, Signature, Unknown

from .aws import event
from .bedrock_frames import METADATA, START, TEXT, b64, call, closed, delta, kinds, opened, read, stopped
from .wire import end, events, message, note_codes

# --- text and reasoning --------------------------------------------------------------------------------------------


def test_text_without_an_announcement():
    """Q-B1: the first delta opens the block."""
    got = read(TEXT)
    assert ("Blue sky.", "completed", "stop", "end_turn") == (got.text, got.outcome, got.finish, got.finish_raw)


def test_empty_announcement_opens_nothing():
    got = read(START, opened(0), delta(0, text="x"), closed(0), stopped())
    assert ("x", ["text"]) == (got.text, kinds(got))


def test_padding_is_no_violation():
    assert "completed" == end(TEXT, "bedrock", strict=True).outcome


def test_message_start_may_be_missing():
    """Q-B5"""
    assert "x" == read(delta(0, text="x"), closed(0), stopped(), METADATA).text


def test_blocks_keep_their_order_whatever_their_numbers():
    """A16, B13: the first index need not be 0."""
    got = read(
        START, delta(3, text="a"), closed(3), call(1, "f", "{}"), delta(7, text="b"), closed(7), stopped(), METADATA
    )
    assert ["text", "tool_call", "text"] == kinds(got)


def test_kind_of_a_block_is_that_of_its_deltas():
    got = read(START, delta(0, reasoningContent={"text": "Hm"}), delta(0, text="x"), closed(0), stopped())
    assert (["reasoning", "text"], "Hm", "x") == (kinds(got), got.reasoning, got.text)


def test_reasoning_and_its_signature():
    """F5"""
    pieces = [delta(0, reasoningContent={"text": "Let"}), delta(0, reasoningContent={"text": " me"})]
    got = read(
        START,
        *pieces,
        delta(0, reasoningContent={"signature": "c2ln"}),
        closed(0),
        delta(1, text="x"),
        closed(1),
        stopped(),
    )
    (thought, _) = got.blocks
    assert ("Let me", ["c2ln"]) == (thought.text, [signature.value for signature in thought.signatures])
    assert "bedrock" == thought.signatures[0].origin.protocol


def test_signature_without_text_is_a_reasoning_block_of_its_own():
    got = read(
        START, delta(0, reasoningContent={"signature": "c2ln"}), closed(0), delta(1, text="x"), closed(1), stopped()
    )
    assert ["reasoning", "text"] == kinds(got)
    assert ["c2ln"] == [signature.value for signature in got.blocks[0].signatures]


@pytest.mark.parametrize("name", ["redactedContent", "data"])
def test_redacted_reasoning_comes_in_pieces_of_base64(name):
    """Q-B6: each piece is encoded by itself; only their bytes can be put together."""
    secret = b"not for your eyes"
    pieces = [delta(0, reasoningContent={name: b64(part)}) for part in (secret[:4], secret[4:5], secret[5:])]
    got = events(b"".join([START, *pieces, closed(0), stopped(), METADATA]), "bedrock")
    (signature,) = [e for e in got if isinstance(e, Signature)]
    (form,) = [e for e in got if isinstance(e, Opaque)]
    assert secret == base64.b64decode(signature.value)
    assert {"reasoningContent": {"redactedContent": b64(secret)}} == form.raw


def test_redacted_reasoning_in_one_piece_is_as_it_came():
    got = read(START, delta(0, reasoningContent={"redactedContent": "AA=="}), closed(0), stopped())
    assert ["AA=="] == [signature.value for signature in got.blocks[0].signatures]


def test_redacted_pieces_that_are_no_base64_are_not_lost():
    pieces = [delta(0, reasoningContent={"redactedContent": piece}) for piece in ("abcde", "!")]
    got = read(START, *pieces, closed(0), stopped())
    assert ["abcde!"] == [signature.value for signature in got.blocks[0].signatures]


def test_held_pieces_are_said_when_the_stream_breaks_off():
    got = read(START, delta(0, reasoningContent={"redactedContent": "AA=="}))
    assert ("truncated", ["AA=="], False) == (
        got.outcome,
        [s.value for s in got.blocks[0].signatures],
        got.blocks[0].complete,
    )


# --- calls and what they gave back ---------------------------------------------------------------------------------


def test_call_in_pieces():
    data = START + call(1, "look", '{"at"', ': "sky"}') + stopped("tool_use") + METADATA
    (only,) = message(data, "bedrock").tool_calls
    assert ("tooluse_1", "look", {"at": "sky"}, '{"at": "sky"}', True) == (
        only.id,
        only.name,
        only.arguments,
        only.raw,
        only.complete,
    )
    assert ['{"at"', ': "sky"}'] == [e.text for e in events(data, "bedrock") if isinstance(e, ArgsDelta)]


@pytest.mark.parametrize("pieces", [(), ("",), ("{}",)])
def test_call_without_arguments(pieces):
    """A7"""
    (only,) = read(START, call(0, "now", *pieces), stopped("tool_use"), METADATA).tool_calls
    assert ({}, True) == (only.arguments, only.complete)


def test_end_turn_with_a_call_is_a_tool_finish():
    """C1, Q-B3"""
    got = read(START, call(0, "f", "{}"), stopped("end_turn"), METADATA)
    assert ("tool_calls", "end_turn") == (got.finish, got.finish_raw)


def test_tool_use_without_a_call_is_a_stop():
    """A27"""
    assert "stop" == read(START, delta(0, text="x"), closed(0), stopped("tool_use"), METADATA).finish


def test_cut_call_is_not_complete():
    """A9"""
    start = opened(0, toolUse={"toolUseId": "t", "name": "f"})
    got = read(START, start, delta(0, toolUse={"input": '{"a": 1, "b": tr'}), stopped("max_tokens"), METADATA)
    (only,) = got.tool_calls
    assert (None, '{"a": 1, "b": tr', False) == (only.arguments, only.raw, only.complete)
    assert ("incomplete", "length") == (got.outcome, got.finish)


def test_parallel_calls():
    got = read(START, call(0, "f", '{"n":1}', id="a"), call(1, "f", '{"n":2}', id="b"), stopped("tool_use"), METADATA)
    assert [("a", {"n": 1}), ("b", {"n": 2})] == [(c.id, c.arguments) for c in got.tool_calls]


def test_call_that_bedrock_ran_itself():
    """B14: the result stands beside it, and the finish is not that of a call to be run."""
    code = call(0, "nova_code_interpreter", '{"snippet":"6*7"}', id="t1", type="server_tool_use")
    announced = opened(1, toolResult={"toolUseId": "t1", "type": "nova_code_interpreter_result", "status": "success"})
    given = delta(1, toolResult=[{"json": {"stdOut": "4"}}]) + delta(1, toolResult=[{"text": "2"}]) + closed(1)
    got = read(START, code, announced, given, delta(2, text="42"), closed(2), stopped(), METADATA)
    use, result, _ = got.blocks
    assert ("provider", True, "stop") == (use.executor, use.complete, got.finish)
    assert ("t1", "nova_code_interpreter_result", False) == (result.call_id, result.name, result.is_error)
    assert [{"json": {"stdOut": "4"}}, {"text": "2"}] == result.content


def test_failed_result_says_so():
    announced = opened(0, toolResult={"toolUseId": "t1", "status": "error"})
    got = read(START, announced, delta(0, toolResult=[{"text": "no"}]), closed(0), stopped())
    assert (True, True) == (got.blocks[0].is_error, got.blocks[0].complete)


def test_client_call_with_a_type():
    (only,) = read(START, call(0, "f", "{}", type="tool_use"), stopped("tool_use"), METADATA).tool_calls
    assert "client" == only.executor


# --- citations, images ---------------------------------------------------------------------------------------------


def cited(index, **location):
    return delta(
        index,
        citation={
            "title": "Handbook",
            "sourceContent": [{"text": "20 days "}, {"text": "a year"}],
            "location": location,
        },
    )


def test_citation_before_its_text():
    """B11"""
    place = {"documentIndex": 0, "start": 3, "end": 20}
    got = read(START, cited(1, documentChar=place), delta(1, text="You get 20 days."), closed(1), stopped(), METADATA)
    (text,) = got.blocks
    (note,) = text.annotations
    assert ("You get 20 days.", "documentChar", "Handbook", "20 days a year") == (
        text.text,
        note.kind,
        note.title,
        note.text,
    )
    assert (None, None) == (note.start, note.end)  # its numbers count in the document, not in this text
    assert place == note.raw["location"]["documentChar"]


def test_citation_of_a_page_on_the_web():
    got = read(
        START,
        delta(0, text="x"),
        cited(0, web={"url": "https://a.example", "domain": "a.example"}),
        closed(0),
        stopped(),
    )
    assert [("web", "https://a.example")] == [(note.kind, note.url) for note in got.blocks[0].annotations]


def test_citation_without_a_known_place():
    data = (
        START + delta(0, text="x") + delta(0, citation={"location": None, "sourceContent": "?"}) + closed(0) + stopped()
    )
    assert ["citation"] == [note.kind for note in message(data, "bedrock").blocks[0].annotations]


def test_image_in_pieces():
    """B10"""
    picture = bytes(range(11))
    pieces = [delta(0, image={"source": {"bytes": b64(part)}}) for part in (picture[:5], picture[5:])]
    got = read(START, opened(0, image={"format": "png"}), *pieces, closed(0), stopped(), METADATA)
    (file,) = got.blocks
    assert ("image/png", picture, True) == (file.media_type, base64.b64decode(file.data), file.complete)


def test_image_that_lies_elsewhere_or_failed():
    somewhere = (
        opened(0, image={"format": "jpeg"})
        + delta(0, image={"source": {"s3Location": {"uri": "s3://b/k"}}})
        + closed(0)
    )
    nowhere = opened(1, image={"format": "png"}) + delta(1, image={"error": {"message": "too dark"}}) + closed(1)
    data = START + somewhere + nowhere + stopped() + METADATA
    assert [("image/jpeg", "s3://b/k"), (None, None)] == [
        (file.media_type, file.url) for file in message(data, "bedrock").blocks
    ]
    assert ["file_failed"] == note_codes(data, "bedrock")


# --- what is not known ---------------------------------------------------------------------------------------------


def test_event_of_tomorrow_is_carried():
    """B16"""
    got = events(
        START + event("thoughtBubble", {"size": 3}) + delta(0, text="x") + closed(0) + stopped() + METADATA, "bedrock"
    )
    assert [("thoughtBubble", {"size": 3})] == [(e.name, e.raw) for e in got if isinstance(e, Unknown)]
    assert "completed" == got[-1].outcome


def test_delta_of_tomorrow_is_carried():
    got = events(START + delta(0, hologram={"x": 1}) + delta(0, text="") + stopped() + METADATA, "bedrock")
    assert [{"x": 1}] == [e.raw["delta"]["hologram"] for e in got if isinstance(e, Unknown)]


def test_member_of_a_wrong_type_loses_only_itself():
    data = (
        START
        + event("contentBlockDelta", {"contentBlockIndex": "0", "delta": {"text": "x", "citation": 5}})
        + closed(0)
        + stopped()
    )
    assert "x" == message(data, "bedrock").text


def test_half_a_character_is_joined_over_deltas():
    halves = (
        rb'{"contentBlockIndex":0,"delta":{"text":"\ud83d"}}',
        rb'{"contentBlockIndex":0,"delta":{"text":"\ude00!"}}',
    )
    assert (
        "\U0001f600!" == read(START, *(event("contentBlockDelta", half) for half in halves), closed(0), stopped()).text
    )


# --- what imitators send ---------------------------------------------------------------------------------------------


def test_arguments_that_are_an_object_are_not_lost():
    """A6: a call without its arguments must not look executable."""
    start = opened(0, toolUse={"toolUseId": "t", "name": "f"})
    got = read(START, start, delta(0, toolUse={"input": {"x": 1}}), closed(0), stopped("tool_use"), METADATA)
    assert [({"x": 1}, True)] == [(one.arguments, one.complete) for one in got.tool_calls]


def test_events_without_an_index_belong_to_the_block_under_way():
    """A2: absent is not 0, and not nobody's."""
    calls = [
        frame
        for name in ("f", "g")
        for frame in (
            event("contentBlockStart", {"start": {"toolUse": {"toolUseId": name, "name": name}}}),
            event("contentBlockDelta", {"delta": {"toolUse": {"input": f'{{"{name}":'}}}),
            event("contentBlockDelta", {"delta": {"toolUse": {"input": "1}"}}}),
            event("contentBlockStop", {}),
        )
    ]
    text = event("contentBlockDelta", {"delta": {"text": "x"}})
    got = read(START, *calls, text, stopped("tool_use"), METADATA)
    assert [("f", {"f": 1}), ("g", {"g": 1})] == [(one.name, one.arguments) for one in got.tool_calls]
    assert "x" == got.text
