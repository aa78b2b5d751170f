"""Only the visible text, as bytes: a target for people and for pipes of the shell.

Knows: which blocks are visible. Must not know: other protocols.
"""

from typing import ClassVar

from weft import events as ev
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.losses import Losses
from weft.message import Message
from weft.protocol import ProtocolSpec
from weft.unfold import first_choice, lost

_ONLY_TEXT = "only visible text is written"


class TextEncoder(Encoder):
    """Text as it comes. A failure leaves no trace here: the outcome and, on the command line, stderr tell of it."""

    drops: ClassVar = {
        ev.Start: "",
        ev.Meta: "meta",
        ev.Note: "",
        ev.ReasoningDelta: "reasoning",
        ev.ArgsDelta: "",
        ev.Signature: "signature",
        ev.Annotation: "annotation",
        ev.File: "file",
        ev.Result: "tool_result",
        ev.Opaque: "opaque",
        ev.BlockEnd: "",
        ev.StepStart: "",
        ev.StepEnd: "",
        ev.Usage: "usage",
        ev.Unknown: "unknown",
    }
    loses: ClassVar = dict.fromkeys(
        ("meta", "reasoning", "signature", "annotation", "file", "tool_result", "opaque", "usage", "unknown", "tool_call",
         "refusal", "logprobs", "finish", "error_detail"), _ONLY_TEXT,
    )  # fmt: skip
    sequential: ClassVar = True

    def handlers(self) -> dict[type[ev.Event], Handler]:
        """Text and refusals are visible; a call is named as lost."""
        return {
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.End: self._end,
        }

    def _block_start(self, event: ev.BlockStart) -> None:
        if event.kind in ("tool_call", "refusal"):
            self.lose(event.kind, place_of(event))

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        self._write(event.text.encode("utf-8", "replace"))

    def _end(self, event: ev.End) -> None:
        if event.error is not None:
            self.lose("error_detail")
        elif any(finish.reason not in ("stop", None) for finish in event.finishes):
            self.lose("finish")


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The visible text of the whole message."""
    lost(TextEncoder, first_choice(message, losses), context, losses)
    return (message.text + message.refusal).encode("utf-8", "replace")


PROTOCOL = ProtocolSpec(name="text", title="Only the visible text", framing="text", encoder=TextEncoder, reply=reply)
