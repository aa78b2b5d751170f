"""The request of Bedrock's Converse: so far, the assistant's turn in it.

Knows: the blocks of a message that an assistant may have said, and what is refused of a turn: blank texts, reasoning as its last block.
Must not know: the stream. Bytes are base64, as in the JSON of the wire; boto3 wants them decoded.
"""

import re
from typing import Any, ClassVar

from weft.events import Signature
from weft.jsontext import is_object
from weft.message import AnyPart, Reasoning, Text, ToolCall, ToolResult
from weft.protocols.bedrock import words
from weft.protocols.bedrock.whole import SERVER_TOOL
from weft.turn_writer import Answer, TurnWriter

# Models that take no reasoning back that is not signed (strands-agents leaves DeepSeek's out; Claude's is always signed, if it is whole).
_SIGNED = ("claude", "deepseek")


class ConverseTurn(TurnWriter):
    """One message of blocks."""

    protocol: ClassVar = "bedrock"
    illegal: ClassVar = re.compile(r"[^a-zA-Z0-9_.:-]")
    loses: ClassVar = {
        "refusal": "a refusal is sent as text like any other",
        "tool_kind": "the input of a tool must be a JSON object",
        "annotation": "a citation has the form of this wire's own",
        "file": "only a user's turn has files",
    }

    def message(self) -> list[dict[str, Any]]:
        content = self.content
        while content and "reasoningContent" in content[-1]:
            content.pop()
            self.lose("reasoning", None, "a turn cannot end with reasoning: left out")
        if content and "text" in content[-1]:
            content[-1]["text"] = content[-1]["text"].rstrip()
        if any("toolUse" in block for block in content) and "reasoningContent" not in content[0]:
            self.demands.add("thinking_off")
        return [{"role": "assistant", "content": content}] if content else []

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        for answer in answers:
            status = "error" if answer.result.is_error else "success"
            blocks.append(
                {"toolResult": {"toolUseId": answer.id, "status": status, "content": [{"text": answer.text}]}}
            )
        return [{"role": "user", "content": blocks}]

    def say(self, text: str, part: AnyPart) -> None:
        if text.strip():
            self.content.append({"text": text})

    def text(self, part: Text) -> None:
        self.states(part)
        cited = [note.raw for note in part.annotations if self.kin and is_object(note.raw)]
        if len(cited) != len(part.annotations) or (cited and not part.text.strip()):
            self.lose("annotation", part)
        if cited and part.text.strip():
            self.content.append({"citationsContent": {"content": [{"text": part.text}], "citations": cited}})
        else:
            self.say(part.text, part)

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        """Signed text, or what is redacted. Reasoning of models that sign nothing is taken back where it was whole."""
        own = self.own_form(part)
        if own is not None:
            self.content.append(own)
        elif states and states[-1].encrypted:
            self.content.append({"reasoningContent": {"redactedContent": states[-1].value}})
        elif states:
            self._think({"text": part.text, "signature": states[-1].value})
        elif self.kin and part.complete and part.text and not self._signs():
            self._think({"text": part.text})
        else:
            return False
        return True

    def _think(self, members: dict[str, Any]) -> None:
        self.content.append({"reasoningContent": {"reasoningText": members}})

    def _signs(self) -> bool:
        model = self.turn.model or self.turn.origin.model or ""
        return any(name in model.lower() for name in _SIGNED)

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        self.states(part)
        if part.tool != "function":
            self.lose("tool_kind", part)
        self.content.append({"toolUse": {"toolUseId": self.sent_id(part), "name": part.name, "input": arguments}})

    def provider_call(self, part: ToolCall) -> bool:
        if self.kin:
            use = {"toolUseId": part.id, "name": part.name, "input": part.arguments or {}, "type": SERVER_TOOL}
            self.content.append({"toolUse": use})
        return self.kin

    def result(self, part: ToolResult) -> bool:
        if self.kin:
            kind = {"type": part.name} if part.name else {}
            status = "error" if part.is_error else "success"
            members = {"toolUseId": part.call_id or "", **kind, "status": status, "content": words.result(part.content)}
            self.content.append({"toolResult": members})
        return self.kin
