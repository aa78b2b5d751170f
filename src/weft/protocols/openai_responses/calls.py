"""Calls whose arguments come in pieces: functions, custom tools, MCP.

Knows: when a call can be announced, and how its whole arguments are held against the pieces they came in.
Must not know: events of the wire, tools that are said whole (hosted.py).
"""

from typing import ClassVar

from weft import jsontext
from weft.assembler import Assembler
from weft.events import Arrival, Executor
from weft.protocols.openai_responses import hosted
from weft.protocols.openai_responses.items import OutputItem
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Item
from weft.wrapper import WRAPPERS, calls_in


class CallItem(OutputItem):
    """A function call. It is announced once its name is known; what came before that is held.

    `declared` are the functions that were offered to the model, if the source says so.
    """

    WORDS = frozenset({"id", "type", "status", "call_id", "name", "arguments"})
    TOOL: ClassVar[str] = "function"

    def __init__(self, key: str, wire: Item, index: int | None, arrival: Arrival) -> None:
        super().__init__(key, wire, index, arrival)
        self.opened = False
        self.executor: Executor = "client"
        self.declared: frozenset[str] = frozenset()
        self._name = wire.name or None
        self._held: list[str] = []
        self._sound = True

    def identify(self, wire: Item) -> None:
        super().identify(wire)
        self._name = self._name or wire.name or None

    def announce(self, out: Assembler, wire: Item) -> None:
        if self._name and not self._wraps():
            self._open(out)

    def adopt(self, out: Assembler, wire: Item) -> None:
        super().adopt(out, wire)
        self.announce(out, wire)

    def args(self, out: Assembler, text: str) -> None:
        """A piece of the arguments."""
        if self.opened:
            out.args(text, self.key)
        else:
            self._held.append(text)

    def settle(self, out: Assembler, whole: str | None) -> None:
        """The source repeats all arguments. Empty where something was said says nothing; other ones make the call unfit to run."""
        said = out.call_args(self.key) if self.opened else "".join(self._held)
        if not whole:
            return
        if whole.startswith(said):
            self.args(out, whole[len(said) :])
            out.args_repeated(self.key)
        elif self._sound and not self._same(said, whole):
            self._sound = False
            out.note("done_differs", f"the whole arguments of call {self.call_id!r} are not what their deltas said")

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        super().finish(out, wire, form)
        self.identify(wire)
        self.settle(out, self._whole(wire, form))
        complete = self._sound and wire.status != "incomplete"
        if not self.opened and self._wraps() and self._unwrap(out, complete=complete):
            return
        self._open(out)
        self._close(out, wire, form, complete=complete)

    def cut(self, out: Assembler, *, complete: bool) -> None:
        self._open(out)
        super().cut(out, complete=complete and self._sound)

    def _open(self, out: Assembler) -> None:
        if self.opened:
            return
        self.opened = True
        if not self._name:
            out.note("call_without_name", f"call {self.call_id!r} never got a name")
        out.open(
            "tool_call", self.key, item=self.key, item_id=self.id, id=self.call_id or self.id, name=self._name,
            arrival=self.arrival, executor=self.executor, tool=self.TOOL,
        )  # fmt: skip
        out.args("".join(self._held), self.key)
        self._held.clear()

    def _close(self, out: Assembler, wire: Item, form: Verbatim, *, complete: bool) -> None:
        self.carry(out, self.key, wire, form)
        out.end(self.key, complete)

    def _whole(self, wire: Item, form: Verbatim) -> str | None:
        return wire.arguments if isinstance(wire.arguments, str) else form.text("arguments")

    def _same(self, said: str, whole: str) -> bool:
        """Written another way, the arguments are still the same."""
        arguments = jsontext.decode_object(whole)
        return arguments is not None and arguments == jsontext.decode_object(said)

    def _wraps(self) -> bool:
        return self._name in WRAPPERS and bool(self.declared) and self._name not in self.declared

    def _unwrap(self, out: Assembler, *, complete: bool) -> bool:
        """Say the calls inside an undeclared wrapper as calls of their own, if that is what it holds. The item's id is none of theirs."""
        calls = calls_in("".join(self._held), self.declared)
        for number, (name, arguments) in enumerate(calls):
            key = f"{self.key}.{number}"
            id = f"{self.call_id or self.id}_{number}"
            out.open("tool_call", key, item=key, id=id, name=name, arrival="whole", made=True)
            out.args(arguments, key)
            out.end(key, complete)
        return bool(calls)


class CustomCallItem(CallItem):
    """A call of a custom tool: its input is text of any form."""

    WORDS = frozenset({"id", "type", "status", "call_id", "name", "input"})
    TOOL = "custom"

    def _whole(self, wire: Item, form: Verbatim) -> str | None:
        return wire.input

    def _same(self, said: str, whole: str) -> bool:
        return said == whole


class McpCallItem(CallItem):
    """A call that the provider makes to an MCP server; its output or error stands in the item."""

    TOOL = "mcp"

    def __init__(self, key: str, wire: Item, index: int | None, arrival: Arrival) -> None:
        super().__init__(key, wire, index, arrival)
        self.executor = "provider"

    def _close(self, out: Assembler, wire: Item, form: Verbatim, *, complete: bool) -> None:
        out.opaque(form.plain(), self.key)
        out.end(self.key, complete)
        hosted.say_result(out, self, form, wire.name)
