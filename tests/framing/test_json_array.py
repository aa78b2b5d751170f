"""A JSON array that comes bit by bit."""

import pytest

from tests.framing.told import Fault, Frame, bytewise, listen, tell
from weft.framing import JSONArray


def test_each_element_is_a_frame():
    stream = b'[{\n  "a": 1\n}\n,\r\n{"b":[2]}\n]\n'
    assert [Frame(b'{\n  "a": 1\n}', "", 1), Frame(b'{"b":[2]}', "", 17)] == tell(JSONArray, stream)


def test_an_element_is_told_with_its_last_byte():
    framer, told = listen(JSONArray)
    framer.feed(b'[{"a":1')
    assert [] == told
    framer.feed(b"}")
    assert [b'{"a":1}'] == told.payloads


def test_brackets_and_quotes_in_strings_are_text():
    elements = [b'{"a":"]}"}', b'{"a":"\\""}', b'{"a":"\\\\"}', b'[["[",{}]]', b'{"a":"\\\\\\"}"}']
    assert elements == tell(JSONArray, *bytewise(b"[" + b",".join(elements) + b"]")).payloads


def test_elements_that_are_no_objects_are_text():
    assert [(b"1", "text"), (b'"a,]b"', "text"), (b"null", "text"), (b"[2]", ""), (b"-1e5", "text")] == tell(
        JSONArray, *bytewise(b'[1, "a,]b", null, [2],-1e5]')
    ).frames


@pytest.mark.parametrize("nothing", [b"", b" \r\n", b"[]", b"\xef\xbb\xbf [ ] \n"])
def test_nothing_is_told_of_an_array_without_elements(nothing):
    assert [] == tell(JSONArray, *bytewise(nothing))


def test_an_array_without_its_bracket_keeps_its_elements():
    assert [Frame(b"{}", "", 1), Fault("unterminated_array", False, 4)] == tell(JSONArray, b"[{},")


def test_half_an_element_is_a_fault():
    assert [Frame(b"{}", "", 1), Fault("partial_frame", False, 4), Fault("unterminated_array", False, 9)] == tell(
        JSONArray, b'[{},{"a":'
    )


def test_what_stands_behind_the_array_is_noted_once():
    assert [Frame(b"{}", "", 1), Fault("trailing_bytes", False, 6)] == tell(JSONArray, b"[{}]\n ", b"oops", b"[{}]")


def test_objects_without_an_array_around_them_are_frames():
    assert [Frame(b"{}", "", 1), Frame(b'{"a":1}', "", 4)] == tell(JSONArray, b' {}\n{"a":1}\n')


def test_an_element_longer_than_the_limit_ends_the_reading():
    long = b'{"n":"' + b"x" * 92 + b'"}'
    told = tell(JSONArray, b"[{}," + long + b"," + long[:6] + b"x" + long[6:] + b",{}]", limit=100)
    assert [Frame(b"{}", "", 1), Frame(long, "", 4), Fault("frame_too_large", True, 105)] == told


def test_a_word_without_end_ends_the_reading_too():
    assert [Fault("frame_too_large", True, 1)] == tell(JSONArray, b"[" + b"1" * 101, b",{}]", limit=100)
