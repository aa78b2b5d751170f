"""What must be whole to be said, and comes in pieces: redacted reasoning, images, results of tools that Bedrock ran.

Knows: the pieces so far, by block. Must not know: frames.
"""

from collections.abc import Hashable
from typing import Any

from weft.assembler import Assembler
from weft.protocols.bedrock.content import FAMILIES, joined, media, redacted
from weft.protocols.bedrock.wire import Media, ToolResultStart


class Held:
    """The unfinished blocks of one stream."""

    def __init__(self) -> None:
        self._redacted: dict[Hashable, list[str]] = {}
        self._images: dict[Hashable, tuple[Media, list[str]]] = {}
        self._results: dict[Hashable, tuple[ToolResultStart, list[Any]]] = {}

    def redacted(self, key: Hashable, piece: str) -> None:
        """A piece of encrypted reasoning."""
        self._redacted.setdefault(key, []).append(piece)

    def image(self, key: Hashable, image: Media) -> None:
        """An image begins, or goes on."""
        whole, pieces = self._images.setdefault(key, (Media(), []))
        whole.format = image.format or whole.format
        whole.error = image.error or whole.error
        if image.source is not None:
            whole.source = image.source
            if image.source.bytes:
                pieces.append(image.source.bytes)

    def result(self, key: Hashable, start: ToolResultStart | None, content: list[Any]) -> None:
        """What a tool gave back begins, or goes on."""
        _, pieces = self._results.setdefault(key, (start or ToolResultStart(), []))
        pieces.extend(content)

    def say(self, out: Assembler, key: Hashable) -> None:
        """The block is over: say what is held of it."""
        if pieces := self._redacted.pop(key, None):
            redacted(out, key, joined(pieces))
        if image := self._images.pop(key, None):
            media(out, key, FAMILIES["image"], image[0], joined(image[1]) if image[1] else None)
        if result := self._results.pop(key, None):
            start, content = result
            out.result(start.tool_use_id, content, key, name=start.type, is_error=start.status == "error")

    def say_all(self, out: Assembler) -> None:
        """The stream is over: say what is held of blocks that were not ended."""
        for key in [*self._redacted, *self._images, *self._results]:
            self.say(out, key)
