"""Filters wrap the assembler's verbs, before blocks are numbered and the finish decided.

Knows: how a filter stands between a decoder and the assembler.
Must not know: any wire. No decoder learns of filters.
"""

from typing import Any


class Filter:
    """Stands in for the assembler: a verb it does not define is the next one's own, so that it costs nothing."""

    def __init__(self, out: Any) -> None:
        self.out = out

    def __getattr__(self, verb: str) -> Any:
        value = getattr(self.out, verb)
        if callable(value):
            self.__dict__[verb] = value
        return value
