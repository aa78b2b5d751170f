"""Calls of tools that a model wrote into its text: each family of models has its own markers, in a file of its own.

Knows: how markup is cut out of the text and becomes calls. Must not know: the markup of any family, or wires.

Markup is held until it ends, and is said as the text that it was if it does not parse, or calls a tool that was not declared: nothing is lost.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec

from weft.context import Context
from weft.filters.holding import Holding, Lane
from weft.filters.markers import Marker
from weft.filters.tool_markup.declared import Declared

LOOK: Final = 160
"""So many characters after an opening marker show whether it is one: if markup does not begin there, it was but mentioned."""

_SPACES: Final = re.compile(r"\s*")


class WrittenCall(msgspec.Struct, frozen=True):
    """A call as it was written; the arguments are JSON text."""

    name: str
    args: str
    id: str | None = None


Parse = Callable[[str, Declared], Sequence[WrittenCall] | None]


class Block(msgspec.Struct, frozen=True):
    """One way to write calls: the markers around them, how what stands between begins (a pattern), and who reads that.

    `parse` gives None for what are no calls. `unclosed`: what it reads is whole by itself, so that the closing marker may be missing at the
    end of the text, being the token that ended the message.
    """

    opens: str
    closes: str
    begins: str
    parse: Parse
    unclosed: bool = True


class WrittenCalls(Holding):
    """A filter that finds calls. `tools` are the names of those that may be called; without them the context's, without those all."""

    def __init__(self, out: Any, context: Context | None = None, tools: Iterable[str] | None = None) -> None:
        super().__init__(out, context)
        self.declared = Declared.of(context, tools)
        self._count = 0

    def call(self, call: WrittenCall, choice: int, *, ended: bool) -> None:
        """Say a call. One whose markup was not ended is judged by how the stream ends."""
        key = ("written call", self._count)
        self._count += 1
        self.out.split(choice)
        self.out.open("tool_call", key, choice=choice, id=call.id, name=call.name, arrival="whole")
        self.out.args(call.args, key)
        if ended:
            self.out.end(key)


class ToolMarkup(WrittenCalls):
    """One family's markup."""

    blocks: ClassVar[tuple[Block, ...]]
    marker: ClassVar[Marker]
    block_of: ClassVar[Mapping[str, tuple[Block, Marker]]]

    def __init_subclass__(cls) -> None:
        cls.marker = Marker.of(*(block.opens for block in cls.blocks))
        cls.block_of = {block.opens.lower(): (block, Marker.of(block.closes)) for block in cls.blocks}


class MarkupLane(Lane):
    """One text, with the calls in it."""

    filter: ToolMarkup

    def __init__(self, filter: ToolMarkup, choice: int, key: Hashable) -> None:
        super().__init__(filter, choice, key)
        self.read = self._between
        self._called = False
        self._space: list[str] = []
        self._block, self._closing = next(iter(filter.block_of.values()))
        self._opened = ""
        self._pieces: list[str] = []

    def release(self) -> None:
        held = self.take_held()
        if self.read in (self._looking, self._inside):
            inside = "".join(self._pieces) + held
            if not (self._block.unclosed and self._call(inside, "", ended=False)):
                self._mentioned(self._opened + inside)
            return
        space = self._take_space()
        if self._called and not held:
            self.markup(space)
            return
        self.read = self._text if held else self.read
        self.say(space + held)

    # -- states --------------------------------------------------------------------------------------------------

    def _between(self, text: str, at: int) -> int:
        """Nothing but white space since the text began or a call ended; it is layout if another call follows."""
        space = _SPACES.match(text, at)
        begin = at if space is None else space.end()
        self._space.append(text[at:begin])
        cut = self.filter.marker.here(text, begin)
        if cut is None:
            self.read = self._text
            self.say(self._take_space())
            return begin
        if cut.found is None:
            return self.hold(text, begin)
        self.markup(self._take_space())
        self._enter(cut.found)
        return cut.rest

    def _text(self, text: str, at: int) -> int:
        end, found, rest = self.filter.marker.cut(text, at)
        self.say(text[at:end])
        if found is None:
            return self.hold(text, rest)
        self._enter(found)
        return rest

    def _looking(self, text: str, at: int) -> int:
        """Is it markup that follows the marker?"""
        end, found, _ = self._closing.cut(text, at, at + LOOK + self._closing.longest)
        seen = end - at
        if (found is not None and seen < LOOK) or re.match(self._block.begins, text[at : min(end, at + LOOK)]):
            self.read = self._inside
            return at
        if seen < LOOK:
            return self.hold(text, at)
        self._mentioned(self._opened)
        return at

    def _inside(self, text: str, at: int) -> int:
        end, found, rest = self._closing.cut(text, at)
        self._pieces.append(text[at:end])
        if found is None:
            return self.hold(text, rest)
        inside = "".join(self._pieces)
        if not self._call(inside, found.group(), ended=True):
            self._mentioned(self._opened + inside + found.group())
        return rest

    # -- inside --------------------------------------------------------------------------------------------------

    def _enter(self, marker: re.Match[str]) -> None:
        self._opened = marker.group()
        self._block, self._closing = self.filter.block_of[self._opened.lower()]
        self._pieces.clear()
        self.read = self._looking

    def _mentioned(self, text: str) -> None:
        """It was text after all."""
        self._pieces.clear()
        self.read = self._text
        self.say(text)

    def _call(self, inside: str, closed: str, *, ended: bool) -> bool:
        """Say the calls, if they are calls, and of tools that may be called."""
        calls = self._block.parse(inside, self.filter.declared)
        if not calls or not all(self.filter.declared.has(call.name) for call in calls):
            return False
        for call in calls:
            self.filter.call(call, self.choice, ended=ended)
        self.markup(self._opened + inside + closed)
        self._pieces.clear()
        self._called = True
        self.read = self._between
        return True

    def _take_space(self) -> str:
        space = "".join(self._space)
        self._space.clear()
        return space


ToolMarkup.lane = MarkupLane
