"""Where a text may be cut: ends of sentences, lines, paragraphs and code fences, found one word or sign at a time.

Knows: how people and Markdown end things. Must not know: limits, times, what is done with a boundary.
A boundary is proved by what follows it: a space may follow a stop, and an indent belongs to the line after it.
"""

# ruff: noqa: RUF001 - the signs of many scripts are what this file is about
import re
from typing import Final, NamedTuple

from weft.orchestrator.rules import FlushReason

STRENGTHS: Final = {"sentence": 1, "line": 2, "paragraph": 3, "fence": 3, "size": 9}

STOPS: Final = frozenset(".!?…؟۔।")
"""Ends of sentences where a space follows."""

WIDE_STOPS: Final = frozenset("。！？｡")
"""Ends of sentences where none does."""

CLOSERS: Final = frozenset("\"'”’»›)]}」』】）》*_`")
"""What may stand between a stop and the space."""

NO_BREAK: Final = frozenset("\u00a0\u2007\u202f")
ABBREVIATIONS: Final = frozenset(
    "mr. mrs. ms. dr. prof. st. vs. cf. no. nr. fig. e.g. i.e. z.b. d.h. u.a. bzw. ca. p.ex. ej. sr. sra. sres. m. mme. núm.".split()
)
LONGEST_WORD: Final = 16
LONGEST_FENCE: Final = 100
"""A line longer than this opens and closes no fence."""

OPENERS: Final = frozenset("([{「『【（《")
ENDERS: Final = {")", "]", "}", "」", "』", "】", "）", "》"}

_FENCE: Final = re.compile(r"(?P<indent>[ \t]{0,32})(?P<marker>`{3,16}|~{3,16})(?P<info>[^\n]*)$")
_MAYBE_FENCE: Final = re.compile(r"[ \t]{0,32}(`+$|~+$|`{3}|~{3})")
_LIST_NUMBER: Final = re.compile(r"\s*\d{1,9}\.$")


class Fence(NamedTuple):
    """A code fence that is open: what closes it, the line that opens it again, and how far it is indented, as one in a list is."""

    marker: str
    opening: str
    indent: int = 0


class Cut(NamedTuple):
    """A place in the piece where it may be cut, how good it is, and the fence that is open there."""

    place: int
    fence: Fence | None = None
    strength: int = 0
    reason: FlushReason = "size"


