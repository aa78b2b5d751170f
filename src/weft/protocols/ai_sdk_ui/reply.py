"""The whole reply: the message that a page keeps, made of the chunks of its stream as a page makes it.

Knows: which chunk changes which part of a message. Must not know: events.
"""

from collections.abc import Callable
from typing import Any

from weft import jsontext
from weft.context import Context
from weft.losses import Losses
from weft.message import Message
from weft.protocols.ai_sdk_ui.encode import UIStreamEncoder
from weft.unfold import at_once, error_alone, lost

_stream = at_once(UIStreamEncoder)

Chunk = dict[str, Any]


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The UIMessage. A message that failed is the text of its error, which is what a page shows of an answer that is none."""
    if message.error is not None and message.outcome in ("failed", "truncated"):
        lost(UIStreamEncoder, error_alone(message, losses), context, losses)
        return message.error.message.encode()
    return jsontext.line(kept(_stream(message, context, losses)))


def kept(stream: bytes) -> Chunk:
    """The UIMessage that a page makes of a stream."""
    page = _Page()
    for frame in stream.split(b"\n\n"):
        data = frame.removeprefix(b"data: ")
        if data.startswith(b"{"):
            page.take(jsontext.decode(data))
    return page.message


class _Page:
    """A message as far as it has been told."""

    def __init__(self) -> None:
        self._parts: list[Chunk] = []
        self.message: Chunk = {"role": "assistant", "parts": self._parts}
        self._open: dict[str, Chunk] = {}
        self._calls: dict[str, Chunk] = {}
        self._on: dict[str, Callable[[Chunk], None]] = {
            "start": self._start,
            "finish": self._start,
            "message-metadata": self._start,
            "start-step": lambda _: self._parts.append({"type": "step-start"}),
            "finish-step": self._pass,
            "abort": self._pass,
            "text-start": self._text_start,
            "text-delta": self._text,
            "text-end": self._text_end,
            "reasoning-start": self._text_start,
            "reasoning-delta": self._text,
            "reasoning-end": self._text_end,
            "tool-input-start": self._call,
            "tool-input-delta": self._pass,
            "tool-input-available": self._call,
            "tool-input-error": self._call,
            "tool-output-available": self._result,
            "tool-output-error": self._result,
            "tool-output-denied": self._result,
            "tool-approval-request": self._ask,
            "tool-approval-response": self._allow,
            "reset-step": self._reset,
        }

    def take(self, chunk: Chunk) -> None:
        """One chunk; what is not told in pieces is a part as it is."""
        kind = str(chunk["type"])
        self._on.get(kind, self._data if kind.startswith("data-") else self._parts.append)(chunk)

    def _pass(self, chunk: Chunk) -> None:
        """It leaves nothing behind."""

    def _start(self, chunk: Chunk) -> None:
        if "messageId" in chunk:
            self.message = {"id": chunk["messageId"], **self.message}
        if "messageMetadata" in chunk:
            said: Any = self.message.get("metadata", {})
            told: Any = chunk["messageMetadata"]
            self.message["metadata"] = {**said, **told} if jsontext.is_object(told) else told

    def _text_start(self, chunk: Chunk) -> None:
        part = self._open[chunk["id"]] = {"type": chunk["type"].removesuffix("-start"), "text": [], "state": "done"}
        self._parts.append(part)

    def _text(self, chunk: Chunk) -> None:
        self._open[chunk["id"]]["text"].append(chunk["delta"])

    def _text_end(self, chunk: Chunk) -> None:
        part = self._open.pop(chunk["id"])
        part["text"] = "".join(part["text"])
        part |= {name: chunk[name] for name in ("providerMetadata",) if name in chunk}

    def _call(self, chunk: Chunk) -> None:
        part = self._calls.get(chunk["toolCallId"])
        if part is None:
            part = self._calls[chunk["toolCallId"]] = {"type": f"tool-{chunk['toolName']}"}
            self._parts.append(part)
        part |= {
            name: chunk[name] for name in ("toolCallId", "input", "errorText", "providerExecuted") if name in chunk
        }
        part["state"] = _STATES[chunk["type"]]
        if "providerMetadata" in chunk:
            part["callProviderMetadata"] = chunk["providerMetadata"]

    def _result(self, chunk: Chunk) -> None:
        part = self._calls[chunk["toolCallId"]]
        part |= {name: chunk[name] for name in ("output", "errorText", "preliminary") if name in chunk}
        part["state"] = _STATES[chunk["type"]]
        if "providerMetadata" in chunk:
            part["resultProviderMetadata"] = chunk["providerMetadata"]

    def _ask(self, chunk: Chunk) -> None:
        part = self._calls.get(str(chunk.get("toolCallId")))
        if part is not None:
            part |= {"state": "approval-requested", "approval": {"id": chunk.get("approvalId")}}

    def _allow(self, chunk: Chunk) -> None:
        said = {name: chunk[name] for name in ("approved", "reason") if name in chunk}
        for part in self._calls.values():
            if part.get("approval", {}).get("id") == chunk.get("approvalId", ""):
                part |= {"state": "approval-responded", "approval": {**part["approval"], **said}}

    def _data(self, chunk: Chunk) -> None:
        """An app's data: of one name and id the last, and nothing that is only for the moment."""
        name = (chunk["type"], chunk.get("id"))
        same = [part for part in self._parts if "id" in chunk and (part["type"], part.get("id")) == name]
        if same:
            same[0]["data"] = chunk.get("data")
        elif not chunk.get("transient"):
            self._parts.append(chunk)

    def _reset(self, chunk: Chunk) -> None:
        """What the step has said is withdrawn."""
        while self._parts and self._parts[-1]["type"] != "step-start":
            self._parts.pop()


_STATES = {
    "tool-input-start": "input-streaming",
    "tool-input-available": "input-available",
    "tool-input-error": "output-error",
    "tool-output-available": "output-available",
    "tool-output-error": "output-error",
    "tool-output-denied": "output-denied",
}
