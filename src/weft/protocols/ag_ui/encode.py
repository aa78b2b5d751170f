"""Writes AG-UI events that the strictest clients accept.

Knows: this wire, its order, and the ids of its messages. Must not know: other protocols; how a run begins and ends (run.py).
Clients refuse a null, a second start of an open id, and a run that finishes with anything open. Texts are messages of their own; calls
belong to the text before them, else to a message that has no text.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from weft import events as ev
from weft import jsontext
from weft.carried import wrapped
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.losses import Losses
from weft.protocols.ag_ui.run import CLIENTS, EXECUTED, NOT_COMPLETE, PROFILES, Run


class Open(msgspec.Struct):
    """A block that is open: its message or call, the frame that its deltas are spliced into once it is announced, what is held to its end."""

    start: ev.BlockStart
    id: str = ""
    head: bytes = b""
    span: str = ""
    part: int | None = None
    messages: dict[int | None, str] = {}
    result: ev.Result | None = None
    files: list[ev.File] = []


class AGUIEncoder(Encoder):
    """One run."""

    drops: ClassVar = {ev.Note: "", ev.Unknown: "unknown"}
    loses: ClassVar = {
        "unknown": "a frame that Weft does not know cannot be written in another protocol",
        "opaque": "another protocol's items cannot be expressed",
        "meta": "this fact cannot be expressed",
        "reasoning": "reasoning that only its origin can read cannot be shown",
        "reasoning_form": "a reasoning message does not say whether it is a summary",
        "signature": "a message can carry only one piece of opaque state",
        "refusal": "a refusal is sent as a message like any other",
        "channel": "messages have no channels",
        "logprobs": "there are no log probabilities",
        "tool_kind": "the arguments of a tool must be an object",
        "tool_call_id": "a run can have only one call with the same id",
        "file_partial": "a file is sent once",
        "usage": "the client did not ask for usage",
        "usage_early": "a step does not say what it cost",
        "finish": "a step does not say why it ended",
        "error_detail": "an error has a code and a message, and a tool's failure is a result",
    }
    profiles: ClassVar = PROFILES

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._client = CLIENTS.get(context.profile, CLIENTS[None])
        self._run = Run(ev.Start(""), context)
        self._open: dict[int, Open] = {}
        self._made = 0
        self._parent: str | None = None
        self._calls: dict[str, str] = {}
        self._cut: set[str] = set()
        self._signed: dict[str, int | None] = {}
        self._step: str | None = None
        self._usage: ev.Usage | None = None

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.Usage: self._count,
            ev.StepStart: self._step_start,
            ev.StepEnd: self._step_end,
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
            ev.End: self._end,
        }

    # -- the run and its steps -----------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        self._run = Run(event, self._context)
        self._say("RUN_STARTED", self._run.started())

    def _meta(self, event: ev.Meta) -> None:
        if event.name in ("provider", "model"):
            self._run.labels[event.name] = event.value
        else:
            self.lose("meta", event.name)

    def _count(self, event: ev.Usage) -> None:
        self._usage = event

    def _step_start(self, event: ev.StepStart) -> None:
        self._finish_step()
        self._step = f"step-{event.step}"
        self._parent = None
        self._say("STEP_STARTED", {"stepName": self._step})

    def _step_end(self, event: ev.StepEnd) -> None:
        for what, value in (("usage_early", event.usage), ("finish", event.finish)):
            if value is not None:
                self.lose(what, f"step {event.step}")
        self._finish_step()

    def _finish_step(self) -> None:
        if self._step is not None:
            step, self._step = self._step, None
            self._say("STEP_FINISHED", {"stepName": step})

    # -- messages ------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        block = self._open[event.index] = Open(event)
        if event.kind == "tool_call":
            self._open_call(block)
        elif event.kind == "refusal":
            self.lose("refusal", place_of(event))
        elif event.kind in ("reasoning", "tool_result"):
            self._parent = None
        if event.channel is not None:
            self.lose("channel", place_of(event))

    def _announce(self, block: Open) -> bytes:
        """Start a text message: the calls that follow belong to it."""
        block.id = self._parent = self._make("msg")
        self._say("TEXT_MESSAGE_START", {"messageId": block.id, "role": "assistant"})
        block.head = self._splice("TEXT_MESSAGE_CONTENT", {"messageId": block.id})
        return block.head

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        if not event.text:
            return
        block = self._open[event.index]
        self._write((block.head or self._announce(block)) + jsontext.line(event.text) + b"}\n\n")

    def _think(self, event: ev.ReasoningDelta) -> None:
        if event.form == "encrypted":
            self.lose("reasoning", place_of(event))
            return
        if event.form != "raw":
            self.lose("reasoning_form", place_of(event))
        block = self._open[event.index]
        head = block.head if event.part == block.part else self._announce_thought(block, event.part)
        self._write(head + jsontext.line(event.text) + b"}\n\n")

    def _announce_thought(self, block: Open, part: int) -> bytes:
        """Each part of reasoning is a message, all of them in one span."""
        id = self._make("reasoning")
        if block.span:
            self._say("REASONING_MESSAGE_END", {"messageId": block.id})
        else:
            block.span = id
            self._say("REASONING_START", {"messageId": id})
        block.id = block.messages[part] = id
        block.part = part
        self._say("REASONING_MESSAGE_START", {"messageId": id, "role": "reasoning"})
        block.head = self._splice("REASONING_MESSAGE_CONTENT", {"messageId": id})
        return block.head

    def _sign(self, event: ev.Signature) -> None:
        """State belongs to a message or a call; the front end brings it back unread, so it says itself whose it is."""
        block = self._open[event.index]
        kind = block.start.kind
        if kind == "reasoning" and not block.span:
            self._announce_thought(block, event.part or 0)
        elif kind in ("text", "refusal") and not block.head:
            self._announce(block)
        entity = block.messages.get(event.part, block.id)
        if not entity or self._signed.get(entity, event.part) != event.part:
            self.lose("signature", place_of(event))
        if entity:
            self._signed[entity] = event.part
            subtype = "tool-call" if kind == "tool_call" else "message"
            members = {"subtype": subtype, "entityId": entity, "encryptedValue": wrapped(event)}
            self._say("REASONING_ENCRYPTED_VALUE", members)

    # -- calls and results ---------------------------------------------------------------------------------------

    def _open_call(self, block: Open) -> None:
        """A second call of an id would be more arguments of the first."""
        start, id = block.start, block.start.id or ""
        if id in self._calls:
            self.lose("tool_call_id", place_of(start))
        block.id = self._calls[id] = f"{id}-{start.index}" if id in self._calls else id
        if start.tool != "function":
            self.lose("tool_kind", place_of(start))
        self._parent = self._parent or self._make("msg")
        self._run.unanswered[block.id] = start.executor == "client"
        named = {"toolCallId": block.id, "toolCallName": start.name or "", "parentMessageId": self._parent}
        self._say("TOOL_CALL_START", named)
        block.head = self._splice("TOOL_CALL_ARGS", {"toolCallId": block.id})
        if start.tool == "custom":
            self._write(block.head + jsontext.line('{"input":"') + b"}\n\n")

    def _args(self, event: ev.ArgsDelta) -> None:
        block = self._open[event.index]
        text = jsontext.line(event.text)
        if block.start.tool == "custom":
            text = jsontext.line(text[1:-1].decode())
        self._write(block.head + text + b"}\n\n")

    def _end_call(self, block: Open, *, complete: bool) -> None:
        if block.start.tool == "custom":
            self._write(block.head + jsontext.line('"}') + b"}\n\n")
        self._say("TOOL_CALL_END", {"toolCallId": block.id})
        if not complete:
            self._cut.add(block.id)

    def _result(self, event: ev.Result) -> None:
        """Held until its block ends: a first look is replaced by what comes after it."""
        self._open[event.index].result = event

    def _say_result(self, block: Open, result: ev.Result) -> None:
        source = result.call_id or block.start.id or ""
        if result.is_error:
            self.lose("error_detail", place_of(result))
        content = result.content if isinstance(result.content, str) else jsontext.line(result.content).decode()
        self._answer(self._calls.get(source, source), content)

    def _answer(self, id: str, content: str) -> None:
        self._run.unanswered.pop(id, None)
        self._say("TOOL_CALL_RESULT", {"messageId": self._make("result"), "toolCallId": id, "content": content})

    # -- what has no event of its own ----------------------------------------------------------------------------

    def _cite(self, event: ev.Annotation) -> None:
        """A citation, for apps that listen for it."""
        names = {"kind": "kind", "url": "url", "title": "title", "start": "start", "end": "end", "text": "citedText"}
        said = {word: getattr(event, name) for name, word in names.items()}
        value = {"messageId": self._open[event.index].id or None, **said}
        self._custom("citation", value)

    def _file(self, event: ev.File) -> None:
        block = self._open[event.index]
        if event.partial:
            self.lose("file_partial", place_of(event))
        elif block.start.kind == "file":
            block.files.append(event)
        else:
            self._say_file([event])

    def _say_file(self, pieces: list[ev.File]) -> None:
        """A generated file, for apps that listen for it."""
        names = {"media_type": "mediaType", "url": "url", "file_id": "fileId", "name": "name"}
        value: dict[str, Any] = {
            word: next((said for piece in pieces if (said := getattr(piece, name)) is not None), None)
            for name, word in names.items()
        }
        data = [piece.data for piece in pieces if piece.data is not None]
        self._custom("file", {**value, "data": "".join(data) if data else None})

    def _custom(self, name: str, value: dict[str, Any]) -> None:
        self._say("CUSTOM", {"name": name, "value": {word: said for word, said in value.items() if said is not None}})

    def _opaque(self, event: ev.Opaque) -> None:
        if self._open[event.index].start.kind not in ("reasoning", "file"):
            self.lose("opaque", place_of(event))

    # -- ends ----------------------------------------------------------------------------------------------------

    def _block_end(self, event: ev.BlockEnd) -> None:
        block = self._open.pop(event.index)
        kind = block.start.kind
        if kind == "tool_call":
            self._end_call(block, complete=event.complete)
        elif kind == "reasoning" and block.span:
            self._say("REASONING_MESSAGE_END", {"messageId": block.id})
            self._say("REASONING_END", {"messageId": block.span})
        elif kind in ("text", "refusal") and block.head:
            self._say("TEXT_MESSAGE_END", {"messageId": block.id})
        elif kind == "tool_result" and block.result is not None:
            self._say_result(block, block.result)
        elif kind == "file" and block.files:
            self._say_file(block.files)

    def _end(self, event: ev.End) -> None:
        error = event.error
        cancelled = error is not None and error.type == "cancelled"
        usage = self._usage_of(event.usage or self._usage)
        self._finish_step()
        if cancelled and self._client.cancelled:
            self._say("RUN_FINISHED", {**self._run.ids, "outcome": {"type": "cancelled"}, **usage})
        elif error is not None and (cancelled or event.outcome in ("failed", "truncated")):
            if error.retry_after is not None or error.parameter is not None:
                self.lose("error_detail")
            self._say("RUN_ERROR", {"message": error.message, "code": error.code, **usage})
        else:
            self._answer_calls()
            self._say("RUN_FINISHED", {**self._run.finished(event, self._client), **usage})

    def _answer_calls(self) -> None:
        """A front end answers every call that has no result: those that are not its to execute get theirs here, which says why."""
        for id, awaited in list(self._run.unanswered.items()):
            if id in self._cut:
                self._answer(id, NOT_COMPLETE)
            elif not awaited:
                self._answer(id, EXECUTED)

    def _usage_of(self, usage: ev.Usage | None) -> dict[str, Any]:
        if usage is not None and not self._context.include_usage:
            self.lose("usage")
            return {}
        return self._run.usage(usage)

    def _make(self, kind: str) -> str:
        self._made += 1
        return f"{kind}_{self._run.id}_{self._made - 1}"

    def _splice(self, name: str, members: dict[str, Any]) -> bytes:
        return b"data: " + jsontext.line({"type": name, **members})[:-1] + b',"delta":'

    def _say(self, name: str, members: dict[str, Any]) -> None:
        self._write(b"data: " + jsontext.line({"type": name, **members}) + b"\n\n")
