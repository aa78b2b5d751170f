"""What the markup of several families has in common: calls as JSON, and elements one after another.

Knows: how such text is read. Must not know: any family's markers.
"""

import re
from typing import Final

import msgspec

from weft import jsontext
from weft.filters.tool_markup import WrittenCall

_REST: Final = re.compile(r"\s*\Z")


class _Call(msgspec.Struct):
    name: str
    arguments: msgspec.Raw = msgspec.Raw()
    parameters: msgspec.Raw = msgspec.Raw()


def json_calls(text: str) -> list[WrittenCall] | None:
    """A call as an object of name and arguments, or a list of such. The arguments keep their own text."""
    try:
        said = msgspec.json.decode(text.encode("utf-8", "replace"), type=_Call | list[_Call])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    calls: list[WrittenCall] = []
    for call in [said] if isinstance(said, _Call) else said:
        args = object_text((bytes(call.arguments) or bytes(call.parameters)).decode())
        if args is None:
            return None
        calls.append(WrittenCall(call.name, args))
    return calls


def object_text(text: str) -> str | None:
    """The JSON object that this text is, or holds as a string; an empty one for nothing; None if it is no object."""
    text = text.strip()
    if text.startswith('"'):
        try:
            text = msgspec.json.decode(text, type=str).strip()
        except (msgspec.MsgspecError, UnicodeError):
            return None
    return None if jsontext.decode_object(text) is None else text or "{}"


def elements(pattern: re.Pattern[str], text: str) -> list[re.Match[str]] | None:
    """All matches of the pattern, if the text consists of them and white space alone."""
    found: list[re.Match[str]] = []
    at = 0
    while _REST.match(text, at) is None:
        match = pattern.match(text, at)
        if match is None:
            return None
        found.append(match)
        at = match.end()
    return found
