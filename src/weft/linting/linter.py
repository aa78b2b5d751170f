"""Bytes in, findings out: the lines of the transport and the frames of the protocol are judged side by side, in one pass.

Knows: how a stream becomes frames that can be judged. Must not know: any rule of any protocol.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from weft import jsontext
from weft.framing.framer import Framer
from weft.framing.framers import FRAMERS
from weft.framing.sniff import framing_of
from weft.linting.checklist import PROTOCOLS, checklist
from weft.linting.report import Report
from weft.linting.rule import Finding, Rule
from weft.linting.transport import RULES as TRANSPORT_RULES
from weft.linting.transport import Lines, lines_of

_FIRST_BYTES: Final = 4096
_TITLES: Final = {
    "sse": "server-sent events",
    "ndjson": "JSON lines or one JSON document",
    "json_array": "a JSON array",
    "aws": "AWS event-stream",
    "html": "an HTML page",
    "unreadable": "compressed, or in UTF-16 or UTF-32",
}


class Linter:
    """Judges one stream of one protocol. `emit` gets each finding as it is made; `feed` bytes, then `close` once.

    `former`: also for clients that were repaired since, old versions of which are still about.
    """

    def __init__(self, protocol: str, emit: Callable[[Finding], object], *, former: bool = False) -> None:
        self._list = checklist(protocol)
        clients = (*self._list.clients, *(self._list.former if former else ()))
        self._report = Report(emit, {**TRANSPORT_RULES, **self._list.rules}, clients)
        self._machine = self._list.machine(self._report)
        self._head = b""
        self._framer: Framer | None = None
        self._lines: Lines | None = None
        self._dead = False
        self._end = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        self._end += len(data)
        if self._framer is None and not self._dead:
            self._head += data
            self._decide(framing_of(self._head[:_FIRST_BYTES], self._list.framings[0]), len(self._head) >= _FIRST_BYTES)
        elif not self._dead:
            self._take(data)

    def _take(self, data: bytes) -> None:
        if self._framer is None:
            return
        if self._lines is not None:
            self._lines.feed(data)
        self._framer.feed(data)

    def close(self) -> None:
        """The stream is over."""
        if self._framer is None and not self._dead:
            self._decide(None, True)
        if self._framer is not None and not self._dead:
            self._framer.close()
            if self._lines is not None:
                self._lines.close()
        self._report.at = self._end
        if not self._dead:
            self._machine.close()
        self._dead = True

    def unlisted(self) -> dict[str, int]:
        """How many more findings of each rule there were than were given out."""
        return self._report.unlisted()

    def _decide(self, framing: str | None, at_last: bool) -> None:
        """The first bytes tell the framing; one that no client of this protocol reads is a finding, and the last one."""
        if framing is None and not at_last:
            return
        framing = framing or self._list.framings[0]
        if framing not in self._list.framings:
            wanted = _TITLES[self._list.framings[0]]
            self._report.add("transport/framing", f"this is {_TITLES[framing]}, where {wanted} are due", at=0)
            self._dead = True
            return
        self._framer = FRAMERS[framing](self._frame, self._fault)
        self._lines = lines_of(framing, self._report)
        head, self._head = self._head, b""
        if head:
            self._take(head)

    def _frame(self, payload: bytes, name: str) -> None:
        framer = self._framer
        self._report.at = framer.offset if framer is not None else 0
        if payload.lstrip()[:6] == b"[DONE]":
            self._report.add("transport/done-marker", "`[DONE]` is no JSON, and nobody asks for it here")
            self._machine.done()
            return
        try:
            value: Any = jsontext.decode(payload)
        except ValueError:
            self._report.add("transport/not-json", f"the frame is not JSON: {_excerpt(payload)}")
            return
        if jsontext.is_object(value):
            self._machine.frame(value, name)
        else:
            self._report.add("transport/not-object", f"the frame is JSON, but not an object: {_excerpt(payload)}")

    def _fault(self, code: str, message: str, fatal: bool) -> None:
        """What the framing has to complain about; that the last blank line is missing, the lines tell better."""
        framer = self._framer
        self._report.at = framer.offset if framer is not None else 0
        if code != "unterminated_frame":
            self._report.add("transport/broken-frame", message)
        if fatal:
            self._dead = True


def lint(source: bytes | str | Iterable[bytes | str], protocol: str, *, former: bool = False) -> list[Finding]:
    """What is wrong with a stream, in the order of its bytes: which rule, where, and which client does what about it.

    The last finding of a rule that was broken very often tells how many `more` there were. `former` minds old versions of clients too.
    """
    found: list[Finding] = []
    linter = Linter(protocol, found.append, former=former)
    for piece in (source,) if isinstance(source, bytes | bytearray | memoryview | str) else source:
        linter.feed(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(piece))
    linter.close()
    for rule, more in linter.unlisted().items():
        at = max(index for index, finding in enumerate(found) if finding.rule == rule)
        found[at] = msgspec.structs.replace(found[at], more=more)
    return sorted(found, key=lambda finding: finding.offset)


def all_rules(protocol: str | None = None) -> dict[str, Rule]:
    """Every rule by its id, or those of one protocol; what concerns the transport counts where one of its clients minds."""
    if protocol is not None:
        one = checklist(protocol)
        shared = {
            name: rule for name, rule in TRANSPORT_RULES.items() if rule.effects.keys() & {*one.clients, *one.former}
        }
        return {**one.rules, **shared}
    every: dict[str, Rule] = {}
    for name in PROTOCOLS:
        every |= checklist(name).rules
    return every | TRANSPORT_RULES


def _excerpt(payload: bytes) -> str:
    text = payload[:40].decode("utf-8", "replace")
    return repr(text) if len(payload) <= 40 else f"{text!r} …"
