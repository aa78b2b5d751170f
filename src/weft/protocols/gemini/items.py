"""Parts that are neither text nor function calls: code that Google ran, tools that it used, media.

Knows: the members of these parts and how results find their calls. Must not know: frames, text, function calls.
What Google runs is also carried in its own form, since that is what has to go back to it.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from weft import jsontext
from weft.assembler import Assembler
from weft.protocols.gemini.calls import given
from weft.protocols.gemini.wire import Blob, FileData, Part, ToolCall

_CODE: Final = "code_execution"
_WENT_WELL: Final = ("OUTCOME_OK", 1, None)


class Items:
    """The items of one stream, in order; their keys count them."""

    def __init__(self) -> None:
        self._count = 0
        self._unanswered: dict[int, deque[str]] = {}

    def knows(self, part: Part) -> bool:
        """Is this part one of those that are read here?"""
        return self._said_by(part) is not None

    def take(self, out: Assembler, part: Part, choice: int) -> None:
        """Say what a part holds that is known here."""
        say = self._said_by(part)
        if say is None:
            return
        key = f"item {self._count}"
        self._count += 1
        out.split(choice)
        say(out, part, choice, key)
        if part.thought_signature:
            out.signature(part.thought_signature, choice, key)
        out.end(key)

    def _said_by(self, part: Part) -> Callable[[Assembler, Part, int, str], None] | None:
        if given(part.executable_code):
            return self._code
        if part.code_execution_result is not None:
            return self._code_result
        if part.tool_call is not None:
            return _tool_call
        if part.tool_response is not None:
            return _tool_response
        return _file if part.inline_data is not None or part.file_data is not None else None

    def _code(self, out: Assembler, part: Part, choice: int, key: str) -> None:
        text = jsontext.packed(part.executable_code)
        code = jsontext.decode_object(text) or {}
        id = _id(code)
        made = id is None
        id = id or out.made_id()
        self._unanswered.setdefault(choice, deque()).append(id)
        out.open(
            "tool_call", key,
            choice=choice, id=id, made=made, name=_CODE, arrival="whole", executor="provider", tool=_CODE,
        )  # fmt: skip
        out.args(text, key)
        out.opaque({"executableCode": code}, key)

    def _code_result(self, out: Assembler, part: Part, choice: int, key: str) -> None:
        """The result of the call of its id; without one, of the first that has none yet."""
        result: dict[str, Any] = part.code_execution_result or {}
        waiting = self._unanswered.get(choice)
        id = _id(result)
        if waiting and id in waiting:
            waiting.remove(id)
        elif waiting and id is None:
            id = waiting.popleft()
        failed = result.get("outcome") not in _WENT_WELL
        out.result(id, result, key, name=_CODE, is_error=failed, choice=choice)
        out.opaque({"codeExecutionResult": result}, key)


def _tool_call(out: Assembler, part: Part, choice: int, key: str) -> None:
    call = part.tool_call or ToolCall()
    args, name = jsontext.packed(call.args), str(call.tool_type or "")
    out.open(
        "tool_call", key, choice=choice, id=call.id, name=name, arrival="whole", executor="provider", tool="tool_call"
    )
    out.args(args, key)
    members = {"id": call.id, "toolType": call.tool_type, "args": jsontext.decode_object(args) if args else None}
    out.opaque({"toolCall": {name: value for name, value in members.items() if value is not None}}, key)


def _tool_response(out: Assembler, part: Part, choice: int, key: str) -> None:
    members = part.tool_response or {}
    out.result(_id(members), members.get("response"), key, name=str(members.get("toolType") or ""), choice=choice)
    out.opaque({"toolResponse": members}, key)


def _file(out: Assembler, part: Part, choice: int, key: str) -> None:
    """A whole file or where it is; one that the model drew while it thought is on a channel of its own."""
    blob, place = part.inline_data or Blob(), part.file_data or FileData()
    out.open("file", key, choice=choice, arrival="whole", channel="thought" if part.thought else None)
    out.file(
        choice,
        key,
        media_type=blob.mime_type or place.mime_type,
        data=blob.data,
        url=place.file_uri,
        name=blob.display_name or place.display_name,
    )


def _id(members: dict[str, Any]) -> str | None:
    id = members.get("id")
    return id if isinstance(id, str) and id else None
