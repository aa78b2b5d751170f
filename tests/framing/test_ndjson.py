"""JSON lines, and what else comes under that name."""

import pytest

from tests.framing.told import Fault, Frame, bytewise, listen, tell
from weft.framing import NDJSON

PRETTY = b'{\n  "a": {\n    "b": [\n      1,\n      {"c": "}"}\n    ]\n  }\n}'


def payloads(*reads: bytes) -> list[bytes]:
    return tell(NDJSON, *reads).payloads


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_each_line_is_a_frame_whatever_the_line_ends(end):
    lines = [b'{"n":1}', b'{"n":{"m":"}"}}', b'{"n":"\xe2\x80\xa8"}']
    assert [(line, "") for line in lines] == tell(NDJSON, end.join([*lines, b""])).frames


def test_a_line_is_told_with_the_first_byte_of_its_end():
    framer, told = listen(NDJSON)
    framer.feed(b'{"n":1}')
    assert [] == told
    framer.feed(b"\r")
    assert [b'{"n":1}'] == told.payloads


def test_blank_lines_are_ignored():
    assert [Frame(b"{}", "", 3), Frame(b'{"n":1}', "", 9)] == tell(NDJSON, b'\n\r\n{}\n  \n{"n":1}\n\n')


def test_objects_on_one_line_are_frames_of_their_own():
    assert [Frame(b'{"n":1}', "", 0), Frame(b'{"n":"}{"}', "", 7), Frame(b"{}", "", 18), Frame(b"{}", "", 23)] == tell(
        NDJSON, b'{"n":1}{"n":"}{"} {} , {}\n'
    )


def test_braces_in_strings_are_text():
    tricky = [b'{"n":"{"}', b'{"n":"}"}', b'{"n":"\\"{"}', b'{"n":"} {"}', b'{"n":"\\\\"}', b'{"{":{"}":1}}']
    assert tricky == payloads(b"\n".join([*tricky, b""]))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_an_object_over_many_lines_is_one_frame(end):
    assert [b"{}", PRETTY, b"{}"] == payloads(b"\n".join([b"{}", PRETTY, b"{}", b""]).replace(b"\n", end))


def test_an_object_whose_first_line_looks_whole_is_still_one_frame():
    assert [b'{"a":{"b":1}\n,"c":2}'] == payloads(b'{"a":{"b":1}\n,"c":2}\n')


def test_a_pretty_body_without_a_last_line_end_is_one_frame():
    assert [(PRETTY, "")] == tell(NDJSON, *bytewise(PRETTY)).frames


def test_other_lines_are_text():
    assert [(b"loading model", "text"), (b"{}", ""), (b"12", "text"), (b'"s"', "text"), (b"[INFO] x", "text")] == tell(
        NDJSON, b'loading model\n{}\n12\n"s" \n[INFO] x\n'
    ).frames


def test_text_behind_an_object_is_text():
    assert [Frame(b'{"n":1}', "", 0), Frame(b"done", "text", 8)] == tell(NDJSON, b'{"n":1} done\n')


def test_an_array_on_a_line_is_a_frame():
    assert [(b'[{"n":1}]', ""), (b"[DONE]", "")] == tell(NDJSON, b'[{"n":1}]\n[DONE]\n').frames


def test_the_field_name_of_sse_is_taken_off():
    assert [Frame(b'{"n":1}', "", 6), Frame(b'{"n":2}', "", 19), Frame(b"[DONE]", "", 34)] == tell(
        NDJSON, b'data: {"n":1}\ndata:{"n":2}\n\ndata: [DONE]\n'
    )


def test_a_byte_order_mark_is_skipped():
    assert [Frame(b"{}", "", 3)] == tell(NDJSON, *bytewise(b"\xef\xbb\xbf{}\n"))


def test_a_last_line_needs_no_end():
    assert [Frame(b"{}", "", 0), Frame(b'{"n":1}', "", 3)] == tell(NDJSON, b'{}\n{"n":1}')


@pytest.mark.parametrize("last", [b'{"n":', b"{", b'{"n":"', b'{"n":1\n', b'{\n "n": 1\n'])
def test_half_a_last_object_is_a_fault(last):
    assert [Frame(b"{}", "", 0), Fault("partial_frame", False, 3)] == tell(NDJSON, b"{}\n" + last)


@pytest.mark.parametrize("broken", [b'{"n": 1', b'{"n": "one', b'{"n": {"m": 1}', b'{"n": [1'])
def test_a_line_that_breaks_off_does_not_take_the_next_with_it(broken):
    assert [Frame(b"{}", "", 0), Fault("partial_frame", False, 3), Frame(b"{}", "", 4 + len(broken))] == tell(
        NDJSON, b"{}\n" + broken + b"\n{}\n"
    )


def test_text_ends_an_object_that_broke_off():
    assert [(b": ping", "text"), (b"{}", "")] == tell(NDJSON, b'{"n": "one\n: ping\n{}\n').frames


def test_legal_json_is_never_taken_for_broken():
    legal = b'{\n"a"\n:\n{"b":1}\n,\n"c":\n"d",\n"e":[\n{"f":null},\n-1\n,\ntrue\n,[\n]\n,{\n}\n]\n}'
    assert [Frame(legal, "", 0)] == tell(NDJSON, legal + b"\n")


def test_an_object_longer_than_the_limit_ends_the_reading():
    long = b'{"n":"' + b"x" * 92 + b'"}'
    told = tell(NDJSON, b"{}\n" + long + b"\n" + long[:6] + b"x" + long[6:] + b"\n{}\n", limit=100)
    assert [Frame(b"{}", "", 0), Frame(long, "", 3), Fault("frame_too_large", True, 104)] == told


def test_an_object_over_many_lines_counts_as_one_against_the_limit():
    assert [Fault("frame_too_large", True, 0)] == tell(NDJSON, b'{"n":[\n' + b"1,\n" * 40, b"{}\n", limit=100)
