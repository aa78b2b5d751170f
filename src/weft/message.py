"""The assembled message: a fold over the events, and the assistant's turn of a later request.

Knows: the shape of a whole answer, as its parts in true order.
Must not know: wires, or how the events came about.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from weft import jsontext
from weft.errors import Error
from weft.events import (
    Annotation,
    ArgsDelta,
    BlockEnd,
    BlockKind,
    BlockStart,
    End,
    Event,
    Executor,
    File,
    FinishReason,
    Meta,
    Note,
    Opaque,
    Outcome,
    ReasoningDelta,
    ReasoningForm,
    RefusalDelta,
    Result,
    Signature,
    Start,
    StepEnd,
    TextDelta,
    Unknown,
    Usage,
)


class Part(msgspec.Struct, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What all parts of a message share. `complete` is false for what was cut off."""

    index: int
    choice: int = 0
    item: int = 0
    item_id: str | None = None
    step: int = 0
    channel: str | None = None
    complete: bool = False
    signatures: list[Signature] = []
    annotations: list[Annotation] = []
    opaque: Opaque | None = None


class Text(Part, tag="text"):
    """Visible text with its citations."""

    text: str = ""
    logprobs: list[Any] = []


class ReasoningPiece(msgspec.Struct, omit_defaults=True):
    """One summary or content part of a reasoning item."""

    text: str
    part: int = 0
    form: ReasoningForm = "raw"


class Reasoning(Part, tag="reasoning"):
    """One item of reasoning: its parts, and (in `signatures`) what its origin wants back."""

    pieces: list[ReasoningPiece] = []

    @property
    def text(self) -> str:
        """The readable parts; what is encrypted is not text."""
        return "\n\n".join(piece.text for piece in self.pieces if piece.form != "encrypted")


class Refusal(Part, tag="refusal"):
    """Why the model would not."""

    text: str = ""
    logprobs: list[Any] = []


class ToolCall(Part, tag="tool_call"):
    """A call. `complete` means: safe to execute. `arguments` is the decoded object then, `raw` its text as it came.

    The input of a custom tool is no JSON: its `arguments` are `{"input": raw}`, as they are where it is offered as a function.
    """

    id: str = ""
    name: str = ""
    arguments: dict[str, Any] | None = None
    raw: str = ""
    executor: Executor = "client"
    tool: str = "function"
    made_id: bool = False
    files: list[File] = []


class ToolResult(Part, tag="tool_result"):
    """What a provider-executed tool gave back."""

    call_id: str | None = None
    name: str | None = None
    content: Any = None
    is_error: bool = False
    executor: Executor = "provider"
    files: list[File] = []


class FilePart(Part, tag="file"):
    """A file in base64, or a reference to one."""

    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None
    name: str | None = None


class OpaquePart(Part, tag="opaque"):
    """A provider's own item, in `opaque`."""

    name: str | None = None


AnyPart = Text | Reasoning | Refusal | ToolCall | ToolResult | FilePart | OpaquePart


class Choice(msgspec.Struct, omit_defaults=True):
    """One of several answers to the same question."""

    blocks: list[AnyPart] = []
    finish: FinishReason | None = None
    finish_raw: str | None = None

    @property
    def parts(self) -> list[AnyPart]:
        """The blocks, as the parts of a turn."""
        return self.blocks

    @property
    def text(self) -> str:
        """All visible text, in order."""
        return "".join(part.text for part in self.blocks if isinstance(part, Text))

    @property
    def reasoning(self) -> str:
        """All readable reasoning, in order; items are set apart by a blank line."""
        return "\n\n".join(part.text for part in self.blocks if isinstance(part, Reasoning) and part.text)

    @property
    def refusal(self) -> str:
        """The refusal, or an empty string."""
        return "".join(part.text for part in self.blocks if isinstance(part, Refusal))

    @property
    def tool_calls(self) -> list[ToolCall]:
        """Every call seen, in order, complete or not; `executor` says who runs it."""
        return [part for part in self.blocks if isinstance(part, ToolCall)]


class StepUsage(msgspec.Struct, omit_defaults=True):
    """How one step of several ended."""

    step: int
    finish: FinishReason | None = None
    finish_raw: str | None = None
    usage: Usage | None = None


