"""The whole reply: the response object with which a stream of the same message ends.

Knows: that the two are the same. Must not know: what a response looks like; the encoder does.
"""

import msgspec

from weft import jsontext
from weft.context import Context
from weft.errors import http_status
from weft.losses import Losses
from weft.message import Message
from weft.protocols.openai_responses.encode import ResponsesEncoder
from weft.protocols.openai_responses.response import error
from weft.unfold import first_choice, unfold


class _Last(msgspec.Struct):
    response: msgspec.Raw


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body, for `http_status(message.error)`."""
    if message.error is not None and (message.outcome in ("failed", "truncated") or message.error.type == "cancelled"):
        fault = message.error
        body = {**error(fault), "type": _type(http_status(fault)), "param": fault.parameter}
        return jsontext.line({"error": body})
    frames: list[bytes] = []
    encoder = ResponsesEncoder(frames.append, context, losses)

    for event in unfold(first_choice(message, losses)):
        encoder.feed(event)
    last = frames[-1].partition(b"data: ")[2]
    return bytes(msgspec.json.decode(last, type=_Last).response)


def _type(status: int) -> str:
    return "invalid_request_error" if status < 500 else "server_error"
