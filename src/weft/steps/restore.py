"""Calls of functions that stand for other tools become calls of those tools again (seed 001's restoring).

Knows: which kinds are held until they are whole and which stream. Must not know: targets; an encoder writes a call by its `tool`.

A custom tool's call is announced at once and its input streams unwrapped. local_shell, shell and apply_patch are held until they are complete,
then announced and sent whole, behind what opened meanwhile; what does not have the form of such a call stays a function's. A call's kind never changes once it is announced.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from weft import jsontext
from weft.events import ArgsDelta, BlockEnd, BlockStart, Event
from weft.jsontext import is_array, is_object
from weft.steps import Emit, Step
from weft.steps.renumber import Renumber
from weft.steps.unwrap import Unwrapper
from weft.tools import ToolIdentity, ToolIdentityMap


def restored(tools: ToolIdentityMap | None, steps: Iterable[Step]) -> list[Step]:
    """The steps, behind the restoring if the request had tools to restore."""
    return [*steps] if tools is None else [Restore(tools), Renumber(), *steps]


class Restore:
    """Restores by the map that the request's tools were planned with."""

    def __init__(self, tools: ToolIdentityMap) -> None:
        self._tools = tools
        self._custom: dict[int, Unwrapper] = {}
        self._whole: dict[int, tuple[ToolIdentity, list[Event], list[str]]] = {}

    def __call__(self, event: Event, emit: Emit) -> None:
        """Take one event."""
        if isinstance(event, BlockStart) and event.kind == "tool_call" and event.executor == "client":
            self._start(event, emit)
            return
        index: Any = getattr(event, "index", None)
        if index in self._custom:
            self._unwrap(event, index, emit)
        elif index in self._whole:
            self._hold(event, index, emit)
        else:
            emit(event)

    def _start(self, event: BlockStart, emit: Emit) -> None:
        identity = self._tools.get(event.name)
        if identity is None:
            emit(event)
        elif event.tool != "function":
            emit(msgspec.structs.replace(event, name=identity.requested_name))
        elif identity.requested_type == "custom":
            self._custom[event.index] = Unwrapper()
            emit(msgspec.structs.replace(event, name=identity.requested_name, tool="custom"))
        elif identity.requested_type in _FORMS:
            self._whole[event.index] = (identity, [event], [])
        else:
            searches = identity.requested_type.startswith("web_search") and identity.provider_type == "function"
            emit(msgspec.structs.replace(event, name="web_search" if searches else identity.requested_name))

    def _unwrap(self, event: Event, index: int, emit: Emit) -> None:
        unwrapper = self._custom[index]
        if isinstance(event, ArgsDelta):
            if text := unwrapper.feed(event.text):
                emit(ArgsDelta(index, text))
            return
        if isinstance(event, BlockEnd):
            del self._custom[index]
            rest, sound = unwrapper.finish()
            if rest:
                emit(ArgsDelta(index, rest))
            event = BlockEnd(index, event.complete and sound)
        emit(event)

    def _hold(self, event: Event, index: int, emit: Emit) -> None:
        identity, held, pieces = self._whole[index]
        if isinstance(event, ArgsDelta):
            pieces.append(event.text)
            return
        held.append(event)
        if not isinstance(event, BlockEnd):
            return
        del self._whole[index]
        raw = "".join(pieces)
        form = _FORMS[identity.requested_type](jsontext.decode_object(raw) or {}) if event.complete else None
        start = held[0]
        if isinstance(start, BlockStart):
            tool = identity.requested_type if form is not None else "function"
            emit(msgspec.structs.replace(start, name=identity.requested_name, tool=tool, arrival="whole"))
        text = raw if form is None else msgspec.json.encode(form).decode()
        if text:
            emit(ArgsDelta(index, text))
        for later in held[1:]:
            emit(later)


def _local_shell(arguments: dict[str, Any]) -> dict[str, Any] | None:
    command = arguments.get("cmd", arguments.get("command"))
    if not _strings(command):
        return None
    env = arguments.get("env")
    kept = {name: value for name, value in env.items() if isinstance(value, str)} if is_object(env) else {}
    beside = {name: arguments[name] for name in ("timeout_ms", "user", "working_directory") if name in arguments}
    return {"type": "exec", "command": command, "env": kept, **beside}


def _shell(arguments: dict[str, Any]) -> dict[str, Any] | None:
    if not _strings(arguments.get("commands")):
        return None
    return {name: arguments[name] for name in ("commands", "timeout_ms", "max_output_length") if name in arguments}


_PATCHES: Final = {"create_file": ("path", "diff"), "update_file": ("path", "diff"), "delete_file": ("path",)}


def _apply_patch(arguments: dict[str, Any]) -> dict[str, Any] | None:
    operation = arguments.get("operation")
    if not is_object(operation):
        return None
    needed = _PATCHES.get(str(operation.get("type")))
    fits = needed is not None and all(isinstance(operation.get(name), str) for name in needed)
    return operation if fits else None


def _strings(value: Any) -> bool:
    return is_array(value) and all(isinstance(word, str) for word in value)


_FORMS: Final[dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]]] = {
    "local_shell": _local_shell,
    "shell": _shell,
    "apply_patch": _apply_patch,
}
"""Kind of tool -> its action from a function's arguments, or None if they are not of its form."""
