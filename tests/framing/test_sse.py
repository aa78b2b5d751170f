"""Server-sent events, by what the format says and by what servers do."""

import pytest

from tests.framing.told import Fault, Frame, bytewise, listen, tell
from weft.framing import SSE

ENDS = {"LF": b"\n", "CRLF": b"\r\n", "CR": b"\r"}


def payloads(*reads: bytes) -> list[bytes]:
    return tell(SSE, *reads).payloads


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_frame_ends_with_a_blank_line_whatever_the_line_ends(end):
    assert [b'{"n":1}', b'{"n":2}'] == payloads(b'data: {"n":1}\n\ndata: {"n":2}\n\n'.replace(b"\n", end))


def test_line_ends_may_be_mixed():
    assert [b"one", b"two", b"three"] == payloads(b"data: one\r\n\ndata: two\r\rdata: three\n\r\n")


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_frame_is_told_with_the_first_byte_of_its_blank_line(end):
    framer, told = listen(SSE)
    framer.feed(b"data: 1" + end)
    assert [] == told
    framer.feed(end[:1])
    assert [b"1"] == told.payloads


def test_the_line_feed_after_a_carriage_return_belongs_to_it_also_in_the_next_read():
    assert [b"one\ntwo"] == payloads(b"data: one\r", b"\ndata: two\r", b"\n\r", b"\n")


def test_only_carriage_returns_and_line_feeds_end_lines():
    text = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg\u001dh\u001ei".encode()
    assert [text] == payloads(b"data: " + text + b"\n\n")


def test_a_character_cut_by_the_reads_stays_whole():
    assert ["你好".encode()] == payloads(*bytewise("data: 你好\n\n".encode()))


def test_one_space_after_the_colon_is_not_part_of_the_value():
    assert [b"none", b"one", b" two", b"\ttab"] == payloads(b"data:none\n\ndata: one\n\ndata:  two\n\ndata:\ttab\n\n")


def test_data_lines_join_with_line_feeds():
    assert [b"one\n\nthree"] == payloads(b"data: one\ndata:\ndata: three\n\n")


def test_a_data_line_without_a_colon_is_an_empty_one():
    assert [b"one\n\ntwo"] == payloads(b"data: one\ndata\ndata: two\n\n")


def test_empty_data_is_swallowed():
    assert [] == tell(SSE, b"data:\n\ndata: \n\ndata\n\ndata:\ndata:\n\nevent: ping\ndata:\n\n")


def test_an_event_without_data_is_swallowed_and_its_name_forgotten():
    assert [(b"1", "")] == tell(SSE, b"event: ping\n\ndata: 1\n\n").frames


def test_the_name_is_that_of_the_event_field():
    assert [(b"1", "message_start"), (b"2", ""), (b"3", "x"), (b"4", "last")] == tell(
        SSE, b"event: message_start\ndata: 1\n\ndata: 2\n\ndata: 3\nevent:x\n\nevent: first\nevent: last\ndata: 4\n\n"
    ).frames


def test_a_name_that_is_not_utf_8_is_told_with_marks_for_what_is_not():
    assert [(b"1", "caf\ufffd")] == tell(SSE, b"event: caf\xe9\ndata: 1\n\n").frames


def test_comments_are_swallowed_wherever_they_stand():
    assert [(b"1", "x"), (b"2\n3", "")] == tell(
        SSE, b": ping\n\n:\n\nevent: x\n: note\ndata: 1\n\ndata: 2\n: keep-alive\ndata: 3\n\n"
    ).frames


def test_a_comment_sent_as_data_is_data():
    assert [b": PROCESSING", b"ping"] == payloads(b"data: : PROCESSING\n\ndata: ping\n\n")


def test_the_end_marker_is_an_ordinary_payload():
    assert [b"{}", b"[DONE]", b"[DONE]"] == payloads(b"data: {}\n\ndata: [DONE]\n\n[DONE]\n\n")


def test_unknown_fields_and_retry_are_ignored():
    assert [b"1"] == payloads(b"retry: 100\nfoo: bar\nbar\n: x\ndata: 1\nretry: 5\n\n")


