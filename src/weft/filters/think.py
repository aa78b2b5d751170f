"""Reasoning that a model writes into its text, between tags.

Knows: the tags and where they count. Must not know: wires.

A tag counts where a text begins (white space may stand before it, and reasoning that has ended); elsewhere only if asked for, and then not
inside a code fence. Reasoning ends with the first closing tag of its own name, be it quoted or meant: a stream and a whole reply must agree,
and one cannot know what will come. What is never closed is reasoning to the end, or to the next call of a tool.
"""

import re
from collections.abc import Hashable
from functools import cache
from typing import Any, Final

from weft.context import Context
from weft.filters.holding import Holding, Lane
from weft.filters.markers import Marker, beginnings

NAMES: Final = ("think", "thinking", "thought", "reasoning")

_SPACE: Final = r"[a-z][\w.-]{0,23}"  # of a name, as in <mm:think>
_NAME: Final = rf"(?:{_SPACE}:)?(?:{'|'.join(NAMES)})"
_NAME_BEGUN: Final = rf"{_SPACE}|(?:{_SPACE}:)?(?:{beginnings(name + '>' for name in NAMES)})?"
_ODD: Final = {"◁think▷": "◁/think▷", "[think]": "[/think]", "<|start_thinking|>": "<|end_thinking|>"}
"""Tags that are not made of angles and a name (Kimi, Magistral, Command), and what closes them."""

_LONGEST: Final = 40
_OPENS: Final = rf"<(?P<open>{_NAME})>|(?P<odd>{'|'.join(map(re.escape, _ODD))})"
_CLOSES: Final = rf"</(?P<close>{_NAME})>|(?P<odd_close>{'|'.join(map(re.escape, _ODD.values()))})"
_OPEN_BEGUN: Final = rf"<(?:{_NAME_BEGUN})|{beginnings(_ODD)}"
_CLOSE_BEGUN: Final = rf"</?|</(?:{_NAME_BEGUN})|{beginnings(_ODD.values())}"
_OPEN: Final = Marker(_OPENS, _OPEN_BEGUN, _LONGEST, "<◁[")
_CLOSE: Final = Marker(_CLOSES, _CLOSE_BEGUN, _LONGEST, "<◁[")
_ANY: Final = Marker(
    rf"{_OPENS}|{_CLOSES}|(?<![^\n])(?P<fence>```|~~~)",
    rf"{_OPEN_BEGUN}|{_CLOSE_BEGUN}|(?<![^\n])(?:``?|~~?)",
    _LONGEST,
    "<◁[`~",
)
_FENCE: Final = Marker(r"(?<![^\n])(?:```|~~~)", r"(?<![^\n])(?:``?|~~?)", 3, "`~")
_SPACES: Final = re.compile(r"\s*")


@cache
def _close_of(name: str | None, odd: str | None) -> Marker:
    return Marker.of(_ODD[odd.lower()] if odd else f"</{name}>")


def _end(found: re.Match[str] | None) -> int:
    return found.end() if found is not None else 0


class ThinkLane(Lane):
    """One text, with the reasoning in it."""

    filter: "Think"

    def __init__(self, filter: "Think", choice: int, key: Hashable) -> None:
        super().__init__(filter, choice, key)
        self.read = self._maybe_opened if filter.begins_open(choice) else self._at_start
        self._space: list[str] = []
        self._close = _CLOSE
        self._thought = False
        self._noted: set[str] = set()

    def interrupt(self) -> None:
        """A tool is called: reasoning that was not closed is over."""
        self.release()
        if self.read == self._thinking:
            self.read = self._text

    def release(self) -> None:
        held = self.take_held()
        if self.read in (self._thinking, self._maybe_opened):
            self.think(self._take_space() + held)
            self.read = self._thinking
            return
        if held and self.read != self._text:
            self.read = self._text if self.read == self._at_start else self._at_start
        if self._thought and not held:
            self.markup(self._take_space())
        self.say(self._take_space() + held)

    # -- states --------------------------------------------------------------------------------------------------

    def _at_start(self, text: str, at: int) -> int:
        """Nothing was said yet but white space, which is layout if a tag follows."""
        begin = self._tag(text, at)
        if self.read == self._at_start and begin < len(text):
            self.read = self._text
            self.say(self._take_space())
        return begin

    def _maybe_opened(self, text: str, at: int) -> int:
        """The prompt has opened the tag; some models write it all the same."""
        begin = self._tag(text, at)
        if self.read == self._maybe_opened and begin < len(text):
            self.read = self._thinking
            self.think(self._take_space())
        return begin

    def _tag(self, text: str, at: int) -> int:
        """Enter reasoning if an opening tag stands here, after white space if any; hold what may become one."""
        begin = _end(_SPACES.match(text, at))
        self._space.append(text[at:begin])
        cut = _OPEN.here(text, begin)
        if cut is None:
            return begin
        if cut.found is None:
            return self.hold(text, begin)
        self._enter(cut.found)
        return cut.rest

    def _thinking(self, text: str, at: int) -> int:
        end, found, rest = self._close.cut(text, at)
        self.think(text[at:end])
        if found is None:
            return self.hold(text, rest)
        self.markup(found.group())
        self.split()
        self._thought = True
        self.read = self._closed
        return rest

    def _closed(self, text: str, at: int) -> int:
        """One line end after the closing tag is layout."""
        if text[at:] == "\r":
            return self.hold(text, at)
        end = at + (2 if text.startswith("\r\n", at) else text.startswith("\n", at))
        self.markup(text[at:end])
        self.read = self._at_start
        return end

    def _text(self, text: str, at: int) -> int:
        """Text to the end; a closing tag in it is worth a note."""
        end, found, rest = _CLOSE.cut(text, at)
        if found is None:
            self.say(text[at:end])
            return self.hold(text, rest)
        self._note_close(found.group())
        self.say(text[at:rest])
        return rest

    def _enter(self, tag: re.Match[str]) -> None:
        self.markup(self._take_space() + tag.group())
        self._close = _close_of(tag["open"], tag["odd"])
        self.read = self._thinking

    def _take_space(self) -> str:
        space = "".join(self._space)
        self._space.clear()
        return space

    def _note_close(self, tag: str) -> None:
        """A tag that closes nothing stays what it is: text."""
        code = "think_closed_again" if self._thought else "think_never_opened"
        if code not in self._noted:
            self._noted.add(code)
            self.filter.out.note(code, _WHY[code].format(tag))


