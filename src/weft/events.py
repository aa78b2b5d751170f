"""The pivot: the closed union of events that every source becomes and every target is made from.

Knows: the shape of our own events and how they go to JSON and back.
Must not know: any provider's wire, how events come about (assembler) or what they are turned into (encoders).

Blocks are named by a small integer `index`; ids live on `BlockStart` alone, so that a delta costs what it weighs.
`gc=False` is safe because no event can be part of a reference cycle.
"""

from typing import Annotated, Any, ClassVar, Literal

import msgspec

from weft.errors import Error

BlockKind = Literal["text", "reasoning", "refusal", "tool_call", "tool_result", "file", "opaque"]
FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "pause", "error", "other"]
Outcome = Literal["completed", "incomplete", "failed", "truncated"]
Arrival = Literal["delta", "whole"]
Executor = Literal["client", "provider"]
ReasoningForm = Literal["raw", "summary", "encrypted"]
UsageSource = Literal["reported", "derived", "estimated"]


ChoiceNumber = Annotated[int, msgspec.Meta(ge=0, lt=128)]
"""The number of one of several answers; a wire that says another is not believed."""


class Origin(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Who made a piece of opaque state. It may be replayed to the same origin only."""

    protocol: str
    provider: str | None = None
    model: str | None = None
    item: str | None = None


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type"):
    """What all events share: a `type`, which is also the tag in their JSON."""

    type: ClassVar[str] = "event"


class Start(Event, frozen=True, tag="start"):
    """The message begins. Comes once; only notes and unknown frames may precede it. `made` says that Weft made the id."""

    type: ClassVar[str] = "start"
    id: str
    model: str | None = None
    provider: str | None = None
    created: int | float | None = None
    made: bool = False


class Meta(Event, frozen=True, tag="meta"):
    """A fact about the whole message, which may come at any time: serving provider, tier, grounding, a model name that came late."""

    type: ClassVar[str] = "meta"
    name: str
    value: Any = None


class Note(Event, frozen=True, tag="note"):
    """An irregularity that did not end the stream: what it was, and at which byte of the input."""

    type: ClassVar[str] = "note"
    code: str
    message: str
    offset: int | None = None


class BlockStart(Event, frozen=True, tag="block-start"):
    """A block opens. Blocks of one wire item share `item`; `made` says that Weft made the id."""

    type: ClassVar[str] = "block-start"
    index: int
    kind: BlockKind
    choice: ChoiceNumber = 0
    item: int = 0
    item_id: str | None = None
    step: int = 0
    id: str | None = None
    name: str | None = None
    channel: str | None = None
    arrival: Arrival = "delta"
    executor: Executor = "client"
    tool: str = "function"
    made: bool = False


class TextDelta(Event, frozen=True, tag="text-delta"):
    """A piece of visible text. `logprobs` has what the source says of its tokens; chat.completions gives one entry per token."""

    type: ClassVar[str] = "text-delta"
    index: int
    text: str
    logprobs: Any = None


class ReasoningDelta(Event, frozen=True, tag="reasoning-delta"):
    """A piece of reasoning. A block is one item of reasoning; `part` numbers its summary or content parts."""

    type: ClassVar[str] = "reasoning-delta"
    index: int
    text: str
    part: int = 0
    form: ReasoningForm = "raw"


class RefusalDelta(Event, frozen=True, tag="refusal-delta"):
    """A piece of a refusal, for sources that keep refusals apart from the text."""

    type: ClassVar[str] = "refusal-delta"
    index: int
    text: str
    logprobs: Any = None


class ArgsDelta(Event, frozen=True, tag="args-delta"):
    """A piece of a tool call's arguments, in the source's own text: it is never re-serialised."""

    type: ClassVar[str] = "args-delta"
    index: int
    text: str


class Signature(Event, frozen=True, tag="signature"):
    """Opaque state that must go back to its origin with this block. A later signature of the same part replaces the earlier one.

    `encrypted` tells content that only its origin can read from a mere proof of content. `format` is the source's own name for its kind.
    """

    type: ClassVar[str] = "signature"
    index: int
    value: str
    origin: Origin
    part: int | None = None
    format: str | None = None
    encrypted: bool = False


class Annotation(Event, frozen=True, tag="annotation"):
    """A citation or source of a block. `start` and `end` are character offsets in the block's text, if the source gives them."""

    type: ClassVar[str] = "annotation"
    index: int
    kind: str
    start: int | None = None
    end: int | None = None
    url: str | None = None
    title: str | None = None
    text: str | None = None
    raw: Any = None


class File(Event, frozen=True, tag="file"):
    """A file or a piece of one: base64 `data`, or a reference by `url` or `file_id`. `partial` marks a preview, which a later `file` replaces."""

    type: ClassVar[str] = "file"
    index: int
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    name: str | None = None
    partial: bool = False


class Result(Event, frozen=True, tag="result"):
    """The result of a tool that the provider ran: the id of the call, and the content as the source sent it."""

    type: ClassVar[str] = "result"
    index: int
    call_id: str | None = None
    content: Any = None
    is_error: bool = False


class Opaque(Event, frozen=True, tag="opaque"):
    """A provider's own item, verbatim. Targets of the same protocol get it unchanged; other targets report it as lost."""

    type: ClassVar[str] = "opaque"
    index: int
    raw: Any
    origin: Origin


class BlockEnd(Event, frozen=True, tag="block-end"):
    """A block ends. `complete` means that the protocol itself ended it and, for a tool call, that the arguments are empty or parse to an object."""

    type: ClassVar[str] = "block-end"
    index: int
    complete: bool


class StepStart(Event, frozen=True, tag="step-start"):
    """One of the model calls of an agent run begins (AI SDK)."""

    type: ClassVar[str] = "step-start"
    step: int


class Usage(Event, frozen=True, tag="usage"):
    """The token counts so far. None means that the source gave no number. `sources` says where each number comes from."""

    type: ClassVar[str] = "usage"
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    sources: dict[str, UsageSource] = {}
    raw: Any = None

    @property
    def sums(self) -> bool:
        """Is the total the sum of input and output, and so said where these are?"""
        return self.total_tokens in (None, (self.input_tokens or 0) + (self.output_tokens or 0))

    @property
    def source(self) -> UsageSource | None:
        """The weakest of the sources: a bill is as good as its worst number."""
        values = self.sources.values()
        return next((s for s in ("estimated", "derived", "reported") if s in values), None)


class StepEnd(Event, frozen=True, tag="step-end"):
    """A step ends, with its own finish and usage."""

    type: ClassVar[str] = "step-end"
    step: int
    finish: FinishReason | None = None
    finish_raw: str | None = None
    usage: Usage | None = None


class Unknown(Event, frozen=True, tag="unknown"):
    """A frame that this version does not know, unchanged. `name` is its event name in the framing, `protocol` the protocol it belongs to."""

    type: ClassVar[str] = "unknown"
    raw: Any
    name: str = ""
    offset: int | None = None
    protocol: str = ""


class Finish(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """How one choice ended: our word for it, and the provider's."""

    choice: ChoiceNumber = 0
    reason: FinishReason | None = None
    raw: str | None = None


class End(Event, frozen=True, tag="end"):
    """The stream is over. Every stream has exactly one `end`, as its last event."""

    type: ClassVar[str] = "end"
    outcome: Outcome
    finishes: tuple[Finish, ...] = ()
    usage: Usage | None = None
    error: Error | None = None


AnyEvent = (
    Start
    | Meta
    | Note
    | BlockStart
    | TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ArgsDelta
    | Signature
    | Annotation
    | File
    | Result
    | Opaque
    | BlockEnd
    | StepStart
    | StepEnd
    | Usage
    | Unknown
    | End
)
EVENTS: tuple[type[Event], ...] = AnyEvent.__args__

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def to_json(event: Event) -> bytes:
    """One event as one line of JSON, without the line end."""
    return _encoder.encode(event)


def from_json(line: bytes | str) -> AnyEvent:
    """The event that `to_json` wrote. Raises `msgspec.DecodeError` on anything else: this is our format, not a wire."""
    return _decoder.decode(line)
