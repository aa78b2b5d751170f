r"""Stream Event v1 (seed 002): five kinds of events, one a line.

    {"type":"content","channel":"json","text":"Hi"}
    {"type":"tool_call","index":0,"id":"call_1","name":"emit_plan","arguments":"{\"a\":1}","isDelta":true}
    {"type":"return","name":"search","result":"..."}
    {"type":"error","code":"RateLimited","detail":"..."}
    {"type":"done"}

Knows: these events, and the order of their members. Must not know: other protocols.
The channel is `json` unless the source says `text`. A call is announced with its first fragment; one that came whole is one event, its
arguments an object. Every stream ends with one `done`; what went wrong stands before it. An answer that only got too long did not go wrong.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

import msgspec

from weft import events as ev
from weft import jsontext
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.errors import to_seed002
from weft.losses import Losses
from weft.protocol import ProtocolSpec
from weft.unfold import at_once

# The source's word for a channel -> ours; what is not here is `json`.
CHANNELS: Final = {"text": "text"}

_PIECE: Final = b',"isDelta":true}\n'
_WHOLE: Final = b',"isDelta":false}\n'


class _Call(msgspec.Struct):
    """A call that is open: the frame for its next fragment, and the one for those after it; the pieces of one that is said whole."""

    head: bytes
    next_head: bytes
    whole: bool
    custom: bool
    pieces: list[str]


class StreamEventEncoder(Encoder):
    """One stream of events."""

    drops: ClassVar = {
        ev.Meta: "meta",
        ev.Note: "",
        ev.ReasoningDelta: "reasoning",
        ev.Signature: "signature",
        ev.Annotation: "annotation",
        ev.File: "file",
        ev.Opaque: "opaque",
        ev.StepStart: "",
        ev.StepEnd: "steps",
        ev.Usage: "usage",
        ev.Unknown: "unknown",
    }
    loses: ClassVar = {
        "id": "no event has a place for it",
        "model": "no event has a place for it",
        "created": "no event has a place for it",
        "meta": "no event has a place for it",
        "reasoning": "only content is shown as content",
        "signature": "there is no place for opaque state",
        "annotation": "content has no citations",
        "file": "content is text",
        "opaque": "another protocol's items cannot be expressed",
        "unknown": "a frame that Weft does not know cannot be written in another protocol",
        "usage": "no event has token counts",
        "steps": "no event says where a step ends",
        "refusal": "a refusal is sent as content like any other",
        "blocks": "content has no blocks: neighbours run together",
        "logprobs": "content has no log probabilities",
        "channel": "the only channels are json and text",
        "executor": "every call is for the receiver to execute, so calls that the provider runs are left out",
        "tool_kind": "calls are of functions",
        "tool_call_id": "a tool's result does not say which call it answers",
        "incomplete": "a call that was cut off looks like one whose fragments are still to come",
        "finish": "only errors say why a stream ended",
        "error_detail": "an error is one of a few codes and a text, and a tool's failure is a result",
    }

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._heads: dict[int, bytes] = {}
        self._calls: dict[int, _Call] = {}
        self._count = 0
        self._after_content = False
        self._names: dict[str | None, str | None] = {}
        self._results: dict[int, dict[str, Any]] = {}

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self.lose_head,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ArgsDelta: self._args,
            ev.Result: self._result,
            ev.BlockEnd: self._block_end,
            ev.End: self._end,
        }

    def _block_start(self, event: ev.BlockStart) -> None:
        if event.kind in ("text", "refusal"):
            self._open_content(event)
        elif event.kind == "tool_call":
            self._open_call(event)
        elif event.kind == "tool_result":
            name = event.name or self._names.get(event.id)
            self._results[event.index] = {"type": "return", **({"name": name} if name else {})}

    def _open_content(self, event: ev.BlockStart) -> None:
        if self._after_content:
            self.lose("blocks", place_of(event))
        self._after_content = True
        if event.kind == "refusal":
            self.lose("refusal", place_of(event))
        if event.channel not in (None, "json", *CHANNELS):
            self.lose("channel", place_of(event))
        channel = CHANNELS.get(event.channel or "", "json")
        self._heads[event.index] = b'{"type":"content","channel":"%b","text":' % channel.encode()

    def _open_call(self, event: ev.BlockStart) -> None:
        self._names[event.id] = event.name
        if event.executor == "provider":
            self.lose("executor", place_of(event))
            return
        if event.tool != "function":
            self.lose("tool_kind", place_of(event))
        self._after_content = False
        number, self._count = self._count, self._count + 1
        told = {name: value for name, value in (("id", event.id), ("name", event.name)) if value}
        if event.made:
            told.pop("id", None)
        first, rest = (
            jsontext.line({"type": "tool_call", "index": number, **more})[:-1] + b',"arguments":' for more in (told, {})
        )
        self._calls[event.index] = _Call(first, rest, event.arrival == "whole", event.tool == "custom", [])

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        if not event.text:
            return
        self._write(self._heads[event.index] + jsontext.line(event.text) + b"}\n")

    def _args(self, event: ev.ArgsDelta) -> None:
        call = self._calls.get(event.index)
        if call is None:
            return
        if call.whole:
            call.pieces.append(event.text)
            return
        self._write(call.head + jsontext.line(event.text) + _PIECE)
        call.head = call.next_head

    def _result(self, event: ev.Result) -> None:
        """Held until its block ends: a first look is replaced by what comes after it."""
        self._results[event.index]["result"] = event.content
        if event.call_id is not None:
            self.lose("tool_call_id", place_of(event))
        if event.is_error:
            self.lose("error_detail", place_of(event))

    def _block_end(self, event: ev.BlockEnd) -> None:
        call = self._calls.pop(event.index, None)
        if call is not None:
            self._end_call(call, event)
        result = self._results.pop(event.index, None)
        if result is not None and "result" in result:
            self._write(jsontext.line(result) + b"\n")

    def _end_call(self, call: _Call, event: ev.BlockEnd) -> None:
        """Say what has not been said in fragments: all of a whole call, and all of one that had none."""
        if not event.complete:
            self.lose("incomplete", place_of(event))
        if call.head is call.next_head:
            return
        raw = "".join(call.pieces)
        if event.complete and not call.custom and jsontext.decode_object(raw) is not None:
            self._write(call.head + jsontext.one_line(raw) + _WHOLE)
        else:
            self._write(call.head + jsontext.line(raw) + (_WHOLE if event.complete else _PIECE))

    def _end(self, event: ev.End) -> None:
        if event.error is not None:
            self.lose("error_detail")
            self._write(jsontext.line({"type": "error", **to_seed002(event.error)}) + b"\n")
        elif any(finish.reason not in ("stop", "tool_calls", None) for finish in event.finishes):
            self.lose("finish")
        self._write(b'{"type":"done"}\n')


PROTOCOL = ProtocolSpec(
    name="stream-event-v1",
    title="Stream Event v1 (UICP)",
    framing="ndjson",
    encoder=StreamEventEncoder,
    reply=at_once(StreamEventEncoder),
)
