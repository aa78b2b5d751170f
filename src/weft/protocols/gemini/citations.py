"""What the text rests on: grounding, recitation and fetched pages, as annotations of the text and facts of the message.

Knows: where supports, chunks and sources stand on this wire, that they count in bytes, and that snapshots repeat themselves.
Must not know: parts, calls, how positions are converted.
Positions are told only where they can be right: the text was heard from its beginning, and says there what the support says.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from weft.assembler import Assembler
from weft.facts import fact_of
from weft.jsontext import is_array, is_object
from weft.protocols.gemini.spoken import SpokenText
from weft.protocols.gemini.wire import Candidate

_CHUNKS: Final = {
    "web": "url_citation",
    "image": "url_citation",
    "maps": "place_citation",
    "retrievedContext": "file_citation",
}
"""What a grounding chunk is -> what citing it is called."""


class _Cited(NamedTuple):
    """One citation, by which a repeated one is known again. Positions are bytes."""

    choice: int
    kind: str
    start: int | None
    end: int | None
    text: str | None
    url: str | None
    title: str | None


class Citations:
    """The citations of one stream."""

    def __init__(self) -> None:
        self._texts: dict[int, SpokenText] = {}
        self._said: set[_Cited] = set()

    @property
    def listening(self) -> bool:
        """Is there a choice whose text has to be heard?"""
        return bool(self._texts)

    def expect(self, out: Assembler, choice: int) -> None:
        """Something says that this choice will cite. Its text is heard if none of it was missed."""
        if choice not in self._texts and not out.said("text", choice):
            self._texts[choice] = SpokenText()

    def hear(self, text: str, choice: int) -> None:
        """Visible text."""
        if choice in self._texts:
            self._texts[choice].hear(text)

    def cut(self, choice: int) -> None:
        """The text block of this choice is over."""
        if choice in self._texts:
            self._texts[choice].cut()

    def take(self, out: Assembler, candidate: Candidate, choice: int) -> None:
        """Say what a candidate cites, as far as it is new."""
        grounding = candidate.grounding_metadata
        if grounding:
            out.meta(fact_of("grounding", choice), grounding)
            for cited, raw in _grounded(grounding, choice, last=candidate.finish_reason is not None):
                self._say(out, cited, raw)
        sources = candidate.citation_metadata or {}
        for source in _objects(sources.get("citations") or sources.get("citationSources")):
            self._say(out, _cited(choice, "citation", source, source), source)
        if candidate.url_context_metadata:
            out.meta(fact_of("url_context", choice), candidate.url_context_metadata)

    def _say(self, out: Assembler, cited: _Cited, raw: dict[str, Any]) -> None:
        if cited in self._said:
            return
        self._said.add(cited)
        spoken = self._texts.get(cited.choice)
        span = None
        if spoken is not None and cited.end is not None:
            span = spoken.span(cited.start or 0, cited.end, cited.text)
        start, end = span or (None, None)
        out.annotation(
            cited.kind, cited.choice, start=start, end=end, url=cited.url, title=cited.title, text=cited.text, raw=raw
        )


def _grounded(grounding: dict[str, Any], choice: int, *, last: bool) -> Iterator[tuple[_Cited, dict[str, Any]]]:
    """Each chunk that a support names, for the support's segment; where the last word has no supports, each chunk for itself."""
    chunks: Any = grounding.get("groundingChunks")
    chunks = chunks if is_array(chunks) else []
    supports = list(_objects(grounding.get("groundingSupports")))
    for support in supports:
        segment: Any = support.get("segment")
        segment = segment if is_object(segment) else {}
        numbers: Any = support.get("groundingChunkIndices")
        for number in numbers if is_array(numbers) else ():
            if isinstance(number, int) and 0 <= number < len(chunks) and is_object(chunks[number]):
                kind, source = _source(chunks[number])
                yield _cited(choice, kind, segment, source), {"segment": segment, "chunk": chunks[number]}
    for chunk in _objects(chunks) if last and not supports else ():
        kind, source = _source(chunk)
        yield _cited(choice, kind, {}, source), {"chunk": chunk}


def _source(chunk: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a chunk is, and its members."""
    for name, kind in _CHUNKS.items():
        source = chunk.get(name)
        if is_object(source):
            return kind, source
    return "citation", {}


def _cited(choice: int, kind: str, segment: dict[str, Any], source: dict[str, Any]) -> _Cited:
    return _Cited(
        choice,
        kind,
        _number(segment.get("startIndex")),
        _number(segment.get("endIndex")),
        _words(segment.get("text")),
        _words(source.get("uri")),
        _words(source.get("title")),
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _words(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a list, if it is one."""
    return (item for item in value if is_object(item)) if is_array(value) else iter(())
