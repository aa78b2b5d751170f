"""Seed 001's core loop: a batch of deltas through the machine.

Knows: in which order a batch is taken and when its finish is carried out. Must not know: what a delta says.
"""

from collections.abc import Iterable

from weft.grammar import TERMINAL
from weft.reconstruction.delta import ProviderStreamDelta, ResponseStreamEvent
from weft.reconstruction.machine import ResponseStreamStateMachine


def map_provider_deltas_to_events(
    machine: ResponseStreamStateMachine, deltas: Iterable[ProviderStreamDelta], *, defer_terminal: bool = False
) -> list[ResponseStreamEvent]:
    """The events of one batch; the response is started by its first good delta. Nothing is taken once the response has ended.

    A finish is carried out when the batch is over, so that usage beside it is not lost; with `defer_terminal` the caller carries it out, with
    `machine.finish(machine.deferred_finish_reason)`. Raises `BridgeError` at a delta that breaks the contract; the events of those before it
    come with the next call.
    """
    for delta in deltas:
        if machine.phase in TERMINAL:
            break
        machine.take(delta)
    if not defer_terminal and machine.deferred_finish_reason is not None and machine.phase not in TERMINAL:
        return machine.finish(machine.deferred_finish_reason)
    return machine.taken()
