"""The book of open blocks: which are open, under which key the source speaks of them, and what number the next one gets.

Knows: numbers of blocks and items, lanes (one for each choice), and what each choice has produced.
Must not know: wires, the end of the stream, how events are sent.
"""

from collections.abc import Hashable

from weft.calls import Call, CallRouter
from weft.ending import Tally
from weft.events import BlockKind, Executor


class Block:
    """One open block. `call` is there for tool calls alone."""

    __slots__ = ("call", "choice", "executor", "index", "item_id", "key", "kind")

    def __init__(self, index: int, kind: BlockKind, choice: int, key: Hashable, item_id: str | None) -> None:
        self.index = index
        self.kind: BlockKind = kind
        self.choice = choice
        self.key = key
        self.item_id = item_id
        self.call: Call | None = None
        self.executor: Executor = "client"


class Lane:
    """One choice: the block that unkeyed text or reasoning goes to, its calls, its tally."""

    __slots__ = ("current", "item", "router", "tally")

    def __init__(self, choice: int) -> None:
        self.current: Block | None = None
        self.item: int | None = None
        self.router = CallRouter(choice)
        self.tally = Tally()


class Blocks:
    """All open blocks in order, by index and by the source's key."""

    def __init__(self) -> None:
        self.open: dict[int, Block] = {}
        self.keyed: dict[Hashable, Block] = {}
        self.lanes: dict[int, Lane] = {}
        self._next_index = 0
        self._next_item = 0
        self._items: dict[Hashable, int] = {}

    def lane(self, choice: int) -> Lane:
        """The lane of a choice, made when the choice is first seen."""
        lane = self.lanes.get(choice)
        if lane is None:
            lane = self.lanes[choice] = Lane(choice)
        return lane

    def add(self, kind: BlockKind, choice: int, key: Hashable, item_id: str | None) -> Block:
        """A new block with the next number."""
        block = Block(self._next_index, kind, choice, key, item_id)
        self._next_index += 1
        self.open[block.index] = block
        if key is not None:
            self.keyed[key] = block
        return block

    def remove(self, block: Block) -> None:
        """The block is over."""
        del self.open[block.index]
        if self.keyed.get(block.key) is block:
            del self.keyed[block.key]
        lane = self.lanes[block.choice]
        if lane.current is block:
            lane.current = None

    def item(self, lane: Lane, kind: BlockKind, item: Hashable) -> int:
        """The number of the wire item that a block belongs to. Without a word from the source, neighbouring text and refusal share one."""
        if item is not None:
            number = self._items.get(item)
            if number is None:
                number = self._items[item] = self._take_item()
            return number
        if kind not in ("text", "refusal"):
            lane.item = None
            return self._take_item()
        if lane.item is None:
            lane.item = self._take_item()
        return lane.item

    def _take_item(self) -> int:
        self._next_item += 1
        return self._next_item - 1
