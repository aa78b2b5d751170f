"""Writes Responses events that the strictest clients accept.

Knows: the lifecycle of a response, the order of its items, sequence numbers. Must not know: other protocols; what items look like (written.py).
One item is open at a time; an item's place is its place in the final output; what was announced is closed, also when the stream breaks off.
"""

import re
from collections.abc import Callable, Iterator
from itertools import count, repeat
from operator import mod
from typing import Any, ClassVar, Final

import msgspec

from weft import events as ev
from weft import jsontext, unnamed
from weft.carried import wrapped
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.errors import says_all
from weft.jsontext import is_object
from weft.logprobs import tokens_of
from weft.losses import Losses
from weft.protocols.openai_responses import response
from weft.protocols.openai_responses.dialects import host_of
from weft.protocols.openai_responses.written import (
    Written,
    WrittenCall,
    WrittenImage,
    WrittenMessage,
    WrittenNative,
    WrittenOwn,
    WrittenReasoning,
)
from weft.toolids import fitted

_ANYTHING: Final = re.compile(r"(?!)")
_NUMBER: Final = re.compile(rb'"sequence_number":\s*(\d+)')
_OWN_ANNOTATIONS: Final = frozenset({"url_citation", "file_citation", "container_file_citation", "file_path"})
# Tools with an item of their own kind -> how the ids of those begin.
_NATIVE: Final = {"local_shell": "lsh", "shell": "sh", "apply_patch": "apc", "computer": "cu"}
_PREFIXES: Final = {"text": "msg", "refusal": "msg", "reasoning": "rs", "tool_call": "fc", "file": "ig"}

# Client profiles that show reasoning only if it is a summary, and those that drop a message with a refusal in it.
RAW_AS_SUMMARY: Final = frozenset({"codex", "ai-sdk"})
REFUSAL_AS_TEXT: Final = frozenset({"codex"})


def _ends(numbers: Iterator[int]) -> Iterator[bytes]:
    """How frames of deltas end. Made anew for each, without a call in between: no dearer than to look it up, and the same for any number."""
    return map(mod, repeat(b',"sequence_number":%d}\n\n'), numbers)


