"""Function calls: whole in one part, or opened by name and filled piece by piece until something ends them.

Knows: where name, id and arguments of a call are on this wire, and what ends a call that came in pieces.
Must not know: frames, or how a value at a path becomes text.
A part is a call of its own whatever its name, so two of the same name are two; only the same id with the same content is one said again.
"""

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.protocols.gemini.partial_args import ArgsWriter, OutOfOrderError
from weft.protocols.gemini.wire import FunctionCall, PartialArg


def given(raw: msgspec.Raw) -> bool:
    """Is this member there? null is absent."""
    return bytes(raw) not in {b"", b"null"}


class _Open:
    """A call whose arguments are still coming. One whose pieces made no text is not closed, and so never complete.

    `halfway`: the last piece was a part of a text that was said to go on.
    """

    __slots__ = ("halfway", "id", "key", "spoiled", "writer")

    def __init__(self, key: str, id: str | None) -> None:
        self.key = key
        self.id = id
        self.writer = ArgsWriter()
        self.spoiled = False
        self.halfway = False


class FunctionCalls:
    """The calls of one stream. Of each choice one may be open."""

    def __init__(self) -> None:
        self._count = 0
        self._open: dict[int, _Open] = {}
        self._said: dict[str, int] = {}

    @property
    def pending(self) -> bool:
        """Is there a call that the next part or the finish will end?"""
        return bool(self._open)

    def go_on(self, out: Assembler, call: FunctionCall, choice: int, signature: str | None) -> bool:
        """Take a part that goes on with the open call, or ends it; false if there is none, or the part is of another."""
        opened = self._open.get(choice)
        if opened is None or (call.name and (call.id is None or call.id != opened.id)):
            return False
        self._continue(out, opened, call, choice, signature)
        return True

    def take(self, out: Assembler, call: FunctionCall, choice: int, signature: str | None) -> None:
        """Say a call that a part brings, all of it or its beginning. It ends the one before."""
        self.end(out, choice)
        if call.name and (call.will_continue or call.partial_args) and jsontext.packed(call.args) in {"", "{}"}:
            self._begin(out, call, choice, signature)
        elif call.name or given(call.args):
            self._whole(out, call, choice, signature)
        elif call.partial_args:
            out.note("args_without_call", "arguments of a call that nobody opened")

    def end(self, out: Assembler, choice: int, *, said: bool = False) -> None:
        """The open call of this choice is over. Where nobody `said` so but what came next shows it, half a text stays half."""
        call = self._open.pop(choice, None)
        if call is None:
            return
        cut = call.halfway and not said and not call.spoiled
        if cut:
            out.note("args_broke_off", "the arguments of a call ended in the middle of a text")
        elif not call.spoiled:
            out.args(call.writer.close(), call.key)
        out.end(call.key, not (cut or call.spoiled))

    def _whole(self, out: Assembler, call: FunctionCall, choice: int, signature: str | None) -> None:
        id, args = call.id or None, jsontext.packed(call.args)
        content = hash((call.name, args))
        if id is not None and id in self._said:
            if self._said[id] == content:
                out.note("call_repeated", f"call {id!r} was said again")
                return
            out.note("call_id_reused", f"the id {id!r} is that of an earlier call; this one gets another")
            id = None
        elif id is not None:
            self._said[id] = content
        key = self._key()
        out.split(choice)
        out.open("tool_call", key, choice=choice, id=id, name=call.name, arrival="whole")
        out.args(args, key)
        if signature:
            out.signature(signature, choice, key)
        out.end(key)

    def _begin(self, out: Assembler, call: FunctionCall, choice: int, signature: str | None) -> None:
        opened = self._open[choice] = _Open(self._key(), call.id or None)
        out.split(choice)
        out.open("tool_call", opened.key, choice=choice, id=opened.id, name=call.name)
        self._continue(out, opened, call, choice, signature)

    def _continue(self, out: Assembler, opened: _Open, call: FunctionCall, choice: int, signature: str | None) -> None:
        if signature:
            out.signature(signature, choice, opened.key)
        if call.partial_args:
            self._fill(out, opened, call.partial_args)
        if not call.will_continue:
            self.end(out, choice, said=True)

    def _fill(self, out: Assembler, opened: _Open, pieces: list[PartialArg]) -> None:
        """Say pieces, as far as they have a place in the text."""
        writer, key, halfway = opened.writer, opened.key, opened.halfway
        opened.halfway = pieces[-1].string_value is not None and bool(pieces[-1].will_continue)
        try:
            for piece in pieces if not opened.spoiled else ():
                if piece.string_value is not None:
                    out.args(writer.string(piece.json_path or "", piece.string_value), key)
                elif (text := _value(writer, piece)) is not None:
                    out.args(text, key)
                elif piece.json_path and not (piece.will_continue or halfway):
                    opened.spoiled = True
                    out.note("args_unknown_value", f"the value at {piece.json_path} is of a kind that nobody has named")
        except OutOfOrderError:
            opened.spoiled = True
            out.note("args_out_of_order", "a value of the arguments has no place after what came before it")

    def _key(self) -> str:
        self._count += 1
        return f"call {self._count}"


def _value(writer: ArgsWriter, piece: PartialArg) -> str | None:
    """The text of a piece that is a whole value; None for one that has none that is known."""
    path = piece.json_path or ""
    if piece.bool_value is not None:
        return writer.value(path, "true" if piece.bool_value else "false")
    if given(piece.number_value):
        return writer.value(path, bytes(piece.number_value).decode("utf-8", "replace"))
    return writer.value(path, "null") if piece.null_value else None
