"""When visible text is let go, as values: the caller's rules, and the pieces that come of them.

Knows: what may be chosen. Must not know: how text is looked through (`flusher`).
"""

from typing import Final, Literal, get_args

import msgspec

Boundary = Literal["sentence", "line", "paragraph", "size"]
FlushReason = Literal[
    "sentence", "line", "paragraph", "fence", "size", "idle", "tool_call", "error", "timeout", "stopped", "end"
]

SMALLEST_FENCED: Final = 200
"""With a lower limit there is no room for a fence that is opened again and closed: then fences are lines like others."""


class FlushRules(msgspec.Struct, frozen=True, kw_only=True):
    """`at`: let go at boundaries of this kind and at coarser ones; `size` waits for the limit or the end. A code fence is not cut into.

    `limit`: characters in a piece at most. `minimum`: pieces shorter than this wait for a later boundary. `idle`: seconds without text after
    which what is whole is let go. `fences=False`: fences are lines like others.
    """

    at: Boundary = "paragraph"
    limit: int | None = 2000
    minimum: int = 1
    idle: float | None = None
    fences: bool = True

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise ValueError("FlushRules.limit: a piece has at least one character")
        if self.at not in get_args(Boundary):
            raise ValueError(
                f"FlushRules.at: there is no boundary {self.at!r}; known are: {', '.join(get_args(Boundary))}"
            )
        if self.idle is not None and not self.idle > 0:
            raise ValueError("FlushRules.idle: a time without text is longer than none; None is never")

    @property
    def fenced(self) -> bool:
        """Fences are looked for."""
        return self.fences and (self.limit is None or self.limit >= SMALLEST_FENCED)


class Flush(msgspec.Struct, frozen=True):
    """A piece of the visible text, and why it was let go. The `text` of all pieces together is the text of the stream.

    A code fence longer than the limit has to be cut: then `opening` is the line that the piece needs before it, and `closing` what it needs after.
    """

    text: str
    reason: FlushReason
    opening: str = ""
    closing: str = ""

    @property
    def rendered(self) -> str:
        """The text as Markdown that stands by itself; never longer than the limit."""
        head = f"{self.opening}\n" if self.opening else ""
        tail = self.closing if not self.closing or self.text.endswith("\n") else f"\n{self.closing}"
        return head + self.text + tail

    @property
    def blank(self) -> bool:
        """There is nothing to see in it."""
        return not self.text or self.text.isspace()
