"""An item of the output while the source speaks of it, and how its last word is held against what was said before.

Knows: what all kinds of items share. An item that is done is the source's last word: what its deltas left out is said then.
Must not know: the kinds, events of the wire, the response around the items. Verbs are handed in with each call, since a filter may step in.
"""

from typing import ClassVar

from weft.assembler import Assembler
from weft.events import Arrival
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Item

_STATUSES = (None, "completed", "incomplete")


class OutputItem:
    """One item. `key` is ours and is said with every verb; `index` and `id` are the source's.

    `lazy`: its pieces came before it was added. `late`: pieces came after it was done. `WORDS` are the members that our events have words for: with any other, or an odd status, the item is carried in its own form, too.
    """

    WORDS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, key: str, wire: Item, index: int | None, arrival: Arrival) -> None:
        self.key = key
        self.kind = wire.type or ""
        self.id = wire.id or None
        self.call_id = wire.call_id or None
        self.index = index
        self.arrival: Arrival = arrival
        self.lazy = False
        self.late = False
        self.done = False

    def identify(self, wire: Item) -> None:
        """Who this is may become known late."""
        self.id = self.id or wire.id or None
        self.call_id = self.call_id or wire.call_id or None

    def announce(self, out: Assembler, wire: Item) -> None:
        """The source has begun this item."""

    def adopt(self, out: Assembler, wire: Item) -> None:
        """The source begins this item although it was heard of before."""
        self.lazy = False

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        """The source has said the whole item. Nothing of it is kept but who it was."""
        self.done = True

    def cut(self, out: Assembler, *, complete: bool) -> None:
        """The stream is over and the source never said that this item is."""
        self.done = True
        out.end(self.key, complete)

    def carry(self, out: Assembler, key: str, wire: Item, form: Verbatim) -> None:
        """Attach the item's own form to a block, if that says more than our words do."""
        if wire.status not in _STATUSES or not self.WORDS.issuperset(form.names()):
            out.opaque(form.plain(), key)


class Said:
    """One text as its deltas said it."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def rest(self, whole: str) -> str | None:
        """What of the whole text was not said yet; None if something else was said. Asked again, nothing is new."""
        if self.pieces != [whole]:
            said = "".join(self.pieces)
            if not whole.startswith(said):
                said = said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            self.pieces = [whole]
            return whole[len(said) :] if whole.startswith(said) else None
        return ""
