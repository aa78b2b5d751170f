"""What imitators of chat.completions put beside text and calls: signed reasoning details, citations, images, audio, search results.

Knows: the members of those extras. Must not know: blocks or other protocols.
"""

from typing import Any

import msgspec

from weft.assembler import Assembler
from weft.protocols.openai_chat.wire import Delta, ReasoningDetail


def reasoning_details(out: Assembler, details: list[ReasoningDetail], choice: int) -> None:
    """OpenRouter's typed reasoning. Text and summary are deltas, a signature or encrypted data is whole; all of it goes back as it came."""
    for detail in details:
        part = detail.index or 0
        if detail.text:
            out.reasoning(detail.text, choice, part=part)
        if detail.summary:
            out.reasoning(detail.summary, choice, part=part, form="summary")
        if detail.signature:
            out.signature(detail.signature, choice, part=part)
        if detail.data:
            out.signature(detail.data, choice, part=part)


def content_parts(out: Assembler, parts: list[Any], choice: int) -> None:
    """Content as a list (Mistral, Databricks, GLM vision): text, thinking, references, images."""
    for part in parts:
        if isinstance(part, str):
            out.text(part, choice)
        elif isinstance(part, dict):
            take = _PARTS.get(str(part.get("type")))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - JSON
            if take is not None:
                take(out, part, choice)
            elif not _said_text(out, part, choice):
                out.note("unknown_part", f"a content part of type {part.get('type')!r}")  # pyright: ignore[reportUnknownMemberType] - JSON


def _said_text(out: Assembler, part: dict[str, Any], choice: int) -> bool:
    text = part.get("text") or part.get("value")
    if isinstance(text, str):
        out.text(text, choice)
    return isinstance(text, str)


def _text(out: Assembler, part: dict[str, Any], choice: int) -> None:
    _said_text(out, part, choice)


def _thinking(out: Assembler, part: dict[str, Any], choice: int) -> None:
    inner = part.get("thinking") or part.get("text") or part.get("summary")
    pieces = inner if isinstance(inner, list) else [inner]
    for piece in pieces:  # pyright: ignore[reportUnknownVariableType] - JSON
        text = piece.get("text") if isinstance(piece, dict) else piece  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - JSON
        if isinstance(text, str):
            out.reasoning(text, choice)
    if isinstance(signature := part.get("signature"), str):
        out.signature(signature, choice)


def _reference(out: Assembler, part: dict[str, Any], choice: int) -> None:
    out.annotation("reference", choice, raw=part)


def _image(out: Assembler, part: dict[str, Any], choice: int) -> None:
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - JSON
    if isinstance(url, str):
        out.file(choice, **data_url(url))


_PARTS = {
    "text": _text,
    "output_text": _text,
    "thinking": _thinking,
    "reasoning": _thinking,
    "reference": _reference,
    "image_url": _image,
}


def data_url(url: str) -> dict[str, Any]:
    """The members of a file event for a URL, which may hold the file itself."""
    head, comma, data = url.partition(",")
    if url.startswith("data:") and comma and head.endswith(";base64"):
        return {"media_type": head[5:-7] or None, "data": data}
    return {"url": url}


def rare(out: Assembler, delta: Delta, choice: int, audio_open: set[int]) -> None:
    """The members that few deltas have."""
    for annotation in delta.annotations or ():
        _annotation(out, annotation, choice)
    for image in delta.images or ():
        if isinstance(image, dict):
            _image(out, image, choice)  # pyright: ignore[reportUnknownArgumentType] - JSON
    if delta.audio:
        _audio(out, delta.audio, choice, audio_open)
    if delta.reasoning_opaque:
        out.signature(delta.reasoning_opaque, choice)
    for tool in delta.executed_tools or ():
        _executed(out, tool, choice)
    if delta.extra_content and (signature := thought_signature(delta.extra_content)):
        out.signature(signature, choice, kind="text")


def thought_signature(extra: dict[str, Any]) -> str | None:
    """Google's own place for a thought signature on its compatible endpoint."""
    google = extra.get("google")
    value = google.get("thought_signature") if isinstance(google, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - JSON
    return value if isinstance(value, str) else None


def _annotation(out: Assembler, annotation: Any, choice: int) -> None:
    if not isinstance(annotation, dict):
        return
    kind = str(annotation.get("type") or "url_citation")  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - JSON
    inner: Any = annotation.get(kind)  # pyright: ignore[reportUnknownMemberType] - JSON
    fields: dict[str, Any] = inner if isinstance(inner, dict) else annotation  # pyright: ignore[reportUnknownVariableType] - JSON
    known = {"start": "start_index", "end": "end_index", "url": "url", "title": "title", "text": "content"}
    values = {ours: fields[theirs] for ours, theirs in known.items() if isinstance(fields.get(theirs), str | int)}
    out.annotation(kind, choice, raw=annotation, **values)


def _audio(out: Assembler, audio: dict[str, Any], choice: int, audio_open: set[int]) -> None:
    """Audio comes as data and transcript deltas under one id; the transcript is text that was spoken."""
    key = ("audio", choice)
    if choice not in audio_open:
        audio_open.add(choice)
        file_id = audio.get("id")
        out.open("file", key, choice=choice)
        out.file(choice, key, file_id=file_id if isinstance(file_id, str) else None, media_type="audio")
    if isinstance(data := audio.get("data"), str) and data:
        out.file(choice, key, data=data)
    if isinstance(transcript := audio.get("transcript"), str):
        out.text(transcript, choice, channel="transcript")


def _executed(out: Assembler, tool: Any, choice: int) -> None:
    """Groq runs tools itself and reports call and output, first without and then with the output."""
    if not isinstance(tool, dict):
        return
    item: dict[str, Any] = tool  # pyright: ignore[reportUnknownVariableType] - JSON
    key = ("executed", choice, item.get("index"))
    arguments = item.get("arguments")
    out.open("tool_call", key, choice=choice, name=str(item.get("type") or ""), arrival="whole", executor="provider")
    if arguments is not None:
        out.args(arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode(), key)
    out.end(key)
    if item.get("output") is not None:
        out.result(None, item.get("output"), ("executed result", choice, item.get("index")), choice=choice)
        out.end(("executed result", choice, item.get("index")))


def sources(out: Assembler, citations: list[Any] | None, results: list[Any] | None) -> None:
    """Whole-answer citations (Perplexity, xAI), said again on each chunk: a fact of the message."""
    if citations:
        out.meta("citations", citations)
    if results:
        out.meta("search_results", results)
