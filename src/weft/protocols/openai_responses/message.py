"""Messages: each content part is a block of its own; together they are one item.

Knows: parts of text and refusal, their citations, and how the parts of a whole message are told from each other.
Must not know: events of the wire, other kinds of items.
"""

from typing import Any, Final, Literal

from weft.assembler import Assembler
from weft.events import Arrival
from weft.protocols.openai_responses.items import OutputItem, Said
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Item, Part

PartKind = Literal["text", "refusal"]
PARTS: Final[dict[str | None, PartKind]] = {"output_text": "text", "text": "text", "refusal": "refusal"}


class TextPart(Said):
    """One content part. `output_index` and `content_index` are the source's, by which its next delta is known at a glance."""

    __slots__ = ("_cited", "content_index", "key", "kind", "output_index", "settled")

    def __init__(self, key: str, kind: PartKind, output_index: int | None, content_index: int | None) -> None:
        super().__init__()
        self.key = key
        self.kind: PartKind = kind
        self.output_index = output_index
        self.content_index = content_index
        self.settled = False
        self._cited = 0

    def say(self, out: Assembler, text: str, logprobs: list[Any] | None) -> None:
        """A piece of this part."""
        self.pieces.append(text)
        self._say(out, text, logprobs)

    def _say(self, out: Assembler, text: str, logprobs: list[Any] | None) -> None:
        if self.kind == "text":
            out.text(text, 0, self.key, logprobs or None)
        else:
            out.refusal(text, 0, self.key, logprobs or None)

    def cite(self, out: Assembler, annotation: dict[str, Any]) -> None:
        """A citation. Its offsets are characters of this part's text; `index` of a file's is not said to be, so it stays in `raw`."""
        self._cited += 1
        fields = {ours: annotation[name] for name, (ours, kind) in _CITATION.items() if _is(annotation.get(name), kind)}
        out.annotation(str(annotation.get("type") or "citation"), 0, self.key, raw=annotation, **fields)

    def settle(self, out: Assembler, whole: str | None, logprobs: list[Any] | None = None) -> None:
        """The source repeats the whole text. Empty where something was said says nothing."""
        self.settled = True
        if not whole:
            return
        rest = self.rest(whole)
        if rest is None:
            out.note("done_differs", f"the whole {self.kind} of part {self.key} is not what its deltas said")
        elif rest:
            self._say(out, rest, logprobs if rest == whole else None)

    def settle_citations(self, out: Assembler, annotations: list[dict[str, Any]] | None) -> None:
        """The source repeats all citations: those that did not come one by one are said."""
        for annotation in (annotations or [])[self._cited :]:
            self.cite(out, annotation)


class MessageItem(OutputItem):
    """One message."""

    WORDS = frozenset({"id", "type", "status", "role", "content", "phase"})

    def __init__(self, key: str, wire: Item, index: int | None, arrival: Arrival) -> None:
        super().__init__(key, wire, index, arrival)
        self.parts: list[TextPart] = []
        self._phase = wire.phase

    def identify(self, wire: Item) -> None:
        """A phase that is told late still holds for the parts to come."""
        super().identify(wire)
        self._phase = self._phase or wire.phase

    def part(self, out: Assembler, kind: PartKind, content_index: int | None) -> TextPart:
        """The part that the source means, opened if need be. Those before it that said their last word are over then."""
        for part in self.parts:
            if part.kind == kind and part.content_index == content_index:
                return part
        for part in self.parts:
            if part.settled:
                out.end(part.key)
        part = TextPart(f"{self.key}.{len(self.parts)}", kind, self.index, content_index)
        self.parts.append(part)
        out.open(kind, part.key, item=self.key, item_id=self.id, channel=self._phase, arrival=self.arrival)
        return part

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        super().finish(out, wire, form)
        self.identify(wire)
        whole = wire.content or []
        streamed = self._in_order(whole)
        for position, content in enumerate(whole):
            kind = PARTS.get(content.type)
            if kind is None:
                self._unknown(out, form, position)
                continue
            part = streamed.pop((kind, position), None) or self.part(out, kind, position)
            part.settle(out, content.text if kind == "text" else content.refusal, content.logprobs)
            part.settle_citations(out, content.annotations)
        if self.parts:
            self.carry(out, self.parts[0].key, wire, form)
        self._end(out, complete=wire.status != "incomplete")

    def cut(self, out: Assembler, *, complete: bool) -> None:
        self.done = True
        self._end(out, complete=complete)

    def _end(self, out: Assembler, *, complete: bool) -> None:
        for part in self.parts:
            out.end(part.key, complete)
        self.parts.clear()

    def _in_order(self, whole: list[Part]) -> dict[tuple[PartKind, int], TextPart]:
        """Which streamed part is which of the whole: by the source's index, else the first text is the first text, and so on.

        vLLM counts the reasoning before the message as content 0, llama.cpp counts nothing.
        """
        found: dict[tuple[PartKind, int], TextPart] = {}
        for kind in ("text", "refusal"):
            places = [position for position, content in enumerate(whole) if PARTS.get(content.type) == kind]
            parts = [part for part in self.parts if part.kind == kind]
            if any(part.content_index not in places for part in parts):
                found.update(zip(((kind, place) for place in places), parts, strict=False))
            else:
                found.update({(kind, part.content_index or 0): part for part in parts})
        return found

    def _unknown(self, out: Assembler, form: Verbatim, position: int) -> None:
        """A part of a kind without words of ours is carried as it is."""
        parts = form.elements("content")
        content = parts[position].plain() if position < len(parts) else {}
        out.opaque(content, None, item=self.key, item_id=self.id, name=str(content.get("type") or "part"))


_CITATION: Final[dict[str, tuple[str, type]]] = {
    "start_index": ("start", int),
    "end_index": ("end", int),
    "url": ("url", str),
    "title": ("title", str),
    "filename": ("title", str),
}


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
