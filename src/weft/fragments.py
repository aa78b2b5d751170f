"""Tool calls of sources that have no blocks: fragments become blocks as soon as the call has a name.

Knows: when a call may be announced, and what is held until then.
Must not know: wires, phases, the end of the stream. Which call a fragment belongs to is decided by `calls`.
"""

from collections.abc import Callable
from typing import Protocol

from weft.blocks import Block, Blocks
from weft.calls import Call
from weft.events import ArgsDelta, Event, Executor
from weft.rules import Rules


class Stream(Protocol):
    """What fragments need of the stream around them."""

    rules: Rules

    def accepts(self, what: str, choice: int | None = None) -> bool: ...

    def note(self, code: str, message: str) -> None: ...

    def made_id(self) -> str: ...


class Fragments:
    """Takes fragments, routes them, announces their calls."""

    def __init__(self, stream: Stream, blocks: Blocks, emit: Callable[[Event], object]) -> None:
        self._stream = stream
        self._blocks = blocks
        self._emit = emit
        self._calling: Block | None = None

    def take(
        self,
        index: int | None = None,
        id: str | None = None,
        name: str | None = None,
        args: str | None = None,
        choice: int = 0,
        *,
        whole: bool = False,
        tool: str = "function",
        executor: Executor = "client",
    ) -> int | None:
        """A fragment of a call; `whole` says that its arguments are complete.

        Gives the block's index, so that a signature can be attached, or None while the call has no name yet.
        """
        block = self._calling
        if id or name or whole or block is None or index is None or block.key != index or block.choice != choice:
            return self._route(index, id or None, name or None, args, choice, whole, tool, executor)
        if args:
            block.call.pieces.append(args)  # pyright: ignore[reportOptionalMemberAccess] - `_calling` always has a call
            self._emit(ArgsDelta(block.index, args))
        return block.index

    def pause(self) -> None:
        """The source has said something about the end: the next fragment is looked at afresh."""
        self._calling = None

    def nameless(self) -> bool:
        """Is there a call that nobody has named yet?"""
        return any(call.name is None for lane in self._blocks.lanes.values() for call in lane.router)

    def announce_all(self) -> None:
        """Calls that never got a name are announced all the same: incomplete, not lost."""
        for lane in list(self._blocks.lanes.values()):
            for call in lane.router:
                if call.block >= 0:
                    continue
                if call.name is None:
                    self._stream.note("call_without_name", f"call {call.id!r} never got a name")
                self._announce(call, whole=False, tool="function", executor="client")

    def _route(
        self,
        index: int | None,
        id: str | None,
        name: str | None,
        args: str | None,
        choice: int,
        whole: bool,
        tool: str,
        executor: Executor,
    ) -> int | None:
        if id is None and name is None and not args:
            return self._spoken_of(index, choice)
        if not self._stream.accepts("tool_call", choice):
            return None
        call = self._blocks.lane(choice).router.route(index, id, name, args)
        if call is None:
            self._stream.note("call_echo", f"the call at index {index} was said again")
            self._calling = None
            return None
        if call.block >= 0 and call.block not in self._blocks.open:
            self._stream.note("args_after_call", f"a fragment for call {call.id!r}, which has ended")
            return None
        self._name(call, name)
        if call.made and id is not None:
            call.made = False
            self._stream.note("late_call_id", f"the id {id!r} came after its call was announced under one of ours")
        if args:
            call.pieces.append(args)
        if call.block < 0:
            if call.name is None or (self._stream.rules.names == "append" and not args and not whole):
                return None
            self._announce(call, whole, tool, executor)
        elif args:
            self._emit(ArgsDelta(call.block, args))
        block = self._blocks.open[call.block]
        if whole:
            call.whole = True
        elif index is not None:
            block.key, self._calling = index, block
        return block.index

    def _spoken_of(self, index: int | None, choice: int) -> int | None:
        """The block of the open call that a fragment names by its index and says nothing of: something may stand beside it."""
        lane = self._blocks.lanes.get(choice)
        call = lane.router.at(index) if lane is not None else None
        return call.block if call is not None and call.block in self._blocks.open else None

    def _name(self, call: Call, name: str | None) -> None:
        """The first name wins; a dialect may declare that names come in pieces."""
        if name is None or name == call.name:
            return
        if call.name is None:
            call.name = name
        elif self._stream.rules.names == "append" and call.block < 0:
            call.name += name
        else:
            self._stream.note("name_changed", f"call {call.id!r} is {call.name!r}, later named {name!r}")

    def _announce(self, call: Call, whole: bool, tool: str, executor: Executor) -> None:
        """Open the block of a call and hand on what its arguments were so far."""
        call.made = call.id is None
        id = call.id or self._stream.made_id()
        arrival = "whole" if whole else "delta"
        block = self._blocks.start_call(call, None, None, None, executor, tool, id=id, arrival=arrival, made=call.made)
        if call.pieces:
            self._emit(ArgsDelta(block.index, "".join(call.pieces)))
