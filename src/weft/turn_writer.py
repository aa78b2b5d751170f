"""What every target's writer of turns is: the parts of a finished answer in, an item or several of the next request out.

Knows: who may have which opaque state back, what becomes of what the target has no form for, which ids are sent, and the honest account of it.
Must not know: any target. A subclass has a method for each kind of part, which says it or answers that it cannot.
"""

import re
from collections.abc import Callable
from typing import Any, ClassVar, Final, Literal

import msgspec

from weft import jsontext
from weft.events import FinishReason, Origin, Signature
from weft.jsontext import is_array, is_object
from weft.losses import Losses
from weft.message import AnyPart, FilePart, OpaquePart, Reasoning, Refusal, Text, ToolCall, ToolResult
from weft.protocol import Dialect
from weft.toolids import fitted

Foreign = Literal["text", "drop"]
"""What becomes of reasoning and provider-executed tools that only another origin takes back."""

Broken = Literal["drop", "wrap"]
"""What becomes of calls whose arguments are not whole: left out, or sent with their text under `INVALID_JSON`, to be answered with an error."""

DEMANDS: Final = {
    "thinking_off": "the turn calls tools and does not begin with signed thinking: a request that sets a budget for thinking is refused",
    "stored": "items go back that their provider must have stored, since they do not hold their own state",
}
"""What a turn may ask of the request around it."""

INVALID: Final = "INVALID_JSON"
_ANYTHING: Final = re.compile(r"(?!)")
_DATED: Final = re.compile(r"(?:[-@](?:20\d\d-?\d\d-?\d\d|latest|00\d|preview(?:-\d\d-\d\d)?)|-v\d+:\d+)+$")
_PLACED: Final = re.compile(r"^(?:.*/)?(?:[a-z]{2,6}\.)*(?:anthropic\.|amazon\.|meta\.|mistral\.|cohere\.|openai\.)?")


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One answer that is to be sent back, and to whom. `provider` and `model` are those of the next request, as far as they are known."""

    parts: list[AnyPart]
    id: str = ""
    protocol: str | None = None
    finish: FinishReason | None = None
    meta: dict[str, Any] = {}
    origin: Origin
    dialect: Dialect
    provider: str | None = None
    model: str | None = None
    foreign: Foreign = "text"
    broken: Broken = "drop"


class Answer(msgspec.Struct, frozen=True):
    """What one of the client's tools gave back within the turn: its call, the id under which that was sent, the result."""

    call: ToolCall
    id: str | None
    result: ToolResult

    @property
    def text(self) -> str:
        """The result as a text."""
        return text_of(self.result.content)


