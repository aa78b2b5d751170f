"""What a target needs before its encoder: one choice, one block at a time, or neither.

Knows: that most deltas belong to the block that is live, and need no step at all; that most are more of what the last one was of.
Must not know: targets; an encoder says what it needs.
"""

from collections.abc import Callable
from typing import Any, Final

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


def by_reads(encoder: Encoder, losses: Losses) -> Callable[[list[Event]], None]:
    """The same for the events of a whole read: deltas that are more of the same are said in one go, which costs each of them no call."""
    take = narrowed(encoder, losses)

    def take_all(events: list[Any]) -> None:
        at, count = 0, len(events)
        if count == 1:
            encoder.like = None
            take(events[0])
            return
        while at < count:
            like = encoder.like
            end = _run_end(like, events, at) if like is not None else at
            if end > at:
                encoder.more([event.text for event in events[at:end]])
                at = end
            else:
                encoder.like = None
                take(events[at])
                at += 1

    return take_all


def _run_end(like: Any, events: list[Any], start: int) -> int:
    """Where in these events, from `start` on, what is more of the same ends: of the same block, in the same place, and nothing but text."""
    kind, index = like.__class__, like.index
    if kind is ReasoningDelta:
        place = (kind, index, like.part, like.form)
        for at in range(start, len(events)):
            event = events[at]
            if event.__class__ is not kind or (kind, event.index, event.part, event.form) != place:
                return at
        return len(events)
    bare = kind is ArgsDelta
    for at in range(start, len(events)):
        event = events[at]
        if event.__class__ is not kind or event.index != index or not (bare or event.logprobs is None):
            return at
    return len(events)


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
