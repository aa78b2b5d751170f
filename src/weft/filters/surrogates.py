"""Half characters: a UTF-16 pair that a source split over two deltas is put together again before anything is encoded.

Knows: lone surrogates. Put in place by the reader when the first frame with an escape that is no whole character comes by.
Must not know: wires.
"""

from collections.abc import Callable, Hashable
from typing import Any

import msgspec

from weft import jsontext
from weft.context import Context
from weft.errors import Error
from weft.filters import Filter
from weft.finish import finish_reason

_LONE = "\ufffd"


def _is_high(char: str) -> bool:
    return "\ud800" <= char <= "\udbff"


class Surrogates(Filter):
    """Holds back a trailing high surrogate of each text; what never finds its other half becomes U+FFFD."""

    def __init__(self, out: Any, context: Context | None = None) -> None:
        super().__init__(out, context)
        self._held: dict[tuple[Any, ...], str] = {}

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
        self.out.reasoning(self._whole(("reasoning", choice, key, part, form), text), choice, key, part, form)

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
        whole = self._whole(("tool_call", choice, index), args) if args else args
        return self.out.tool_call(index, _entire(id), _entire(name), whole, choice, **rest)

    def finish(self, raw: str | None, reason: Any = None, choice: int = 0, message: str | None = None) -> None:
        """A choice's finish; what it holds comes before."""
        if reason is not None or finish_reason(raw) is not None:
            self._release(lambda place: place[1] == choice)
        self.out.finish(_entire(raw), reason, choice, _entire(message))

    def end(self, key: Hashable, complete: bool = True) -> None:
        """A block is over; what it holds comes before."""
        self._release(lambda place: key in place[1:])
        self.out.end(key, complete)

    def sign(self, sign: Any) -> None:
        """The stream is over; what is held comes before."""
        self._release()
        self.out.sign(sign)

    def fail(self, error: Error) -> None:
        """The source failed; what is held comes before."""
        self._release()
        self.out.fail(_entire(error))

    def flush(self) -> None:
        self._release()
        super().flush()

    def _release(self, which: Callable[[tuple[Any, ...]], bool] = bool) -> None:
        """No other half will come: let go of those that are held in such places."""
        for place in list(filter(which, self._held)):
            del self._held[place]
            verb, *where = place
            if verb == "tool_call":
                self.out.tool_call(where[1], None, None, _LONE, where[0])
            else:
                getattr(self.out, verb)(_LONE, *where)

    def _whole(self, place: tuple[Any, ...], text: str) -> str:
        if text.isascii() and not self._held:
            return text
        text = self._held.pop(place, "") + text
        if text and _is_high(text[-1]):
            self._held[place] = text[-1]
            text = text[:-1]
        return _join(text)


def _entire(value: Any) -> Any:
    if isinstance(value, str):
        return _join(value)
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(
            value, **{name: _entire(getattr(value, name)) for name in value.__struct_fields__}
        )
    return jsontext.whole(value) if jsontext.is_object(value) or jsontext.is_array(value) else value


def _join(text: str) -> str:
    """Pairs become characters, lone halves U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
