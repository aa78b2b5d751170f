"""The wrapper that models make up when they want several functions at once, though nobody offered it to them.

Knows: how such a call looks. Must not know: how calls are said.
"""

from typing import Final

import msgspec

WRAPPERS: Final = frozenset({"parallel", "multi_tool_use.parallel"})


class _Use(msgspec.Struct):
    recipient_name: str
    parameters: msgspec.Raw


class _Wrapper(msgspec.Struct, forbid_unknown_fields=True):
    tool_uses: list[_Use]


_decode = msgspec.json.Decoder(_Wrapper).decode


def calls_in(arguments: str, declared: frozenset[str]) -> list[tuple[str, str]]:
    """Name and arguments of each call inside; none at all unless every one of them is a declared function with an object."""
    try:
        uses = _decode(arguments).tool_uses
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return []
    calls = [(use.recipient_name.removeprefix("functions."), bytes(use.parameters).decode()) for use in uses]
    return calls if all(name in declared and text.startswith("{") for name, text in calls) else []
