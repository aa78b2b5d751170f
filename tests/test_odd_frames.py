"""Frames that are not quite what they should be: what can be understood of them is, and the rest is noted."""

import json
from typing import Any

import pytest

import weft
from tests.protocols.wire import sse
from tests.test_sources import FRAMES


def test_halves_of_a_character_are_put_together():
    """Atlas 1.6: a surrogate pair escaped in two deltas."""
    stream = b'data: {"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}\n\ndata: {"choices":[{"index":0,"delta":{"content":"\\ude00b"}}]}\n\ndata: [DONE]\n\n'
    assert "a\U0001f600b" == weft.collect(weft.read(stream, "openai-chat")).text


def test_a_member_of_another_type_is_dropped_and_noted_not_the_frame():
    """B16: the read side is lenient; the rest of the frame is understood."""
    stream = sse({"choices": [{"index": 0, "delta": {"content": "kept", "refusal": 5}}]}, done=True)
    message = weft.collect(weft.read(stream, "openai-chat"))
    assert ("kept", ["member_dropped"]) == (message.text, [note.code for note in message.notes])


def test_one_object_where_a_list_is_due_is_a_list_of_one():
    """Older TGI: `delta.tool_calls` is the call itself."""

    def piece(name: str | None, args: str) -> dict[str, Any]:
        call = {"index": 0, "id": "", "type": "function", "function": {"name": name, "arguments": args}}
        return {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": call}}]}

    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "eos_token"}]}
    message = weft.collect(weft.read(sse(piece("look", '{"at"'), piece(None, ":1}"), end), "openai-chat"))
    (call,) = message.tool_calls
    assert ("look", {"at": 1}, True, "tool_calls", []) == (
        call.name, call.arguments, call.complete, message.finish, message.notes,
    )  # fmt: skip


def test_a_broken_frame_is_skipped_and_noted_with_its_offset():
    """D9: one undecodable frame does not kill the stream."""
    good, bad = sse(FRAMES[0]), b"data: {oops\n\n"
    message = weft.collect(weft.read(good + bad + sse(*FRAMES[1:], done=True), "openai-chat"))
    assert ("Héllo", [("broken_frame", len(good))]) == (
        message.text,
        [(note.code, note.offset) for note in message.notes],
    )


def test_frames_glued_together_are_read_one_by_one():
    """Atlas Q-T9: two objects in one data line."""
    glued = sse(FRAMES[0]).strip() + json.dumps(FRAMES[1]).encode() + b"\n\n" + sse(FRAMES[2])
    message = weft.collect(weft.read(glued, "openai-chat"))
    assert ("Héllo", "completed", [("frames_unseparated", 0)]) == (
        message.text, message.outcome, [(note.code, note.offset) for note in message.notes],
    )  # fmt: skip


def test_a_frame_broken_in_the_middle_of_a_text_is_put_together():
    """Atlas Q-T8: one object over several data lines, which joined as they should be are no JSON."""
    broken = sse(FRAMES[0]).replace(b'"H', b'"\ndata: H')
    message = weft.collect(weft.read(broken + sse(*FRAMES[1:]), "openai-chat"))
    assert ("Héllo", "completed", ["frames_unseparated"]) == (
        message.text, message.outcome, [note.code for note in message.notes],
    )  # fmt: skip


@pytest.mark.parametrize("half", [b'{"a": 1}{"b', b'{"a": 1} and more', b'{"a": 1}\n{"b": 2', b"{}{]"])
def test_what_is_not_made_of_frames_is_one_broken_frame_or_the_whole_ones(half):
    message = weft.collect(weft.read(b"data: " + half + b"\n\n" + sse(*FRAMES), "openai-chat"))
    assert ("Héllo", "completed") == (message.text, message.outcome)


@pytest.mark.parametrize("constant", [b"NaN", b"Infinity", b"-Infinity"])
def test_python_s_words_for_numbers_cost_a_note_not_the_frame(constant):
    """Atlas 1.6: Python emitters."""
    frame = sse({**FRAMES[0], "score": 0.5}).replace(b"0.5", constant)
    message = weft.collect(weft.read(frame + sse(*FRAMES[1:]), "openai-chat"))
    assert ("Héllo", "completed", ["not_a_number"]) == (
        message.text, message.outcome, [note.code for note in message.notes],
    )  # fmt: skip


def test_arguments_that_are_no_json_are_not_complete_even_as_an_object():
    line = b'{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"at":NaN}}}]},"done":true,"done_reason":"stop"}\n'
    [call] = weft.collect(weft.read(line, "ollama")).tool_calls
    assert (False, None) == (call.complete, call.arguments)
    assert "NaN" in call.raw


@pytest.mark.parametrize(
    "keepalive",
    [
        b": ping\n\n",
        b"data:\n\n",
        b"event: ping\n\n",
        b"data: ping\n\n",
        b"data: : X PROCESSING\n\n",
        b"id: 7\n\n: ping\n\n",
        b"data: {}\n\n",
        b"data: null\n\n",
    ],
)
def test_no_keepalive_kills_the_reader(keepalive):
    """E1, E2."""
    stream = b"".join(keepalive + sse(frame) for frame in FRAMES) + keepalive
    message = weft.collect(weft.read(stream, "openai-chat"))
    assert ("Héllo", "completed", []) == (message.text, message.outcome, message.unknown)
