"""Ollama's tool calls: each comes whole, in one line, and its place in the stream is all that tells it from the others.

Knows: where name, id and arguments of a call are on this wire. Must not know: in which line it stood.
Index 0 for every call is common and the same id again is seen, so neither makes two calls one.
"""

from weft import jsontext
from weft.assembler import Assembler
from weft.protocols.ollama.wire import Function, ToolCall

_NO_FUNCTION = Function()


class Calls:
    """The calls of one stream, in order."""

    def __init__(self) -> None:
        self._count = 0
        self._said: dict[str, int] = {}

    def take(self, out: Assembler, call: ToolCall) -> None:
        """Say a call. Arguments that are a value are all of them; text may be a piece, as in chat.completions."""
        function = call.function or _NO_FUNCTION
        name = function.name or call.name
        raw = bytes(function.arguments) or bytes(call.arguments)
        args = jsontext.packed(raw)
        if args and raw[:1] != b'"':
            self._whole(out, call.id or None, name, args)
        else:
            out.tool_call(call.index, call.id, name, args or None)

    def _whole(self, out: Assembler, id: str | None, name: str | None, args: str) -> None:
        content = hash((name, args))
        if id is not None and id in self._said:
            if self._said[id] == content:
                out.note("call_repeated", f"call {id!r} was said again")
                return
            out.note("call_id_reused", f"the id {id!r} is that of an earlier call; this one gets another")
            id = None
        elif id is not None:
            self._said[id] = content
        key = ("call", self._count)
        self._count += 1
        out.split()
        out.open("tool_call", key, id=id, name=name, arrival="whole")
        out.args(args, key)
        out.end(key)
