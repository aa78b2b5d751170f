"""The AI SDK's UI message stream: what its own reader, and `useChat` above it, hold a stream to.

Knows: chunks and the parts that they open. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.jsontext import is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, rules

RULES: Final = rules(
    Rule(
        id="ai-sdk-ui/unknown-type",
        title="only types of chunk that the AI SDK knows",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="Every chunk is held to a closed union; one that is not in it ends the stream. A type of one's own is called `data-NAME`.",
    ),
    Rule(
        id="ai-sdk-ui/member",
        title="every chunk has its members, and none of them is null",
        effects={"ai-sdk": "crash"},
        reference="measured member by member",
        explain="What is not known is left out: null is not the same as absent, except for `input`, `output` and `data`.",
    ),
    Rule(
        id="ai-sdk-ui/part-not-started",
        title="`text-start` or `reasoning-start` comes before the deltas and the end of its part",
        effects={"ai-sdk": "crash"},
        reference="measured; vercel/ai#16433",
        explain="`Received text-delta for missing text part`. An end closes the part: a second one finds none, and after `finish-step` all are closed.",
    ),
    Rule(
        id="ai-sdk-ui/part-reused",
        title="a part's id is used once in a message",
        effects={"ai-sdk": "wrong"},
        reference="measured; vercel/ai#10781",
        explain="A second start with the same id while the first is open leaves a part that nobody closes; over steps, later text appears in the earlier part.",
    ),
    Rule(
        id="ai-sdk-ui/part-open",
        title="every part is ended before its step or message is",
        effects={"ai-sdk": "wrong"},
        reference="measured; pydantic/pydantic-ai#6550",
        explain="The part stays in state `streaming`: a spinner that never stops. Close what is open also before an error.",
    ),
    Rule(
        id="ai-sdk-ui/tool-not-started",
        title="`tool-input-start` comes before the deltas of its input",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="A call that comes whole, as `tool-input-available`, needs no start.",
    ),
    Rule(
        id="ai-sdk-ui/tool-unknown",
        title="a tool's output names a call of the same message",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="The output is written into the part of its call. Calls of an earlier message are known to a client that continues it: send them again.",
    ),
    Rule(
        id="ai-sdk-ui/finish-value",
        title="the finish reason is one of the AI SDK's",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="stop, length, content-filter, tool-calls, error, other: with hyphens. `interrupted` is known to the newest readers only.",
    ),
    Rule(
        id="ai-sdk-ui/metadata",
        title="`providerMetadata` is an object of objects",
        effects={"ai-sdk": "crash"},
        reference="measured",
        explain="Its first level is the provider's name.",
    ),
    Rule(
        id="ai-sdk-ui/start-repeated",
        title="`start` comes once",
        effects={"ai-sdk": "wrong"},
        reference="zirkelc/ai-retry#51",
        explain="A retry that sends its preamble again begins another message in the middle of one.",
    ),
    Rule(
        id="ai-sdk-ui/end-missing",
        title="the stream ends with `finish`, `abort` or `error`",
        effects={"ai-sdk": "wrong"},
        reference="measured",
        explain="The reader reports no error when the bytes end: a cut message passes for a whole one.",
    ),
    Rule(
        id="ai-sdk-ui/after-end",
        title="nothing comes after `finish` or `abort`",
        effects={"ai-sdk": "wrong"},
        reference="measured",
        explain="Parts after `finish` are still added to a message that was announced as done; `finish` after `abort` is not seen.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"a": "ai-sdk"},
    """
    start                 messageId:text?=a
    finish                finishReason:text?=a
    text-start            id:text=a providerMetadata:object?=a
    text-delta            id:text=a delta:text=a providerMetadata:object?=a
    text-end              id:text=a providerMetadata:object?=a
    reasoning-start       id:text=a providerMetadata:object?=a
    reasoning-delta       id:text=a delta:text=a providerMetadata:object?=a
    reasoning-end         id:text=a providerMetadata:object?=a
    tool-input-start      toolCallId:text=a toolName:text=a providerExecuted:bool?=a dynamic:bool?=a title:text?=a
    tool-input-delta      toolCallId:text=a inputTextDelta:text=a
    tool-input-available  toolCallId:text=a toolName:text=a input:any=a providerExecuted:bool?=a dynamic:bool?=a title:text?=a
    tool-input-error      toolCallId:text=a toolName:text=a input:any=a errorText:text=a providerExecuted:bool?=a dynamic:bool?=a
    tool-output-available toolCallId:text=a output:any=a providerExecuted:bool?=a dynamic:bool?=a preliminary:bool?=a
    tool-output-error     toolCallId:text=a errorText:text=a providerExecuted:bool?=a dynamic:bool?=a
    tool-output-denied    toolCallId:text=a
    tool-approval-request toolCallId:text=a approvalId:text=a
    tool-approval-response approvalId:text=a
    source-url            sourceId:text=a url:text=a title:text?=a
    source-document       sourceId:text=a mediaType:text=a title:text=a filename:text?=a
    file                  url:text=a mediaType:text=a
    reasoning-file        url:text=a mediaType:text=a
    custom                kind:text=a
    abort                 reason:text?=a
    error                 errorText:text=a
    data                  id:text?=a data:any=a transient:bool?=a
    """,
)
_KNOWN: Final = _NEEDS.keys() | {"start-step", "finish-step", "message-metadata", "reset-step", "steering-message"}
_FINISHES: Final = frozenset("stop length content-filter tool-calls error other interrupted".split())
_CALL_OPENERS: Final = frozenset({"tool-input-start", "tool-input-available", "tool-input-error"})
_CALL_ENDS: Final = frozenset({"tool-output-available", "tool-output-error", "tool-output-denied"})
_AFTER_END: Final = frozenset({"message-metadata", "data"})


class _Machine:
    """One message."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._started = self._failed = False
        self._ended = ""
        self._open: dict[tuple[str, str], int] = {}
        self._used: set[tuple[str, str]] = set()
        self._calls: set[str] = set()
        self._streamed: set[str] = set()

    def done(self) -> None:
        """Sent by the AI SDK itself, and not asked for."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one chunk."""
        said = text_of(value.get("type"))
        kind = "data" if said.startswith("data-") else said
        if kind not in _KNOWN or said == "data":
            self._report.add(
                "ai-sdk-ui/unknown-type", f"no chunk is called `{said}`" if said else "the chunk has no `type`"
            )
            return
        if self._ended and kind not in _AFTER_END:
            self._report.add("ai-sdk-ui/after-end", f"`{said}` comes after `{self._ended}`")
        for need, how in missing(value, _NEEDS.get(kind, ())):
            self._report.add("ai-sdk-ui/member", f"{said}: {how}", clients=need.clients)
        self._metadata(value.get("providerMetadata"))
        thing, _, step = kind.rpartition("-")
        if thing in {"text", "reasoning"} and step in {"start", "delta", "end"}:
            self._part(thing, step, text_of(value.get("id")))
        elif kind.startswith("tool-"):
            self._tool(kind, text_of(value.get("toolCallId")))
        else:
            self._whole(kind, value)

    def close(self) -> None:
        """A message says that it is over."""
        if not self._ended and not self._failed:
            self._report.add("ai-sdk-ui/end-missing", "the stream ends without `finish`, `abort` or `error`")

    def _metadata(self, value: Any) -> None:
        if is_object(value) and not all(is_object(member) for member in value.values()):
            self._report.add("ai-sdk-ui/metadata", "`providerMetadata` has a member that is no object")

    def _whole(self, kind: str, value: dict[str, Any]) -> None:
        if kind == "start":
            if self._started:
                self._report.add("ai-sdk-ui/start-repeated", "`start` comes a second time")
            self._started = True
        elif kind == "error":
            self._failed = True
        elif kind in {"finish-step", "finish"}:
            self._all_ended(kind)
        if kind in {"finish", "abort"}:
            self._ended = self._ended or kind
        finish = value.get("finishReason") if kind == "finish" else None
        if isinstance(finish, str) and finish not in _FINISHES:
            self._report.add("ai-sdk-ui/finish-value", f"`finishReason` is {finish!r:.40}")

    def _all_ended(self, kind: str) -> None:
        for (thing, part), at in self._open.items():
            self._report.add("ai-sdk-ui/part-open", f"`{kind}` comes and {thing} `{part}` is still open", at=at)
        self._open.clear()

    def _part(self, thing: str, step: str, part: str) -> None:
        key = (thing, part)
        if step == "start":
            if key in self._used:
                self._report.add("ai-sdk-ui/part-reused", f"{thing} `{part}` is started a second time")
            self._used.add(key)
            self._open[key] = self._report.at
        elif key not in self._open:
            self._report.add("ai-sdk-ui/part-not-started", f"`{thing}-{step}` for `{part}`, which is not open")
        elif step == "end":
            del self._open[key]

    def _tool(self, kind: str, call: str) -> None:
        if kind in _CALL_OPENERS:
            self._calls.add(call)
            if kind == "tool-input-start":
                self._streamed.add(call)
        elif kind == "tool-input-delta" and call not in self._streamed:
            self._report.add("ai-sdk-ui/tool-not-started", f"an input of `{call}`, which was not started")
        elif kind in _CALL_ENDS and call not in self._calls:
            self._report.add("ai-sdk-ui/tool-unknown", f"`{kind}` for `{call}`, which nobody called")


CHECKLIST: Final = Checklist(
    protocol="ai-sdk-ui",
    framings=("sse",),
    clients=("ai-sdk",),
    rules=RULES,
    machine=_Machine,
)
