"""JSON that is still coming: what is there of it so far, typed as partial, and each value as it becomes complete.

Knows: strict JSON, one character after the other; each is looked at once, so the cost is linear in the length.
Must not know: what the values mean, or where the text comes from. A cut or broken text is never repaired into a complete one.

Why a reader of our own: those that take pieces (ijson) tell a string when it is over, and it is the long strings that one wants to see
growing; those that give partial strings either parse the whole text again for each piece (jiter) or pull it from a stream that they own
(jsonriver). docs/partial.md has the numbers.
"""

import re
from collections.abc import Callable
from typing import Any, Final, cast

import msgspec

from weft.partial_string import PartialString

Path = tuple[str | int, ...]

DEPTH: Final = 512
"""The deepest nesting that is read: what a path costs stays bounded, and with it what a value costs."""

_token: Final = re.compile(r"[^ \t\n\r]").search
_digits: Final = re.compile(r"[-+.eE0-9]+").match
_number: Final = re.compile(r"-?(?:0|[1-9][0-9]*)((?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)").fullmatch
_WORDS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


class ValueComplete(msgspec.Struct, frozen=True):
    """The value at `path` is over and will not change. Values come before the array or object that they are in; the whole has the path ()."""

    path: Path
    value: Any


class Broken(msgspec.Struct, frozen=True):
    """From this character of the text on it is not JSON, and why."""

    offset: int
    reason: str


class Partial:
    """What is there so far: a live view, which is not the value itself, so that it cannot be passed where a complete one is wanted."""

    __slots__ = ("_reader",)

    def __init__(self, reader: "PartialJSON") -> None:
        self._reader = reader

    @property
    def value(self) -> Any:
        """The value so far, `msgspec.UNSET` until any began. Strings grow; numbers, names and words are there when they are over.

        It is built in place: the same containers are there the next time, with more in them. Asking costs the length of the open string.
        """
        return self._reader.so_far()

    @property
    def complete(self) -> bool:
        """Is it a whole JSON text?"""
        return self._reader.complete

    @property
    def open_path(self) -> Path | None:
        """Where the innermost value is that is not over; None when all are, or when the text broke."""
        return self._reader.open_path()

    @property
    def broken(self) -> Broken | None:
        """Why it will never be complete."""
        return self._reader.broken

    def __repr__(self) -> str:
        return f"Partial(value={self.value!r}, complete={self.complete}, open_path={self.open_path})"


