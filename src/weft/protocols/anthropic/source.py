"""The source's own wording of a block, taken from the frame it stands in: a second parse, for the few blocks that need one.

Knows: where blocks stand in a frame. Must not know: what they mean, or how a frame was read the first time.
"""

from typing import Any

import msgspec

from weft import jsontext
from weft.protocols.anthropic.wire import Block

_NAMES = ("type", "id", "tool_use_id")


def block(frame: bytes, told: Block, position: int | None) -> dict[str, Any]:
    """The block verbatim: that of the `content_block_start`, or the one at this position of the message's content.

    What the first parse had to drop may have moved a block in its list, so what is found is looked at before it is believed.
    """
    value = _object(frame)
    if position is None:
        found = value.get("content_block")
    else:
        message = value.get("message")
        blocks = (message if jsontext.is_object(message) else value).get("content")
        found = blocks[position] if jsontext.is_array(blocks) and position < len(blocks) else None
    if jsontext.is_object(found) and all((found.get(name) or None) == (getattr(told, name) or None) for name in _NAMES):
        return found
    return {name: getattr(told, name) for name in told.__struct_fields__ if _is_plain(getattr(told, name))}


def delta(frame: bytes) -> dict[str, Any]:
    """The delta verbatim."""
    found = _object(frame).get("delta")
    return found if jsontext.is_object(found) else {}


def input_text(told: Block) -> str:
    """The text of a call's input as it was written; empty if it says nothing. A string of JSON is taken for the JSON."""
    text = bytes(told.input).decode("utf-8", "replace").strip()
    if text.startswith('"'):
        text = str(jsontext.decode(text))
    return "" if text == "null" or not text.strip("{} \t\r\n") else text


def _object(frame: bytes) -> dict[str, Any]:
    try:
        value = jsontext.decode(frame)
    except ValueError:
        return {}
    return value if jsontext.is_object(value) else {}


def _is_plain(value: Any) -> bool:
    return value is not None and not isinstance(value, msgspec.Raw)
