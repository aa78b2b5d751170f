"""Version 1 of Cohere's chat: lines told apart by `event_type`, and its whole reply.

Knows: that wire. Must not know: version 2. It is out of service, so a frame of it is simply parsed a second time.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.lenient import fit
from weft.protocols.cohere.citations import cite
from weft.protocols.cohere.usage import counts, whole
from weft.protocols.cohere.wire import Usage, Wire


class Call(Wire):
    """A whole call."""

    name: str | None = None
    parameters: msgspec.Raw = msgspec.Raw()


class CallDelta(Wire):
    """A piece of a call, or of what the model says before it."""

    index: float | None = None
    name: str | None = None
    parameters: str | None = None
    text: str | None = None


class Event(Wire):
    """An event; a whole reply has its members too, and the last event holds one."""

    event_type: str | None = None
    generation_id: str | None = None
    text: str | None = None
    citations: list[dict[str, Any]] | None = None
    tool_calls: list[Call] | None = None
    tool_call_delta: CallDelta | None = None
    search_queries: list[Any] | None = None
    search_results: list[Any] | None = None
    documents: list[Any] | None = None
    finish_reason: str | None = None
    meta: Usage | None = None
    response: "Event | None" = None


# What frames of version 1 have at their top; the wire type of version 2 does not look at it.
MEMBERS = frozenset({*Event.__struct_fields__, "is_finished", "response_id", "chat_history", "is_search_required"})


class Version1:
    """One stream, or one whole reply."""

    def __init__(self) -> None:
        self._called = False
        self._cited = False
        self._on: dict[str | None, Callable[[Assembler, Event], None]] = {
            None: self._end,  # a whole reply
            "stream-start": self._nothing,
            "text-generation": self._text,
            "citation-generation": self._citations,
            "search-queries-generation": self._search,
            "search-results": self._search,
            "tool-calls-chunk": self._call_delta,
            "tool-calls-generation": self._calls,
            "stream-end": self._end,
            "debug": self._nothing,
        }

    def take(self, out: Assembler) -> None:
        """The frame that is being read."""
        frame = out.place.frame()
        event = _event(frame)
        out.start(event.generation_id)
        take = self._on.get(event.event_type)
        if take is not None:
            take(out, event)
        else:
            out.unknown(frame)

    def _text(self, out: Assembler, event: Event) -> None:
        out.text(event.text or "")

    def _citations(self, out: Assembler, event: Event) -> None:
        self._cited = True
        for citation in event.citations or ():
            cite(out, None, citation)

    def _search(self, out: Assembler, event: Event) -> None:
        for name in ("search_queries", "search_results", "documents"):
            out.meta(name, getattr(event, name))

    def _call_delta(self, out: Assembler, event: Event) -> None:
        if (delta := event.tool_call_delta) is not None:
            self._called = True
            out.reasoning(delta.text or "")
            out.tool_call(whole(delta.index), None, delta.name, delta.parameters)

    def _calls(self, out: Assembler, event: Event) -> None:
        """All calls, which may have come in pieces before."""
        for call in event.tool_calls if event.tool_calls and not self._called else ():
            out.tool_call(None, None, call.name, jsontext.packed(call.parameters), whole=True)
        self._called = self._called or bool(event.tool_calls)

    def _end(self, out: Assembler, event: Event) -> None:
        """The whole reply once more; what no event has said is said now."""
        reply = event.response or event
        if not out.said("text"):
            self._text(out, reply)
        if not self._cited:
            self._citations(out, reply)
        self._search(out, reply)
        self._calls(out, reply)
        if reply.meta is not None:
            values, sources = counts(reply.meta)
            out.usage(values, sources, msgspec.to_builtins(reply.meta))
        out.finish(event.finish_reason or reply.finish_reason)
        out.sign("terminal")

    def _nothing(self, out: Assembler, event: Event) -> None:
        """An event that says nothing of the answer."""


_parse = msgspec.json.Decoder(Event).decode


def _event(frame: bytes) -> Event:
    """The event in a frame, without what does not fit; one of no known type if nothing does."""
    try:
        return _parse(frame)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    try:
        return fit(jsontext.decode(frame), Event)[0]
    except (msgspec.ValidationError, ValueError):
        return Event("unreadable")
