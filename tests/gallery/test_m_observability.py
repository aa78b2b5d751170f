"""Failures M: what can be seen of a stream while it comes, and afterwards. One test for each mode that is a stream's own."""

from pathlib import Path

import pytest

import weft
from tests.gallery.shown import shown
from weft.partial import PartialJSON
from weft.replay.capture import Capture, Chunk, captures_in, written
from weft.replay.playing import Manner, play

BODY = shown("anthropic/text.sse")


@pytest.mark.parametrize("split", ["recorded", "frames", "whole", 7, "random:1"])
def test_m06_a_recording_has_its_pieces_and_times(split: str | int, tmp_path: Path):
    """Recordings are blobs without pieces or times: a capture has both, and plays them at any speed and cut anywhere to the same events.

    kevin1024/vcrpy#989, BerriAI/litellm#38136, CopilotKit/aimock#125
    """
    chunks = (Chunk(0.5, BODY[:100]), Chunk(0.75, BODY[100:333]), Chunk(3.0, BODY[333:]))
    (tmp_path / "a.capture.jsonl").write_bytes(written(Capture(name="a", protocol="anthropic", chunks=chunks)))
    [capture] = captures_in([tmp_path])
    pieces = play(capture.chunks, Manner(speed=2.0, split=split)).pieces
    assert 1.5 == sum(wait for wait, _ in pieces)
    assert [*weft.read(BODY, "anthropic")] == [*weft.read([piece for _, piece in pieces], "anthropic")]


def test_m07_partial_values_are_partial():
    """Half a value is taken for a whole one, or there is none until the end: it is of a type of its own, and tells when a value in it is over.

    567-labs/instructor#1999, dottxt-ai/outlines#1844, vercel-labs/ai-python#272, openai/openai-agents-python#36
    """
    reader = PartialJSON()
    over = reader.feed('{"city": "Par')
    assert ([], {"city": "Par"}, False) == (over, reader.value.value, reader.value.complete)
    over = [(told.path, told.value) for told in reader.feed('is", "days": 3}')]
    whole = {"city": "Paris", "days": 3}
    assert [(("city",), "Paris"), (("days",), 3), ((), whole)] == over
    assert (whole, True) == (reader.value.value, reader.value.complete)
