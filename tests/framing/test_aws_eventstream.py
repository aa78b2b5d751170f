"""AWS event-stream frames; the two that are spelled out in hexadecimal were checked with Amazon's own reader."""

import struct
from zlib import crc32

import pytest

from tests.framing.told import Fault, Frame, aws_event, aws_frame, aws_header, bytewise, listen, tell
from weft.framing import AWSEventStream

MESSAGE_STOP = bytes.fromhex(
    "0000007a00000051ca2c4665"
    "0d3a6d6573736167652d747970650700056576656e74"
    "0b3a6576656e742d7479706507000b6d65737361676553746f70"
    "0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e"
    "7b2273746f70526561736f6e223a22656e645f7475726e227d"
    "3dc33bfa"
)
THROTTLED = aws_frame(
    {
        b":message-type": b"exception",
        b":exception-type": b"throttlingException",
        b":content-type": b"application/json",
    },
    b'{"message":"slow"}',
)
ERROR = {b":message-type": b"error", b":error-code": b"InternalFailure", b":error-message": b'say "no" \xe2\x80\xa6'}


def test_an_event_is_told_by_its_type():
    assert [Frame(b'{"stopReason":"end_turn"}', "messageStop", 0)] == tell(AWSEventStream, MESSAGE_STOP)


def test_our_own_frames_have_the_checksums_of_the_known_one():
    assert (131, "a9d144e5", "d4f2b6a9") == (len(THROTTLED), THROTTLED[8:12].hex(), THROTTLED[-4:].hex())


def test_an_exception_is_told_by_its_type():
    assert [(b'{"message":"slow"}', "exception:throttlingException")] == tell(AWSEventStream, THROTTLED).frames


def test_an_error_has_its_message_for_payload():
    assert [('{"message":"say \\"no\\" …"}'.encode(), "error:InternalFailure")] == tell(
        AWSEventStream, aws_frame(ERROR, b"")
    ).frames


def test_frames_do_not_follow_the_reads():
    stream = MESSAGE_STOP + THROTTLED + MESSAGE_STOP
    assert [0, 122, 253] == tell(AWSEventStream, *bytewise(stream)).offsets
    assert tell(AWSEventStream, stream) == tell(AWSEventStream, *bytewise(stream))


def test_a_frame_is_told_with_its_last_byte():
    framer, told = listen(AWSEventStream)
    framer.feed(MESSAGE_STOP[:-1])
    assert [] == told
    framer.feed(MESSAGE_STOP[-1:] + MESSAGE_STOP[:5])
    assert ["messageStop"] == [frame.name for frame in told]


def test_headers_of_every_type_are_passed_over():
    block = b"".join(
        [
            *[aws_header(b"true", b"", 0), aws_header(b"false", b"", 1), aws_header(b"byte", b"\x01", 2)],
            *[aws_header(b"short", bytes(2), 3), aws_header(b"int", bytes(4), 4), aws_header(b"long", bytes(8), 5)],
            *[aws_header(b"bytes", b"\x00\x07", 6), aws_header(b"time", struct.pack(">q", -1), 8)],
            *[aws_header(b"uuid", bytes(16), 9), aws_header(b":event-type", b"chunk"), aws_header(b"", b"")],
        ]
    )
    assert [(b"{}", "chunk")] == tell(AWSEventStream, aws_frame(block, b"{}")).frames


def test_a_frame_without_headers_or_payload_is_an_unnamed_one():
    assert [Frame(b"", "", 0)] == tell(AWSEventStream, aws_frame({}, b""))


@pytest.mark.parametrize(
    "block",
    [
        b"\x05ab",
        b"\x01a",
        b"\x01a\x07",
        b"\x01a\x07\x00",
        b"\x01a\x07\x00\x05abc",
        b"\x01a\x05abc",
        b"\x01a\x0a",
        b"\xff",
    ],
)
def test_headers_that_cannot_be_read_spoil_their_own_frame_only(block):
    told = tell(AWSEventStream, aws_frame(block, b"{}") + MESSAGE_STOP)
    assert [
        Fault("malformed_frame", False, 0),
        Frame(b'{"stopReason":"end_turn"}', "messageStop", 18 + len(block)),
    ] == told


@pytest.mark.parametrize("place", range(len(MESSAGE_STOP)))
def test_a_flipped_bit_anywhere_is_found_and_ends_the_reading(place):
    broken = bytearray(MESSAGE_STOP)
    broken[place] ^= 4
    told = tell(AWSEventStream, MESSAGE_STOP + bytes(broken) + MESSAGE_STOP)
    assert [("messageStop", 0), ("crc_mismatch", 122)] == [
        (item.name if isinstance(item, Frame) else item.code, item.offset) for item in told
    ]
    assert [("crc_mismatch", True)] == told.faults


@pytest.mark.parametrize("size", [1, 11, 12, 13, 121])
def test_half_a_last_frame_is_a_fault(size):
    told = tell(AWSEventStream, MESSAGE_STOP + MESSAGE_STOP[:size])
    assert [Fault("partial_frame", False, 122)] == told[1:]


def prelude(total: int, headers: int) -> bytes:
    """The beginning of a frame that claims these lengths, with the right checksum."""
    lengths = struct.pack(">II", total, headers)
    return lengths + struct.pack(">I", crc32(lengths))


@pytest.mark.parametrize(("total", "headers"), [(0, 0), (15, 0), (16, 1), (100, 85), (0, 1 << 31)])
def test_lengths_that_cannot_be_end_the_reading(total, headers):
    assert [Fault("malformed_frame", True, 0)] == tell(AWSEventStream, prelude(total, headers), MESSAGE_STOP)


@pytest.mark.parametrize(
    ("total", "headers"), [((64 << 20) + 1, 0), ((128 << 10) + 17, (128 << 10) + 1), ((24 << 20) + 17, 0)]
)
def test_a_frame_longer_than_the_limit_or_the_format_allows_ends_the_reading(total, headers):
    assert [Fault("frame_too_large", True, 0)] == tell(AWSEventStream, prelude(total, headers), MESSAGE_STOP)


def test_a_frame_as_long_as_the_limit_is_taken():
    assert ["messageStop"] == [frame.name for frame in tell(AWSEventStream, MESSAGE_STOP, limit=122)]
    assert [Fault("frame_too_large", True, 0)] == tell(AWSEventStream, MESSAGE_STOP, limit=121)


def test_the_same_headers_name_the_next_frame_too():
    stream = aws_event(b"a", b"1") + aws_event(b"a", b"2") + aws_event(b"b", b"3") + aws_event(b"a", b"4")
    assert [(b"1", "a"), (b"2", "a"), (b"3", "b"), (b"4", "a")] == tell(AWSEventStream, stream).frames
