"""The Interactions API, Google's other form of an answer: events of an interaction and its steps, or the whole interaction.

Knows: both generations of its schema (`interaction.start` and `content.*`, `interaction.created` and `step.*`), types and members of steps.
Must not know: chunks of generateContent; the decoder hands over what says nothing in its own terms.
A step is known by its index, and what it says goes to the block of that index.
"""

from typing import Any, Final

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.errors import error_from_body, is_error_body, make_error
from weft.jsontext import is_object
from weft.lenient import fit
from weft.protocols.gemini.spoken import SpokenText
from weft.protocols.gemini.times import seconds
from weft.protocols.gemini.usage import Counts, summed


class _Wire(msgspec.Struct, gc=False):
    """What all types here share."""


class _Item(_Wire):
    """A step, a content, or a piece of either."""

    said: str | None = msgspec.field(default=None, name="type")
    id: str | None = None
    call_id: str | None = None
    name: str | None = None
    text: str | None = None
    signature: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()
    content: "list[_Item] | _Item | None" = None
    summary: "list[_Item] | None" = None
    annotations: list[Any] | None = None
    result: Any = None
    is_error: bool | None = None
    mime_type: str | None = None
    data: str | None = None
    uri: str | None = None
    error: Any = None

    @property
    def type(self) -> str:
        """What it is; nothing if that is not said."""
        return self.said or ""


class _Metadata(_Wire):
    usage: dict[str, Any] | None = None
    total_usage: dict[str, Any] | None = None


class _Interaction(_Wire):
    id: str | None = None
    object: str | None = None
    model: str | None = None
    created: str | None = None
    status: str | None = None
    service_tier: str | None = None
    usage: dict[str, Any] | None = None
    steps: list[_Item] | None = None
    outputs: list[_Item] | None = None
    errors: list[Any] | None = None
    error: Any = None


class _Event(_Interaction):
    """An event, or the interaction itself where it is not streamed."""

    event_type: str | None = None
    index: int | None = None
    interaction: _Interaction | None = None
    step: _Item | None = None
    content: _Item | None = None
    delta: _Item | None = None
    metadata: _Metadata | None = None


_parse = msgspec.json.Decoder(_Event).decode
_EVENTS: Final = frozenset(
    "interaction.start interaction.created interaction.status_update interaction.complete interaction.completed "
    "content.start content.delta content.stop step.start step.delta step.stop".split()
)
_UNDER_WAY: Final = frozenset({"", "in_progress", "queued"})
_FILES: Final = frozenset({"image", "audio", "video", "document", "file"})
_NAMED: Final = frozenset({"function_call", "mcp_server_tool_call"})
"""Calls that are named after their tool; others are of the tool that their type says."""


class Interactions:
    """One interaction."""

    def __init__(self) -> None:
        self._steps: dict[int, _Item] = {}
        self._called: set[int] = set()
        self._answered: set[int] = set()
        self._spoken: dict[int, SpokenText] = {}

    def take(self, out: Assembler, text: bytes) -> bool:
        """Say what a frame says; false if it is none of an interaction, or of a kind that nobody has named."""
        event, dropped = _read(text)
        name = event.event_type or ""
        whole = not name and (event.object == "interaction" or event.steps is not None)
        if not whole and name not in _EVENTS:
            return False
        for path in dropped:
            out.note("member_dropped", f"{path} is not of the type that this source sends", path)
        told = event.interaction or event
        out.start(told.id, told.model, None, seconds(told.created))
        at, known = event.index or 0, True
        begun = event.step or event.content
        if begun is not None:
            self._steps[at] = begun
            known = self._say(out, at, begun, begun)
        if event.delta is not None:
            known = self._say(out, at, event.delta, self._steps.get(at, event.delta))
        if name.endswith(".stop"):
            self._stop(out, at)
        for place, step in enumerate((event.steps or event.outputs or ()) if whole else ()):
            self._steps[place] = step
            known = self._say(out, place, step, step) and known
            self._stop(out, place)
        if (told.status or "") not in _UNDER_WAY:
            for place in sorted(self._steps):
                self._stop(out, place)
        _close(out, told, event.metadata)
        return known

    def _say(self, out: Assembler, at: int, item: _Item, step: _Item) -> bool:
        """Say an item of a step, which is the step itself when it begins."""
        kind = item.type
        if kind in {"text", "text_annotation_delta"}:
            self._text(out, at, item)
        elif kind.startswith("thought"):
            _thought(out, _key(at), item)
        elif kind.endswith("_call") or kind == "arguments_delta":
            self._call(out, at, item, step)
        elif kind.endswith("_result"):
            self._result(out, at, item, step)
        elif kind in _FILES:
            out.end(_key(at))
            _file(out, item)
        elif kind == "model_output":
            flat = [content for content in _contents(item) if content.type != kind]
            known = all([self._say(out, at, content, step) for content in flat])  # noqa: C419 - each is to be said
            if item.error is not None and is_error_body({"error": item.error}):
                out.fail(error_from_body({"error": item.error}))
            return known
        else:
            return kind == "user_input"
        return True

    def _text(self, out: Assembler, at: int, item: _Item) -> None:
        spoken = self._spoken.setdefault(at, SpokenText())
        if item.text:
            spoken.hear(item.text)
            out.text(item.text, 0, _key(at))
        for note in item.annotations or ():
            if is_object(note):
                _annotate(out, _key(at), note, spoken)

    def _call(self, out: Assembler, at: int, item: _Item, step: _Item, *, last: bool = False) -> None:
        """A call of the client's, or of a tool that Google runs; its arguments come in pieces, at once, or with its beginning.

        What its beginning does not tell, the first delta may: a call is announced when it has a name and had a chance of its id.
        """
        kind, key = step.type or item.type, _key(at)
        name = item.name or step.name or (None if kind in _NAMED and not last else kind.removesuffix("_call"))
        if name and at not in self._called and (item is not step or item.id or last):
            self._called.add(at)
            mine = kind == "function_call"
            tool = "function" if mine else kind
            executor = "client" if mine else "provider"
            out.open("tool_call", key, id=item.id or step.id, name=name, executor=executor, tool=tool)
        if item is not step and at in self._called:
            out.args(jsontext.packed(item.arguments), key)
        if item.signature and at in self._called:
            out.signature(item.signature, 0, key)

    def _result(self, out: Assembler, at: int, item: _Item, step: _Item, *, last: bool = False) -> None:
        """What a tool that Google ran gave back. Of some tools only that they answered is told."""
        key, kind, signature = _key(at), step.type or item.type, item.signature or step.signature
        if item.result is None and not last:
            step.signature = signature
            return
        name = item.name or step.name or kind.removesuffix("_result")
        failed = bool(item.is_error or step.is_error)
        out.result(item.call_id or step.call_id, item.result, key, name=name, is_error=failed)
        if signature:
            out.signature(signature, 0, key)
        self._answered.add(at)

    def _stop(self, out: Assembler, at: int) -> None:
        """A step is over: what waited for a delta that never came is said, and arguments that came only with its beginning."""
        step = self._steps.pop(at, None)
        self._spoken.pop(at, None)
        if step is not None and step.type.endswith("_call"):
            if at not in self._called:
                self._call(out, at, step, step, last=True)
            if not out.call_args(_key(at)):
                out.args(jsontext.packed(step.arguments), _key(at))
        elif step is not None and step.type.endswith("_result") and at not in self._answered:
            self._result(out, at, step, step, last=True)
        out.end(_key(at))


