"""What every encoder is: events in, bytes of one target out, and an honest account of what could not be said.

Knows: dispatch by event type, and how losses are declared and reported.
Must not know: any target.

An encoder handles an event or names it in `drops`; a test holds that for all of them. `loses` names what it cannot say of the events
that it does handle; reporting a loss that was not declared is a bug, and fails.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from weft.context import Context
from weft.events import (
    ArgsDelta,
    BlockEnd,
    BlockKind,
    BlockStart,
    Event,
    ReasoningDelta,
    RefusalDelta,
    Start,
    TextDelta,
    Unknown,
)
from weft.losses import Losses

Handler = Callable[[Any], None]
Delta = TextDelta | ReasoningDelta | RefusalDelta | ArgsDelta


class Encoder:
    """Made with `write`, which takes whole frames. `feed` takes events until the terminal, which is last."""

    drops: ClassVar[Mapping[type[Event], str]] = {}
    """event -> the word of `losses.WHAT` under which it is lost; an empty word: it says nothing that this target could miss."""

    loses: ClassVar[Mapping[str, str]] = {}
    """word of `losses.WHAT` -> why this target cannot say it."""

    sequential: ClassVar[bool] = False
    """One block at a time: what is open in parallel is put in a row before it comes here."""

    beside: ClassVar[frozenset[BlockKind]] = frozenset()
    """Kinds of block that a sequential target takes whole, and so beside the one that is open."""

    own: ClassVar[str] = ""
    """The protocol whose unnamed frames are carried, if any are."""

    profiles: ClassVar[Mapping[str, str]] = {}
    """client profile -> what is said otherwise to that client. A profile that is not here changes nothing."""

    choices: ClassVar[bool] = False
    """Several choices can be told apart."""

    def __init__(self, write: Callable[[bytes], object], context: Context, losses: Losses) -> None:
        self._write = write
        self._context = context
        self._losses = losses
        self.on: dict[type[Event], Handler] = {**self.handlers(), **dict.fromkeys(self.drops, self._drop)}
        self.like: Delta | None = None
        """The delta that was said last, if texts that are more of the same may be given to `more`."""

    def handlers(self) -> dict[type[Event], Handler]:
        """The method for each event that is not dropped. Asked once."""
        raise NotImplementedError

    def feed(self, event: Event) -> None:
        """Take one event of a legal stream."""
        self.on[type(event)](event)

    def more(self, texts: list[str]) -> None:
        """Say deltas that are more of `like`: nothing but text, of the same block and in the same place."""
        raise NotImplementedError

    def flush(self) -> None:
        """A read is over: say what was held only in the hope that the same read would bring more to it."""

    def settle(self) -> None:
        """What is complete is over for good: say its last words now, though the next event would have asked for them."""
        self.flush()

    def follow(self, frames: bytes) -> None:
        """Frames that another wrote stand before what comes: count on from theirs, where frames are counted."""

    def cut(self, event: BlockEnd) -> None:
        """The stream broke off in this block, which another announced: say so where a failure of this target closes what is open."""

    def unnamed(self, event: Unknown) -> None:
        """A frame that the source could not name goes on as it came to who speaks the same protocol, and nowhere else."""
        if event.protocol == self.own:
            self.carry(event)
        else:
            self.lose("unknown", place_of(event))

    def carry(self, event: Unknown) -> None:
        """Say such a frame again."""
        raise NotImplementedError

    def lose(self, what: str, where: str = "message") -> None:
        """Report that the stream had something that cannot be said here."""
        self._losses.add(what, self.loses[what], where)

    def lose_head(self, event: Start) -> None:
        """Report all that a message says of itself at its start."""
        for what, said in (("id", not event.made), ("model", event.model), ("created", event.created)):
            if said:
                self.lose(what)
        if event.provider is not None:
            self.lose("meta", "provider")

    def lose_kind_of_text(self, event: BlockStart) -> None:
        """Report what makes a text other than plain text."""
        if event.kind == "refusal":
            self.lose("refusal", place_of(event))
        if event.channel is not None:
            self.lose("channel", place_of(event))

    def _drop(self, event: Event) -> None:
        what = self.drops[type(event)]
        if what:
            self._losses.add(what, self.loses[what], place_of(event))


def place_of(event: Any) -> str:
    """Where a loss happened, in words: the block, or the message."""
    index = getattr(event, "index", None)
    return "message" if index is None else f"block {index}"
