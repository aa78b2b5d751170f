"""The wire of Ollama's native API: lines of /api/chat and /api/generate, and the tagged lines that UICP's backend puts around them.

Knows: names and types of members that the decoder reads, all optional. One set of Structs serves stream and whole reply.
Must not know: what any of it means.
"""

from typing import Any, Literal

import msgspec


class Wire(msgspec.Struct, gc=False):
    """What all wire types share."""


class Function(Wire):
    """Arguments are an object, now and then its text; they are kept as the source wrote them."""

    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()


class ToolCall(Wire):
    id: str | None = None
    index: int | None = None
    function: Function | None = None
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()


class Part(ToolCall):
    """One of several parts of a content: text, or a call."""

    type: str | None = None
    text: str | None = None
    value: str | None = None


class Message(Wire):
    """What follows `channel` is said by chat.completions alone, whose chunks come tagged."""

    content: str | list[str | Part] | Part | None = None
    thinking: str | None = None
    tool_calls: list[ToolCall] | None = None
    images: list[str] | None = None
    channel: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class Counts(Wire, omit_defaults=True):
    """The counts of chat.completions."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None


class Choice(Wire):
    delta: Message | None = None
    message: Message | None = None
    update: Message | None = None
    finish_reason: str | None = None


class Frame(Wire):
    """A line. `delta` is what a tagged line carries: a line again, or plain text."""

    model: str | None = None
    created_at: str | None = None
    message: Message | None = None
    response: str | None = None
    thinking: str | None = None
    done: bool | None = None
    done_reason: str | None = None
    context: list[int] | None = None
    total_duration: int | None = None
    load_duration: int | None = None
    prompt_eval_count: int | None = None
    prompt_eval_duration: int | None = None
    eval_count: int | None = None
    eval_duration: int | None = None
    logprobs: list[Any] | None = None
    image: str | None = None
    remote_model: str | None = None
    remote_host: str | None = None
    error: Any = None
    kind: str | None = None
    delta: "Frame | str | None" = None
    text: str | None = None
    choices: list[Choice] | None = None
    content: str | list[str | Part] | Part | None = None
    tool_calls: list[ToolCall] | None = None
    usage: Counts | None = None


class PlainMessage(Wire, forbid_unknown_fields=True):
    """A `Message` that is nothing but text and thinking."""

    role: str
    content: str
    thinking: str | None = None


class PlainLine(Wire, forbid_unknown_fields=True):
    """A `Frame` as nearly all of them are: a piece of /api/chat, and nothing beside it."""

    model: str
    created_at: str
    message: PlainMessage
    done: Literal[False]

    def widened(self) -> Frame:
        """The same as any frame."""
        message = Message(self.message.content, self.message.thinking)
        return Frame(self.model, self.created_at, message, done=self.done)


# Known and not read: how far an image is, and who speaks.
IGNORES = frozenset(
    {
        "completed",
        "total",
        "*.role",
        "*.type",
        "delta.choices.index",
        "choices.index",
        "message.tool_calls.function.index",
    }
)
