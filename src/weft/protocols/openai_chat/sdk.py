"""Objects of SDKs that are no chunks, as frames: the events of OpenAI's `.stream()` helper, and boto3's of InvokeModel.

Knows: their shapes. Must not know: what a chunk means.
"""

from typing import Any

import msgspec

from weft.jsontext import is_object

_SAID_TWICE = ("content.", "refusal.", "tool_calls.", "logprobs.")
_NOTHING = b'{"choices":[]}'


def framed(value: Any) -> tuple[bytes, str] | None:
    """The chunk that such an object stands for; None for anything else. What the helper says beside its chunks, they have said."""
    if not is_object(value):
        return None
    chunk, kind = value.get("chunk"), value.get("type")
    if is_object(chunk):
        return msgspec.json.encode(chunk, enc_hook=str), "chunk" if "bytes" in chunk else ""
    if isinstance(kind, str) and kind.startswith(_SAID_TWICE) and "choices" not in value:
        return _NOTHING, ""
    return None
