"""The request of Responses: so far, the items of an assistant's turn in its input.

Knows: which items go back as they came, under which ids, and which of them hold together: reasoning is refused without the item that followed
it, an item without the reasoning that came before it if it bears the id that it had then.
Must not know: the stream.
"""

from typing import Any, ClassVar, Final
from zlib import crc32

from weft.events import Signature
from weft.jsontext import is_object
from weft.message import AnyPart, FilePart, OpaquePart, Reasoning, Refusal, Text, ToolCall, ToolResult
from weft.turn_writer import Answer, TurnWriter

_PHASES: Final = frozenset({"commentary", "final_answer"})
_NATIVE: Final = {"local_shell": ("lsh", "action"), "shell": ("sh", "action"), "apply_patch": ("apc", "operation"), "computer": ("cu", "action")}  # fmt: skip
"""Tools with an item of their own kind: the prefix of its id, and the member that holds the arguments."""

_OUTPUTS: Final = {"custom": "custom_tool_call_output", "local_shell": "local_shell_call_output"}
_OUTPUT_ONLY: Final = frozenset({"status"})
"""Members of a reasoning item that are refused in a request (lidge-jun/opencodex#2248)."""

_HELD: Final = frozenset({"encrypted_content", "content"})


class ResponsesTurn(TurnWriter):
    """A row of items."""

    protocol: ClassVar = "openai-responses"
    loses: ClassVar = {
        "refusal": "a refusal is text where it is not this API's own",
        "tool_kind": "a tool of this kind has no item here: it reads as a function",
        "annotation": "only citations of this API's own items go back",
        "channel": "a message has phases, and this channel is not one of them",
        "file": "only images of this API's own items go back",
    }

    def begin(self) -> None:
        super().begin()
        self._open: int | None = None
        self._loose = False
        self._running = False

    def message(self) -> list[dict[str, Any]]:
        self._untied()
        if any(_kind(item) == "reasoning" and not item.keys() & _HELD for item in self.content):
            self.demands.add("stored")
        return [self._unbound(item) for item in self.content] if self._loose else self.content

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        return [
            {
                "type": _OUTPUTS.get(answer.call.tool, "function_call_output"),
                "call_id": answer.id,
                "output": answer.text,
            }
            for answer in answers
        ]

    # -- messages ------------------------------------------------------------------------------------------------

    def say(self, text: str, part: AnyPart) -> None:
        if text:
            self._add({"type": "message", "role": "assistant", "content": text})

    def text(self, part: Text) -> None:
        self.states(part)
        phase = {"phase": part.channel} if part.channel in _PHASES else {}
        if part.channel and not phase:
            self.lose("channel", part)
        cited = [note.raw for note in part.annotations if self.kin and is_object(note.raw)]
        if len(cited) != len(part.annotations):
            self.lose("annotation", part)
        if self._bears(part):
            self._part(part, phase, {"type": "output_text", "text": part.text, "annotations": cited})
        elif part.text:
            if cited:
                self.lose("annotation", part)
            self._plain({"type": "message", "role": "assistant", **phase, "content": part.text})

    def refusal(self, part: Refusal) -> None:
        if self._bears(part):
            self._part(part, {}, {"type": "refusal", "refusal": part.text})
        else:
            super().refusal(part)

    def _plain(self, message: dict[str, Any]) -> None:
        """Blocks of text that another protocol set apart are one text here."""
        last = self.content[-1] if self.content else {}
        if self._running and {**last, "content": ""} == {**message, "content": ""}:
            last["content"] += message["content"]
            return
        self._add(message)
        self._running = True

    def _part(self, part: AnyPart, phase: dict[str, str], content: dict[str, Any]) -> None:
        """A part of the message that is open, or the first of another."""
        if self._open == part.item:
            self.content[-1]["content"].append(content)
            return
        own = self.own_form(part)
        status = "completed" if part.complete else "incomplete"
        message = {"id": part.item_id, "type": "message", "status": status, "role": "assistant", **phase}
        kept = {} if own is None else {name: value for name, value in own.items() if name not in message}
        self._add({**message, **kept, "content": [content]})
        self._open = part.item

    # -- reasoning -----------------------------------------------------------------------------------------------

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        """An item goes back with what it holds, encrypted or raw, or by its id where it was stored."""
        state = states[-1] if states else None
        id = (state.origin.item if state is not None else None) or (part.item_id if self.kin else None)
        held = state is not None or any(piece.form == "raw" for piece in part.pieces)
        if id is None or not part.complete or not (held or self._stored()):
            self._loose = self._loose or self.kin
            return False
        own = self.own_form(part)
        item = self._written(part, id) if own is None else own
        sealed = {} if state is None else {"encrypted_content": state.value}
        self._add({name: value for name, value in item.items() if name not in _OUTPUT_ONLY} | sealed)
        return True

    def _written(self, part: Reasoning, id: str) -> dict[str, Any]:
        """What was said by way of another protocol is a summary: it is not told apart there."""
        raw = [piece.text for piece in part.pieces if piece.form == "raw" and self.native]
        summary = [piece.text for piece in part.pieces if piece.form == "summary" or not self.native]
        item: dict[str, Any] = {
            "id": id, "type": "reasoning", "summary": [{"type": "summary_text", "text": text} for text in summary],
        }  # fmt: skip
        return {**item, "content": [{"type": "reasoning_text", "text": text} for text in raw]} if raw else item

    def _stored(self) -> bool:
        """Did the response say that it is not stored?"""
        response = self.turn.meta.get("response")
        return not is_object(response) or response.get("store") is not False

    # -- calls and other items -----------------------------------------------------------------------------------

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        self.states(part)
        own = self.own_form(part) if self.kin else None
        id = {"id": part.item_id} if self._bears(part) else {}
        call_id = self.sent_id(part)
        if own is not None:
            self._add({**own, "call_id": call_id} if "call_id" in own else own)
        elif part.tool == "custom":
            self._add({"type": "custom_tool_call", **id, "call_id": call_id, "name": part.name, "input": part.raw})
        elif part.tool in _NATIVE:
            prefix, member = _NATIVE[part.tool]
            made = {"id": f"{prefix}_{crc32(part.id.encode('utf-8', 'replace')):08x}"}
            item = {"type": f"{part.tool}_call", **made, **id, "call_id": call_id, member: arguments}
            self._add({**item, "status": "completed"})
        else:
            if part.tool not in ("function", "function_call"):
                self.lose("tool_kind", part)
            status = {"status": "completed"} if id else {}
            self._add({"type": "function_call", **id, **status, "call_id": call_id, "name": part.name, "arguments": raw})  # fmt: skip

    def left_out(self, part: ToolCall) -> None:
        self._untied()

    def provider_call(self, part: ToolCall) -> bool:
        return self._own(part)

    def result(self, part: ToolResult) -> bool:
        """A result may stand in the item of its call, which was sent."""
        said = part.item_id is not None and any(item.get("id") == part.item_id for item in self.content)
        return said or self._own(part)

    def file(self, part: FilePart) -> bool:
        return self._own(part)

    def opaque(self, part: OpaquePart, raw: Any) -> bool:
        return self._own(part)

    def _own(self, part: AnyPart) -> bool:
        own = self.own_form(part) if part.complete else None
        if own is not None:
            self._add(own)
        return own is not None

    # -- what holds together -------------------------------------------------------------------------------------

    def _bears(self, part: AnyPart) -> bool:
        """Does its item go back under the id that it had?"""
        return self.kin and bool(part.item_id)

    def _add(self, item: dict[str, Any]) -> None:
        self._open, self._running = None, False
        self.content.append(item)

    def _untied(self) -> None:
        """Reasoning whose next item is not sent must not be either."""
        while self.content and _kind(self.content[-1]) == "reasoning":
            self.content.pop()
            self._open = None
            self.lose("reasoning", None, "reasoning is refused without the item that follows from it: left out")

    def _unbound(self, item: dict[str, Any]) -> dict[str, Any]:
        """An item whose reasoning is not sent goes back without the id that would ask for it."""
        if _kind(item) == "message" and "id" in item:
            texts = (part.get("text") or part.get("refusal", "") for part in item["content"])
            return {name: value for name, value in item.items() if name not in ("id", "status")} | {
                "content": "".join(texts)
            }
        if _kind(item) in ("function_call", "custom_tool_call"):
            return {name: value for name, value in item.items() if name not in ("id", "status")}
        return item


def _kind(item: dict[str, Any]) -> Any:
    return item.get("type")