class TurnWriter:
    """Writes one turn. `feed` takes its parts in order; then `items` are what stands in the request."""

    protocol: ClassVar[str]
    """Whose state is at home here."""

    bound: ClassVar[frozenset[str]] = frozenset({"provider", "model"})
    """The members of an origin that must be the next request's, too, or else its state is refused."""

    loses: ClassVar[dict[str, str]] = {}
    """word of `losses.WHAT` -> why it cannot be sent back as what it is."""

    unwritten: ClassVar[frozenset[str]] = frozenset()
    """Dialects whose requests have another form."""

    illegal: ClassVar[re.Pattern[str]] = _ANYTHING
    longest: ClassVar[int] = 64

    def __init__(self, turn: Turn, losses: Losses) -> None:
        self.turn = turn
        self.native = turn.protocol == self.protocol
        self.kin = self.native and self._agrees(turn.origin)
        self.call_ids: dict[str, str | None] = {}
        self.demands: set[str] = set()
        self._losses = losses
        self._items: list[dict[str, Any]] = []
        self._sent: dict[str, ToolCall] = {}
        self._answers: list[ToolResult] = []
        self._on: dict[type[AnyPart], Callable[[Any], None]] = {
            Text: self.text,
            Reasoning: self._reasoning,
            Refusal: self.refusal,
            ToolCall: self._call,
            ToolResult: self._result,
            FilePart: self._file,
            OpaquePart: self._opaque,
        }
        self.begin()

    def feed(self, part: AnyPart) -> None:
        """Take one part. In a run of several steps the client has answered calls within the turn: those answers stand between its messages."""
        if isinstance(part, ToolResult) and part.executor == "client":
            self._answers.append(part)
            return
        if self._answers and part.step != self._answers[-1].step:
            self._answer()
        self._on[type(part)](part)

    def items(self) -> list[dict[str, Any]]:
        """The turn in the request's own form; empty if nothing of it is left that could be sent. Asked once, at the end."""
        self._answer()
        return self._items

    # -- what a target says --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Another message begins, and nothing of it is said."""
        self.content: list[dict[str, Any]] = []

    def message(self) -> list[dict[str, Any]]:
        """What was said since: one message, or the items of one; none if there is nothing to send."""
        raise NotImplementedError

    def answers(self, answers: list["Answer"]) -> list[dict[str, Any]]:
        """What the client's tools gave back for the calls of the message before."""
        raise NotImplementedError

    def say(self, text: str, part: AnyPart) -> None:
        """A text that stands for what has no form here."""
        raise NotImplementedError

    def text(self, part: Text) -> None:
        """Visible text."""
        raise NotImplementedError

    def refusal(self, part: Refusal) -> None:
        """A refusal; where there is no word for one it is text."""
        if part.text:
            self.lose("refusal", part)
            self.say(part.text, part)

    def reasoning(self, part: Reasoning, states: list[Signature]) -> bool:
        """Reasoning with the state that is at home here. False if it cannot be said as reasoning."""
        return False

    def call(self, part: ToolCall, arguments: dict[str, Any], raw: str) -> None:
        """A call that the client has executed; `raw` is the arguments' text, and never empty."""
        raise NotImplementedError

    def provider_call(self, part: ToolCall) -> bool:
        """A call that the provider ran itself. False if it cannot be said as one."""
        return False

    def result(self, part: ToolResult) -> bool:
        """What such a call gave back."""
        return False

    def file(self, part: FilePart) -> bool:
        """A generated file."""
        return False

    def opaque(self, part: OpaquePart, raw: Any) -> bool:
        """An item that is at home here, in its own form."""
        return False

    def left_out(self, part: ToolCall) -> None:
        """A call is not sent back; what belongs to it alone must not be either."""

    # -- what they share -----------------------------------------------------------------------------------------

    def lose(self, what: str, part: AnyPart | None, why: str | None = None) -> None:
        """Report that something is not sent back as what it is."""
        self._losses.add(what, why or self.loses[what], "turn" if part is None else f"block {part.index}")

    def own(self, origin: Origin) -> bool:
        """Is state of this origin at home where the turn goes?"""
        return origin.protocol == self.protocol and self._agrees(origin)

    def takes(self, state: Signature) -> bool:
        """Is there a place for this state, and is it the one that it came from?"""
        return self.own(state.origin)

    def own_form(self, part: AnyPart) -> dict[str, Any] | None:
        """The part as its source had it, if that is at home here."""
        opaque = part.opaque
        return opaque.raw if opaque is not None and is_object(opaque.raw) and self.own(opaque.origin) else None

    def states(self, part: AnyPart) -> list[Signature]:
        """The part's state that is at home here. Any other is lost."""
        mine = [state for state in part.signatures if self.takes(state)]
        if len(mine) != len(part.signatures):
            self.lose("signature", part, "state goes back to its own origin only")
        return mine

    def sent_id(self, part: ToolCall) -> str:
        """The id under which a call is sent, and its result has to be."""
        id = self.fitted(part.id)
        self.call_ids[part.id] = id
        return id

    def nameless(self, part: ToolCall) -> None:
        """A call is sent without an id, as it came: its result goes by name and order."""
        self.call_ids[part.id] = None

    def fitted(self, id: str) -> str:
        """An id as this target takes it."""
        return fitted(id, self.illegal, self.longest)

    def _agrees(self, origin: Origin) -> bool:
        """Of what nobody said it is taken for granted that it agrees."""
        provider, model = self.turn.provider, self.turn.model
        if "provider" in self.bound and provider and origin.provider and provider.lower() != origin.provider.lower():
            return False
        return not ("model" in self.bound and model and origin.model and bare(model) != bare(origin.model))

    # -- policy --------------------------------------------------------------------------------------------------

    def _reasoning(self, part: Reasoning) -> None:
        states = self.states(part)
        if self.reasoning(part, states) or not part.text.strip():
            return
        if self.turn.foreign == "text":
            self.lose("reasoning", part, "only its own origin accepts it as reasoning: sent as marked text")
            self.say(f"<thinking>\n{part.text}\n</thinking>", part)
        else:
            self.lose("reasoning", part, "only its own origin accepts it as reasoning: left out")

    def _call(self, part: ToolCall) -> None:
        if part.executor == "provider":
            self._provider_call(part)
            return
        if part.complete:
            raw = jsontext.line({"input": part.raw}).decode() if part.tool == "custom" else part.raw
            self._sent[part.id] = part
            self.call(part, part.arguments or {}, raw.strip() or "{}")
        elif self.turn.broken == "wrap" and part.tool == "function" and part.name:
            self.lose("args_invalid", part, f"these arguments are not whole: their text is sent as {INVALID}")
            wrapped = {INVALID: part.raw}
            self._sent[part.id] = part
            self.call(part, wrapped, jsontext.line(wrapped).decode())
        else:
            self.lose("incomplete", part, "a call that is not whole would be refused, or executed: left out")
            self.left_out(part)

    def _provider_call(self, part: ToolCall) -> None:
        if not part.complete:
            self.lose("incomplete", part, "a call that is not whole would be refused, or executed: left out")
            self.left_out(part)
        elif not self.provider_call(part):
            self._tell("executor", part, _marked("tool_use", part.name, part.raw))

    def _result(self, part: ToolResult) -> None:
        if not self.result(part):
            calls = (call for call in self.turn.parts if isinstance(call, ToolCall) and call.id == part.call_id)
            name = part.name or next((call.name for call in calls), None)
            self._tell("tool_result", part, _marked("tool_result", name, text_of(part.content)))

    def _answer(self) -> None:
        """The message is over. A call that has its answer in the turn awaits none."""
        self._items += self.message()
        self.begin()
        answers: list[Answer] = []
        for result in self._answers:
            call = self._sent.pop(result.call_id or "", None)
            if call is None:
                self.lose("tool_result", result, "its call is not sent: left out")
            else:
                answers.append(Answer(call, self.call_ids.pop(call.id), result))
        self._answers.clear()
        if answers:
            self._items += self.answers(answers)

    def _tell(self, what: str, part: AnyPart, text: str) -> None:
        if self.turn.foreign == "text":
            self.lose(what, part, "only the provider that ran the tool accepts it as such: sent as marked text")
            self.say(text, part)
        else:
            self.lose(what, part, "only the provider that ran the tool accepts it as such: left out")

    def _file(self, part: FilePart) -> None:
        if not self.file(part):
            self.lose("file", part)

    def _opaque(self, part: OpaquePart) -> None:
        raw = self.own_form(part)
        if raw is None or not self.opaque(part, raw):
            self.lose("opaque", part, "another protocol's items cannot be expressed")


