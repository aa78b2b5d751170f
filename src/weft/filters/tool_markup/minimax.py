"""MiniMax: <invoke> elements with <parameter> elements (M2); the same with a mark before each tag and an element for each parameter (M3).

Facts: M2's and M3's tool calling guides; vLLM's parsers `minimax_m2` and `minimax_m3`. Text stands as it is, anything else as JSON; what
M3 writes as elements inside elements needs the tool's schema to be read, so it stays text.
"""

import re
from collections.abc import Sequence
from typing import Final

from weft.filters.tool_markup import Block, ToolMarkup, WrittenCall
from weft.filters.tool_markup.declared import Declared, arguments
from weft.filters.tool_markup.written import elements

_MARK: Final = "]<]minimax[>["
_NAME: Final = r"""name=(["']?)([^"'>]+)\1\s*"""
_INVOKE: Final = re.compile(rf"\s*<invoke {_NAME}>(.*?)</invoke>", re.DOTALL)
_PARAMETER: Final = re.compile(rf"\s*<parameter {_NAME}>(.*?)</parameter>", re.DOTALL)
_M3_INVOKE: Final = re.compile(rf"\s*{re.escape(_MARK)}<invoke {_NAME}>(.*?){re.escape(_MARK)}</invoke>", re.DOTALL)
_M3_PARAMETER: Final = re.compile(rf"\s*{re.escape(_MARK)}<(([\w.-]+))>(.*?){re.escape(_MARK)}</\1>", re.DOTALL)


def _calls(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    return _invokes(inside, declared, _INVOKE, _PARAMETER)


def _marked(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    return _invokes(inside, declared, _M3_INVOKE, _M3_PARAMETER)


def _invokes(
    inside: str, declared: Declared, invoke: re.Pattern[str], parameter: re.Pattern[str]
) -> Sequence[WrittenCall] | None:
    calls: list[WrittenCall] = []
    for _, name, body in (found.groups() for found in elements(invoke, inside) or ()):
        parameters = elements(parameter, body)
        if parameters is None or any(_MARK in found[3] for found in parameters):
            return None
        pairs = ((found[2], declared.value(name, found[2], found[3])) for found in parameters)
        calls.append(WrittenCall(name, arguments(pairs)))
    return calls


class MiniMaxTools(ToolMarkup):
    """The markup of MiniMax M2 and M3."""

    blocks = (
        Block("<minimax:tool_call>", "</minimax:tool_call>", r"\s*<invoke name=", _calls),
        Block(f"{_MARK}<tool_call>", f"{_MARK}</tool_call>", rf"\s*{re.escape(_MARK)}<invoke name=", _marked),
    )
