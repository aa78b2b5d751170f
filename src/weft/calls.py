"""Which call does this fragment belong to: identity of tool calls in sources that give index, id and name as they please.

Knows: the order of evidence (id, then index, then the last open call) and when a fragment opens a new call.
Must not know: events, blocks or providers. Used by the assembler and, through it, by everything that accumulates calls.
"""

import re
from collections.abc import Iterator

_STRUCTURE = re.compile(r'["{}\[\]]')
_STRING_END = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class Balance:
    """Tells whether the JSON text so far is one closed object or array, at linear cost. Used to route, never to finalise."""

    __slots__ = ("_depth", "_in_string", "_pending", "_seen")

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._seen = False
        self._pending = ""

    def feed(self, text: str) -> None:
        """Scan one more piece."""
        text, self._pending = self._pending + text, ""
        at = 0
        while at < len(text):
            if self._in_string:
                close = _STRING_END.match(text, at)
                if close is None:
                    if _trailing_backslashes(text, at) % 2:
                        self._pending = "\\"
                    return
                at, self._in_string = close.end(), False
                continue
            mark = _STRUCTURE.search(text, at)
            if mark is None:
                return
            at = mark.end()
            self._take(mark.group())

    @property
    def closed(self) -> bool:
        """A value was opened and every bracket is closed again."""
        return self._seen and self._depth <= 0 and not self._in_string

    def _take(self, char: str) -> None:
        if char == '"':
            self._in_string = True
        elif char in "{[":
            self._depth += 1
            self._seen = True
        else:
            self._depth -= 1


def _trailing_backslashes(text: str, start: int) -> int:
    end = len(text)
    at = end
    while at > start and text[at - 1] == "\\":
        at -= 1
    return end - at


class Call:
    """One call while it is open: what identifies it and the raw text of its arguments so far.

    It is torn if some of that may be lost. `id` is the source's own; one that we made for the outside (then `made` is true) identifies nothing in here.
    """

    __slots__ = ("_balance", "_scanned", "block", "choice", "id", "index", "made", "name", "pieces", "torn", "whole")

    def __init__(self, choice: int, index: int | None, id: str | None = None, name: str | None = None) -> None:
        self.choice = choice
        self.index = index
        self.id = id
        self.name = name
        self.pieces: list[str] = []
        self.whole = False
        self.torn = False
        self.made = False
        self.block = -1
        self._balance = Balance()
        self._scanned = 0

    @property
    def looks_closed(self) -> bool:
        """The arguments so far are a closed JSON value. Each piece is scanned once, and only if somebody asks."""
        for piece in self.pieces[self._scanned :]:
            self._balance.feed(piece)
        self._scanned = len(self.pieces)
        return self.whole or self._balance.closed


