"""The content of a whole reply, block by block, in the words that its stream would have used.

Knows: the blocks of a message. Must not know: what stands around it.
"""

from collections.abc import Callable
from typing import Any

from weft import jsontext
from weft.assembler import Assembler
from weft.protocols.bedrock.content import FAMILIES, cite, media, redacted
from weft.protocols.bedrock.wire import Block, Citations, Media, Reasoning, ToolResult, ToolUse

SERVER_TOOL = "server_tool_use"


def say(out: Assembler, blocks: list[Block]) -> None:
    """Say all blocks; one of an unknown kind is carried as it is."""
    forms: list[Any] | None = None
    for index, block in enumerate(blocks):
        for name, take in _KINDS.items():
            if (value := getattr(block, name)) is not None:
                take(out, index, value)
                out.end(index)
                break
        else:
            forms = _forms(out.place.frame()) if forms is None else forms
            out.opaque(forms[index] if len(forms) == len(blocks) else None)


def _forms(frame: bytes) -> list[Any]:
    """The blocks as they came."""
    value: Any = jsontext.read_object(frame)
    for name in ("output", "message", "content"):
        value = value.get(name) if jsontext.is_object(value) else None
    return value if jsontext.is_array(value) else []


def _text(out: Assembler, index: int, text: str) -> None:
    out.text(text, 0, index)


def _tool_use(out: Assembler, index: int, use: ToolUse) -> None:
    executor = "provider" if use.type == SERVER_TOOL else "client"
    out.open("tool_call", index, id=use.tool_use_id, name=use.name, arrival="whole", executor=executor)
    out.args(jsontext.packed(use.input), index)


def _tool_result(out: Assembler, index: int, result: ToolResult) -> None:
    content = result.content or []
    out.result(result.tool_use_id, content, index, name=result.type, is_error=result.status == "error")


def _reasoning(out: Assembler, index: int, reasoning: Reasoning) -> None:
    text = reasoning.reasoning_text
    if text is not None:
        out.reasoning(text.text or "", 0, index)
        out.signature(text.signature or "", 0, index)
    if reasoning.redacted_content:
        redacted(out, index, reasoning.redacted_content)


def _citations(out: Assembler, index: int, cited: Citations) -> None:
    out.text("".join(part.text or "" for part in cited.content or ()), 0, index)
    for citation in cited.citations or ():
        cite(out, index, citation)


def _medium(family: str) -> Callable[[Assembler, int, Media], None]:
    return lambda out, index, medium: media(out, index, family, medium)


# Member of a block -> how it is said.
_KINDS: dict[str, Callable[[Assembler, int, Any], None]] = {
    "text": _text,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "reasoning_content": _reasoning,
    "citations_content": _citations,
    **{name: _medium(family) for name, family in FAMILIES.items()},
}
