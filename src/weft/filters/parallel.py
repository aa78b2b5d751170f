"""Calls that a model wrapped into one call of a tool that nobody offered it.

Knows: which calls may be such a wrapper, and that only the caller knows what was offered (the context's tools).
Must not know: wires. A wrapper is held until its choice is over: half of it is no call yet.
"""

from typing import Any

from weft.calls import Call, CallRouter
from weft.context import Context
from weft.filters import Filter
from weft.wrapper import WRAPPERS, calls_in


class Parallel(Filter):
    """Says the calls inside a wrapper as calls of their own; one that holds anything else is said as it came."""

    def __init__(self, out: Any, context: Context | None = None) -> None:
        super().__init__(out, context)
        tools = context.tools if context is not None else None
        self._declared = frozenset(identity.provider_name for identity in tools or ())
        self._routers: dict[int, CallRouter] = {}
        self._held: dict[Call, list[str]] = {}

    def tool_call(
        self,
        index: int | None = None,
        id: str | None = None,
        name: str | None = None,
        args: str | None = None,
        choice: int = 0,
        **rest: Any,
    ) -> int | None:
        """A fragment of a call. Which call it is, is decided as everywhere."""
        if not self._declared:
            return self.out.tool_call(index, id, name, args, choice, **rest)
        call = self._routers.setdefault(choice, CallRouter(choice)).route(index, id or None, name or None, args)
        if call is not None:
            call.name = call.name or name or None
            if call.name in WRAPPERS and call.name not in self._declared:
                self._held.setdefault(call, []).append(args or "")
                return None
        return self.out.tool_call(index, id, name, args, choice, **rest)

    def finish(self, raw: str | None, reason: Any = None, choice: int = 0, *rest: Any) -> None:
        """A choice is over, if it says so: its wrappers are, too."""
        self._release(choice)
        self.out.finish(raw, reason, choice, *rest)

    def sign(self, sign: Any) -> None:
        """The stream is over."""
        self._release()
        self.out.sign(sign)

    def flush(self) -> None:
        self._release()
        super().flush()

    def _release(self, choice: int | None = None) -> None:
        for call in [call for call in self._held if choice in (None, call.choice)]:
            args = "".join(self._held.pop(call))
            inner = calls_in(args, self._declared)
            for number, (name, arguments) in enumerate(inner):
                id = f"{call.id}_{number}" if call.id else None
                self.out.tool_call(None, id, name, arguments, call.choice, whole=True)
            if not inner:
                self.out.tool_call(call.index, call.id, call.name, args, call.choice)
