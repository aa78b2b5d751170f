"""Writes Ollama's lines so that its own SDKs read them.

Knows: this wire. Must not know: other protocols.
Each line is a whole object that names the model and a time. Calls are said when they are whole; the last line is the only one that is done.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

import msgspec

from weft import events as ev
from weft import jsontext, unnamed
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.logprobs import tokens_of
from weft.losses import Losses
from weft.protocols.ollama import words
from weft.timestamps import stamp

_REMOTE: Final = frozenset({"remote_model", "remote_host"})


class OllamaEncoder(Encoder):
    """One stream of lines."""

    own: ClassVar = "ollama"
    drops: ClassVar = {
        ev.Note: "",
        ev.StepStart: "",
        ev.StepEnd: "steps",
        ev.Usage: "",
        ev.Signature: "signature",
        ev.Annotation: "annotation",
        ev.File: "file",
        ev.Result: "",
    }
    loses: ClassVar = {
        "steps": "there are no steps",
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "reasoning_form": "thinking is one text",
        "blocks": "neighbouring texts run together",
        "signature": "there is no place for opaque state",
        "refusal": "a refusal is sent as text",
        "args_stream": "a call is sent when it is whole",
        "args_text": "arguments are sent on one line",
        "args_invalid": "arguments must be an object: a call with other arguments ends the stream in an error",
        "incomplete": "a call that was cut off is left out: a client would execute it",
        "tool_kind": "there are only functions, whose arguments are a JSON object",
        "executor": "the provider ran this tool, and the client must not run it again",
        "tool_result": "results of tools that the provider ran cannot be expressed",
        "annotation": "there are no citations",
        "file": "this protocol's own SDK cannot read a message with images",
        "opaque": "another protocol's items cannot be expressed",
        "logprobs": "log probabilities are those of single tokens",
        "channel": "text has no channels",
        "usage": "a failure has no token counts",
        "usage_split": "there are two counts, without a breakdown",
        "finish_other": "there is no such finish reason: it reads as a stop",
        "error_detail": "an error is a text",
        "meta": "this fact cannot be expressed",
        "id": "a message has no id",
    }
    sequential: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._envelope: dict[str, Any] = {}
        self._before = b""
        self._block = ev.BlockStart(0, "text")
        self._head = self._tail = b""
        self._last = ""
        self._part: tuple[int, ev.ReasoningForm] | None = None
        self._args: list[str] = []
        self._calls = 0
        self._broken: list[tuple[str, str]] = []
        self._refused = self._late = False
        self._tokens: Any = None

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.ArgsDelta: self._piece,
            ev.Opaque: self._opaque,
            ev.BlockEnd: self._block_end,
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def carry(self, event: ev.Unknown) -> None:
        self._write(unnamed.as_line(event))

    # -- the envelope --------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        if not event.made:
            self.lose("id")
        if event.provider is not None:
            self.lose("meta", "provider")
        created = event.created or self._context.created
        time = stamp(created) if created else None
        self._seal({"model": event.model or "", "created_at": time or words.NO_TIME})

    def _seal(self, more: dict[str, Any]) -> None:
        """Freeze what stands in every line before its message."""
        self._envelope |= more
        self._before = jsontext.line(self._envelope)[:-1] + b',"message":{"role":"assistant","content":'

    def _meta(self, event: ev.Meta) -> None:
        if event.name in _REMOTE:
            self._seal({event.name: event.value})
        elif event.name == "model" and not self._envelope["model"]:
            self._late = True
            self._seal({"model": event.value})
        elif event.name == "context":
            self._tokens = event.value
        elif event.name not in ("id", "model", "created"):
            self.lose("meta", event.name)

    # -- text ----------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._block, self._head, self._part = event, b"", None
        self._args = []
        if event.channel:
            self.lose("channel", place_of(event))
        self._refused = self._refused or event.kind == "refusal"

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if not self._head:
            self._begin(self._before, b'},"done":false}\n', "text")
        if event.logprobs is not None:
            self._measured(event)
            return
        self._write(self._head + jsontext.line(event.text) + self._tail)

    def _think(self, event: ev.ReasoningDelta) -> None:
        text = event.text
        if not self._head:
            if self._begin(self._before + b'"","thinking":', b'},"done":false}\n', "thinking"):
                text = "\n\n" + text
        elif (event.part, event.form) != self._part:
            text = "\n\n" + text
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        self._part = event.part, event.form
        self._write(self._head + jsontext.line(text) + self._tail)

    def _begin(self, head: bytes, tail: bytes, kind: str) -> bool:
        """Freeze the line that the deltas of this block are spliced into. True if it runs on from the block before it."""
        self._head, self._tail = head, tail
        again, self._last = self._last == kind, kind
        if again:
            self.lose("blocks", place_of(self._block))
        return again

    def _measured(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        tokens = tokens_of(event.logprobs)
        if tokens is None:
            self.lose("logprobs", place_of(event))
        beside = b',"logprobs":' + jsontext.line(tokens) if tokens else b""
        self._write(self._before + jsontext.line(event.text) + b"}" + beside + b',"done":false}\n')

    # -- what is said when it is whole ---------------------------------------------------------------------------

    def _piece(self, event: ev.ArgsDelta) -> None:
        self._args.append(event.text)

    def _opaque(self, event: ev.Opaque) -> None:
        """A block's own form; of what is not said at all it is not asked for."""
        kind = self._block.kind
        if kind in ("text", "refusal") or (kind == "tool_call" and self._block.executor == "client"):
            self.lose("opaque", place_of(event))

    def _block_end(self, event: ev.BlockEnd) -> None:
        block, kind = self._block, self._block.kind
        if kind == "tool_call" and block.executor == "client":
            self._call(block, event.complete)
        elif kind == "tool_call":
            self.lose("executor", place_of(event))
        elif kind in ("tool_result", "opaque"):
            self.lose(kind, place_of(event))

    def _call(self, block: ev.BlockStart, complete: bool) -> None:
        """A call that can be executed; one that cannot is kept for the end."""
        raw, where = "".join(self._args), place_of(block)
        if block.tool != "function":
            self.lose("tool_kind", where)
        args = jsontext.line({"input": raw}) if block.tool == "custom" else jsontext.object_line(raw)
        if args is None or not complete:
            self._broken.append((raw, where))
            return
        if len(self._args) > 1:
            self.lose("args_stream", where)
        if block.tool != "custom" and raw and args != raw.encode("utf-8", "replace"):
            self.lose("args_text", where)
        function = {"index": self._calls, "name": block.name or "", "arguments": msgspec.Raw(args)}
        id = {"id": block.id} if block.id else {}
        self._calls += 1
        self._message({"tool_calls": [{**id, "function": function}]})

    def _message(self, members: dict[str, Any]) -> None:
        """A line that has more in its message than text."""
        self._last = ""
        self._write(self._before + b'"",' + jsontext.line(members)[1:] + b',"done":false}\n')

    # -- the end -------------------------------------------------------------------------------------------------

    def _end(self, event: ev.End) -> None:
        if self._refused:
            self.lose("refusal")
        for _, where in self._broken:
            self.lose("args_invalid" if event.outcome == "completed" else "incomplete", where)
        if event.outcome in ("failed", "truncated") or (event.error is not None and event.error.type == "cancelled"):
            self._failed(event)
            return
        if self._broken and event.outcome == "completed":
            if event.usage is not None:
                self.lose("usage")
            self._error(f"error parsing tool call: raw='{self._broken[0][0]}'")
            return
        finish = event.finishes[0] if event.finishes else ev.Finish()
        cut = finish.reason is None and event.outcome == "incomplete"
        word = "length" if cut else words.finish(finish)
        if finish.reason not in words.PLAIN and word == "stop":
            self.lose("finish_other")
        self._done(word, event.usage)

    def _done(self, word: str, usage: ev.Usage | None) -> None:
        if usage is not None and not (usage.sums and words.is_plain(usage)):
            self.lose("usage_split")
        beside: dict[str, Any] = {"done": True, "done_reason": word}
        if self._tokens is not None:
            beside["context"] = self._tokens
        beside |= words.usage(usage) if usage is not None else {}
        self._write(self._before + b'""},' + jsontext.line(beside)[1:] + b"\n")

    def _failed(self, event: ev.End) -> None:
        """A line with the error, and none that is done."""
        if event.error is None:
            return
        if event.usage is not None:
            self.lose("usage")
        if not words.tells_all(event.error):
            self.lose("error_detail")
        self._error(event.error.message)

    def _error(self, message: str) -> None:
        """An error stands alone in its line: a model that is known late is named in one before it."""
        if self._late:
            self._write(self._before + b'""},"done":false}\n')
        self._write(jsontext.line({"error": message}) + b"\n")
