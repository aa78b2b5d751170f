"""Reads the Responses API and says what it says, in verbs.

Knows: which event concerns which item.
Must not know: our own events and their numbers, what the kinds of items say (message, reasoning, calls, hosted), how a response ends (lifecycle).
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from weft.assembler import Assembler
from weft.errors import error_from_body
from weft.events import ReasoningForm
from weft.protocols.openai_responses import lifecycle
from weft.protocols.openai_responses.calls import CallItem
from weft.protocols.openai_responses.dialects import ResponsesDialect
from weft.protocols.openai_responses.hosted import CodeItem, ImageItem
from weft.protocols.openai_responses.items import OutputItem
from weft.protocols.openai_responses.message import PARTS, MessageItem, PartKind, TextPart
from weft.protocols.openai_responses.reasoning import ReasoningItem, Thought
from weft.protocols.openai_responses.register import Register, kind_of
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Event, Item


class ResponsesDecoder:
    """One stream. Made with the assembler (or a filter before it) and the dialect's row."""

    wire: ClassVar[Any] = Event

    def __init__(self, out: Assembler, dialect: ResponsesDialect) -> None:
        self.out = out
        self._dialect = dialect
        self._items = Register(dialect.custom_tools)
        self._text: TextPart | None = None
        self._call: CallItem | None = None
        self._thought: Thought | None = None

    def feed(self, event: Event, name: str) -> None:
        """One event, or a whole reply. Pieces of text and arguments find what they belong to by the last one's place."""
        kind = event.type
        if kind == "response.output_text.delta":
            part = self._text
            if part is None or event.output_index != part.output_index or event.content_index != part.content_index:
                self._text_delta(event)
                return
            delta = event.delta
            if type(delta) is str:
                part.pieces.append(delta)
                self.out.text(delta, 0, part.key, event.logprobs or None)
        elif kind == "response.function_call_arguments.delta":
            call = self._call
            if call is None or event.output_index != call.index:
                self._arguments_delta(event)
            elif type(event.delta) is str:
                self.out.args(event.delta, call.key)
        elif kind in _THINKING:
            self._reasoning_delta(event)
        else:
            self._text = self._call = self._thought = None
            event.type = kind = kind or name
            self._EVENTS.get(kind, ResponsesDecoder._other)(self, event)

    def close(self) -> None:
        """The input is over: what was held back of calls is said."""
        for item in self._items:
            if not item.done:
                item.cut(self.out, complete=False)

    # -- items ---------------------------------------------------------------------------------------------------

    def _added(self, event: Event) -> None:
        """The source begins an item."""
        wire = event.item
        if wire is None:
            return
        wire.type = kind_of(wire)
        item = self._items.known(wire, event.output_index)
        if item is None:
            self._items.add(wire, event.output_index, "delta").announce(self.out, wire)
        else:
            self._items.name(item, wire, event.output_index)
            item.adopt(self.out, wire)

    def _done(self, event: Event) -> None:
        """The source says a whole item."""
        wire = event.item
        if wire is None:
            return
        wire.type = kind_of(wire)
        items = self._items
        item = items.find(wire.type, event.output_index, wire.id) or items.known(wire, event.output_index)
        items.finish(self.out, item, wire, event.output_index, Verbatim(self.out.place.frame()).member("item"))

    def _meant(self, event: Event, kind: str, *, delta: bool = True) -> OutputItem | None:
        """The item that an event speaks of, made if it was never added; None if it has had its last word."""
        item = self._items.find(kind, event.output_index, event.item_id)
        if item is None:
            wire = Item(type=kind, id=event.item_id)
            item = self._items.add(wire, event.output_index, "delta")
            item.lazy = True
            item.announce(self.out, wire)
        elif item.done:
            if delta and not item.late:
                item.late = True
                self.out.note("delta_after_done", f"pieces of item {item.key}, which is done, were dropped")
            return None
        return item

    # -- messages ------------------------------------------------------------------------------------------------

    def _part(self, event: Event, kind: PartKind, *, delta: bool = True) -> TextPart | None:
        item = self._meant(event, "message", delta=delta)
        return item.part(self.out, kind, event.content_index) if isinstance(item, MessageItem) else None

    def _text_delta(self, event: Event) -> None:
        part = self._part(event, "text")
        self._text = part if self._items.told_by(event.output_index) else None
        if part is not None and isinstance(event.delta, str):
            part.say(self.out, event.delta, event.logprobs)

    def _refusal_delta(self, event: Event) -> None:
        part = self._part(event, "refusal")
        if part is not None and isinstance(event.delta, str):
            part.say(self.out, event.delta, event.logprobs)

    def _text_done(self, event: Event) -> None:
        if (part := self._part(event, "text", delta=False)) is not None:
            part.settle(self.out, event.text if isinstance(event.text, str) else None, event.logprobs)
            part.settle_citations(self.out, event.annotations)

    def _refusal_done(self, event: Event) -> None:
        if (part := self._part(event, "refusal", delta=False)) is not None:
            part.settle(self.out, event.refusal)

    def _annotation(self, event: Event) -> None:
        if (part := self._part(event, "text")) is not None and event.annotation is not None:
            part.cite(self.out, event.annotation)

    def _part_added(self, event: Event) -> None:
        """Reasoning has content parts, too; those open nothing."""
        kind = PARTS.get(event.part.type) if event.part is not None else None
        if kind is not None:
            self._part(event, kind)

    def _part_done(self, event: Event) -> None:
        whole = event.part
        if whole is None:
            return
        kind = PARTS.get(whole.type)
        if whole.type == "reasoning_text":
            self._reasoning_done(event)
        elif kind is not None and (part := self._part(event, kind, delta=False)) is not None:
            part.settle(self.out, whole.text if kind == "text" else whole.refusal, whole.logprobs)
            part.settle_citations(self.out, whole.annotations)

    # -- reasoning -----------------------------------------------------------------------------------------------

    def _reasoning_delta(self, event: Event) -> None:
        part = self._thought
        places = (event.type, event.output_index, event.summary_index, event.content_index)
        if part is None or places != part.places:
            item = self._meant(event, "reasoning")
            if not isinstance(item, ReasoningItem):
                return
            part = item.part(*_reasoning_part(event))
            part.places = places
            self._thought = part if self._items.told_by(event.output_index) else None
        if isinstance(event.delta, str):
            part.say(self.out, event.delta)

    def _reasoning_done(self, event: Event) -> None:
        """A part, or its text, is said whole."""
        whole = event.part.text if event.part is not None else event.text
        item = self._meant(event, "reasoning", delta=False) if whole else None
        if isinstance(item, ReasoningItem) and isinstance(whole, str):
            item.part(*_reasoning_part(event)).settle(self.out, whole)

    # -- calls and tools -----------------------------------------------------------------------------------------

    def _arguments_delta(self, event: Event) -> None:
        call = self._meant(event, _call_kind(event))
        if isinstance(call, CallItem) and isinstance(event.delta, str):
            call.args(self.out, event.delta)
            if call.opened and call.kind == "function_call" and self._items.told_by(event.output_index):
                self._call = call

    def _arguments_done(self, event: Event) -> None:
        call = self._meant(event, _call_kind(event), delta=False)
        if not isinstance(call, CallItem):
            return
        if event.name:
            call.adopt(self.out, Item(type=call.kind, name=event.name))
        whole = event.input if call.kind == "custom_tool_call" else event.arguments
        call.settle(self.out, Verbatim(self.out.place.frame()).text("arguments") if isinstance(whole, dict) else whole)

    def _code(self, event: Event) -> None:
        item = self._meant(event, "code_interpreter_call")
        if isinstance(item, CodeItem) and isinstance(event.delta, str):
            item.code(self.out, event.delta)

    def _code_done(self, event: Event) -> None:
        item = self._meant(event, "code_interpreter_call", delta=False)
        if isinstance(item, CodeItem):
            item.settle(self.out, event.code)

    def _preview(self, event: Event) -> None:
        item = self._meant(event, "image_generation_call")
        if isinstance(item, ImageItem) and event.partial_image_b64:
            item.preview(self.out, event.partial_image_b64, event.output_format)

    # -- the rest ------------------------------------------------------------------------------------------------

    def _audio(self, event: Event) -> None:
        """Speech and what was spoken come beside the items."""
        if isinstance(event.delta, str):
            self.out.file(key="audio", media_type="audio", data=event.delta)

    def _transcript(self, event: Event) -> None:
        if isinstance(event.delta, str):
            self.out.text(event.delta, 0, "transcript", None, "transcript")

    def _error(self, event: Event) -> None:
        """It may be followed by `response.failed`, which says it again."""
        self.out.fail(error_from_body(Verbatim(self.out.place.frame()).plain()))

    def _speech_over(self, event: Event) -> None:
        self.out.end("transcript" if event.type == "response.audio.transcript.done" else "audio")

    def _other(self, event: Event) -> None:
        """A whole reply, news about an item that its last word will tell, or something nobody has named yet."""
        kind = event.type or ""
        if not kind and (event.output is not None or (event.object or "").startswith("response")):
            self._end(event)
        elif kind in _CARRIED:
            self.out.carry(Verbatim(self.out.place.frame()).plain(), kind)
        elif not _is_progress(kind):
            self.out.unknown(self.out.place.frame(), kind)

    def _begin(self, event: Event) -> None:
        lifecycle.begin(self.out, self._items, self._dialect, event)

    def _end(self, event: Event) -> None:
        lifecycle.begin(self.out, self._items, self._dialect, event)
        lifecycle.end(self.out, self._items, event)

    _EVENTS: ClassVar[Mapping[str, Callable[..., None]]] = {
        "response.created": _begin,
        "response.queued": _begin,
        "response.in_progress": _begin,
        **dict.fromkeys(lifecycle.TERMINALS, _end),
        "response.output_item.added": _added,
        "response.output_item.done": _done,
        "response.content_part.added": _part_added,
        "response.content_part.done": _part_done,
        "response.output_text.delta": _text_delta,
        "response.output_text.done": _text_done,
        "response.output_text.annotation.added": _annotation,
        "response.refusal.delta": _refusal_delta,
        "response.refusal.done": _refusal_done,
        "response.reasoning_summary_text.delta": _reasoning_delta,
        "response.reasoning_summary_text.done": _reasoning_done,
        "response.reasoning_summary_part.done": _reasoning_done,
        "response.reasoning_text.delta": _reasoning_delta,
        "response.reasoning_text.done": _reasoning_done,
        "response.function_call_arguments.delta": _arguments_delta,
        "response.function_call_arguments.done": _arguments_done,
        "response.custom_tool_call_input.delta": _arguments_delta,
        "response.custom_tool_call_input.done": _arguments_done,
        "response.mcp_call_arguments.delta": _arguments_delta,
        "response.mcp_call_arguments.done": _arguments_done,
        "response.code_interpreter_call_code.delta": _code,
        "response.code_interpreter_call_code.done": _code_done,
        "response.image_generation_call.partial_image": _preview,
        "response.audio.delta": _audio,
        "response.audio.done": _speech_over,
        "response.audio.transcript.delta": _transcript,
        "response.audio.transcript.done": _speech_over,
        "error": _error,
    }


