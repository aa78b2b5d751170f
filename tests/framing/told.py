"""What a framer tells about some bytes, and bytes worth telling about."""

from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

from weft.framing import FRAMERS, Framer, Sniffer

ALL = {**FRAMERS, "sniff": Sniffer}


class Frame(NamedTuple):
    payload: bytes
    name: str
    offset: int


class Fault(NamedTuple):
    code: str
    fatal: bool
    offset: int


class Told(list[Frame | Fault]):
    """Frames and faults in the order in which they were told."""

    @property
    def frames(self):
        return [(item.payload, item.name) for item in self if isinstance(item, Frame)]

    @property
    def payloads(self):
        return [item.payload for item in self if isinstance(item, Frame)]

    @property
    def faults(self):
        return [(item.code, item.fatal) for item in self if isinstance(item, Fault)]

    @property
    def offsets(self):
        return [item.offset for item in self]


def listen(make, **options) -> tuple[Framer, Told]:
    told = Told()
    framer = make(
        lambda payload, name: told.append(Frame(payload, name, framer.offset)),
        lambda code, _message, fatal: told.append(Fault(code, fatal, framer.offset)),
        **options,
    )
    return framer, told


def tell(make, *reads: bytes, **options) -> Told:
    framer, told = listen(make, **options)
    for read in reads:
        framer.feed(read)
    framer.close()
    return told


def tell_in_two(make, reads: Iterable[bytes], **options) -> tuple[list, list]:
    """What is told before the end and what at the end: nothing is told later than it can be."""
    framer, told = listen(make, **options)
    for read in reads:
        framer.feed(read)
    before = len(told)
    framer.close()
    return told[:before], told[before:]


def bytewise(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    ends = [*sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def aws_header(name: bytes, value: bytes, kind: int = 7) -> bytes:
    """A header; a value of bytes or text (6, 7) is written with its length."""
    length = len(value).to_bytes(2, "big") if kind in {6, 7} else b""
    return bytes([len(name)]) + name + bytes([kind]) + length + value


def aws_frame(headers: dict[bytes, bytes] | bytes, payload: bytes) -> bytes:
    block = headers if isinstance(headers, bytes) else b"".join(aws_header(*pair) for pair in headers.items())
    lengths = (16 + len(block) + len(payload)).to_bytes(4, "big") + len(block).to_bytes(4, "big")
    body = lengths + crc32(lengths).to_bytes(4, "big") + block + payload
    return body + crc32(body).to_bytes(4, "big")


def aws_event(name: bytes, payload: bytes) -> bytes:
    return aws_frame({b":message-type": b"event", b":event-type": name}, payload)


_JSON = [
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b"\\",
    b",",
    b":",
    b"1",
    b"null",
    b'{"a":1}',
    b'{"b":{"c":"}{"}}',
    b'"s"',
    b"[DONE]",
]
_ENDS = [b"\n", b"\n\n", b"\r\n", b"\r\n\r\n", b"\r"]
_OTHER = [b" ", b"\xef\xbb\xbf", "\u2028".encode(), b"text", b"\xff", b"\x00"]

PIECES = {
    "sse": [
        *_JSON,
        *_ENDS,
        *_OTHER,
        *[b"data: ", b"data:", b"event: ", b"event:x", b"id: 3", b"retry: 1", b": ping", b'error: {"e":1}'],
        *[
            b'data: {"a":1}\n\n',
            b'event: m\ndata: {"b":2}\n\n',
            b'data: {"a":1}\r\n\r\n',
            b"event: m\r\ndata: {}\r\n\r\n",
        ],
    ],
    "ndjson": [
        *_JSON,
        *_ENDS,
        *_OTHER,
        b'{"a":1}\n',
        b'{"a":1}\r\n',
        b'{\n "a": [\n1\n]\n}\n',
        b"data: ",
        b"{}{}",
        b"} {",
    ],
    "json_array": [*_JSON, *_ENDS, *_OTHER, b'[{"a":1}\n,\r\n', b'{"a":\n"]"}', b"[[1]]"],
    "aws": [
        *[aws_event(b"delta", b'{"t":"x"}')] * 6,
        aws_frame({b":message-type": b"exception", b":exception-type": b"throttlingException"}, b'{"message":"slow"}'),
        aws_frame({b":message-type": b"error", b":error-code": b"Oops", b":error-message": b'say "hi"'}, b""),
        aws_frame(b"\x01h\x63", b""),
        aws_event(b"delta", b"{}")[:20],
        *_OTHER,
    ],
}
PIECES["sniff"] = [*PIECES["sse"], *PIECES["ndjson"], *PIECES["json_array"], *PIECES["aws"], b"<html>", b"d", b"ev"]
