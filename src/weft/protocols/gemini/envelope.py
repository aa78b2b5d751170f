"""How a frame is wrapped and spelled: Code Assist's wrapper, snake case, calls and text beside the candidates.

Knows: the forms in which a GenerateContentResponse is handed on. Must not know: what is done about its content.
What the decoder's types leave out is read here a second time, when it is asked for.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from weft import jsontext
from weft.jsontext import is_array, is_object
from weft.protocols.gemini.calls import given
from weft.protocols.gemini.names import framed, is_snake
from weft.protocols.gemini.wire import Candidate, Content, Frame, Part


class _Counted(msgspec.Struct, rename="camel"):
    """A frame as far as its counts go, with all that is in them."""

    usage_metadata: dict[str, Any] | None = None


_parse_counts = msgspec.json.Decoder(_Counted).decode
_NAMED = (
    "text thoughtSignature functionCall executableCode codeExecutionResult inlineData fileData toolCall toolResponse"
).split()
_NOTHING = Frame()
_ABOUT_TEXT = frozenset({"text", "thought"})


def inside(frame: Frame, text: bytes) -> bytes | None:
    """The frame in a wrapper, or this one under the wire's names; None if it is plain."""
    if given(frame.response):
        return bytes(frame.response)
    if not is_snake(text):
        return None
    try:
        return framed(jsontext.decode(text))[0]
    except (ValueError, OverflowError, RecursionError):
        return None


def candidates_of(frame: Frame) -> list[Candidate]:
    """All candidates, numbered by place where they are not numbered; calls and text that stand at the top stand for one."""
    for place, candidate in enumerate(frame.candidates or ()):
        if candidate.index is None:
            candidate.index = place
    if frame.candidates:
        return frame.candidates
    parts = [Part(text=frame.text)] if frame.text else []
    parts += [Part(function_call=call) for call in (*(frame.function_calls or ()), frame.function_call) if call]
    return [Candidate(content=Content(parts=parts))] if parts else []


def says_nothing(frame: Frame) -> bool:
    """Has this frame no member that we know?"""
    return frame == _NOTHING


def parts_of(candidate: Candidate) -> list[Part]:
    """The parts of a candidate, however little it has."""
    content = candidate.content
    return (content.parts if content is not None else None) or []


def counts_in(text: bytes) -> dict[str, Any]:
    """The counts of a frame as the source worded them."""
    try:
        counted = _parse_counts(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {}
    return counted.usage_metadata or {}


def unnamed_parts(text: bytes) -> Iterator[dict[str, Any]]:
    """The parts of a frame that hold nothing we have a name for, in order."""
    try:
        frame = jsontext.decode(text)
    except ValueError:
        return
    for candidate in _items(frame, "candidates"):
        content: Any = candidate.get("content") if is_object(candidate) else None
        for part in _items(content, "parts"):
            if is_object(part) and not any(part.get(name) for name in _NAMED):
                yield part


def says_something(part: dict[str, Any]) -> bool:
    """Has this part any member that is not just about the text that it lacks?"""
    return any(value is not None and name not in _ABOUT_TEXT for name, value in part.items())


def _items(value: Any, name: str) -> list[Any]:
    items: Any = value.get(name) if is_object(value) else None
    return items if is_array(items) else []
