"""Content of Bedrock's that stream and whole reply say alike: citations, media, and bytes that come in pieces of base64.

Knows: the members of those. Must not know: in which frame they came.
"""

from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Hashable
from typing import Any

from weft.assembler import Assembler
from weft.jsontext import is_array, is_object
from weft.protocols.bedrock.wire import Media

# What kind of medium it is -> the first half of its media type; the format is the second.
FAMILIES = {"image": "image", "audio": "audio", "video": "video", "document": "application"}

# Formats that are not called what their media type is.
_FORMATS = {
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html",
    "md": "text/markdown",
    "txt": "text/plain",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "three_gp": "video/3gpp",
}


def joined(pieces: list[str]) -> str:
    """Base64 that came in pieces, each encoded by itself. What is no base64 is only put together."""
    if len(pieces) == 1:
        return pieces[0]
    try:
        return b2a_base64(b"".join(map(a2b_base64, pieces)), newline=False).decode()
    except (Error, ValueError):
        return "".join(pieces)


def redacted(out: Assembler, key: Hashable, value: str) -> None:
    """Reasoning of which only the encrypted form is given."""
    out.signature(value, 0, key, encrypted=True)
    out.opaque({"reasoningContent": {"redactedContent": value}}, key)


def media(out: Assembler, key: Hashable, family: str, medium: Media, data: str | None = None) -> None:
    """A file: its bytes, or where it lies; or why there is none."""
    source = medium.source
    url = source.s3_location.uri if source is not None and source.s3_location is not None else None
    data = data or (source.bytes if source is not None else None)
    if data or url:
        kind = _FORMATS.get(medium.format, f"{family}/{medium.format}") if medium.format else None
        out.file(0, key, media_type=kind, data=data, url=url, name=medium.name)
    if medium.error is not None:
        out.note("file_failed", medium.error.message or "a file could not be made")


def cite(out: Assembler, key: Hashable, citation: dict[str, Any]) -> None:
    """A citation of the text under this key. Its location is one in the source, not in the text."""
    places = citation.get("location")
    kind, place = next(iter(places.items()), ("citation", None)) if is_object(places) else ("citation", None)
    url = place.get("url") if is_object(place) else None
    title, source = citation.get("title"), citation.get("sourceContent")
    quoted = [part.get("text") for part in source if is_object(part)] if is_array(source) else []
    out.annotation(
        kind,
        0,
        key,
        url=url if isinstance(url, str) else None,
        title=title if isinstance(title, str) else None,
        text="".join(text for text in quoted if isinstance(text, str)) or None,
        raw=citation,
    )
