"""The inverse of collecting: a message as the events of a stream that says it whole, or as the whole stream of a target.

Knows: which part is said by which events. Must not know: wires.
Used for whole replies where a stream is due, and for the ending of a stream that was forwarded as it came.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from weft import events as ev
from weft.context import Context
from weft.encoder import Encoder
from weft.losses import Losses
from weft.message import (
    AnyPart,
    FilePart,
    Message,
    OpaquePart,
    Reasoning,
    Refusal,
    Text,
    ToolCall,
    ToolResult,
)

_ERROR_ALONE = "a reply that failed is its error alone"


def unfold(message: Message) -> Iterator[ev.Event]:
    """All events, the terminal included. Parts come one after the other, each with all it has in one delta.

    Frames that nobody could name have lost their place, and so are nobody's.
    """
    yield start(message)
    yield from facts(message)
    for frame in message.unknown:
        yield msgspec.structs.replace(frame, protocol="")
    yield from _blocks(message)
    if message.usage is not None:
        yield message.usage
    yield end(message)


def _blocks(message: Message) -> Iterator[ev.Event]:
    """The parts, in their steps where the source told of steps."""
    ends, told = {step.step: step for step in message.steps}, parts(message)
    steps = sorted(ends.keys() | {part.step for part in told})
    for step in steps:
        if ends or len(steps) > 1:
            yield ev.StepStart(step)
        for part in (part for part in told if part.step == step):
            yield from opening(part)
            yield ev.BlockEnd(part.index, part.complete)
        if step in ends:
            yield ev.StepEnd(step, ends[step].finish, ends[step].finish_raw, ends[step].usage)


def failed(message: Message) -> bool:
    """Is its whole reply an error body?"""
    cancelled = message.error is not None and message.error.type == "cancelled"
    return message.error is not None and (cancelled or message.outcome in ("failed", "truncated"))


def error_alone(message: Message, losses: Losses) -> Message:
    """What an error body says of a message: how it ended. All that came before is declared lost."""
    for part in parts(message):
        losses.add("content", _ERROR_ALONE, f"block {part.index}")
    if message.usage is not None:
        losses.add("usage", _ERROR_ALONE)
    for name in (*message.meta, *(() if message.provider is None else ("provider",))):
        losses.add("meta", _ERROR_ALONE, name)
    return Message(id=message.id, outcome=message.outcome, error=message.error)


def first_choice(message: Message, losses: Losses) -> Message:
    """The message with its first choice alone, for replies that carry one; the others are declared lost."""
    for number in range(1, len(message.choices)):
        losses.add("choices", "the target carries one choice", f"choice {number}")
    return msgspec.structs.replace(message, choices=message.choices[:1])


def at_once(encoder: type[Encoder]) -> Callable[[Message, Context, Losses], bytes]:
    """The writer of whole replies for a target of one choice that has no form of its own for them: its stream, said at once."""

    def reply(message: Message, context: Context, losses: Losses) -> bytes:
        frames: list[bytes] = []
        target = encoder(frames.append, context, losses)
        for event in unfold(first_choice(message, losses)):
            target.feed(event)
        return b"".join(frames)

    return reply


def lost(encoder: type[Encoder], message: Message, context: Context, losses: Losses) -> None:
    """What a stream of this message would lose, for a whole reply that is put together in another way: it can say no more."""
    target = encoder(_unheard, context, losses)
    for event in unfold(message):
        target.feed(event)


def _unheard(frame: bytes) -> None:
    """Only the losses are asked for."""


def start(message: Message) -> ev.Start:
    """Who answers."""
    return ev.Start(message.id, message.model, message.provider, message.created)


def facts(message: Message) -> Iterator[ev.Event]:
    """What is known beside the message."""
    for name, value in message.meta.items():
        yield ev.Meta(name, value)


def parts(message: Message) -> list[AnyPart]:
    """The parts of all choices, in the order in which they began."""
    return sorted((part for choice in message.choices for part in choice.blocks), key=lambda part: part.index)


def opening(part: AnyPart) -> Iterator[ev.Event]:
    """A part up to its end."""
    yield _block_start(part)
    yield from _CONTENT[type(part)](part)
    if part.opaque is not None:
        yield part.opaque
    yield from part.signatures
    yield from part.annotations


def end(message: Message) -> ev.End:
    """The terminal that the message had."""
    finishes = tuple(
        ev.Finish(number, choice.finish, choice.finish_raw) for number, choice in enumerate(message.choices)
    )
    return ev.End(message.outcome, finishes, message.usage, message.error)


def _block_start(part: AnyPart) -> ev.BlockStart:
    kind: Any = part.__struct_config__.tag
    fields: dict[str, Any] = {}
    if isinstance(part, ToolCall):
        fields = {"id": part.id, "name": part.name, "executor": part.executor, "tool": part.tool, "made": part.made_id}
    elif isinstance(part, ToolResult):
        fields = {"id": part.call_id, "name": part.name, "executor": part.executor}
    elif isinstance(part, OpaquePart):
        fields = {"name": part.name, "executor": "provider"}
    return ev.BlockStart(
        part.index, kind, choice=part.choice, item=part.item, item_id=part.item_id, step=part.step,
        channel=part.channel, arrival="whole" if part.complete else "delta", **fields,
    )  # fmt: skip


def _text(part: Text) -> Iterator[ev.Event]:
    if part.text or part.logprobs:
        yield ev.TextDelta(part.index, part.text, part.logprobs or None)


def _refusal(part: Refusal) -> Iterator[ev.Event]:
    if part.text:
        yield ev.RefusalDelta(part.index, part.text, part.logprobs or None)


def _reasoning(part: Reasoning) -> Iterator[ev.Event]:
    for piece in part.pieces:
        yield ev.ReasoningDelta(part.index, piece.text, piece.part, piece.form)


def _call(part: ToolCall) -> Iterator[ev.Event]:
    if part.raw:
        yield ev.ArgsDelta(part.index, part.raw)
    yield from part.files


def _result(part: ToolResult) -> Iterator[ev.Event]:
    yield ev.Result(part.index, part.call_id, part.content, part.is_error)
    yield from part.files


def _file(part: FilePart) -> Iterator[ev.Event]:
    yield ev.File(part.index, part.media_type, part.data, part.url, part.file_id, part.name)


def _opaque(part: OpaquePart) -> Iterator[ev.Event]:
    """All that it has is in its own form."""
    yield from ()


_CONTENT: dict[type[AnyPart], Callable[[Any], Iterator[ev.Event]]] = {
    Text: _text,
    Refusal: _refusal,
    Reasoning: _reasoning,
    ToolCall: _call,
    ToolResult: _result,
    FilePart: _file,
    OpaquePart: _opaque,
}
