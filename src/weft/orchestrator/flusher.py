"""The buffer of visible text: takes it as it comes, lets it go at good places. No clock: whoever calls says what time it is.

Knows: the piece that is being gathered, where it may be cut, and why. Must not know: sinks, chunks, tasks; how boundaries are found (`boundaries`).
The places hang on the text alone, never on how it was cut into chunks. Nothing is lost and nothing is added: the pieces joined are the text.
"""

import re
from typing import Final

from weft.orchestrator.boundaries import STRENGTHS, Cut, Scanner
from weft.orchestrator.clusters import cluster_start
from weft.orchestrator.rules import Flush, FlushReason, FlushRules

_TOKENS: Final = re.compile(r"[^\W_]+(?:(?:[ ;:'-]|, ?)[^\W_]+)*|.", re.DOTALL)
"""Words in a row, or one character of any other kind."""


class Flusher:
    """`feed` text; what is due comes back. `tick` when `due` has come, `flush` before anything that is not text."""

    def __init__(self, rules: FlushRules | None = None) -> None:
        self._rules = rules or FlushRules()
        self._wanted = STRENGTHS[self._rules.at]
        self._pieces: list[str] = []
        self._out: list[Flush] = []
        self._scan = Scanner(fences=self._rules.fenced)
        self.due: float | None = None
        """When `tick` is due, if no more text comes before."""

    def feed(self, text: str, now: float = 0.0) -> list[Flush]:
        """Take the next text, cut anywhere; give the pieces that are whole."""
        if not text:
            return []
        self._take(text)
        self.due = None if self._rules.idle is None else now + self._rules.idle
        return self._given()

    def tick(self, now: float) -> list[Flush]:
        """Time has passed: if the text has been still for long enough, let go what is whole of it; never a part of a word or of a fence."""
        if self.due is None or now < self.due:
            return []
        self.due = None
        cut = self._scan.resting()
        if cut is not None:
            self._cut(cut, "idle")
        return self._given()

    def flush(self, reason: FlushReason) -> list[Flush]:
        """Let go all there is; what follows begins anew."""
        if self._pieces:
            self._cut(Cut(self._scan.size, self._scan.fence), reason)
        self._pieces.clear()
        self._scan = Scanner(fences=self._rules.fenced)
        self.due = None
        return self._given()

    def _given(self) -> list[Flush]:
        out, self._out = self._out, []
        return out

    def _take(self, text: str) -> None:
        """Words in one go, where they cannot change anything in the middle; all else one character at a time."""
        for match in _TOKENS.finditer(text):
            token = match[0]
            if len(token) > 1 and self._room(len(token)):
                self._step(token)
            else:
                for char in token:
                    self._step(char)

    def _step(self, token: str) -> None:
        """One character, or a word that fits: first what it proves about the text before it, then itself."""
        cut = self._scan.confirmed(token)
        if cut is not None and self._wants(cut):
            self._cut(cut, cut.reason)
        while not self._room(len(token)):
            self._cut(self._forced(token), "size")
        self._pieces.append(token)
        cut = self._scan.take(token)
        if cut is not None and self._wants(cut):
            self._cut(cut, cut.reason)

    def _wants(self, cut: Cut) -> bool:
        return cut.strength >= self._wanted and cut.place >= self._rules.minimum and self._scan.ink_before(cut.place)

    def _room(self, more: int) -> bool:
        budget = self._budget()
        return budget is None or self._scan.size + more <= budget

    def _budget(self) -> int | None:
        """How long the piece may get, with what its fence needs before and after it."""
        limit, scan = self._rules.limit, self._scan
        if limit is None:
            return None
        head = len(scan.opened.opening) + 1 if scan.opened is not None else 0
        return limit - head - (len(scan.fence.marker) + 1 if scan.fence is not None else 0)

    def _forced(self, following: str) -> Cut:
        """Where to cut what got too long: before a fence that would be torn, after a sentence or a line, after a word, anywhere."""
        scan, half = self._scan, (self._budget() or 0) // 2
        if scan.fence is not None and scan.before_fence is not None and scan.before_fence.place:
            return scan.before_fence
        if scan.strong is not None and scan.strong.place >= half and scan.ink_before(scan.strong.place):
            return scan.strong
        if scan.weak is not None and scan.ink_before(scan.weak.place):
            return scan.weak
        return Cut(cluster_start("".join(self._pieces), scan.size, following[0]), scan.fence)

    def _cut(self, cut: Cut, reason: FlushReason) -> None:
        """Let go the text up to the cut, and look through the rest as the beginning of the next piece."""
        text, opened = "".join(self._pieces), self._scan.opened
        piece, rest = text[: cut.place], text[cut.place :]
        self._out.append(
            Flush(piece, reason, opened.opening if opened else "", cut.fence.marker if cut.fence else ""),
        )
        self._pieces = []
        self._scan = Scanner(fences=self._rules.fenced, opened=cut.fence, at_line_start=piece.endswith("\n"))
        self._take(rest)
