"""The whole reply: the chunks of a stream of the same message, put together.

Knows: that a reply is one chunk with all parts. Must not know: what a part looks like; the encoder does.
"""

from typing import Any, Final

import msgspec

from weft import jsontext
from weft.context import Context
from weft.losses import Losses
from weft.message import Message
from weft.protocols.gemini.encode import GeminiEncoder
from weft.unfold import error_alone, failed, unfold

_Raws = dict[str, msgspec.Raw]


class _Content(msgspec.Struct):
    parts: list[msgspec.Raw]


class _Chunk(msgspec.Struct):
    candidates: list[_Raws] = []


_CITED: Final = "citationMetadata"
_PREFIX, _NOTHING = len(b"data: "), b'{"text":""}'
_members = msgspec.json.Decoder(_Raws).decode
_chunk = msgspec.json.Decoder(_Chunk).decode
_content = msgspec.json.Decoder(_Content).decode


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body, for `http_status(message.error)`."""
    frames: list[bytes] = []
    encoder = GeminiEncoder(frames.append, context, losses)
    for event in unfold(error_alone(message, losses) if failed(message) else message):
        encoder.feed(event)
    body: dict[str, Any] = {}
    candidates: dict[bytes, _Raws] = {}
    parts: dict[bytes, list[msgspec.Raw]] = {}
    for frame in frames:
        members = _members(frame[_PREFIX:])
        if "error" in members:
            return frame[_PREFIX:].strip()
        body |= members
        for candidate in _chunk(frame[_PREFIX:]).candidates:
            index = bytes(candidate["index"])
            held = candidates.setdefault(index, {})
            candidates[index] = held | candidate | _cited(held, candidate)
            if "content" in candidate:
                parts.setdefault(index, []).extend(_content(candidate["content"]).parts)
    if candidates:
        body["candidates"] = [{**members, **_said(parts.get(index))} for index, members in candidates.items()]
    return jsontext.line(body)


def _cited(held: _Raws, more: _Raws) -> _Raws:
    """Each chunk has its own citations, the whole has them all."""
    if _CITED not in held or _CITED not in more:
        return {}
    lists: list[Any] = [msgspec.json.decode(each[_CITED]).get("citations", []) for each in (held, more)]
    return {_CITED: msgspec.Raw(jsontext.line({"citations": [*lists[0], *lists[1]]}))}


def _said(parts: list[msgspec.Raw] | None) -> dict[str, Any]:
    """The parts that say something; the finish of a stream comes with one that does not."""
    if parts is None:
        return {}
    return {"content": {"role": "model", "parts": [part for part in parts if bytes(part) != _NOTHING]}}
