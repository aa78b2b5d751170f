"""GLM: the name in a <tool_call>, then <arg_key> and <arg_value> by turns.

Facts: the chat templates of GLM-4.5 to 4.7; vLLM's parsers `glm45` and `glm47`. Text stands as it is, anything else as JSON.
"""

import re
from collections.abc import Sequence
from typing import Final

from weft.filters.tool_markup import Block, ToolMarkup, WrittenCall
from weft.filters.tool_markup.declared import Declared, arguments
from weft.filters.tool_markup.written import elements

_NAME: Final = re.compile(r"\s*([\w.:-]+)\s*")
_ARGUMENT: Final = re.compile(r"\s*<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)


def _call(inside: str, declared: Declared) -> Sequence[WrittenCall] | None:
    name = _NAME.match(inside)
    found = elements(_ARGUMENT, inside[name.end() :]) if name is not None else None
    if name is None or found is None:
        return None
    pairs = (
        (key.strip(), declared.value(name[1], key.strip(), value)) for key, value in (one.groups() for one in found)
    )
    return [WrittenCall(name[1], arguments(pairs))]


class GLMTools(ToolMarkup):
    """The markup of GLM. Without its end a call may lack arguments."""

    blocks = (Block("<tool_call>", "</tool_call>", r"\s*[\w.:-]+\s*<arg_key>", _call, unclosed=False),)
