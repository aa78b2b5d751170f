"""The filters that can be asked for by name, on the command line or in a dialect's row.

Knows: the names and where each is made. Must not know: how any of them works.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from weft.nearest import UnknownNameError

NAMED: dict[str, tuple[str, str]] = {
    "snapshots": ("weft.filters.snapshots", "Snapshots"),
    "surrogates": ("weft.filters.surrogates", "Surrogates"),
}
"""name -> module, maker. A maker takes the next stage and gives the filter."""


def filter_named(name: str) -> Callable[[Any], Any]:
    """The maker of a filter. Raises `ValueError`, which names the nearest, for a name that nobody has."""
    if name not in NAMED:
        raise UnknownNameError("filter", name, NAMED)
    module, maker = NAMED[name]
    return getattr(import_module(module), maker)
