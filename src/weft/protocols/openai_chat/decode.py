"""Reads chat.completions and says what it says, in verbs.

Knows: this wire and its dialect rows. Must not know: events, blocks, other protocols.
Order within one delta: reasoning, text, refusal, calls, what stands beside them; then the finish, which is a candidate, since more may follow.

`feed` takes what nearly all deltas are, text, reasoning and pieces of arguments, by the shortest way; `delta` takes any.
"""

from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from weft import jsontext
from weft.assembler import Assembler
from weft.errors import error_from_body, is_error_body
from weft.facts import fact_of
from weft.protocols.openai_chat import plain
from weft.protocols.openai_chat.content import content_parts
from weft.protocols.openai_chat.dialects import ROWS, ChatDialect
from weft.protocols.openai_chat.extras import Extras
from weft.protocols.openai_chat.reasoning import Details, thinking_blocks
from weft.protocols.openai_chat.tools import Fragment, ToolReader
from weft.protocols.openai_chat.usage import counts
from weft.protocols.openai_chat.whole import Messages, is_reply
from weft.protocols.openai_chat.wire import Choice, Chunk, Delta, Json, ToolCall

# Facts of the whole message, told beside the choices.
_FACTS = (
    "service_tier",
    "citations",
    "search_results",
    "web_search",
    "content_filter",
    "prompt_filter_results",
    "moderation",
)


