"""AG-UI: what the client for TypeScript holds a run to.

Knows: the run, and what is open in it. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.jsontext import is_array, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, all_of, rules

RULES: Final = rules(
    Rule(
        id="ag-ui/unknown-type",
        title="only types of event that AG-UI has, in capitals",
        effects=all_of("ignore", "ag-ui"),
        reference="measured",
        explain="The client drops what it does not know with a warning; before 1.0 it failed. What is one's own goes into `CUSTOM`.",
    ),
    Rule(
        id="ag-ui/member",
        title="every event has its members, in camelCase, and none of them is null",
        effects=all_of("crash", "ag-ui"),
        reference="measured member by member",
        explain="Every event is held to a schema. What is not known is left out; null is taken for `parentMessageId` and `outcome` only.",
    ),
    Rule(
        id="ag-ui/first-run-started",
        title="`RUN_STARTED` comes first, or `RUN_ERROR`",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="The client refuses anything else as the first event.",
    ),
    Rule(
        id="ag-ui/run-started-twice",
        title="a run is started once before it is finished",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="`RUN_STARTED` again is allowed behind `RUN_FINISHED` only.",
    ),
    Rule(
        id="ag-ui/started-twice",
        title="what is open is not started again",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="Messages, reasoning, calls and steps are known by their ids; several may be open at once, each once.",
    ),
    Rule(
        id="ag-ui/not-started",
        title="content, arguments and ends name what is open",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="AGUIError: no active message or call with that id.",
    ),
    Rule(
        id="ag-ui/open-at-finish",
        title="nothing is open when the run is finished",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="`Cannot send 'RUN_FINISHED' while … are still active`: messages, reasoning and its span, calls, steps. `RUN_ERROR` may come with things open.",
    ),
    Rule(
        id="ag-ui/after-end",
        title="nothing comes after `RUN_FINISHED` but a new run, and nothing at all after `RUN_ERROR`",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="`The run has already finished`.",
    ),
    Rule(
        id="ag-ui/chunk-id",
        title="the first chunk of a message or call has its id, that of a call its name too",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="`First TEXT_MESSAGE_CHUNK must have a messageId`. Later chunks go on with what the last one opened.",
    ),
    Rule(
        id="ag-ui/token-count",
        title="token counts are integers",
        effects=all_of("crash", "ag-ui"),
        reference="measured",
        explain="The schema of `usage` takes safe integers only.",
    ),
    Rule(
        id="ag-ui/end-missing",
        title="the stream ends with `RUN_FINISHED` or `RUN_ERROR`",
        effects=all_of("wrong", "ag-ui"),
        reference="measured",
        explain="The client completes silently with what it has: a cut answer passes for a whole one.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"a": "ag-ui"},
    """
    RUN_STARTED                threadId:text=a runId:text=a parentRunId:text?=a
    RUN_FINISHED               threadId:text=a runId:text=a
    RUN_ERROR                  message:text=a code:text?=a
    STEP_STARTED               stepName:text=a
    STEP_FINISHED              stepName:text=a
    TEXT_MESSAGE_START         messageId:text=a role:text?=a name:text?=a
    TEXT_MESSAGE_CONTENT       messageId:text=a delta:text=a
    TEXT_MESSAGE_END           messageId:text=a
    TEXT_MESSAGE_CHUNK         messageId:text?=a role:text?=a delta:text?=a name:text?=a
    TOOL_CALL_START            toolCallId:text=a toolCallName:text=a
    TOOL_CALL_ARGS             toolCallId:text=a delta:text=a
    TOOL_CALL_END              toolCallId:text=a
    TOOL_CALL_CHUNK            toolCallId:text?=a toolCallName:text?=a delta:text?=a
    TOOL_CALL_RESULT           messageId:text=a toolCallId:text=a content:any=a
    REASONING_START            messageId:text=a
    REASONING_END              messageId:text=a
    REASONING_MESSAGE_START    messageId:text=a role:text=a
    REASONING_MESSAGE_CONTENT  messageId:text=a delta:text=a
    REASONING_MESSAGE_END      messageId:text=a
    REASONING_MESSAGE_CHUNK    messageId:text?=a delta:text?=a
    REASONING_ENCRYPTED_VALUE  subtype:text=a entityId:text=a encryptedValue:text=a
    STATE_SNAPSHOT             snapshot:any=a
    STATE_DELTA                delta:list=a
    MESSAGES_SNAPSHOT          messages:list=a
    ACTIVITY_SNAPSHOT          messageId:text=a activityType:text=a
    ACTIVITY_DELTA             messageId:text=a activityType:text=a
    RAW                        event:any=a source:text?=a
    CUSTOM                     name:text=a value:any=a
    """,
)
_KNOWN: Final = _NEEDS.keys() | {"SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR"}
_SPANS: Final = {
    "TEXT_MESSAGE": "messageId",
    "TOOL_CALL": "toolCallId",
    "REASONING_MESSAGE": "messageId",
    "REASONING": "messageId",
    "STEP": "stepName",
}
"""What can be open, and the member that tells one from another."""
_MOVES: Final = {
    "START": "start",
    "STARTED": "start",
    "CONTENT": "goes on",
    "ARGS": "goes on",
    "END": "end",
    "FINISHED": "end",
    "CHUNK": "chunk",
}


class _Machine:
    """One run, or several behind each other."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._running = False
        self._ended = ""
        self._open: dict[tuple[str, str], int] = {}
        self._chunked: set[str] = set()

    def done(self) -> None:
        """That there is no such marker here, the transport tells."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one event."""
        kind = text_of(value.get("type"))
        if not kind:
            self._report.add("ag-ui/member", "the event has no `type`")
            return
        if kind not in _KNOWN and not kind.startswith("THINKING_"):
            self._report.add("ag-ui/unknown-type", f"no event is called `{kind}`")
            return
        for need, how in missing(value, _NEEDS.get(kind, ())):
            self._report.add("ag-ui/member", f"{kind}: {how}", clients=need.clients)
        if "timestamp" in value and not isinstance(value["timestamp"], int | float):
            self._report.add("ag-ui/member", f"{kind}: `timestamp` is not a number")
        self._order(kind)
        if kind.startswith("RUN_"):
            self._run(kind, value)
        else:
            self._span(kind, value)

    def close(self) -> None:
        """A run ends."""
        if not self._ended:
            self._report.add("ag-ui/end-missing", "the stream ends without `RUN_FINISHED` or `RUN_ERROR`")

    def _order(self, kind: str) -> None:
        if self._ended and (kind != "RUN_STARTED" or self._ended == "RUN_ERROR"):
            self._report.add("ag-ui/after-end", f"`{kind}` comes after `{self._ended}`")
        elif not self._running and kind not in {"RUN_STARTED", "RUN_ERROR"}:
            self._report.add("ag-ui/first-run-started", f"`{kind}` comes before `RUN_STARTED`")
            self._running = True
        elif self._running and kind == "RUN_STARTED":
            self._report.add("ag-ui/run-started-twice", "`RUN_STARTED` comes while a run is going on")

    def _run(self, kind: str, value: dict[str, Any]) -> None:
        self._running = kind == "RUN_STARTED"
        self._ended = "" if self._running else kind
        if kind == "RUN_FINISHED":
            for (thing, which), at in self._open.items():
                self._report.add("ag-ui/open-at-finish", f"{thing} `{which}` is still open", at=at)
            self._usage(value.get("usage"))
        self._open.clear()
        self._chunked.clear()

    def _usage(self, usage: Any) -> None:
        for entry in usage if is_array(usage) else ():
            for member, count in entry.items() if is_object(entry) else ():
                if member.endswith("Tokens") and not is_int(count):
                    self._report.add("ag-ui/token-count", f"`{member}` is {count!r:.40}")

    def _span(self, kind: str, value: dict[str, Any]) -> None:
        thing, _, step = kind.rpartition("_")
        move = _MOVES.get(step)
        if thing not in _SPANS or move is None:
            return
        which = text_of(value.get(_SPANS[thing]))
        if move == "chunk":
            self._chunk(thing, which, value)
            return
        key = (thing, which)
        if move == "start":
            if key in self._open:
                self._report.add("ag-ui/started-twice", f"{thing} `{which}` is open and starts again")
            self._open[key] = self._report.at
        elif key not in self._open:
            self._report.add("ag-ui/not-started", f"`{kind}` for `{which}`, which is not open")
        elif move == "end":
            del self._open[key]

    def _chunk(self, thing: str, which: str, value: dict[str, Any]) -> None:
        has_name = thing != "TOOL_CALL" or bool(text_of(value.get("toolCallName")))
        if thing not in self._chunked and not (which and has_name):
            self._report.add("ag-ui/chunk-id", f"the first {thing}_CHUNK does not say what it opens")
        self._chunked.add(thing)


CHECKLIST: Final = Checklist(
    protocol="ag-ui",
    framings=("sse",),
    clients=("ag-ui",),
    rules=RULES,
    machine=_Machine,
)
