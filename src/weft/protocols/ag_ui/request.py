"""The input of an AG-UI agent: so far, the messages of an assistant's turn in it.

Knows: the messages that a front end keeps and sends with its next run. Must not know: events.
"""

from typing import Any, ClassVar

from weft.carried import wrapped
from weft.events import Signature
from weft.message import AnyPart, Reasoning, Text, ToolCall, ToolResult
from weft.turn_writer import Answer, TurnWriter, text_of


class AGUITurn(TurnWriter):
    """A row of messages. They hand through the state of any origin, wrapped, since nobody here is to read it."""

    protocol: ClassVar = "ag-ui"
    loses: ClassVar = {
        "refusal": "a refusal is sent as a message like any other",
        "tool_kind": "the arguments of a tool must be an object",
        "annotation": "messages have no citations",
        "signature": "a message can carry only one piece of opaque state",
        "file": "an assistant's message has no files",
    }

    def message(self) -> list[dict[str, Any]]:
        return self.content

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        return [self._told(answer.result, answer.call.id) for answer in answers]

    def takes(self, state: Signature) -> bool:
        return True

    def say(self, text: str, part: AnyPart) -> None:
        if text:
            self.content.append({"id": self._id(part), "role": "assistant", "content": text})

    def text(self, part: Text) -> None:
        state = self._state(part)
        if part.annotations:
            self.lose("annotation", part)
        if part.text or state:
            self.content.append({"id": self._id(part), "role": "assistant", "content": part.text, **state})

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        state = self._state(part)
        if part.text or state:
            self.content.append({"id": self._id(part), "role": "reasoning", "content": part.text, **state})
        return True

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        if part.tool == "custom":
            self.lose("tool_kind", part)
        self.sent_id(part)
        self._attach(part, raw)

    def fitted(self, id: str) -> str:
        return id

    def provider_call(self, part: ToolCall) -> bool:
        self._attach(part, part.raw or "{}")
        return True

    def result(self, part: ToolResult) -> bool:
        self.content.append(self._told(part, part.call_id or ""))
        return True

    def _attach(self, part: ToolCall, raw: str) -> None:
        """A call belongs to the text before it, else to a message that has none."""
        if not self.content or self.content[-1]["role"] != "assistant":
            self.content.append({"id": self._id(part), "role": "assistant"})
        call = {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": raw}}
        message = self.content[-1]
        message["toolCalls"] = [*message.get("toolCalls", []), {**call, **self._state(part)}]

    def _told(self, result: ToolResult, call_id: str) -> dict[str, Any]:
        text = text_of(result.content)
        failed = {"error": text} if result.is_error else {}
        return {"id": self._id(result), "role": "tool", "toolCallId": call_id, "content": text, **failed}

    def _state(self, part: AnyPart) -> dict[str, str]:
        if len(part.signatures) > 1:
            self.lose("signature", part)
        return {"encryptedValue": wrapped(part.signatures[-1])} if part.signatures else {}

    def _id(self, part: AnyPart) -> str:
        return f"{self.turn.id}_{part.index}"