class ChatDecoder:
    """One stream. Made with the assembler (or a filter before it) and the dialect's row."""

    wire: ClassVar[Any] = Chunk

    def __init__(self, out: Assembler, dialect: ChatDialect) -> None:
        self.out = out
        self._dialect = dialect
        self._phases = dialect.choices_are == "phases"
        self._greeting = True
        self._facts: Json = {}
        self._usage: Json | None = None
        self._counted: Json | None = None
        self._details = Details()
        self._extras = Extras()
        self._tools = ToolReader()
        self._messages = Messages(self)

    def feed(self, chunk: Chunk, name: str) -> None:
        """One chunk, or a whole reply."""
        out, choices = self.out, chunk.choices
        if self._greeting:
            self._greet(chunk)
        beside = not choices or chunk.error is not None
        if chunk.usage is not None:
            beside = beside or self._counted is None
            self._usage = chunk.usage
        for choice in choices or ():
            delta, number = choice.delta, 0 if self._phases else choice.index or 0
            if (
                delta is None or choice.message is not None or choice.logprobs is not None or delta.refusal is not None
                or delta.reasoning_details is not None or delta.reasoning_opaque is not None
                or delta.thinking_blocks is not None or delta.function_call is not None or delta.annotations is not None
                or delta.images is not None or delta.audio is not None or delta.executed_tools is not None
                or delta.extra_content is not None or delta.toolCalls is not None or delta.reasoningDetails is not None
            ):  # fmt: skip
                self._rich(choice, number)
                beside = beside or delta is None
            else:
                content = delta.content
                thought = delta.reasoning_content or delta.reasoning or delta.reasoning_text or delta.thinking
                if thought:
                    out.reasoning(thought, number)
                if isinstance(content, str):
                    out.text(content, number)
                elif content:
                    content_parts(out, content, number)
                if delta.tool_calls:
                    self._calls(delta.tool_calls, number)
                elif not content and not thought:
                    self.choice_facts(choice, number)
            if choice.finish_reason is not None or choice.finishReason is not None:
                self._finish(choice, number)
                beside = True
        if beside:
            self._beside(chunk, name)

    def close(self) -> None:
        """The input is over: state that waited for its call is said, and counts that were not the last."""
        self._details.flush(self.out)
        self._count_last()

    # -- the message ---------------------------------------------------------------------------------------------

    def _greet(self, chunk: Chunk) -> None:
        """Say who answers, as far as it is known; a blank first frame (Azure) says nothing."""
        id = "" if chunk.id is None else str(chunk.id)
        if chunk.choices or id:
            self.out.start(id, chunk.model, chunk.provider, chunk.created)
        self._greeting = not (id and chunk.model)
        if chunk.model and not self._dialect.name:
            self._adopt(chunk.model.lower())
        self._tell(chunk)

    def _adopt(self, model: str) -> None:
        """The bare protocol takes the row that the model's name tells of."""
        row = next((row for row in ROWS if row.models and model.startswith(row.models)), None)
        if row is not None:
            self._dialect, self._phases = row, row.choices_are == "phases"

    def _tell(self, chunk: Chunk) -> None:
        """Say facts of the message; they wait until it has begun, so that it begins under its own id."""
        for name in _FACTS:
            if value := getattr(chunk, name):
                self._facts[name] = value
        if self.out.started:
            for name, value in self._facts.items():
                self.out.meta(name, value)
            self._facts.clear()

    def _beside(self, chunk: Chunk, name: str) -> None:
        """What stands beside the choices, or instead of them."""
        if chunk.x_groq is not None:
            self._count(chunk.x_groq.usage)
        self._count_last()
        self._tell(chunk)
        if chunk.error is not None and is_error_body({"error": chunk.error}):
            self.out.fail(error_from_body(jsontext.read_object(self.out.place.frame())))
        elif not chunk.choices:
            self._without_choices(chunk, name)
        elif is_reply(chunk, self.out.place.frame()):
            self.out.sign("done")

    def _without_choices(self, chunk: Chunk, name: str) -> None:
        """A chunk around the message's; a wrapped one; a piece of plain text; a failure in somebody's words; or nothing that we know."""
        out = self.out
        if chunk.data is not None and chunk.data.data is None:
            self.feed(chunk.data, name)
        elif chunk.value:
            out.text(chunk.value)
        elif chunk.wrapped is not None:
            out.place.inner(chunk.wrapped, "")
        elif (result := bytes(chunk.result)).startswith(b"{") and b'"choices"' in result:
            out.place.inner(result, "")
        elif chunk.choices is None and (form := plain.form_of(body := jsontext.read_object(out.place.frame()))):
            plain.say(out, form, body, self._plain_call)
        elif not chunk.usage and chunk.x_groq is None and not any(getattr(chunk, fact) for fact in _FACTS):
            body = jsontext.read_object(out.place.frame())
            _, failed, code = name.partition(":")
            if failed or name == "error" or is_error_body(body):
                out.fail(error_from_body({"__type": code, **body} if failed else body))
            elif chunk.choices is None and chunk.id is None:
                out.unknown(out.place.frame(), name)

    def _count_last(self) -> None:
        """Some have counts on each chunk: of those the first and the last are looked at."""
        usage, self._usage = self._usage, None
        self._count(usage)

    def _count(self, usage: Json | None) -> None:
        """A snapshot of the counts, if it is another one."""
        if usage and usage != self._counted:
            self._counted = usage
            values, sources = counts(usage, self._dialect.reasoning_count)
            self.out.usage(values, sources, usage)

    def choice_facts(self, choice: Choice, number: int) -> None:
        """What stands in a choice beside its delta, and only where that says nothing or the choice ends."""
        self._count(choice.usage)
        if choice.content_filter_results:
            self.out.meta(fact_of("content_filter_results", number), choice.content_filter_results)
        if choice.error is not None and is_error_body({"error": choice.error}):
            self.out.fail(error_from_body({"error": choice.error}))

    def _finish(self, choice: Choice, number: int) -> None:
        """The end of one choice; more may follow."""
        out, raw = self.out, choice.finish_reason or choice.finishReason
        self._details.flush(out)
        self.choice_facts(choice, number)
        if choice.native_finish_reason and choice.native_finish_reason != raw:
            out.meta(fact_of("native_finish_reason", number), choice.native_finish_reason)
        out.finish(raw, None, number)

    # -- deltas --------------------------------------------------------------------------------------------------

    def _rich(self, choice: Choice, number: int) -> None:
        """A choice with more than plain text, reasoning and calls, or with something else than a delta."""
        if choice.delta is not None and choice.message is None:
            self.delta(choice.delta, number, choice.logprobs)
        else:
            self._messages.take(self.out, choice, number)
            self.choice_facts(choice, number)
            if choice.finish_reason is None and isinstance(choice.stop_reason, str):
                self.out.finish(choice.stop_reason, None, number)  # as DeepSeek and Mistral on Bedrock call it

    def delta(self, delta: Delta, number: int, logprobs: Json | None = None) -> None:
        """Everything that may stand in a delta, in order."""
        out, content = self.out, delta.content
        self._reason(delta, number)
        if isinstance(content, str):
            out.text(content, number, None, token_logprobs(logprobs, "content"))
        elif content:
            content_parts(out, content, number)
        if delta.refusal:
            out.refusal(delta.refusal, number, None, token_logprobs(logprobs, "refusal"))
        if calls := delta.tool_calls or delta.toolCalls:
            self._calls(calls, number)
        elif delta.function_call is not None:
            self.say_call(self._tools.function(delta.function_call, out.place.frame()), number)
        self._extras.take(out, delta, number)

    def _reason(self, delta: Delta, number: int) -> None:
        """Reasoning under the first of its names that says something: some say the same under two, and in typed details, too."""
        out, text = self.out, delta.reasoning_content or delta.reasoning or delta.reasoning_text or delta.thinking
        details = delta.reasoning_details or delta.reasoningDetails or []
        for detail in details:
            if detail.text or detail.summary:
                break
        else:
            if text:
                out.reasoning(text, number)
        if details:
            self._details.take(out, details, number)
        if delta.thinking_blocks:
            thinking_blocks(out, delta.thinking_blocks, number, said=bool(text))

    def _calls(self, calls: list[ToolCall], number: int) -> None:
        """Fragments of calls; nearly all are a bare piece of arguments."""
        for call in calls:
            function = call.function
            if (
                call.id is None
                and function is not None
                and function.name is None
                and isinstance(function.arguments, str)
                and call.extra_content is None
            ):
                self.out.tool_call(call.index, None, None, function.arguments, number)
            else:
                self.say_call(self.fragment(call), number)

    def _plain_call(self, call: Any) -> None:
        """A whole call that stands in no delta."""
        try:
            self.say_call(replace(self.fragment(msgspec.convert(call, ToolCall)), whole=True), 0)
        except msgspec.ValidationError:
            self.out.note("broken_part", "a call that is no object of the usual form was skipped")

    def fragment(self, call: ToolCall) -> Fragment:
        """What a call of the current frame says."""
        return self._tools.call(call, self.out.place.frame())

    def say_call(self, said: Fragment, number: int) -> None:
        """Any fragment of a call, or a whole one."""
        out = self.out
        block = out.tool_call(said.index, said.id, said.name, said.args, number, whole=said.whole, tool=said.tool)
        if block is not None:
            if said.id:
                self._details.called(out, said.id, block)
            if said.signature:
                out.call_signature(block, said.signature)


def token_logprobs(logprobs: Json | None, of: str) -> Any:
    """An entry for each token of the text or the refusal; the lists of /v1/completions as they are."""
    if logprobs is None:
        return None
    return logprobs if "tokens" in logprobs else logprobs.get(of) or None
