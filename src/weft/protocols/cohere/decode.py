"""Reads Cohere's v2 chat and says what it says, in verbs.

Knows: this wire. Must not know: events, blocks, other protocols; of version 1 only how it is recognised.
An index counts within its kind: content is keyed by it, calls by it and their kind, and the plan has a key of its own.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.errors import error_from_body
from weft.protocol import Dialect
from weft.protocols.cohere.citations import cite
from weft.protocols.cohere.logprobs import tokens
from weft.protocols.cohere.usage import counts
from weft.protocols.cohere.v1 import Version1
from weft.protocols.cohere.wire import Content, Delta, Frame, Function, Message, ToolCall, Usage

PLAN = "tool_plan"
_NO_DELTA, _NO_MESSAGE, _NO_FUNCTION = Delta(), Message(), Function()


class CohereDecoder:
    """One stream, or one whole reply."""

    wire: ClassVar[Any] = Frame

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out
        self._planning = False
        self._spoken: int | None = None
        self._prompt: str | None = None
        self._version1 = Version1()
        self._on: dict[str | None, Callable[[Frame], None]] = {
            "tool-call-delta": self._call_delta,
            "tool-plan-delta": self._plan_delta,
            "message-start": self._message_start,
            "content-start": self._content_start,
            "content-end": self._content_end,
            "tool-call-start": self._call_start,
            "tool-call-end": self._call_end,
            "citation-start": self._citation,
            "citation-end": self._citation_end,
            "message-end": self._message_end,
            "debug": self._debug,
        }

    def feed(self, frame: Frame, name: str) -> None:
        """One event, or a whole reply."""
        if frame.type == "content-delta":
            self._content_delta(frame)
        elif (take := self._on.get(frame.type)) is not None:
            take(frame)
        elif frame.type is None and (frame.event_type is not None or frame.generation_id is not None):
            self._version1.take(self.out)
        elif frame.type is None and isinstance(frame.message, Message):
            self._whole(frame, frame.message)
        elif frame.wrapped is not None:
            self.out.place.inner(frame.wrapped, name)
        else:
            self.out.unknown(self.out.place.frame(), name)

    def close(self) -> None:
        """Nothing is held back here."""

    # -- content -------------------------------------------------------------------------------------------------

    def _content_start(self, frame: Frame) -> None:
        """Content is announced; its first delta opens it."""
        self._end_plan()
        content = _message(frame).content
        if isinstance(content, Content) and content.thinking is None:
            self._spoken = frame.index
        self._content_delta(frame)

    def _content_delta(self, frame: Frame) -> None:
        delta = frame.delta
        message = delta.message if delta is not None else None
        content = message.content if message is not None else None
        if type(content) is Content:
            if content.text:
                odds = None if frame.logprobs is None else tokens(frame.logprobs, content.text)
                self.out.text(content.text, 0, frame.index, odds)
            elif content.thinking:
                self.out.reasoning(content.thinking, 0, frame.index)
        elif isinstance(content, list):
            for one in content:
                self._content_delta(msgspec.structs.replace(frame, delta=Delta(Message(one))))

    def _content_end(self, frame: Frame) -> None:
        self.out.end(frame.index)

    def _citation(self, frame: Frame) -> None:
        self._cite(_message(frame))

    def _cite(self, message: Message) -> None:
        """Citations of the content they name, of the plan, or of the text that was said last."""
        said = message.citations
        for citation in [said] if isinstance(said, dict) else said or ():
            index = citation.get("content_index")
            if citation.get("type") == "PLAN" and self._planning:
                cite(self.out, PLAN, citation)
            else:
                cite(self.out, index if isinstance(index, int) else self._spoken, citation)

    def _citation_end(self, frame: Frame) -> None:
        """A citation comes whole with its start."""

    # -- the plan and the calls ----------------------------------------------------------------------------------

    def _plan_delta(self, frame: Frame) -> None:
        self._plan(_message(frame).tool_plan)

    def _plan(self, text: str | None) -> None:
        """What the model means to do with its tools."""
        if text and not self._planning:
            self._planning = True
            self.out.open("reasoning", PLAN, channel=PLAN)
        self.out.reasoning(text or "", 0, PLAN)

    def _end_plan(self) -> None:
        if self._planning:
            self._planning = False
            self.out.end(PLAN)

    def _call_start(self, frame: Frame) -> None:
        self._end_plan()
        for call in _calls(_message(frame)):
            self._call(call, frame.index)

    def _call(self, call: ToolCall, index: int | None, **how: Any) -> None:
        function = call.function or _NO_FUNCTION
        self.out.open("tool_call", ("call", index), id=call.id, name=function.name, **how)
        self.out.args(jsontext.written(function.arguments), ("call", index))

    def _call_delta(self, frame: Frame) -> None:
        delta = frame.delta
        message = delta.message if delta is not None else None
        call = message.tool_calls if message is not None else None
        if type(call) is ToolCall and call.function is not None:
            args = call.function.arguments
            self.out.args(args if type(args) is str else jsontext.written(args), ("call", frame.index))
        elif isinstance(call, list):
            for one in call:
                self._call_delta(msgspec.structs.replace(frame, delta=Delta(Message(tool_calls=one))))

    def _call_end(self, frame: Frame) -> None:
        self.out.end(("call", frame.index))

    # -- the message ---------------------------------------------------------------------------------------------

    def _message_start(self, frame: Frame) -> None:
        self.out.start(frame.id)

    def _message_end(self, frame: Frame) -> None:
        delta = frame.delta or _NO_DELTA
        if delta.error:
            self.out.fail(error_from_body({"code": delta.finish_reason, "error": delta.error}))
        self._end(delta.finish_reason, delta.usage)

    def _end(self, finish: str | None, usage: Usage | None) -> None:
        self._end_plan()
        self.out.meta("prompt", self._prompt)
        if usage is not None:
            values, sources = counts(usage)
            self.out.usage(values, sources, msgspec.to_builtins(usage))
        self.out.finish(finish)
        self.out.sign("terminal")

    def _debug(self, frame: Frame) -> None:
        """What the model was given, for those who asked; it comes before the message begins."""
        self._prompt = frame.prompt

    def _whole(self, frame: Frame, message: Message) -> None:
        """A whole reply: what its stream would have said, block by block."""
        out = self.out
        out.start(frame.id)
        self._plan(message.tool_plan)
        self._end_plan()
        contents = [message.content] if isinstance(message.content, Content) else message.content or []
        for index, content in enumerate(contents):
            self._content_start(Frame(index=index, delta=Delta(Message(content))))
        for item in frame.logprobs if isinstance(frame.logprobs, list) else ():
            out.text("", 0, self._spoken, tokens(item, ""))
        self._cite(message)
        for index in range(len(contents)):
            out.end(index)
        for index, call in enumerate(_calls(message)):
            self._call(call, index, arrival="whole")
            out.end(("call", index))
        self._end(frame.finish_reason, frame.usage)


def _message(frame: Frame) -> Message:
    """What an event adds to the message."""
    delta = frame.delta
    return (delta.message or _NO_MESSAGE) if delta is not None else _NO_MESSAGE


def _calls(message: Message) -> list[ToolCall]:
    """An event has one call, a reply a list of them."""
    calls = message.tool_calls
    return [calls] if isinstance(calls, ToolCall) else calls or []
