"""The request of chat.completions: so far, the assistant's message in it.

Knows: the members of that message, those of the servers that add their own included. Must not know: chunks.
"""

from functools import cached_property
from typing import Any, ClassVar, Final

from weft.events import Signature
from weft.losses import Losses
from weft.message import AnyPart, FilePart, Reasoning, Refusal, Text, ToolCall
from weft.protocols.openai_chat import members, words
from weft.protocols.openai_chat.content import PART
from weft.protocols.openai_chat.reasoning import BLOCKS, OPAQUE
from weft.protocols.openai_chat.turn_rows import row_of
from weft.toolids import coded, fitted
from weft.turn_writer import Answer, FlatTurn, Turn

DETAILS: Final = "reasoning_details"
EXTRA: Final = "extra_content"


class ChatTurn(FlatTurn):
    """One message."""

    protocol: ClassVar = members.OWN
    loses: ClassVar = {
        "refusal": "this server knows no refusals: it is text",
        "tool_kind": "a tool of this kind has no form here: it reads as a function",
        "annotation": "a message of a request has no citations",
        "file": "a message of a request has no files but the id of its audio",
        "order": "reasoning, text and calls stand apart",
        "signature": "state of a part of the content has no known place",
    }

    def __init__(self, turn: Turn, losses: Losses) -> None:
        super().__init__(turn, losses)
        model = turn.model or (turn.origin.model if self.native else None)
        self._row = row_of(turn.dialect.name, model)
        self._extends = self._row.open_ai or self.native

    def begin(self) -> None:
        super().begin()
        self._thoughts: list[str] = []
        self._refusals: list[str] = []
        self._beside: dict[str, Any] = {}

    def message(self) -> list[dict[str, Any]]:
        text = self.spoken()
        said: dict[str, Any] = {"refusal": "".join(self._refusals), **self._reasoned(text), "tool_calls": self.calls}
        said = {name: value for name, value in {**said, **self._beside}.items() if value}
        if not text and not said:
            return []
        if text or not said.keys() & {"content", "refusal", "audio", "function_call", "tool_calls"}:
            said = {"content": text, **said}
        if self.calls:
            missing = {} if self._row.missing is None else {"reasoning_content": self._row.missing}
            said = {"content": None, **missing, **said}
        return [{"role": "assistant", **said}]

    def answers(self, answers: list[Answer]) -> list[dict[str, Any]]:
        return [
            {"role": "function", "name": answer.call.name, "content": answer.text}
            if answer.id is None
            else {"role": "tool", "tool_call_id": answer.id, "content": answer.text}
            for answer in answers
        ]

    def takes(self, state: Signature) -> bool:
        return super().takes(state) and _place(state) in (*self._row.takes, PART)

    # -- text and reasoning --------------------------------------------------------------------------------------

    def text(self, part: Text) -> None:
        """What was spoken is in the audio, if that goes back."""
        if part.channel == words.TRANSCRIPT and any(self._sound(other) for other in self.turn.parts):
            return
        for state in self.states(part):
            if _place(state) == DETAILS:
                self._add(DETAILS, [members.detail(state)])
            else:
                self._beside[EXTRA] = members.extra_content(state)
        if part.annotations:
            self.lose("annotation", part)
        self.say(part.text, part)

    def refusal(self, part: Refusal) -> None:
        if self._extends:
            self._refusals.append(part.text)
        else:
            super().refusal(part)

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        """State goes back in the member that it came in; what has none, where this server has its reasoning."""
        places: dict[str, list[Signature]] = {}
        for state in states:
            places.setdefault(_place(state), []).append(state)
        if PART in places:
            self.lose("signature", part)
        if OPAQUE in places:
            self._beside[OPAQUE] = places[OPAQUE][-1].value
        self._add(BLOCKS, [_block(part, state) for state in places.get(BLOCKS, [])])
        if DETAILS in places or (self.kin and self._detailed is not None):
            self._add(DETAILS, _details(part, places.get(DETAILS, []), self._detailed))
            return True
        if not part.text:
            return True
        if self._row.slot is None and not self.native:
            return False
        self.came(0)
        self._thoughts.append(part.text)
        return True

    @cached_property
    def _detailed(self) -> str | None:
        """The format of the typed details, if this turn's reasoning came in them: then all of it goes back in them, in order."""
        states = (state for part in self.turn.parts for state in part.signatures)
        return next((state.format or "" for state in states if self.takes(state) and _place(state) == DETAILS), None)

    def _reasoned(self, text: str) -> dict[str, Any]:
        """All reasoning that is not said in details, in the place that this server has for it."""
        thought = "\n\n".join(self._thoughts)
        if not thought:
            return {}
        slot = self._row.slot or "reasoning_content"
        if slot == "parts":
            thinking = {"type": "thinking", "thinking": [{"type": "text", "text": thought}]}
            return {"content": [thinking, *([{"type": "text", "text": text}] if text else [])]}
        if slot == "tags":
            return {"content": f"<think>\n{thought}\n</think>\n\n{text}"}
        return {slot: thought}

    # -- calls and files -----------------------------------------------------------------------------------------

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        self.came(2)
        states = self.states(part)
        details = [members.call_detail(state, part.id) for state in states]
        plain = [state for state, detail in zip(states, details, strict=True) if detail is None]
        self._add(DETAILS, [detail for detail in details if detail is not None])
        extra = {EXTRA: members.extra_content(plain[-1])} if plain else {}
        if part.tool == "function_call" and self.native:
            self.nameless(part)
            self._beside["function_call"] = {"name": part.name, "arguments": raw}
        elif part.tool == "custom" and self._extends:
            custom = {"name": part.name, "input": part.raw}
            self.calls.append({"id": self.sent_id(part), "type": "custom", "custom": custom, **extra})
        else:
            if part.tool not in ("function", "function_call"):
                self.lose("tool_kind", part)
            function = {"name": part.name, "arguments": raw}
            self.calls.append({"id": self.sent_id(part), "type": "function", "function": function, **extra})

    def fitted(self, id: str) -> str:
        if self._row.exactly is not None:
            return coded(id, self._row.exactly)
        return id if self.kin and id else fitted(id, self._row.illegal or self.illegal, self._row.longest)

    def file(self, part: FilePart) -> bool:
        sound = self._sound(part)
        if sound:
            self._beside["audio"] = sound
        return bool(sound)

    def _sound(self, part: AnyPart) -> dict[str, str] | None:
        """The id of audio that this server has made."""
        return members.audio(part.media_type, None, part.file_id) if self.kin and isinstance(part, FilePart) else None

    def _add(self, member: str, items: list[dict[str, Any]]) -> None:
        if items:
            self._beside[member] = [*self._beside.get(member, []), *items]


