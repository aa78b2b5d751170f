"""Sources that repeat: each piece of text, reasoning or arguments is all of it so far. The new is handed on, the rest dropped.

Knows: that this is declared, by a dialect's row or the caller. It is never guessed: two equal pieces may well be two equal words.
Must not know: wires.
"""

from collections.abc import Hashable
from typing import Any

from weft.calls import CallRouter
from weft.context import Context
from weft.filters import Filter


class Snapshots(Filter):
    """Keeps what each place has said, and hands on what goes beyond it."""

    def __init__(self, out: Any, context: Context | None = None) -> None:
        super().__init__(out, context)
        self._said: dict[Hashable, str] = {}
        self._routers: dict[int, CallRouter] = {}

    def text(
        self, text: str, choice: int = 0, key: Hashable = None, logprobs: Any = None, channel: str | None = None
    ) -> None:
        """Visible text so far."""
        self.out.text(self._new(("text", choice, key), text), choice, key, logprobs, channel)

    def refusal(self, text: str, choice: int = 0, key: Hashable = None, logprobs: Any = None) -> None:
        """A refusal so far."""
        self.out.refusal(self._new(("refusal", choice, key), text), choice, key, logprobs)

    def reasoning(self, text: str, choice: int = 0, key: Hashable = None, part: int = 0, form: str = "raw") -> None:
        """Reasoning so far."""
        self.out.reasoning(self._new(("reasoning", choice, key, part, form), text), choice, key, part, form)

    def args(self, text: str, key: Hashable) -> None:
        """Arguments so far, of a keyed call."""
        self.out.args(self._new(("args", key), text), key)

    def tool_call(
        self,
        index: int | None = None,
        id: str | None = None,
        name: str | None = None,
        args: str | None = None,
        choice: int = 0,
        **rest: Any,
    ) -> int | None:
        """A call with its arguments so far. Which call it is, is decided as everywhere."""
        router = self._routers.setdefault(choice, CallRouter(choice))
        call = router.route(index, id or None, name or None, args)
        args = self._new(("call", call), args) if args else args
        return self.out.tool_call(index, id, name, args, choice, **rest)

    def _new(self, place: Hashable, text: str) -> str:
        said = self._said.get(place, "")
        if text.startswith(said):
            self._said[place] = text
            return text[len(said) :]
        if said.startswith(text):
            return ""
        self._said[place] = text
        self.out.note("snapshot_differs", "a text does not go on with what it said before; it was taken as a new one")
        return text
