"""Reads the chunks of a UI message stream and says what they say, in verbs.

Knows: these chunks. Must not know: events, blocks, other protocols.
An error chunk ends nothing: the chunks that follow are read, and the failure is said with the finish or the end of the input.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Final

import msgspec

from weft import jsontext, provider_state
from weft.assembler import Assembler
from weft.errors import Error, error_from_body, make_error
from weft.events import BlockKind
from weft.protocol import Dialect
from weft.protocols.ai_sdk_ui.wire import Chunk, InputDetails, OutputDetails, Usage
from weft.provider_state import Metadata
from weft.run_calls import RunCalls

DENIED: Final = {"type": "execution-denied"}
"""The SDK's own word for the result of a call that was not allowed."""

_FILE: Final = "file"
_NO_INPUT, _NO_OUTPUT = InputDetails(), OutputDetails()


class UIStreamDecoder:
    """One message."""

    wire: ClassVar[Any] = Chunk

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out
        self._text: str | int | None = None
        self._thought: str | int | None = None
        self._named: set[Hashable] = set()
        self._calls = RunCalls()
        self._error: Error | None = None

    def feed(self, chunk: Chunk, name: str) -> None:
        """One chunk."""
        kind = chunk.type
        if kind == "text-delta" and chunk.id == self._text and chunk.provider_metadata is None:
            self.out.text(chunk.delta or "", 0, chunk.id)
        elif kind == "reasoning-delta" and chunk.id == self._thought and chunk.provider_metadata is None:
            self.out.reasoning(chunk.delta or "", 0, ("reasoning", chunk.id))
        elif kind == "tool-input-delta":
            self.out.args(chunk.input_text_delta or "", ("call", chunk.tool_call_id))
        elif (take := _CHUNKS.get(kind)) is not None:
            take(self, chunk)
        elif kind.startswith("data-"):
            self.verbatim(chunk)
        else:
            self.out.unknown(self.out.place.frame(), name)

    def close(self) -> None:
        """A failure that no finish followed."""
        self._fail()

    # -- text and reasoning --------------------------------------------------------------------------------------

    def text_start(self, chunk: Chunk) -> None:
        """A text is announced."""
        self._open("text", chunk.id, chunk.provider_metadata)
        self._text = chunk.id

    def text_delta(self, chunk: Chunk) -> None:
        """A delta of another text than the last one's, or one with metadata; a text that nobody announced is opened by it."""
        self._text = chunk.id
        self._named.add(chunk.id)
        self.out.text(chunk.delta or "", 0, chunk.id)
        self._say(chunk.provider_metadata, chunk.id)

    def text_end(self, chunk: Chunk) -> None:
        """A text is over."""
        self._end(chunk.id, chunk.provider_metadata)
        self._text = None

    def reasoning_start(self, chunk: Chunk) -> None:
        """Reasoning is announced."""
        self._open("reasoning", ("reasoning", chunk.id), chunk.provider_metadata)

    def reasoning_delta(self, chunk: Chunk) -> None:
        """The same of reasoning."""
        key = ("reasoning", chunk.id)
        self._thought = chunk.id
        self._named.add(key)
        self.out.reasoning(chunk.delta or "", 0, key)
        self._say(chunk.provider_metadata, key)

    def reasoning_end(self, chunk: Chunk) -> None:
        """Reasoning is over."""
        self._end(("reasoning", chunk.id), chunk.provider_metadata)

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
            provider_state.say(self.out, said, key, None)

    # -- tools ---------------------------------------------------------------------------------------------------

    def call_start(self, chunk: Chunk) -> None:
        """The input of a call is about to come in pieces."""
        self._calls.start(
            self.out, chunk.tool_call_id, chunk.tool_name,
            by_provider=chunk.provider_executed, custom=chunk.input_encoding == "text", metadata=chunk.provider_metadata,
        )  # fmt: skip

    def call(self, chunk: Chunk) -> None:
        """The call with its whole input."""
        self._call(chunk, valid=True)

    def call_invalid(self, chunk: Chunk) -> None:
        """A call whose input its tool would not take: it is not to be executed, and the reason is its result."""
        self._call(chunk, valid=False)
        self.failed_tool(chunk)

    def _call(self, chunk: Chunk, *, valid: bool) -> None:
        self._calls.whole(
            self.out, chunk.tool_call_id, chunk.tool_name, jsontext.packed(chunk.input),
            by_provider=chunk.provider_executed, valid=valid, metadata=chunk.provider_metadata,
        )  # fmt: skip

    def result(self, chunk: Chunk) -> None:
        """What a tool gave back, or a first look at it."""
        self._result(chunk, chunk.output, is_error=False, last=not chunk.preliminary)

    def failed_tool(self, chunk: Chunk) -> None:
        """The tool failed."""
        self._result(chunk, chunk.error_text, is_error=True)

    def denied(self, chunk: Chunk) -> None:
        """The tool was not allowed to run."""
        self._result(chunk, DENIED, is_error=True)

    def _result(self, chunk: Chunk, content: Any, *, is_error: bool, last: bool = True) -> None:
        self._calls.result(
            self.out, chunk.tool_call_id, content, name=chunk.tool_name, is_error=is_error,
            by_provider=chunk.provider_executed, last=last, metadata=chunk.provider_metadata,
        )  # fmt: skip

    # -- sources, files and what only one app has ----------------------------------------------------------------

    def source(self, chunk: Chunk) -> None:
        """A source of the text that is being said; those that come before or after it have a text of their own, an empty one."""
        key = self._text if self._text in self._named else None
        self.out.annotation(chunk.type, 0, key, url=chunk.url, title=chunk.title, raw=self._frame())

    def file(self, chunk: Chunk) -> None:
        """A generated file, as a URL that may hold it."""
        self.out.split()
        self.out.open("file", _FILE, channel="reasoning" if chunk.type == "reasoning-file" else None, arrival="whole")
        head, comma, data = (chunk.url or "").partition(",")
        held = bool(comma) and head.startswith("data:") and head.endswith(";base64")
        content: dict[str, Any] = {"data": data} if held else {"url": chunk.url}
        media_type = chunk.media_type or (head[len("data:") : -len(";base64")] if held else None)
        self.out.file(key=_FILE, media_type=media_type, name=chunk.filename, **content)
        provider_state.say(self.out, chunk.provider_metadata, _FILE, None)
        self.out.end(_FILE)

    def verbatim(self, chunk: Chunk) -> None:
        """What has no words here: approvals, steering, an app's own data, a provider's own kinds."""
        self.out.split()
        self.out.opaque(self._frame(), name=chunk.kind or chunk.type)

    def _frame(self) -> dict[str, Any]:
        return jsontext.read_object(self.out.place.frame())

    # -- the message and its steps -------------------------------------------------------------------------------

    def start(self, chunk: Chunk) -> None:
        """The message begins."""
        self.out.start(chunk.message_id)
        self.message_metadata(chunk)

    def message_metadata(self, chunk: Chunk) -> None:
        """An app's own facts. Some put the usage there, for which these chunks have no place."""
        said = chunk.message_metadata
        self.out.meta("message_metadata", said)
        usage = (said.get("totalUsage") or said.get("usage")) if jsontext.is_object(said) else None
        try:
            counts = _counts(msgspec.convert(usage, Usage))
        except (msgspec.ValidationError, UnicodeError):
            return
        self.out.usage(counts, None, usage)

    def start_step(self, chunk: Chunk) -> None:
        """A step of the run begins."""
        self._end_blocks()
        self.out.step_start()

    def finish_step(self, chunk: Chunk) -> None:
        """A step is over; what it cost, and why it ended, is not said."""
        self._end_blocks()
        self.out.step_end()

    def reset_step(self, chunk: Chunk) -> None:
        """The step begins anew. What was said of it cannot be unsaid: it stays, its open blocks cut off, and the chunk is carried."""
        for key in list(self._named):
            self.out.end(key, complete=False)
        self._end_blocks()
        self.out.note("step_reset", "what this step said so far was withdrawn")
        self.verbatim(chunk)

    def _end_blocks(self) -> None:
        """Ids are unique within a step only."""
        self.out.split()
        self._text = self._thought = None
        self._named.clear()
        self._calls.end_step()

    # -- the end -------------------------------------------------------------------------------------------------

    def finish(self, chunk: Chunk) -> None:
        """The message is over. Older senders do not say why."""
        self.message_metadata(chunk)
        self._fail()
        self.out.finish(chunk.finish_reason)
        self.out.sign("terminal")

    def failed(self, chunk: Chunk) -> None:
        """A failure, of which only a text is left, and that is often masked."""
        if self._error is None:
            self._error = error_from_body(chunk.error_text)

    def abort(self, chunk: Chunk) -> None:
        """The caller stopped the run."""
        self._fail()
        self.out.fail(make_error("cancelled", chunk.reason or ""))

    def nothing(self, chunk: Chunk) -> None:
        """A keep-alive."""

    def _fail(self) -> None:
        if self._error is not None:
            self.out.fail(self._error)


