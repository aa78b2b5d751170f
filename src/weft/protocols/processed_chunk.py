"""ProcessedChunk (seed 000): text, function calls, an error or `done`, one a line, with thoughts on any of them.

    {"type":"text","content":"","thoughts":[{"kind":"raw","content":"Hm."}]}
    {"type":"text","content":"Hi"}
    {"type":"function_call","functionCall":{"name":"look","args":{"at":"sky"}}}
    {"type":"done","metadata":{"finishReason":"tool_calls", …}}
    {"type":"error","error":{"type":"rate_limit","message":"…","code":"…","retryable":true,"originalError":…},"metadata":{…}}

Knows: how events become these chunks, and that they go out a line each. Must not know: other protocols.
Every call that is complete is said, once, with what its origin wants back; one that is not is never said, since whoever reads would run it:
`malformedToolCall` stands in the metadata of the end, and `malformedCalls` tells what there was of it.
A stream ends with `done` or with `error`, never both. What has no member of its own stands in the metadata of that last chunk.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Final

import msgspec

from weft import events as ev
from weft import jsontext
from weft.chunks import FunctionCall, ProcessedChunk, ThoughtLogEntry, provider_error, to_json
from weft.context import Context
from weft.encoder import Encoder, Handler, place_of
from weft.losses import Losses
from weft.protocol import ProtocolSpec
from weft.unfold import at_once

# Models whose plain reasoning text belongs to the request that brings a tool's result, by a piece of their name.
REASONING_GOES_BACK: Final = ("deepseek", "glm", "kimi", "mimo")

# The dialects of those who make them, for whoever reads one by name: a deployment may call its model as it likes.
DIALECTS_THAT_WANT_REASONING_BACK: Final = frozenset({"deepseek", "zhipu", "moonshot", "xiaomi"})

# The protocol that opaque state is of -> what reasoning_details call its format.
FORMATS: Final = {
    "anthropic": "anthropic-claude-v1",
    "bedrock": "anthropic-claude-v1",
    "gemini": "google-gemini-v1",
    "openai-responses": "openai-responses-v1",
}

_COUNTS: Final = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "total_tokens": "totalTokens",
    "cache_read_tokens": "cacheReadTokens",
    "cache_write_tokens": "cacheWriteTokens",
    "reasoning_tokens": "reasoningTokens",
}
_KINDS: Final[dict[ev.ReasoningForm, Any]] = {"raw": "raw", "summary": "summary"}
_TEXT: Final = b'{"type":"text","content":'


class _Open(msgspec.Struct):
    """The block that is open: its text so far, as far as it is needed at its end, and the state that came with it."""

    start: ev.BlockStart
    pieces: list[str]
    states: list[ev.Signature]
    form: ev.ReasoningForm = "raw"
    part: int | None = None


class Chunker(Encoder):
    """One stream of chunks, as values: `say` gets each. The protocol writes them as lines, an adapter hands them on."""

    drops: ClassVar = {
        ev.Note: "",
        ev.Annotation: "annotation",
        ev.File: "file",
        ev.Opaque: "opaque",
        ev.Result: "tool_result",
        ev.StepStart: "",
        ev.StepEnd: "steps",
        ev.Unknown: "unknown",
    }
    loses: ClassVar = {
        "annotation": "a text has no citations",
        "file": "chunks are text and calls",
        "opaque": "another protocol's items cannot be expressed",
        "tool_result": "results of tools cannot be expressed",
        "steps": "there are no steps",
        "unknown": "a frame that Weft does not know cannot be written in another protocol",
        "reasoning": "reasoning that only its origin can read is not a thought",
        "reasoning_form": "thoughts are joined without a mark between their parts",
        "signature": "a call can carry one piece of opaque state, and so can everything that is neither call nor reasoning",
        "refusal": "a refusal is sent as text like any other",
        "blocks": "texts have no blocks: neighbours run together",
        "logprobs": "a text has no log probabilities",
        "channel": "a text has no channel",
        "executor": "every call is for the receiver to execute, so calls that the provider runs are left out",
        "tool_call": "a call that was cut off would be executed, so only the metadata of the end mentions it",
        "tool_kind": "calls are of functions: the input of another tool becomes an argument",
        "tool_call_id": "calls have no ids",
        "args_stream": "a call is sent when it is complete",
    }
    sequential: ClassVar = True

    def __init__(self, say: Callable[[ProcessedChunk], object], context: Context, losses: Losses) -> None:
        super().__init__(_no_bytes, context, losses)
        self._say = say
        self.goes_back = False
        """Whether it is known that plain reasoning is wanted back, whatever the model is called."""
        self._open: _Open | None = None
        self._serving: str | None = None
        self._metadata: dict[str, Any] = {}
        self._facts: dict[str, Any] = {}
        self._details: list[dict[str, Any]] = []
        self._thinking: list[str] = []
        self._broken: list[dict[str, Any]] = []
        self._after_text = False

    def handlers(self) -> dict[type[ev.Event], Handler]:
        return {
            ev.Start: self._start,
            ev.Meta: self._meta,
            ev.Usage: self._usage,
            ev.BlockStart: self._block_start,
            ev.TextDelta: self._text,
            ev.RefusalDelta: self._text,
            ev.ReasoningDelta: self._think,
            ev.ArgsDelta: self._args,
            ev.Signature: self._sign,
            ev.BlockEnd: self._block_end,
            ev.End: self._end,
        }

    # -- facts ---------------------------------------------------------------------------------------------------

    def _start(self, event: ev.Start) -> None:
        self._metadata["responseId"] = self._context.response_id or event.id
        for name, value in (("model", event.model), ("provider", event.provider), ("created", event.created)):
            if value is not None:
                self._fact(name, value)

    def _meta(self, event: ev.Meta) -> None:
        self._fact(event.name, event.value)

    def _fact(self, name: str, value: Any) -> None:
        if name == "provider":
            self._serving = str(value)
        elif name in ("model", "created"):
            self._metadata[name] = value
        else:
            self._facts[name] = value

    def _usage(self, event: ev.Usage) -> None:
        counts = {word: getattr(event, name) for name, word in _COUNTS.items()}
        self._metadata["usage"] = {word: count for word, count in counts.items() if count is not None}

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, event: ev.BlockStart) -> None:
        self._open = _Open(event, [], [])
        if event.kind in ("text", "refusal"):
            if self._after_text:
                self.lose("blocks", place_of(event))
            self._after_text = True
            self.lose_kind_of_text(event)

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        if not event.text:
            return
        self._say(ProcessedChunk("text", event.text))

    def _think(self, event: ev.ReasoningDelta) -> None:
        block = self._open
        if block is None or event.form not in _KINDS:
            self.lose("reasoning", place_of(event))
            return
        text = event.text
        if block.part not in (None, event.part) or (block.pieces and block.form != event.form):
            self.lose("reasoning_form", place_of(event))
            text = "\n\n" + text
        block.part, block.form = event.part, event.form
        block.pieces.append(text)
        self._say(ProcessedChunk("text", "", thoughts=(ThoughtLogEntry(_KINDS[event.form], text),)))

    def _args(self, event: ev.ArgsDelta) -> None:
        if self._open is not None:
            self._open.pieces.append(event.text)

    def _sign(self, event: ev.Signature) -> None:
        if self._open is not None:
            self._open.states = [*(state for state in self._open.states if state.part != event.part), event]

    def _block_end(self, event: ev.BlockEnd) -> None:
        block, self._open = self._open, None
        if block is None:
            return
        if block.start.kind == "tool_call":
            self._call(block, complete=event.complete)
            return
        if block.start.kind == "reasoning":
            self._remember(block)
        elif block.states:
            if "thoughtSignature" in self._metadata:
                self.lose("signature", place_of(event))
            self._metadata["thoughtSignature"] = block.states[-1].value

    def _remember(self, block: _Open) -> None:
        """What the origin of this reasoning wants back with the call that follows."""
        text = "".join(block.pieces)
        model = str(self._metadata.get("model", "")).lower()
        if not block.states:
            if block.form == "raw" and (self.goes_back or any(name in model for name in REASONING_GOES_BACK)):
                self._thinking.append(text)
            return
        signed = next((state for state in block.states if not state.encrypted), None)
        if text and block.form == "summary":
            self._details.append({"type": "reasoning.summary", "summary": text})
        elif text or signed is not None:
            self._details.append(_detail({"type": "reasoning.text", "text": text}, signed, "signature"))
        for state in block.states:
            if state is not signed or block.form == "summary":
                self._details.append(_detail({"type": "reasoning.encrypted"}, state, "data"))

    def _call(self, block: _Open, *, complete: bool) -> None:
        start, raw = block.start, "".join(block.pieces)
        if start.executor == "provider":
            self.lose("executor", place_of(start))
            return
        custom = start.tool == "custom"
        args = {"input": raw} if custom else jsontext.decode_object(raw)
        if not complete or args is None:
            self.lose("tool_call", place_of(start))
            self._broken.append({"name": start.name or "", "arguments": raw})
            return
        if start.tool != "function":
            self.lose("tool_kind", place_of(start))
        if not start.made:
            self.lose("tool_call_id", place_of(start))
        if start.arrival == "delta":
            self.lose("args_stream", place_of(start))
        if len(block.states) > 1:
            self.lose("signature", place_of(start))
        call = FunctionCall(
            start.name or "",
            args,
            block.states[-1].value if block.states else None,
            self._details or None,
            "\n\n".join(self._thinking) if self._thinking else None,
            id=start.id,
            raw=None if custom else raw,
        )
        self._details, self._thinking = [], []
        self._say(ProcessedChunk("function_call", function_call=call))
        self._after_text = False

    # -- the end -------------------------------------------------------------------------------------------------

    def _end(self, event: ev.End) -> None:
        if event.usage is not None:
            self._usage(event.usage)
        finish = event.finishes[0] if event.finishes else ev.Finish()
        said: dict[str, Any] = {}
        if event.error is None:
            said = {"finishReason": finish.reason or "stop"}
        if finish.raw is not None:
            said["rawFinishReason"] = finish.raw
        if event.outcome == "incomplete":
            said["outputTruncated"] = True
        if self._broken:
            said |= {"malformedToolCall": True, "malformedCalls": self._broken}
        if self._details:
            said["reasoning_details"] = self._details
        if self._facts:
            said["facts"] = self._facts
        metadata = {**said, **self._metadata}
        if event.error is None:
            self._say(ProcessedChunk("done", serving_provider=self._serving, metadata=metadata))
        else:
            error = provider_error(event.error)
            self._say(ProcessedChunk("error", error=error, serving_provider=self._serving, metadata=metadata))


class ProcessedChunkEncoder(Chunker):
    """The same stream, a line for each chunk. Text, which is most of it, goes into its line without being a value first."""

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        super().__init__(lambda chunk: write(to_json(chunk) + b"\n"), context, losses)
        self._write = write

    def _text(self, event: ev.TextDelta | ev.RefusalDelta) -> None:
        if event.logprobs is not None:
            self.lose("logprobs", place_of(event))
        if event.text:
            self._write(_TEXT + jsontext.line(event.text) + b"}\n")


def _no_bytes(data: bytes) -> None:
    """A chunker says values."""


def _detail(detail: dict[str, Any], state: ev.Signature | None, member: str) -> dict[str, Any]:
    """One of the reasoning_details, with its state and what that says of itself."""
    if state is None:
        return detail
    said = {member: state.value, "id": state.origin.item, "index": state.part}
    said["format"] = state.format or FORMATS.get(state.origin.protocol)
    return detail | {name: value for name, value in said.items() if value is not None}


PROTOCOL = ProtocolSpec(
    name="processed-chunk",
    title="ProcessedChunk (TomoriBot)",
    framing="ndjson",
    encoder=ProcessedChunkEncoder,
    reply=at_once(ProcessedChunkEncoder),
)
