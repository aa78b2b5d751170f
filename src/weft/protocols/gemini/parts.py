"""What a block is as a part of this wire, and what of it is known before it is whole.

Knows: the members of calls and files. Must not know: chunks, candidates, text.
"""

from typing import Any

import msgspec

from weft import events as ev
from weft import jsontext


class Open:
    """A block under way."""

    __slots__ = ("args", "files", "form", "own", "part", "signature", "start")

    def __init__(self, start: ev.BlockStart) -> None:
        self.start = start
        self.args: list[str] = []
        self.files: list[ev.File] = []
        self.form: str | None = None
        self.own: dict[str, Any] | None = None
        self.part = 0
        self.signature: ev.Signature | None = None


def arguments(block: Open) -> bytes | None:
    """The arguments of a call as an object in one line; None if they are none. What a custom tool is given is an object's member."""
    raw = "".join(block.args)
    return jsontext.line({"input": raw}) if block.start.tool == "custom" else jsontext.object_line(raw)


def function_call(start: ev.BlockStart, args: bytes) -> dict[str, Any]:
    """A whole call."""
    members = {"id": start.id, "name": start.name or "", "args": msgspec.Raw(args)}
    return {"functionCall": {name: value for name, value in members.items() if value is not None}}


def media(block: Open) -> dict[str, Any] | None:
    """A file in base64, or where it lies; None if there is neither. What came in pieces is put together."""
    last = block.files[-1]
    kind = next((file.media_type for file in reversed(block.files) if file.media_type), None)
    name = next((file.name for file in reversed(block.files) if file.name), None)
    data = "".join(file.data for file in block.files if file.data)
    if data:
        member, members = "inlineData", {"mimeType": kind, "data": data, "displayName": name}
    elif last.url:
        member, members = "fileData", {"mimeType": kind, "fileUri": last.url, "displayName": name}
    else:
        return None
    thought = {"thought": True} if block.start.channel == "thought" else {}
    return {member: {key: value for key, value in members.items() if value is not None}, **thought}
