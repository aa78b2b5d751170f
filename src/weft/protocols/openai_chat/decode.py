"""Reads chat.completions and says what it says, in verbs.

Knows: this wire and its dialect rows. Must not know: events, blocks, other protocols.
Order within one delta: reasoning, text, refusal, calls, then the finish; which is a candidate, since more may follow.
"""

from typing import Any, ClassVar

import msgspec

from weft.assembler import Assembler
from weft.errors import error_from_body, is_error_body
from weft.protocols.openai_chat import extras
from weft.protocols.openai_chat.dialects import ROWS, ChatDialect
from weft.protocols.openai_chat.usage import counts
from weft.protocols.openai_chat.wire import Choice, Chunk, Delta, Function, ToolCall, Usage


class _RawFunction(msgspec.Struct):
    arguments: msgspec.Raw = msgspec.Raw()


class _RawCall(msgspec.Struct):
    function: _RawFunction | None = None
    arguments: msgspec.Raw = msgspec.Raw()


class _RawDelta(msgspec.Struct):
    tool_calls: list[_RawCall] | None = None
    function_call: _RawFunction | None = None


class _RawChoice(msgspec.Struct):
    delta: _RawDelta | None = None
    message: _RawDelta | None = None


class _RawChunk(msgspec.Struct):
    choices: list[_RawChoice] | None = None