class CallRouter:
    """Finds or opens the call that a fragment of one choice belongs to."""

    def __init__(self, choice: int = 0) -> None:
        self._choice = choice
        self._by_id: dict[str, Call] = {}
        self._by_index: dict[int, Call] = {}
        self._echoes: dict[int, tuple[str, str]] = {}
        self._calls: list[Call] = []
        self.last: Call | None = None
        """The call that the latest fragment belonged to, while it is open."""

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls)

    def route(self, index: int | None, id: str | None, name: str | None, args: str | None = None) -> Call | None:
        """The call of this fragment; None for an echo, and for a fragment that says nothing. Empty strings count as not given: pass None for them."""
        if id is None and name is None and not args:
            return None
        call = None
        if id is not None and id in self._by_id:
            call = self._of_known_id(id, index, name, args)
            if call is None:
                return None
        elif index is not None and index in self._by_index:
            call = self._on_used_index(index, id, name, args)
            if call is None:
                return None
        if call is None:
            call = self._continued(index, id, name) or self._open(index)
        if id is not None:
            call.id = call.id or id
            if call.id == id or id not in self._by_id:
                self._by_id[id] = call
        if index is not None:
            self._by_index[index] = call
        self.last = call
        return call

    def at(self, index: int | None) -> Call | None:
        """The call that an index means now. Asking opens none."""
        return self._by_index.get(index) if index is not None else None

    def repeated(self, id: str | None, name: str | None, args: str) -> Call | None:
        """The call that a source says again as a whole: the one with its id, or one without an id that has its name and arguments."""
        if id is not None and id in self._by_id:
            return next((call for call in self._calls if (call.id, call.name) == (id, name)), self._by_id[id])
        nameless = (call for call in self._calls if id is None or call.id is None)
        return next((call for call in nameless if call.name == name and "".join(call.pieces) == args), None)

    def forget(self, call: Call) -> None:
        """The call is over: nothing more is routed to it, and its arguments are let go."""
        call.whole = True
        call.pieces = []
        if self.last is call:
            self.last = None

    def _of_known_id(self, id: str, index: int | None, name: str | None, args: str | None) -> Call | None:
        """The call with this id, another one that shares it, or None for an echo: what has ended, said again.

        Some give all calls of an answer one id, told apart by their names; LocalAI says one call at several indices, OpenRouter its last chunk twice.
        """
        at = self._by_index.get(index) if index is not None else None
        call = at if at is not None and at.id == id and name in (None, at.name) else self._by_id[id]
        elsewhere = index if call.index not in (None, index) else None
        if None not in (name, call.name) and name != call.name:
            return self._open(index) if elsewhere is not None or call.looks_closed else call
        if call.name is None or (elsewhere is None and name is None) or not call.looks_closed:
            return call
        if elsewhere is not None and not args:
            self._echoes[elsewhere], self._by_index[elsewhere] = (id, call.name), call
            return None
        if args == "".join(call.pieces):
            return None
        return self._open(index, id, call.name) if elsewhere is not None and (args or "").startswith("{") else call

    def _on_used_index(self, index: int, id: str | None, name: str | None, args: str | None) -> Call | None:
        """A fragment with a known index and no known id: more of that call, another one that uses the index too, or an echo."""
        call = self._by_index[index]
        if id is not None and name is not None and _echoes(call, id, name, args):
            self._echoes[index] = id, name
            return None
        echo = self._echoes.pop(index, None) if args else None
        if echo is not None and call.looks_closed and id in (None, echo[0]):
            if echo[0] == call.id and args == "".join(call.pieces):
                return None
            call = self._open(index, *echo)
            self._by_id[echo[0]] = call
        elif _opens_new(call, id, name, args):
            call = self._open(index)
        return call

    def _continued(self, index: int | None, id: str | None, name: str | None) -> Call | None:
        """A bare fragment belongs to the last open call unless that one's arguments are closed; so does one that repeats its name while they are open."""
        last = self.last
        if last is None or id is not None or last.looks_closed:
            return None
        repeats = index is None and name == last.name and any(last.pieces)
        return last if name is None or repeats else None

    def _open(self, index: int | None, id: str | None = None, name: str | None = None) -> Call:
        call = Call(self._choice, index, id, name)
        self._calls.append(call)
        return call


def _echoes(call: Call, id: str, name: str, args: str | None) -> bool:
    """Another id with the call's own name and nothing else, after arguments came (Kimi on SiliconFlow).

    Either the call's closing echo, or a second call that is announced: the next fragment on the index tells.
    """
    return bool(call.pieces) and not args and name == call.name and call.id not in (None, id)


def _opens_new(call: Call, id: str | None, name: str | None, args: str | None) -> bool:
    """Does a used index name a new call now? Without a name another id merely rotates; with closed arguments a name says so."""
    if id is not None and call.id is not None and id != call.id:
        return name is not None or call.looks_closed
    if name is None or (id is not None and id == call.id):
        return False
    return call.looks_closed and (name != call.name or call.whole or (args or "").startswith("{"))
