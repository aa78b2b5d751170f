"""A stream adapter of one's own, whole: the imaginary provider Parrot, by its imaginary SDK.

The SDK yields dicts: {"say": TEXT} and {"think": TEXT} pieces, {"call": NAME} followed by {"with": PIECE_OF_JSON} pieces and {"go": True},
and at the end {"bye": "done" | "tired"}. It raises Squawk when something goes wrong.
"""

import json
from typing import Any

from weft.adapters import StreamAdapter
from weft.chunks import FunctionCall, ProcessedChunk, ProviderError, ThoughtLogEntry


class Squawk(Exception):  # noqa: N818 - so the SDK calls it
    """What Parrot's SDK raises."""

    def __init__(self, mood: str) -> None:
        super().__init__(f"squawk: {mood}")
        self.mood = mood


class ParrotAdapter(StreamAdapter):
    """One attempt: what is kept are the pieces of the call that is coming."""

    name = "parrot"

    def __init__(self) -> None:
        self._call = ""
        self._pieces: list[str] = []

    def process_chunk(self, raw: dict[str, Any]) -> ProcessedChunk | None:
        """One chunk, or none while a call is coming."""
        match raw:
            case {"say": text}:
                return ProcessedChunk("text", text)
            case {"think": text}:
                return ProcessedChunk("text", "", thoughts=[ThoughtLogEntry("raw", text)])
            case {"call": name}:
                self._call, self._pieces = name, []
            case {"with": piece}:
                self._pieces.append(piece)
            case {"go": True}:
                call = FunctionCall(self._call, json.loads("".join(self._pieces) or "{}"))
                return ProcessedChunk("function_call", function_call=call)
            case {"bye": "tired"}:
                return ProcessedChunk("done", metadata={"finishReason": "length"})
            case {"bye": _}:
                return ProcessedChunk("done", metadata={"finishReason": "stop"})
        return None

    def handle_provider_error(self, error: Any) -> ProviderError:
        """Parrot's own errors; all others as Weft knows them."""
        if isinstance(error, Squawk):
            hungry = error.mood == "hungry"
            return ProviderError("rate_limit" if hungry else "api_error", str(error), error.mood, hungry, error)
        return super().handle_provider_error(error)

    def create_error_description(self, error: ProviderError, locale: str = "en") -> str | None:
        """A biscuit helps; all others as Weft words them."""
        return "🦜 🍪?" if error.code == "hungry" else super().create_error_description(error, locale)
