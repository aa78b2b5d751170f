"""Anthropic Messages: what the official SDKs, the AI SDK and Claude Code hold a stream to.

Knows: the message and its blocks. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.framing.json_values import OpenValue
from weft.jsontext import decode, is_object
from weft.linting.anthropic_rules import RULES
from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs, text_of
from weft.linting.report import Report

_LETTERS: Final = {"p": "anthropic-python", "j": "anthropic-js", "a": "ai-sdk", "c": "claude-code"}
_NEEDS: Final = needs(
    _LETTERS,
    """
    message_start         message:object=pjac message.content:list=pjc message.usage:object=pjac message.usage.input_tokens:int=ac
    content_block_start   index:int=ac content_block:object=pac content_block.type:id=ac
    content_block_delta   index:int=pac delta:object=pjac delta.type:id=ac
    content_block_stop    index:int=pa
    message_delta         delta:object=pja usage:object=pjac usage.output_tokens:int=ac
    start/redacted_thinking content_block.data:text=a
    start/mcp_tool_use    content_block.id:id=a content_block.name:id=a content_block.server_name:text=a
    start/result          content_block.tool_use_id:text=a
    start/text            content_block.text:text=pa
    start/thinking        content_block.thinking:text=pa
    start/tool_use        content_block.id:id=ac content_block.name:id=ac content_block.input:object?=a
    start/server_tool_use content_block.id:id=a content_block.name:id=a content_block.input:object?=a
    delta/text_delta      delta.text:text=pa
    delta/thinking_delta  delta.thinking:text=pa
    delta/signature_delta delta.signature:text=a
    delta/input_json_delta delta.partial_json:text=pja
    delta/citations_delta delta.citation:object=a delta.citation.type:id=a
    """,
)
_EVENTS: Final = frozenset(
    "message_start message_delta message_stop content_block_start content_block_delta content_block_stop ping error".split()
)
_AFTER_STOP: Final = frozenset({"message_start", "ping", "error"})
"""A message that begins behind another is told by its own rule."""
_BLOCKS: Final = frozenset(
    "text thinking redacted_thinking tool_use server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result "
    "bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result mcp_tool_use mcp_tool_result "
    "advisor_tool_result container_upload compaction fallback".split()
)
_BLOCKS_OF: Final = {
    "text_delta": frozenset({"text"}),
    "thinking_delta": frozenset({"thinking"}),
    "signature_delta": frozenset({"thinking"}),
    "input_json_delta": frozenset({"tool_use", "server_tool_use", "mcp_tool_use"}),
    "citations_delta": frozenset({"text"}),
    "compaction_delta": frozenset({"compaction"}),
}
"""The kinds of delta, and the blocks that each belongs to."""


class _Block:
    """One block from start to stop."""

    __slots__ = ("at", "input", "kind", "stopped")

    def __init__(self, kind: str, at: int) -> None:
        self.kind = kind
        self.at = at
        self.stopped = False
        self.input: list[str] = []


class _Machine:
    """One message."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._started = self._over = self._failed = False
        self._stop_reason = ""
        self._blocks: dict[int, _Block] = {}
        self._open: set[int] = set()
        self._take = {
            "message_start": self._message_start,
            "content_block_start": self._block_start,
            "content_block_delta": self._block_delta,
            "content_block_stop": self._block_stop,
            "message_delta": self._message_delta,
            "message_stop": self._message_stop,
            "error": self._error,
        }

    def done(self) -> None:
        """Some servers send it here too, and nobody minds."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one event."""
        kind = text_of(value.get("type"))
        if not name or (kind and name != kind):
            said = f"is named `{name}`" if name else "has no `event:` line"
            self._report.add("anthropic/event-name", f"`{kind or 'a frame without type'}` {said}")
        if not kind:
            self._untyped(value, name)
            return
        if kind not in _EVENTS:
            self._report.add("anthropic/unknown-event", f"no event is called `{kind}`")
            return
        if not self._started and kind not in {"message_start", "ping", "error"}:
            self._report.add("anthropic/first-message-start", f"`{kind}` comes before `message_start`")
            self._started = True
        if self._over and kind not in _AFTER_STOP:
            self._report.add("anthropic/after-message-stop", f"`{kind}` comes after `message_stop`")
        self._need(kind, value, kind)
        if kind in self._take:
            self._take[kind](value)

    def close(self) -> None:
        """A message ends with its stop or with an error."""
        if not self._over and not self._failed:
            self._report.add("anthropic/message-stop-missing", "the stream ends without `message_stop`")

    def _untyped(self, value: dict[str, Any], name: str) -> None:
        if name == "error" or is_object(value.get("error")):
            self._failed = True
            self._report.add("anthropic/error-form", "the error has no `type: error`")
        else:
            self._report.add("anthropic/type-missing", "the frame has no `type`")

    def _need(self, row: str, value: dict[str, Any], where: str) -> None:
        for need, how in missing(value, _NEEDS.get(row, ())):
            self._report.add("anthropic/member", f"{where}: {how}", clients=need.clients)

    # -- the message ---------------------------------------------------------------------------------------------

    def _message_start(self, value: dict[str, Any]) -> None:
        if self._started:
            self._report.add("anthropic/message-start-twice", "`message_start` comes a second time")
        self._started = True
        message = value.get("message")
        if is_object(message):
            self._stop_reason = text_of(message.get("stop_reason"))

    def _message_delta(self, value: dict[str, Any]) -> None:
        delta = value.get("delta")
        if is_object(delta):
            self._stop_reason = text_of(delta.get("stop_reason")) or self._stop_reason
        self._all_stopped()

    def _message_stop(self, value: dict[str, Any]) -> None:
        self._all_stopped()
        if not self._stop_reason and not self._over:
            self._report.add("anthropic/stop-reason-missing", "`message_stop`, and no stop reason has come")
        self._over = True

    def _all_stopped(self) -> None:
        for index in sorted(self._open):
            block = self._blocks[index]
            self._report.add("anthropic/block-not-stopped", f"block {index} ({block.kind}) is still open", at=block.at)
        self._open.clear()

    def _error(self, value: dict[str, Any]) -> None:
        self._failed = True
        error = value.get("error")
        if not is_object(error) or not text_of(error.get("type")) or not isinstance(error.get("message"), str):
            self._report.add("anthropic/error-form", "the error does not say its type and message under `error`")

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_start(self, value: dict[str, Any]) -> None:
        index, block = value.get("index"), value.get("content_block")
        if not is_object(block):
            return
        index = index if is_int(index) else len(self._blocks)
        kind = text_of(block.get("type"))
        self._need(
            "start/result" if kind.endswith("_tool_result") else f"start/{kind}", value, f"content_block_start ({kind})"
        )
        if kind and kind not in _BLOCKS:
            self._report.add("anthropic/unknown-block", f"no block is called `{kind}`")
        if index in self._blocks:
            self._report.add("anthropic/index-reused", f"two blocks have the index {index}")
        elif index != len(self._blocks):
            self._report.add("anthropic/index-order", f"block {index} starts where {len(self._blocks)} is due")
        if self._open:
            self._report.add(
                "anthropic/blocks-concurrent", f"block {index} starts while block {max(self._open)} is open"
            )
        if kind == "tool_use" and block.get("input"):
            self._report.add("anthropic/input-in-start", f"the input of block {index} comes with its start")
        self._blocks[index] = _Block(kind, self._report.at)
        self._open.add(index)

    def _block_delta(self, value: dict[str, Any]) -> None:
        index, delta = value.get("index"), value.get("delta")
        if not is_int(index) or not is_object(delta):
            return
        kind = text_of(delta.get("type"))
        self._need(f"delta/{kind}", value, f"content_block_delta ({kind})")
        block = self._blocks.get(index)
        if block is None:
            self._report.add("anthropic/block-unknown", f"a {kind} for block {index}, which was never started")
        elif block.stopped:
            self._report.add("anthropic/delta-after-stop", f"a {kind} for block {index}, which was stopped")
        elif kind not in _BLOCKS_OF:
            if kind:
                self._report.add("anthropic/unknown-delta", f"no delta is called `{kind}`")
        elif block.kind not in _BLOCKS_OF[kind]:
            if block.kind in _BLOCKS:
                self._report.add("anthropic/delta-kind", f"a {kind} in block {index}, which is {block.kind}")
        elif kind == "input_json_delta":
            block.input.append(text_of(delta.get("partial_json")))

    def _block_stop(self, value: dict[str, Any]) -> None:
        index = value.get("index")
        if not is_int(index):
            return
        block = self._blocks.get(index)
        if block is None:
            self._report.add("anthropic/block-unknown", f"a stop for block {index}, which was never started")
            return
        if block.stopped:
            self._report.add("anthropic/block-stopped-twice", f"block {index} is stopped a second time")
        block.stopped = True
        self._open.discard(index)
        text = "".join(block.input)
        block.input.clear()
        if text and _is_malformed(text.encode("utf-8", "surrogatepass")):
            self._report.add("anthropic/input-json", f"the input of block {index} is not JSON")


def _is_malformed(text: bytes) -> bool:
    """Is this no JSON, nor the beginning of an object that was cut off? The SDKs take the latter, and so do others."""
    try:
        decode(text)
    except ValueError:
        return not text.lstrip().startswith(b"{") or OpenValue().add(text.lstrip()) >= 0
    return False


CHECKLIST: Final = Checklist(
    protocol="anthropic",
    framings=("sse",),
    clients=("anthropic-python", "anthropic-js", "ai-sdk", "claude-code", "amp"),
    rules=RULES,
    machine=_Machine,
)
