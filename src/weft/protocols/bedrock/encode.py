"""Writes ConverseStream events, in frames that boto3 reads.

Knows: this wire. Must not know: other protocols; how a frame is laid out.
One block is open at a time, indexes are dense. Only calls, results and images are announced; the counts come after the stop, and are always there.
"""

import re
from collections.abc import Callable
from typing import Any, ClassVar, Final

from weft import events as ev
from weft import jsontext, unnamed
from weft.carried import wrapped
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.framing.aws_frames import AWSFrames
from weft.jsontext import is_object
from weft.losses import Losses
from weft.protocols.bedrock import words
from weft.protocols.bedrock.whole import SERVER_TOOL
from weft.toolids import fitted

_ILLEGAL: Final = re.compile(r"[^a-zA-Z0-9_.:-]")


class ConverseEncoder(Encoder):
    """One stream of events."""

    own: ClassVar = "bedrock"
    drops: ClassVar = {ev.Note: "", ev.StepStart: "", ev.StepEnd: "steps", ev.Usage: ""}
    loses: ClassVar = {
        "steps": "a message has no steps",
        "unknown": "a frame that Weft does not know is passed on to its own protocol only",
        "reasoning_form": "reasoning is one text",
        "signature": "only reasoning can carry opaque state, and only one piece of it",
        "refusal": "a refusal is sent as text",
        "tool_kind": "the input of a tool must be a JSON object",
        "tool_call_id": "an id may have only letters, digits and _.:-, and at most 64 characters",
        "tool_result": "a result can only be a list of texts and objects",
        "annotation": "a citation without a source cannot be expressed",
        "annotation_offsets": "a citation does not say where in the text it stands",
        "file": "only images can be expressed",
        "file_partial": "there are no previews",
        "opaque": "another protocol's items cannot be expressed",
        "logprobs": "there are no log probabilities",
        "channel": "text has no channels",
        "usage": "a failure has no token counts",
        "usage_split": "reasoning tokens are not counted separately, and the total covers all counts",
        "finish_other": "there is no such finish reason: it reads as the end of a turn",
        "incomplete": "a call that was cut off is not stopped, which shows only on the last call, and only if the stream does not end normally; a whole reply leaves it out",
        "error_detail": "an exception has a name and a message",
        "meta": "this fact cannot be expressed",
        "id": "a message has no id",
        "model": "a message does not name its model",
        "created": "a message has no time of creation",
    }
    sequential: ClassVar = True

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(write, context, losses)
        self._frames: dict[str, AWSFrames] = {}
        self._framed = self._frames_of("contentBlockDelta").framed
        self._block = ev.BlockStart(0, "text")
        self._next = -1
        self._begun = False
        self._head = self._tail = b""
        self._part: tuple[int, ev.ReasoningForm] | None = None
        self._state: ev.Signature | None = None
        self._sealed: str | None = None
        self._result: ev.Result | None = None
        self._image: list[ev.File] = []
        self._fields: Any = None
        self._beside: dict[str, Any] = {}
        self._refused = self._called = False
        self._unstopped: list[str] = []

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
            ev.Annotation: self._cite,
            ev.File: self._file,
            ev.Result: self._give_back,
            ev.Opaque: self._opaque,
            ev.BlockEnd: self._block_end,
            ev.Unknown: self.unnamed,
            ev.End: self._end,
        }

    def carry(self, event: ev.Unknown) -> None:
        self._write(AWSFrames(event.name or "unknown").framed(unnamed.payload(event.raw)))

    # -- the message ---------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        self.lose_head(event)
        self._event("messageStart", {"role": "assistant"})

    def _meta(self, event: ev.Meta) -> None:
        if event.name in words.METAS and is_object(event.value):
            self._beside[words.METAS[event.name]] = event.value
        elif event.name == "service_tier" and isinstance(event.value, str):
            self._beside["serviceTier"] = {"type": event.value}
        elif event.name == "additional_model_response_fields":
            self._fields = event.value
        elif event.name == "stop_sequence":
            self._fields = self._fields or {"delta": {"stop_sequence": event.value}}
        elif event.name in ("model", "created"):
            self.lose(event.name)
        elif event.name != "id":
            self.lose("meta", event.name)

    def _end(self, event: ev.End) -> None:
        if self._refused:
            self.lose("refusal")
        if words.is_failure(event):
            self._failed(event)
            return
        finish = event.finishes[0] if event.finishes else ev.Finish()
        if finish.reason not in words.SAID:
            self.lose("finish_other")
        # What a limit or a filter cuts is the last thing said.
        for where in self._unstopped if event.outcome == "completed" else self._unstopped[:-1]:
            self.lose("incomplete", where)
        unsaid = "max_tokens" if event.outcome == "incomplete" else "tool_use" if self._called else "end_turn"
        reason = unsaid if finish.reason is None else words.stop_reason(finish)
        fields = {"additionalModelResponseFields": self._fields} if self._fields is not None else {}
        self._event("messageStop", {"stopReason": reason, **fields})
        counts, known = words.usage(event.usage), event.usage or ev.Usage()
        if known.reasoning_tokens or known.total_tokens not in (None, 0, counts["totalTokens"]):
            self.lose("usage_split")
        # The time it took is required, and nobody's clock is read here.
        self._event("metadata", {"usage": counts, "metrics": {"latencyMs": 0}, **self._beside})

    def _failed(self, event: ev.End) -> None:
        """The exception that tells it, and no stop."""
        error = event.error
        if error is None:
            return
        if event.usage is not None:
            self.lose("usage")
        for name in [*self._beside, *(["additionalModelResponseFields"] if self._fields is not None else [])]:
            self.lose("meta", name)
        if not words.tells_all(error):
            self.lose("error_detail")
        frames = AWSFrames(words.exception(error), "exception")
        self._write(frames.framed(jsontext.line({"message": error.message})))

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._block, self._begun, self._part = event, False, None
        self._state = self._sealed = self._result = None
        self._image = []
        if event.channel:
            self.lose("channel", place_of(event))
        self._refused = self._refused or event.kind == "refusal"
        if event.kind == "tool_call":
            self._announce_call(event)

    def _announce_call(self, event: ev.BlockStart) -> None:
        use: dict[str, Any] = {"toolUseId": self._fitted(event), "name": event.name or ""}
        if event.executor == "provider":
            use["type"] = SERVER_TOOL
        elif event.tool != "function":
            self.lose("tool_kind", place_of(event))
        self._begin(b'{"toolUse":{"input":', b"}}")
        self._event("contentBlockStart", {"start": {"toolUse": use}, "contentBlockIndex": self._next})
        if event.tool == "custom":
            self._delta(b'"{\\"input\\":\\""')

    def _fitted(self, event: ev.BlockStart) -> str:
        id = fitted(event.id or "", _ILLEGAL)
        if id != event.id:
            self.lose("tool_call_id", place_of(event))
        return id

    def _begin(self, before: bytes, after: bytes) -> None:
        """Number the block, and freeze the frame that its deltas are spliced into."""
        self._begun, self._next = True, self._next + 1
        self._head = b'{"contentBlockIndex":%d,"delta":%b' % (self._next, before)
        self._tail = after + b"}"

    def _delta(self, value: bytes) -> None:
        self._write(self._framed(self._head + value + self._tail))

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if not self._begun:
            self._begin(b'{"text":', b"}")
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        self._write(self._framed(self._head + jsontext.line(event.text) + self._tail))

    def _think(self, event: ev.ReasoningDelta) -> None:
        text = event.text
        if event.form != "raw" or event.part:
            self.lose("reasoning_form", place_of(event))
        if self._begun and self._part not in (None, (event.part, event.form)):
            text = "\n\n" + text
        elif not self._begun:
            self._begin(b'{"reasoningContent":{"text":', b"}}")
        self._part = event.part, event.form
        self._write(self._framed(self._head + jsontext.line(text) + self._tail))

    def _args(self, event: ev.ArgsDelta) -> None:
        text = jsontext.line(event.text)
        if self._block.tool == "custom":
            text = jsontext.line(text[1:-1].decode())
        self._write(self._framed(self._head + text + self._tail))

    def _sign(self, event: ev.Signature) -> None:
        """The state of reasoning waits for the end of its block, since only then it is known whether there is a text to sign."""
        if self._block.kind != "reasoning" or (self._state is not None and self._state.part != event.part):
            self.lose("signature", place_of(event))
        if self._block.kind == "reasoning":
            self._state = event

    def _cite(self, event: ev.Annotation) -> None:
        raw: Any = event.raw
        own = is_object(raw) and bool(raw.keys() & {"location", "sourceContent"})
        said: Any = raw if own else words.citation(event.url, event.title, event.text)
        if said is None or self._block.kind not in ("text", "refusal"):
            self.lose("annotation", place_of(event))
            return
        if not own and (event.start is not None or event.end is not None):
            self.lose("annotation_offsets", place_of(event))
        if not self._begun:
            self._begin(b'{"text":', b"}")
        self._rare({"citation": said})

    def _file(self, event: ev.File) -> None:
        if event.partial:
            self.lose("file_partial", place_of(event))
        elif self._block.kind != "file":
            self.lose("file", place_of(event))
        else:
            self._image.append(event)

    def _give_back(self, event: ev.Result) -> None:
        self._result = event

    def _opaque(self, event: ev.Opaque) -> None:
        """Encrypted reasoning, which the source itself tells from a signature."""
        reasoning = event.raw.get("reasoningContent") if is_object(event.raw) else None
        if event.origin.protocol == "bedrock" and is_object(reasoning) and reasoning.get("redactedContent"):
            self._sealed = reasoning["redactedContent"]
        elif self._block.kind not in ("reasoning", "file", "opaque"):
            self.lose("opaque", place_of(event))

    def _block_end(self, event: ev.BlockEnd) -> None:
        kind = self._block.kind
        if kind == "reasoning":
            self._seal()
        elif kind == "tool_result":
            self._say_result()
        elif kind == "file":
            self._say_image()
        elif kind == "opaque":
            self.lose("opaque", place_of(event))
        elif kind == "tool_call" and self._block.tool == "custom" and event.complete:
            self._delta(b'"\\"}"')
        elif kind == "tool_call" and not event.complete and self._block.executor == "provider":
            self.lose("incomplete", place_of(event))
        # A call that was cut off is left open: at a stop a client would execute it.
        if kind == "tool_call" and not event.complete and self._block.executor == "client":
            self._unstopped.append(place_of(event))
        elif self._begun:
            self._event("contentBlockStop", {"contentBlockIndex": self._next})
            self._called = self._called or (kind == "tool_call" and self._block.executor == "client")

    def _seal(self) -> None:
        """The last word on a block of reasoning: what signs its text, or all that it is, encrypted. Of another origin it is wrapped."""
        state = self._state
        if state is None:
            return
        value = state.value if state.origin.protocol == "bedrock" else wrapped(state)
        alone = not self._begun and (state.encrypted or self._sealed is not None)
        if not self._begun:
            self._begin(b"", b"")
        self._rare({"reasoningContent": {"redactedContent": self._sealed or value} if alone else {"signature": value}})

    def _say_result(self) -> None:
        block, given = self._block, self._result or ev.Result(0)
        self._begin(b"", b"")
        start: dict[str, Any] = {"toolUseId": fitted(given.call_id or block.id or f"result_{block.index}", _ILLEGAL)}
        if block.name:
            start["type"] = block.name
        start["status"] = "error" if given.is_error else "success"
        self._event("contentBlockStart", {"start": {"toolResult": start}, "contentBlockIndex": self._next})
        if given.content is not None:
            self._rare({"toolResult": words.result(given.content)})

    def _say_image(self) -> None:
        """An image, whole. Where it lies can be told only of Amazon's own store."""
        kind = next((file.media_type for file in self._image if file.media_type), "image/png")
        data = "".join(file.data for file in self._image if file.data)
        url = next((file.url for file in self._image if file.url), None) or ""
        place = {"s3Location": {"uri": url}} if url.startswith("s3://") else None
        source = {"bytes": data} if data else place
        if kind not in words.IMAGES or source is None:
            self.lose("file", place_of(self._block))
            return
        self._begin(b"", b"")
        start = {"image": {"format": words.IMAGES[kind]}}
        self._event("contentBlockStart", {"start": start, "contentBlockIndex": self._next})
        self._rare({"image": {"source": source}})

    # -- frames --------------------------------------------------------------------------------------------------

    def _rare(self, delta: dict[str, Any]) -> None:
        self._event("contentBlockDelta", {"contentBlockIndex": self._next, "delta": delta})

    def _event(self, name: str, payload: dict[str, Any]) -> None:
        self._write(self._frames_of(name).framed(jsontext.line(payload)))

    def _frames_of(self, name: str) -> AWSFrames:
        frames = self._frames.get(name)
        if frames is None:
            frames = self._frames[name] = AWSFrames(name)
        return frames
