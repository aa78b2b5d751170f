"""Bedrock's ConverseStream: what botocore's model and the libraries above it hold a stream to.

Knows: the events of a message. Must not know: frames as bytes and their checksums.
"""

from typing import Any, Final

from weft.jsontext import decode_object, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs, text_of
from weft.linting.report import Report
from weft.linting.rule import Rule, rules

_MODEL: Final = "botocore's model of the operation"

RULES: Final = rules(
    Rule(
        id="bedrock/unknown-event",
        title="every frame is an event or an exception of ConverseStream",
        effects={"boto3": "ignore"},
        reference=_MODEL,
        explain="The kind of an event stands in the frame's `:event-type` header; boto3 hands out what it does not know as `SDK_UNKNOWN_MEMBER`, without "
        "its content.",
    ),
    Rule(
        id="bedrock/member",
        title="every event has the members that the model requires",
        effects={"boto3": "wrong"},
        reference=_MODEL,
        explain="boto3 leaves out what is absent or of another type, and callers that follow the model fail with KeyError.",
    ),
    Rule(
        id="bedrock/first-message-start",
        title="`messageStart` comes first, and once",
        effects={"boto3": "wrong"},
        reference=_MODEL,
        explain="Callers begin their message there.",
    ),
    Rule(
        id="bedrock/call-not-started",
        title="`contentBlockStart` announces a call before its input",
        effects={"boto3": "wrong"},
        reference="the service's own streams; it is left out for text and reasoning only",
        explain="The id and the name of a call come with the start alone.",
    ),
    Rule(
        id="bedrock/block-reused",
        title="nothing comes for a block that was stopped",
        effects={"boto3": "wrong"},
        reference="the service's own streams",
        explain="Callers close the block at its stop, and add what follows to another one or lose it.",
    ),
    Rule(
        id="bedrock/block-not-stopped",
        title="every block is stopped before the message, unless it is a call that was cut off",
        effects={"boto3": "wrong"},
        reference="the service's own streams",
        explain="Callers run a call when its block stops.",
    ),
    Rule(
        id="bedrock/message-stop-missing",
        title="the stream ends with `messageStop`, or with an exception",
        effects={"boto3": "wrong"},
        reference=_MODEL,
        explain="boto3 ends its loop without an error when the frames end: a cut answer passes for a whole one.",
    ),
    Rule(
        id="bedrock/usage-missing",
        title="`metadata` brings the usage",
        effects={"boto3": "wrong"},
        reference="the service's own streams",
        explain="It comes behind `messageStop` and is the only place where tokens are told.",
    ),
)  # fmt: skip

_NEEDS: Final = needs(
    {"b": "boto3"},
    """
    messageStart       role:text=b
    contentBlockStart  contentBlockIndex:int=b start:object=b
    contentBlockDelta  contentBlockIndex:int=b delta:object=b
    contentBlockStop   contentBlockIndex:int=b
    messageStop        stopReason:id=b
    metadata           usage:object=b usage.inputTokens:int=b usage.outputTokens:int=b usage.totalTokens:int=b metrics:object=b
    call               start.toolUse.toolUseId:id=b start.toolUse.name:id=b
    input              delta.toolUse.input:text=b
    """,
)
_EXCEPTIONS: Final = ("exception:", "error:")


class _Machine:
    """One message."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._started = self._stopped = self._counted = self._failed = False
        self._inputs: dict[int, list[str]] = {}
        self._open: dict[int, int] = {}
        self._closed: set[int] = set()

    def done(self) -> None:
        """There is no such marker in this framing."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one event, which its frame's header names."""
        if name.startswith(_EXCEPTIONS):
            self._failed = True
            return
        if name not in _NEEDS or name in {"call", "input"}:
            self._report.add("bedrock/unknown-event", f"no event is called `{name}`")
            return
        if (name == "messageStart") == self._started:
            how = "comes a second time" if self._started else "comes before `messageStart`"
            if name == "messageStart" or not self._started:
                self._report.add("bedrock/first-message-start", f"`{name}` {how}")
        self._started = True
        self._need(name, value)
        index = value.get("contentBlockIndex")
        if is_int(index):
            self._of_block(name, index, value)
        elif name == "messageStop":
            self._stopped = True
            self._all_stopped()
        self._counted = self._counted or (name == "metadata" and is_object(value.get("usage")))

    def close(self) -> None:
        """A message ends, and its tokens are told."""
        if self._failed:
            return
        if not self._stopped:
            self._report.add("bedrock/message-stop-missing", "the stream ends without `messageStop`")
        elif not self._counted:
            self._report.add("bedrock/usage-missing", "the stream ends without `metadata`")

    def _all_stopped(self) -> None:
        """A call whose input is not all there may stay open: at its stop a client would run it."""
        for block, at in self._open.items():
            said = "".join(self._inputs.get(block, ()))
            if block not in self._inputs or (said and decode_object(said) is not None):
                self._report.add("bedrock/block-not-stopped", f"block {block} is still open", at=at)
        self._open.clear()

    def _of_block(self, name: str, index: int, value: dict[str, Any]) -> None:
        if index in self._closed:
            self._report.add("bedrock/block-reused", f"`{name}` for block {index}, which was stopped")
            return
        self._open.setdefault(index, self._report.at)
        if name == "contentBlockStop":
            self._closed.add(index)
            del self._open[index]
            self._inputs.pop(index, None)
        elif name == "contentBlockStart" and is_object(value.get("start")) and "toolUse" in value["start"]:
            self._inputs[index] = []
            self._need("call", value)
        elif name == "contentBlockDelta" and is_object(value.get("delta")) and "toolUse" in value["delta"]:
            self._need("input", value)
            if index in self._inputs:
                self._inputs[index].append(_input_of(value["delta"]["toolUse"]))
            else:
                self._report.add("bedrock/call-not-started", f"the input of block {index} comes before its start")

    def _need(self, row: str, value: dict[str, Any]) -> None:
        for need, how in missing(value, _NEEDS[row]):
            self._report.add("bedrock/member", f"{text_of(row)}: {how}", clients=need.clients)


def _input_of(call: Any) -> str:
    return text_of(call.get("input")) if is_object(call) else ""


CHECKLIST: Final = Checklist(
    protocol="bedrock",
    framings=("aws",),
    clients=("boto3",),
    rules=RULES,
    machine=_Machine,
)
