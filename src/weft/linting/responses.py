"""OpenAI Responses: what Codex, the two SDK helpers and the AI SDK hold a stream to.

Knows: the lifecycle of a response, of its items and of their parts. Must not know: lines and framing.
"""

from typing import Any, Final

from weft.jsontext import is_array, is_object
from weft.linting.checklist import Checklist
from weft.linting.needs import is_int, missing, needs, text_of
from weft.linting.report import Report
from weft.linting.responses_rules import RULES

_LETTERS: Final = {"p": "openai-python", "j": "openai-js", "a": "ai-sdk", "c": "codex", "g": "grok-cli"}
_NEEDS: Final = needs(
    _LETTERS,
    """
    response.created              response:object=pja response.id:id=pja response.created_at:number=a response.model:text=a
    response.created              response.status:text=g response.output:list=g
    response.in_progress          response.status:text=g response.output:list=g
    response.completed            response.output:any=g
    response.incomplete           response.output:any=g
    response.failed               response.output:any=g
    output                        response.output:list~=p
    response.in_progress          response:object=pja response.id:id=pja response.created_at:number=a response.model:text=a
    response.completed            response:object=pjac response.id:id=pjc response.status:text=pj
    response.incomplete           response:object=pjac response.id:id=pj response.status:text=pj
    response.failed               response:object=pjac response.id:id=pj response.status:text=pj
    response.output_item.added    output_index:int=pja item:object=pjac item.type:id=pjac
    response.output_item.done     output_index:int=ja item:object=pjac item.type:id=pjac
    response.content_part.added   item_id:id=j output_index:int=pj content_index:int=j part:object=pj part.type:id=pj
    response.content_part.done    item_id:id=j output_index:int=j content_index:int=j part:object=j part.type:id=j
    response.output_text.delta    item_id:id=ja output_index:int=pj content_index:int=pj delta:text=pac
    response.output_text.done     item_id:id=j output_index:int=pj content_index:int=pj text:text=j
    response.refusal.delta        item_id:id=j output_index:int=pj content_index:int=pj delta:text=pa
    response.refusal.done         item_id:id=j output_index:int=pj content_index:int=pj refusal:text=j
    response.reasoning_text.delta item_id:id=j output_index:int=j content_index:int=j delta:text=c
    response.reasoning_text.done  item_id:id=j output_index:int=j content_index:int=j text:text=j
    response.reasoning_summary_part.added  item_id:id=ja output_index:int=j summary_index:int=jac part:object=j
    response.reasoning_summary_part.done   item_id:id=ja output_index:int=j summary_index:int=ja
    response.reasoning_summary_text.delta  item_id:id=ja output_index:int=j summary_index:int=jac delta:text=ac
    response.reasoning_summary_text.done   item_id:id=j output_index:int=j summary_index:int=j
    response.function_call_arguments.delta item_id:id=ja output_index:int=pja delta:text=pa
    response.function_call_arguments.done  item_id:id=ja output_index:int=ja arguments:text=a
    response.custom_tool_call_input.delta  item_id:id=ja output_index:int=ja delta:text=ac
    response.custom_tool_call_input.done   item_id:id=ja output_index:int=ja input:text=a
    added/message                 item.id:id=pja item.content:list=pj
    added/reasoning               item.id:id=pja item.summary:list=jc
    added/function_call           item.id:id=ja item.call_id:id=pja item.name:id=a item.arguments:text=pa
    added/custom_tool_call        item.id:id=ja item.call_id:id=pja item.name:id=a item.input:text=a
    done/message                  item.id:id=pja item.content:list=jc
    done/reasoning                item.id:id=pja item.summary:list=c
    done/function_call            item.id:id=pja item.status:text=a item.call_id:id=pjac item.name:id=ac item.arguments:text=ac
    done/custom_tool_call         item.id:id=pja item.call_id:id=pjac item.name:id=ac item.input:text=ac
    final/message                 content:list~=p
    part/output_text              part.text:text=pj
    usage                         input_tokens:int=ac output_tokens:int=ac total_tokens:int=c
    usage                         input_tokens_details:object?=c input_tokens_details.cached_tokens:int=c
    usage                         output_tokens_details:object?=c output_tokens_details.reasoning_tokens:int=c
    """,
)

