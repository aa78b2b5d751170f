"""Harmony, in which gpt-oss writes everything: messages, each with a header that says its channel and, for calls, its recipient.

Facts: OpenAI's guide to the harmony format. Analysis is reasoning, final and commentary are text, what goes to `functions.name` is a call,
whose last token (`<|call|>`) ends the message and so is often missing. What has any other header stays as it was written.
"""

import re
from collections.abc import Hashable
from typing import Final

from weft.filters.holding import Lane
from weft.filters.markers import Marker
from weft.filters.tool_markup import WrittenCall, WrittenCalls
from weft.filters.tool_markup.written import object_text

_BEGIN: Final = Marker.of("<|start|>", "<|channel|>")
_MESSAGE: Final = Marker.of("<|message|>")
_END: Final = Marker.of("<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>")
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(analysis|commentary|final)\b")
_RECIPIENT: Final = re.compile(r"\bto=([^\s<]+)")
_HEADER: Final = 256  # characters, at most
_FUNCTIONS: Final = "functions."


class HarmonyLane(Lane):
    """One text."""

    filter: "Harmony"

    def __init__(self, filter: "Harmony", choice: int, key: Hashable) -> None:
        super().__init__(filter, choice, key)
        self.read = self._outside
        self._opened = ""
        self._tool = ""
        self._pieces: list[str] = []

    def release(self) -> None:
        held = self.take_held()
        if self.read == self._thinking:
            self.think(held)
        elif self.read == self._calling:
            self._call("".join(self._pieces) + held, "", ended=False)
        elif self.read == self._header:
            self._mentioned(self._opened + held)
        else:
            self.say(held)

    # -- states --------------------------------------------------------------------------------------------------

    def _outside(self, text: str, at: int) -> int:
        end, found, rest = _BEGIN.cut(text, at)
        self.say(text[at:end])
        return self.hold(text, rest) if found is None else self._enter(found, rest)

    def _header(self, text: str, at: int) -> int:
        """Between a message's first marker and its text."""
        end, found, rest = _MESSAGE.cut(text, at, at + _HEADER + 1 + _MESSAGE.longest)
        if end - at > _HEADER:
            self._mentioned(self._opened)
            return at
        if found is None:
            return self.hold(text, at)
        self._opened += text[at:rest]
        self._begin()
        return rest

    def _thinking(self, text: str, at: int) -> int:
        end, found, rest = _END.cut(text, at)
        self.think(text[at:end])
        return self.hold(text, rest) if found is None else self._ended(found, rest)

    def _saying(self, text: str, at: int) -> int:
        end, found, rest = _END.cut(text, at)
        self.say(text[at:end])
        return self.hold(text, rest) if found is None else self._ended(found, rest)

    def _calling(self, text: str, at: int) -> int:
        end, found, rest = _END.cut(text, at)
        self._pieces.append(text[at:end])
        if found is None:
            return self.hold(text, rest)
        is_new = _begins(found)
        self._call("".join(self._pieces), "" if is_new else found.group(), ended=True)
        return self._enter(found, rest) if is_new else rest

    # -- messages ------------------------------------------------------------------------------------------------

    def _enter(self, marker: re.Match[str], rest: int) -> int:
        self._opened = marker.group()
        self.read = self._header
        return rest

    def _begin(self) -> None:
        """The header is whole: what is it that follows?"""
        channel, recipient = _CHANNEL.search(self._opened), _RECIPIENT.search(self._opened)
        if recipient is not None and recipient[1].startswith(_FUNCTIONS):
            self._tool = recipient[1].removeprefix(_FUNCTIONS)
            self._pieces.clear()
            self.read = self._calling
        elif channel is None or recipient is not None:
            self._mentioned(self._opened)
        else:
            self.markup(self._opened)
            self.read = self._thinking if channel[1] == "analysis" else self._saying

    def _ended(self, marker: re.Match[str], rest: int) -> int:
        self.split()
        if _begins(marker):
            return self._enter(marker, rest)
        self.markup(marker.group())
        self.read = self._outside
        return rest

    def _call(self, inside: str, closed: str, *, ended: bool) -> None:
        """Say the call, if it is one, and of a tool that may be called; else it stays text."""
        args = object_text(inside)
        self._pieces.clear()
        self.read = self._outside
        if args is None or not self.filter.declared.has(self._tool):
            self.say(self._opened + inside + closed)
            return
        self.filter.call(WrittenCall(self._tool, args), self.choice, ended=ended)
        self.markup(self._opened + inside + closed)

    def _mentioned(self, text: str) -> None:
        self.read = self._outside
        self.say(text)


def _begins(marker: re.Match[str]) -> bool:
    """Does this marker begin another message, without the last one's end?"""
    return marker.group().lower() in ("<|start|>", "<|channel|>")


class Harmony(WrittenCalls):
    """The whole of the format, reasoning included."""

    lane = HarmonyLane
