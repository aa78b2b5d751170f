"""What a message of Ollama's says, however it is laid out: thinking, text or parts of it, calls, images, on one channel or another.

Knows: the order within a message. Must not know: in which line a message stood, or how a stream ends.
"""

from typing import Any

from weft.assembler import Assembler
from weft.protocols.ollama.calls import Calls
from weft.protocols.ollama.wire import Message, Part

# How an image begins in base64 -> what it is; Ollama does not say.
_IMAGES = {"iVBORw": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}


class Speech:
    """One stream. A change of channel is a change of block."""

    def __init__(self) -> None:
        self.channel: str | None = None
        self._after_line = False
        self._odds_dropped = False
        self._calls = Calls()

    def take(self, out: Assembler, message: Message, channel: str | None = None, logprobs: Any = None) -> None:
        """Say a message, or what it adds to the one so far."""
        if thinking := message.thinking or message.reasoning_content or message.reasoning:
            out.reasoning(thinking)
        content = message.content
        if logprobs and content == "" and not message.thinking and not message.tool_calls:
            out.text("", 0, None, logprobs)
        elif logprobs and not content and not self._odds_dropped:
            self._odds_dropped = True
            out.note("logprobs_dropped", "log probabilities of what is not text have no place")
        for part in content if isinstance(content, list) else (content,):
            self._part(out, part, channel or message.channel, logprobs or None)
        out.refusal(message.refusal or "")
        for call in message.tool_calls or ():
            self._calls.take(out, call)
        for image in message.images or ():
            kind = next((kind for start, kind in _IMAGES.items() if image.startswith(start)), None)
            out.file(media_type=kind, data=image)

    def line(self, out: Assembler, line: str) -> None:
        """A line of plain text, set apart from one right before it by the line end that stood between them."""
        self._text(out, "\n" + line if self._after_line else line, "text", None)
        self._after_line = True

    def _part(self, out: Assembler, part: str | Part | None, channel: str | None, logprobs: Any) -> None:
        if not isinstance(part, Part):
            self._text(out, part or "", channel, logprobs)
        elif (part.type or "").startswith("tool_call"):
            self._calls.take(out, part)
        else:
            self._text(out, part.text or part.value or "", channel, logprobs)

    def _text(self, out: Assembler, text: str, channel: str | None, logprobs: Any) -> None:
        if not text:
            return
        if channel != self.channel:
            out.split()
            self.channel = channel
        self._after_line = False
        out.text(text, 0, None, logprobs, channel)
