"""What Gemini's text rests on. References are to the failure gallery and the protocol atlas."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.gemini_wire import Frame, call, chunk, text, usage
from tests.protocols.wire import message, sse
from weft.events import Annotation
from weft.message import Text
from weft.protocols.gemini.spoken import SpokenText

G = "gemini"
WEB = {"web": {"uri": "https://a.example", "title": "a.example"}}
NONE: Frame = {"groundingMetadata": {}}


def support(words: str, start: int, *chunks: int, **segment: Any) -> Frame:
    """A support for these words, which begin at this byte."""
    place = {"startIndex": start, "endIndex": start + len(words.encode()), "text": words, **segment}
    return {"segment": place, "groundingChunkIndices": list(chunks or (0,))}


def grounding(*supports: Frame, chunks: list[Frame] | None = None) -> dict[str, Frame]:
    told = {"groundingChunks": chunks or [WEB], "groundingSupports": list(supports), "webSearchQueries": ["q"]}
    return {"groundingMetadata": told}


def annotated(*frames: Frame) -> list[tuple[str, list[Annotation]]]:
    """The text blocks with their annotations."""
    parts = message(sse(*frames), G).blocks
    return [(part.text, part.annotations) for part in parts if isinstance(part, Text)]


def test_a_support_is_an_annotation():
    """B11."""
    told = grounding(support("Two.", 5))
    [(spoken, [only])] = annotated(chunk(text("One. "), **NONE), chunk(text("Two."), finish="STOP", **told))
    assert ("url_citation", "https://a.example", "a.example", "Two.") == (only.kind, only.url, only.title, only.text)
    assert ("One. Two.", 5, 9) == (spoken, only.start, only.end)
    assert {"segment", "chunk"} == only.raw.keys()


def test_positions_are_characters_though_the_wire_counts_bytes():
    """Q-G10."""
    said = "Größe zählt. Und Bäume."
    start = said.encode().index(b"Und")
    frames = [chunk(text(said[:9]), **NONE), chunk(text(said[9:16]), **NONE), chunk(text(said[16:]), **NONE)]
    [(spoken, [only])] = annotated(*frames, chunk(finish="STOP", **grounding(support("Und Bäume.", start))))
    assert "Und Bäume." == spoken[only.start : only.end]


def test_a_whole_reply_has_the_same_positions():
    said = "Größe zählt. Und Bäume."
    found = support("Und Bäume.", said.encode().index(b"Und"))
    whole = message(json.dumps(chunk(text(said), finish="STOP", **grounding(found))).encode(), G)
    part = whole.blocks[0]
    assert isinstance(part, Text)
    only = part.annotations[0]
    assert "Und Bäume." == part.text[only.start : only.end]


def test_positions_that_cannot_be_right_are_not_told():
    """Nothing said before that there would be citations, so the text was not heard."""
    frames = [chunk(text("One.")), chunk(finish="STOP", **grounding(support("One.", 0)))]
    [(_, [only])] = annotated(*frames)
    assert (None, None, "https://a.example") == (only.start, only.end, only.url)
    wrong = grounding(support("Two.", 0))
    [(_, [other])] = annotated(chunk(text("One."), finish="STOP", **wrong))
    assert (None, None) == (other.start, other.end)


def test_positions_are_within_the_block():
    """A call of Google's stood between; the wire goes on counting."""
    code = {"executableCode": {"language": "PYTHON", "code": "1"}}
    last = chunk(finish="STOP", **grounding(support("Two.", 4)))
    blocks = annotated(chunk(text("One."), **NONE), chunk(code), chunk(text("Two.")), last)
    assert [("One.", []), ("Two.", [(0, 4)])] == [(words, [(a.start, a.end) for a in told]) for words, told in blocks]


@pytest.mark.parametrize(
    "between", [text("", thoughtSignature="s"), text("Hm.", thought=True), call(), {"new": 1}], ids=str
)
def test_any_part_between_begins_another_block(between: Frame):
    last = chunk(finish="STOP", **grounding(support("Two.", 4)))
    blocks = annotated(chunk(text("One."), **NONE), chunk(between), chunk(text("Two.")), last)
    assert [("One.", []), ("Two.", [(0, 4)])] == [
        (words, [(a.start, a.end) for a in told]) for words, told in blocks if words
    ]


