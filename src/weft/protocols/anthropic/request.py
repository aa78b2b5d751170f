"""The request of Anthropic Messages: so far, the assistant's turn in it.

Knows: which blocks the API takes back, and what it refuses of a turn: thinking without a valid signature, or as its last block; texts that
are blank; a last text that ends in white space; what a refusal cut off.
Must not know: the stream.
"""

import re
from typing import Any, ClassVar, Final

from weft.events import Signature
from weft.jsontext import is_object
from weft.message import AnyPart, OpaquePart, Reasoning, Text, ToolCall, ToolResult
from weft.protocols.anthropic import words
from weft.turn_writer import Answer, TurnWriter

_THINKING: Final = frozenset({"thinking", "redacted_thinking"})


class AnthropicTurn(TurnWriter):
    """One message of blocks."""

    protocol: ClassVar = "anthropic"
    # A block that another model cannot read is dropped by the API without an error (Claude docs, preserved thinking); hosts do not share them.
    bound: ClassVar = frozenset({"provider"})
    illegal: ClassVar = re.compile(r"[^a-zA-Z0-9_-]")
    loses: ClassVar = {
        "refusal": "a refusal is sent as text like any other",
        "tool_kind": "the input of a tool must be a JSON object",
        "annotation": "only the citations of this provider's own tools have a form",
        "file": "an assistant's turn has no files",
    }

    def message(self) -> list[dict[str, Any]]:
        if self.native and self.turn.finish == "refusal":
            if self.content:
                self.lose("refusal", None, "what a refusal cut off must not be sent back")
            self.call_ids.clear()
            return []
        content = self.content
        while content and _kind(content[-1]) in _THINKING:
            content.pop()
            self.lose("reasoning", None, "a turn cannot end with thinking: left out")
        if content and _kind(content[-1]) == "text":
            content[-1]["text"] = content[-1]["text"].rstrip()
        if any(_kind(block) == "tool_use" for block in content) and _kind(content[0]) not in _THINKING:
            self.demands.add("thinking_off")
        return [{"role": "assistant", "content": content}] if content else []

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        for answer in answers:
            failed = {"is_error": True} if answer.result.is_error else {}
            blocks.append({"type": "tool_result", "tool_use_id": answer.id, "content": answer.text, **failed})
        return [{"role": "user", "content": blocks}]

    def say(self, text: str, part: AnyPart) -> None:
        if text.strip():
            self.content.append({"type": "text", "text": text})

    def text(self, part: Text) -> None:
        self.states(part)
        cited = [note.raw for note in part.annotations if note.kind in words.CITATIONS and is_object(note.raw)]
        if len(cited) != len(part.annotations) or (cited and not part.text.strip()):
            self.lose("annotation", part)
        if part.text.strip():
            self.content.append({"type": "text", "text": part.text, **({"citations": cited} if cited else {})})

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        """A signature proves its text; what is encrypted is a block of its own."""
        own = self.own_form(part)
        proof = next((state.value for state in reversed(states) if not state.encrypted), None)
        sealed = [{"type": "redacted_thinking", "data": state.value} for state in states if state.encrypted]
        if proof is not None:
            self.content.append({"type": "thinking", "thinking": part.text, "signature": proof})
        self.content.extend([own] if own is not None else sealed)
        return proof is not None or (bool(own or sealed) and not part.text)

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        self.states(part)
        if part.tool != "function":
            self.lose("tool_kind", part)
        use = {"type": "tool_use", "id": self.sent_id(part), "name": part.name, "input": arguments}
        self.content.append({**(self.own_form(part) or {}), **use})

    def provider_call(self, part: ToolCall) -> bool:
        """A call whose result did not come is only taken back where the provider goes on with it: after a pause, or once its own calls are answered."""
        own = self.own_form(part)
        if own is None or not (self.turn.finish in ("pause", "tool_calls") or self._is_answered(part)):
            return False
        self.content.append({**own, "input": part.arguments or {}})
        return True

    def result(self, part: ToolResult) -> bool:
        own = self.own_form(part)
        if own is not None:
            self.content.append(own)
        return own is not None

    def opaque(self, part: OpaquePart, raw: Any) -> bool:
        self.content.append(raw)
        return True

    def _is_answered(self, call: ToolCall) -> bool:
        return any(isinstance(part, ToolResult) and part.call_id == call.id for part in self.turn.parts)


def _kind(block: dict[str, Any]) -> Any:
    return block.get("type")
