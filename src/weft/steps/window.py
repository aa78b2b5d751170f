"""A text in pieces, with what matches replaced: what could still become a match waits.

Knows: regular expressions, and what was let go of as far as they may look back. Must not know: events.
"""

import re
from collections.abc import Iterable
from typing import Final

Pattern = re.Pattern[str]
Span = tuple[int, int, Pattern, int]
"""From where to where, and the pattern that reaches furthest with its own beginning."""

_LONG: Final = 4
"""A match that is so many windows long and still goes on is not waited for."""


def compiled(patterns: str | Pattern | Iterable[str | Pattern]) -> list[Pattern]:
    """The patterns, each with its own flags and groups."""
    each = [patterns] if isinstance(patterns, str | re.Pattern) else patterns
    return [re.compile(pattern) for pattern in each]


class Window:
    """One text. Matches that overlap are replaced as one, and an empty match is none."""

    def __init__(self, patterns: list[Pattern], replacement: str, size: int) -> None:
        if size < 1:
            raise ValueError("a window is of one character at least")
        self._patterns = patterns
        self._replacement = replacement
        self._size = size
        self._past = ""
        self._held = ""
        self._going: tuple[Pattern, str, int] | None = None
        self.changed = False
        """Something was replaced."""

    def feed(self, text: str) -> str:
        """Take a piece; give what is settled."""
        if self._going is not None:
            text = self._passed_over(text, *self._going)
        view = self._past + self._held + text
        return self._settle(view, max(len(self._past), len(view) - self._size))

    def close(self) -> str:
        """Nothing more comes: give what is left."""
        view = self._past + self._held
        return self._settle(view, len(view))

    def changes(self) -> bool:
        """Is anything replaced, or would be if this were all?"""
        return self.changed or bool(self._spans(self._past + self._held, len(self._past)))

    def _settle(self, view: str, end: int) -> str:
        """Everything up to `end`, or up to where a match begins that reaches beyond it."""
        out: list[str] = []
        at = len(self._past)
        for begin, stop, pattern, own in self._spans(view, at):
            if begin >= end:
                break
            if stop > end and not self._goes_on(view, own, stop, pattern):
                end = begin
                break
            out += (view[at:begin], self._replacement)
            at = stop
            self.changed = True
        end = max(end, at)
        out.append(view[at:end])
        self._past, self._held = view[max(0, end - self._size) : end], view[end:]
        return "".join(out)

    def _goes_on(self, view: str, begin: int, stop: int, pattern: Pattern) -> bool:
        """A match that reaches the end of what is there and is long already: the rest of it is passed over as it comes."""
        if stop < len(view) or stop - begin < _LONG * self._size:
            return False
        head = max(0, begin - self._size)
        self._going = (pattern, view[head : begin + self._size], begin - head)
        return True

    def _passed_over(self, text: str, pattern: Pattern, head: str, begin: int) -> str:
        """What of the text is no longer that match: it is asked with the beginning and the end of what matched so far, not with all of it."""
        view = head + self._past + text
        match = pattern.match(view, begin)
        stop = max(match.end() if match is not None else 0, len(head) + len(self._past))
        if stop < len(view):
            self._going = None
        self._past = view[max(0, stop - self._size) : stop]
        return view[stop:]

    def _spans(self, view: str, at: int) -> list[Span]:
        """Where something matches from `at` on; what overlaps is one."""
        found = [
            (match.start(), match.end(), pattern, match.start())
            for pattern in self._patterns
            for match in pattern.finditer(view, at)
            if match.end() > match.start()
        ]
        if len(self._patterns) == 1 or len(found) < 2:
            return found
        found.sort(key=lambda span: span[:2])
        spans = [found[0]]
        for span in found[1:]:
            last = spans[-1]
            if span[0] >= last[1]:
                spans.append(span)
            elif span[1] > last[1]:
                spans[-1] = (last[0], *span[1:])
        return spans
