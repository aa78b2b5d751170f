"""Writes the chunks of a UI message stream that the strictest clients accept.

Knows: this wire, its order and the ids of its parts. Must not know: other protocols; what a version understands (clients.py).
Clients check every chunk: a member without a value is left out. A text or a thought is announced with its first words and ended with its
block; its id is never used again, so no step finds a part of another's. A call that is not to be executed says so, and why.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

import msgspec

from weft import events as ev
from weft import jsontext, unnamed
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.jsontext import is_object
from weft.losses import Losses
from weft.protocols.ai_sdk_ui import words
from weft.protocols.ai_sdk_ui.clients import CLIENTS, PROFILES
from weft.protocols.ai_sdk_ui.decode import DENIED
from weft.provider_state import slot, told

# The origins whose blocks have the SDK's own provider metadata as their verbatim form.
_METADATA: Final = ("ai-sdk-ui", "ai-sdk")


class Part(msgspec.Struct):
    """A block that is open: the id of its part, the frame that its deltas are spliced into once it is announced, what is held to its end."""

    start: ev.BlockStart
    id: str = ""
    head: bytes = b""
    part: tuple[int, ev.ReasoningForm] | None = None
    cited: bool = False
    states: list[ev.Signature] = []
    verbatim: dict[str, Any] | None = None
    pieces: list[str] = []
    media_type: str | None = None
    result: ev.Result | None = None

    @property
    def told(self) -> dict[str, Any]:
        """The member that brings provider metadata, if there are any."""
        metadata = self.verbatim or told(self.states)
        return {"providerMetadata": metadata} if metadata else {}


class UIStreamEncoder(Encoder):
    """One message."""

    own: ClassVar = "ai-sdk-ui"
    drops: ClassVar = {ev.Note: ""}
    loses: ClassVar = {
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "model": "no chunk has a place for it",
        "created": "no chunk has a place for it",
        "meta": "this fact cannot be expressed",
        "reasoning": "reasoning that only its origin can read cannot be shown",
        "reasoning_form": "reasoning is one text",
        "refusal": "a refusal is sent as text; only the finish shows it",
        "channel": "text has no channels, and this version has no files within reasoning",
        "logprobs": "there are no log probabilities",
        "annotation": "a source must be a URL, or a document with a media type and a title",
        "annotation_offsets": "a source does not say which text it belongs to",
        "tool_kind": "calls are of functions, and in this version their input cannot be free text",
        "args_invalid": "this version expects an object as input, so free text is sent as a string",
        "tool_call_id": "a step can have only one call with the same id",
        "tool_result": "a result needs its call before it in the same message, and in this version a preliminary result counts as the final one",
        "file": "a file is a URL or holds its data, and belongs to the message, not to a tool",
        "file_partial": "a file cannot be replaced by a later one",
        "opaque": "another protocol's items, and chunks that this version does not know, cannot be expressed",
        "signature": "a part can carry one piece of opaque state of each kind, and in this version a result can carry none",
        "usage": "the client did not ask for usage",
        "usage_early": "a step does not say what it cost",
        "finish": "a step does not say why it ended, and in this version a message does not either",
        "finish_other": "there is no such finish reason",
        "error_detail": "an error is a text",
    }
    profiles: ClassVar = PROFILES

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._client = CLIENTS.get(context.profile, CLIENTS[None])
        self._parts: dict[int, Part] = {}
        self._count = 0
        self._sources = 0
        self._in_step = False
        self._step_over = False
        self._ids: dict[str, str] = {}
        self._called: set[str] = set()
        self._invalid: Part | None = None
        self._usage: ev.Usage | None = None
        self._app_metadata = False

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.Usage: self._count_tokens,
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
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def flush(self) -> None:
        """An invalid call waits for its reason, which its source says with it or not at all."""
        if self._invalid is not None:
            self._say_invalid(self._invalid, words.NOT_COMPLETE)

    def settle(self) -> None:
        """A step that is over waits for what follows it; nothing will."""
        self.flush()
        if self._step_over:
            self._finish_step()

    def cut(self, event: ev.BlockEnd) -> None:
        """A text has an id that only its source knows; a client ends it with its step. A call says that it is none."""
        if self._parts[event.index].start.kind == "tool_call":
            self._block_end(event)
        self._parts.pop(event.index, None)

    def carry(self, event: ev.Unknown) -> None:
        self._write(unnamed.as_event(event))

    # -- the message and its steps -------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        """An id that is ours is derived from a few bytes: a client gives the message one that no other has."""
        id = self._context.response_id or (None if event.made else event.id)
        self._say({"type": "start", **({"messageId": id} if id else {})})
        for what, value in (("model", event.model), ("created", event.created)):
            if value is not None:
                self.lose(what)
        if event.provider is not None:
            self.lose("meta", "provider")

    def _meta(self, event: ev.Meta) -> None:
        if event.name == "message_metadata":
            self._app_metadata = True
            self._say({"type": "message-metadata", "messageMetadata": event.value})
        elif event.name in ("model", "created"):
            self.lose(event.name)
        else:
            self.lose("meta", event.name)

    def _count_tokens(self, event: ev.Usage) -> None:
        self._usage = event

    def _step_start(self, event: ev.StepStart) -> None:
        self._finish_step()
        self._begin_step()

    def _step_end(self, event: ev.StepEnd) -> None:
        for what, value in (("usage_early", event.usage), ("finish", event.finish)):
            if value is not None:
                self.lose(what, f"step {event.step}")
        self._step_over = True

    def _begin_step(self) -> None:
        self._in_step = True
        self._ids.clear()
        self._say({"type": "start-step"})

    def _finish_step(self) -> None:
        """A step is finished when something follows it, since a failure stands before its end.

        Clients forget a step's open parts with it: they are ended first, and what comes for them later is a part of its own.
        """
        self.flush()
        for part in self._parts.values():
            self._close(part)
        if self._in_step:
            self._in_step = self._step_over = False
            self._say({"type": "finish-step"})

    # -- text and reasoning --------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        if self._invalid is not None and (event.kind != "tool_result" or event.id != self._invalid.start.id):
            self.flush()
        if self._step_over:
            self._finish_step()
        if not self._in_step and event.kind != "opaque":
            self._begin_step()
        part = self._parts[event.index] = Part(event)
        if event.kind == "tool_call":
            self._open_call(part)
        elif event.kind == "refusal":
            self.lose("refusal", place_of(event))
        if event.channel is not None and event.kind != "file":
            self.lose("channel", place_of(event))

    def _announce(self, part: Part) -> bytes:
        self._announce_before(part)
        kind = "reasoning" if part.start.kind == "reasoning" else "text"
        part.id, self._count = f"{kind}-{self._count}", self._count + 1
        self._say({"type": f"{kind}-start", "id": part.id})
        part.head = b"data: " + jsontext.line({"type": f"{kind}-delta", "id": part.id})[:-1] + b',"delta":'
        return part.head

    def _announce_before(self, part: Part) -> None:
        """A client has the parts in the order in which they are announced: that of their blocks."""
        for index, other in self._parts.items():
            if index >= part.start.index:
                return
            if other.start.kind in ("text", "refusal", "reasoning") and not other.id:
                self._announce(other)

    def _close(self, part: Part) -> None:
        """End a text or a thought that was announced."""
        if part.head and part.start.kind != "tool_call":
            kind = "reasoning" if part.start.kind == "reasoning" else "text"
            part.head = b""
            self._say({"type": f"{kind}-end", "id": part.id, **part.told})

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        if not event.text:
            return
        part = self._parts[event.index]
        self._write((part.head or self._announce(part)) + jsontext.line(event.text) + b"}\n\n")

    def _think(self, event: ev.ReasoningDelta) -> None:
        if event.form == "encrypted":
            self.lose("reasoning", place_of(event))
            return
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        part, text = self._parts[event.index], event.text
        if part.part not in (None, (event.part, event.form)):
            text = "\n\n" + text
        part.part = event.part, event.form
        self._write((part.head or self._announce(part)) + jsontext.line(text) + b"}\n\n")

    def _sign(self, event: ev.Signature) -> None:
        """A part's metadata hold one piece of state of a kind, and a block may have several; of one of its own parts, the last."""
        part = self._parts[event.index]
        part.states = [*(old for old in part.states if old.part != event.part), event]
        if len(set(map(slot, part.states))) < len(part.states):
            self.lose("signature", place_of(event))

    def _opaque(self, event: ev.Opaque) -> None:
        """A block's own form is its provider metadata; a block that is nothing else is a chunk."""
        part, raw, origin = self._parts[event.index], event.raw, event.origin.protocol
        if part.start.kind != "opaque":
            if origin in _METADATA and is_object(raw):
                part.verbatim = raw
            elif part.start.kind not in ("reasoning", "file"):
                self.lose("opaque", place_of(event))
            return
        kind = str(raw.get("type", "")) if origin == "ai-sdk-ui" and is_object(raw) else ""
        if kind in self._client.own or kind.startswith("data-"):
            self._say(raw)
        else:
            self.lose("opaque", place_of(event))

    # -- tools ---------------------------------------------------------------------------------------------------

    def _open_call(self, part: Part) -> None:
        """A second call of an id in one step would take the place of the first. A tool that the provider runs may run for long: it shows."""
        start = part.start
        id = start.id or ""
        if id in self._ids:
            self.lose("tool_call_id", place_of(start))
        part.id = self._ids[id] = f"{id}-{start.index}" if id in self._ids else id
        if start.tool not in ("function", *(("custom",) if self._client.text_input else ())):
            self.lose("tool_kind", place_of(start))
            if start.tool == "custom":
                self.lose("args_invalid", place_of(start))
        if start.arrival == "delta" or start.executor == "provider":
            self._announce_call(part)

    def _announce_call(self, part: Part) -> None:
        self._announce_before(part)
        start = part.start
        free = {"inputEncoding": "text"} if start.tool == "custom" and self._client.text_input else {}
        self._say({"type": "tool-input-start", **_call(part), **free, **_executor(start)})
        part.head = b"data: " + jsontext.line({"type": "tool-input-delta", "toolCallId": part.id})[:-1]
        part.head += b',"inputTextDelta":'
        self._called.add(part.id)

    def _args(self, event: ev.ArgsDelta) -> None:
        part = self._parts[event.index]
        part.pieces.append(event.text)
        if part.head:
            self._write(part.head + jsontext.line(event.text) + b"}\n\n")

    def _end_call(self, part: Part, *, complete: bool) -> None:
        raw = "".join(part.pieces)
        custom = part.start.tool == "custom"
        if complete and (custom or jsontext.decode_object(raw) is not None):
            self._called.add(part.id)
            if part.head and not raw and not custom:
                self._write(part.head + b'"{}"}\n\n')
            self._say(
                {"type": "tool-input-available", **_call(part), "input": _input(raw, custom=custom)}
                | _executor(part.start)
                | part.told
            )
        else:
            self.flush()
            self._invalid = part

    def _say_invalid(self, part: Part, why: str) -> None:
        """A call that must not be executed; where it could not be said so, it is one that failed."""
        self._invalid = None
        if not self._client.input_error:
            if part.id not in self._called:
                self._announce_call(part)
            self._lose_state(part)
            self._say({"type": "tool-output-error", "toolCallId": part.id, "errorText": why, **_executor(part.start)})
            return
        self._called.add(part.id)
        raw = "".join(part.pieces)
        whole = bool(raw) and jsontext.decode_object(raw) is not None
        self._say(
            {"type": "tool-input-error", **_call(part), "input": _input(raw, custom=not whole), "errorText": why}
            | _executor(part.start)
            | part.told
        )

    def _result(self, event: ev.Result) -> None:
        """Held until it is known whether another one replaces it."""
        part = self._parts[event.index]
        if part.result is not None:
            self._say_result(part, part.result, last=False)
        part.result = event

    def _say_result(self, part: Part, result: ev.Result, *, last: bool) -> None:
        source = result.call_id or part.start.id or ""
        id = self._ids.get(source, source)
        denied = result.is_error and result.content == DENIED and self._client.output_denied
        if result.is_error and not denied and not isinstance(result.content, str):
            self.lose("error_detail", place_of(result))
        if self._invalid is not None and self._invalid.id == id and result.is_error:
            self._say_invalid(self._invalid, words.text_of(result.content))
            self._lose_state(part)
            return
        self.flush()
        if id not in self._called or any(call.id == id for call in self._parts.values()):  # a result ends its call
            self.lose("tool_result", place_of(result))
            self._lose_state(part)
            return
        chunk: dict[str, Any] = {"toolCallId": id}
        if denied:
            self._say({"type": "tool-output-denied", **chunk})
            return
        if result.is_error:
            chunk = {"type": "tool-output-error", **chunk, "errorText": words.text_of(result.content)}
        else:
            chunk = {"type": "tool-output-available", **chunk, "output": result.content}
            if not last and self._client.preliminary:
                chunk["preliminary"] = True
            elif not last:
                self.lose("tool_result", place_of(result))
        told = part.told if self._client.output_metadata else {}
        if not told:
            self._lose_state(part)
        self._say({**chunk, **_executor(part.start), **told})

    def _lose_state(self, part: Part) -> None:
        if part.told:
            self.lose("signature", place_of(part.start))

    # -- sources and files ---------------------------------------------------------------------------------------

    def _cite(self, event: ev.Annotation) -> None:
        """A source. One that the SDK itself said keeps its id and its own words."""
        raw: Any = event.raw if is_object(event.raw) else {}
        said = {name: raw[name] for name in ("mediaType", "filename") if isinstance(raw.get(name), str)}
        id = raw.get("sourceId") or raw.get("id")
        if not isinstance(id, str):
            id, self._sources = f"source-{self._sources}", self._sources + 1
        title = {"title": event.title} if event.title is not None else {}
        if event.url is not None:
            source = {"type": "source-url", "sourceId": id, "url": event.url, **title}
        elif "mediaType" in said and title:
            source = {"type": "source-document", "sourceId": id, **title, **said}
        else:
            self.lose("annotation", place_of(event))
            return
        if (event.start, event.end, event.text) != (None, None, None):
            self.lose("annotation_offsets", place_of(event))
        metadata = raw.get("providerMetadata")
        self._parts[event.index].cited = True
        self._say({**source, **({"providerMetadata": metadata} if is_object(metadata) else {})})

    def _file(self, event: ev.File) -> None:
        part = self._parts[event.index]
        if event.partial:
            self.lose("file_partial", place_of(event))
        elif part.start.kind != "file" or event.data is None:
            if part.start.kind != "file":
                self.lose("file", place_of(event))
            self._say_file(part, event.media_type, event.url, event.data)
        else:
            part.pieces.append(event.data)
            part.media_type = event.media_type or part.media_type

    def _say_file(self, part: Part, media_type: str | None, url: str | None, data: str | None) -> None:
        media_type = media_type or "application/octet-stream"
        if url is None and data is None:
            self.lose("file", place_of(part.start))
            return
        url = f"data:{media_type};base64,{data}" if url is None else url
        thought = part.start.channel in ("reasoning", "thought")
        if thought and not self._client.reasoning_file:
            self.lose("channel", place_of(part.start))
        kind = "reasoning-file" if thought and self._client.reasoning_file else "file"
        told = part.told if part.start.kind == "file" else {}
        self._say({"type": kind, "url": url, "mediaType": media_type, **told})
        if told:
            part.states = []

    # -- ends ----------------------------------------------------------------------------------------------------

    def _block_end(self, event: ev.BlockEnd) -> None:
        part = self._parts.pop(event.index)
        kind = part.start.kind
        if kind == "tool_call":
            self._end_call(part, complete=event.complete)
        elif kind == "tool_result" and part.result is not None:
            self._say_result(part, part.result, last=event.complete)
        elif kind == "file" and part.pieces:
            self._say_file(part, part.media_type, None, "".join(part.pieces))
        elif kind in ("tool_result", "opaque", "file") and part.states:
            self.lose("signature", place_of(event))
        elif kind in ("text", "refusal", "reasoning"):
            if not part.head and (part.told or not part.cited):
                self._announce(part)
            self._close(part)

    def _end(self, event: ev.End) -> None:
        error = event.error
        self.flush()
        if error is not None:
            self.lose("error_detail")
        if error is not None and error.type == "cancelled":
            if counts := self._usage_of(event.usage or self._usage):
                self._say({"type": "message-metadata", **counts})
            self._say({"type": "abort", **({"reason": error.message} if self._client.abort_reason else {})})
            self._write(b"data: [DONE]\n\n")
            return
        failed = event.outcome in ("failed", "truncated")
        if failed and error is not None:
            self._say({"type": "error", "errorText": error.message})
        self._finish_step()
        reason = "error" if failed else self._reason(event)
        said: dict[str, Any] = {"finishReason": reason} if reason is not None and self._client.finish_reason else {}
        self._say({"type": "finish", **said, **self._usage_of(event.usage or self._usage)})
        self._write(b"data: [DONE]\n\n")

    def _reason(self, event: ev.End) -> str | None:
        """Why it stopped; nothing if nobody said."""
        reason = event.finishes[0].reason if event.finishes else None
        if reason in ("pause", "refusal"):
            self.lose("finish_other")
        if not self._client.finish_reason and reason not in ("stop", None):
            self.lose("finish")
        return None if reason is None else words.FINISHES[reason]

    def _usage_of(self, usage: ev.Usage | None) -> dict[str, Any]:
        """The counts as the message's metadata, in the SDK's own words; where an app has metadata of its own they are among these."""
        if usage is None or self._app_metadata:
            return {}
        if not self._context.include_usage:
            self.lose("usage")
            return {}
        return {"messageMetadata": {"usage": words.usage(usage)}}

    def _say(self, chunk: dict[str, Any]) -> None:
        self._write(b"data: " + jsontext.line(chunk) + b"\n\n")


def _call(part: Part) -> dict[str, Any]:
    return {"toolCallId": part.id, "toolName": part.start.name or ""}


def _executor(start: ev.BlockStart) -> dict[str, Any]:
    return {"providerExecuted": True} if start.executor == "provider" else {}


def _input(raw: str, *, custom: bool) -> Any:
    """The input as its source wrote it: JSON stays the text that it is, and free text is a string."""
    return raw if custom else msgspec.Raw(jsontext.one_line(raw))
