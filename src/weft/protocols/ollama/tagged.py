"""Lines with a tag around them, `{"kind":"json","delta":{"choices":[…]}}`, as UICP's backend sends what it gets from Ollama.

Knows: how tags and strings of JSON are taken off. Must not know: what the lines inside mean.
"""

import msgspec

from weft.framing import NDJSON
from weft.protocols.ollama.wire import Frame

_parse = msgspec.json.Decoder(Frame).decode


def opened(frame: Frame) -> list[Frame]:
    """The lines that a line with a `delta` holds: one, or text, which may be lines of JSON in its turn."""
    while isinstance(frame.delta, Frame):
        frame = frame.delta
    if frame.delta is None:
        return [frame]
    return _lines_in(frame.delta) or [Frame(text=frame.delta)]


def _lines_in(text: str) -> list[Frame]:
    """The lines that a string consists of, if it consists of nothing else."""
    if not text.lstrip().startswith("{"):
        return []
    found: list[bytes] = []

    def take(data: bytes, name: str) -> None:
        found.append(data)

    def broken(code: str, message: str, fatal: bool) -> None:
        found.append(b"")

    framer = NDJSON(take, broken)
    framer.feed(text.encode("utf-8", "replace"))
    framer.close()
    try:
        frames = [_parse(data) for data in found]
    except msgspec.MsgspecError:
        return []
    return frames if all(map(_is_line, frames)) else []


def _is_line(frame: Frame) -> bool:
    """JSON that the model wrote is no line of its server."""
    return frame.message is not None or frame.choices is not None or frame.done is not None
