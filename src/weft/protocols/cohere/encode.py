"""Writes Cohere's v2 chat events so that its own SDK reads them.

Knows: this wire. Must not know: other protocols.
One block is open at a time; contents, calls and citations are numbered each for themselves. Content is announced with its first delta,
since only that tells what it is.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

from weft import events as ev
from weft import jsontext, unnamed
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.jsontext import is_object
from weft.losses import Losses
from weft.protocols.cohere import words
from weft.protocols.cohere.decode import PLAN

_EVENT: Final = b"event: %b\ndata: %b\n\n"


class CohereEncoder(Encoder):
    """One stream of events."""

    own: ClassVar = "cohere"
    drops: ClassVar = {
        ev.Note: "",
        ev.StepStart: "",
        ev.StepEnd: "steps",
        ev.Usage: "",
        ev.Signature: "signature",
        ev.Result: "",
    }
    loses: ClassVar = {
        "steps": "a message has no steps",
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "reasoning_form": "thinking is one text",
        "signature": "there is no place for opaque state",
        "refusal": "a refusal is sent as text",
        "tool_kind": "there are only functions, whose arguments are a JSON object",
        "executor": "the provider ran this tool, and the client must not run it again",
        "tool_result": "results of tools that the provider ran cannot be expressed",
        "annotation": "a citation must belong to a text and have a source with an address or a title",
        "file": "there are no files",
        "opaque": "another protocol's items cannot be expressed",
        "logprobs": "log probabilities are those of this protocol's own tokens",
        "channel": "text has no channels",
        "usage_split": "tokens written to a cache are not counted, and the total is always the sum",
        "finish_other": "there is no such finish reason: it reads as complete",
        "incomplete": "a call that was cut off is not ended, which shows only on the last call, and only if the stream does not end normally; a whole reply leaves it out",
        "error_detail": "an error is a text",
        "meta": "this fact cannot be expressed",
        "model": "a message does not name its model",
        "created": "a message has no time of creation",
    }
    sequential: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._block = ev.BlockStart(0, "text")
        self._head = self._tail = b""
        self._part: tuple[int, ev.ReasoningForm] | None = None
        self._contents = self._calls = self._citations = 0
        self._refused = self._called = False
        self._unended: list[str] = []

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.ArgsDelta: self._args,
            ev.Annotation: self._cite,
            ev.File: self._file,
            ev.Opaque: self._opaque,
            ev.BlockEnd: self._block_end,
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def carry(self, event: ev.Unknown) -> None:
        self._write(unnamed.as_event(event))

    # -- the message ---------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        for what, value in (("model", event.model), ("created", event.created)):
            if value:
                self.lose(what)
        if event.provider is not None:
            self.lose("meta", "provider")
        empty: dict[str, Any] = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
        self._event("message-start", {"id": self._context.response_id or event.id, "delta": {"message": empty}})

    def _meta(self, event: ev.Meta) -> None:
        if event.name == "prompt" and isinstance(event.value, str):
            self._event("debug", {"prompt": event.value})
        elif event.name in ("model", "created"):
            self.lose(event.name)
        elif event.name != "id":
            self.lose("meta", event.name)

    def _end(self, event: ev.End) -> None:
        if self._refused:
            self.lose("refusal")
        usage = event.usage
        if usage is not None and (usage.cache_write_tokens or not usage.sums):
            self.lose("usage_split")
        counts = {"usage": words.usage(usage)} if usage is not None else {}
        failure = words.failure(event)
        if failure is not None:
            self._failed(event, *failure, counts)
            return
        finish = event.finishes[0] if event.finishes else ev.Finish()
        unsaid = "MAX_TOKENS" if event.outcome == "incomplete" else "TOOL_CALL" if self._called else "COMPLETE"
        word = unsaid if finish.reason is None else words.finish(finish)
        if finish.reason not in words.SAID and word == "COMPLETE":
            self.lose("finish_other")
        # What a limit or a filter cuts is the last thing said.
        for where in self._unended if event.outcome == "completed" else self._unended[:-1]:
            self.lose("incomplete", where)
        self._event("message-end", {"delta": {"finish_reason": word, **counts}})

    def _failed(self, event: ev.End, finish: str, text: str | None, counts: dict[str, Any]) -> None:
        """The end says that it failed, and why."""
        said = {"finish_reason": finish} if text is None else {"finish_reason": finish, "error": text}
        if text is not None and event.error is not None and not words.tells_all(event.error, finish):
            self.lose("error_detail")
        self._event("message-end", {"delta": {**said, **counts}})

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._block, self._head, self._part = event, b"", None
        if event.channel and (event.kind, event.channel) != ("reasoning", PLAN):
            self.lose("channel", place_of(event))
        self._refused = self._refused or event.kind == "refusal"
        if event.kind == "tool_call" and event.executor == "client":
            self._announce_call(event)

    def _announce_call(self, event: ev.BlockStart) -> None:
        if event.tool != "function":
            self.lose("tool_kind", place_of(event))
        function = {"name": event.name or "", "arguments": ""}
        call = {"id": event.id or "", "type": "function", "function": function}
        self._event("tool-call-start", {"index": self._calls, "delta": {"message": {"tool_calls": call}}})
        self._freeze("tool-call-delta", self._calls, b'{"tool_calls":{"function":{"arguments":', b"}}")
        if event.tool == "custom":
            self._write(self._head + jsontext.line('{"input":"') + self._tail)

    def _announce(self, kind: str) -> None:
        """Content of one kind: `text` or `thinking`."""
        content = {"type": kind, kind: ""}
        self._event("content-start", {"index": self._contents, "delta": {"message": {"content": content}}})
        self._freeze("content-delta", self._contents, b'{"content":{"%b":' % kind.encode(), b"}")

    def _freeze(self, name: str, index: int | None, before: bytes, after: bytes) -> None:
        """The frame that the deltas of this block are spliced into."""
        place = b"" if index is None else b'"index":%d,' % index
        frame = b'event: %b\ndata: {"type":"%b",%b"delta":{"message":%b'
        self._head = frame % (name.encode(), name.encode(), place, before)
        self._tail = after + b"}}}\n\n"

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if not self._head:
            self._announce("text")
        if event.logprobs is not None:
            self._measured(event)
            return
        self._write(self._head + jsontext.line(event.text) + self._tail)

    def _measured(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        """Text with the probabilities of this wire's own tokens."""
        said: dict[str, Any] = {"index": self._contents, "delta": {"message": {"content": {"text": event.text}}}}
        if is_object(event.logprobs) and "token_ids" in event.logprobs:
            said["logprobs"] = event.logprobs
        else:
            self.lose("logprobs", place_of(event))
        self._event("content-delta", said)

    def _think(self, event: ev.ReasoningDelta) -> None:
        text = event.text
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        if self._head and self._part not in (None, (event.part, event.form)):
            text = "\n\n" + text
        elif not self._head and self._block.channel == PLAN:
            self._freeze("tool-plan-delta", None, b'{"tool_plan":', b"")
        elif not self._head:
            self._announce("thinking")
        self._part = event.part, event.form
        self._write(self._head + jsontext.line(text) + self._tail)

    def _args(self, event: ev.ArgsDelta) -> None:
        if not self._head:
            return
        text = jsontext.line(event.text)
        if self._block.tool == "custom":
            text = jsontext.line(text[1:-1].decode())
        self._write(self._head + text + self._tail)

    def _cite(self, event: ev.Annotation) -> None:
        """A citation, whole, while the text that it belongs to is open."""
        kind = self._block.kind
        said = words.citation(event, self._contents, kind == "reasoning")
        if said is None or kind not in ("text", "refusal", "reasoning"):
            self.lose("annotation", place_of(event))
            return
        if not self._head:
            self._announce("thinking" if kind == "reasoning" else "text")
        index, self._citations = self._citations, self._citations + 1
        self._event("citation-start", {"index": index, "delta": {"message": {"citations": said}}})
        self._event("citation-end", {"index": index})

    def _opaque(self, event: ev.Opaque) -> None:
        """A block's own form; of what is not said at all it is not asked for."""
        kind = self._block.kind
        if kind in ("text", "refusal") or (kind == "tool_call" and self._block.executor == "client"):
            self.lose("opaque", place_of(event))

    def _file(self, event: ev.File) -> None:
        self.lose("file", place_of(event))

    def _block_end(self, event: ev.BlockEnd) -> None:
        block, kind = self._block, self._block.kind
        if kind == "tool_call" and block.executor == "provider":
            self.lose("executor", place_of(event))
        elif kind == "tool_call":
            self._end_call(event)
        elif kind in ("tool_result", "opaque"):
            self.lose(kind, place_of(event))
        elif self._head and block.channel != PLAN:
            self._event("content-end", {"index": self._contents})
            self._contents += 1

    def _end_call(self, event: ev.BlockEnd) -> None:
        """A call that was cut off is not ended: a client would execute it."""
        if event.complete:
            if self._block.tool == "custom":
                self._write(self._head + jsontext.line('"}') + self._tail)
            self._event("tool-call-end", {"index": self._calls})
            self._called = True
        else:
            self._unended.append(place_of(event))
        self._calls += 1

    def _event(self, name: str, members: dict[str, Any]) -> None:
        self._write(_EVENT % (name.encode(), jsontext.line({"type": name, **members})))