def _place(state: Signature) -> str:
    """The member in which state of this protocol came, and goes back."""
    if state.format in (OPAQUE, BLOCKS, PART):
        return str(state.format)
    return DETAILS if state.format or state.part is not None or state.encrypted else EXTRA


def _details(part: Reasoning, states: list[Signature], format: str | None) -> list[dict[str, Any]]:
    """OpenRouter's typed details of one block: its text, with what proves it, then what is encrypted."""
    known = {"format": format, "id": next((state.origin.item for state in states), None)}
    proofs = {state.part: state for state in states if not state.encrypted}
    # By way of another protocol a proof forgets its part, and its text its form.
    if len(proofs) == len(part.pieces) == 1:
        proofs = dict(zip([part.pieces[0].part], proofs.values(), strict=True))
    details: list[dict[str, Any]] = []
    for piece in part.pieces:
        proof = proofs.pop(piece.part, None)
        beside = {name: value for name, value in (*known.items(), ("index", piece.part)) if value or name == "index"}
        if piece.form == "summary" and proof is None:
            details.append({"type": "reasoning.summary", "summary": piece.text, **beside})
        elif proof is not None:
            details.append({"type": "reasoning.text", "text": piece.text, **members.detail(proof), "index": piece.part})
        else:
            details.append({"type": "reasoning.text", "text": piece.text, **beside})
    alone = [*proofs.values(), *(state for state in states if state.encrypted)]
    return [*details, *map(members.detail, alone)]


def _block(part: Reasoning, state: Signature) -> dict[str, Any]:
    """A block of Anthropic's as LiteLLM hands it on."""
    if state.encrypted:
        return {"type": "redacted_thinking", "data": state.value}
    return {"type": "thinking", "thinking": part.text, "signature": state.value}