def _counts(usage: Usage) -> dict[str, int | None]:
    inside, outside = usage.input_token_details or _NO_INPUT, usage.output_token_details or _NO_OUTPUT
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "cache_read_tokens": usage.cached_input_tokens
        if inside.cache_read_tokens is None
        else inside.cache_read_tokens,
        "cache_write_tokens": inside.cache_write_tokens,
        "reasoning_tokens": usage.reasoning_tokens if outside.reasoning_tokens is None else outside.reasoning_tokens,
    }


_CHUNKS: Final[Mapping[str, Callable[[UIStreamDecoder, Chunk], None]]] = {
    "text-delta": UIStreamDecoder.text_delta,
    "reasoning-delta": UIStreamDecoder.reasoning_delta,
    "text-start": UIStreamDecoder.text_start,
    "text-end": UIStreamDecoder.text_end,
    "reasoning-start": UIStreamDecoder.reasoning_start,
    "reasoning-end": UIStreamDecoder.reasoning_end,
    "tool-input-start": UIStreamDecoder.call_start,
    "tool-input-available": UIStreamDecoder.call,
    "tool-input-error": UIStreamDecoder.call_invalid,
    "tool-output-available": UIStreamDecoder.result,
    "tool-output-error": UIStreamDecoder.failed_tool,
    "tool-output-denied": UIStreamDecoder.denied,
    "tool-approval-request": UIStreamDecoder.verbatim,
    "tool-approval-response": UIStreamDecoder.verbatim,
    "source-url": UIStreamDecoder.source,
    "source-document": UIStreamDecoder.source,
    "file": UIStreamDecoder.file,
    "reasoning-file": UIStreamDecoder.file,
    "custom": UIStreamDecoder.verbatim,
    "steering-message": UIStreamDecoder.verbatim,
    "start": UIStreamDecoder.start,
    "message-metadata": UIStreamDecoder.message_metadata,
    "start-step": UIStreamDecoder.start_step,
    "finish-step": UIStreamDecoder.finish_step,
    "reset-step": UIStreamDecoder.reset_step,
    "finish": UIStreamDecoder.finish,
    "error": UIStreamDecoder.failed,
    "abort": UIStreamDecoder.abort,
    "ping": UIStreamDecoder.nothing,
}
