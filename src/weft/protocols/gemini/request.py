"""The request of generateContent: so far, the model's turn in it.

Knows: the parts of a content, that a signature stands on the part it signs and nowhere else, and which models refuse calls without one.
Must not know: the stream.
"""

from typing import Any, ClassVar, Final

from weft.events import Signature
from weft.jsontext import is_object
from weft.message import AnyPart, FilePart, OpaquePart, Reasoning, Text, ToolCall, ToolResult
from weft.turn_writer import Answer, TurnWriter

UNSIGNED: Final = "skip_thought_signature_validator"
"""What Google tells to put on the calls of another model, which it could not have signed."""

_WITHOUT: Final = ("gemini-1", "gemini-2", "gemma", "learnlm")
"""Models from before calls had to be signed."""


class GeminiTurn(TurnWriter):
    """One content of parts."""

    protocol: ClassVar = "gemini"
    unwritten: ClassVar = frozenset({"interactions"})
    loses: ClassVar = {
        "refusal": "a refusal is sent as text like any other",
        "tool_kind": "there are only functions with an object for arguments",
        "annotation": "a request has no grounding",
        "file": "a file is base64, or lies at an address, and has a media type",
    }

    def message(self) -> list[dict[str, Any]]:
        self._excuse()
        return [{"role": "model", "parts": self.content}] if self.content else []

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        """A response is an object; what is none is put into one."""
        parts: list[dict[str, Any]] = []
        for answer in answers:
            content = answer.result.content
            given = content if is_object(content) else {"error" if answer.result.is_error else "output": content}
            id = {} if answer.id is None else {"id": answer.id}
            parts.append({"functionResponse": {**id, "name": answer.call.name, "response": given}})
        return [{"role": "user", "parts": parts}]

    def say(self, text: str, part: AnyPart) -> None:
        if text:
            self.content.append({"text": text})

    def text(self, part: Text) -> None:
        """A signed part stays one, even if it has no text."""
        states = self.states(part)
        if part.annotations:
            self.lose("annotation", part)
        if part.text or states:
            self._add({"text": part.text}, states)

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        if states or (self.kin and part.text):
            self._add({"text": part.text, "thought": True}, states)
            return True
        return False

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        if part.tool != "function":
            self.lose("tool_kind", part)
        call = {"name": part.name, "args": arguments}
        if self.native and part.made_id:
            self.nameless(part)
        else:
            call = {"id": self.sent_id(part), **call}
        self._add({"functionCall": call}, self.states(part))

    def provider_call(self, part: ToolCall) -> bool:
        return self._own(part)

    def result(self, part: ToolResult) -> bool:
        return self._own(part)

    def opaque(self, part: OpaquePart, raw: Any) -> bool:
        self._add(raw, self.states(part))
        return True

    def file(self, part: FilePart) -> bool:
        kind = {"mimeType": part.media_type} if part.media_type else {}
        if part.data and kind:
            self._add({"inlineData": {**kind, "data": part.data}}, self.states(part))
        elif part.url and not part.data:
            self._add({"fileData": {**kind, "fileUri": part.url}}, self.states(part))
        else:
            return False
        return True

    def _own(self, part: AnyPart) -> bool:
        raw = self.own_form(part)
        if raw is None:
            return False
        self._add(raw, self.states(part))
        return True

    def _add(self, members: dict[str, Any], states: list[Signature]) -> None:
        self.content.append({**members, "thoughtSignature": states[-1].value} if states else members)

    def _excuse(self) -> None:
        """Of calls beside each other the first alone is signed; the one that no Gemini has signed is excused."""
        model = (self.turn.model or (self.turn.origin.model if self.native else None) or "").rpartition("/")[2].lower()
        call = next((part for part in self.content if "functionCall" in part), None)
        if call is not None and "thoughtSignature" not in call and not self.kin and not model.startswith(_WITHOUT):
            call["thoughtSignature"] = UNSIGNED
