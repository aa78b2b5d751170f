"""The whole reply: the response object with which a stream of the same message ends.

Knows: that the two are the same. Must not know: what a response looks like; the encoder does.
"""

from typing import Any

import msgspec

from weft import jsontext
from weft.context import Context
from weft.errors import Error, http_status, says_all
from weft.losses import Losses
from weft.message import Message
from weft.protocols.openai_responses.encode import ResponsesEncoder
from weft.protocols.openai_responses.response import UNSPECIFIC, error
from weft.unfold import error_alone, failed, first_choice, unfold


class _Last(msgspec.Struct):
    response: msgspec.Raw


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body, for `http_status(message.error)`."""
    if failed(message) and message.error is not None:
        error_alone(message, losses)
        body = {"error": _error(message.error)}
        if not says_all(body, message.error):
            losses.add("error_detail", ResponsesEncoder.loses["error_detail"])
        return jsontext.line(body)
    frames: list[bytes] = []
    encoder = ResponsesEncoder(frames.append, context, losses)

    for event in unfold(first_choice(message, losses)):
        encoder.feed(event)
    last = frames[-1].partition(b"data: ")[2]
    return bytes(msgspec.json.decode(last, type=_Last).response)


def _error(fault: Error) -> dict[str, Any]:
    """The error of an HTTP body, whose codes are free: it has the provider's own where none is known that clients act on."""
    said = error(fault)
    code = fault.code if said["code"] in UNSPECIFIC and not fault.code.isdigit() else said["code"]
    kind = "invalid_request_error" if http_status(fault) < 500 else "server_error"
    return {"message": said["message"], "type": kind, "param": fault.parameter, "code": code}