class Scanner:
    """Looks through one piece from its start. The best places so far are `strong` (after a sentence, a line), `weak` (after a space), `before_fence`."""

    def __init__(self, *, fences: bool, opened: Fence | None = None, at_line_start: bool = True) -> None:
        self.size = 0
        self.opened = opened
        self.fence = opened
        self.strong: Cut | None = None
        self.weak: Cut | None = None
        self.before_fence: Cut | None = None
        self._fences = fences
        self._ink: int | None = None
        self._line: str | None = "" if at_line_start else None
        self._line_place = 0
        self._blank_line = at_line_start
        self._word = ""
        self._stop: str = ""
        self._pending: Cut | None = None
        self._depth = 0
        self._bold = False
        self._code = self._ticks = 0
        self._last = ""

    def ink_before(self, place: int) -> bool:
        """There is something to see before this place."""
        return self._ink is not None and self._ink < place

    def confirmed(self, piece: str) -> Cut | None:
        """The boundary that this piece proves by following it; call before `take`."""
        if piece.isspace():
            return None
        cut, self._pending = self._pending, None
        if self._stop in WIDE_STOPS and piece not in CLOSERS and piece not in WIDE_STOPS:
            cut = cut or self._sentence()
        if cut is not None and self.fence is None:
            self.strong = cut
            return cut
        return None

    def take(self, piece: str) -> Cut | None:
        """Take the next piece. Gives the place before a fence, once that is known to be one."""
        self.size += len(piece)
        if piece == "\n":
            return self._line_end()
        if self._line is not None:
            self._line = self._line + piece if len(self._line) <= LONGEST_FENCE else None
        self._tick(piece)
        if piece.isspace():
            self._space(piece)
            return None
        if self._ink is None:
            self._ink = self.size - len(piece)
        self._blank_line = False
        if len(piece) == 1:
            self._mark(piece)
            self._word = (self._word + piece)[-LONGEST_WORD:]
        else:
            self._words(piece)
        return None

    def resting(self) -> Cut | None:
        """How much may be let go when nothing has come for a while: all of it at a boundary, else up to the last one."""
        if self.fence is not None:
            cut = self.before_fence
        elif self._pending is not None or (self._stop and self._settled_stop() and not self._word[-2:-1].isdigit()):
            cut = Cut(self.size)
        elif self._line and self._maybe_fence():
            cut = Cut(self._line_place)
        else:
            cuts = [cut for cut in (self.strong, self.weak) if cut is not None]
            cut = max(cuts, key=lambda cut: cut.place, default=None)
        return cut if cut is not None and self.ink_before(cut.place) else None

    # -- tokens --------------------------------------------------------------------------------------------------

    def _words(self, piece: str) -> None:
        """Words with nothing between them that could end anything."""
        _, space, last = piece.rpartition(" ")
        if space:
            self.weak, self._word = Cut(self.size - len(last), self.fence), last[-LONGEST_WORD:]
        else:
            self._word = (self._word + piece)[-LONGEST_WORD:]
        self._stop = self._last = ""

    def _mark(self, char: str) -> None:
        """What a character that is no letter, digit or space does to stops and to what is open."""
        if char in WIDE_STOPS or char in STOPS:
            self._stop = char
        elif self._stop and char not in CLOSERS:
            self._stop = ""
        if char in OPENERS:
            self._depth += 1
        elif char in ENDERS:
            self._depth = max(0, self._depth - 1)
        elif char == "*" and self._last == "*":
            self._bold, char = not self._bold, ""
        self._last = char

    def _tick(self, piece: str) -> None:
        """As many backticks as began code within a line end it."""
        if piece == "`":
            self._ticks += 1
        elif self._ticks:
            self._code = 0 if self._code == self._ticks else self._code or self._ticks
            self._ticks = 0

    def _space(self, piece: str) -> None:
        if piece in NO_BREAK:
            self._word += piece
            return
        if piece != "\r":
            self.weak = Cut(self.size, self.fence)
        if self._pending is not None and self._pending.reason == "sentence":
            self._pending = self._pending._replace(place=self.size)
        elif self._stop and self._settled_stop():
            self._pending = self._sentence()
        self._stop = self._word = self._last = ""

    def _sentence(self) -> Cut | None:
        """The end of a sentence here, unless something is open around it."""
        if self._depth or self._bold or self._code or self.fence is not None:
            return None
        return Cut(self.size, None, STRENGTHS["sentence"], "sentence")

    def _settled_stop(self) -> bool:
        """Does the stop end a sentence? Not that of an abbreviation, of an initial, or of a number in a list."""
        word = self._word.lstrip("([{\"'“‘«*_")
        if not word.endswith("."):
            return True
        in_list = self._line is not None and _LIST_NUMBER.match(self._line.rstrip()) is not None
        initial = len(word) == 2 and word[0].isupper()
        return not in_list and not initial and word.lower() not in ABBREVIATIONS

    # -- lines ---------------------------------------------------------------------------------------------------

    def _line_end(self) -> Cut | None:
        """A line is over: it may have been a fence's first or last, or empty; else it was a line."""
        line = self._whole_line()
        start, blank = self._line_place, self._blank_line
        self._line, self._line_place, self._blank_line = "", self.size, True
        self._stop = self._word = self._last = ""
        self._depth, self._bold, self._code, self._ticks = 0, False, 0, 0
        if self.fence is not None:
            return self._line_of_code(line)
        fence = _opened(line) if self._fences else None
        if fence is not None:
            self.fence, self._pending = fence, None
            self.before_fence = Cut(start, None, STRENGTHS["fence"], "fence")
            return self.before_fence if start else None
        self.weak = Cut(self.size)
        known = self._pending.strength if self._pending is not None else 0
        kind: FlushReason = "paragraph" if blank and known >= STRENGTHS["line"] else "line"
        if known < STRENGTHS["paragraph"]:
            self._pending = Cut(self.size, None, STRENGTHS[kind], kind)
        elif self._pending is not None:
            self._pending = self._pending._replace(place=self.size)
        return None

    def _line_of_code(self, line: str) -> Cut | None:
        fence = self.fence
        if fence is not None and _closes(line, fence):
            self.fence, self.before_fence = None, None
            self._pending = Cut(self.size, None, STRENGTHS["fence"], "fence")
        else:
            self.strong = Cut(self.size, fence)
        return None

    def _maybe_fence(self) -> bool:
        """The line that is being read may turn out to open a fence."""
        return self._fences and _MAYBE_FENCE.match(self._whole_line()) is not None

    def _whole_line(self) -> str:
        """The line so far, from its start; nothing if it cannot be a fence's."""
        return self._line if self._line is not None and len(self._line) <= LONGEST_FENCE else ""


def _opened(line: str) -> Fence | None:
    """The fence that this line opens. In one of backticks its info has none, else it is code within a line."""
    match = _FENCE.match(line.rstrip("\r"))
    if match is None:
        return None
    marker, info = match["marker"], match["info"].strip()
    if marker[0] in info and (marker[0] == "`" or info.startswith("~")):
        return None
    language = info.split()[0] if info else ""
    opening = marker + language if len(language) <= LONGEST_WORD else marker
    return Fence(marker, opening, _width(match["indent"]))


def _closes(line: str, fence: Fence) -> bool:
    text = line.strip()
    if not text.startswith(fence.marker) or text.strip(fence.marker[0]):
        return False
    return _width(line[: len(line) - len(line.lstrip(" \t"))]) <= fence.indent + 3


def _width(indent: str) -> int:
    """How far an indent goes; a tab counts as four."""
    return len(indent.expandtabs(4))
