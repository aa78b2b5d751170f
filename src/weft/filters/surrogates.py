"""Half characters: a UTF-16 pair that a source split over two deltas is put together again before anything is encoded.

Knows: lone surrogates. Put in place by the reader when the first frame with an escape that is no whole character comes by.
Must not know: wires.
"""

from collections.abc import Hashable
from typing import Any

import msgspec

from weft import jsontext
from weft.errors import Error
from weft.filters import Filter


def _is_high(char: str) -> bool:
    return "\ud800" <= char <= "\udbff"


class Surrogates(Filter):
    """Holds back a trailing high surrogate of each text; what never finds its other half becomes U+FFFD."""

    def __init__(self, out: Any) -> None:
        super().__init__(out)
        self._held: dict[Hashable, str] = {}

    def __getattr__(self, verb: str) -> Any:
        """Any other verb: what it says comes at once, so its halves will stay halves."""
        say = getattr(self.out, verb)
        if not callable(say):
            return say

        def say_whole(*said: Any, **more: Any) -> Any:
            return say(*map(_entire, said), **{name: _entire(value) for name, value in more.items()})

        return say_whole

    def text(
        self, text: str, choice: int = 0, key: Hashable = None, logprobs: Any = None, channel: str | None = None
    ) -> None:
        """Visible text, in whole characters."""
        self.out.text(self._whole(("text", choice, key), text), choice, key, _entire(logprobs), _entire(channel))

    def refusal(self, text: str, choice: int = 0, key: Hashable = None, logprobs: Any = None) -> None:
        """A refusal, in whole characters."""
        self.out.refusal(self._whole(("refusal", choice, key), text), choice, key, _entire(logprobs))

    def reasoning(self, text: str, choice: int = 0, key: Hashable = None, part: int = 0, form: str = "raw") -> None:
        """Reasoning, in whole characters."""
        self.out.reasoning(self._whole(("reasoning", choice, key, part), text), choice, key, part, form)

    def args(self, text: str, key: Hashable) -> None:
        """Arguments, in whole characters."""
        self.out.args(self._whole(("args", key), text), key)

    def tool_call(
        self,
        index: int | None = None,
        id: str | None = None,
        name: str | None = None,
        args: str | None = None,
        choice: int = 0,
        **rest: Any,
    ) -> int | None:
        """A fragment of a call, its arguments in whole characters."""
        whole = self._whole(("call", choice, index), args) if args else args
        return self.out.tool_call(index, _entire(id), _entire(name), whole, choice, **rest)

    def _whole(self, place: Hashable, text: str) -> str:
        text = self._held.pop(place, "") + text
        if text and _is_high(text[-1]):
            self._held[place] = text[-1]
            text = text[:-1]
        return _join(text)


def _entire(value: Any) -> Any:
    if isinstance(value, str):
        return _join(value)
    if isinstance(value, Error):
        return msgspec.structs.replace(value, message=_join(value.message), original=_entire(value.original))
    return jsontext.whole(value) if jsontext.is_object(value) or jsontext.is_array(value) else value


def _join(text: str) -> str:
    """Pairs become characters, lone halves U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
