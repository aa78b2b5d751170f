"""DeepSeek: a list of calls, each a name and JSON (V3 in a code fence, V3.1 bare); DSML with typed parameters (V3.2 and V4).

Facts: the chat templates of V3 to V4; vLLM's parsers `deepseek_v3`, `deepseek_v31`, `deepseek_v32` and `deepseek_v4`.
"""
# ruff: noqa: RUF001 - DeepSeek writes its markers with these bars and blocks

import re
from collections.abc import Sequence
from typing import Final

from weft.filters.tool_markup import Block, ToolMarkup, WrittenCall
from weft.filters.tool_markup.declared import Declared, arguments, is_json, quoted
from weft.filters.tool_markup.written import elements, object_text

_CALL: Final = re.compile(r"\s*<｜tool▁call▁begin｜>(.*?)<｜tool▁call▁end｜>", re.DOTALL)
_FENCED: Final = re.compile(r"\s*function<｜tool▁sep｜>\s*(\S+)\s*```json\n(.*?)\n?```\s*\Z", re.DOTALL)
_BARE: Final = re.compile(r"\s*(\S+?)<｜tool▁sep｜>(.*)\Z", re.DOTALL)
_INVOKE: Final = re.compile(r'\s*<｜DSML｜invoke name="([^"]+)">(.*?)</｜DSML｜invoke>', re.DOTALL)
_PARAMETER: Final = re.compile(
    r'\s*<｜DSML｜parameter name="([^"]+)" string="(true|false)">(.*?)</｜DSML｜parameter>', re.DOTALL
)


def _list(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    calls: list[WrittenCall] = []
    for found in elements(_CALL, inside) or ():
        said = _FENCED.match(found[1]) or _BARE.match(found[1])
        args = object_text(said[2]) if said is not None else None
        if said is None or args is None:
            return None
        calls.append(WrittenCall(said[1], args))
    return calls


def _dsml(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    calls: list[WrittenCall] = []
    for name, body in (found.groups() for found in elements(_INVOKE, inside) or ()):
        parameters = elements(_PARAMETER, body)
        if parameters is None or not all(found[2] == "true" or is_json(found[3]) for found in parameters):
            return None
        pairs = ((found[1], quoted(found[3]) if found[2] == "true" else found[3].strip()) for found in parameters)
        calls.append(WrittenCall(name, arguments(pairs)))
    return calls


class DeepSeekTools(ToolMarkup):
    """The markup of DeepSeek V3 to V4."""

    blocks = (
        Block("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", r"\s*<｜tool▁call▁begin｜>", _list),
        Block("<｜DSML｜function_calls>", "</｜DSML｜function_calls>", r"\s*<｜DSML｜invoke name=", _dsml),
        Block("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", r"\s*<｜DSML｜invoke name=", _dsml),
    )
