"""Lines for people: painted with rich where it is installed and wanted, plain otherwise.

Knows: styles by the role of a text, the width, and a last line that is rewritten in place. Must not know: what the lines tell.
"""

import os
import shutil
from collections.abc import Callable
from typing import Literal

from weft.cli.output import Output
from weft.cli.words import shortened

Line = list[tuple[str, str]]
"""Pieces of text, each with the role that it plays."""

STYLES = {
    "name": "bold",
    "place": "dim",
    "aside": "dim",
    "kind": "cyan",
    "text": "green",
    "reasoning": "magenta",
    "call": "yellow",
    "good": "bold green",
    "odd": "yellow",
    "bad": "bold red",
}
_WIDTH_ELSEWHERE = 120
_REWRITE = "\r\x1b[2K"


class Screen:
    """Shows lines one below the other, cut to the width. `hold` shows one that the next call replaces."""

    def __init__(self, output: Output, paint: Callable[[Line], str], width: int, *, live: bool) -> None:
        self.width = width
        self._output = output
        self._paint = paint
        self._live = live
        self._held = False

    def show(self, line: Line) -> None:
        """A line that stays."""
        self._drop()
        self._output.text(self._paint(line) + "\n")

    def hold(self, line: Line) -> None:
        """A line that is still growing. Only a terminal can take it back, so elsewhere it is not shown."""
        if self._live:
            self._drop()
            self._output.text(self._paint(line))
            self._held = True

    def flush(self) -> None:
        """Let it be seen."""
        self._output.flush()

    def _drop(self) -> None:
        if self._held:
            self._output.text(_REWRITE)
            self._held = False


def screen_for(output: Output, color: Literal["auto", "always", "never"]) -> Screen:
    """The best screen for this output."""
    terminal = output.is_terminal and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((_WIDTH_ELSEWHERE, 24)).columns if terminal else _WIDTH_ELSEWHERE
    painted = color == "always" or (color == "auto" and terminal and not os.environ.get("NO_COLOR"))
    paint = (_rich(width) if painted else None) or _plain(width)
    return Screen(output, paint, width, live=terminal)


def _plain(width: int) -> Callable[[Line], str]:
    def paint(line: Line) -> str:
        return shortened("".join(text for text, _ in line), width).rstrip()

    return paint


def _rich(width: int) -> Callable[[Line], str] | None:
    """None where rich is not installed: `weft[cli]` brings it."""
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return None
    console = Console(width=width, force_terminal=True, color_system="standard", no_color=False, highlight=False)

    def paint(line: Line) -> str:
        text = Text.assemble(*[(piece, STYLES.get(role, "")) for piece, role in line])
        with console.capture() as captured:
            console.print(text, end="", no_wrap=True, overflow="ellipsis")
        return captured.get()

    return paint
