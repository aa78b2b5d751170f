"""Events of a Responses stream as server-sent events, for programs that transform them first.

Knows: the frame and who numbers. Must not know: what an event says.
"""

from weft import jsontext
from weft.reconstruction.delta import ResponseStreamEvent


class ResponseSseEncoder:
    """Writes one stream. An event keeps the number it has; one without (a transformer made it) gets the next."""

    def __init__(self) -> None:
        self._next = 0

    def encode(self, event: ResponseStreamEvent) -> bytes:
        """The frame of one event."""
        number = event.get("sequence_number", self._next)
        self._next = max(self._next, number + 1)
        data = jsontext.line({**event, "sequence_number": number})
        return b"event: %b\ndata: %b\n\n" % (str(event["type"]).encode(), data)
