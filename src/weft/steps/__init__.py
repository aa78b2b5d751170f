"""Steps: events to events, between the reader and the encoder.

A step is a callable `step(event, emit)`: it emits what should go on, at once or later. All streams end in one terminal, so whatever a
step holds back it lets go when that comes. `Pipe(steps=[...])` puts them in a row; a plain function is a step.

Knows: how steps are chained. Must not know: protocols.
"""

from collections.abc import Callable, Iterable

from weft.events import Event

Emit = Callable[[Event], object]
Step = Callable[[Event, Emit], object]


def chain(steps: Iterable[Step], emit: Emit) -> Emit:
    """What to feed so that events go through all steps, in order, to `emit`."""
    for step in reversed(list(steps)):
        emit = _bound(step, emit)
    return emit


def _bound(step: Step, emit: Emit) -> Emit:
    def take(event: Event) -> object:
        return step(event, emit)

    return take
