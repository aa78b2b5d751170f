"""Reads the parts of the AI SDK's streams and says what they say, in verbs.

Knows: these parts, of every version and of the providers beneath. Must not know: events, blocks, other protocols.
An error part ends nothing: the parts that follow are read, and the failure is said with the finish or the end of the input.
"""

from collections.abc import Callable, Hashable
from typing import Any, ClassVar

from weft import jsontext, provider_state
from weft.assembler import Assembler
from weft.errors import Error, error_from_body, make_error
from weft.events import BlockKind, UsageSource
from weft.protocol import Dialect
from weft.protocols.ai_sdk import wire as parts
from weft.protocols.ai_sdk.files import file_of
from weft.protocols.ai_sdk.usage import Counts, added, counts, finish_of
from weft.protocols.ai_sdk.wire import ReasoningDelta, TextDelta, ToolInputDelta
from weft.provider_state import Metadata
from weft.run_calls import RunCalls

DENIED = {"type": "execution-denied"}
"""The SDK's own word for the result of a call that was not allowed."""

_FILE = "file"


class AISDKDecoder:
    """One run, or one provider's call."""

    wire: ClassVar[Any] = parts.AnyPart

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out
        self._text: parts.Id | None = None
        self._thought: parts.Id | None = None
        self._named: set[Hashable] = set()
        self._calls = RunCalls()
        self._error: Error | None = None
        self._steps = 0
        self._sum: Counts = {}
        self._on = self._handlers()

    def _handlers(self) -> dict[type[Any], Callable[[Any], None]]:
        return {
            parts.TextStart: self._text_start,
            parts.TextDelta: self._text_delta,
            parts.TextEnd: self._text_end,
            parts.ReasoningStart: self._reasoning_start,
            parts.ReasoningDelta: self._reasoning_delta,
            parts.ReasoningEnd: self._reasoning_end,
            parts.Reasoning: lambda part: self.out.reasoning(part.text_delta or ""),
            parts.ReasoningSignature: lambda part: self.out.signature(part.signature or ""),
            parts.RedactedReasoning: self._redacted,
            parts.ToolInputStart: self._call_start,
            parts.ToolInputEnd: self._nothing,
            parts.ToolCallStreamingStart: self._streaming_start,
            parts.ToolCallDelta: self._call_delta,
            parts.ToolCall: self._call,
            parts.ToolResult: self._result,
            parts.ToolError: self._tool_failed,
            parts.ToolOutputDenied: self._denied,
            parts.ToolApprovalRequest: self._verbatim,
            parts.ToolApprovalResponse: self._verbatim,
            parts.SourcePart: self._source,
            parts.FilePart: self._file,
            parts.ReasoningFile: self._file,
            parts.Custom: self._verbatim,
            parts.SteeringMessage: self._verbatim,
            parts.Start: lambda _: self.out.start(),
            parts.StreamStart: lambda part: self._warn(part.warnings),
            parts.ResponseMetadata: self._response,
            parts.StartStep: self._start_step,
            parts.StepStart: self._start_step,
            parts.FinishStep: self._finish_step,
            parts.StepFinish: self._finish_step,
            parts.Finish: self._finish,
            parts.Abort: self._abort,
            parts.ErrorPart: self._failed,
            parts.RawPart: self._nothing,
            parts.Ping: self._nothing,
        }

    def feed(self, part: Any, name: str) -> None:
        """One part."""
        kind = part.__class__
        if kind is TextDelta and part.id == self._text and part.provider_metadata is None:
            self.out.text(part.text or part.delta or part.text_delta or "", 0, part.id)
        elif kind is ReasoningDelta and part.id == self._thought and part.provider_metadata is None:
            self.out.reasoning(part.text or part.delta or "", 0, ("reasoning", part.id))
        elif kind is ToolInputDelta:
            self.out.args(part.delta or "", ("call", part.id))
        else:
            self._on[kind](part)

    def close(self) -> None:
        """A failure that no finish followed."""
        self._fail()

    # -- text and reasoning --------------------------------------------------------------------------------------

    def _text_start(self, part: parts.TextStart) -> None:
        self._open("text", part.id, part.provider_metadata)
        self._text = part.id

    def _text_delta(self, part: parts.TextDelta) -> None:
        """A delta of another text than the last one's, or one with metadata; a text that nobody announced is opened by it."""
        self._text = part.id
        self._named.add(part.id)
        self.out.text(part.text or part.delta or part.text_delta or "", 0, part.id)
        self._say(part.provider_metadata, part.id)

    def _text_end(self, part: parts.TextEnd) -> None:
        self._end(part.id, part.provider_metadata)
        self._text = None

    def _reasoning_start(self, part: parts.ReasoningStart) -> None:
        self._open("reasoning", ("reasoning", part.id), part.provider_metadata)

    def _reasoning_delta(self, part: parts.ReasoningDelta) -> None:
        key = ("reasoning", part.id)
        self._thought = part.id
        self._named.add(key)
        self.out.reasoning(part.text or part.delta or "", 0, key)
        self._say(part.provider_metadata, key)

    def _reasoning_end(self, part: parts.ReasoningEnd) -> None:
        self._end(("reasoning", part.id), part.provider_metadata)

    def _redacted(self, part: parts.RedactedReasoning) -> None:
        self.out.split()
        self.out.signature(part.data or "", encrypted=True)
        self.out.split()

    def _open(self, kind: BlockKind, key: Hashable, said: Metadata | None) -> None:
        self.out.split()
        self.out.open(kind, key, item_id=provider_state.item_id(said))
        self._named.add(key)
        self._say(said, key)

    def _end(self, key: Hashable, said: Metadata | None) -> None:
        self._say(said, key)
        self._named.discard(key)
        self.out.end(key)

    def _say(self, said: Metadata | None, key: Hashable) -> None:
        """Attach metadata to a block that is open; what comes for one that its step has ended is late."""
        if said and key in self._named:
            provider_state.say(self.out, said, key, self._calls.model)

    # -- tools ---------------------------------------------------------------------------------------------------

    def _call_start(self, part: parts.ToolInputStart) -> None:
        self._calls.start(
            self.out, part.id, part.tool_name,
            by_provider=part.provider_executed, custom=part.input_encoding == "text", metadata=part.provider_metadata,
        )  # fmt: skip

    def _streaming_start(self, part: parts.ToolCallStreamingStart) -> None:
        self._calls.start(self.out, part.tool_call_id, part.tool_name)

    def _call_delta(self, part: parts.ToolCallDelta) -> None:
        """A piece of the input in version 4, or of a version 1 provider, which announces nothing."""
        id = part.tool_call_id
        if not self._calls.knows(id):
            self._calls.start(self.out, id, part.tool_name)
        self.out.args(part.args_text_delta or "", ("call", id))

    def _call(self, part: parts.ToolCall) -> None:
        self._calls.whole(
            self.out, part.tool_call_id, part.tool_name, jsontext.packed(part.input) or jsontext.packed(part.args),
            by_provider=part.provider_executed, valid=not part.invalid, metadata=part.provider_metadata,
        )  # fmt: skip

    def _result(self, part: parts.ToolResult) -> None:
        self._calls.result(
            self.out, part.tool_call_id, part.result if part.output is None else part.output,
            name=part.tool_name, is_error=bool(part.is_error), by_provider=part.provider_executed,
            last=not part.preliminary, metadata=part.provider_metadata,
        )  # fmt: skip

    def _tool_failed(self, part: parts.ToolError) -> None:
        self._calls.result(
            self.out, part.tool_call_id, part.error,
            name=part.tool_name, is_error=True, by_provider=part.provider_executed, metadata=part.provider_metadata,
        )  # fmt: skip

    def _denied(self, part: parts.ToolOutputDenied) -> None:
        self._calls.result(self.out, part.tool_call_id, DENIED, name=part.tool_name, is_error=True)

    # -- sources, files and what only one provider has -----------------------------------------------------------

    def _source(self, part: parts.SourcePart) -> None:
        """A source of the text that is being said; those that come before or after it have a text of their own, an empty one."""
        source = part.source or part
        key = self._text if self._text in self._named else None
        kind = f"source-{source.source_type or 'url'}"
        self.out.annotation(kind, 0, key, url=source.url, title=source.title, raw=self._frame())

    def _file(self, part: parts.FilePart | parts.ReasoningFile) -> None:
        channel = "reasoning" if isinstance(part, parts.ReasoningFile) else None
        self.out.split()
        self.out.open("file", _FILE, channel=channel, arrival="whole")
        self.out.file(key=_FILE, **file_of(part.file or part))
        provider_state.say(self.out, part.provider_metadata, _FILE, self._calls.model)
        self.out.end(_FILE)

    def _verbatim(self, part: parts.Part) -> None:
        """What has no words here: approvals, steering, a provider's own kinds."""
        self.out.split()
        kind = part.kind if isinstance(part, parts.Custom) else None
        self.out.opaque(self._frame(), name=kind or str(type(part).__struct_config__.tag))

    def _frame(self) -> dict[str, Any]:
        return jsontext.read_object(self.out.place.frame())

    def _nothing(self, part: parts.Part) -> None:
        """A keep-alive, the end of an input (the call itself follows), or the provider's own chunk, which the parts say again."""

    # -- the run and its steps -----------------------------------------------------------------------------------

    def _response(self, said: parts.Response | parts.ResponseMetadata) -> None:
        created = (
            said.timestamp.timestamp() if said.timestamp is not None and said.timestamp.tzinfo is not None else None
        )
        self._calls.model = said.model_id or self._calls.model
        self.out.start(said.id, said.model_id, None, created)

    def _warn(self, warnings: list[Any] | None) -> None:
        self.out.meta("warnings", warnings or None)

    def _start_step(self, part: parts.StartStep) -> None:
        self._end_blocks()
        self.out.start(part.message_id)
        self._warn(part.warnings)
        self.out.step_start()

    def _finish_step(self, part: parts.FinishStep) -> None:
        """A step has its own usage; what the steps so far amount to is a snapshot of the whole."""
        self._end_blocks()
        if part.response is not None:
            self._response(part.response)
        self.out.meta("provider_metadata", part.provider_metadata)
        raw, reason = finish_of(part)
        step, usage = counts(part.usage), self._frame().get("usage")
        self.out.step_end(raw, step, usage, reason)
        self._steps += 1
        self._sum = added(self._sum, step)
        sources: dict[str, UsageSource] = dict.fromkeys(self._sum, "derived") if self._steps > 1 else {}
        self.out.usage(self._sum, sources, usage)

    def _end_blocks(self) -> None:
        """Ids are unique within a step only."""
        self.out.split()
        self._text = self._thought = None
        self._named.clear()
        self._calls.end_step()

    def _finish(self, part: parts.Finish) -> None:
        """The end of the run; the usage of all of it is said here, not added to that of its steps."""
        if part.response is not None:
            self._response(part.response)
        self.out.meta("provider_metadata", part.provider_metadata)
        frame = self._frame()
        self.out.usage(counts(part.total_usage or part.usage), None, frame.get("totalUsage") or frame.get("usage"))
        self._fail()
        self.out.finish(*finish_of(part))
        self.out.sign("terminal")

    # -- failures ------------------------------------------------------------------------------------------------

    def _failed(self, part: parts.ErrorPart) -> None:
        if self._error is None:
            self._error = error_from_body(part.error)

    def _abort(self, part: parts.Abort) -> None:
        self._fail()
        self.out.fail(make_error("cancelled", part.reason or ""))

    def _fail(self) -> None:
        if self._error is not None:
            self.out.fail(self._error)
