"""Look at the events as they pass, and change nothing.

Knows: nothing else. What the looker raises is the caller's own fault and passes through.
"""

from collections.abc import Callable

from weft.events import Event
from weft.steps import Emit


class Tap:
    """Calls `look` with every event, before it goes on."""

    def __init__(self, look: Callable[[Event], object]) -> None:
        self._look = look

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        self._look(event)
        emit(event)
