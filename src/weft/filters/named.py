"""The filters that can be asked for by name, on the command line or in a dialect's row.

Knows: the names and where each is made. Must not know: how any of them works.
"""

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from typing import Any

NAMED: dict[str, tuple[str, str]] = {}
"""name -> module, maker. A maker takes the next stage and gives the filter."""


def filter_named(name: str) -> Callable[[Any], Any]:
    """The maker of a filter. Raises `ValueError`, which names the nearest, for a name that nobody has."""
    if name not in NAMED:
        near = get_close_matches(name, NAMED, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(sorted(NAMED))}"
        raise ValueError(f"there is no filter {name!r}; {hint}")
    module, maker = NAMED[name]
    return getattr(import_module(module), maker)
