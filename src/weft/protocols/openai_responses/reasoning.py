"""Reasoning: one item is one block, whatever parts it has, since what must go back to its origin belongs to the item.

Knows: summary and raw parts, and the encrypted content that replaces itself when the item is done.
Must not know: events of the wire, other kinds of items.
"""

from weft.assembler import Assembler
from weft.events import Arrival, ReasoningForm
from weft.protocols.openai_responses.items import OutputItem, Said
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Item, Part


class Thought(Said):
    """One part of an item. `places` is what the source's events about it have in common, by which its next delta is known at a glance."""

    __slots__ = ("form", "key", "number", "places")

    def __init__(self, key: str, number: int, form: ReasoningForm) -> None:
        super().__init__()
        self.key = key
        self.number = number
        self.form: ReasoningForm = form
        self.places: tuple[str | None, int | None, int | None, int | None] | None = None

    def say(self, out: Assembler, text: str) -> None:
        """A piece of this part."""
        self.pieces.append(text)
        out.reasoning(text, 0, self.key, self.number, self.form)

    def settle(self, out: Assembler, whole: str) -> None:
        """The source repeats the whole part. Empty where something was said says nothing."""
        rest = self.rest(whole) if whole else ""
        if rest is None:
            out.note(
                "done_differs",
                f"the whole {self.form} part {self.number} of item {self.key} is not what its deltas said",
            )
        elif rest:
            out.reasoning(rest, 0, self.key, self.number, self.form)


class ReasoningItem(OutputItem):
    """One item of reasoning."""

    WORDS = frozenset({"id", "type", "status", "summary", "content", "encrypted_content"})

    def __init__(self, key: str, wire: Item, index: int | None, arrival: Arrival) -> None:
        super().__init__(key, wire, index, arrival)
        self._parts: dict[ReasoningForm, dict[int, Thought]] = {"summary": {}, "raw": {}}
        self._encrypted = ""

    def announce(self, out: Assembler, wire: Item) -> None:
        out.open("reasoning", self.key, item=self.key, item_id=self.id, arrival=self.arrival)
        self._sign(out, wire)

    def adopt(self, out: Assembler, wire: Item) -> None:
        super().adopt(out, wire)
        self._sign(out, wire)

    def part(self, number: int, form: ReasoningForm) -> Thought:
        """The part that the source means."""
        parts = self._parts[form]
        if number not in parts:
            parts[number] = Thought(self.key, number, form)
        return parts[number]

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        super().finish(out, wire, form)
        self.identify(wire)
        self._settle_all(out, wire.summary or [], "summary")
        self._settle_all(out, wire.content or [], "raw")
        self._sign(out, wire)
        self.carry(out, self.key, wire, form)
        out.end(self.key, wire.status != "incomplete")
        self._parts.clear()

    def _settle_all(self, out: Assembler, whole: list[Part], form: ReasoningForm) -> None:
        """Parts are told apart by their order where the source's own numbers leave gaps."""
        seen = sorted(self._parts[form])
        numbers = seen if len(seen) == len(whole) else range(len(whole))
        for number, part in zip(numbers, whole, strict=True):
            self.part(number, form).settle(out, part.text or "")

    def _sign(self, out: Assembler, wire: Item) -> None:
        """The encrypted content of a done item is another one than that of the item added, and it is the one to send back.

        It goes back under the id that it came with, or is refused (pydantic/pydantic-ai#7185). Ollama's is the plain thinking.
        """
        content = wire.encrypted_content
        if content and content != self._encrypted:
            self._encrypted = content
            plain = any(part.text == content for part in wire.summary or ())
            out.signature(content, key=self.key, item=wire.id or None, encrypted=not plain)
