"""Reads Bedrock's ConverseStream and says what it says, in verbs.

Knows: this wire. Must not know: events, blocks, other protocols; how binary frames are taken apart.
Blocks are keyed by the source's own index; what comes without one belongs to the block that is under way.
Text and reasoning are mostly not announced, so their first delta opens them.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.errors import error_from_body
from weft.protocol import Dialect
from weft.protocols.bedrock import whole
from weft.protocols.bedrock.content import cite
from weft.protocols.bedrock.held import Held
from weft.protocols.bedrock.usage import counts
from weft.protocols.bedrock.wire import (
    EVENTS,
    Chunk,
    ContentBlockDelta,
    ContentBlockStart,
    ContentBlockStop,
    Delta,
    MessageStart,
    MessageStop,
    Metadata,
    Unnamed,
)


class ConverseDecoder:
    """One stream, or one whole reply."""

    wire: ClassVar[Any] = Unnamed
    wires: ClassVar[Mapping[str, Any]] = EVENTS

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out
        self._held = Held()
        self._unnumbered = 0
        self._spoken = self._next()
        self._stopped = False
        self._counted = False
        self._on: dict[str, Callable[[Any], None]] = {
            "": self._unnamed,
            "messageStart": self._message_start,
            "contentBlockStart": self._block_start,
            "contentBlockDelta": self._block_delta,
            "contentBlockStop": self._block_stop,
            "messageStop": self._message_stop,
            "metadata": self._metadata,
            "chunk": self._chunk,
        }

    def feed(self, message: Any, name: str) -> None:
        """One event, told by the name of its frame, or a whole reply."""
        take = self._on.get(name)
        if take is not None:
            take(message)
        else:
            self._unlisted(name)

    def close(self) -> None:
        """The stream is over, though metadata may never have come."""
        self._held.say_all(self.out)
        if self._stopped:
            self.out.sign("terminal")

    # -- blocks --------------------------------------------------------------------------------------------------

    def _message_start(self, message: MessageStart) -> None:
        """It says who speaks and nothing else."""

    def _block_start(self, event: ContentBlockStart) -> None:
        """A call, a result or an image is announced; an empty start is of a block whose deltas will tell."""
        start = event.start
        if start is None:
            return
        index = self._spoken = self._next() if event.content_block_index is None else event.content_block_index
        if start.tool_use is not None:
            use = start.tool_use
            executor = "provider" if use.type == whole.SERVER_TOOL else "client"
            self.out.open("tool_call", index, id=use.tool_use_id, name=use.name, executor=executor)
        elif start.tool_result is not None:
            result = start.tool_result
            self.out.open(
                "tool_result", index, id=result.tool_use_id, name=result.type, arrival="whole", executor="provider"
            )
            self._held.result(index, result, [])
        elif start.image is not None:
            self.out.open("file", index, arrival="whole")
            self._held.image(index, start.image)

    def _block_delta(self, event: ContentBlockDelta) -> None:
        delta, index = event.delta, event.content_block_index
        if delta is None:
            return
        if index is None:
            index = self._spoken
        if delta.text:
            self.out.text(delta.text, 0, index)
        elif delta.tool_use is not None:
            args = delta.tool_use.input
            self.out.args(args if type(args) is str else jsontext.written(args), index)
        else:
            self._rare_delta(delta, index)

    def _rare_delta(self, delta: Delta, index: Hashable) -> None:
        if delta.reasoning_content is not None:
            reasoning = delta.reasoning_content
            self.out.reasoning(reasoning.text or "", 0, index)
            self.out.signature(reasoning.signature or "", 0, index)
            if piece := reasoning.redacted_content or reasoning.data:
                self._held.redacted(index, piece)
        elif delta.citation is not None:
            cite(self.out, index, delta.citation)
        elif delta.tool_result is not None:
            self._held.result(index, None, delta.tool_result)
        elif delta.image is not None:
            self._held.image(index, delta.image)
        elif delta.text is None:
            self.out.unknown(self.out.place.frame(), "contentBlockDelta")

    def _block_stop(self, event: ContentBlockStop) -> None:
        index = self._spoken if event.content_block_index is None else event.content_block_index
        self._held.say(self.out, index)
        self.out.end(index)
        self._spoken = self._next()

    def _next(self) -> Hashable:
        """The key of a block that is given no index: absent is not 0."""
        self._unnumbered += 1
        return ("block", self._unnumbered)

    # -- the end -------------------------------------------------------------------------------------------------

    def _message_stop(self, event: MessageStop) -> None:
        self._held.say_all(self.out)
        self._beside(event.additional_model_response_fields)
        self.out.finish(event.stop_reason)
        self._stopped = True
        self._sign()

    def _metadata(self, event: Metadata) -> None:
        out = self.out
        out.meta("metrics", event.metrics)
        out.meta("trace", event.trace)
        out.meta("performance_config", event.performance_config)
        out.meta("service_tier", event.service_tier.type if event.service_tier is not None else None)
        if event.usage is not None:
            values, sources = counts(event.usage)
            out.usage(values, sources, msgspec.to_builtins(event.usage))
        self._counted = True
        self._sign()

    def _sign(self) -> None:
        """What comes last is over: messageStop and metadata come in either order."""
        if self._stopped and self._counted:
            self.out.sign("terminal")

    def _beside(self, fields: Any) -> None:
        """What the request asked of the model's own reply."""
        self.out.meta("additional_model_response_fields", fields)
        if jsontext.is_object(fields):
            delta = fields.get("delta")
            stop = delta.get("stop_sequence") if jsontext.is_object(delta) else fields.get("/stop_sequence")
            self.out.meta("stop_sequence", stop)

    # -- what has no name of an event, or not its own -------------------------------------------------------------

    def _chunk(self, chunk: Chunk) -> None:
        """Nova's stream by way of InvokeModel."""
        if chunk.wrapped is not None:
            self.out.place.inner(chunk.wrapped, "")

    def _unnamed(self, frame: Unnamed) -> None:
        """A whole reply, or an event that a recorder wrote down as boto3 hands it out."""
        if frame.output is not None or frame.stop_reason is not None:
            if frame.output is not None and frame.output.message is not None:
                whole.say(self.out, frame.output.message.content or [])
            self._message_stop(MessageStop(frame.stop_reason, frame.additional_model_response_fields))
            self._metadata(frame)
            return
        known = False
        for name, event in (
            ("messageStart", frame.message_start),
            ("contentBlockStart", frame.content_block_start),
            ("contentBlockDelta", frame.content_block_delta),
            ("contentBlockStop", frame.content_block_stop),
            ("messageStop", frame.message_stop),
            ("metadata", frame.metadata),
        ):
            if event is not None:
                known = True
                self._on[name](event)
        if not known:
            self.out.unknown(self.out.place.frame())

    def _unlisted(self, name: str) -> None:
        """A failure that the framing names, or an event of tomorrow."""
        frame = self.out.place.frame()
        _, failed, code = name.partition(":")
        if failed:
            self.out.fail(error_from_body({"__type": code, **jsontext.read_object(frame)}))
        else:
            self.out.unknown(frame, name)
