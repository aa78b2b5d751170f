"""Reads Anthropic Messages and says what it says, in verbs.

Knows: the events of this wire, and how hosts wrap them. Must not know: our events, numbers, other protocols.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.errors import error_from_body, make_error
from weft.protocols.anthropic import families, guests, source
from weft.protocols.anthropic.content import UNNUMBERED, Content, is_block
from weft.protocols.anthropic.dialects import BEDROCK, AnthropicDialect, provider_of
from weft.protocols.anthropic.usage import Counter
from weft.protocols.anthropic.wire import DeltaEvent, Event, Message

_METAS: Final = ("stop_sequence", "stop_details", "container")
_MESSAGE_METAS: Final = (*_METAS, "context_management", "input_transformations", "diagnostics")


class AnthropicDecoder:
    """One stream. Made with the assembler (or a filter before it) and the dialect's row."""

    wire: ClassVar[Any] = Event
    usual: ClassVar = {"content_block_delta": DeltaEvent}

    def __init__(self, out: Assembler, dialect: AnthropicDialect) -> None:
        self.out = out
        self._provider = dialect.provider
        self._content = Content()
        # The block that the last delta was of, by what it was: more of the same goes straight on.
        self._text: int | None = UNNUMBERED
        self._thought: int | None = UNNUMBERED
        self._args: int | None = UNNUMBERED
        self._usage = Counter()
        self._id: str | None = None
        self._begun = False
        self._stopped = False
        self._visit: guests.Visit | None = None

    def feed(self, event: Event, name: str) -> None:
        """One event, a whole reply, or whatever came in their place."""
        delta = event.delta
        if delta is not None:
            index = event.index
            if index == self._text and (text := delta.text) and delta.type == "text_delta":
                self.out.text(text, 0, index)
                return
            if index == self._thought and (text := delta.thinking) and delta.signature is None:
                self.out.reasoning(text, 0, index)
                return
            if index == self._args and (text := delta.partial_json):
                self.out.args(text, index)
                return
        take = _FRAMES.get(event.type or name)
        if take is not None:
            take(self, event)
        else:
            self._odd(event, name)
        self._remember(event)

    def _remember(self, event: Event) -> None:
        """After a delta of a block: more of the same need not be looked at."""
        state = self._content.open.get(event.index) if event.type == "content_block_delta" else None
        self._text = event.index if state == "text" else UNNUMBERED
        self._thought = event.index if state == "reasoning" else UNNUMBERED
        self._args = event.index if state == "args" else UNNUMBERED

    def close(self) -> None:
        """Say what was held back of blocks that were never ended."""
        self._content.settle(self.out)

    # -- the message ---------------------------------------------------------------------------------------------

    def message_start(self, event: Event) -> None:
        """The message begins, perhaps with content. One that is begun already may be announced again, but not another."""
        message = event.message if isinstance(event.message, Message) else Message()
        if not self._begun:
            self._begin(message)
        elif self._stopped:
            self.out.note("message_after_end", "another message began after the end of the first")
        elif message.id is None or self._id is None or _id(message) == self._id:
            self.out.note("message_repeated", "message_start came again")
        else:
            text = f"message {message.id!r} began inside message {self._id!r}"
            self.out.fail(make_error("protocol", text, code="spliced_stream"))

    def message_delta(self, event: Event) -> None:
        """Facts of the message that are known at its end: why it ended, what it cost."""
        for name in _METAS if event.delta is not None else ():
            self.out.meta(name, getattr(event.delta, name))
        if event.context_management:
            self.out.meta("context_management", event.context_management)
        if event.input_transformations:
            self.out.meta("input_transformations", event.input_transformations)
        self._count(event)
        if event.delta is not None:
            self.out.finish(event.delta.stop_reason)

    def message_stop(self, event: Event) -> None:
        """The message is over."""
        self._content.settle(self.out)
        self._hosted(event)
        self._stopped = True
        self.out.sign("terminal")

    def whole(self, event: Event) -> None:
        """A whole reply."""
        self._begin(event)
        self.message_stop(event)

    def _begin(self, message: Message) -> None:
        self._begun, self._id = True, _id(message)
        self._provider = self._provider or provider_of(self._id)
        self.out.start(self._id, message.model, message.provider or self._provider)
        for name in _MESSAGE_METAS:
            if value := getattr(message, name):
                self.out.meta(name, value)
        self._content.whole(self.out, message.content or [])
        self._count(message)
        self.out.finish(message.stop_reason)

    def _count(self, message: Message) -> None:
        if message.usage is not None:
            self.out.usage(*self._usage.add(message.usage))

    # -- blocks --------------------------------------------------------------------------------------------------

    def block_start(self, event: Event) -> None:
        """A block begins."""
        block = event.content_block
        if block is not None:
            self._content.start(self.out, _key(event), block, source.started(self.out.place.frame(), block))

    def block_delta(self, event: Event) -> None:
        """A piece of a block."""
        delta = event.delta
        if delta is not None and not self._content.delta(self.out, _key(event), delta):
            self.out.unknown(self.out.place.frame(), event.type)

    def block_stop(self, event: Event) -> None:
        """A block is over."""
        self._content.stop(self.out, _key(event))

    # -- everything else -----------------------------------------------------------------------------------------

    def ignore(self, event: Event) -> None:
        """A keep-alive, or what the vendor's SDK says a second time."""

    def error(self, event: Event) -> None:
        """The provider failed; it may say so in anybody's words."""
        self.out.fail(error_from_body(_value(self.out.place.frame())))

    def _odd(self, event: Event, name: str) -> None:
        """A frame that is no event: a host's envelope or fault, a block in an event's place, another family's words."""
        out = self.out
        if event.wrapped is not None:
            self._provider = self._provider or BEDROCK.provider
            if self._visit is not None:
                self._visit(event.wrapped)
            else:
                out.place.inner(event.wrapped, "")
        elif name.startswith(("exception:", "error:")):
            value = _value(out.place.frame())
            out.fail(
                error_from_body({"__type": name.partition(":")[2], **(value if jsontext.is_object(value) else {})})
            )
        elif name == "error":
            self.error(event)
        elif event.snapshot is not None:
            return
        elif is_block(event.type):
            out.place.inner(b'{"type":"content_block_start","content_block":' + out.place.frame() + b"}", name)
            self._content.stop(self.out, UNNUMBERED)
        elif (family := families.find(value := _value(out.place.frame()))) is not None:
            out.start(_id(event), event.model, self._provider)
            self._hosted(event)
            families.say(out, family, value)
        elif event.invocation_metrics is not None:
            self._hosted(event)
        elif self._provider == BEDROCK.provider and not self._begun and (protocol := guests.find(value)):
            self._visit = guests.received(out, protocol)
            self._visit(out.place.frame())
        elif event.content is not None and event.stop_reason is not None and not event.type:
            self.whole(event)  # of a proxy that does not say what it is
        else:
            out.unknown(out.place.frame(), name)

    def _hosted(self, event: Event) -> None:
        """What Bedrock puts beside the last event."""
        self.out.meta("invocation_metrics", event.invocation_metrics)
        self.out.meta("guardrail_action", event.guardrail_action)