def test_a_support_may_name_several_chunks():
    chunks = [WEB, {"retrievedContext": {"title": "notes.txt", "uri": "f/1"}}, {"maps": {"uri": "m", "title": "Pizza"}}]
    told = grounding(support("One.", 0, 0, 1, 2), chunks=chunks)
    [(_, annotations)] = annotated(chunk(text("One."), finish="STOP", **told))
    assert [("url_citation", "a.example"), ("file_citation", "notes.txt"), ("place_citation", "Pizza")] == [
        (each.kind, each.title) for each in annotations
    ]


def test_a_snapshot_that_repeats_itself_is_said_once():
    """atlas 2.4.7: some servers send all so far with each chunk."""
    first, both = support("One.", 0), [support("One.", 0), support(" Two.", 4)]
    [(spoken, annotations)] = annotated(
        chunk(text("One."), **grounding(first)), chunk(text(" Two."), **grounding(*both)), chunk(finish="STOP")
    )
    assert ["One.", " Two."] == [spoken[each.start : each.end] for each in annotations]


def test_grounding_may_come_before_the_last_chunk():
    """B11, Q-G9: a chunk of counts follows."""
    got = message(
        sse(
            chunk(text("One."), **grounding(support("One.", 0))),
            chunk(finish="STOP"),
            {"usageMetadata": usage()},
        ),
        G,
    )
    part = got.blocks[0]
    assert isinstance(part, Text)
    assert (1, ["q"]) == (len(part.annotations), got.meta["grounding"]["webSearchQueries"])


def test_grounding_beside_a_signed_empty_part_belongs_to_the_text_before():
    signed = chunk(text("", thoughtSignature="s"), finish="STOP", **grounding(support("One.", 0)))
    assert [("One.", 1), ("", 0)] == [
        (words, len(told)) for words, told in annotated(chunk(text("One."), **NONE), signed)
    ]


def test_chunks_without_supports_are_sources():
    told = {"groundingMetadata": {"groundingChunks": [WEB]}}
    [(_, [only])] = annotated(chunk(text("One."), finish="STOP", **told))
    assert ("https://a.example", None, None) == (only.url, only.start, only.text)


def test_recitation_is_cited():
    sources = [{"startIndex": 0, "endIndex": 4, "uri": "https://b.example", "license": "mit"}]
    for name in ("citations", "citationSources"):
        [(_, [only])] = annotated(chunk(text("One."), finish="STOP", citationMetadata={name: sources}))
        assert ("citation", "https://b.example", sources[0]) == (only.kind, only.url, only.raw)


def test_fetched_pages_are_a_fact():
    pages = {
        "urlMetadata": [{"retrievedUrl": "https://a.example", "urlRetrievalStatus": "URL_RETRIEVAL_STATUS_SUCCESS"}]
    }
    got = message(sse(chunk(text("One."), urlContextMetadata=pages), chunk(finish="STOP")), G)
    assert (pages, "One.") == (got.meta["url_context"], got.text)


def test_odd_grounding_harms_nothing():
    odd = {
        "groundingChunks": [None, 5, {"web": 7}],
        "groundingSupports": [5, {"segment": 5, "groundingChunkIndices": [0, 2, 9, "x"]}, {"groundingChunkIndices": 3}],
    }
    got = message(sse(chunk(text("One."), finish="STOP", groundingMetadata=odd), chunk(call())), G)
    assert ("One.", "completed") == (got.text, got.outcome)


# -- positions -----------------------------------------------------------------------------------------------------


@given(st.lists(st.text(max_size=30), max_size=8), st.data())
def test_any_span_is_found(pieces: list[str], data: st.DataObject):
    whole = "".join(pieces)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    spoken = SpokenText()
    for words in pieces:
        spoken.hear(words)
    first, last = (len(whole[:at].encode()) for at in (start, end))
    assert (start, end) == spoken.span(first, last, whole[start:end])


@given(st.text(min_size=1), st.text(min_size=1))
def test_spans_are_told_from_the_block_s_beginning(before: str, words: str):
    spoken = SpokenText()
    spoken.hear(before)
    spoken.cut()
    spoken.hear(words)
    first = len(before.encode())
    assert (0, len(words)) == spoken.span(first, first + len(words.encode()), words)
    assert spoken.span(0, first, before) is None


def test_a_position_within_a_character_is_none():
    spoken = SpokenText()
    spoken.hear("é" * 2000)
    assert spoken.span(1, 4, None) is None
    assert spoken.span(-1, 4, None) is None
    assert spoken.span(0, 9999, None) is None
    assert (1000, 2000) == spoken.span(2000, 4000, "é" * 1000)