class PartialJSON:
    """Reads one JSON text, cut anywhere. `feed` and `close` give what has become complete; they raise on nothing that the text may be.

    A member that comes twice is told twice, and the later one stays, as with `json.loads`.
    """

    def __init__(self) -> None:
        self.value = Partial(self)
        self.complete = False
        self.broken: Broken | None = None
        self._take: Callable[[str, int], int] = self._at_value
        self._fed = 0
        self._base = 0
        self._rest = ""
        self._told: list[ValueComplete] = []
        self._root: list[Any] = []
        self._open: list[Any] = [self._root]
        self._path: list[str | int] = []
        self._in_token = False
        self._string = PartialString()
        self._digits: list[str] = []
        self._word: tuple[str, Any] = ("", None)
        self._seen = 0

    def feed(self, text: str) -> list[ValueComplete]:
        """Take the next piece of the text."""
        self._told = []
        self._base = self._fed - len(self._rest)
        self._fed += len(text)
        text, self._rest = self._rest + text, ""
        at, size = 0, len(text)
        while at < size:
            if not self._in_token:
                if (token := _token(text, at)) is None:
                    break
                at = token.start()
            at = self._take(text, at)
        return self._told

    def close(self) -> list[ValueComplete]:
        """The text is over: a number that is the whole of it is complete now, and all else that is open never will be."""
        self._told = []
        if self._take == self._in_number and not self._path:
            self._base = self._fed
            self._end_number(0)
        if not self.complete:
            self._base = self._fed
            self._break(0, "the text ends before its value does" if self._fed else "there is no text")
        return self._told

    def so_far(self) -> Any:
        """The value as far as it came."""
        if self._take == self._in_string:
            self._replace(self._string.so_far())
        return self._root[0] if self._root else msgspec.UNSET

    def open_path(self) -> Path | None:
        """Where the innermost value is that is not over."""
        if self.complete or self.broken is not None:
            return None
        return tuple(self._path if self._in_token and self._take != self._in_key else self._path[:-1])

    # -- between tokens: each takes a text and a place in it, and gives the place up to which it has read -----------

    def _at_value(self, text: str, at: int) -> int:
        char = text[at]
        if char == '"':
            self._string = PartialString()
            self._put("")
            return self._begin(self._in_string, at + 1)
        if char in "{[":
            return self._open_container(char, at)
        if char in "-0123456789":
            self._digits = []
            return self._begin(self._in_number, at)
        if char in _WORDS:
            self._word, self._seen = _WORDS[char], 0
            return self._begin(self._in_word, at)
        return self._break(at, f"a value is due, not {char!r}")

    def _at_first(self, text: str, at: int) -> int:
        """After `[` or `{`: it may be over at once."""
        is_list = isinstance(self._open[-1], list)
        if text[at] == ("]" if is_list else "}"):
            return self._close_container(at)
        return self._at_value(text, at) if is_list else self._at_key(text, at)

    def _at_key(self, text: str, at: int) -> int:
        if text[at] != '"':
            return self._break(at, f"the name of a member is due, not {text[at]!r}")
        self._string = PartialString()
        return self._begin(self._in_key, at + 1)

    def _at_colon(self, text: str, at: int) -> int:
        if text[at] != ":":
            return self._break(at, f"a colon is due, not {text[at]!r}")
        self._take = self._at_value
        return at + 1

    def _after_value(self, text: str, at: int) -> int:
        char, container = text[at], self._open[-1]
        if container is self._root:
            return self._break(at, f"the value is over, and {char!r} follows")
        is_list = isinstance(container, list)
        if char == ("]" if is_list else "}"):
            return self._close_container(at)
        if char != ",":
            return self._break(at, f"a comma or the end is due, not {char!r}")
        if is_list:
            self._path[-1] = len(self._open[-1])
        self._take = self._at_value if is_list else self._at_key
        return at + 1

    def _after_break(self, text: str, at: int) -> int:
        """Nothing that follows means anything."""
        return len(text)

    # -- within tokens ---------------------------------------------------------------------------------------------

    def _in_string(self, text: str, at: int) -> int:
        at = self._in_quotes(text, at)
        if self._string.over:
            said = self._string.so_far()
            self._replace(said)
            return self._end_value(said, at)
        return at

    def _in_key(self, text: str, at: int) -> int:
        at = self._in_quotes(text, at)
        if self._string.over:
            self._path[-1] = self._string.so_far()
            self._in_token, self._take = False, self._at_colon
        return at

    def _in_quotes(self, text: str, at: int) -> int:
        at = self._string.take(text, at)
        self._rest, self._string.rest = self._string.rest, ""
        return at if not self._string.wrong else self._break(at, f"{text[at : at + 2]!r} cannot stand in a string")

    def _in_number(self, text: str, at: int) -> int:
        digits = _digits(text, at)
        if digits is None:
            return self._end_number(at)
        self._digits.append(digits[0])
        return digits.end()

    def _end_number(self, at: int) -> int:
        said = "".join(self._digits)
        form = _number(said)
        try:
            value = None if form is None else float(said) if form[1] else int(said)
        except ValueError:  # more digits than Python is willing to read
            value = None
        if value is None:
            return self._break(at - len(said), f"{said[:40]!r} is not a number")
        self._put(value)
        return self._end_value(value, at)

    def _in_word(self, text: str, at: int) -> int:
        word, value = self._word
        if text[at] != word[self._seen]:
            return self._break(at, f"{word} is due")
        self._seen += 1
        if self._seen < len(word):
            return at + 1
        self._put(value)
        return self._end_value(value, at + 1)

    # -- values ----------------------------------------------------------------------------------------------------

    def _begin(self, take: Callable[[str, int], int], at: int) -> int:
        """A string, number or word begins."""
        self._in_token, self._take = True, take
        return at

    def _open_container(self, char: str, at: int) -> int:
        if len(self._path) == DEPTH:
            return self._break(at, f"nested deeper than {DEPTH}")
        container: Any = [] if char == "[" else {}
        self._put(container)
        self._open.append(container)
        self._path.append(0 if char == "[" else "")
        self._take = self._at_first
        return at + 1

    def _close_container(self, at: int) -> int:
        self._path.pop()
        return self._end_value(self._open.pop(), at + 1)

    def _end_value(self, value: Any, at: int) -> int:
        self._in_token, self._take = False, self._after_value
        self._told.append(ValueComplete(tuple(self._path), value))
        self.complete = not self._path
        return at

    def _put(self, value: Any) -> None:
        container = self._open[-1]
        if isinstance(container, list):
            cast(list[Any], container).append(value)
        else:
            container[self._path[-1]] = value

    def _replace(self, value: Any) -> None:
        container = self._open[-1]
        container[-1 if isinstance(container, list) else self._path[-1]] = value

    def _break(self, at: int, reason: str) -> int:
        """The first break is the one that counts. What is there stays as it is."""
        if self.broken is None:
            self.so_far()
            self.broken = Broken(self._base + at, reason)
        self.complete, self._take = False, self._after_break
        return at + 1
