"""Writes chat.completions chunks that the strictest clients accept.

Knows: this wire. Must not know: other protocols.
The role comes first and once, calls are numbered densely from 0, id and name are said once, the finish once, then the usage, then [DONE].
The envelope of a chunk is frozen when the message starts; a delta is spliced into it.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from weft import events as ev
from weft import jsontext
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.losses import Losses
from weft.protocols.openai_chat import words


class ChatEncoder(Encoder):
    """One stream of chunks."""

    drops: ClassVar = {
        ev.Note: "",
        ev.StepStart: "",
        ev.StepEnd: "steps",
        ev.Unknown: "unknown",
        ev.Result: "tool_result",
        ev.Opaque: "opaque",
        ev.BlockEnd: "",
    }
    loses: ClassVar = {
        "steps": "chunks know no steps",
        "unknown": "a frame nobody could name is not made up again",
        "tool_result": "chunks have no place for results of tools that the provider ran",
        "opaque": "chunks have no place for another protocol's items",
        "order": "text and calls are separate members: their order among each other is not said",
        "blocks": "text has no blocks: neighbours run together",
        "executor": "a call is always the client's to execute, so calls that the provider runs are left out",
        "reasoning_form": "reasoning is one text",
        "annotation_offsets": "only URL citations have a place",
        "file": "only images have a place",
        "file_partial": "previews have no place",
        "channel": "text has no channels",
        "meta": "facts beside the message have no place",
        "finish_other": "there is no word for this finish: it reads as a stop",
        "usage": "the client did not ask for usage",
        "error_detail": "an error has a type, a code and a message",
        "incomplete": "a call that was cut off looks like any other; the finish tells",
    }
    choices: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._head = b""
        self._tail = b""
        self._kinds: dict[int, ev.BlockStart] = {}
        self._numbers: dict[int, int] = {}
        self._calls: dict[int, int] = {}
        self._roles: set[int] = set()
        self._usage: ev.Usage | None = None
        self._reasoning = words.REASONING.get(context.profile, "reasoning_content").encode()
        self._splices: dict[int, tuple[bytes, bytes]] = {}

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.RefusalDelta: self._refuse,
            ev.ArgsDelta: self._args,
            ev.Signature: self._sign,
            ev.Annotation: self._annotate,
            ev.File: self._file,
            ev.Usage: self._count,
            ev.End: self._end,
        }

    # -- the envelope --------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        context = self._context
        envelope: dict[str, Any] = {
            "id": context.response_id or event.id,
            "object": "chat.completion.chunk",
            "created": int(event.created or context.created),
            "model": event.model or "",
        }
        self._head = b"data: " + jsontext.line(envelope)[:-1] + b',"choices":['
        self._tail = b'],"usage":null}\n\n' if self._usage_wanted else b"]}\n\n"

    @property
    def _usage_wanted(self) -> bool:
        return self._context.include_usage

    def _choice(self, choice: int, delta: bytes, finish: bytes = b"null", logprobs: bytes = b"null") -> None:
        """One chunk of one choice; choices are announced with their role, in order, so that no client meets the second first."""
        for number in range(choice + 1):
            if number not in self._roles:
                self._roles.add(number)
                self._chunk(number, b'{"role":"assistant","content":""}', b"null", b"null")
        self._chunk(choice, delta, finish, logprobs)

    def _chunk(self, choice: int, delta: bytes, finish: bytes, logprobs: bytes) -> None:
        self._write(
            b'%b{"index":%d,"delta":%b,"logprobs":%b,"finish_reason":%b}%b'
            % (self._head, choice, delta, logprobs, finish, self._tail)
        )

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._kinds[event.index] = event
        if event.channel:
            self.lose("channel", place_of(event))
        if event.kind != "tool_call":
            if event.kind in ("text", "refusal") and self._calls:
                self.lose("order", place_of(event))
            return
        if event.executor == "provider":
            self.lose("executor", place_of(event))
            return
        number = self._calls[event.choice] = self._calls.get(event.choice, -1) + 1
        self._numbers[event.index] = number
        function = {"name": event.name or "", "arguments": ""}
        call: dict[str, Any] = {"index": number, "id": event.id, "type": "function", "function": function}
        if event.tool == "custom":
            call = {
                "index": number,
                "id": event.id,
                "type": "custom",
                "custom": {"name": event.name or "", "input": ""},
            }
        self._choice(event.choice, b'{"tool_calls":[' + jsontext.line(call) + b"]}")

    def _text(self, event: ev.TextDelta) -> None:
        splice = self._splices.get(event.index)
        if splice is None or event.logprobs is not None:
            choice = self._kinds[event.index].choice
            self._choice(choice, b'{"content":%b}' % jsontext.line(event.text), b"null", _logprobs(event, "content"))
            self._splices[event.index] = self._frozen(choice, b'{"content":', b"}")
            return
        self._write(splice[0] + jsontext.line(event.text) + splice[1])

    def _think(self, event: ev.ReasoningDelta) -> None:
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        splice = self._splices.get(event.index)
        if splice is None:
            choice = self._kinds[event.index].choice
            self._choice(choice, b'{"%b":%b}' % (self._reasoning, jsontext.line(event.text)))
            self._splices[event.index] = self._frozen(choice, b'{"%b":' % self._reasoning, b"}")
            return
        self._write(splice[0] + jsontext.line(event.text) + splice[1])

    def _refuse(self, event: ev.RefusalDelta) -> None:
        delta = b'{"refusal":%b}' % jsontext.line(event.text)
        self._choice(self._kinds[event.index].choice, delta, b"null", _logprobs(event, "refusal"))

    def _args(self, event: ev.ArgsDelta) -> None:
        splice = self._splices.get(event.index)
        if splice is None:
            start = self._kinds[event.index]
            if event.index not in self._numbers:
                return
            member = b'"custom":{"input":' if start.tool == "custom" else b'"function":{"arguments":'
            call = b'{"tool_calls":[{"index":%d,%b' % (self._numbers[event.index], member)
            splice = self._splices[event.index] = self._frozen(start.choice, call, b"}}]}")
        self._write(splice[0] + jsontext.line(event.text) + splice[1])

    def _frozen(self, choice: int, before: bytes, after: bytes) -> tuple[bytes, bytes]:
        """A chunk up to where its text stands, and from there on."""
        head = b'%b{"index":%d,"delta":%b' % (self._head, choice, before)
        return head, after + b',"logprobs":null,"finish_reason":null}' + self._tail

    def _sign(self, event: ev.Signature) -> None:
        """A call's state goes where Google has it, reasoning's where OpenRouter has it."""
        start = self._kinds[event.index]
        number = self._numbers.get(event.index)
        if number is not None:
            extra = {"google": {"thought_signature": event.value}}
            call = {"index": number, "function": {"arguments": ""}, "extra_content": extra}
            self._choice(start.choice, b'{"tool_calls":[' + jsontext.line(call) + b"]}")
            return
        detail: dict[str, Any] = {"type": "reasoning.text", "signature": event.value, "index": event.part or 0}
        if event.encrypted:
            detail = {"type": "reasoning.encrypted", "data": event.value, "index": event.part or 0}
        detail |= {name: value for name, value in (("id", event.origin.item), ("format", event.format)) if value}
        self._choice(start.choice, b'{"reasoning_details":[' + jsontext.line(detail) + b"]}")

    def _annotate(self, event: ev.Annotation) -> None:
        if event.url is None:
            self.lose("annotation_offsets", place_of(event))
            return
        members = {"start_index": event.start, "end_index": event.end, "url": event.url, "title": event.title}
        citation = {name: value for name, value in members.items() if value is not None}
        annotation = {"type": "url_citation", "url_citation": citation}
        self._choice(self._kinds[event.index].choice, b'{"annotations":[' + jsontext.line(annotation) + b"]}")

    def _file(self, event: ev.File) -> None:
        if event.partial:
            self.lose("file_partial", place_of(event))
            return
        url = event.url or (f"data:{event.media_type};base64,{event.data}" if event.data is not None else None)
        if url is None or not (event.media_type or "image/").startswith("image/"):
            self.lose("file", place_of(event))
            return
        image = {"type": "image_url", "image_url": {"url": url}}
        self._choice(self._kinds[event.index].choice, b'{"images":[' + jsontext.line(image) + b"]}")

    # -- facts and the end ---------------------------------------------------------------------------------------

    def _meta(self, event: ev.Meta) -> None:
        if event.name not in ("id", "model", "created"):
            self.lose("meta", event.name)

    def _count(self, event: ev.Usage) -> None:
        self._usage = event

    def _end(self, event: ev.End) -> None:
        if event.outcome in ("failed", "truncated") or (event.error is not None and event.error.type == "cancelled"):
            self._failed(event)
            return
        for finish in event.finishes or (ev.Finish(),):
            if finish.reason in ("pause", "other"):
                self.lose("finish_other")
            self._choice(finish.choice, b"{}", jsontext.line(words.FINISHES[finish.reason]))
        self._usage_chunk(event.usage)
        self._write(b"data: [DONE]\n\n")

    def _failed(self, event: ev.End) -> None:
        """An error frame and nothing after it: no finish, and no terminator that would read as a clean end."""
        error = event.error
        if error is None:
            return
        if error.retry_after is not None:
            self.lose("error_detail")
        self._write(b'data: {"error":' + jsontext.line(words.error(error)) + b"}\n\n")
        if self._context.profile in words.DONE_AFTER_ERROR:
            self._write(b"data: [DONE]\n\n")

    def _usage_chunk(self, usage: ev.Usage | None) -> None:
        if usage is None:
            return
        if not self._usage_wanted:
            self.lose("usage")
            return
        self._write(self._head + b'],"usage":' + jsontext.line(words.usage(usage)) + b"}\n\n")


def _logprobs(event: ev.TextDelta | ev.RefusalDelta, of: str) -> bytes:
    """The entries of the tokens; the lists of /v1/completions stay as they are."""
    tokens: Any = event.logprobs
    if tokens is None:
        return b"null"
    return jsontext.line({of: tokens} if jsontext.is_array(tokens) else tokens)