def test_the_last_id_is_kept():
    framer, told = listen(SSE)
    framer.feed(b"id: 7\ndata: 1\n\ndata: 2\n\nid:eight\n\n")
    assert "eight" == framer.last_event_id
    assert [b"1", b"2"] == told.payloads


def test_a_byte_order_mark_and_spaces_before_the_first_line_are_skipped():
    assert [Frame(b"1", "", 3)] == tell(SSE, *bytewise(b"\xef\xbb\xbfdata: 1\n\n"))
    assert [Frame(b"1", "", 5)] == tell(SSE, b"\xef\xbb\xbf  data: 1\n\n")
    assert [Frame(b"1", "", 1)] == tell(SSE, b" data: 1\n\n")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("plain", [b"data: 0", b"event: y\ndata: 0"])
@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        (b"data: 1\rdata: 2", (b"1\n2", "")),
        (b"data: 1\ndata: 2", (b"1\n2", "")),
        (b"data: 1\r\ndata: 2", (b"1\n2", "")),
        (b"event: x\rdata: 1", (b"1", "x")),
        (b"event: x\r\rdata: 1", (b"1", "")),
        (b"event: x\rid: 1\ndata: 1", (b"1", "x")),
        (b"event: x\nid: 1\r\ndata: 1", (b"1", "x")),
        (b"event: x\ndata: 1\rdata: 2", (b"1\n2", "x")),
        (b"event: x\r\ndata: 1\rdata: 2", (b"1\n2", "x")),
        (b"event: x\rid: 1\r\ndata: 1", (b"1", "x")),
    ],
)
def test_odd_frames_are_read_by_their_lines_alone_and_among_plain_ones(plain, odd, expected, newline):
    plain, odd = plain.replace(b"\n", newline) + newline * 2, odd + newline * 2
    usual = (b"0", "y" if plain.startswith(b"event") else "")
    assert [expected] == tell(SSE, odd).frames
    assert [usual, expected, usual, usual, expected] == tell(SSE, plain + odd + plain + plain + odd).frames


def test_spaces_before_a_later_line_make_it_another_field():
    assert [b"1"] == payloads(b"data: 1\n data: 2\n\n")


def test_raw_json_is_a_frame_without_a_field():
    error = b'{"error":{"message":"no \\"such\\" } model"}}'
    assert [(b"1", "x"), (error, ""), (b"2", "")] == tell(
        SSE, b"event: x\ndata: 1\n\n" + error + b"\n\ndata: 2\n\n"
    ).frames


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_raw_json_over_many_lines_is_one_frame(end):
    raw = b'{\n  "error": {\n    "code": 429,\n\n    "message": "slow {"\n  }\n}'
    assert [raw, b"1"] == payloads(raw.replace(b"\n", end) + end + b"data: 1" + end + end)


def test_raw_json_is_told_with_its_last_line_without_a_blank_one():
    framer, told = listen(SSE)
    framer.feed(b'[{"a":1},\n{"b":2}]\n')
    assert [b'[{"a":1},\n{"b":2}]'] == told.payloads


def test_raw_json_takes_the_name_that_stands_before_it():
    assert [(b'{"a":1}', "error"), (b"2", "")] == tell(SSE, b'event: error\n{"a":1}\n\ndata: 2\n\n').frames


def test_raw_json_ends_the_frame_before_it():
    assert [b"1", b'{"a":1}', b'{"b":2}'] == payloads(b'data: 1\n{"a":1} {"b":2}\n')


def test_what_stands_behind_raw_json_on_its_line_is_read_on():
    assert [b"{}", b"[1]", b"2"] == payloads(b"{}, [1] data: 2\n\n")


def test_raw_json_that_breaks_off_does_not_take_the_next_frames_with_it():
    told = tell(SSE, b'data: 1\n\n{"error": {"message":\ndata: 2\n\n{"error": "cut\n: ping\ndata: 3\n\n')
    assert [b"1", b"2", b"3"] == told.payloads
    assert [Fault("partial_frame", False, 9), Fault("partial_frame", False, 40)] == [
        item for item in told if isinstance(item, Fault)
    ]


def test_raw_json_that_breaks_off_is_followed_by_the_next():
    assert [Fault("partial_frame", False, 0), Frame(b'{"n":2}', "", 11)] == tell(SSE, b'{"n": "one\n{"n":2}\n')


