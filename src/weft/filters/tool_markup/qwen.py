"""Qwen and Hermes: a JSON object in a <tool_call>, or (Qwen3-Coder) a <function=name> of <parameter=name> elements, now and then bare.

Facts: Hermes function calling; Qwen3-Coder's chat template; vLLM's parsers `hermes` and `qwen3_coder`.
"""

import re
from collections.abc import Sequence
from typing import Final

from weft.filters.tool_markup import Block, ToolMarkup, WrittenCall
from weft.filters.tool_markup.declared import Declared, arguments
from weft.filters.tool_markup.written import elements, json_calls

_FUNCTION: Final = re.compile(r"\s*<function=([^>\s]+)>(.*?)</function>", re.DOTALL)
_PARAMETER: Final = re.compile(r"\s*<parameter=([^>\s]+)>\n?(.*?)\n?</parameter>", re.DOTALL)


def _calls(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    text = inside.strip()
    return json_calls(text) if text.startswith(("{", "[")) else _functions(text, declared)


def _functions(text: str, declared: Declared) -> Sequence[WrittenCall] | None:
    calls: list[WrittenCall] = []
    for function in elements(_FUNCTION, text) or ():
        name, body = function.groups()
        parameters = elements(_PARAMETER, body)
        if parameters is None:
            return None
        pairs = ((key, declared.value(name, key, value)) for key, value in (found.groups() for found in parameters))
        calls.append(WrittenCall(name, arguments(pairs)))
    return calls


def _bare(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    return _functions(f"<function={inside}</function>", declared)


class QwenTools(ToolMarkup):
    """The markup of Qwen and Hermes."""

    blocks = (
        Block("<tool_call>", "</tool_call>", r"\s*(?:[{\[]|<function=)", _calls),
        Block("<function=", "</function>", r"[\w.:-]+>", _bare, unclosed=False),
    )
