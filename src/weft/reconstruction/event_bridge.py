"""A whole stream through the machine, from the first delta to the one terminal that always comes.

Knows: that what breaks in the middle ends the response as failed. Must not know: what a delta says; sockets.
"""

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
from typing import Any

from weft.errors import Error, make_error
from weft.grammar import TERMINAL, Phase
from weft.reconstruction.bridge_error import BridgeError
from weft.reconstruction.delta import ProviderStreamDelta, ResponseStreamEvent
from weft.reconstruction.machine import ResponseStreamStateMachine
from weft.reconstruction.stream_reconstructor import map_provider_deltas_to_events
from weft.sources import AsyncPieces, Pieces


class ProviderStreamEventBridge:
    """`feed` one delta or the batch of a chunk, `flush` at the end. Neither raises, whatever the deltas are."""

    def __init__(self, machine: ResponseStreamStateMachine) -> None:
        self.machine = machine

    def feed(self, deltas: ProviderStreamDelta | Iterable[ProviderStreamDelta]) -> list[ResponseStreamEvent]:
        """The events of what one chunk said. After the terminal there are none."""
        batch: Iterable[Any] = deltas if isinstance(deltas, list | tuple) else [deltas]
        try:
            return map_provider_deltas_to_events(self.machine, batch, defer_terminal=True)
        except BridgeError as breach:
            return self._fail(breach.as_error())
        except Exception as error:  # noqa: BLE001 - a step is the caller's code, and the client waits for its terminal
            return self._fail(_step_failed(error))

    def flush(self, error: Error | None = None) -> list[ResponseStreamEvent]:
        """The source is over: the response ends as the deferred finish says, or with the fault that the source broke off with."""
        machine = self.machine
        if machine.phase in TERMINAL:
            return machine.taken()
        if error is not None and machine.deferred_finish_reason is None:
            return self._fail(error)
        begun = self._begun()
        try:
            return [*begun, *machine.finish(machine.deferred_finish_reason)]
        except BridgeError as breach:
            return [*begun, *self._fail(breach.as_error())]

    def _fail(self, error: Error) -> list[ResponseStreamEvent]:
        return [*self._begun(), *self.machine.fail(error)]

    def _begun(self) -> list[ResponseStreamEvent]:
        """A stream that never said anything is one all the same."""
        return self.machine.start() if self.machine.phase is Phase.IDLE else []


def bridge(
    machine: ResponseStreamStateMachine, deltas: Iterable[ProviderStreamDelta | list[ProviderStreamDelta]]
) -> Iterator[ResponseStreamEvent]:
    """All events of a stream of deltas (or of batches of them), the end included. What the iterable raises is how the stream ended."""
    row = ProviderStreamEventBridge(machine)
    pieces = Pieces(deltas)
    for piece in pieces:
        yield from row.feed(piece)
    yield from row.flush(pieces.fault)


async def abridge(
    machine: ResponseStreamStateMachine, deltas: AsyncIterable[ProviderStreamDelta | list[ProviderStreamDelta]]
) -> AsyncGenerator[ResponseStreamEvent, None]:
    """The same for an async source. Whoever closes it closes the source."""
    row, pieces = ProviderStreamEventBridge(machine), AsyncPieces(deltas)
    try:
        async for piece in pieces:
            for event in row.feed(piece):
                yield event
    finally:
        await pieces.aclose()
    for event in row.flush(pieces.fault):
        yield event


def _step_failed(error: Exception) -> Error:
    original = {"exception": type(error).__qualname__, "message": str(error)}
    return make_error("server", "The response could not be completed.", original=original)