def _read(text: bytes) -> tuple[_Event, list[str]]:
    """What a frame says, and the paths of what does not fit; nothing if it is no event at all."""
    try:
        return _parse(text), []
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    try:
        return fit(jsontext.decode(text), _Event)
    except (msgspec.ValidationError, ValueError):
        return _Event(), []


def _thought(out: Assembler, key: str, item: _Item) -> None:
    """A summary of a thought, its signature, or both."""
    for content in (*(item.summary or ()), *_contents(item)):
        out.reasoning(content.text or "", 0, key, 0, "summary")
        _file(out, content)
    if item.signature:
        out.signature(item.signature, 0, key)


def _file(out: Assembler, item: _Item) -> None:
    if item.data or item.uri:
        out.file(media_type=item.mime_type, data=item.data, url=item.uri)


def _annotate(out: Assembler, key: str, note: dict[str, Any], spoken: SpokenText) -> None:
    """A citation, whose positions are bytes of the step's text."""
    start, end = note.get("start_index") or 0, note.get("end_index")
    span = spoken.span(start, end, None) if isinstance(start, int) and isinstance(end, int) else None
    members = {"url": ("url", "document_uri"), "title": ("title", "file_name", "name")}
    words = {ours: next((note[name] for name in theirs if name in note), None) for ours, theirs in members.items()}
    fields = {name: value if isinstance(value, str) else None for name, value in words.items()}
    first, last = span or (None, None)
    out.annotation(str(note.get("type") or "citation"), 0, key, start=first, end=last, raw=note, **fields)


def _contents(item: _Item) -> list[_Item]:
    content = item.content
    return content if isinstance(content, list) else [content] if content is not None else []


def _close(out: Assembler, told: _Interaction, metadata: _Metadata | None) -> None:
    """What it has cost so far, and how it ended, if it has."""
    usage = told.usage or (metadata.usage or metadata.total_usage if metadata is not None else None)
    if usage:
        out.usage(*_counts(usage), usage)
    if told.service_tier:
        out.meta("service_tier", told.service_tier)
    if (told.status or "") in _UNDER_WAY:
        return
    failure = {"error": told.error or (told.errors[0] if told.errors else None)}
    if told.status == "cancelled":
        out.fail(make_error("cancelled", "the interaction was cancelled"))
    elif told.status == "failed" and is_error_body(failure):
        out.fail(error_from_body(failure))
    out.finish(told.status)


def _counts(usage: dict[str, Any]) -> Counts:
    """Output leaves thoughts out, and the prompt what tools read."""
    numbers = {name: count for name, count in usage.items() if type(count) is int}
    return summed(
        prompt=numbers.get("total_input_tokens"),
        tools=numbers.get("total_tool_use_tokens"),
        output=numbers.get("total_output_tokens"),
        thoughts=numbers.get("total_thought_tokens"),
        total=numbers.get("total_tokens"),
        cached=numbers.get("total_cached_tokens"),
    )


def _key(at: int) -> str:
    return f"step {at}"
