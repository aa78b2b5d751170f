"""Stream Event v1: the invariants of its contract.

Knows: the five events and their order. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="stream-event-v1/type",
        title="every event is content, tool_call, return, done or error",
        effects=all_of("ignore", "uicp"),
        reference="the contract of Stream Event v1",
        explain="The union is closed. Usage, reasoning and finish reasons have no event.",
    ),
    Rule(
        id="stream-event-v1/member",
        title="every event has the members of its type",
        effects=all_of("wrong", "uicp"),
        reference="the contract of Stream Event v1",
        explain="`content` has its text; a call its index, its arguments and whether they are a delta; an error its code.",
    ),
    Rule(
        id="stream-event-v1/channel",
        title="a channel is `json` or `text`",
        effects=all_of("wrong", "uicp"),
        reference="the contract of Stream Event v1",
        explain="Channels of a provider are mapped to these two before the event is sent.",
    ),
    Rule(
        id="stream-event-v1/call-name",
        title="the first event of a call has its name",
        effects=all_of("wrong", "uicp"),
        reference="consumers collect arguments by the tool's name",
        explain="A consumer that waits for one tool's arguments goes by the name of the first event of an index. Join a start to its first fragment.",
    ),
    Rule(
        id="stream-event-v1/call-delta",
        title="arguments that are a delta are a string, and a whole call comes once",
        effects=all_of("wrong", "uicp"),
        reference="the contract of Stream Event v1",
        explain="Consumers append strings and take anything else as the whole. What comes for an index that was whole would be added to nothing.",
    ),
    Rule(
        id="stream-event-v1/error-once",
        title="an error comes once, and nothing but `done` behind it",
        effects=all_of("wrong", "uicp"),
        reference="the contract of Stream Event v1",
        explain="A stream ends with `done`, or with `error` and then `done`.",
    ),
    Rule(
        id="stream-event-v1/done-once",
        title="`done` comes once, and nothing behind it",
        effects=all_of("ignore", "uicp"),
        reference="the contract of Stream Event v1",
        explain="Consumers stop at the first one.",
    ),
    Rule(
        id="stream-event-v1/done-missing",
        title="the stream ends with `done`, also after an error",
        effects=all_of("hang", "uicp"),
        reference="the contract of Stream Event v1",
        explain="Consumers wait for it until their own timeout, which is three minutes.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"u": "uicp"},
    """
    content    text:text=u channel:text?=u
    tool_call  index:int=u arguments:any=u isDelta:bool=u id:text?=u name:text?=u
    return     result:any=u channel:text?=u name:text?=u
    done       type:text=u
    error      code:id=u detail:text?=u
    """,
)


class _Machine:
    """One stream."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._done = self._failed = False
        self._whole: dict[int, bool] = {}

    def done(self) -> None:
        """The transport may say so too; the event is due all the same."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one event."""
        kind = text_of(value.get("type"))
        if kind not in _NEEDS:
            self._report.add(
                "stream-event-v1/type", f"no event is called `{kind}`" if kind else "the event has no `type`"
            )
            return
        if self._done:
            self._report.add("stream-event-v1/done-once", f"`{kind}` comes after `done`")
        elif self._failed and kind != "done":
            self._report.add("stream-event-v1/error-once", f"`{kind}` comes after `error`")
        for need, how in missing(value, _NEEDS[kind]):
            self._report.add("stream-event-v1/member", f"{kind}: {how}", clients=need.clients)
        if isinstance(value.get("channel"), str) and value["channel"] not in {"json", "text"}:
            self._report.add("stream-event-v1/channel", f"the channel is {value['channel']!r:.40}")
        self._done = self._done or kind == "done"
        self._failed = self._failed or kind == "error"
        if kind == "tool_call" and is_int(value.get("index")):
            self._call(value["index"], value)

    def close(self) -> None:
        """A stream says that it is done."""
        if not self._done:
            self._report.add("stream-event-v1/done-missing", "the stream ends without `done`")

    def _call(self, index: int, value: dict[str, Any]) -> None:
        is_delta = value.get("isDelta") is True
        if index not in self._whole and not text_of(value.get("name")):
            self._report.add("stream-event-v1/call-name", f"call {index} begins without its name")
        if self._whole.get(index):
            self._report.add("stream-event-v1/call-delta", f"call {index} was whole, and goes on")
        elif is_delta and not isinstance(value.get("arguments"), str):
            self._report.add("stream-event-v1/call-delta", f"a delta of call {index} is no string")
        self._whole[index] = not is_delta


CHECKLIST: Final = Checklist(
    protocol="stream-event-v1",
    framings=("ndjson", "sse"),
    clients=("uicp",),
    rules=RULES,
    machine=_Machine,
)
