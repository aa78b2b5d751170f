"""Our own events as JSON lines: the pivot, both ways.

Knows: nothing but the events' own JSON. Must not know: other protocols.
The events are said again as verbs, so that a stream that was cut or put together by hand ends as truthfully as any other.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from weft import events as ev
from weft import jsontext
from weft.assembler import Assembler
from weft.context import Context
from weft.encoder import Encoder, Handler
from weft.ending import error_of
from weft.errors import Error
from weft.jsontext import is_object
from weft.losses import Losses
from weft.message import Message
from weft.protocol import Dialect, ProtocolSpec, Sign
from weft.rules import Rules


class EventsDecoder:
    """One stream of our own lines."""

    wire: ClassVar[Any] = ev.AnyEvent

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out
        self._choices: dict[int, int] = {}
        self._on: dict[type[ev.Event], Callable[[Any], None]] = {
            ev.Start: self._start,
            ev.Meta: lambda e: self.out.meta(e.name, e.value),
            ev.Note: lambda e: self.out.note(e.code, e.message, offset=e.offset),
            ev.BlockStart: self._block_start,
            ev.RefusalDelta: lambda e: self.out.refusal(e.text, self._choice(e), e.index, e.logprobs),
            ev.ReasoningDelta: lambda e: self.out.reasoning(e.text, self._choice(e), e.index, e.part, e.form),
            ev.ArgsDelta: lambda e: self.out.args(e.text, e.index),
            ev.Signature: self._signature,
            ev.Annotation: self._annotation,
            ev.File: self._file,
            ev.Result: lambda e: self.out.result(e.call_id, e.content, e.index, is_error=e.is_error),
            ev.Opaque: lambda e: self.out.opaque(e.raw, e.index, self._choice(e), origin=e.origin),
            ev.BlockEnd: lambda e: self.out.end(e.index, e.complete),
            ev.StepStart: lambda _: self.out.step_start(),
            ev.StepEnd: self._step_end,
            ev.Usage: self._usage,
            ev.Unknown: lambda e: self.out.carry(e.raw, e.name, e.offset, e.protocol),
            ev.End: self._end,
        }

    def feed(self, event: ev.Event, name: str) -> None:
        """One event."""
        if isinstance(event, ev.TextDelta):
            self.out.text(event.text, self._choices.get(event.index, 0), event.index, event.logprobs)
        else:
            self._on[type(event)](event)

    def close(self) -> None:
        """Nothing is held back here."""

    def _choice(self, event: Any) -> int:
        return self._choices.get(event.index, 0)

    def _start(self, event: ev.Start) -> None:
        self.out.start(event.id, event.model, event.provider, event.created, made=event.made)

    def _block_start(self, event: ev.BlockStart) -> None:
        self._choices[event.index] = event.choice
        self.out.open(
            event.kind, event.index, choice=event.choice, item=event.item, item_id=event.item_id, id=event.id, name=event.name,
            channel=event.channel, arrival=event.arrival, executor=event.executor, tool=event.tool, made=event.made,
        )  # fmt: skip

    def _signature(self, event: ev.Signature) -> None:
        self.out.signature(
            event.value, self._choice(event), event.index, event.part,
            origin=event.origin, format=event.format, encrypted=event.encrypted,
        )  # fmt: skip

    def _annotation(self, event: ev.Annotation) -> None:
        fields = {name: getattr(event, name) for name in ("start", "end", "url", "title", "text", "raw")}
        self.out.annotation(event.kind, self._choice(event), event.index, **fields)

    def _file(self, event: ev.File) -> None:
        fields = {name: getattr(event, name) for name in ("media_type", "data", "url", "file_id", "name", "partial")}
        self.out.file(self._choice(event), event.index, **fields)

    def _usage(self, event: ev.Usage) -> None:
        counts = {name: getattr(event, name) for name in _COUNTS}
        self.out.usage(counts, event.sources, event.raw)

    def _step_end(self, event: ev.StepEnd) -> None:
        usage = event.usage
        counts = {name: getattr(usage, name) for name in _COUNTS} if usage is not None else None
        self.out.step_end(event.finish_raw, counts, usage.raw if usage is not None else None, event.finish)

    def _end(self, event: ev.End) -> None:
        if event.usage is not None:
            self._usage(event.usage)
        error, why = event.error, _words(event.error)
        for finish in event.finishes:
            self.out.finish(finish.raw, finish.reason, finish.choice, why)
        if error is None and event.outcome == "incomplete":
            self.out.sign("incomplete")
        elif error is not None and not _follows(error, event, why):
            self.out.fail(error)
        self.out.sign("terminal")


def _words(error: Error | None) -> str:
    """What the source said with its finish, where that is what the error is made of."""
    said = error.original if error is not None else None
    return str(said.get("message") or "") if is_object(said) and said.keys() == {"finish", "message"} else ""


def _follows(error: Error, end: ev.End, why: str) -> bool:
    """Does the error follow from the finishes? Said as a failure it would change the outcome."""
    blocked = end.outcome == "incomplete" and error.type == "content_blocked"
    return blocked or error == error_of(end.outcome, end.finishes, {finish.choice: why for finish in end.finishes})


class EventsEncoder(Encoder):
    """Every event as a line: nothing is lost."""

    choices: ClassVar = True

    def handlers(self) -> dict[type[ev.Event], Handler]:
        """The same for all."""
        return dict.fromkeys(ev.EVENTS, self._line)

    def cut(self, event: ev.BlockEnd) -> None:
        self._line(event)

    def _line(self, event: ev.Event) -> None:
        self._write(jsontext.line(event) + b"\n")


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The message as `weft collect` prints it."""
    return message.to_json() + b"\n"


_COUNTS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)

PROTOCOL = ProtocolSpec(
    name="events",
    title="Weft's own events, JSON lines",
    framing="ndjson",
    decoder=EventsDecoder,
    encoder=EventsEncoder,
    reply=reply,
    dialect=Dialect(rules=Rules(ends_on=frozenset({"terminal"}))),
    signs=(
        Sign("type", "block-", 0.95),
        Sign("type", "args-delta", 0.9),
        Sign("finishes", None, 0.9),
        Sign("type", "end", 0.5),
        Sign("type", "start", 0.3),
        Sign("type", "note", 0.3),
    ),
)
