"""A message as a target's whole reply: what a client gets that asked for no stream.

Knows: that the body comes with a report. Must not know: any target.
"""

import msgspec

from weft.context import Context
from weft.losses import Loss, Losses
from weft.message import Message
from weft.protocol import ProtocolSpec, resolve


class Reply(msgspec.Struct, frozen=True):
    """A body, and what it could not say. That of a message that failed is the error body, for `errors.http_status(message.error)`."""

    body: bytes
    losses: list[Loss]


def reply(message: Message, target: str | ProtocolSpec, *, context: Context | None = None) -> Reply:
    """The message in the words of a target, whole."""
    spec, _ = resolve(target)
    if spec.reply is None:
        raise ValueError(f"{spec.name!r} has no whole replies; `weft protocols` lists the targets")
    losses = Losses()
    body = spec.reply(message, context or Context(), losses)
    return Reply(body, losses.report())
