"""Items that are said whole: tools with a form of their own, what tools gave back, images, and what we have no words for.

Knows: which member of such an item is its arguments and which its result, and who runs the tool.
Must not know: events of the wire, calls with arguments in pieces (calls.py). The item's own form is always carried with it.
"""

from typing import Final

from weft.assembler import Assembler
from weft.events import Arrival, Executor
from weft.protocols.openai_responses.items import OutputItem, Said
from weft.protocols.openai_responses.verbatim import Verbatim
from weft.protocols.openai_responses.wire import Item

CLIENT_TOOLS: Final = frozenset({"local_shell_call", "shell_call", "apply_patch_call", "computer_call"})
PROVIDER_TOOLS: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "tool_search_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "x_search_call",
        "view_image_call",
        "view_x_video_call",
    }
)
CODE_TOOLS: Final = frozenset({"code_interpreter_call", "code_execution_call", "program"})
_NAMED_LATE: Final = frozenset({"tool_search_call"})
"""Kinds whose call id is another one when they are done."""

_ARGUMENTS: Final = ("arguments", "action", "operation", "actions", "queries", "code")
_RESULTS: Final = ("output", "outputs", "results", "result", "tools")


class ToolItem(OutputItem):
    """A tool that is named by the kind of its item; its arguments are there when it is done."""

    def __init__(self, key: str, wire: Item, index: int | None, arrival: Arrival) -> None:
        super().__init__(key, wire, index, arrival)
        self.opened = False

    def announce(self, out: Assembler, wire: Item) -> None:
        if self.kind not in _NAMED_LATE:
            self._open(out, wire)

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        super().finish(out, wire, form)
        self.identify(wire)
        if not self.opened:
            self.call_id = wire.call_id or self.call_id
        self._open(out, wire)
        self._say_arguments(out, form)
        out.opaque(form.plain(), self.key)
        out.end(self.key, wire.status != "incomplete")
        say_result(out, self, form, wire.name)

    def cut(self, out: Assembler, *, complete: bool) -> None:
        self._open(out, Item(type=self.kind))
        super().cut(out, complete=complete)

    def _open(self, out: Assembler, wire: Item) -> None:
        if self.opened:
            return
        self.opened = True
        tool = tool_of(self.kind)
        out.open(
            "tool_call", self.key, item=self.key, item_id=self.id, id=self.call_id or self.id, name=wire.name or tool,
            arrival=self._arrival(), executor=_executor(wire), tool=tool,
        )  # fmt: skip

    def _arrival(self) -> Arrival:
        return "whole"

    def _say_arguments(self, out: Assembler, form: Verbatim) -> None:
        out.args(_arguments(form), self.key)


class CodeItem(ToolItem):
    """A tool whose one argument is code that comes in pieces: said as the object that holds it."""

    def __init__(self, key: str, wire: Item, index: int | None, arrival: Arrival) -> None:
        super().__init__(key, wire, index, arrival)
        self._said = Said()

    def code(self, out: Assembler, text: str) -> None:
        """A piece of the code."""
        if not self._said.pieces:
            out.args('{"code":"', self.key)
        self._said.pieces.append(text)
        out.args(_escaped(text), self.key)

    def settle(self, out: Assembler, whole: str | None) -> None:
        """The source repeats the whole code."""
        if not whole or not self._said.pieces:
            return
        rest = self._said.rest(whole)
        if rest is None:
            out.note("done_differs", f"the whole code of item {self.key} is not what its deltas said")
        elif rest:
            out.args(_escaped(rest), self.key)

    def cut(self, out: Assembler, *, complete: bool) -> None:
        self._close_code(out)
        super().cut(out, complete=complete)

    def _arrival(self) -> Arrival:
        return self.arrival

    def _say_arguments(self, out: Assembler, form: Verbatim) -> None:
        if not self._said.pieces:
            super()._say_arguments(out, form)
            return
        code = form.value("code")
        self.settle(out, code if isinstance(code, str) else None)
        self._close_code(out)

    def _close_code(self, out: Assembler) -> None:
        if self._said.pieces:
            out.args('"}', self.key)


