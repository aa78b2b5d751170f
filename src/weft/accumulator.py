"""Tool calls from fragments, for programs that have fragments and no stream: seed 003's accumulator.

Knows: the three shapes that Nous's normalisers emit, and our own events; each is told apart by looking at it.
Must not know: wires. Which call a fragment belongs to is decided by `calls`, as everywhere else.
"""

from typing import Any, Self

import msgspec

from weft import jsontext
from weft.calls import Call, CallRouter
from weft.events import ArgsDelta, BlockStart


class ToolCallAccumulator:
    """`new()`, `feed(fragment)` any number of times, `finalize()`. Fragments of no known shape are ignored, as the seed says.

    The order is: indexed calls by index, then block-wise ones by index, then complete ones as they came.
    """

    def __init__(self) -> None:
        self._router = CallRouter()
        self._blocks: dict[int, Call] = {}
        self._complete: list[dict[str, Any]] = []

    @classmethod
    def new(cls) -> Self:
        """An empty accumulator."""
        return cls()

    def feed(self, fragment: Any) -> Self:
        """Take one fragment: a list of partial calls, a tagged piece of a block, a complete call, or one of our events."""
        if isinstance(fragment, list | tuple):
            for partial in fragment:  # pyright: ignore[reportUnknownVariableType] - anything may be handed in
                if isinstance(partial, dict):
                    self._partial(partial)  # pyright: ignore[reportUnknownArgumentType] - JSON
        elif isinstance(fragment, dict):
            self._tagged(fragment)  # pyright: ignore[reportUnknownArgumentType] - JSON
        elif isinstance(fragment, BlockStart) and fragment.kind == "tool_call":
            self._start(fragment.index, fragment.id, fragment.name)
        elif isinstance(fragment, ArgsDelta):
            self._block(fragment.index).pieces.append(fragment.text)
        return self

    def finalize(self) -> list[dict[str, Any]]:
        """The calls: `id` (or None), `name`, `arguments`. What does not parse to an object is `{}` with `_invalid_arguments` beside it."""
        numbered = [(at if call.index is None else call.index, call) for at, call in enumerate(self._router)]
        indexed = [call for _, call in sorted(numbered, key=lambda pair: pair[0])]
        blocks = [self._blocks[index] for index in sorted(self._blocks)]
        return [_final(call) for call in indexed + blocks] + self._complete

    def _partial(self, partial: dict[str, Any]) -> None:
        """An OpenAI fragment. The first id and the first name win."""
        function = partial.get("function")
        inner: dict[str, Any] = function if isinstance(function, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON
        index, id, name = partial.get("index"), partial.get("id"), inner.get("name")
        args = inner.get("arguments")
        text = args if isinstance(args, str) else msgspec.json.encode(args).decode() if args is not None else None
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
        call.whole = call.whole or isinstance(args, dict)

    def _tagged(self, fragment: dict[str, Any]) -> None:
        """A piece of an Anthropic block, or a complete call."""
        phase, index = fragment.get("_phase"), fragment.get("_index")
        if phase is not None and isinstance(index, int):
            if phase == "start":
                self._start(index, fragment.get("id"), fragment.get("name"))
            elif phase == "partial" and isinstance(piece := fragment.get("partial_json"), str):
                self._block(index).pieces.append(piece)
            return
        name = fragment.get("name")
        arguments = fragment.get("arguments") if isinstance(fragment.get("arguments"), dict) else fragment.get("input")
        if isinstance(name, str) and isinstance(arguments, dict):
            id = fragment.get("id")
            call: dict[str, Any] = {"id": id or f"gemini_{len(self._complete)}", "name": name, "arguments": arguments}
            self._complete.append(call | ({"metadata": fragment["metadata"]} if "metadata" in fragment else {}))

    def _start(self, index: int, id: Any, name: Any) -> None:
        call = self._block(index)
        call.id = call.id or (id if isinstance(id, str) else None)
        call.name = call.name or (name if isinstance(name, str) else None)

    def _block(self, index: int) -> Call:
        call = self._blocks.get(index)
        if call is None:
            call = self._blocks[index] = Call(0, index)
        return call


def _final(call: Call) -> dict[str, Any]:
    raw = "".join(call.pieces)
    arguments = jsontext.decode_object(raw)
    final: dict[str, Any] = {"id": call.id, "name": call.name, "arguments": {} if arguments is None else arguments}
    return final if arguments is not None else final | {"_invalid_arguments": raw}