class FlatTurn(TurnWriter):
    """For targets whose messages have reasoning, text and calls in members of their own."""

    def begin(self) -> None:
        super().begin()
        self.calls: list[dict[str, Any]] = []
        self._texts: list[tuple[bool, str]] = []
        self._highest = 0
        self._mixed = False

    def came(self, rank: Literal[0, 1, 2]) -> None:
        """Reasoning, text or a call is said: in another order nobody will see it."""
        self._mixed = self._mixed or rank < self._highest
        self._highest = max(rank, self._highest)

    def spoken(self) -> str:
        """All text. Blocks of text run on, what stands for something else is set apart by blank lines. Asked once for each message."""
        if self._mixed:
            self.lose("order", None)
        pieces: list[str] = []
        for number, (aside, text) in enumerate(self._texts):
            apart = number and (aside or self._texts[number - 1][0])
            pieces.append(f"\n\n{text}" if apart else text)
        return "".join(pieces)

    def say(self, text: str, part: AnyPart) -> None:
        if text:
            self.came(1)
            self._texts.append((not isinstance(part, Text), text))


def bare(model: str) -> str:
    """A model's name without where it is served and of which day it is."""
    return _PLACED.sub("", _DATED.sub("", model.lower()), count=1)


def _marked(tag: str, name: str | None, text: str) -> str:
    return f'<{tag} name="{name or "tool"}">\n{text}\n</{tag}>'


def text_of(content: Any) -> str:
    """A result for people and models to read; what only its origin can read is left out."""
    return content if isinstance(content, str) else jsontext.encode(_readable(content)).decode()


def _readable(value: Any) -> Any:
    if is_array(value):
        return [_readable(item) for item in value]
    if not is_object(value):
        return value
    return {name: _readable(member) for name, member in value.items() if not name.startswith("encrypted_")}
