"""What is sent, after which wait: nothing is lost by cutting anew, and a fault happens where it was told to."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.replay.capture import Chunk
from weft.replay.fault import Fault, fault_named
from weft.replay.playing import GARBAGE, Manner, play, split_named

THREE = [Chunk(0.5, b"aaaa"), Chunk(1.0, b"bbbb"), Chunk(3.0, b"cc")]

chunks = st.lists(st.tuples(st.floats(0, 5), st.binary(max_size=12)), max_size=8).map(
    lambda told: [
        Chunk(at, data) for (at, data) in zip(sorted(at for at, _ in told), [data for _, data in told], strict=True)
    ]
)
splits = st.one_of(
    st.just("recorded"), st.just("frames"), st.just("whole"), st.integers(1, 9), st.integers().map("random:{}".format)
)


def test_recorded_pieces_come_when_they_came():
    assert ((0.5, b"aaaa"), (0.5, b"bbbb"), (2.0, b"cc")) == play(THREE, Manner()).pieces


def test_twice_the_speed_is_half_the_wait_and_none_is_none():
    assert [0.25, 0.25, 1.0] == [wait for wait, _ in play(THREE, Manner(speed=2)).pieces]
    assert [0.0, 0.0, 0.0] == [wait for wait, _ in play(THREE, Manner(speed=0)).pieces]


def test_piece_is_due_when_its_last_byte_had_come():
    assert ((0.5, b"aaa"), (0.5, b"abb"), (2.0, b"bbc"), (0.0, b"c")) == play(THREE, Manner(split=3)).pieces


@given(chunks, splits)
def test_no_cut_loses_a_byte_or_time(told: list[Chunk], split: int | str):
    played = play(told, Manner(split=split))
    assert b"".join(chunk.data for chunk in told) == b"".join(piece for _, piece in played.pieces)
    last = next((chunk.at for chunk in reversed(told) if chunk.data), 0.0)
    assert pytest.approx(last, abs=1e-6) == sum(wait for wait, _ in played.pieces)
    assert all(piece for _, piece in played.pieces)


@given(chunks, splits, st.sampled_from(["cut", "stall"]), st.one_of(st.integers(0, 120), st.floats(0, 1)))
def test_fault_ends_at_its_byte(told: list[Chunk], split: int | str, kind: str, at: float):
    fault, body = Fault(kind=kind, at=at), b"".join(chunk.data for chunk in told)
    played = play(told, Manner(split=split), fault)
    assert kind == played.ending
    assert body[: fault.place(len(body))] == b"".join(piece for _, piece in played.pieces)


def test_garbage_stands_between_two_pieces():
    pieces = [piece for _, piece in play(THREE, Manner(), fault_named("garbage@3")).pieces]
    assert [b"aaaa", GARBAGE, b"bbbb", b"cc"] == pieces


def test_broken_recording_breaks_off_again():
    assert "cut" == play(THREE, Manner(), cut=True).ending


@given(st.integers())
def test_random_cuts_are_the_same_for_the_same_seed(seed: int):
    told = [Chunk(0.0, bytes(3000))]
    assert play(told, Manner(split=f"random:{seed}")) == play(told, Manner(split=f"random:{seed}"))


def test_random_cuts_are_cuts():
    lengths = [len(piece) for _, piece in play([Chunk(0.0, bytes(3000))], Manner(split="random:1")).pieces]
    assert len(set(lengths)) > 3
    assert 3000 == list(accumulate(lengths))[-1]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("cut", Fault(kind="cut", at=0.5)),
        ("stall@0", Fault(kind="stall", at=0)),
        ("garbage@25%", Fault(kind="garbage", at=0.25)),
        ("error@7*3", Fault(kind="error", at=7, times=3)),
        ("429*2", Fault(kind="status", at=0.5, status=429, times=2)),
        (" CUT@250% ", Fault(kind="cut", at=1.0)),
    ],
)
def test_fault_is_read(text: str, fault: Fault):
    assert fault == fault_named(text)


@pytest.mark.parametrize("text", ["", "slow", "cut@", "cut@-1", "200", "429*x", "cut@5@6"])
def test_what_is_no_fault_is_refused_with_the_words_for_it(text: str):
    with pytest.raises(ValueError, match="the faults are cut, stall, garbage"):
        fault_named(text)


@pytest.mark.parametrize("text", ["0", "-3", "chunks", "randomly"])
def test_what_is_no_cut_is_refused(text: str):
    with pytest.raises(ValueError, match="no way to cut"):
        split_named(text)
