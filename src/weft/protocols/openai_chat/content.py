"""Content as a list of parts (Mistral, Databricks, GLM's vision models), where others send text.

Knows: the kinds of parts that are sent. Must not know: blocks or other protocols.
"""

from collections.abc import Callable
from typing import Any, Final

from weft.assembler import Assembler
from weft.jsontext import is_array, is_object

PART: Final = "content_part"
"""The format of state that came in a part of the content, and has none of its own."""


def content_parts(out: Assembler, parts: list[Any], choice: int) -> None:
    """Say each part. One of a kind that nobody has named is carried as it is."""
    for part in parts:
        if isinstance(part, str):
            out.text(part, choice)
        elif is_object(part):
            kind = str(part.get("type"))
            _KINDS.get(kind, _other)(out, part, choice)
        else:
            out.note("broken_part", "a content part that is neither text nor an object was skipped")


def _text(out: Assembler, part: dict[str, Any], choice: int) -> None:
    text = part.get("text")
    if isinstance(text, str):
        out.text(text, choice)


def _refusal(out: Assembler, part: dict[str, Any], choice: int) -> None:
    refusal = part.get("refusal")
    if isinstance(refusal, str):
        out.refusal(refusal, choice)


def _thinking(out: Assembler, part: dict[str, Any], choice: int) -> None:
    """Mistral's thinking and Databricks' reasoning: text, or a list of texts, and maybe a signature."""
    inner: Any = part.get("thinking") or part.get("text") or part.get("summary")
    form = "summary" if "summary" in part else "raw"
    for piece in inner if is_array(inner) else [inner]:
        text: Any = piece.get("text") if is_object(piece) else piece
        signature: Any = piece.get("signature") if is_object(piece) else None
        if isinstance(text, str):
            out.reasoning(text, choice, None, 0, form)
        if isinstance(signature, str):
            out.signature(signature, choice, format=PART)
    if isinstance(part.get("signature"), str):
        out.signature(part["signature"], choice, format=PART)


def _reference(out: Assembler, part: dict[str, Any], choice: int) -> None:
    out.annotation("reference", choice, raw=part)


def image(out: Assembler, part: dict[str, Any], choice: int) -> None:
    """An image by its URL, which may hold the image itself."""
    inner: Any = part.get("image_url")
    url: Any = inner.get("url") if is_object(inner) else inner
    if isinstance(url, str):
        out.file(choice, **file_of(url))


def file_of(url: str) -> dict[str, Any]:
    """The members of a file event for a URL."""
    head, comma, data = url.partition(",")
    if url.startswith("data:") and comma and head.endswith(";base64"):
        return {"media_type": head[5:-7] or None, "data": data}
    return {"url": url}


def _other(out: Assembler, part: dict[str, Any], choice: int) -> None:
    if isinstance(part.get("text"), str):
        out.text(part["text"], choice)
        return
    out.opaque(part, choice=choice, name=str(part.get("type")))
    out.note("unknown_part", f"a content part of type {part.get('type')!r}")


_KINDS: dict[str, Callable[[Assembler, dict[str, Any], int], None]] = {
    "text": _text,
    "output_text": _text,
    "refusal": _refusal,
    "thinking": _thinking,
    "reasoning": _thinking,
    "reference": _reference,
    "image_url": image,
}
