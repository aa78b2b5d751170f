"""Generated files: base64, bytes that became JSON, or a reference, brought to the members of our file event.

Knows: the ways in which a file is held. Must not know: which part it came in.
"""

from base64 import b64encode
from typing import Any

from weft.jsontext import is_array, is_object
from weft.protocols.ai_sdk.wire import Blob


def file_of(blob: Blob) -> dict[str, Any]:
    """Type, content or reference, and name of a file. What is missing is None."""
    media_type = blob.media_type or blob.mime_type
    content: dict[str, str | None] = {}
    for held in (blob.base64, blob.base64_data, blob.uint8_array, blob.uint8_array_data, blob.data, blob.url):
        content = content or _content(held)
    return {"media_type": media_type, "name": blob.filename, **content}


def _content(held: Any) -> dict[str, str | None]:
    """What one member says: text is base64 or a URL, an object may name its kind (V4), the rest is bytes."""
    if isinstance(held, str):
        return _from_text(held)
    if is_object(held) and held.get("type") in _KINDS:
        kind = str(held["type"])
        return _KINDS[kind](held.get(kind))
    data = _base64(held)
    return {"data": data} if data is not None else {}


def _from_text(text: str) -> dict[str, str | None]:
    head, comma, data = text.partition(",")
    if head.startswith("data:") and comma:
        media_type, _, encoding = head[len("data:") :].rpartition(";")
        if encoding == "base64":
            return {"data": data, **({"media_type": media_type} if media_type else {})}
    if ":" in text[:40]:  # which base64 has not
        return {"url": text}
    return {"data": text} if text else {}


def _from_reference(reference: Any) -> dict[str, str | None]:
    ids = [id for id in reference.values() if isinstance(id, str)] if is_object(reference) else []
    return {"file_id": ids[0]} if ids else {}


def _from_inline_text(text: Any) -> dict[str, str | None]:
    return {"data": b64encode(text.encode("utf-8", "replace")).decode()} if isinstance(text, str) else {}


def _base64(value: Any) -> str | None:
    """Bytes as JSON has them: a list of numbers, an object of numbers by their index, or one that has the list as `data`."""
    if is_object(value):
        value = value["data"] if is_array(value.get("data")) else list(value.values())
    try:
        return b64encode(bytes(value)).decode() if is_array(value) and value else None
    except (TypeError, ValueError):
        return None


_KINDS = {
    "data": _content,
    "url": _content,
    "reference": _from_reference,
    "text": _from_inline_text,
}