def _reasoning_part(event: Event) -> tuple[int, ReasoningForm]:
    """Which part of its item an event speaks of: summaries and contents are counted apart."""
    if "summary" in (event.type or ""):
        return event.summary_index or 0, "summary"
    return event.content_index or 0, "raw"


def _call_kind(event: Event) -> str:
    """The kind of item that an event about arguments speaks of."""
    return (event.type or "").split(".")[1].removesuffix("_arguments").removesuffix("_input")


_THINKING: Final = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")

_SILENT: Final = frozenset(
    {
        "keepalive",
        "ping",
        "response.reasoning_summary_part.added",
        "response.reasoning_part.added",
        "response.reasoning_part.done",
        "response.reasoning_text_part.added",
        "response.reasoning_text_part.done",
        "response.shell_call_command.added",
        "response.shell_call_command.delta",
        "response.shell_call_command.done",
        "response.shell_call_output_content.delta",
        "response.shell_call_output_content.done",
        "response.apply_patch_call_operation_diff.delta",
        "response.apply_patch_call_operation_diff.done",
    }
)
"""Keep-alives, and what the item that is done says whole: tools of this kind are of no use before that."""

_PROGRESS: Final = frozenset(
    "in_progress searching interpreting executing generating compacting completed failed incomplete".split()
)
"""The last word of an event that tells how far an item is; the item that is done tells how it ended."""

_CARRIED: Final = frozenset(
    {
        "response.metadata",
        "response.steer.accepted",
        "response.steer.pending",
        "response.steer.failed",
        "responsesapi.websocket_timing",
        "codex.rate_limits",
    }
)
"""Known, and not ours to understand: handed on as they are."""


def _is_progress(kind: str) -> bool:
    first, _, rest = kind.partition(".")
    item, _, state = rest.partition(".")
    return kind in _SILENT or (first == "response" and bool(item) and state in _PROGRESS)
