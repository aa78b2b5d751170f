"""Reads Ollama's lines and says what they say, in verbs.

Knows: this wire. Must not know: events, blocks, other protocols.
Order within one line: thinking, text, calls, images, then the end.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, ClassVar

import msgspec

from weft.assembler import Assembler
from weft.errors import error_from_body
from weft.protocol import Dialect
from weft.protocols.ollama.speech import Speech
from weft.protocols.ollama.tagged import opened
from weft.protocols.ollama.wire import Frame, Message, PlainLine

_COUNTS = (
    "total_duration",
    "load_duration",
    "prompt_eval_count",
    "prompt_eval_duration",
    "eval_count",
    "eval_duration",
)


_TOKENS = ("input_tokens", "output_tokens", "total_tokens")


class OllamaDecoder:
    """One stream, or one whole reply, which is the same line with everything in it."""

    wire: ClassVar[Any] = Frame
    usual: ClassVar = {"": PlainLine}

    def __init__(self, out: Assembler, dialect: Dialect) -> None:
        self.out = out
        self._begun = False
        self._plain = True
        self._speech = Speech()

    def feed(self, frame: Frame | PlainLine, name: str) -> None:
        """One line."""
        if isinstance(frame, PlainLine):
            if self._begun and self._plain:
                message = frame.message
                if message.thinking:
                    self.out.reasoning(message.thinking)
                if message.content:
                    self.out.text(message.content)
                return
            frame = frame.widened()
        if not self._begun:
            self._begin(frame)
        message = frame.message
        if message is None or frame.error is not None:
            self._odd(frame, name)
            return
        out, content = self.out, message.content
        if (
            type(content) is str
            and self._plain
            and message.tool_calls is None
            and frame.logprobs is None
            and message.images is None
        ):
            if message.thinking:
                out.reasoning(message.thinking)
            if content:
                out.text(content)
        else:
            self._speech.take(out, message, None, frame.logprobs)
        if frame.done:
            self._done(frame)

    def text_line(self, line: str) -> None:
        """Plain text between the lines of JSON, as some of Ollama's fronts send it."""
        self._plain = False
        self._speech.line(self.out, line)

    def close(self) -> None:
        """Nothing is held back here."""

    def _begin(self, frame: Frame) -> None:
        if frame.model is not None and frame.error is None:
            self._begun = frame.model != ""
            self.out.start(None, frame.model, None, seconds(frame.created_at))
            self.out.meta("remote_model", frame.remote_model)
            self.out.meta("remote_host", frame.remote_host)

    def _odd(self, frame: Frame, name: str) -> None:
        """A line that is not one of /api/chat: of /api/generate, tagged, an error, or nobody's."""
        known = False
        for line in opened(frame) if frame.error is None else ():
            known = self._line(line, frame.kind) or known
        self._plain = self._speech.channel is None
        if not known:
            self.out.unknown(self.out.place.frame(), name)

    def _line(self, line: Frame, channel: str | None) -> bool:
        """A line inside its tag, or one without; did it say anything?"""
        out, said = self.out, False
        out.start(None, line.model)
        for message in _messages(line):
            said = True
            self._speech.take(out, message, channel, line.logprobs)
        for choice in line.choices or ():
            out.finish(choice.finish_reason)
        if line.error is not None:
            out.fail(error_from_body({"error": line.error}))
        if line.usage is not None:
            counts = line.usage
            named = zip(_TOKENS, (counts.prompt_tokens, counts.completion_tokens, counts.total_tokens), strict=True)
            out.usage(dict(named), None, msgspec.to_builtins(counts))
        if line.done:
            self._done(line)
        return said or any(told is not None for told in (line.choices, line.usage, line.error, line.done))

    def _done(self, frame: Frame) -> None:
        out = self.out
        out.meta("context", frame.context)
        # A prompt that is in the cache is not evaluated again, so 0 does not say how long it is.
        counts = {"input_tokens": frame.prompt_eval_count or None, "output_tokens": frame.eval_count}
        raw = {name: value for name in _COUNTS if (value := getattr(frame, name)) is not None}
        out.usage(counts, None, raw)
        out.finish(frame.done_reason)
        out.sign("terminal")


def _messages(frame: Frame) -> Iterator[Message]:
    """All that a line says, wherever it says it. A message that stands beside a choice that has it too is not said twice."""
    chosen = [choice.delta or choice.message or choice.update for choice in frame.choices or ()]
    yield from filter(None, chosen)
    if frame.message is not None and frame.message not in chosen:
        yield frame.message
    if frame.content is not None or frame.tool_calls is not None:
        yield Message(frame.content, tool_calls=frame.tool_calls)
    if frame.text is not None:
        yield Message(frame.text)
    if frame.response is not None or frame.thinking is not None or frame.image is not None:
        yield Message(frame.response, frame.thinking, images=[frame.image] if frame.image is not None else None)


def seconds(stamp: str | None) -> float | None:
    """An RFC 3339 time, with as many decimals as its server likes, as seconds. The zero time of Go is no time."""
    try:
        time = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() if time.year > 1 else None
