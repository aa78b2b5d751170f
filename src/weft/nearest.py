"""What to say when a name is not known: the nearest one that is.

Knows: how to phrase it. Must not know: what is being named.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

SHOWN: Final = 24
"""So many names are told at most."""


class UnknownNameError(ValueError):
    """Nothing has that name. The message names the nearest thing that exists, or those that there are."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        near = get_close_matches(name, known, n=1, cutoff=0.55)
        more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
        hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known[:SHOWN])}{more}"
        super().__init__(f"there is no {kind} {name!r}; {hint}")
