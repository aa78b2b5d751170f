"""The request of a chat route of the AI SDK: so far, the assistant's message in it.

Knows: that the message which a page keeps is the one that it sends with the next request. Must not know: chunks, which the encoder writes
and reply.py reads.
"""

from typing import Any, ClassVar, Final

from weft import events as ev
from weft.context import Context
from weft.losses import Losses
from weft.message import AnyPart, Text, ToolCall, ToolResult
from weft.protocols.ai_sdk_ui.encode import UIStreamEncoder
from weft.protocols.ai_sdk_ui.reply import kept
from weft.turn_writer import Turn, TurnWriter
from weft.unfold import opening

_OF_A_STREAM: Final = frozenset({"meta", "usage", "usage_early", "finish", "finish_other", "error_detail", "logprobs"})
"""What is lost of a message as a whole, or said of a stream, is no part of a turn."""


class UITurn(TurnWriter):
    """One UIMessage. It keeps the state of any origin, since a page only hands it through, and a call holds its result."""

    protocol: ClassVar = "ai-sdk-ui"

    def __init__(self, turn: Turn, losses: Losses) -> None:
        super().__init__(turn, losses)
        self._parts: list[AnyPart] = []
        self._calls: set[str] = set()

    def feed(self, part: AnyPart) -> None:
        """Calls that are not whole go by the caller's policy; anything else is said as its stream says it."""
        if isinstance(part, ToolCall) and not part.complete:
            self._call(part)
        elif isinstance(part, ToolResult) and part.call_id not in self._calls:
            self.lose("tool_result", part, "its call is not sent: left out")
        elif not isinstance(part, Text) or part.text or part.signatures or part.annotations:
            self._take(part)

    def items(self) -> list[dict[str, Any]]:
        """A message without parts says nothing."""
        frames: list[bytes] = []
        losses = Losses()
        encoder = UIStreamEncoder(frames.append, Context(include_usage=False), losses)
        encoder.feed(ev.Start(self.turn.id))
        step = -1
        for part in self._parts:
            if part.step != step:
                step = part.step
                encoder.feed(ev.StepStart(step))
            for event in opening(part):
                encoder.feed(event)
            encoder.feed(ev.BlockEnd(part.index, complete=True))
        encoder.feed(ev.End("completed"))
        for loss in losses.report():
            if loss.what not in _OF_A_STREAM:
                self._losses.add(loss.what, loss.why, loss.where)
        message = kept(b"".join(frames))
        return [message] if any(part["type"] != "step-start" for part in message["parts"]) else []

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        """A call that is not whole, to be answered with an error."""
        self._take(ToolCall(index=part.index, step=part.step, id=part.id, name=part.name, raw=raw, complete=True))

    def _take(self, part: AnyPart) -> None:
        self._parts.append(part)
        if isinstance(part, ToolCall):
            self._calls.add(part.id)
            if part.executor == "client":
                self.call_ids[part.id] = part.id
        elif isinstance(part, ToolResult):
            self.call_ids.pop(part.call_id or "", None)
