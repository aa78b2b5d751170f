"""Looking for markers in text that comes in pieces.

Knows: that the end of a piece may be the beginning of a marker, and how much of it. Must not know: what any marker means.
"""

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Final, NamedTuple

_FLAGS: Final = re.IGNORECASE | re.ASCII


class Cut(NamedTuple):
    """Where the text before a marker ends, the marker if there is one, and where to go on.

    Without a marker what begins at `rest` may become one: it is held until more is known.
    """

    end: int
    found: re.Match[str] | None
    rest: int


class Marker:
    """A pattern to look for, and what a text may end with that may become it. Both are given as patterns, without regard to case.

    `first` are the characters that a marker may begin with: nearly all text has none of them, and is not looked at further.
    """

    def __init__(self, pattern: str, beginning: str, longest: int, first: str = "<") -> None:
        self._whole = re.compile(pattern, _FLAGS)
        self._begun = re.compile(rf"(?:{beginning})\Z", _FLAGS)
        self._first = first
        self.longest = longest

    @classmethod
    def of(cls, *words: str) -> "Marker":
        """Any of these words."""
        first = "".join({case for word in words for case in (word[0].lower(), word[0].upper())})
        return cls("|".join(map(re.escape, words)), beginnings(words), max(map(len, words)), first)

    def cut(self, text: str, at: int, stop: int | None = None) -> Cut:
        """The first marker in text[at:stop]."""
        end = len(text) if stop is None else min(stop, len(text))
        for char in self._first:
            if text.find(char, at, end) >= 0:
                break
        else:
            return Cut(end, None, end)
        found = self._whole.search(text, at, end)
        if found is not None:
            return Cut(found.start(), found, found.end())
        begun = self._begun.search(text, max(at, end - self.longest), end)
        if begun is not None:
            end = begun.start()
        return Cut(end, None, end)

    def here(self, text: str, at: int) -> Cut | None:
        """The marker at this very place, or the beginning of one; None if it is neither."""
        found = self._whole.match(text, at)
        if found is not None:
            return Cut(at, found, found.end())
        return Cut(at, None, at) if at == len(text) or self._begun.match(text, at) else None


def beginnings(words: Iterable[str]) -> str:
    """A pattern of what any of these words may begin with, the word itself left out: one character more each time."""
    tails = sorted({word for word in words if len(word) > 1})
    groups = [(first, [word[1:] for word in group]) for first, group in groupby(tails, key=lambda word: word[0])]
    return "|".join(re.escape(first) + _more(rest) for first, rest in groups)


def _more(words: list[str]) -> str:
    rest = beginnings(words)
    return f"(?:{rest})?" if rest else ""