class ImageItem(OutputItem):
    """A picture; previews of it may come before it."""

    def announce(self, out: Assembler, wire: Item) -> None:
        out.open("file", self.key, item=self.key, item_id=self.id, arrival="whole", executor="provider")

    def preview(self, out: Assembler, data: str, form: str | None) -> None:
        """What it looks like so far."""
        out.file(key=self.key, media_type=_media_type(form), data=data, partial=True)

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        super().finish(out, wire, form)
        item = form.plain()
        if isinstance(data := item.get("result"), str) and data:
            out.file(key=self.key, media_type=_media_type(item.get("output_format")), data=data)
        out.opaque(item, self.key)
        out.end(self.key, wire.status not in ("incomplete", "failed"))


class ResultItem(OutputItem):
    """What a tool gave back that the provider ran, as an item of its own."""

    def announce(self, out: Assembler, wire: Item) -> None:
        out.open(
            "tool_result", self.key, item=self.key, item_id=self.id, id=self.call_id, name=tool_of(self.kind),
            arrival="whole", executor="provider",
        )  # fmt: skip

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        super().finish(out, wire, form)
        self.identify(wire)
        out.result(self.call_id, _result(form), self.key)
        out.opaque(form.plain(), self.key)
        out.end(self.key, wire.status != "incomplete")


class OpaqueItem(OutputItem):
    """A kind without words of ours: compaction, and whatever comes next."""

    def announce(self, out: Assembler, wire: Item) -> None:
        out.open(
            "opaque", self.key, item=self.key, item_id=self.id, name=self.kind, arrival="whole", executor="provider"
        )

    def finish(self, out: Assembler, wire: Item, form: Verbatim) -> None:
        super().finish(out, wire, form)
        out.opaque(form.plain(), self.key)
        out.end(self.key, wire.status != "incomplete")


def say_result(out: Assembler, item: OutputItem, form: Verbatim, name: str | None) -> None:
    """A result that stands in the item of the call itself is a block beside the call's."""
    error = form.value("error")
    content = _result(form) if error is None else error
    if content is None:
        return
    key = f"{item.key}.result"
    out.result(
        item.call_id or item.id, content, key,
        name=name or tool_of(item.kind), is_error=error is not None, item=item.key, item_id=item.id,
    )  # fmt: skip
    out.end(key)


def tool_of(kind: str) -> str:
    """The tool that a kind of item is named after."""
    return kind.removesuffix("_output").removesuffix("_call")


def _executor(wire: Item) -> Executor:
    """Who runs it. A shell in a container is the provider's; a search for tools may be left to the client."""
    if wire.execution == "client":
        return "client"
    if wire.environment is not None and str(wire.environment.get("type")).startswith("container"):
        return "provider"
    return "client" if wire.type in CLIENT_TOOLS else "provider"


def _arguments(form: Verbatim) -> str:
    """The arguments as one object: a member that is one, or the text in a string of JSON; anything else under its own name."""
    name = next((name for name in _ARGUMENTS if form.text(name)), "")
    text = form.text(name)
    if name == "arguments" and text.startswith('"'):
        return str(form.value(name))
    return text if not text or text.startswith("{") else f'{{"{name}":{text}}}'


def _result(form: Verbatim) -> object:
    return next((form.value(name) for name in _RESULTS if form.text(name)), None)


def _media_type(form: object) -> str | None:
    return f"image/{form}" if isinstance(form, str) and form else None


_ESCAPES: Final = {code: f"\\u{code:04x}" for code in range(32)} | {34: '\\"', 92: "\\\\", 10: "\\n", 9: "\\t"}


def _escaped(text: str) -> str:
    """Text as it stands between the quotes of a JSON string; half a character as its escape."""
    return text.translate(_ESCAPES).encode("utf-8", "backslashreplace").decode()
