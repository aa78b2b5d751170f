"""Which item the source means: by output index, by id, or the last one of its kind.

Knows: what sources do with indices and ids. Must not know: what items say, events of the wire.

The index comes first, since GitHub Copilot gives an item another id with each event; the id serves where there is no index (llama.cpp),
or where one index is used for two items (LiteLLM): one that is another item's own is believed.
"""

from collections.abc import Iterator
from typing import Final

from weft.assembler import Assembler
from weft.events import Arrival, Executor
from weft.protocols.openai_responses import hosted
from weft.protocols.openai_responses.calls import CallItem, CustomCallItem, McpCallItem
from weft.protocols.openai_responses.items import OutputItem
from weft.protocols.openai_responses.message import MessageItem
from weft.protocols.openai_responses.reasoning import ReasoningItem
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Item

KINDS: Final[dict[str, type[OutputItem]]] = {
    "message": MessageItem,
    "reasoning": ReasoningItem,
    "function_call": CallItem,
    "custom_tool_call": CustomCallItem,
    "mcp_call": McpCallItem,
    "image_generation_call": hosted.ImageItem,
    **dict.fromkeys(hosted.CLIENT_TOOLS | hosted.PROVIDER_TOOLS, hosted.ToolItem),
    **dict.fromkeys(hosted.CODE_TOOLS, hosted.CodeItem),
}


class Register:
    """All items of one response, in order of appearance.

    `declared` are the functions that were offered to the model, `custom` says who runs custom tools here.
    """

    def __init__(self, custom: Executor) -> None:
        self.declared: frozenset[str] = frozenset()
        self.custom: Executor = custom
        self._shared = False
        self._items: list[OutputItem] = []
        self._by_index: dict[int, OutputItem] = {}
        self._by_name: dict[str, OutputItem] = {}

    def __iter__(self) -> Iterator[OutputItem]:
        return iter(self._items)

    def __bool__(self) -> bool:
        return bool(self._items)

    @property
    def waiting(self) -> bool:
        """The provider has asked for leave to run a tool."""
        return any(item.kind == "mcp_approval_request" for item in self._items)

    def find(self, kind: str, index: int | None, id: str | None) -> OutputItem | None:
        """The item of this kind that the source means, if it was heard of."""
        item = self._by_index.get(index) if index is not None else None
        named = self._by_name.get(id) if id else None
        if named is not None and named.kind != kind:
            named = None
        if item is not None and item.kind == kind:
            return item if named is None or item.id == id else named
        if named is not None:
            return named
        if index is not None and item is None:
            return None
        return next((item for item in reversed(self._items) if item.kind == kind and not item.done), None)

    def told_by(self, index: int | None) -> bool:
        """Does the index alone tell which item is meant?"""
        return index is not None and not self._shared

    def known(self, wire: Item, index: int | None) -> OutputItem | None:
        """The item that an added one merely repeats, or whose deltas came before it was added."""
        at = self._by_index.get(index) if index is not None else None
        if at is not None and at.lazy and at.kind == wire.type:
            return at
        for name in (wire.id, wire.call_id):
            named = self._by_name.get(name) if name else None
            if named is not None and not named.done and named.kind == wire.type:
                return named if named.call_id in (None, wire.call_id or named.call_id) else None
        return None

    def add(self, wire: Item, index: int | None, arrival: Arrival) -> OutputItem:
        """A new item, said to be this one."""
        kind = wire.type or ""
        make = KINDS.get(kind) or (hosted.ResultItem if kind.endswith("_output") else hosted.OpaqueItem)
        before = self._by_index.get(index) if index is not None else None
        self._shared = self._shared or (before is not None and before.kind == kind and not before.done)
        item = make(str(len(self._items)), wire, index, arrival)
        if isinstance(item, CallItem):
            item.declared = self.declared
            item.executor = self.custom if isinstance(item, CustomCallItem) else item.executor
        self._items.append(item)
        self.name(item, wire, index)
        return item

    def finish(self, out: Assembler, item: OutputItem | None, wire: Item, index: int | None, form: Verbatim) -> None:
        """An item's last word. The first counts; an item that was never heard of before is said whole."""
        if item is None:
            item = self.add(wire, index, "whole")
            item.announce(out, wire)
        if not item.done:
            item.finish(out, wire, form)

    def name(self, item: OutputItem, wire: Item, index: int | None) -> None:
        """Remember by what the source speaks of an item. Some put the call's id where the item's is due."""
        item.identify(wire)
        if index is not None:
            self._by_index[index] = item
        for name in (wire.id, wire.call_id):
            if name:
                self._by_name[name] = item

    def matched(self, output: list[Item]) -> list[OutputItem | None]:
        """For each item of the whole output the one that was streamed: by id, else in order of its kind."""
        found = [self._named(wire) for wire in output]
        taken = {item.key for item in found if item is not None}
        free = {
            kind: iter([item for item in self._items if item.kind == kind and item.key not in taken]) for kind in KINDS
        }
        for position, wire in enumerate(output):
            if found[position] is None:
                found[position] = next(free.get(wire.type or "", iter(())), None)
        return found

    def _named(self, wire: Item) -> OutputItem | None:
        named = (self._by_name.get(name) for name in (wire.call_id, wire.id) if name)
        return next((item for item in named if item is not None and item.kind == wire.type), None)


def kind_of(wire: Item) -> str:
    """The kind of an item; one without a type that has a call's id and a name is a function call."""
    return wire.type or ("function_call" if wire.call_id and wire.name else "")
