"""The request of Cohere's v2 chat: so far, the assistant's turn in it.

Knows: the one message that a turn is: the plan of its calls, thinking and text, calls, citations.
Must not know: the stream.
"""

from typing import Any, ClassVar, Final

from weft.events import Signature
from weft.jsontext import is_object
from weft.message import AnyPart, Reasoning, Text, ToolCall
from weft.protocols.cohere.decode import PLAN
from weft.turn_writer import Answer, FlatTurn

_THINKERS: Final = ("command-a-reasoning",)
"""Models that take thinking back as such; the others know a plan, and that only beside calls."""


class CohereTurn(FlatTurn):
    """One message."""

    protocol: ClassVar = "cohere"
    unwritten: ClassVar = frozenset({"v1"})
    loses: ClassVar = {
        "refusal": "a refusal is sent as text",
        "tool_kind": "there are only functions, whose arguments are a JSON object",
        "annotation": "a citation has the form of this wire's own",
        "file": "there are no files",
        "order": "the plan, the content and the calls stand apart",
    }

    def begin(self) -> None:
        super().begin()
        self._plan: list[str] = []
        self._citations: list[dict[str, Any]] = []

    def message(self) -> list[dict[str, Any]]:
        self.spoken()
        if self._plan and not self.calls:
            self.lose("reasoning", None, "a plan is allowed only beside calls: sent as text")
            self.content.insert(0, {"type": "text", "text": "\n\n".join(self._plan)})
            self._plan.clear()
        said = {
            "tool_plan": "\n\n".join(self._plan),
            "content": self.content,
            "tool_calls": self.calls,
            "citations": self._citations,
        }
        kept = {name: value for name, value in said.items() if value}
        return [{"role": "assistant", **kept}] if kept else []

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        return [{"role": "tool", "tool_call_id": answer.id, "content": answer.text} for answer in answers]

    def say(self, text: str, part: AnyPart) -> None:
        if text:
            self.came(1)
            self.content.append({"type": "text", "text": text})

    def text(self, part: Text) -> None:
        """Offsets of citations are characters of one content, whose number may be another one here."""
        self.states(part)
        own = [note.raw for note in part.annotations if self.native and is_object(note.raw) and "sources" in note.raw]
        if len(own) != len(part.annotations) or (own and not part.text):
            self.lose("annotation", part)
        index = {"content_index": len(self.content)}
        self._citations.extend({**raw, **(index if "content_index" in raw else {})} for raw in own if part.text)
        self.say(part.text, part)

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        """The plan goes back as one, thinking as thinking; another origin's reasoning about its calls is a plan, too."""
        if not part.text:
            return True
        calls = any(isinstance(other, ToolCall) and other.executor == "client" for other in self.turn.parts)
        model = (self.turn.model or self.turn.origin.model or "").lower()
        thinks = (self.native and part.channel != PLAN) or model.startswith(_THINKERS)
        if thinks:
            self.came(1)
            self.content.append({"type": "thinking", "thinking": part.text})
        elif calls:
            self.came(0)
            self._plan.append(part.text)
        return thinks or calls

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        self.states(part)
        if part.tool != "function":
            self.lose("tool_kind", part)
        self.came(2)
        function = {"name": part.name, "arguments": raw}
        self.calls.append({"id": self.sent_id(part), "type": "function", "function": function})