_LIFECYCLE: Final = frozenset({"queued", "created", "in_progress", "completed", "incomplete", "failed"})
_TERMINALS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_STEPS: Final = {
    "output_item": "added done",
    "content_part": "added done",
    "output_text": "delta done",
    "refusal": "delta done",
    "reasoning_summary_part": "added done",
    "reasoning_summary_text": "delta done",
    "reasoning_text": "delta done",
    "function_call_arguments": "delta done",
    "custom_tool_call_input": "delta done",
    "mcp_call": "in_progress completed failed",
    "mcp_call_arguments": "delta done",
    "mcp_list_tools": "in_progress completed failed",
    "web_search_call": "in_progress searching completed",
    "file_search_call": "in_progress searching completed",
    "code_interpreter_call": "in_progress interpreting completed",
    "code_interpreter_call_code": "delta done",
    "image_generation_call": "in_progress generating partial_image completed",
    "shell_call_command": "added delta done",
    "shell_call_output_content": "delta done",
    "apply_patch_call_operation_diff": "delta done",
    "audio": "delta done",
    "audio.transcript": "delta done",
    "compaction": "compacting",
    "steer": "accepted pending failed",
}
_KNOWN: Final = frozenset(
    {f"response.{thing}.{step}" for thing, steps in _STEPS.items() for step in steps.split()}
    | {f"response.{phase}" for phase in _LIFECYCLE}
    | {"response.output_text.annotation.added", "error", "keepalive"}
)
_OF_PARTS: Final = frozenset(
    f"response.{thing}.{step}" for thing in ("output_text", "refusal", "reasoning_text") for step in ("delta", "done")
)
_OF_SUMMARIES: Final = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_summary_text.done"})
_ACTIVE_FOR_CODEX: Final = frozenset({"message", "reasoning"})
_NEED_ACTIVE: Final = frozenset(
    {"response.output_text.delta", "response.reasoning_summary_text.delta", "response.reasoning_text.delta"}
)
_IDS_MAY_COME_LATE: Final = frozenset({"function_call", "custom_tool_call", "shell_call", "shell_call_output"})
_WHOLE: Final = {
    "response.output_text.done": "text",
    "response.refusal.done": "refusal",
    "response.reasoning_text.done": "text",
    "response.reasoning_summary_text.done": "text",
    "response.function_call_arguments.done": "arguments",
    "response.custom_tool_call_input.done": "input",
}
"""Events that say whole what their deltas said in pieces, and the member that they say it in."""


class _Item:
    """One output item from added to done."""

    __slots__ = ("at", "call_id", "done", "id", "parts", "pieces", "summaries", "type")

    def __init__(self, item: dict[str, Any], at: int) -> None:
        self.id = text_of(item.get("id"))
        self.type = text_of(item.get("type"))
        self.call_id = text_of(item.get("call_id"))
        self.at = at
        self.done = False
        self.parts: set[int] = set()
        self.summaries: set[int] = set()
        self.pieces: dict[tuple[str, int], list[str]] = {}