class ChatDecoder:
    """One stream. Made with the assembler (or a filter before it) and the dialect's row."""

    wire: ClassVar[Any] = Chunk

    def __init__(self, out: Assembler, dialect: ChatDialect) -> None:
        self.out = out
        self._dialect = dialect
        self._phases = dialect.choices_are == "phases"
        self._snapshots: dict[int, int] = {}
        self._audio: set[int] = set()

    def feed(self, chunk: Chunk, name: str) -> None:
        """One chunk, or a whole reply."""
        out = self.out
        if not out.started:
            self._begin(chunk)
        if chunk.error is not None:
            self._failed(chunk, name)
        choices = chunk.choices
        if choices:
            for choice in choices:
                delta = choice.delta
                number = choice.index or 0
                if delta is not None and choice.message is None:
                    if number and self._phases:
                        number = 0
                    self._delta(delta, number, choice)
                else:
                    self._odd_choice(choice, 0 if self._phases else number)
                if choice.finish_reason is not None or choice.finishReason is not None:
                    self._finish(choice, 0 if self._phases else number)
        if chunk.usage is not None:
            self._usage(chunk.usage)
        if not choices or chunk.citations is not None or chunk.x_groq is not None or chunk.search_results is not None:
            self._beside(chunk, name)

    def close(self) -> None:
        """Nothing is held back here."""

    # -- the message ---------------------------------------------------------------------------------------------

    def _begin(self, chunk: Chunk) -> None:
        if chunk.choices or chunk.id:
            self.out.start(chunk.id, chunk.model, chunk.provider, chunk.created)
            if chunk.service_tier:
                self.out.meta("service_tier", chunk.service_tier)
        row = next((row for row in ROWS if row.models and (chunk.model or "").lower().startswith(row.models)), None)
        if row is not None and not self._dialect.name:
            self._dialect, self._phases = row, row.choices_are == "phases"

    def _beside(self, chunk: Chunk, name: str) -> None:
        """What stands beside the choices, or instead of them."""
        out = self.out
        extras.sources(out, chunk.citations, chunk.search_results)
        if chunk.x_groq is not None and chunk.x_groq.usage is not None:
            self._usage(chunk.x_groq.usage)
        if chunk.message is not None:
            self._whole(chunk.message, 0)
        if chunk.prompt_filter_results is not None:
            out.meta("prompt_filter_results", chunk.prompt_filter_results)
        if chunk.base_resp and is_error_body({"base_resp": chunk.base_resp}):
            out.fail(error_from_body({"base_resp": chunk.base_resp}))
        said = chunk.usage or chunk.message or chunk.prompt_filter_results or chunk.x_groq or chunk.error
        if chunk.choices is None and said is None and chunk.base_resp is None and not chunk.id:
            out.unknown(out.place.frame(), name)

    def _failed(self, chunk: Chunk, name: str) -> None:
        if is_error_body({"error": chunk.error}):
            self.out.fail(error_from_body({"error": chunk.error}))

    def _usage(self, usage: Usage) -> None:
        values, sources = counts(usage, exclusive=self._dialect.output_tokens == "exclusive")
        self.out.usage(values, sources, msgspec.to_builtins(usage))

    def _finish(self, choice: Choice, number: int) -> None:
        raw = choice.finish_reason or choice.finishReason
        self.out.finish(raw, None, number)

    # -- deltas --------------------------------------------------------------------------------------------------

    def _delta(self, delta: Delta, number: int, choice: Choice) -> None:
        out = self.out
        if thought := delta.reasoning_content or delta.reasoning or delta.reasoning_text:
            if delta.reasoning_details is None:
                out.reasoning(thought, number)
        if delta.reasoning_details is not None:
            self._details(delta, number)
        content = delta.content
        if content:
            if type(content) is str:
                out.text(content, number, None, choice.logprobs)
            else:
                extras.content_parts(out, content, number)  # pyright: ignore[reportArgumentType] - not a string, so a list
        elif choice.logprobs is not None:
            self._logprobs(choice.logprobs, delta, number)
        if delta.refusal:
            out.refusal(delta.refusal, number, None, choice.logprobs)
        calls = delta.tool_calls
        if calls:
            for call in calls:
                function = call.function
                if function is not None and type(function.arguments) is str and call.extra_content is None:
                    out.tool_call(call.index, call.id, function.name, function.arguments, number)
                else:
                    self._odd_call(call, number, calls.index(call))
        if delta.function_call is not None:
            self._legacy(delta.function_call, number)
        if (
            delta.annotations
            or delta.images
            or delta.audio
            or delta.executed_tools
            or delta.extra_content
            or delta.reasoning_opaque
        ):
            extras.rare(out, delta, number, self._audio)

    def _details(self, delta: Delta, number: int) -> None:
        """Typed details say what the plain `reasoning` beside them says as well; the plain one serves where they have no text."""
        details = delta.reasoning_details or []
        plain = delta.reasoning_content or delta.reasoning
        if plain and not any(detail.text or detail.summary for detail in details):
            self.out.reasoning(plain, number)
        extras.reasoning_details(self.out, details, number)

    def _logprobs(self, logprobs: dict[str, Any], delta: Delta, number: int) -> None:
        """Log probabilities without text belong to the open block, if they say anything."""
        if logprobs.get("content") and not delta.refusal:
            self.out.text("", number, None, logprobs)

    def _odd_call(self, call: ToolCall, number: int, position: int) -> None:
        """A call that is not a plain function fragment: object arguments, flat members, custom tools, Google's signature."""
        function = call.function or Function(call.name, call.arguments)
        tool, name, args = "function", function.name, function.arguments
        if call.custom is not None:
            tool, name, args = "custom", call.custom.name, call.custom.input
        whole = args is not None and not isinstance(args, str)
        if whole:
            args = self._raw_arguments(number, position)
        id = call.id if isinstance(call.id, str) or call.id is None else str(call.id)
        block = self.out.tool_call(call.index, id, name, args, number, whole=whole, tool=tool)
        signature = call.thought_signature or (
            extras.thought_signature(call.extra_content) if call.extra_content else None
        )
        if signature and block is not None:
            self.out.call_signature(block, signature)

    def _raw_arguments(self, number: int, position: int) -> str:
        """The source's own text of arguments that came as an object: the frame is parsed again, for these alone."""
        try:
            chunk = msgspec.json.decode(self.out.place.frame(), type=_RawChunk)
        except (msgspec.MsgspecError, UnicodeError):
            return "{}"
        for choice in chunk.choices or ():
            delta = choice.delta or choice.message
            if delta is not None and delta.tool_calls and position < len(delta.tool_calls):
                call = delta.tool_calls[position]
                raw = call.function.arguments if call.function is not None else call.arguments
                return bytes(raw or call.arguments).decode()
        return "{}"

    def _legacy(self, function: Function, number: int) -> None:
        """The single call of the old days; it has neither id nor index."""
        args = function.arguments
        if args is not None and not isinstance(args, str):
            args = msgspec.json.encode(args).decode()
        self.out.tool_call(0, None, function.name, args, number, tool="function_call")

    # -- whole messages ------------------------------------------------------------------------------------------

    def _odd_choice(self, choice: Choice, number: int) -> None:
        """A choice with a whole message, with plain text, or with nothing but metadata."""
        if choice.message is not None:
            self._whole(choice.message, number, choice)
        elif choice.text is not None:
            self.out.text(choice.text, number, None, choice.logprobs)
        if choice.usage is not None:
            self._usage(choice.usage)
        if choice.content_filter_results:
            self.out.meta("content_filter_results", choice.content_filter_results)

    def _whole(self, message: Delta, number: int, choice: Choice | None = None) -> None:
        """A whole message: the answer itself, or in a stream the state so far, of which only the new is said."""
        out = self.out
        seen = self._snapshots.get(number, 0)
        fresh = seen > 0 or not out.said("text", number)
        thought = message.reasoning_content or message.reasoning or message.reasoning_text
        if thought and message.reasoning_details is None and not out.said("reasoning", number):
            out.reasoning(thought, number)
        if message.reasoning_details is not None and not out.said("reasoning", number):
            self._details(message, number)
        if isinstance(message.content, str) and fresh:
            self._snapshots[number] = max(seen, len(message.content))
            out.text(message.content[seen:], number, None, choice.logprobs if choice is not None else None)
        elif isinstance(message.content, list) and fresh:
            extras.content_parts(out, message.content, number)
        if message.refusal and not out.said("refusal", number):
            out.refusal(message.refusal, number)
        for position, call in enumerate(message.tool_calls or ()):
            self._whole_call(call, number, position)
        if message.function_call is not None:
            self._legacy(message.function_call, number)
        extras.rare(out, message, number, self._audio)

    def _whole_call(self, call: ToolCall, number: int, position: int) -> None:
        """A complete call of a final message, unless it was streamed before."""
        function = call.function or Function(call.name, call.arguments)
        args = function.arguments
        if args is not None and not isinstance(args, str):
            args = self._raw_arguments(number, position)
        id = str(call.id) if call.id else None
        tool = "function"
        name = function.name
        if call.custom is not None:
            tool, name, args = "custom", call.custom.name, call.custom.input
        if self.out.has_call(id, name, args or "", number):
            return
        block = self.out.tool_call(None, id, name or "", args, number, whole=True, tool=tool)
        signature = call.thought_signature or (
            extras.thought_signature(call.extra_content) if call.extra_content else None
        )
        if signature and block is not None:
            self.out.call_signature(block, signature)
