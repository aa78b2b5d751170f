"""Which framing it is, by its first bytes."""

import gzip

import pytest

from tests.framing.told import Fault, Frame, aws_event, bytewise, listen, tell
from weft.framing import FRAMERS, Sniffer

AWS = aws_event(b"delta", b"{}")
STREAMS = [
    (b'data: {"a":1}\n\n', [(b'{"a":1}', "")]),
    (b'data:{"a":1}\n\n', [(b'{"a":1}', "")]),
    (b'event: x\ndata: {"a":1}\n\n', [(b'{"a":1}', "x")]),
    (b": hello\n\ndata: 1\n\n", [(b"1", "")]),
    (b"id: 1\nretry: 5\ndata: 1\n\n", [(b"1", "")]),
    (b"retry: 5\ndata: 1\n\n", [(b"1", "")]),
    (b'\xef\xbb\xbfdata: {"a":1}\n\n', [(b'{"a":1}', "")]),
    (b"\r\n\ndata: 1\n\n", [(b"1", "")]),
    (b'{"a":1}\n{"a":2}\n', [(b'{"a":1}', ""), (b'{"a":2}', "")]),
    (b'\n {\n "a": 1\n}', [(b'{\n "a": 1\n}', "")]),
    (b'[{"a":1}\n,\r\n{"a":2}]', [(b'{"a":1}', ""), (b'{"a":2}', "")]),
    (b'\xef\xbb\xbf [\n{"a":1}]', [(b'{"a":1}', "")]),
    (AWS + AWS, [(b"{}", "delta")] * 2),
    (b"<!doctype html>\n<p>Bad Gateway", [(b"<!doctype html>\n<p>Bad Gateway", "html")]),
    (b" \n<html>", [(b" \n<html>", "html")]),
    (b"", []),
    (b"\n \n", []),
]


@pytest.mark.parametrize("default", FRAMERS)
@pytest.mark.parametrize(("stream", "frames"), STREAMS)
def test_the_first_bytes_tell_whatever_the_default_and_the_cuts(stream, frames, default):
    assert frames == tell(Sniffer, stream, default=default).frames
    assert frames == tell(Sniffer, *bytewise(stream), default=default).frames


@pytest.mark.parametrize(
    ("default", "expected"), [("sse", []), ("ndjson", [(b"hello", "text")]), ("json_array", [(b"hello", "text")])]
)
def test_anything_else_is_the_default(default, expected):
    assert expected == tell(Sniffer, b"hello\n", default=default).frames


@pytest.mark.parametrize("words", [b"[INFO] ready", b"[12:30:01] ready", b"[x]", b"[1, 2]", b"<think>", b"<table>"])
def test_words_that_begin_with_a_bracket_are_words(words):
    """Seed 002: plain text between the lines, and so before the first, which once made an array or a page of all that followed."""
    stream = words + b'\n{"a":1}\n'
    assert [(words, "text"), (b'{"a":1}', "")] == tell(Sniffer, stream, default="ndjson").frames
    assert [(words, "text"), (b'{"a":1}', "")] == tell(Sniffer, *bytewise(stream), default="ndjson").frames


@pytest.mark.parametrize("default", ["sse", "ndjson"])
def test_a_bare_end_marker_is_no_array(default):
    assert [(b"[DONE]", "")] == tell(Sniffer, *bytewise(b"[DONE]\n"), default=default).frames


@pytest.mark.parametrize("default", FRAMERS)
def test_an_absurd_length_is_not_taken_for_aws(default):
    chosen = tell(Sniffer, b"\x00\x00\x00\x0f" + bytes(20), default=default)
    assert tell(FRAMERS[default], b"\x00\x00\x00\x0f" + bytes(20)) == chosen


def test_bytes_that_are_no_text_stay_with_a_default_of_aws():
    assert [("crc_mismatch", True)] == tell(Sniffer, b"\x7f" + AWS, default="aws").faults


@pytest.mark.parametrize(
    ("head", "undecided"), [(b"d", True), (b"dat", True), (b"data:", False), (b"x", False), (b"[", True), (b"{", False)]
)
def test_no_more_bytes_are_waited_for_than_are_needed(head, undecided):
    framer, _ = listen(Sniffer, default="ndjson")
    framer.feed(head)
    assert undecided == (framer.feed == framer._look)


def test_a_default_of_sse_does_not_wait_for_a_whole_field_name():
    framer, _ = listen(Sniffer)
    framer.feed(b"d")
    assert framer.feed != framer._look


def test_offsets_are_those_of_the_input():
    assert [Frame(b'{"a":1}', "", 2), Fault("partial_frame", False, 10)] == tell(Sniffer, *bytewise(b'\n {"a":1}\n{'))


def test_the_faults_of_the_chosen_framer_come_through():
    assert [("frame_too_large", True)] == tell(Sniffer, b"data: " + b"x" * 100, limit=50).faults


def test_white_space_without_end_is_not_kept():
    framer, told = listen(Sniffer, default="ndjson")
    for _ in range(10):
        framer.feed(b" " * 1000)
    assert framer.feed != framer._look
    framer.feed(b"[[]]\n")
    framer.close()
    assert [(b"[[]]", "")] == told.frames
    assert told == tell(Sniffer, b" " * 10_000 + b"[[]]\n", default="ndjson")


def test_as_much_of_a_page_is_kept_as_is_worth_showing():
    [frame] = tell(Sniffer, b"<p>", *[b"x" * 1000] * 100)
    assert (64 << 10, "html") == (len(frame.payload), frame.name)


@pytest.mark.parametrize("default", FRAMERS)
@pytest.mark.parametrize(
    ("stream", "code"),
    [
        (gzip.compress(b"data: 1\n\n"), "compressed"),
        (b"\x28\xb5\x2f\xfd" + bytes(9), "compressed"),
        ("\ufeffdata: 1\n\n".encode("utf-16-le"), "utf_16"),
        ("\ufeffdata: 1\n\n".encode("utf-16-be"), "utf_16"),
    ],
    ids=["gzip", "zstd", "utf-16, little end first", "utf-16, big end first"],
)
def test_what_is_compressed_or_in_wide_characters_is_told_once(stream, code, default):
    """E12: whoever asked for a compressed reply and did not unpack it hears so."""
    assert [Fault(code, True, 0)] == tell(Sniffer, stream, stream, default=default)
    assert [Fault(code, True, 0)] == tell(Sniffer, *bytewise(stream), default=default)


def test_an_unknown_default_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="no framing is called 'sss'; there are sse, "):
        Sniffer(print, print, default="sss")
