"""The handover: one place between the task that reads and the one that consumes. Nothing piles up in it and nothing is dropped.

Knows: batches of events. Must not know: where they come from.
"""

import anyio

from weft.events import Event


class Handover:
    """`give` comes back when the events were taken, or are sure to be since the consumer waits for nothing else; what a cancelled `give` left
    behind is still there to be taken. `leave` ends it.
    """

    def __init__(self) -> None:
        self._batch: list[Event] = []
        self._closed = False
        self._awaited = False
        self._came = anyio.Event()
        self._taken = anyio.Event()

    async def give(self, events: list[Event]) -> None:
        """Put the events there and wait until they were taken."""
        self._batch += events
        if self._awaited:
            self._awaited = False
            self._came.set()
            return
        while self._batch:
            self._taken = anyio.Event()
            await self._taken.wait()

    def leave(self, events: list[Event]) -> None:
        """Put the last events there and wait for nobody: they may be taken or not."""
        self._batch += events
        self._closed = True
        self._came.set()

    async def take(self) -> list[Event] | None:
        """The events that are there, or the next that come; None when there will be no more."""
        while not self._batch:
            if self._closed:
                return None
            self._came = anyio.Event()
            self._awaited = True
            try:
                await self._came.wait()
            finally:
                self._awaited = False
        batch, self._batch = self._batch, []
        self._taken.set()
        return batch
