"""Filters that hold text back until they know what it is.

Knows: that what comes after the held text must not overtake it, and that each choice and block has a text of its own.
Must not know: what is looked for in the text.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Final

from weft.filters import Filter
from weft.finish import finish_reason

# Verbs that say something about what was said before, or something new behind it -> where their choice stands; None: all choices.
# The rest (start, meta, usage, note, ...) has no place in the text, and must not break a marker that it happens to come into.
_AFTER_TEXT: Final[Mapping[str, int | None]] = {
    "refusal": 1,
    "reasoning": 1,
    "signature": 1,
    "annotation": 1,
    "tool_call": 4,
    "split": 0,
    "file": 0,
    "opaque": 2,
    "open": -1,
    "result": -1,
    "end": None,
    "step_start": None,
    "step_end": None,
    "sign": None,
    "fail": None,
    "unknown": None,
}


class Lane:
    """One text. `read` is the state: it takes the text at hand and where to begin, and gives where the next state goes on.

    A state that cannot tell yet what the rest is holds it: it will be read again with what comes next.
    """

    read: Callable[[str, int], int]

    def __init__(self, filter: Filter, choice: int, key: Hashable) -> None:
        self.filter = filter
        self.choice = choice
        self.key = key
        self._held = ""
        self._logprobs: Any = None
        self._channel: str | None = None

    def feed(self, text: str, logprobs: Any, channel: str | None) -> None:
        """One more piece. Its log probabilities go with the first text that it lets through."""
        self._logprobs, self._channel = logprobs, channel
        text, self._held, at = self._held + text, "", 0
        while at < len(text):
            at = self.read(text, at)
        logprobs, self._logprobs = self._logprobs, None
        if logprobs is not None:
            self.filter.out.text("", self.choice, self.key, logprobs, channel)

    def hold(self, text: str, at: int) -> int:
        """Keep the rest for later."""
        self._held = text[at:]
        return len(text)

    def take_held(self) -> str:
        """What is held, which is held no more."""
        held, self._held = self._held, ""
        return held

    def say(self, text: str) -> None:
        """Visible text."""
        if text:
            logprobs, self._logprobs = self._logprobs, None
            self.filter.out.text(text, self.choice, self.key, logprobs, self._channel)

    def think(self, text: str) -> None:
        """Reasoning."""
        if text:
            self.filter.out.reasoning(text, self.choice, self.key)

    def split(self) -> None:
        """What comes next is a block of its own, unless the source has blocks."""
        if self.key is None:
            self.filter.out.split(self.choice)

    def markup(self, text: str) -> None:
        """What is neither, and is left out."""

    def release(self) -> None:
        """Nothing more comes before something else does: let go of what is held, as what it is."""
        raise NotImplementedError


class Holding(Filter):
    """A filter with a lane for each text. What comes behind a text lets go of it first."""

    lane: ClassVar[type[Lane]]

    def __init__(self, out: Any, context: Any = None) -> None:
        super().__init__(out, context)
        self.lanes: dict[tuple[int, Hashable], Lane] = {}

    def __getattr__(self, verb: str) -> Any:
        if verb not in _AFTER_TEXT:
            return super().__getattr__(verb)
        say = getattr(self.out, verb)

        def say_after(*said: Any, **more: Any) -> Any:
            self.before(verb, choice_of(verb, said, more))
            return say(*said, **more)

        self.__dict__[verb] = say_after
        return say_after

    def text(
        self, text: str, choice: int = 0, key: Hashable = None, logprobs: Any = None, channel: str | None = None
    ) -> None:
        """Visible text, or what is looked for in it."""
        lane = self.lanes.get((choice, key))
        if lane is None:
            lane = self.lanes[choice, key] = self.lane(self, choice, key)
        lane.feed(text, logprobs, channel)

    def finish(self, raw: str | None, reason: Any = None, choice: int = 0, message: str | None = None) -> None:
        """A choice's finish. Some servers say on each chunk that there is none yet."""
        if reason is not None or finish_reason(raw) is not None:
            self.before("finish", choice)
        self.out.finish(raw, reason, choice, message)

    def end(self, key: Hashable, complete: bool = True) -> None:
        """A block is over, and with it its text."""
        for place in [place for place in self.lanes if place[1] == key]:
            self.lanes.pop(place).release()
        self.out.end(key, complete)

    def step_start(self) -> None:
        """Another model call: texts begin anew."""
        self.flush_lanes()
        self.lanes.clear()
        self.out.step_start()

    def flush(self) -> None:
        self.flush_lanes()
        super().flush()

    def before(self, verb: str, choice: int | None) -> None:
        """Something comes behind the texts of this choice, or of all."""
        self.flush_lanes(choice)

    def flush_lanes(self, choice: int | None = None) -> None:
        """Let go of what the texts of this choice hold, or of all."""
        for lane in self.lanes.values():
            if choice is None or lane.choice == choice:
                lane.release()


def choice_of(verb: str, said: tuple[Any, ...], more: Mapping[str, Any]) -> int | None:
    """The choice that a verb speaks of."""
    at = _AFTER_TEXT[verb]
    if at is None:
        return None
    return said[at] if 0 <= at < len(said) else more.get("choice", 0)
