"""What can stand beside text and calls in a message, in this wire's words: citations, images, audio, opaque state.

Knows: the forms of those members, which are the same in a chunk and in a whole reply. Must not know: chunks, or when anything is said.
"""

from typing import Any

from weft.carried import wrapped
from weft.events import Annotation, Signature
from weft.jsontext import is_object

OWN = "openai-chat"


def citation(note: Annotation) -> dict[str, Any] | None:
    """A citation of a URL; nothing else that is cited has a form here. Strict clients want its place, even where nobody said it."""
    if is_object(note.raw) and is_object(note.raw.get("url_citation")):
        return note.raw
    if note.url is None:
        return None
    fields = {"start_index": note.start or 0, "end_index": note.end or 0, "url": note.url, "content": note.text}
    said = {name: value for name, value in fields.items() if value is not None}
    return {"type": "url_citation", "url_citation": {**said, "title": note.title or ""}}


def image(media_type: str | None, data: str | None, url: str | None) -> dict[str, Any] | None:
    """An image by its URL, or as one."""
    if not (media_type or "image/").startswith("image/") or (url is None and data is None):
        return None
    return {"type": "image_url", "image_url": {"url": url or f"data:{media_type or 'image/png'};base64,{data}"}}


def audio(media_type: str | None, data: str | None, file_id: str | None) -> dict[str, str] | None:
    """A piece of audio, or its id."""
    if not (media_type or "").startswith("audio/"):
        return None
    return {name: value for name, value in (("id", file_id), ("data", data)) if value is not None}


def detail(state: Signature) -> dict[str, Any]:
    """The state of reasoning, where OpenRouter has it. Another origin's is wrapped."""
    value, form = _slot(state)
    kind = ("reasoning.encrypted", "data") if state.encrypted else ("reasoning.text", "signature")
    beside = {"format": form, "id": state.origin.item, "index": state.part}
    return {"type": kind[0], kind[1]: value, **{name: said for name, said in beside.items() if said is not None}}


def call_detail(state: Signature, call_id: str) -> dict[str, Any] | None:
    """The state of a call, if it came the way in which OpenRouter sends Google's."""
    if not state.encrypted or state.origin.protocol != OWN or not (state.format or "").startswith("google"):
        return None
    index = {} if state.part is None else {"index": state.part}
    return {"type": "reasoning.encrypted", "data": state.value, "format": state.format, "id": call_id, **index}


def extra_content(state: Signature) -> dict[str, Any]:
    """The state of a call or of text, where Google has it. Another origin's is wrapped."""
    return {"google": {"thought_signature": _slot(state)[0]}}


def _slot(state: Signature) -> tuple[str, str | None]:
    return (state.value, state.format) if state.origin.protocol == OWN else (wrapped(state), None)
