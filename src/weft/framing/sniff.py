"""Which framing it is, by the first bytes: a source does not always send what it is known for.

Knows how each framing begins. Must not know how it goes on, nor which source is read.
"""

from collections.abc import Callable
from typing import Final

from weft.framing.framer import DEFAULT_LIMIT, Emit, Fault, Framer
from weft.framing.framers import FRAMERS
from weft.framing.json_values import OPENS_ARRAY
from weft.framing.ndjson import NDJSON
from weft.framing.page import Page
from weft.framing.run import TakeRun
from weft.framing.sse import SSE
from weft.framing.unreadable import Unreadable, may_be_unreadable, unreadable

_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"
_FIELDS: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
_PAGES: Final = tuple(b"<! <? <html <head <body <title <center <h1".split())
"""How a page begins, where words may come that begin with a bracket themselves, as `<think>` does."""
_PAGE: Final = max(map(len, _PAGES))
_FIRST_BYTES: Final = 4096
"""What does not show by then is the default: white space without end must not be kept."""
_LONGEST_AWS_FRAME: Final = 25 << 20
_SHORTEST_AWS_FRAME: Final = 16
_NO_FRAMES: Final = {"html": Page, "unreadable": Unreadable}


class Sniffer:
    """A framer that looks at the first bytes and then steps aside for the right one. `take_run` is for a sink that parses."""

    feed: Callable[[bytes], None]
    close: Callable[[], None]

    def __init__(
        self,
        emit: Emit,
        fault: Fault,
        limit: int = DEFAULT_LIMIT,
        default: str = "sse",
        take_run: TakeRun | None = None,
    ) -> None:
        if default not in FRAMERS:
            raise ValueError(f"no framing is called {default!r}; there are {', '.join(FRAMERS)}")
        self._sinks = emit, fault
        self._limit = limit
        self._take_run = take_run
        self._default = default
        self._head = b""
        self._inner: Framer | None = None
        self.feed = self._look
        self.close = self._decide_at_end

    @property
    def offset(self) -> int:
        """Where the frame or fault that is being told begins."""
        return self._inner.offset if self._inner else 0

    def _look(self, data: bytes) -> None:
        self._head += data
        name = framing_of(self._head[:_FIRST_BYTES], self._default)
        if name is None and len(self._head) >= _FIRST_BYTES:
            name = self._default
        if name is not None:
            self._hand_over(name)

    def _decide_at_end(self) -> None:
        self._hand_over(self._default)
        self.close()

    def _hand_over(self, name: str) -> None:
        make = _NO_FRAMES.get(name) or FRAMERS[name]
        inner = self._inner = make(*self._sinks, self._limit)
        if self._take_run is not None and isinstance(inner, SSE | NDJSON):
            inner.take_run = self._take_run
        self.feed, self.close = inner.feed, inner.close
        head, self._head = self._head, b""
        if head:
            inner.feed(head)


def framing_of(head: bytes, default: str) -> str | None:
    """The framing of an input that begins with `head`; None while more of it must be seen."""
    if not head or head in _BOM[:2] or (head[0] == 0 and len(head) < 4) or may_be_unreadable(head):
        return None
    if head[0] == 0:
        total = int.from_bytes(head[:4], "big")
        return "aws" if _SHORTEST_AWS_FRAME <= total <= _LONGEST_AWS_FRAME else default
    if unreadable(head) is not None:
        return "unreadable"
    text = head.removeprefix(_BOM).lstrip(_SPACE)
    if text.rstrip(_SPACE) in {b"", b"["}:
        return None
    if OPENS_ARRAY.match(text):
        return "json_array"
    if text[:1] == b"{":
        return "ndjson"
    if text[:1] == b"<" and (default != "ndjson" or text[:_PAGE].lower().startswith(_PAGES)):
        return "html"
    if default == "sse" or text.startswith(_FIELDS):
        return "sse"
    begun = text[:_PAGE].lower()
    return None if any(word.startswith(begun) for word in (*_FIELDS, *_PAGES)) else default
