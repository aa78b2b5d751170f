"""Kimi: K2's section of calls, each with its native id, or a single one without the section; K3's channel of typed arguments.

Facts: K2's tool calling guide; vLLM's parsers `kimi_k2` and `kimi_k3`. The id `functions.name:0` is what the model wants back.
"""

import re
from collections.abc import Sequence
from typing import Final

from weft.filters.tool_markup import Block, ToolMarkup, WrittenCall
from weft.filters.tool_markup.declared import Declared, arguments, is_json, quoted
from weft.filters.tool_markup.written import elements, object_text

_CALL: Final = re.compile(
    r"\s*<\|tool_call_begin\|>\s*([^\s<]+)\s*<\|tool_call_argument_begin\|>(.*?)<\|tool_call_end\|>", re.DOTALL
)
_K3_CALL: Final = re.compile(r"\s*<\|open\|>call ([^<]*)<\|sep\|>(.*?)<\|close\|>call<\|sep\|>", re.DOTALL)
_K3_ARGUMENT: Final = re.compile(
    r"\s*<\|open\|>(argument|json) ?([^<]*)<\|sep\|>(.*?)<\|close\|>\1<\|sep\|>", re.DOTALL
)
_ATTRIBUTE: Final = re.compile(r'(\w+)="([^"]*)"')


def _section(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    calls: list[WrittenCall] = []
    for id, text in (found.groups() for found in elements(_CALL, inside) or ()):
        args = object_text(text)
        if args is None:
            return None
        calls.append(WrittenCall(_name(id), args, id))
    return calls


def _single(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    return _section(f"<|tool_call_begin|>{inside}<|tool_call_end|>", declared)


def _name(id: str) -> str:
    """`functions.look:0` is a call of `look`."""
    return id.partition(":")[0].removeprefix("functions.")


def _channel(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    calls: list[WrittenCall] = []
    for head, body in (found.groups() for found in elements(_K3_CALL, inside) or ()):
        name = _attributes(head).get("tool")
        args = _typed(body)
        if name is None or args is None:
            return None
        calls.append(WrittenCall(name, args))
    return calls


def _typed(body: str) -> str | None:
    """The arguments, each of which says whether it is text; or one raw object."""
    found = elements(_K3_ARGUMENT, body)
    if found is None:
        return None
    if len(found) == 1 and found[0][1] == "json":
        return object_text(found[0][3])
    pairs: list[tuple[str, str]] = []
    for _, head, value in (one.groups() for one in found):
        said = _attributes(head)
        is_text = said.get("type") == "string"
        if "key" not in said or not (is_text or is_json(value)):
            return None
        pairs.append((said["key"], quoted(value) if is_text else value.strip()))
    return arguments(pairs)


def _attributes(head: str) -> dict[str, str]:
    return {name: value.replace("&quot;", '"').replace("&amp;", "&") for name, value in _ATTRIBUTE.findall(head)}


class KimiTools(ToolMarkup):
    """The markup of Kimi K2 and K3."""

    blocks = (
        Block("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", r"\s*<\|tool_call_begin\|>", _section),
        Block("<|tool_call_begin|>", "<|tool_call_end|>", r"\s*[^\s<]+\s*<\|tool_call_argument_begin\|>", _single),
        Block("<|open|>tools<|sep|>", "<|close|>tools<|sep|>", r"\s*<\|open\|>call ", _channel),
    )
