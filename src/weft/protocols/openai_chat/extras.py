"""What stands beside text and calls in a delta: citations, images, audio, tools that the provider ran.

Knows: the members of those extras. Must not know: blocks or other protocols.
"""

from typing import Any

from weft.assembler import Assembler
from weft.jsontext import is_object
from weft.protocols.openai_chat.content import image
from weft.protocols.openai_chat.reasoning import OPAQUE
from weft.protocols.openai_chat.tools import ToolReader, thought_signature
from weft.protocols.openai_chat.wire import Audio, Delta, Json

# our member of a citation -> theirs, and its type
_CITATION: dict[str, tuple[str, type]] = {
    "start": ("start_index", int),
    "end": ("end_index", int),
    "url": ("url", str),
    "title": ("title", str),
    "text": ("content", str),
}


class Extras:
    """The extras of one stream."""

    def __init__(self) -> None:
        self._audio: set[int] = set()
        self._executed: dict[tuple[int, str], str] = {}
        self._tools = ToolReader()

    def take(self, out: Assembler, delta: Delta, choice: int) -> None:
        """Say the extras of one delta."""
        for annotation in delta.annotations or ():
            if is_object(annotation):
                _annotation(out, annotation, choice)
        for item in delta.images or ():
            if is_object(item):
                image(out, item, choice)
        if delta.audio is not None:
            self._hear(out, delta.audio, choice)
        for tool in delta.executed_tools or ():
            self._execute(out, tool, choice)
        if delta.reasoning_opaque:
            out.signature(delta.reasoning_opaque, choice, format=OPAQUE, encrypted=True)
        if signature := thought_signature(delta.extra_content):
            said = isinstance(delta.content, str) and not delta.tool_calls
            out.signature(
                signature, choice, kind="text" if said else None
            )  # beside text it is the text's, though it be empty

    def _hear(self, out: Assembler, audio: Audio, choice: int) -> None:
        """Audio comes as pieces of data under one id; the transcript is text that was spoken."""
        key = ("audio", choice)
        if choice not in self._audio and (audio.id or audio.data):
            self._audio.add(choice)
            out.open("file", key, choice=choice)
            out.file(choice, key, media_type="audio/*", file_id=audio.id or None)
        if audio.data:
            out.file(choice, key, data=audio.data)
        if audio.transcript:
            out.text(audio.transcript, choice, channel="transcript")
        if audio.expires_at:
            out.meta("audio_expires_at", audio.expires_at)

    def _execute(self, out: Assembler, tool: Json, choice: int) -> None:
        """Groq runs tools itself and reports each twice: first the call, then the call with its output."""
        key, name = (choice, str(tool.get("index"))), str(tool.get("name") or tool.get("type") or "")
        if key not in self._executed:
            id = self._executed[key] = out.made_id()
            call, args = ("executed", *key), tool.get("arguments")
            out.open(
                "tool_call", call, choice=choice, id=id, name=name, arrival="whole", executor="provider", made=True
            )
            if args is not None:
                out.args(args if isinstance(args, str) else self._tools.text(args, out.place.frame()), call)
            out.end(call)
        if tool.get("output") is not None:
            result = ("executed result", *key)
            out.result(self._executed[key], tool["output"], result, name=name, choice=choice)
            out.opaque(tool, result)
            out.end(result)


def _annotation(out: Assembler, annotation: Json, choice: int) -> None:
    kind = str(annotation.get("type") or "url_citation")
    inner = annotation.get(kind)
    fields = inner if is_object(inner) else annotation
    values: dict[str, Any] = {
        ours: fields[theirs] for ours, (theirs, wanted) in _CITATION.items() if isinstance(fields.get(theirs), wanted)
    }
    out.annotation(kind, choice, raw=annotation, **values)
