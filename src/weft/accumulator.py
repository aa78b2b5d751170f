"""Tool calls from fragments, for programs that have fragments and no stream: seed 003's accumulator.

Knows: the three shapes that Nous's normalisers emit, and our own events; each is told apart by looking at it.
Must not know: wires. Which call a fragment belongs to is decided by `calls`, as everywhere else.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any, Self

import msgspec

from weft import jsontext
from weft.calls import Call, CallRouter
from weft.events import ArgsDelta, BlockEnd, BlockStart, Event
from weft.jsontext import is_object
from weft.plain import plain


class ToolCallAccumulator:
    """`new()`, `feed(fragment)` any number of times, `finalize()`. Fragments of no known shape are ignored, as the seed says; an SDK's objects are known.

    `feed` changes the accumulator and gives it, so `acc = acc.feed(fragment)` and `acc = ToolCallAccumulator.feed(acc, fragment)` read as in Nous.

    The order is: indexed calls by index, then block-wise ones by index, then complete ones as they came. Complete calls without an id get one that
    follows from what they say; `salt` (a turn's number, say) keeps those of two conversations or turns apart.
    """

    def __init__(self, salt: str = "") -> None:
        self._salt = salt
        self._router = CallRouter()
        self._custom: set[Call] = set()
        self._open: dict[int, _Block] = {}
        self._blocks: list[_Block] = []
        self._complete: list[dict[str, Any]] = []

    @classmethod
    def new(cls, salt: str = "") -> Self:
        """An empty accumulator."""
        return cls(salt)

    def feed(self, fragment: Any) -> Self:
        """Take one fragment: a list of partial calls, a tagged piece of a block, a complete call, or one of our events."""
        if isinstance(fragment, list | tuple):
            for partial in map(plain, fragment):  # pyright: ignore[reportUnknownArgumentType] - anything may be handed in
                if is_object(partial):
                    self._partial(partial)
        elif isinstance(fragment, Event):
            self._event(fragment)
        elif is_object(fragment := plain(fragment)):
            self._tagged(fragment)
        return self

    def finalize(self, *, cut: bool = False) -> list[dict[str, Any]]:
        """The calls: `id` (or None), `name`, `arguments`. What does not parse to an object is `{}` with `_invalid_arguments` beside it.

        `cut`: the stream broke off, or stopped at a length. A call without arguments may then have lost them, and is tagged as well.
        """
        numbered = [(at if call.index is None else call.index, call) for at, call in enumerate(self._router)]
        indexed = [call for _, call in sorted(numbered, key=lambda pair: pair[0])]
        blocks = sorted((block for block in self._blocks if block.begun), key=lambda block: block.index)
        return [
            *(
                _final(call.id, call.name, "".join(call.pieces), cut=cut, custom=call in self._custom)
                for call in indexed
            ),
            *(block.final(cut=cut) for block in blocks),
            *self._complete,
        ]

    def _partial(self, partial: dict[str, Any]) -> None:
        """An OpenAI fragment. The first id and the first name win. The input of a custom tool is any text."""
        function, custom = partial.get("function"), partial.get("custom")
        inner: dict[str, Any] = function if is_object(function) else custom if is_object(custom) else {}
        index, id, name = partial.get("index"), partial.get("id"), inner.get("name")
        args = inner.get("input" if inner is custom else "arguments")
        text = args if isinstance(args, str) or args is None else _text(args)
        call = self._router.route(
            index if isinstance(index, int) else None,
            id if isinstance(id, str) and id else None,
            name if isinstance(name, str) and name else None,
            text,
        )
        if call is None:
            return
        call.name = call.name or (name if isinstance(name, str) else None)
        if text:
            call.pieces.append(text)
        call.whole = call.whole or is_object(args)
        if inner is custom:
            self._custom.add(call)

    def _tagged(self, fragment: dict[str, Any]) -> None:
        """A piece of an Anthropic block, or a complete call."""
        phase, index = fragment.get("_phase"), fragment.get("_index")
        if isinstance(phase, str) and isinstance(index, int):
            self._phase(phase.removeprefix(":"), index, fragment)
            return
        name, arguments = fragment.get("name"), fragment.get("arguments")
        if not is_object(arguments):
            arguments = fragment.get("input")
        if not isinstance(name, str) or not is_object(arguments):
            return
        id = fragment.get("id") or self._made_id(name, arguments)
        call: dict[str, Any] = {"id": id, "name": name, "arguments": arguments}
        self._complete.append(call | ({"metadata": fragment["metadata"]} if "metadata" in fragment else {}))

    def _phase(self, phase: str, index: int, fragment: dict[str, Any]) -> None:
        """A block begins, goes on or stops. Blocks of text stop as well, and are none of ours."""
        if phase == "start":
            self._block(index, fragment.get("id")).begin(fragment)
        elif phase == "partial" and isinstance(piece := fragment.get("partial_json"), str):
            self._block(index).pieces.append(piece)
        elif phase == "stop" and index in self._open:
            self._open[index].ended = True

    def _event(self, event: Any) -> None:
        """One of our own events; calls of other choices belong to other answers."""
        if isinstance(event, BlockStart):
            if event.kind == "tool_call" and event.choice == 0:
                block = self._block(event.index)
                block.id, block.name, block.custom = event.id, event.name, event.tool == "custom"
                block.begun, block.sound = True, False
        elif isinstance(event, ArgsDelta) and event.index in self._open:
            self._open[event.index].pieces.append(event.text)
        elif isinstance(event, BlockEnd) and event.index in self._open:
            block = self._open[event.index]
            block.ended, block.sound = True, event.complete

    def _block(self, index: int, id: Any = None) -> "_Block":
        """The block of this index; one that has ended is not opened again by another id."""
        block = self._open.get(index)
        if block is None or (block.ended and id not in (None, block.id)):
            block = self._open[index] = _Block(index)
            self._blocks.append(block)
        return block

    def _made_id(self, name: str, arguments: dict[str, Any]) -> str:
        """In the form that Nous gives, but the same each time."""
        told = _text([self._salt, len(self._complete), name, arguments]).encode()
        return f"gemini_{urlsafe_b64encode(sha256(told).digest()[:8]).rstrip(b'=').decode()}"


class _Block:
    """A call that has a beginning and an end of its own.

    Pieces of a block that never begins are the input of a server's own tool. `sound` is false until our own events say that it may be executed.
    """

    def __init__(self, index: int) -> None:
        self.index = index
        self.id: str | None = None
        self.name: str | None = None
        self.pieces: list[str] = []
        self.custom = False
        self.begun = False
        self.ended = False
        self.sound = True
        self._input: dict[str, Any] = {}

    def begin(self, fragment: dict[str, Any]) -> None:
        """The first id and the first name win; an input that is there from the beginning counts if no pieces follow."""
        self.begun = True
        id, name, given = fragment.get("id"), fragment.get("name"), fragment.get("input")
        self.id = self.id or (id if isinstance(id, str) and id else None)
        self.name = self.name or (name if isinstance(name, str) and name else None)
        self._input = self._input or (given if is_object(given) else {})

    def final(self, *, cut: bool) -> dict[str, Any]:
        """The call. One that neither stopped nor has arguments was cut off."""
        raw = "".join(self.pieces)
        if not self.sound:
            return {"id": self.id, "name": self.name, "arguments": {}, "_invalid_arguments": raw}
        if self._input and not raw:
            return {"id": self.id, "name": self.name, "arguments": self._input}
        return _final(self.id, self.name, raw, cut=cut or not self.ended, custom=self.custom)


def _final(id: str | None, name: str | None, raw: str, *, cut: bool, custom: bool) -> dict[str, Any]:
    if custom:
        return {"id": id, "name": name, "arguments": {"input": raw}}
    arguments = None if cut and not raw.strip() else jsontext.decode_object(raw)
    if arguments is None:
        return {"id": id, "name": name, "arguments": {}, "_invalid_arguments": raw}
    return {"id": id, "name": name, "arguments": arguments}


def _text(value: Any) -> str:
    """The JSON of a value, the same each time; what JSON has no form for is told in words."""
    try:
        return msgspec.json.encode(value, enc_hook=str, order="deterministic").decode()
    except UnicodeError:
        return jsontext.encode(msgspec.to_builtins(value, enc_hook=str)).decode()
