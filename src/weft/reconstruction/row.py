"""The core's stages in a row, for a machine that is driven by hand: verbs in, the Responses events of one response out.

Knows: which stages stand in the row, and that the one terminal comes whatever happens in it.
Must not know: which verb may come when; what stands in an item.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from weft.assembler import Assembler
from weft.context import Context
from weft.errors import make_error
from weft.events import BlockEnd, BlockStart, End, Event, Note, Outcome, Usage
from weft.filters.surrogates import Surrogates
from weft.losses import Losses
from weft.protocols import provider_delta
from weft.protocols.openai_responses.encode import ResponsesEncoder
from weft.reconstruction.delta import ResponseStreamEvent
from weft.reconstruction.finishes import in_seed_words
from weft.reconstruction.prompt_end import PromptEnd
from weft.steps import Emit, Step, chain
from weft.steps.narrow import narrowed
from weft.steps.restore import restoring

_DATA: Final = b"data: "


class Row:
    """Assembler, steps and encoder. `verbs` are the assembler's; what they amount to is fetched with `taken`."""

    def __init__(self, context: Context, steps: Iterable[Step], on_note: Callable[[Note], object]) -> None:
        self.outcome: Outcome | None = None
        self.usage: Usage | None = None
        self._on_note = on_note
        self._frames: list[bytes] = []
        self._open: set[int] = set()
        losses = Losses()
        self._encoder = ResponsesEncoder(self._frames.append, context, losses)
        self._write = narrowed(self._encoder, losses)
        emit = chain([PromptEnd(), *restoring(context), _named, *steps, in_seed_words], self._watch)
        rules = provider_delta.PROTOCOL.dialect.rules
        self.assembler = Assembler(emit, rules, protocol=provider_delta.PROTOCOL.name)
        self.verbs = Surrogates(self.assembler)

    def taken(self) -> list[ResponseStreamEvent]:
        """The events since the last time: what stands in the encoder's frames, so that they are what a client would get."""
        self._encoder.flush()
        events = [_decode(frame[frame.index(_DATA) + len(_DATA) :]) for frame in self._frames]
        self._frames.clear()
        return events

    def response(self) -> dict[str, Any]:
        """The response as it stands, as data of the caller's own."""
        return _decode(msgspec.json.encode(self._encoder.standing()))

    def end(self) -> None:
        """Close what is open and say the terminal. A step that fails over it, or keeps it back, fails the response."""
        try:
            self.verbs.flush()
            self.assembler.close()
        except Exception as error:  # noqa: BLE001 - a step is the caller's code, and the client waits for its terminal
            self._on_note(Note("closing_failed", f"{type(error).__name__} while the response was closed: {error}"))
        if self.outcome is None:
            self._end_all_the_same()

    def _watch(self, event: Event) -> None:
        """What leaves the last step, up to the terminal."""
        if self.outcome is not None:
            return
        if isinstance(event, BlockStart):
            self._open.add(event.index)
        elif isinstance(event, BlockEnd):
            self._open.discard(event.index)
        elif isinstance(event, Note):
            self._on_note(event)
        elif isinstance(event, Usage):
            self.usage = event
        elif isinstance(event, End):
            self.outcome = event.outcome
        self._write(event)

    def _end_all_the_same(self) -> None:
        for index in sorted(self._open):
            self._watch(BlockEnd(index, complete=False))
        self._watch(End("failed", error=make_error("server", "The response could not be completed.")))


def _named(event: Event, emit: Emit) -> None:
    """A step: a call that never got a name is announced under one, since clients crash without. It is incomplete whatever it is called."""
    if isinstance(event, BlockStart) and event.kind == "tool_call" and not event.name:
        event = msgspec.structs.replace(event, name=f"tool_{event.index}")
    emit(event)


_decode = msgspec.json.Decoder(dict[str, Any]).decode
