"""Whole messages: a reply that was not streamed, and the messages that some put into a stream.

Knows: that a message is the state so far, so that of one in a stream only what is new is said.
Must not know: blocks or other protocols.
"""

from typing import Protocol

import msgspec
from msgspec.structs import replace

from weft.assembler import Assembler
from weft.protocols.openai_chat.tools import Fragment
from weft.protocols.openai_chat.wire import Choice, Chunk, Delta, Json, ToolCall


class Speaker(Protocol):
    """Says what stands in a delta: the decoder."""

    def delta(self, delta: Delta, number: int, logprobs: Json | None = None) -> None: ...

    def fragment(self, call: ToolCall) -> Fragment: ...

    def say_call(self, said: Fragment, number: int) -> None: ...


class Messages:
    """The messages of one stream, and how much of each choice they have said."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker
        self._texts: dict[int, str] = {}

    def take(self, out: Assembler, choice: Choice, number: int) -> None:
        """A choice with a message, with a piece of plain text (/v1/completions), or with nothing but metadata.

        A delta beside a message is believed first: the message is then the sum of those before it, or a mere copy.
        """
        delta, message = choice.delta, choice.message
        if message is None:
            self._speaker.delta(Delta(content=choice.text), number, choice.logprobs)
            return
        if delta is not None:
            self._speaker.delta(delta, number, choice.logprobs)
        if delta is None or not delta.content:
            self._all_but_calls(out, message, number, choice.logprobs)
        elif isinstance(message.content, str):
            self._texts[number] = message.content
        if delta is None or not (delta.tool_calls or delta.toolCalls):
            self._calls(out, message.tool_calls or message.toolCalls or [], number)

    def _all_but_calls(self, out: Assembler, message: Delta, number: int, logprobs: Json | None) -> None:
        """The rest of a message, without what was streamed before."""
        rest = replace(message, tool_calls=None, toolCalls=None)
        if out.said("reasoning", number):
            rest.reasoning = rest.reasoning_content = rest.reasoning_text = rest.thinking = None
            rest.reasoning_details = rest.reasoningDetails = rest.thinking_blocks = None
        if out.said("refusal", number):
            rest.refusal = None
        if number not in self._texts and out.said("text", number):
            rest.content = None
        elif isinstance(message.content, str) and message.content:
            rest.content = self._new(out, message.content, self._texts.get(number, ""))
            self._texts[number] = message.content
        self._speaker.delta(rest, number, logprobs)

    def _new(self, out: Assembler, text: str, said: str) -> str:
        if text.startswith(said):
            return text[len(said) :]
        out.note("message_differs", "a message does not go on with what the one before it said")
        return text

    def _calls(self, out: Assembler, calls: list[ToolCall], number: int) -> None:
        """Complete calls. One that was streamed is known by its id, or by all the rest; of its arguments only the new is said.

        Beside streamed calls the numbers here mean nothing.
        """
        streamed = out.said("tool_call", number)
        read = [replace(self._speaker.fragment(call), whole=True) for call in calls]
        read = [replace(call, index=None) for call in read] if streamed else read
        before = [out.said_call(call.id, call.name, call.args or "", number) for call in read]
        for call, said in zip(read, before, strict=True):
            args = call.args or ""
            if said is None:
                self._speaker.say_call(call, number)
            elif args.startswith(said):
                self._speaker.say_call(replace(call, name=None, args=args[len(said) :], whole=False), number)
            elif args:
                out.note("call_differs", f"call {call.id!r} was streamed with other arguments than its message has")


class _Envelope(msgspec.Struct):
    object: str | None = None


_envelope = msgspec.json.Decoder(_Envelope).decode


def is_reply(chunk: Chunk, frame: bytes) -> bool:
    """Is this a whole reply, which is over with its one frame, whether it gives a finish (Snowflake does not) or not?"""
    if not all(choice.delta is None and choice.message is not None for choice in chunk.choices or ()):
        return False
    try:
        return _envelope(frame).object == "chat.completion"
    except (msgspec.MsgspecError, UnicodeError):
        return False
