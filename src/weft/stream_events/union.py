"""The closed union of Stream Event v1: five events, with the names and the members of its contract.

Knows: the shapes, and how they go to JSON and back. Must not know: sources.
"""

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from weft import jsontext

Channel = Literal["json", "text"]
"""Whatever a provider calls its channels, these two are what is said."""


class _StreamEvent(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, rename="camel", tag_field="type"):
    """What the five share: a `type`, which is also the tag in their JSON."""

    type: ClassVar[str]


class StreamContentEvent(_StreamEvent, frozen=True, kw_only=True, tag="content"):
    """A piece of what is there to be seen."""

    type: ClassVar[str] = "content"
    channel: Channel | None = None
    text: str


class StreamToolCallEvent(_StreamEvent, frozen=True, kw_only=True, tag="tool_call"):
    """A call of a tool: all of it, or (`is_delta`) a piece whose arguments are appended to what came under its index."""

    type: ClassVar[str] = "tool_call"
    index: Annotated[int, msgspec.Meta(ge=0)]
    id: str | None = None
    name: str | None = None
    arguments: Any
    is_delta: bool


class StreamReturnEvent(_StreamEvent, frozen=True, kw_only=True, tag="return"):
    """What a tool gave back."""

    type: ClassVar[str] = "return"
    channel: Channel | None = None
    name: str | None = None
    result: Any


class StreamErrorEvent(_StreamEvent, frozen=True, kw_only=True, tag="error"):
    """What went wrong, as a short code; `done` follows."""

    type: ClassVar[str] = "error"
    code: str
    detail: str | None = None


class StreamDoneEvent(_StreamEvent, frozen=True, kw_only=True, tag="done"):
    """The stream is over. Always there, once, and last."""

    type: ClassVar[str] = "done"


StreamEventV1 = StreamContentEvent | StreamToolCallEvent | StreamReturnEvent | StreamDoneEvent | StreamErrorEvent
STREAM_EVENTS: tuple[type[_StreamEvent], ...] = StreamEventV1.__args__

_decoder: msgspec.json.Decoder[StreamEventV1] = msgspec.json.Decoder(StreamEventV1)


def to_json(event: StreamEventV1) -> bytes:
    """One event as one line of JSON, without the line end."""
    return jsontext.line(event)


def from_json(line: bytes | str) -> StreamEventV1:
    """The event that a line says. Raises ValueError on anything else."""
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return from_data(jsontext.decode(line))


def from_data(value: Any) -> StreamEventV1:
    """The event that decoded JSON says; an event as it is. Raises ValueError on anything else."""
    if isinstance(value, STREAM_EVENTS):
        return value  # pyright: ignore[reportReturnType] - they are the members of the union
    try:
        return msgspec.convert(value, StreamEventV1)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(f"this is no event of Stream Event v1: {error}") from error
