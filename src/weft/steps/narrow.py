"""What a target needs before its encoder: one choice, one block at a time, or neither.

Knows: that most deltas belong to the block that is live, and need no step at all.
Must not know: targets; an encoder says what it needs.
"""

from typing import Final

from weft.encoder import Encoder
from weft.events import ArgsDelta, Event, ReasoningDelta, RefusalDelta, TextDelta
from weft.losses import Losses
from weft.steps import Emit, chain
from weft.steps.one_choice import OneChoice
from weft.steps.sequential import Sequential

_DELTAS: Final = frozenset({TextDelta, ReasoningDelta, RefusalDelta, ArgsDelta})


def narrowed(encoder: Encoder, losses: Losses) -> Emit:
    """What to feed so that the encoder gets a stream that it can say."""
    one = None if encoder.choices else OneChoice(losses)
    if encoder.sequential:
        return _sequential(encoder, one)
    if one is None:
        return encoder.feed
    on, slow, dropped = encoder.on, chain([one], encoder.feed), one.dropped

    def take(event: Event) -> None:
        kind = type(event)
        if kind in _DELTAS and not dropped:
            on[kind](event)
        else:
            slow(event)

    return take


def _sequential(encoder: Encoder, one: OneChoice | None) -> Emit:
    """Deltas of the live block go on at once, those of a block that waits are put with it; all else takes the steps."""
    on, row = encoder.on, Sequential(encoder.beside)
    slow = chain([one, row] if one is not None else [row], encoder.feed)
    waiting = row.waiting

    def take(event: Event) -> None:
        kind = type(event)
        if kind not in _DELTAS:
            slow(event)
            return
        index: int = event.index  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] - deltas have it
        if index == row.live:
            on[kind](event)
        elif index in waiting:
            waiting[index].append(event)
        else:
            slow(event)

    return take
