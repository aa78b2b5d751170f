"""What there is to compare with: the least that a reader or a forwarder has to do with the same bytes.

Knows: how frames are cut in the plainest way, Weft's own wire types, and the narrowest types that hold a text delta. Must not know how anything is measured.
"""

from typing import Any

import msgspec

from weft.framing import FRAMERS
from weft.protocol import resolve

Reads = list[bytes]


def floor(protocol: str, reads: Reads) -> None:
    """Split the frames in the plainest way, and parse each once into the decoder's own wire type: the one that takes any frame."""
    spec, _ = resolve(protocol)
    if spec.framing == "aws":
        _binary(spec, reads)
    else:
        _parsed(protocol, reads, spec.decoder.wire)


def narrow_floor(protocol: str, reads: Reads) -> None:
    """The same with types that hold a text or a piece of arguments, and nothing else."""
    _parsed(protocol, reads, NARROW[protocol])


def split(protocol: str, reads: Reads) -> None:
    """Cut the frames, and do nothing with them."""
    if resolve(protocol)[0].framing == "aws":
        _walked(reads)
        return
    mark, rest = _mark(protocol, reads), b""
    for read in reads:
        *frames, rest = (rest + read).split(mark)
        for _ in frames:
            pass


def _parsed(protocol: str, reads: Reads, wire: Any) -> None:
    parse = msgspec.json.Decoder(wire).decode
    mark, rest = _mark(protocol, reads), b""
    for read in reads:
        *frames, rest = (rest + read).split(mark)
        for frame in frames:
            at = frame.find(b"data: ") if mark != b"\n" else -6
            payload = frame[at + 6 :]
            if payload and payload != b"[DONE]":
                parse(payload)


def _mark(protocol: str, reads: Reads) -> bytes:
    return b"\n" if resolve(protocol)[0].framing == "ndjson" else b"\r\n\r\n" if b"\r\n\r\n" in reads[0] else b"\n\n"


def _binary(spec: Any, reads: Reads) -> None:
    """Our own framer stands in for a bare splitter: both have to check two sums a frame."""
    parsers = {name: msgspec.json.Decoder(wire).decode for name, wire in spec.decoder.wires.items()}

    def take(payload: bytes, name: str) -> None:
        parsers[name](payload)

    framer = FRAMERS["aws"](take, lambda *_: None)
    for read in reads:
        framer.feed(read)


def _walked(reads: Reads) -> None:
    rest = b""
    for read in reads:
        data, at = rest + read, 0
        while at + 4 <= len(data) and at + (size := int.from_bytes(data[at : at + 4], "big")) <= len(data):
            at += size
        rest = data[at:]


class _Struct(msgspec.Struct, gc=False):
    pass


class _Function(_Struct):
    arguments: str = ""


class _Call(_Struct):
    index: int = 0
    function: _Function | None = None


class _Text(_Struct):
    content: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(_Struct):
    delta: _Text


class _Chat(_Struct):
    choices: list[_Choice]


class _Delta(_Struct):
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None


class _Anthropic(_Struct):
    type: str
    index: int = 0
    delta: _Delta | None = None


class _Part(_Struct):
    text: str = ""


class _Content(_Struct):
    parts: list[_Part]


class _Candidate(_Struct):
    content: _Content


class _Gemini(_Struct):
    candidates: list[_Candidate]


class _Responses(_Struct):
    type: str
    output_index: int = 0
    delta: str = ""


class _Ollama(_Struct):
    message: _Text


class _CohereMessage(_Struct):
    content: Any = None


class _CohereDelta(_Struct):
    message: _CohereMessage | None = None


class _Cohere(_Struct):
    type: str
    delta: _CohereDelta | None = None


class _AISDK(_Struct):
    type: str
    id: str = ""
    text: str = ""
    delta: str = ""


class _OwnText(_Struct):
    text: str = ""
    index: int = 0


NARROW = {
    "openai-chat": _Chat,
    "anthropic": _Anthropic,
    "gemini": _Gemini,
    "openai-responses": _Responses,
    "ollama": _Ollama,
    "cohere": _Cohere,
    "ai-sdk": _AISDK,
    "ai-sdk-ui": _AISDK,
    "provider-delta": _OwnText,
    "events": _OwnText,
}
"""Bedrock's frames have two sums each, beside which types do not show."""
