"""Cohere's citations: which text is cited, and from where.

Knows: the members of a citation, the same in every version. Must not know: in which frame it came.
"""

from collections.abc import Hashable
from typing import Any

from weft.assembler import Assembler
from weft.jsontext import is_array, is_object


def cite(out: Assembler, key: Hashable, citation: dict[str, Any]) -> None:
    """A citation of the block under this key; its offsets are characters of that block's text."""
    source = _first(citation.get("sources"))
    document = source.get("document")
    said = document if is_object(document) else {}
    out.annotation(
        _text(source, "type") or "citation",
        0,
        key,
        start=_number(citation, "start"),
        end=_number(citation, "end"),
        url=_text(said, "url"),
        title=_text(said, "title"),
        text=_text(citation, "text"),
        raw=citation,
    )


def _first(sources: Any) -> dict[str, Any]:
    source = sources[0] if is_array(sources) and sources else None
    return source if is_object(source) else {}


def _text(members: dict[str, Any], name: str) -> str | None:
    value = members.get(name)
    return value if isinstance(value, str) else None


def _number(members: dict[str, Any], name: str) -> int | None:
    value = members.get(name)
    return value if isinstance(value, int) else None
