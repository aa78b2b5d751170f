"""The request of Ollama's chat: so far, the assistant's turn in it.

Knows: the one message that a turn is, in which thinking, text and calls stand apart, and that thinking goes back unsigned.
Must not know: the stream.
"""

from typing import Any, ClassVar

from weft.events import Signature
from weft.message import FilePart, Reasoning, Text, ToolCall
from weft.turn_writer import Answer, FlatTurn


class OllamaTurn(FlatTurn):
    """One message. A result goes by its tool's name, and by the call's id where the server gave one."""

    protocol: ClassVar = "ollama"
    loses: ClassVar = {
        "refusal": "a refusal is sent as text",
        "tool_kind": "there are only functions, whose arguments are a JSON object",
        "annotation": "there are no citations",
        "file": "only images in base64 have a place",
        "order": "thinking, text and calls stand apart",
    }

    def begin(self) -> None:
        super().begin()
        self._thoughts: list[str] = []
        self._images: list[str] = []

    def message(self) -> list[dict[str, Any]]:
        text = self.spoken()
        beside = {"thinking": "\n\n".join(self._thoughts), "tool_calls": self.calls, "images": self._images}
        if not text and not any(beside.values()):
            return []
        return [{"role": "assistant", "content": text, **{name: value for name, value in beside.items() if value}}]

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        return [
            {
                "role": "tool",
                "tool_name": answer.call.name,
                **({} if answer.id is None else {"tool_call_id": answer.id}),
                "content": answer.text,
            }
            for answer in answers
        ]

    def text(self, part: Text) -> None:
        self.states(part)
        if part.annotations:
            self.lose("annotation", part)
        self.say(part.text, part)

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        if part.text:
            self.came(0)
            self._thoughts.append(part.text)
        return True

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        self.states(part)
        if part.tool != "function":
            self.lose("tool_kind", part)
        self.came(2)
        call: dict[str, Any] = {"function": {"name": part.name, "arguments": arguments}}
        if self.native and part.made_id:
            self.nameless(part)
        else:
            call = {"id": self.sent_id(part), **call}
        self.calls.append(call)

    def file(self, part: FilePart) -> bool:
        image = part.data is not None and (part.media_type or "image/").startswith("image/")
        if image:
            self._images.append(part.data or "")
        return image
