"""Writes Anthropic Messages events that the strictest clients accept.

Knows: this wire. Must not know: other protocols.
One block is open at a time, indexes are dense, every event is named, usage is always there. A block is announced with its first content,
since only that tells what it is; what has no content at all is announced at its end.
"""

import re
from collections.abc import Callable
from itertools import repeat
from typing import Any, ClassVar

import msgspec

from weft import events as ev
from weft import jsontext, unnamed
from weft.carried import wrapped
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.errors import says_all
from weft.finish import finish_reason
from weft.jsontext import is_object
from weft.losses import Losses
from weft.protocols.anthropic import words
from weft.protocols.anthropic.dialects import provider_of
from weft.toolids import fitted

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")

# Client profiles that want a block even where there was no content, and those that want a ping where the vendor sends one.
WANTS_A_BLOCK = frozenset({"claude-code"})
WANTS_PINGS = frozenset({"claude-code", "pings"})


class AnthropicEncoder(Encoder):
    """One stream of events."""

    own: ClassVar = "anthropic"
    drops: ClassVar = {ev.Note: "", ev.StepStart: "", ev.StepEnd: "steps"}
    loses: ClassVar = {
        "steps": "a message has no steps",
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "reasoning_form": "thinking is one text",
        "signature": "only thinking can carry opaque state",
        "refusal": "a refusal is sent as text like any other",
        "tool_kind": "the input of a tool must be a JSON object",
        "tool_call_id": "an id may have only letters, digits, - and _",
        "executor": "another provider ran this tool, and the client must not run it again",
        "tool_result": "results of another provider's tools cannot be expressed",
        "annotation": "only the citations of this provider's own tools have a form",
        "file": "messages carry no generated files",
        "opaque": "another protocol's items cannot be expressed",
        "logprobs": "there are no log probabilities",
        "channel": "text has no channels",
        "usage": "a failure has no token counts",
        "usage_split": "the total is always the sum",
        "finish_other": "there is no such finish reason: it reads as another",
        "error_detail": "an error has a type and a message",
        "meta": "this fact cannot be expressed",
        "model": "the model can be named only when the message begins",
        "created": "a message has no time of creation",
        "incomplete": "a block that was cut off looks like any other, only the stop reason tells; a whole reply leaves out a call that was cut off",
    }
    profiles: ClassVar = {
        "claude-code": "a message without content has an empty text block; a `ping` follows the first block's start",
        "pings": "a `ping` follows the first block's start, as the vendor sends it",
    }
    sequential: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._message: dict[str, Any] | None = None
        self._usage: ev.Usage | None = None
        self._metas: dict[str, Any] = {}
        self._block: ev.BlockStart | None = None
        self._begun = self._argued = False
        self._next = 0
        self._head = self._tail = b""
        self._part: tuple[int, ev.ReasoningForm] | None = None
        self._sealed: str | None = None
        self._hollow = False
        self._called = False
        self._counted: dict[str, int] = {}

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.Usage: self._count,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.ArgsDelta: self._args,
            ev.Signature: self._sign,
            ev.Annotation: self._cite,
            ev.File: self._file,
            ev.Result: self._result,
            ev.Opaque: self._opaque,
            ev.BlockEnd: self._block_end,
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def more(self, texts: list[str]) -> None:
        self._write(jsontext.spliced(self._head, texts, repeat(self._tail)))

    def flush(self) -> None:
        """What was named in this read is announced: the message, with its usage if that came along, and a call, in its own form if it has one."""
        self._greet()
        block = self._block
        if block is not None and not self._begun and block.kind == "tool_call" and block.executor == "client":
            self._begin()

    def _greet(self) -> None:
        if self._message is not None:
            message, self._message = self._message, None
            message["usage"] = self._counted = words.usage(self._usage)
            self._event("message_start", {"message": message})

    def carry(self, event: ev.Unknown) -> None:
        """A frame that names a block is of the one that is open: it stands behind its announcement, under its number."""
        self._greet()
        raw = event.raw
        if is_object(raw) and "index" in raw:
            if not self._begin():
                self.lose("unknown", place_of(event))
                return
            event = msgspec.structs.replace(event, raw={**raw, "index": self._next - 1})
        self._write(unnamed.as_event(event))

    # -- the message ---------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        if event.created is not None:
            self.lose("created")
        if event.provider not in (None, provider_of(self._context.response_id or event.id)):
            self.lose("meta", "provider")
        self._message = words.message(self._context.response_id or event.id, event.model)

    def _meta(self, event: ev.Meta) -> None:
        if event.name in words.METAS:
            self._metas[event.name] = event.value
        elif event.name == "model" and self._message is not None:
            self._message["model"] = event.value
        elif event.name in ("model", "created"):
            self.lose(event.name)
        elif event.name != "id":
            self.lose("meta", event.name)

    def _count(self, event: ev.Usage) -> None:
        self._usage = event

    def _end(self, event: ev.End) -> None:
        self._greet()
        self._usage = event.usage or self._usage
        if event.outcome in ("failed", "truncated") or (event.error is not None and event.error.type == "cancelled"):
            self._failed(event)
            return
        if self._next == 0 and self._context.profile in WANTS_A_BLOCK:
            self._open({"type": "text", "text": ""})
            self._stop()
        finish = event.finishes[0] if event.finishes else ev.Finish()
        reason = words.stop_reason(finish, called=self._called)
        if finish.reason not in (None, finish_reason(reason)):
            self.lose("finish_other")
        if self._usage is not None and not self._usage.sums:
            self.lose("usage_split")
        delta: dict[str, Any] = {"stop_reason": reason, "stop_sequence": self._metas.get("stop_sequence")}
        delta |= {name: self._metas[name] for name in ("stop_details", "container") if name in self._metas}
        beside = {name: self._metas[name] for name in ("context_management",) if name in self._metas}
        self._event("message_delta", {"delta": delta, **beside, "usage": words.usage(self._usage)})
        self._event("message_stop", {})

    def _failed(self, event: ev.End) -> None:
        """The error event, and nothing that would read as a message that came to its end."""
        if event.error is None:
            return
        if not says_all({"type": "error", "error": words.error(event.error)}, event.error):
            self.lose("error_detail")
        if self._usage is not None and words.usage(self._usage) != self._counted:
            self.lose("usage")
        elif self._usage is not None and not self._usage.sums:
            self.lose("usage_split")
        for name in self._metas:
            self.lose("meta", name)
        self._event("error", {"error": words.error(event.error)})

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._greet()
        self._block, self._begun, self._part, self._hollow, self._argued = event, False, None, False, False
        if event.channel:
            self.lose("channel", place_of(event))
        if event.kind == "refusal":
            self.lose("refusal", place_of(event))

    def _begin(self, own: dict[str, Any] | None = None) -> bool:
        """Announce the block, in its own form if it is this protocol's. False if it cannot be announced at all."""
        if self._begun:
            return self._head != b""
        self._begun, self._head = True, b""
        block = self._block
        if block is None:
            return False
        if own is not None:
            self._open(own)
        elif block.kind == "tool_call" and block.executor == "provider":
            self.lose("executor", place_of(block))
        elif block.kind == "tool_call":
            self._open_call(block)
        elif block.kind == "reasoning":
            self._open({"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking")
        elif block.kind in ("text", "refusal"):
            self._open({"type": "text", "text": ""}, "text_delta", "text")
        return self._head != b""

    def _open_call(self, block: ev.BlockStart) -> None:
        id = fitted(block.id or "", _ILLEGAL)
        if id != block.id:
            self.lose("tool_call_id", place_of(block))
        if block.tool != "function":
            self.lose("tool_kind", place_of(block))
        self._open(
            {"type": "tool_use", "id": id, "name": block.name or "", "input": {}}, "input_json_delta", "partial_json"
        )
        self._write(self._head + b'""' + self._tail)
        if block.tool == "custom":
            self._write(self._head + jsontext.line('{"input":"') + self._tail)

    def _open(self, content: dict[str, Any], delta: str = "input_json_delta", member: str = "partial_json") -> None:
        """Start a block, and freeze the frame that its deltas are spliced into."""
        index, self._next = self._next, self._next + 1
        self._event("content_block_start", {"index": index, "content_block": content})
        if index == 0 and self._context.profile in WANTS_PINGS:
            self._event("ping", {})
        frame = b'event: content_block_delta\ndata: {"type":"content_block_delta","index":%d,"delta":{"type":"%b","%b":'
        self._head = frame % (index, delta.encode(), member.encode())
        self._tail = b"}}\n\n"

    def _stop(self) -> None:
        self._event("content_block_stop", {"index": self._next - 1})

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        if self._begin():
            self._write(self._head + jsontext.line(event.text) + self._tail)
            self.like = event

    def _think(self, event: ev.ReasoningDelta) -> None:
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        text = event.text
        part: tuple[int, ev.ReasoningForm] = (event.part, event.form)
        if self._part not in (None, part):
            text = "\n\n" + text
        self._part = part
        if self._begin():
            self._write(self._head + jsontext.line(text) + self._tail)
            self.like = event if event.form == "raw" and not event.part else None

    def _args(self, event: ev.ArgsDelta) -> None:
        if not self._begin():
            return
        text, self._argued = event.text, True
        if self._block is not None and self._block.tool == "custom":
            text = jsontext.line(text)[1:-1].decode()
        else:
            self.like = event
        self._write(self._head + jsontext.line(text) + self._tail)

    def _sign(self, event: ev.Signature) -> None:
        """A signature of ours goes back as it came, another origin's is wrapped; what is encrypted is a block of its own."""
        if self._block is None or self._block.kind != "reasoning":
            self.lose("signature", place_of(event))
            self._hollow = True
            return
        value = event.value if event.origin.protocol == "anthropic" else wrapped(event)
        if event.encrypted:
            self._sealed = value
        elif self._begin():
            self._delta({"type": "signature_delta", "signature": value})

    def _seal(self) -> None:
        """Encrypted reasoning is a block of its own, unless there is thinking that it can sign: the last one that came is the one that counts."""
        sealed, self._sealed = self._sealed, None
        if sealed is None:
            return
        if self._begun:
            self._delta({"type": "signature_delta", "signature": sealed})
        else:
            self._begin({"type": "redacted_thinking", "data": sealed})

    def _delta(self, delta: dict[str, Any]) -> None:
        self._event("content_block_delta", {"index": self._next - 1, "delta": delta})

    def _cite(self, event: ev.Annotation) -> None:
        if is_object(event.raw) and event.kind in words.CITATIONS and self._begin():
            self._delta({"type": "citations_delta", "citation": event.raw})
        else:
            self.lose("annotation", place_of(event))

    def _file(self, event: ev.File) -> None:
        self.lose("file", place_of(event))

    def _result(self, event: ev.Result) -> None:
        """Said in its own form, which follows."""

    def _opaque(self, event: ev.Opaque) -> None:
        """A block in this protocol's own words, from the source itself."""
        if event.origin.protocol != "anthropic" or not is_object(event.raw):
            if self._block is not None and self._block.kind in ("text", "refusal", "tool_call"):
                self.lose("opaque", place_of(event))
            return
        if not self._begun:
            self._sealed = None
            call = self._block is not None and self._block.kind == "tool_call"
            self._begin({**event.raw, "input": {}} if call else event.raw)

    def _block_end(self, event: ev.BlockEnd) -> None:
        block = self._block
        if block is None:
            return
        self._seal()
        if block.kind == "tool_result" and not self._begun:
            self.lose("tool_result", place_of(event))
        elif block.kind == "opaque" and not self._begun:
            self.lose("opaque", place_of(event))
        elif self._hollow and not self._begun and block.kind in ("text", "refusal"):
            pass  # nothing is left of it, and an empty text is what Claude Code shows for the answer and the API refuses in the next turn
        elif self._begin():
            if block.kind == "tool_call" and block.tool == "custom":
                self._write(self._head + jsontext.line('"}') + self._tail)
            if block.kind == "tool_call" and block.executor == "client":
                self._end_call(event)
            self._stop()
        self._block, self._head = None, b""

    def _end_call(self, event: ev.BlockEnd) -> None:
        """No arguments are an empty object: where the message was cut off, nothing at all would read as a call that was."""
        if event.complete and not self._argued and self._block is not None and self._block.tool != "custom":
            self._write(self._head + b'"{}"' + self._tail)
        self._called = self._called or event.complete
        if not event.complete:
            self.lose("incomplete", place_of(event))

    def _event(self, name: str, members: dict[str, Any]) -> None:
        self._write(b"event: %b\ndata: %b\n\n" % (name.encode(), jsontext.line({"type": name, **members})))
