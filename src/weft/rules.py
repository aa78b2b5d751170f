"""What a source declares about itself and cannot be guessed from its bytes: how it ends, how its usage adds up, how it repeats itself.

Knows: the rows' shape. The rows stand in each protocol's `dialects.py`.
Must not know: any protocol.
"""

from typing import Literal

import msgspec

from weft.events import FinishReason
from weft.usage import Merge

EndSign = Literal["finish", "done", "terminal", "incomplete"]
"""What can make an end true: a finish for every choice seen, the transport's `[DONE]`, or the protocol's own closing frame.

`incomplete` comes beside one of these, where the closing frame itself says that the answer is not whole, whatever the finish."""


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """One source's declarations. The defaults are the most common case."""

    ends_on: frozenset[EndSign] = frozenset({"finish", "done"})
    usage: Merge = "replace"
    usage_fields: dict[str, Merge] = {}
    names: Literal["first", "append"] = "first"
    finishes: dict[str, FinishReason] = {}


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much is taken before the stream is ended with a `limit` error. Sizes are bytes; of notes no more than so many are told."""

    frame: int = 64 << 20
    stream: int = 1 << 30
    notes: int = 1000