def test_an_error_field_is_a_frame_named_error():
    assert [(b"1", ""), (b'{"detail":"no"}', "error"), (b"2", "")] == tell(
        SSE, b'data: 1\n\nerror: {"detail":"no"}\n\ndata: 2\n\n'
    ).frames


def test_an_error_field_ends_the_frame_before_it():
    assert [(b"1", "x"), (b"{}", "error"), (b"2", "")] == tell(
        SSE, b"event: x\ndata: 1\nerror: {}\n\ndata: 2\n\n"
    ).frames


def test_an_error_field_that_is_not_json_is_ignored():
    assert [b"1"] == payloads(b"error: oops\ndata: 1\n\n")


def test_several_raw_values_on_one_line_keep_their_offsets():
    assert [Frame(b"{}", "", 0), Frame(b"[2]", "", 3), Frame(b"3", "", 8)] == tell(SSE, b"{} [2]\n\ndata: 3\n\n")


def test_a_last_frame_without_its_blank_line_is_told_and_noted():
    assert [Frame(b"1", "", 0), Frame(b'{"a":2}', "x", 9), Fault("unterminated_frame", False, 9)] == tell(
        SSE, b'data: 1\n\nevent: x\ndata: {"a":2}\n'
    )


@pytest.mark.parametrize("payload", [b'{"a":1}', b"[1]", b"[DONE]", b'{"a":1} '])
def test_a_last_line_without_an_end_is_whole_if_it_closes_a_value(payload):
    assert [Frame(payload, "", 0)] == tell(SSE, b"data: " + payload)


@pytest.mark.parametrize("last", [b'data: {"a":', b"data: on", b"dat", b"event: x", b"data: 1\ndata: {", b'{"a": 1'])
def test_half_a_last_frame_is_a_fault(last):
    assert [Frame(b"1", "", 0), Fault("partial_frame", False, 9)] == tell(SSE, b"data: 1\n\n" + last)


def test_an_event_name_that_never_got_its_data_is_half_a_frame():
    assert [Fault("partial_frame", False, 0)] == tell(SSE, b"event: message_stop\n")


@pytest.mark.parametrize("last", [b"", b"\n", b"\r", b": ping", b": ping\n", b"   ", b"id: 3\n", b"data:\n"])
def test_nothing_is_told_of_an_end_that_lacks_nothing(last):
    assert [Frame(b"1", "", 0)] == tell(SSE, b"data: 1\n\n" + last)


def test_each_frame_begins_where_its_first_line_does():
    stream = b": hi\n\ndata: one\n\n\n\nevent: x\r\ndata: two\r\n\r\ndata: a\ndata: b\n\ndata: four\n\n"
    assert [(b"one", 6), (b"two", 19), (b"a\nb", 42), (b"four", 59)] == [
        (frame.payload, frame.offset) for frame in tell(SSE, stream)
    ]
    for offset in (6, 19, 42, 59):
        assert stream[offset:].startswith((b"data: ", b"event: "))


def test_frames_of_both_plain_shapes_may_take_turns():
    bare, named = b'data: {"n":1}\n\n', b'event: m\ndata: {"n":2}\n\n'
    expected = [(b'{"n":1}', ""), (b'{"n":2}', "m")] * 3 + [(b'{"n":2}', "m"), (b'{"n":1}', "")] * 3
    assert expected == tell(SSE, (bare + named) * 3 + (named + bare) * 3).frames


def test_a_frame_longer_than_the_limit_ends_the_reading():
    framer, told = listen(SSE, limit=100)
    framer.feed(b"data: 1\n\n")
    framer.feed(b"data: " + b"x" * 94 + b"\n\n")
    framer.feed(b"data: " + b"x" * 95 + b"\n\n")
    framer.feed(b"data: 2\n\n")
    framer.close()
    assert [Frame(b"1", "", 0), Frame(b"x" * 94, "", 9), Fault("frame_too_large", True, 111)] == told


def test_the_fault_of_a_long_frame_names_the_limit_and_what_raises_it():
    messages = []
    SSE(print, lambda _code, message, _fatal: messages.append(message), 10).feed(b"data: 0123456789")
    assert ["a frame is longer than the limit of 10 bytes; raise Limits.frame to take it"] == messages
