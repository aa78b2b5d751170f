"""Calls of restored tools as the calls of functions that they came from: what `Restore` did, undone for the next request.

Knows: the functions that stand for other tools, and what their arguments look like. Must not know: targets, requests.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec

from weft import jsontext
from weft.message import AnyPart, ToolCall
from weft.tools import ToolIdentity

Arguments = dict[str, Any]


def planned(part: AnyPart, tools: Iterable[ToolIdentity]) -> AnyPart:
    """A call as its provider knows the tool; any other part, and a call of a tool that is nobody's function, as it is."""
    if not isinstance(part, ToolCall) or part.executor != "client":
        return part
    identity = next((one for one in tools if _is_of(part, one)), None)
    if identity is None:
        return part
    part = msgspec.structs.replace(part, name=identity.provider_name)
    if identity.provider_type != "function" or part.tool == "function":
        return part
    arguments = _ARGUMENTS.get(part.tool, _same)(part.arguments or {})
    raw = jsontext.line(arguments).decode()
    return msgspec.structs.replace(part, tool="function", arguments=arguments, raw=raw) if part.complete else part


def _is_of(call: ToolCall, identity: ToolIdentity) -> bool:
    """A tool whose form its call did not have was left a function under the name that the client knows."""
    return identity.requested_name == call.name and call.tool in (identity.requested_type, "function")


def _same(arguments: Arguments) -> Arguments:
    return arguments


def _local_shell(arguments: Arguments) -> Arguments:
    return {name: value for name, value in arguments.items() if name != "type"}


# The input of a custom tool is `{"input": ...}` among a call's arguments already.
_ARGUMENTS: Final[Mapping[str, Callable[[Arguments], Arguments]]] = {
    "local_shell": _local_shell,
    "apply_patch": lambda operation: {"operation": operation},
}
