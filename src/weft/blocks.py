"""The book of open blocks: it alone opens, numbers and closes them, and counts what each choice has produced.

Knows: numbers of blocks and items, the source's own keys, lanes (one for each choice).
Must not know: wires, phases, the end of the stream.
"""

from collections.abc import Callable, Hashable
from typing import Any, Final

from weft import jsontext
from weft.calls import Call, CallRouter
from weft.ending import Tally
from weft.events import BlockEnd, BlockKind, BlockStart, Event, Executor

IMPLICIT: Final = ("text", "reasoning", "refusal")
"""Kinds that a source without blocks of its own simply goes on saying."""

_CLOSED: Final = object()


class Block:
    """One block. `call` is there for tool calls alone. A closed block's key equals nothing, so that whoever still holds it sees."""

    __slots__ = ("call", "choice", "executor", "index", "item_id", "key", "kind", "tool")

    def __init__(self, index: int, kind: BlockKind, choice: int, key: Hashable, item_id: str | None) -> None:
        self.index = index
        self.kind: BlockKind = kind
        self.choice = choice
        self.key = key
        self.item_id = item_id
        self.call: Call | None = None
        self.executor: Executor = "client"
        self.tool = "function"


class Lane:
    """One choice: the block that unkeyed text or reasoning goes to, its calls, its tally."""

    __slots__ = ("current", "item", "router", "tally")

    def __init__(self, choice: int) -> None:
        self.current: Block | None = None
        self.item: int | None = None
        self.router = CallRouter(choice)
        self.tally = Tally()


class Blocks:
    """All open blocks in order, by index and by the source's key. Opening and closing are events."""

    def __init__(self, emit: Callable[[Event], object]) -> None:
        self.open: dict[int, Block] = {}
        self.keyed: dict[Hashable, Block] = {}
        self.lanes: dict[int, Lane] = {}
        self.step = 0
        self._emit = emit
        self._next_index = 0
        self._next_item = 0
        self._items: dict[Hashable, int] = {}

    def lane(self, choice: int) -> Lane:
        """The lane of a choice, made when the choice is first seen."""
        lane = self.lanes.get(choice)
        if lane is None:
            lane = self.lanes[choice] = Lane(choice)
        return lane

    def find(self, choice: int, key: Hashable) -> Block | None:
        """The block that the source means: by its key, or the choice's current one."""
        if key is not None:
            return self.keyed.get(key)
        lane = self.lanes.get(choice)
        return lane.current if lane is not None else None

    def latest(self, choice: int) -> Block | None:
        """The block that was spoken of last and is still open: the choice's current one, or its last call."""
        lane = self.lanes.get(choice)
        if lane is None or lane.current is not None or lane.router.last is None:
            return lane.current if lane is not None else None
        return self.open.get(lane.router.last.block)

    def start(
        self, kind: BlockKind, choice: int, key: Hashable, item: Hashable, item_id: str | None, **fields: Any
    ) -> Block:
        """Open a block; without a key it takes the place of the choice's current one."""
        lane = self.lane(choice)
        if key is None and lane.current is not None:
            self.close(lane.current, complete=True)
        block = Block(self._next_index, kind, choice, key, item_id)
        self._next_index += 1
        self.open[block.index] = block
        if key is not None:
            self.keyed[key] = block
        elif kind in IMPLICIT:
            lane.current = block
        lane.tally.kinds.add(kind)
        number = self._item(lane, kind, item)
        self._emit(BlockStart(block.index, kind, choice, number, item_id, self.step, **fields))
        return block

    def start_call(
        self,
        call: Call,
        key: Hashable,
        item: Hashable,
        item_id: str | None,
        executor: Executor,
        tool: str,
        **fields: Any,
    ) -> Block:
        """Open the block of a call; `fields` are those of its start, `id` among them."""
        block = self.start(
            "tool_call", call.choice, key, item, item_id,
            name=call.name or "", executor=executor, tool=tool, **fields,
        )  # fmt: skip
        block.call, block.executor, block.tool, call.block = call, executor, tool, block.index
        self.lane(call.choice).tally.calls += executor == "client"
        return block

    def close(self, block: Block, complete: bool) -> None:
        """End a block. A call is complete only if its arguments are, too."""
        lane = self.lane(block.choice)
        if block.call is not None:
            complete = complete and bool(block.call.name) and not block.call.torn and _executable(block)
            lane.router.forget(block.call)
            lane.tally.complete_calls += complete and block.executor == "client"
        del self.open[block.index]
        if self.keyed.get(block.key) is block:
            del self.keyed[block.key]
        if lane.current is block:
            lane.current = None
        block.key = _CLOSED
        self._emit(BlockEnd(block.index, complete))

    def close_all(self, complete: Callable[[Block], bool]) -> None:
        """End what is open, in order."""
        for block in list(self.open.values()):
            self.close(block, complete(block))

    def tear(self, finished: Callable[[int], bool]) -> None:
        """Something is lost. A call whose arguments are not closed may have had it: it is not to be executed."""
        calls = [block.call for block in self.open.values() if block.call is not None]
        calls += [call for lane in self.lanes.values() for call in lane.router]
        for call in calls:
            call.torn = call.torn or not (call.looks_closed or finished(call.choice))

    def forget_calls(self) -> None:
        """The calls so far no longer count."""
        for lane in self.lanes.values():
            lane.tally.calls = lane.tally.complete_calls = 0

    def _item(self, lane: Lane, kind: BlockKind, item: Hashable) -> int:
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


def _executable(block: Block) -> bool:
    """Arguments in JSON are empty or one object; the input of a custom tool is any text."""
    return block.tool == "custom" or (
        block.call is not None and jsontext.decode_object("".join(block.call.pieces)) is not None
    )