class _Machine:
    """One response. Items are known by their output index, parts by theirs within the item."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._started = False
        self._terminal = ""
        self._failed = False
        self._id = ""
        self._sequence: int | None = None
        self._items: dict[int, _Item] = {}
        self._active = False

    def done(self) -> None:
        """Some servers send it here too, and nobody minds."""

    def frame(self, value: dict[str, Any], name: str) -> None:
        """Take one event."""
        kind = text_of(value.get("type"))
        if not kind:
            self._untyped(value)
            return
        if kind not in _KNOWN:
            self._report.add("responses/unknown-event", f"no event is called `{kind}`")
            return
        if kind == "keepalive":
            self._report.add("responses/keepalive", "a keep-alive has an event of its own")
            return
        if value.get("error") and kind != "error":
            self._report.add("responses/error-member", f"`{kind}` has an `error` of its own")
        self._order(kind)
        self._number(value)
        self._members(kind, value)
        if kind == "error":
            self._failed = True
        elif kind.removeprefix("response.") in _LIFECYCLE:
            self._lifecycle(kind, value)
        else:
            self._of_item(kind, value)

    def close(self) -> None:
        """A response ends with a terminal event."""
        if self._terminal:
            return
        if self._failed:
            message = "the stream ends with an `error` event alone, which Codex ignores: `response.failed` is due"
            self._report.add("responses/no-terminal", message, clients=("codex",))
        elif self._started:
            self._report.add("responses/no-terminal", "the stream ends without completed, incomplete or failed")
        else:
            self._report.add("responses/no-terminal", "there is no response at all")

    # -- the whole -----------------------------------------------------------------------------------------------

    def _untyped(self, value: dict[str, Any]) -> None:
        if is_object(value.get("error")):
            self._failed = True  # the nested form, which the SDKs raise
        else:
            self._report.add("responses/type-missing", "the event has no `type`")

    def _order(self, kind: str) -> None:
        if self._terminal:
            self._report.add("responses/after-terminal", f"`{kind}` after `{self._terminal}`")
        if not self._started and kind not in {"response.created", "error"}:
            self._report.add("responses/first-event-created", f"`{kind}` comes before `response.created`")
        self._started = self._started or kind != "error"

    def _number(self, value: dict[str, Any]) -> None:
        number = value.get("sequence_number")
        if not is_int(number):
            self._report.add("responses/sequence-number", "`sequence_number` is missing")
            return
        if self._sequence is not None and number <= self._sequence:
            self._report.add("responses/sequence-number", f"`sequence_number` {number} comes after {self._sequence}")
        self._sequence = number

    def _members(self, kind: str, value: dict[str, Any]) -> None:
        rule = "responses/last-event" if kind in _TERMINALS else "responses/member"
        self._need(kind, value, kind, rule)
        self._need("output", value, kind, rule)
        if kind in {"response.output_item.added", "response.output_item.done"} and is_object(value.get("item")):
            item_type = text_of(value["item"].get("type"))
            self._need(f"{kind.rpartition('.')[2]}/{item_type}", value, f"{kind} ({item_type})")
        elif kind == "response.content_part.added" and is_object(value.get("part")):
            self._need(f"part/{text_of(value['part'].get('type'))}", value, kind)
        elif kind in _TERMINALS and is_object(value.get("response")) and is_object(value["response"].get("usage")):
            self._need("usage", value["response"]["usage"], f"usage of {kind}", "responses/last-event")

    def _need(self, row: str, value: dict[str, Any], where: str, rule: str = "responses/member") -> None:
        for need, how in missing(value, _NEEDS.get(row, ())):
            self._report.add(rule, f"{where}: {how}", clients=need.clients)

    def _lifecycle(self, kind: str, value: dict[str, Any]) -> None:
        response = value.get("response")
        if not is_object(response):
            self._terminal = kind if kind in _TERMINALS else self._terminal
            return
        response_id = text_of(response.get("id"))
        if self._id and response_id and response_id != self._id:
            self._report.add("responses/response-id", f"the response was `{self._id}` and is now `{response_id}`")
        self._id = self._id or response_id
        if kind in _TERMINALS and not self._terminal:
            self._terminal = kind
            self._at_end(kind, response)

    def _at_end(self, kind: str, response: dict[str, Any]) -> None:
        if kind == "response.failed":
            return
        for index, item in self._items.items():
            if not item.done:
                message = f"item {index} ({item.type}) was added and never done"
                self._report.add(
                    "responses/item-not-done", message, at=item.at, clients=self._without_done(kind, item, response)
                )
        output = response.get("output")
        if kind == "response.completed" and is_array(output):
            self._output(output)

    def _without_done(self, kind: str, item: _Item, response: dict[str, Any]) -> tuple[str, ...]:
        """Who minds that an item is never done: openai for Python does if the final output has it neither."""
        output = response.get("output")
        final = {text_of(one.get("id")) for one in output if is_object(one)} if is_array(output) else set[str]()
        lost = kind == "response.completed" and item.id not in final
        return ("ai-sdk", "codex", "openai-python") if lost else ("ai-sdk", "codex")

    def _output(self, output: list[Any]) -> None:
        """The final output is what was streamed."""
        items = [item for item in output if is_object(item)]
        types = [text_of(item.get("type")) for item in items]
        for item, kind in zip(items, types, strict=True):
            self._need(f"final/{kind}", item, f"the final output's {kind}", "responses/last-event")
        by_id = {text_of(item.get("id")): item for item in items}
        for index, item in self._items.items():
            final = by_id.get(item.id) if item.id else None
            if item.type not in types:
                self._report.add(
                    "responses/output-lost", f"the final output has no {item.type} though item {index} was one"
                )
            elif final is None and item.id:
                self._report.add(
                    "responses/item-identity", f"item {index} was `{item.id}`, an id that the final output lacks"
                )
            elif final is not None:
                self._same(item, final, f"the final output's item {index}")

    # -- items ---------------------------------------------------------------------------------------------------

    def _of_item(self, kind: str, value: dict[str, Any]) -> None:
        index = value.get("output_index")
        if not is_int(index):
            return
        if kind == "response.output_item.added":
            self._added(index, value.get("item"))
            return
        item = self._items.get(index)
        if item is None:
            self._report.add("responses/item-not-added", f"`{kind}` for item {index}, which was never added")
            return
        item_id = text_of(value.get("item_id"))
        if item_id and item.id and item_id != item.id:
            self._report.add("responses/item-id", f"`{kind}` names `{item_id}`, but item {index} is `{item.id}`")
        if kind == "response.output_item.done":
            self._item_done(item, index, value.get("item"))
            return
        if item.done and kind.endswith(".delta"):
            self._report.add("responses/delta-after-done", f"`{kind}` after item {index} was done")
        elif kind in _NEED_ACTIVE and not self._active:
            self._report.add("responses/no-active-item", f"`{kind}` while no item is the active one of Codex")
        self._of_part(kind, value, item)

    def _added(self, index: int, item: Any) -> None:
        if index in self._items:
            self._report.add("responses/index-reused", f"two items have the output index {index}")
        if is_object(item):
            self._items[index] = _Item(item, self._report.at)
            self._active = self._active or self._items[index].type in _ACTIVE_FOR_CODEX

    def _item_done(self, item: _Item, index: int, value: Any) -> None:
        item.done = True
        self._active = False
        if is_object(value):
            self._same(item, value, f"item {index}, when done,", whole=f"added/{item.type}" not in _NEEDS)
            for member, kind in (("arguments", "function_call_arguments"), ("input", "custom_tool_call_input")):
                self._adds_up(item, (kind, 0), value.get(member), f"item {index}, when done,")
        item.pieces.clear()

    def _same(self, item: _Item, value: dict[str, Any], where: str, *, whole: bool = False) -> None:
        """What an item was added with, it has still; `whole`: nor may it lack any of it, or have more.

        Kinds of item whose members are needed anyway are told by those.
        """
        for member, before in (("id", item.id), ("type", item.type), ("call_id", item.call_id)):
            now = text_of(value.get(member))
            if before and now and now != before:
                self._report.add("responses/item-identity", f"{where} has the {member} `{now}`, and had `{before}`")
            elif now != before and whole and not (member == "id" and item.type in _IDS_MAY_COME_LATE):
                what = f"has no {member}, and had `{before}`" if before else f"has the {member} `{now}`, and had none"
                self._report.add("responses/item-identity", f"{where} {what}", clients=("openai-python",))

    # -- parts ---------------------------------------------------------------------------------------------------

    def _of_part(self, kind: str, value: dict[str, Any], item: _Item) -> None:
        content, summary = value.get("content_index"), value.get("summary_index")
        part = content if is_int(content) else summary if is_int(summary) else 0
        if kind == "response.content_part.added":
            self._open(item.parts, part, "content_index")
        elif kind == "response.reasoning_summary_part.added":
            self._open(item.summaries, part, "summary_index")
        elif kind in _OF_PARTS and part not in item.parts:
            self._report.add("responses/part-not-added", f"`{kind}` for part {part}, which was never added")
        elif kind in _OF_SUMMARIES and part not in item.summaries:
            self._report.add("responses/summary-not-added", f"`{kind}` for summary part {part}, which was never added")
        thing = kind.removeprefix("response.").rpartition(".")[0]
        if kind.endswith(".delta") and isinstance(value.get("delta"), str):
            item.pieces.setdefault((thing, part), []).append(value["delta"])
        elif kind in _WHOLE:
            self._adds_up(item, (thing, part), value.get(_WHOLE[kind]), f"`{kind}`")

    def _open(self, parts: set[int], part: int, index: str) -> None:
        if part in parts:
            self._report.add("responses/part-twice", f"`{index}` {part} is added a second time")
        elif part != len(parts):
            self._report.add("responses/part-index", f"`{index}` {part} comes where {len(parts)} is due")
        parts.add(part)

    def _adds_up(self, item: _Item, key: tuple[str, int], whole: Any, where: str) -> None:
        """What is said whole is what its deltas said."""
        pieces = item.pieces.get(key)
        if pieces is None or not isinstance(whole, str):
            return
        joined = "".join(pieces)
        pieces[:] = [joined]
        if joined != whole:
            message = f"{where} says {len(whole)} characters that are not the {len(joined)} of its deltas"
            self._report.add("responses/sum", message)


CHECKLIST: Final = Checklist(
    protocol="openai-responses",
    framings=("sse",),
    clients=("openai-python", "openai-js", "ai-sdk", "codex", "grok-cli"),
    former=("openai-go",),
    rules=RULES,
    machine=_Machine,
)
