"""The calls of an agent's run: each known by its id, said in pieces and then (or only) as a whole, and answered within the run.

Knows: that the whole input is what counts and the pieces are what it is made of, and that a result ends its call.
Must not know: any wire. For calls in fragments that no id holds together there is `fragments`.
"""

from typing import Any

from weft import jsontext, provider_state
from weft.assembler import Assembler
from weft.events import Executor
from weft.provider_state import Metadata

Id = str | int | None


class RunCalls:
    """The calls of one stream. `model` is who makes them, as far as it is known."""

    def __init__(self) -> None:
        self.model: str | None = None
        self._open: set[Id] = set()
        self._said: dict[Id, int] = {}
        self._executors: dict[Id, Executor] = {}

    def knows(self, id: Id) -> bool:
        """Was a call of this id seen in this step?"""
        return id in self._open or id in self._said

    def start(
        self,
        out: Assembler,
        id: Id,
        name: str | None,
        *,
        by_provider: bool | None = None,
        custom: bool = False,
        whole: bool = False,
        metadata: Metadata | None = None,
    ) -> None:
        """A call is announced; pieces of its input go to the block ("call", id)."""
        executor: Executor = "provider" if by_provider else "client"
        reused = id is not None and id in self._said
        if reused:
            out.note("call_id_reused", f"the id {id!r} is that of an earlier call of this step; this one gets another")
        self._open.add(id)
        self._executors[id] = executor
        out.split()
        out.open(
            "tool_call", ("call", id), item_id=provider_state.item_id(metadata),
            id=None if id is None or reused else str(id), name=name,
            executor=executor, tool="custom" if custom else "function", arrival="whole" if whole else "delta",
        )  # fmt: skip
        if not whole:
            provider_state.say(out, metadata, ("call", id), self.model)

    def whole(
        self,
        out: Assembler,
        id: Id,
        name: str | None,
        args: str,
        *,
        by_provider: bool | None = None,
        valid: bool = True,
        metadata: Metadata | None = None,
    ) -> None:
        """The call with its whole input. The same call again in one step changes nothing; one that the source found invalid is not complete."""
        if id not in self._open:
            if self._said.get(id) == hash(args):
                out.note("call_repeated", f"call {id!r} was said again")
                return
            self.start(out, id, name, by_provider=by_provider, whole=True, metadata=metadata)
        self._reconcile(out, id, args)
        provider_state.say(out, metadata, ("call", id), self.model)
        self._end(out, id, args, complete=valid)

    def result(
        self,
        out: Assembler,
        id: Id,
        content: Any,
        *,
        name: str | None = None,
        is_error: bool = False,
        by_provider: bool | None = None,
        last: bool = True,
        metadata: Metadata | None = None,
    ) -> None:
        """What a tool gave back, or (not `last`) a first look at it. It ends its call, if nothing did."""
        if id in self._open:
            self._end(out, id, out.call_args(("call", id)))
        executor: Executor = "provider" if by_provider else self._executors.get(id, "client")
        out.split()
        out.result(
            None if id is None else str(id), content, ("result", id), name=name, is_error=is_error, executor=executor
        )
        provider_state.say(out, metadata, ("result", id), self.model)
        if last:
            out.end(("result", id))

    def end_step(self) -> None:
        """Ids are unique within a step only."""
        self._open.clear()
        self._said.clear()

    def _reconcile(self, out: Assembler, id: Id, args: str) -> None:
        """Say what the pieces lack of the whole. What contradicts them cannot be unsaid, and is noted."""
        key = ("call", id)
        pieces = out.call_args(key)
        if args.startswith(pieces):
            out.args(args[len(pieces) :], key)
            if args:
                out.args_repeated(key)
        elif args and not _same(args, pieces):
            out.note("input_changed", f"the input of call {id!r} is not what its pieces were")

    def _end(self, out: Assembler, id: Id, args: str, *, complete: bool = True) -> None:
        self._open.discard(id)
        self._said[id] = hash(args)
        out.end(("call", id), complete)


def _same(one: str, other: str) -> bool:
    """Is it the same value, however it is written?"""
    try:
        return jsontext.decode(one) == jsontext.decode(other)
    except ValueError:
        return False
