"""Bytes that are handed on as they came: with a reader beside them, and without."""

import random

import pytest

from tests.encoders.comparing import failed
from tests.encoders.test_pairs import SEED, STREAMS, in_pieces, named, read
from weft.pipe import Pipe
from weft.rules import Limits

TEXT = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def unwatched(protocol: str, **options) -> Pipe:
    return Pipe(protocol, protocol.partition("/")[0], verbatim=True, watch=False, **options)


@pytest.mark.parametrize("path", STREAMS)
def test_without_a_watch_the_same_bytes_leave_and_the_same_outcome_is_told(path):
    data, chance = path.read_bytes(), random.Random(SEED)
    watched = Pipe(named(path), named(path).partition("/")[0], verbatim=True)
    expected = watched.feed(data) + watched.close()
    for _ in range(3):
        pipe = unwatched(named(path))
        out = b"".join(map(pipe.feed, in_pieces(data, chance))) + pipe.close()
        assert watched.outcome == pipe.outcome
        if watched.outcome != "truncated":
            assert expected == out


@pytest.mark.parametrize("path", STREAMS)
def test_without_a_watch_a_cut_stream_is_not_ended_well(path):
    data, chance = path.read_bytes(), random.Random(SEED)
    for size in sorted(chance.sample(range(len(data)), min(8, len(data)))):
        watched = Pipe(named(path), named(path).partition("/")[0], verbatim=True)
        watched.feed(data[:size])
        watched.close()
        pipe = unwatched(named(path))
        out = pipe.feed(data[:size])
        assert data.startswith(out)
        assert failed(watched.message) == failed(read(out + pipe.close(), named(path))), size


def test_without_a_watch_there_is_an_outcome_at_the_end_and_no_message():
    pipe = unwatched("openai-chat")
    assert TEXT * 1000 + END == pipe.feed(TEXT * 1000 + END)
    assert pipe.outcome is None
    assert b"" == pipe.close()
    assert pipe.outcome == "completed"
    with pytest.raises(RuntimeError, match="watch=False"):
        _ = pipe.message


def test_the_end_may_come_in_many_small_reads():
    pipe = unwatched("openai-chat")
    for frame in [TEXT] * 50 + END.splitlines(keepends=True):
        pipe.feed(frame)
    assert b"" == pipe.close()
    assert pipe.outcome == "completed"


def test_a_frame_without_end_is_not_held_without_end():
    pipe = unwatched("openai-chat", limits=Limits(frame=1000))
    assert TEXT == pipe.feed(TEXT)
    assert b"" == pipe.feed(b"data: " + b"x" * 2000)
    assert b"" == pipe.feed(b"\n\n" + END)
    assert b"1000 bytes" in pipe.close()
    assert pipe.outcome == "failed"


@pytest.mark.parametrize("options", [{"verbatim": False}, {"verbatim": True, "strict": True}])
def test_who_wants_to_know_more_has_to_watch(options):
    with pytest.raises(ValueError, match="watch=False"):
        Pipe("openai-chat", "openai-chat", watch=False, **options)


def test_an_error_reply_is_looked_at_all_the_same():
    pipe = unwatched("openai-chat", status=429)
    pipe.feed(b'{"error":{"message":"slow down"}}')
    assert b"slow down" in pipe.close()
    assert pipe.outcome == "failed"


@pytest.mark.parametrize("watch", [True, False])
def test_of_an_array_that_is_cut_only_whole_elements_leave(watch):
    part = b'{\n  "candidates": [\n    {"content": {"parts": [{"text": "a"}], "role": "model"}}\n  ]\n}'
    pipe = Pipe("gemini", "gemini", verbatim=True, watch=watch)
    assert b"[" + part == pipe.feed(b"[" + part + b"\n,\r\n" + part[:30])
    assert b"\n,\r\n" + part == pipe.feed(part[30:] + b"\n")
    assert b"" == pipe.feed(b",\n" + part[:40])
    assert b"candidates" not in pipe.close()
    assert pipe.outcome == "truncated"


@pytest.mark.parametrize("blank", [b"\n\n", b"\r\n\r\n", b"\r\r", b"\n\r\n"])
def test_any_empty_line_ends_a_frame(blank):
    frame = TEXT.strip() + blank
    pipe = Pipe("openai-chat", "openai-chat", verbatim=True)
    assert frame * 3 == pipe.feed(frame * 3 + frame[:9])
    assert frame == pipe.feed(frame[9:])
