"""The source's own wording of blocks and deltas: a second parse of the frame, for what is carried as it is.

Knows: where blocks stand in a frame. Must not know: what they mean, or how a frame was read the first time.
"""

from typing import Any

import msgspec

from weft import jsontext
from weft.protocols.anthropic.wire import Block

Form = dict[str, Any]
_NAMES = ("type", "id", "tool_use_id")


def started(frame: bytes, told: Block) -> Form:
    """The block of a `content_block_start`, verbatim."""
    return _believed(_object(frame).get("content_block"), told)


def content(frame: bytes, told: list[Block]) -> list[Form]:
    """The blocks of a whole content, verbatim: of the message itself, or of the one that a stream began with."""
    value = _object(frame)
    message = value.get("message")
    found: Any = (message if jsontext.is_object(message) else value).get("content")
    forms = found if jsontext.is_array(found) else []
    return [_believed(forms[at] if at < len(forms) else None, block) for at, block in enumerate(told)]


def delta(frame: bytes) -> Form:
    """The delta verbatim."""
    found = _object(frame).get("delta")
    return found if jsontext.is_object(found) else {}


def input_text(told: Block) -> str:
    """The text of a call's input as it was written; empty if it says nothing. A string of JSON is taken for the JSON."""
    text = bytes(told.input).decode("utf-8", "replace").strip()
    if text.startswith('"'):
        text = str(jsontext.decode(text))
    return "" if text == "null" or not text.strip("{} \t\r\n") else text


def _believed(found: Any, told: Block) -> Form:
    """What is found is looked at first: what the first parse had to drop may have moved a block in its list."""
    if jsontext.is_object(found) and all((found.get(name) or None) == (getattr(told, name) or None) for name in _NAMES):
        return found
    members = {name: getattr(told, name) for name in told.__struct_fields__}
    return {name: value for name, value in members.items() if value is not None and not isinstance(value, msgspec.Raw)}


def _object(frame: bytes) -> Form:
    try:
        value = jsontext.decode(frame)
    except ValueError:
        return {}
    return value if jsontext.is_object(value) else {}
