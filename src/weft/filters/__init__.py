"""Filters wrap the assembler's verbs, before blocks are numbered and the finish decided.

Knows: how a filter stands between a decoder and the assembler.
Must not know: any wire. No decoder learns of filters.
"""

from typing import Any

from weft.context import Context


class Filter:
    """Stands in for the assembler: a verb it does not define is the next one's own, so that it costs nothing.

    One that is asked for by name gets the caller's context as well.
    """

    def __init__(self, out: Any, context: Context | None = None) -> None:
        self.out = out
        self.context = context

    def __getattr__(self, verb: str) -> Any:
        value = getattr(self.out, verb)
        if callable(value):
            self.__dict__[verb] = value
        return value

    def flush(self) -> None:
        """The input is over: let go of what is held, from here to the assembler."""
        if isinstance(self.out, Filter):
            self.out.flush()