_WHY: Final = {
    "think_closed_again": "{} came again: the first may have been a quotation, and what is text since then reasoning",
    "think_never_opened": "{} closes nothing: if the prompt opens it, what stands before it is reasoning (filter think-open)",
}


class Think(Holding):
    """Tags count where a text begins."""

    lane = ThinkLane

    def begins_open(self, choice: int) -> bool:
        """Has the prompt opened the tag of the text that begins now?"""
        return False

    def before(self, verb: str, choice: int | None) -> None:
        super().before(verb, choice)
        if verb == "tool_call":
            self._interrupt(choice)

    def open(self, kind: str, key: Hashable, **block: Any) -> None:
        """A block; a call ends reasoning that was not closed."""
        choice = block.get("choice", 0)
        self.before("open", choice)
        if kind == "tool_call":
            self._interrupt(choice)
        self.out.open(kind, key, **block)

    def _interrupt(self, choice: int | None) -> None:
        for lane in self.lanes.values():
            if isinstance(lane, ThinkLane) and choice in (None, lane.choice):
                lane.interrupt()


class ThinkOpen(Think):
    """For prompts that end with the opening tag: the first text of a message begins as reasoning."""

    def __init__(self, out: Any, context: Context | None = None) -> None:
        super().__init__(out, context)
        self._begun: set[int] = set()

    def begins_open(self, choice: int) -> bool:
        first = choice not in self._begun
        self._begun.add(choice)
        return first

    def step_start(self) -> None:
        """Another model call has a prompt of its own."""
        self._begun.clear()
        super().step_start()


class AnywhereLane(ThinkLane):
    """Tags count wherever they stand, but for code fences."""

    def __init__(self, filter: Think, choice: int, key: Hashable) -> None:
        super().__init__(filter, choice, key)
        self._before = ""
        self._fenced = False

    def say(self, text: str) -> None:
        self._before = text[-1:] or self._before
        super().say(text)

    def think(self, text: str) -> None:
        self._before = text[-1:] or self._before
        super().think(text)

    def markup(self, text: str) -> None:
        self._before = text[-1:] or self._before
        super().markup(text)

    def _text(self, text: str, at: int) -> int:
        end, found, rest = self._cut(text, at)
        if found is None:
            self.say(text[at:end])
            return self.hold(text, rest)
        kind = "fence" if self._fenced else found.lastgroup
        if kind in ("open", "odd"):
            self.say(text[at:end])
            self._enter(found)
            return rest
        if kind == "fence":
            self._fenced = not self._fenced
        else:
            self._note_close(found.group())
        self.say(text[at:rest])
        return rest

    def _cut(self, text: str, at: int) -> Any:
        """The next tag or fence; whether it stands at the beginning of a line shows by what was said before."""
        marker = _FENCE if self._fenced else _ANY
        if at or not self._before:
            return marker.cut(text, at)
        end, found, rest = marker.cut(self._before + text, 1)
        return end - 1, found, rest - 1


class ThinkAnywhere(Think):
    """Tags count wherever they stand."""

    lane = AnywhereLane
