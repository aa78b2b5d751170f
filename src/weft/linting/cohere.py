"""Cohere's v2 chat: what its SDK for Python holds a stream to.

Knows: the events of a message; indices are counted for each kind of its own. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.jsontext import decode_object, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import at, is_int, missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="cohere/type",
        title="every event says one of Cohere's types inside the data",
        effects=all_of("ignore", "cohere-python"),
        reference="cohere-python source",
        explain="The SDK tells its classes apart by it; the `event:` line is not read.",
    ),
    Rule(
        id="cohere/member",
        title="every event has the members that the SDK's classes have",
        effects=all_of("wrong", "cohere-python"),
        reference="cohere-python source",
        explain="`delta.message.content` and `delta.message.tool_calls` are objects here, not arrays; what has another shape is not filled in.",
    ),
    Rule(
        id="cohere/first-message-start",
        title="`message-start` comes first, and once",
        effects=all_of("wrong", "cohere-python"),
        reference="the service's own streams",
        explain="Callers begin their message there.",
    ),
    Rule(
        id="cohere/not-started",
        title="a delta or an end names a block that was started and is open",
        effects=all_of("wrong", "cohere-python"),
        reference="the service's own streams",
        explain="A call's id and name come with its start alone. Content, calls and citations are counted each for itself.",
    ),
    Rule(
        id="cohere/started-twice",
        title="a block that is open is not started again",
        effects=all_of("wrong", "cohere-python"),
        reference="the service's own streams",
        explain="Two blocks under one index are one to a caller that joins by it.",
    ),
    Rule(
        id="cohere/not-ended",
        title="every block is ended before the message, unless it is a call that was cut off",
        effects=all_of("wrong", "cohere-python"),
        reference="the service's own streams",
        explain="Callers run a call when it ends.",
    ),
    Rule(
        id="cohere/message-end-missing",
        title="the stream ends with `message-end`",
        effects=all_of("wrong", "cohere-python"),
        reference="cohere-python source",
        explain="The SDK ends its loop without an error when the bytes end. A failure is a `message-end` too, whose finish is `ERROR`.",
    ),
    Rule(
        id="cohere/finish-value",
        title="the finish reason is one of Cohere's",
        effects=all_of("wrong", "cohere-python"),
        reference="cohere-python source",
        explain="COMPLETE, STOP_SEQUENCE, MAX_TOKENS, TOOL_CALL, ERROR, TIMEOUT.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"c": "cohere-python"},
    """
    message-start    delta:object=c delta.message:object=c delta.message.role:text=c
    content-start    index:int=c delta.message.content:object=c delta.message.content.type:text=c
    content-delta    index:int=c delta.message.content:object=c
    content-end      index:int=c
    tool-plan-delta  delta.message.tool_plan:text=c
    tool-call-start  index:int=c delta.message.tool_calls:object=c delta.message.tool_calls.id:id=c
    tool-call-start  delta.message.tool_calls.function:object=c delta.message.tool_calls.function.name:id=c
    tool-call-delta  index:int=c delta.message.tool_calls.function.arguments:text=c
    tool-call-end    index:int=c
    citation-start   index:int=c delta.message.citations:object=c
    citation-end     index:int=c
    message-end      delta:object=c delta.finish_reason:text=c
    """,
)
_CALL: Final = "tool-call"
_ARGUMENTS: Final = ("delta", "message", "tool_calls", "function", "arguments")
_SILENT: Final = frozenset({"debug"})
_FINISHES: Final = frozenset(
    "COMPLETE STOP_SEQUENCE MAX_TOKENS TOOL_CALL ERROR TIMEOUT ERROR_TOXIC ERROR_LIMIT USER_CANCEL".split()
)


class _Machine:
    """One message."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._started = self._ended = False
        self._open: dict[tuple[str, int], int] = {}
        self._arguments: dict[int, list[str]] = {}

    def done(self) -> None:
        """The SDK stops there, and does not ask for it."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one event."""
        kind = text_of(value.get("type"))
        if kind in _SILENT:
            return
        if kind not in _NEEDS:
            self._report.add("cohere/type", f"no event is called `{kind}`" if kind else "the event has no `type`")
            return
        if kind == "message-start" and self._started:
            self._report.add("cohere/first-message-start", "`message-start` comes a second time")
        elif kind != "message-start" and not self._started:
            self._report.add("cohere/first-message-start", f"`{kind}` comes before `message-start`")
        self._started = True
        for need, how in missing(value, _NEEDS[kind]):
            self._report.add("cohere/member", f"{kind}: {how}", clients=need.clients)
        if kind == "message-end":
            self._end(value)
        elif is_int(value.get("index")):
            self._of_block(kind, value["index"], value)

    def close(self) -> None:
        """A message ends."""
        if not self._ended:
            self._report.add("cohere/message-end-missing", "the stream ends without `message-end`")

    def _of_block(self, kind: str, index: int, value: dict[str, Any]) -> None:
        thing, _, step = kind.rpartition("-")
        key = (thing, index)
        if step == "start":
            if key in self._open:
                self._report.add("cohere/started-twice", f"{thing} {index} is open and starts again")
            self._open[key] = self._report.at
            if thing == _CALL:
                self._arguments[index] = []
        elif key not in self._open:
            self._report.add("cohere/not-started", f"`{kind}` for {thing} {index}, which is not open")
        elif step == "end":
            del self._open[key]
        elif thing == _CALL:
            self._arguments[index].append(text_of(at(value, _ARGUMENTS)))

    def _end(self, value: dict[str, Any]) -> None:
        self._ended = True
        delta = value.get("delta")
        finish = text_of(delta.get("finish_reason")) if is_object(delta) else ""
        if finish and finish not in _FINISHES:
            self._report.add("cohere/finish-value", f"`finish_reason` is {finish!r:.40}")
        if finish not in {"ERROR", "TIMEOUT"}:
            self._all_ended()

    def _all_ended(self) -> None:
        """A call whose arguments are not all there may stay open: at its end a client would run it."""
        for (thing, index), begin in self._open.items():
            said = "".join(self._arguments[index]) if thing == _CALL else ""
            if thing != _CALL or (said and decode_object(said) is not None):
                self._report.add("cohere/not-ended", f"{thing} {index} is still open", at=begin)
        self._open.clear()


CHECKLIST: Final = Checklist(
    protocol="cohere",
    framings=("sse",),
    clients=("cohere-python",),
    rules=RULES,
    machine=_Machine,
)