class Message(Choice, kw_only=True, omit_defaults=True):
    """A whole answer. What belongs to one choice is choice 0's here; `choices` has them all.

    `protocol` is whose wire it was read from, where that is known; no wire and no JSON of ours says it.
    """

    role: Literal["assistant"] = "assistant"
    id: str = ""
    model: str | None = None
    provider: str | None = None
    created: int | float | None = None
    choices: list[Choice] = []
    usage: Usage | None = None
    outcome: Outcome = "truncated"
    error: Error | None = None
    meta: dict[str, Any] = {}
    notes: list[Note] = []
    unknown: list[Unknown] = []
    steps: list[StepUsage] = []
    protocol: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, with the names that are worked out (text, reasoning, refusal, tool_calls) written out."""
        plain: dict[str, Any] = {
            "id": self.id,
            "role": self.role,
            "model": self.model,
            **_written_out(self),
            "usage": None if self.usage is None else {**msgspec.to_builtins(self.usage), "source": self.usage.source},
            "outcome": self.outcome,
            "error": msgspec.to_builtins(self.error),
            "choices": [_written_out(choice) for choice in self.choices],
        }
        rest = msgspec.to_builtins(self)
        return plain | {name: rest[name] for name in _REST if name in rest}

    def to_json(self) -> bytes:
        """`to_dict` as one line of JSON."""
        return msgspec.json.encode(self.to_dict())


_REST = ("provider", "created", "meta", "notes", "unknown", "steps")


def _written_out(choice: Choice) -> dict[str, Any]:
    return {
        "text": choice.text,
        "reasoning": choice.reasoning,
        "refusal": choice.refusal,
        "tool_calls": [_call(call) for call in choice.tool_calls],
        "blocks": msgspec.to_builtins(choice.blocks),
        "finish": choice.finish,
        "finish_raw": choice.finish_raw,
    }


def _call(call: ToolCall) -> dict[str, Any]:
    names = ("id", "name", "arguments", "raw", "complete", "executor", "tool")
    return {name: getattr(call, name) for name in names}


_PARTS: dict[BlockKind, type[AnyPart]] = {
    "text": Text,
    "reasoning": Reasoning,
    "refusal": Refusal,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
    "file": FilePart,
    "opaque": OpaquePart,
}


class Collector:
    """Feeds on events and has the message ready at any time; deltas are kept as pieces and joined when asked."""

    def __init__(self, protocol: str | None = None) -> None:
        self._message = Message(protocol=protocol)
        self._parts: dict[int, AnyPart] = {}
        self._pieces: dict[int, list[Any]] = {}
        self._on: dict[type[Event], Callable[[Any], None]] = {
            TextDelta: self._text,
            RefusalDelta: self._text,
            ReasoningDelta: self._reasoning,
            ArgsDelta: self._args,
            BlockStart: self._block_start,
            BlockEnd: self._block_end,
            Start: self._start,
            Meta: self._meta,
            Note: self._message.notes.append,
            Unknown: self._message.unknown.append,
            Signature: self._signature,
            Annotation: self._annotation,
            File: self._file,
            Result: self._result,
            Opaque: self._opaque,
            Usage: self._usage,
            StepEnd: self._step_end,
            End: self._end,
        }

    def feed(self, event: Event) -> None:
        """Take one event. Events that say nothing about the message pass by."""
        take = self._on.get(type(event))
        if take is not None:
            take(event)

    def feed_all(self, events: Iterable[Any]) -> None:
        """Take many events. What nearly all of them are costs no call."""
        pieces, feed = self._pieces, self.feed
        for event in events:
            kind = event.__class__
            if kind is ArgsDelta or (kind is TextDelta and event.logprobs is None):
                pieces[event.index].append(event.text)
            elif kind is ReasoningDelta:
                pieces[event.index].append(event)
            else:
                feed(event)

    @property
    def message(self) -> Message:
        """The message so far. Before the terminal its outcome reads `truncated`, which is what it would be if nothing came any more."""
        for index in list(self._pieces):
            self._settle(index)
        message = self._message
        count = max(1, len(message.choices), *(1 + part.choice for part in self._parts.values()))
        choices = [*message.choices, *(Choice() for _ in range(count - len(message.choices)))]
        for number, choice in enumerate(choices):
            choice.blocks = [part for part in self._parts.values() if part.choice == number]
        message.choices = choices
        message.blocks, message.finish, message.finish_raw = choices[0].blocks, choices[0].finish, choices[0].finish_raw
        return message

    # -- one method for each event -------------------------------------------------------------------------------

    def _start(self, event: Start) -> None:
        message = self._message
        message.id, message.model, message.provider, message.created = (
            event.id,
            event.model,
            event.provider,
            event.created,
        )

    def _meta(self, event: Meta) -> None:
        if event.name in ("model", "provider", "created") and getattr(self._message, event.name) is None:
            setattr(self._message, event.name, event.value)
        else:
            self._message.meta[event.name] = event.value

    def _block_start(self, event: BlockStart) -> None:
        part = _PARTS[event.kind](
            index=event.index, choice=event.choice, item=event.item, item_id=event.item_id, step=event.step,
            channel=event.channel,
        )  # fmt: skip
        if isinstance(part, ToolCall):
            part.id, part.name, part.executor = event.id or "", event.name or "", event.executor
            part.tool, part.made_id = event.tool, event.made
        elif isinstance(part, ToolResult):
            part.call_id, part.name, part.executor = event.id, event.name, event.executor
        elif isinstance(part, OpaquePart):
            part.name = event.name
        self._parts[event.index] = part
        self._pieces[event.index] = []

    def _text(self, event: TextDelta | RefusalDelta) -> None:
        self._pieces[event.index].append(event.text)
        if event.logprobs is not None:
            tokens: Any = event.logprobs
            self._parts[event.index].logprobs.extend(tokens if jsontext.is_array(tokens) else [tokens])  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - the grammar says so

    def _reasoning(self, event: ReasoningDelta) -> None:
        self._pieces[event.index].append(event)

    def _args(self, event: ArgsDelta) -> None:
        self._pieces[event.index].append(event.text)

    def _signature(self, event: Signature) -> None:
        part = self._parts[event.index]
        part.signatures = [*(old for old in part.signatures if old.part != event.part), event]

    def _annotation(self, event: Annotation) -> None:
        self._parts[event.index].annotations.append(event)

    def _usage(self, event: Usage) -> None:
        self._message.usage = event

    def _file(self, event: File) -> None:
        part = self._parts[event.index]
        if isinstance(part, ToolCall | ToolResult):
            part.files.append(event)
        elif isinstance(part, FilePart):
            part.media_type = event.media_type or part.media_type
            part.url, part.file_id, part.name = (
                event.url or part.url,
                event.file_id or part.file_id,
                event.name or part.name,
            )
            if event.data is not None:
                pieces = self._pieces[event.index]
                if event.partial or (pieces and pieces[-1][1]):
                    pieces.clear()
                pieces.append((event.data, event.partial))

    def _result(self, event: Result) -> None:
        part = self._parts[event.index]
        if isinstance(part, ToolResult):
            part.content, part.is_error = event.content, event.is_error
            part.call_id = event.call_id or part.call_id

    def _opaque(self, event: Opaque) -> None:
        self._parts[event.index].opaque = event

    def _block_end(self, event: BlockEnd) -> None:
        self._settle(event.index)
        self._pieces.pop(event.index, None)
        part = self._parts[event.index]
        part.complete = event.complete
        if isinstance(part, ToolCall) and event.complete:
            part.arguments = {"input": part.raw} if part.tool == "custom" else jsontext.decode_object(part.raw)

    def _step_end(self, event: StepEnd) -> None:
        self._message.steps.append(StepUsage(event.step, event.finish, event.finish_raw, event.usage))

    def _end(self, event: End) -> None:
        message = self._message
        message.outcome, message.error = event.outcome, event.error
        message.usage = event.usage or message.usage
        for finish in event.finishes:
            while len(message.choices) <= finish.choice:
                message.choices.append(Choice())
            choice = message.choices[finish.choice]
            choice.finish, choice.finish_raw = finish.reason, finish.raw

    def _settle(self, index: int) -> None:
        """Join what came for one part since it was last asked for. Joined text becomes the one piece, so asking often stays cheap."""
        pieces, part = self._pieces[index], self._parts[index]
        if not pieces:
            return
        if isinstance(part, Reasoning):
            part.pieces = _join_reasoning(part.pieces, pieces)
            pieces.clear()
            return
        if isinstance(part, FilePart):
            part.data = "".join(data for data, _ in pieces)
            return
        joined = "".join(pieces)
        pieces[:] = [joined]
        if isinstance(part, ToolCall):
            part.raw = joined
        elif isinstance(part, Text | Refusal):
            part.text = joined


def _join_reasoning(held: list[ReasoningPiece], deltas: list[ReasoningDelta]) -> list[ReasoningPiece]:
    """Deltas of one part and form become one piece, in order of first appearance."""
    texts: dict[tuple[int, ReasoningForm], list[str]] = {(piece.part, piece.form): [piece.text] for piece in held}
    for delta in deltas:
        texts.setdefault((delta.part, delta.form), []).append(delta.text)
    return [ReasoningPiece("".join(text), part, form) for (part, form), text in texts.items()]


def collect(events: Iterable[Event]) -> Message:
    """The message that these events amount to. What `weft.read` gives says whose wire they are from."""
    collector = Collector(getattr(events, "protocol", None))
    collector.feed_all(events)
    return collector.message