class ResponsesEncoder(Encoder):
    """One stream of events."""

    own: ClassVar = "openai-responses"
    drops: ClassVar = {
        ev.Note: "",
        ev.StepStart: "",
        ev.StepEnd: "steps",
        ev.Usage: "",
        ev.Result: "",
    }
    loses: ClassVar = {
        "steps": "a response has no steps",
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "reasoning_form": "a part that has ended cannot go on, and this client shows reasoning only as a summary",
        "refusal": "this client drops a message with a refusal, so it is sent as text like any other",
        "signature": "only reasoning can carry opaque state, and only one piece of it",
        "tool_kind": "a tool of this kind, or with such arguments, cannot be expressed: it reads as a function",
        "tool_call_id": "an id has at most 64 characters",
        "executor": "a tool that another provider ran cannot be expressed",
        "tool_result": "results of another provider's tools cannot be expressed",
        "annotation": "of another protocol's citations, only those with a URL can be expressed, and only on text",
        "annotation_offsets": "a citation does not say the words that it cites",
        "logprobs": "log probabilities are those of single tokens of a text",
        "file": "only images can be expressed",
        "opaque": "another protocol's items cannot be expressed",
        "channel": "a message has phases, and this channel is not one of them",
        "finish_other": "there is no such finish reason: it reads as completed",
        "meta": "this fact cannot be expressed",
        "error_detail": "an error has one of the documented codes, and a message",
    }
    profiles: ClassVar = {
        "codex": "reasoning is always a summary, a refusal is text",
        "ai-sdk": "reasoning is always a summary",
    }
    sequential: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._response: dict[str, Any] = {}
        self._numbers = count()
        self._ends = _ends(self._numbers)
        self._output: list[dict[str, Any]] = []
        self._ids: set[str] = set()
        self._block: ev.BlockStart | None = None
        self._item: Written | None = None
        self._item_number = -1
        self._status = "completed"
        self._refused = self._called = False
        self._held: list[str] = []
        self._own: dict[str, Any] | None = None
        self._ready: dict[type[ev.Event], Handler] = {}

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.ArgsDelta: self._args,
            ev.Signature: self._sign,
            ev.Annotation: self._annotate,
            ev.File: self._file,
            ev.Opaque: self._opaque,
            ev.BlockEnd: self._block_end,
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def standing(self) -> dict[str, Any]:
        """The response as it stands, with the open item as far as it has come."""
        items = self._output if self._item is None else [*self._output, self._item.so_far()]
        return {**self._response, "output": items}

    def more(self, texts: list[str]) -> None:
        item = self._item
        if item is not None:
            item.pieces += texts
            self._write(jsontext.spliced(item.head, texts, self._ends))

    def flush(self) -> None:
        if self._ready:
            self._greet()

    def settle(self) -> None:
        """A message waits for more parts of its item; there will be none."""
        self.flush()
        if self._block is None:
            self._close_item()

    def follow(self, frames: bytes) -> None:
        numbers = _NUMBER.findall(frames)
        if numbers:
            self._numbers = count(int(numbers[-1]) + 1)
            self._ends = _ends(self._numbers)

    def cut(self, event: ev.BlockEnd) -> None:
        """An item that is announced only when it is whole was announced by another, in words that are not known."""
        if self._item is not None:
            self._block_end(event)
        self._block = None
        self.settle()

    def carry(self, event: ev.Unknown) -> None:
        raw = event.raw
        if is_object(raw) and "sequence_number" in raw:
            event = msgspec.structs.replace(event, raw={**raw, "sequence_number": next(self._numbers)})
        self._write(unnamed.as_event(event))

    # -- the response --------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        told = host_of(self._context.response_id or event.id, event.model)
        if event.provider not in (None, told and told.provider):
            self.lose("meta", "provider")
        self._response = response.envelope(event, self._context)
        self._ready = {**self.on}
        self.on |= {**dict.fromkeys(self.on, self._greet_first), ev.Meta: self._meta}

    def _greet(self) -> None:
        """What came together with the start is said with it, and nothing waits for it."""
        self.on |= self._ready
        self._ready = {}
        self._event("response.created", {"response": self._response})
        self._event("response.in_progress", {"response": self._response})

    def _greet_first(self, event: ev.Event) -> None:
        self._greet()
        self.on[type(event)](event)

    def _meta(self, event: ev.Meta) -> None:
        """Who answers may become known late: the last event says it. What the same protocol said of its response, it says again."""
        if event.name in ("model", "service_tier", "completed_at"):
            self._response[event.name] = event.value
        elif event.name == "response" and is_object(event.value):
            said = response.repeated(event.value)
            self._response |= {**said, **response.asked(self._context)}
            if len(said) < len(event.value):
                self.lose("meta", event.name)
        elif event.name == "created":
            self._response["created_at"] = int(event.value)
        elif event.name != "id":
            self.lose("meta", event.name)

    def _end(self, event: ev.End) -> None:
        self._close_item()
        status, beside = response.ending(event)
        finish = event.finishes[0].reason if event.finishes else None
        unsaid = (
            finish == "other" or (finish == "pause" and not self._asks()) or (finish == "refusal" and not self._refused)
        )
        if status == "completed" and (unsaid or (finish == "tool_calls" and not self._called)):
            self.lose("finish_other")
        if status == "failed" and event.error is not None and not says_all(beside["error"], event.error):
            self.lose("error_detail")
        whole = {"status": status, "output": self._output, "usage": response.usage(event.usage), **beside}
        self._response = {**self._response, **whole}
        self._event(f"response.{status}", {"response": self._response})

    def _asks(self) -> bool:
        """An approval that is asked for is what a pause is here."""
        return any(item.get("type") == "mcp_approval_request" for item in self._output)

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._block, self._own = event, None
        self._held = []
        if event.kind in ("text", "refusal"):
            if event.kind == "refusal" and self._context.profile in REFUSAL_AS_TEXT:
                self.lose("refusal", place_of(event))
                event = msgspec.structs.replace(event, kind="text")
            self._refused = self._refused or event.kind == "refusal"
            self._open_part(event)
            return
        self._close_item()
        if event.kind == "reasoning":
            self._open(WrittenReasoning(self._say, self._splice, self._id(event)))
        elif event.kind == "tool_call" and event.executor == "client" and event.tool in ("function", "custom"):
            self._open_call(event, custom=event.tool == "custom")

    def _open_part(self, event: ev.BlockStart) -> None:
        """Text goes into the open message if it is of the same item, else into a new one."""
        item = self._item
        if not isinstance(item, WrittenMessage) or self._item_number != event.item:
            self._close_item()
            phase = event.channel if event.channel in ("commentary", "final_answer") else None
            if event.channel is not None and phase is None:
                self.lose("channel", place_of(event))
            item = WrittenMessage(self._say, self._splice, self._id(event), phase)
            self._open(item)
            self._item_number = event.item
        elif event.channel != item.phase:
            self.lose("channel", place_of(event))
        item.open_part(event.kind)

    def _open_call(self, event: ev.BlockStart, *, custom: bool) -> None:
        id = self._id(event, "ctc" if custom else "fc")
        item = WrittenCall(self._say, self._splice, id, self._call_id(event), event.name or "", custom)
        self._open(item)

    def _call_id(self, event: ev.BlockStart) -> str:
        call_id = fitted(event.id or "", _ANYTHING)
        if call_id != event.id:
            self.lose("tool_call_id", place_of(event))
        return call_id

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        item = self._item
        if event.logprobs is not None and isinstance(item, WrittenMessage):
            tokens = tokens_of(event.logprobs) if type(event) is ev.TextDelta else None
            if tokens is not None:
                item.text_with_logprobs(event.text, tokens)
                return
            self.lose("logprobs", place_of(event))
        if item is not None:
            self._delta(item, event.text)
            self.like = event

    def _think(self, event: ev.ReasoningDelta) -> None:
        item = self._item
        if not isinstance(item, WrittenReasoning):
            return
        form = event.form
        if form == "raw" and self._context.profile in RAW_AS_SUMMARY:
            self.lose("reasoning_form", place_of(event))
            form = "summary"
        if not item.turn_to(event.part, form):
            self.lose("reasoning_form", place_of(event))
        self._delta(item, event.text)
        if form == event.form:
            self.like = event

    def _args(self, event: ev.ArgsDelta) -> None:
        item = self._item
        if item is not None:
            self._delta(item, event.text)
            self.like = event
        else:
            self._held.append(event.text)

    def _sign(self, event: ev.Signature) -> None:
        """The state of reasoning has one place, whoever made it; another origin's is wrapped."""
        if isinstance(self._item, WrittenReasoning):
            own = event.origin.protocol == "openai-responses"
            if not self._item.sign(event.value if own else wrapped(event), event.part):
                self.lose("signature", place_of(event))
        else:
            self.lose("signature", place_of(event))

    def _annotate(self, event: ev.Annotation) -> None:
        raw = event.raw if is_object(event.raw) and event.raw.get("type") in _OWN_ANNOTATIONS else None
        if raw is None and event.url is not None:
            raw = {"type": "url_citation", "start_index": event.start or 0, "end_index": event.end or 0}
            raw |= {"url": event.url, "title": event.title or ""}
            if event.text is not None:
                self.lose("annotation_offsets", place_of(event))
        item = self._item
        if isinstance(item, WrittenMessage) and item.cites and raw is not None and "url_citation" not in raw:
            item.annotate(raw)
        else:
            self.lose("annotation", place_of(event))

    def _file(self, event: ev.File) -> None:
        block = self._block
        image = (event.media_type or "image/png").startswith("image/") and event.data is not None
        if block is None or block.kind != "file" or not image:
            self.lose("file", place_of(event))
            return
        if not isinstance(self._item, WrittenImage):
            self._open(WrittenImage(self._say, self._splice, self._id(block)))
        if isinstance(self._item, WrittenImage):
            self._item.image(event.data or "", event.media_type, partial=event.partial)

    def _opaque(self, event: ev.Opaque) -> None:
        """The item in this protocol's own words, from the source itself."""
        if event.origin.protocol != "openai-responses" or not is_object(event.raw):
            if self._block is not None and self._block.kind not in ("reasoning", "tool_result"):
                self.lose("opaque", place_of(event))
            return
        self._own = event.raw
        if isinstance(self._item, WrittenCall | WrittenImage):
            self._item.own = event.raw

    def _block_end(self, event: ev.BlockEnd) -> None:
        block, item = self._block, self._item
        if block is None:
            return
        if not event.complete:
            self._status = "incomplete"
        elif block.kind == "tool_call" and block.executor == "client":
            self._called = True
        if isinstance(item, WrittenMessage) and block.kind in ("text", "refusal"):
            item.close_part()
        elif item is not None:
            if isinstance(item, WrittenCall) and event.complete and not item.pieces and block.tool == "function":
                self._delta(item, "{}")
            self._close_item()
        elif self._own is not None:
            self._open(WrittenOwn(self._say, self._splice, str(self._own.get("id") or self._id(block)), self._own))
            self._close_item()
        else:
            self._without_item(block)
        self._block = None

    def _without_item(self, block: ev.BlockStart) -> None:
        """What another protocol's source said and no item can say; a client's call is a function's at least."""
        native = block.tool in _NATIVE and (self._held or self._status == "completed")
        action = jsontext.decode_object("".join(self._held)) if native else None
        if block.kind == "tool_call" and action is not None:
            id, call_id = self._id(block, _NATIVE[block.tool]), self._call_id(block)
            self._open(WrittenNative(self._say, self._splice, id, block.tool, call_id, action))
            self._close_item()
        elif block.kind == "tool_call" and block.executor == "client":
            self.lose("tool_kind", place_of(block))
            self._open_call(block, custom=False)
            if isinstance(self._item, WrittenCall):
                self._delta(self._item, "".join(self._held))
            self._close_item()
        elif block.kind == "tool_call":
            self.lose("executor", place_of(block))
        elif block.kind == "tool_result" and not self._own_result(block):
            self.lose("tool_result", place_of(block))

    def _own_result(self, block: ev.BlockStart) -> bool:
        """Was the result part of an item that was written with its call?"""
        return block.item_id is not None and block.item_id in self._ids

    # -- items and frames ----------------------------------------------------------------------------------------

    def _open(self, item: Written) -> None:
        self._item = item
        item.announce()

    def _close_item(self) -> None:
        if self._item is not None:
            item, self._item = self._item, None
            self._output.append(item.close(self._status))
            self._ids.add(item.id)
        self._item_number, self._status = -1, "completed"

    def _id(self, block: ev.BlockStart, prefix: str | None = None) -> str:
        """The item's id: the source's own, or one that its place in the output tells."""
        if block.item_id:
            return block.item_id
        response_id = str(self._response.get("id", "")).removeprefix("resp_")
        return f"{prefix or _PREFIXES.get(block.kind, 'item')}_{response_id}_{len(self._output)}"

    def _say(self, name: str, members: dict[str, Any]) -> None:
        """An event of the item that is open: its place in the output is the item's."""
        self._event(name, {"output_index": len(self._output), **members})

    def _splice(self, name: str, members: dict[str, Any]) -> bytes:
        frozen = jsontext.line({"type": name, "output_index": len(self._output), **members})
        return b"event: %b\ndata: %b" % (name.encode(), frozen[:-1]) + b',"delta":'

    def _delta(self, item: Written, text: str) -> None:
        """A frozen head, the text, the number."""
        item.pieces.append(text)
        self._write(item.head + jsontext.line(text) + next(self._ends))

    def _event(self, name: str, members: dict[str, Any]) -> None:
        data = jsontext.line({"type": name, "sequence_number": next(self._numbers), **members})
        self._write(b"event: %b\ndata: %b\n\n" % (name.encode(), data))