def _id(message: Message) -> str | None:
    return None if message.id is None else str(message.id)


def _key(event: Event) -> int:
    return UNNUMBERED if event.index is None else event.index


def _value(frame: bytes) -> Any:
    try:
        return jsontext.decode(frame)
    except ValueError:
        return None


def framed(value: Any) -> tuple[bytes, str] | None:
    """The frame that an object of boto3's event stream stands for, whose payload is bytes."""
    chunk = value.get("chunk") if jsontext.is_object(value) else None
    if not jsontext.is_object(chunk) or "bytes" not in chunk:
        return None
    return msgspec.json.encode(chunk, enc_hook=str), "chunk"


_FRAMES: Final[Mapping[str, Callable[[AnthropicDecoder, Event], None]]] = {
    "message_start": AnthropicDecoder.message_start,
    "content_block_start": AnthropicDecoder.block_start,
    "content_block_delta": AnthropicDecoder.block_delta,
    "content_block_stop": AnthropicDecoder.block_stop,
    "message_delta": AnthropicDecoder.message_delta,
    "message_stop": AnthropicDecoder.message_stop,
    "message": AnthropicDecoder.whole,
    "error": AnthropicDecoder.error,
    "ping": AnthropicDecoder.ignore,
    "signature": AnthropicDecoder.ignore,
}
