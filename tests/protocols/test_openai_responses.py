"""Responses as a source: messages and reasoning. References are to the failure gallery and the protocol atlas."""

import pytest

from tests.protocols.responses_wire import (
    added,
    call,
    completed,
    done,
    escaped,
    incomplete,
    message_item,
    place,
    reasoning_item,
    refusal_part,
    said,
    stream,
    summary,
    text,
    text_part,
    thought,
)
from tests.protocols.wire import events, message, note_codes
from weft.events import Signature, TextDelta
from weft.message import OpaquePart, Reasoning, Refusal, Text

R = "openai-responses"
CITATION = {"type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 0, "end_index": 2}


# -- messages ------------------------------------------------------------------------------------------------------


def test_text_is_read():
    got = message(stream(text(0, "Hel", "lo")), R)
    assert ("resp_1", "gpt-x", 1700000000, "Hello") == (got.id, got.model, got.created, got.text)
    assert ("completed", "stop", "completed") == (got.outcome, got.finish, got.finish_raw)
    assert [("msg_0", True)] == [(part.item_id, part.complete) for part in got.blocks]
    assert [] == got.notes


def test_parts_of_one_message_are_blocks_of_one_item():
    whole = message_item(0, "One", refusal_part("no"), "Two")
    got = message(stream(added(0, message_item(0)), done(0, whole)), R)
    assert ["text", "refusal", "text"] == [type(part).__name__.lower() for part in got.blocks]
    assert 1 == len({part.item for part in got.blocks})
    assert "OneTwo" == got.text
    assert "no" == got.refusal


def test_a_part_is_over_when_the_next_begins():
    frames = [
        added(0, message_item(0)),
        said(0, "a"),
        place("response.output_text.done", 0, content_index=0, text="a"),
        said(0, "b", 1),
    ]
    kinds = [event.type for event in events(stream(frames), R) if event.type.startswith("block")]
    assert ["block-start", "block-end", "block-start", "block-end"] == kinds


def test_parts_may_take_turns_and_come_out_of_order():
    frames = [
        added(0, message_item(0)), said(0, "x", 1), said(0, "a", 0), said(0, "y", 1), said(0, "b", 0),
        done(0, message_item(0, "ab", "xyz")),
    ]  # fmt: skip
    got = message(stream(frames), R)
    assert ["xyz", "ab"] == [part.text for part in got.blocks if isinstance(part, Text)]
    assert [] == got.notes


def test_phase_is_the_channel():
    got = message(stream(text(0, "Let me look.", phase="commentary"), text(1, "Done.", phase="final_answer")), R)
    assert ["commentary", "final_answer"] == [part.channel for part in got.blocks if isinstance(part, Text)]


def test_a_refusal_alone_is_the_finish():
    frames = [
        added(0, message_item(0)),
        place("response.refusal.delta", 0, content_index=0, delta="I "),
        place("response.refusal.delta", 0, content_index=0, delta="won't."),
        place("response.refusal.done", 0, content_index=0, refusal="I won't."),
        done(0, message_item(0, refusal_part("I won't."))),
    ]
    got = message(stream(frames), R)
    assert ("I won't.", "refusal", "completed") == (got.refusal, got.finish, got.outcome)
    assert [True] == [part.complete for part in got.blocks if isinstance(part, Refusal)]


def test_logprobs_come_with_their_text_and_empty_lists_say_nothing():
    chance = [{"token": "a", "logprob": -0.1, "top_logprobs": []}]
    frames = [added(0, message_item(0)), said(0, "a", logprobs=chance), said(0, "b")]
    deltas = [event for event in events(stream(frames), R) if isinstance(event, TextDelta)]
    assert [("a", chance), ("b", None)] == [(delta.text, delta.logprobs) for delta in deltas]


def test_log_probabilities_of_a_text_without_deltas_are_those_of_the_whole():
    chance = [{"token": "a", "logprob": -0.1}]
    frames = [place("response.output_text.done", 0, content_index=0, text="a", logprobs=chance)]
    deltas = [event for event in events(stream(frames), R) if isinstance(event, TextDelta)]
    assert [("a", chance)] == [(delta.text, delta.logprobs) for delta in deltas]


def test_log_probabilities_of_the_whole_are_not_those_of_its_rest():
    frames = [
        said(0, "a"),
        place("response.output_text.done", 0, content_index=0, text="ab", logprobs=[{"token": "a"}]),
    ]
    deltas = [event for event in events(stream(frames), R) if isinstance(event, TextDelta)]
    assert [("a", None), ("b", None)] == [(delta.text, delta.logprobs) for delta in deltas]


def test_citations_belong_to_their_part_and_are_said_once():
    """Atlas 3.1.6: each comes as an event, and stands in the part that is done."""
    frames = text(0, "Yes.")
    frames.insert(
        3, place("response.output_text.annotation.added", 0, content_index=0, annotation_index=0, annotation=CITATION)
    )
    frames[-1] = done(
        0, message_item(0, text_part("Yes.", annotations=[CITATION, {**CITATION, "url": "https://b.example"}]))
    )
    (part,) = message(stream(frames), R).blocks
    assert isinstance(part, Text)
    assert [("https://a.example", "A", 0, 2), ("https://b.example", "A", 0, 2)] == [
        (note.url, note.title, note.start, note.end) for note in part.annotations
    ]
    assert CITATION == part.annotations[0].raw


def test_a_file_citation_keeps_its_own_members():
    citation = {"type": "file_citation", "file_id": "file_1", "filename": "a.pdf", "index": 3}
    (part,) = message(stream(done(0, message_item(0, text_part("Yes.", annotations=[citation])))), R).blocks
    assert isinstance(part, Text)
    (got,) = part.annotations
    assert ("file_citation", "a.pdf", None, citation) == (got.kind, got.title, got.start, got.raw)


def test_a_part_of_an_unheard_kind_is_carried():
    odd = {"type": "output_hologram", "depth": 3}
    first, second = message(stream(done(0, message_item(0, "Look:", odd))), R).blocks
    assert isinstance(second, OpaquePart)
    assert ("output_hologram", odd) == (second.name, second.opaque and second.opaque.raw)
    assert first.item == second.item


# -- the last word -------------------------------------------------------------------------------------------------


def test_text_without_deltas_is_said_when_it_is_done():
    """A14 ★ for text: every done event would do."""
    whole = text(0, "Hello")
    for last in (3, 4, 5):
        assert "Hello" == message(stream([whole[0], whole[last]]), R).text


def test_what_the_deltas_left_out_is_added_once():
    whole = text(0, "Hello")
    got = message(stream([whole[0], said(0, "Hel"), *whole[3:]]), R)
    assert ("Hello", []) == (got.text, got.notes)


def test_another_text_than_the_deltas_is_noted_and_not_doubled():
    frames = text(0, "Hello")
    frames[2] = said(0, "Goodbye")
    got = message(stream(frames), R)
    assert "Goodbye" == got.text
    assert ["done_differs"] == [note.code for note in got.notes]


def test_an_empty_last_word_takes_nothing_back():
    frames = [added(0, message_item(0)), said(0, "Hi"), place("response.output_text.done", 0, content_index=0, text="")]
    assert ("Hi", []) == (message(stream(frames, done(0, message_item(0, ""))), R).text, note_codes(stream(frames), R))


def test_half_characters_of_two_deltas_are_one_character():
    """A pair split over two deltas, and whole in the last word."""
    frames = [added(0, message_item(0)), said(0, "\ud83d"), said(0, "\ude00"), done(0, message_item(0, "\U0001f600"))]
    got = message(escaped(*frames, completed()), R)
    assert ("\U0001f600", []) == (got.text, got.notes)


def test_text_that_comes_after_its_item_is_done_is_dropped():
    got = message(stream(text(0, "Hi"), said(0, " again"), said(0, " and again")), R)
    assert ("Hi", ["delta_after_done"]) == (got.text, [note.code for note in got.notes])


def test_an_incomplete_item_is_incomplete():
    item = message_item(0, "Hel", status="incomplete")
    got = message(stream([*text(0, "Hel")[:-1], done(0, item)], last=incomplete("max_output_tokens", item)), R)
    assert [False] == [part.complete for part in got.blocks]


# -- reasoning -----------------------------------------------------------------------------------------------------


def test_all_parts_of_an_item_are_one_block():
    """F11: two summaries are one block, since what goes back is one item."""
    frames = [added(0, reasoning_item(0))]
    for number, piece in enumerate(("First.", "Then.")):
        part = {"item_id": "rs_0", "summary_index": number}
        frames += [
            place("response.reasoning_summary_part.added", 0, **part, part={"type": "summary_text", "text": ""}),
            summary(0, piece[:3], number),
            summary(0, piece[3:], number),
            place("response.reasoning_summary_text.done", 0, **part, text=piece),
            place("response.reasoning_summary_part.done", 0, **part, part={"type": "summary_text", "text": piece}),
        ]
    got = message(stream(frames, done(0, reasoning_item(0, "First.", "Then."))), R)
    (block,) = got.blocks
    assert isinstance(block, Reasoning)
    assert [("First.", 0, "summary"), ("Then.", 1, "summary")] == [(p.text, p.part, p.form) for p in block.pieces]
    assert [] == got.notes


def test_raw_reasoning_and_its_summary_are_told_apart():
    item = reasoning_item(0, "Short.", content=[{"type": "reasoning_text", "text": "Long."}])
    frames = [added(0, reasoning_item(0)), thought(0, "Long."), summary(0, "Short."), done(0, item)]
    (block,) = message(stream(frames), R).blocks
    assert isinstance(block, Reasoning)
    assert [("Long.", "raw"), ("Short.", "summary")] == [(piece.text, piece.form) for piece in block.pieces]


@pytest.mark.parametrize("kind", ["content_part", "reasoning_part", "reasoning_text_part"])
def test_raw_reasoning_may_be_announced_in_many_ways(kind: str):
    """LM Studio, vLLM and GodeX each have their own part events."""
    part = {"item_id": "rs_0", "content_index": 0, "part": {"type": "reasoning_text", "text": ""}}
    whole = {**part, "part": {"type": "reasoning_text", "text": "Hm."}}
    frames = [
        added(0, reasoning_item(0)),
        place(f"response.{kind}.added", 0, **part),
        thought(0, "Hm."),
        place(f"response.{kind}.done", 0, **whole),
        done(0, reasoning_item(0, content=[whole["part"]])),
    ]
    got = message(stream(frames), R)
    assert ("Hm.", [], []) == (got.reasoning, got.notes, got.unknown)


def test_the_encrypted_content_of_the_done_item_replaces_the_one_of_the_added():
    """F5 ★: it is the last one that goes back."""
    data = stream(
        added(0, reasoning_item(0, encrypted_content="E0")), done(0, reasoning_item(0, encrypted_content="E1"))
    )
    said_both = [event.value for event in events(data, R) if isinstance(event, Signature)]
    (block,) = message(data, R).blocks
    assert ["E0", "E1"] == said_both
    assert [("E1", R, "gpt-x", "rs_0", True)] == [
        (held.value, held.origin.protocol, held.origin.model, held.origin.item, held.encrypted)
        for held in block.signatures
    ]


def test_reasoning_without_any_text_keeps_what_must_go_back():
    """Q-R18: an item with an empty summary before each call."""
    data = stream(added(0, reasoning_item(0)), done(0, reasoning_item(0, encrypted_content="E")), call(1, "{}"))
    first, second = message(data, R).blocks
    assert ("E", True) == (first.signatures[0].value, first.complete)
    assert "fc_1" == second.item_id


def test_reasoning_and_text_may_take_turns():
    """OpenRouter lets the message begin before the reasoning is done."""
    frames = [added(0, reasoning_item(0)), thought(0, "a"), *text(1, "x"), thought(0, "b")]
    frames.append(done(0, reasoning_item(0, content=[{"type": "reasoning_text", "text": "ab"}])))
    got = message(stream(frames), R)
    assert ("ab", "x", []) == (got.reasoning, got.text, got.notes)


def test_parts_of_reasoning_may_be_numbered_from_anywhere():
    item = reasoning_item(0, content=[{"type": "reasoning_text", "text": "Hm, yes."}])
    got = message(stream(added(0, reasoning_item(0)), thought(0, "Hm", 1), done(0, item)), R)
    assert ("Hm, yes.", []) == (got.reasoning, got.notes)


def test_plain_thinking_is_not_called_encrypted():
    """Ollama gives the thinking itself as encrypted content; it must go back all the same."""
    data = stream(added(0, reasoning_item(0)), done(0, reasoning_item(0, "Hm.", encrypted_content="Hm.")))
    assert [("Hm.", False)] == [
        (event.value, event.encrypted) for event in events(data, R) if isinstance(event, Signature)
    ]
