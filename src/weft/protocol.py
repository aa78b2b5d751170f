"""What a protocol is, and where the named ones are found.

Knows: the parts a protocol consists of, the built-in names, entry points for others.
Must not know: any protocol's content; they are imported when somebody asks for them by name.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any, ClassVar
from typing import Protocol as Shape

import msgspec

from weft.assembler import Assembler
from weft.nearest import UnknownNameError
from weft.rules import Rules


class PlugInError(UnknownNameError):
    """What another package brings under that name cannot be loaded, or is not what it should be."""

    def __init__(self, point: Any, why: str) -> None:
        ValueError.__init__(self, f"the plug-in {point.name!r} ({point.value}) cannot be used: {why}")


class Sign(msgspec.Struct, frozen=True):
    """One trait by which frames of a protocol are recognised: a member (dotted path, through arrays) and, if it matters, how its text begins.

    The path `:name` is the frame's own name in its framing. `weight` is how sure this sign alone makes one, from 0 to 1.
    """

    path: str
    begins: str | None = None
    weight: float = 0.9


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One row: how an imitator differs from the protocol it imitates. A protocol adds its own fields in a subclass.

    `models` are prefixes of model names by which the bare protocol recognises that this row is meant; `signs` are further traits, for `weft detect`.
    """

    name: str = ""
    title: str = ""
    rules: Rules = Rules()
    filters: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    signs: tuple[Sign, ...] = ()
    evidence: str = ""


class Decoder(Shape):
    """Reads one wire and says what it says, in verbs.

    `wire` is the type that each frame is parsed into; a decoder whose frames are told apart by their framing's name has `wires` as well.
    `usual` names for the frames that come by the thousand, by the name in their framing (empty where they have none), a type that has of `wire`
    only what those hold: it is tried first, and must refuse all that the decoder would read otherwise.
    """

    wire: ClassVar[Any]
    wires: ClassVar[Mapping[str, Any]]
    usual: ClassVar[Mapping[str, Any]]

    def __init__(self, out: Assembler, dialect: Any) -> None: ...

    def feed(self, message: Any, name: str) -> None:
        """Take one parsed frame; `name` is its event name, if its framing has such."""
        ...

    def close(self) -> None:
        """The input is over: say what was held back."""
        ...


class ProtocolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A protocol by name: a source has a decoder, a target an encoder; `reply` writes its whole replies, `turn` an assistant's turn of its requests.

    `framing` is the default; the bytes themselves may say otherwise. `ignores` are members known and not read. `never` are words of
    `losses.WHAT` for what a source has no words for, and so cannot lose on the way to any target.
    `framed` turns an SDK's object into a frame where plain JSON of it is not the wire's own form.
    """

    name: str
    title: str
    framing: str = "sse"
    decoder: Any = None
    encoder: Any = None
    reply: Any = None
    turn: Any = None
    dialect: Dialect = Dialect()
    dialects: tuple[Dialect, ...] = ()
    signs: tuple[Sign, ...] = ()
    ignores: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()
    framed: Callable[[Any], tuple[bytes, str] | None] | None = None

    def dialect_named(self, name: str | None) -> Dialect:
        """The row of that name, or the bare protocol's."""
        if not name:
            return self.dialect
        for row in self.dialects:
            if row.name == name:
                return row
        raise UnknownNameError("protocol", f"{self.name}/{name}", [f"{self.name}/{row.name}" for row in self.dialects])


BUILT_IN: dict[str, str] = {
    "openai-chat": "weft.protocols.openai_chat",
    "openai-responses": "weft.protocols.openai_responses",
    "anthropic": "weft.protocols.anthropic",
    "gemini": "weft.protocols.gemini",
    "ollama": "weft.protocols.ollama",
    "bedrock": "weft.protocols.bedrock",
    "cohere": "weft.protocols.cohere",
    "ai-sdk": "weft.protocols.ai_sdk",
    "ai-sdk-ui": "weft.protocols.ai_sdk_ui",
    "ag-ui": "weft.protocols.ag_ui",
    "provider-delta": "weft.protocols.provider_delta",
    "processed-chunk": "weft.protocols.processed_chunk",
    "stream-event-v1": "weft.protocols.stream_event_v1",
    "vscode": "weft.protocols.vscode",
    "events": "weft.protocols.events",
    "text": "weft.protocols.text",
}

PROTOCOL_GROUP = "weft.protocols"
DIALECT_GROUP = "weft.dialects"


@cache
def plugins(group: str) -> dict[str, Any]:
    """What other packages bring for that group of entry points, by name; nothing is imported before it is loaded."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


def names() -> list[str]:
    """All protocols that can be asked for by name, plug-ins included."""
    return sorted(BUILT_IN.keys() | plugins(PROTOCOL_GROUP).keys())


def specs(told: Callable[[PlugInError], object] = lambda _: None) -> Iterator[ProtocolSpec]:
    """All protocols, with the dialects that plug-ins bring. One that cannot be used is `told`, and takes no other down."""
    for spec in _usable([partial(_named, name) for name in names()], told):
        brought = [point for name, point in plugins(DIALECT_GROUP).items() if name.startswith(spec.name + "/")]
        rows = tuple(_usable([partial(_load, point, Dialect) for point in brought], told))
        yield msgspec.structs.replace(spec, dialects=spec.dialects + rows) if rows else spec


def _usable(loads: list[Callable[[], Any]], told: Callable[[PlugInError], object]) -> Iterator[Any]:
    for load in loads:
        try:
            yield load()
        except PlugInError as error:
            told(error)


def _load(point: Any, kind: type[Any]) -> Any:
    """What an entry point stands for."""
    try:
        found = point.load()
    except Exception as error:  # importing somebody else's package may raise anything, which is then told with its name
        raise PlugInError(point, f"{type(error).__name__}: {error}") from error
    if not isinstance(found, kind):
        raise PlugInError(point, f"it is no {kind.__name__}")
    return found


@cache
def _named(name: str) -> ProtocolSpec:
    if name in BUILT_IN:
        return import_module(BUILT_IN[name]).PROTOCOL
    brought = plugins(PROTOCOL_GROUP)
    if name in brought:
        return _load(brought[name], ProtocolSpec)
    raise UnknownNameError("protocol", name, BUILT_IN.keys() | brought.keys())


def resolve(name: "str | ProtocolSpec", dialect: "str | Dialect | None" = None) -> tuple[ProtocolSpec, Dialect]:
    """The protocol and dialect that `protocol`, `protocol/dialect` or a spec of one's own stand for."""
    if isinstance(name, ProtocolSpec):
        spec, inline = name, ""
    elif not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may have no type checker
        raise TypeError(f"a protocol is a name or a ProtocolSpec, not {name!r}")
    else:
        base, _, inline = name.partition("/")
        spec = _named(base)
    if isinstance(dialect, Dialect):
        return spec, dialect
    wanted = (dialect or inline).removeprefix(spec.name + "/")
    plugin = plugins(DIALECT_GROUP).get(f"{spec.name}/{wanted}") if wanted and wanted not in _rows(spec) else None
    return spec, _load(plugin, Dialect) if plugin is not None else spec.dialect_named(wanted)


def resolve_source(name: "str | ProtocolSpec", dialect: "str | Dialect | None" = None) -> tuple[ProtocolSpec, Dialect]:
    """The same, for what is to be read."""
    spec, row = resolve(name, dialect)
    if spec.decoder is None:
        raise ValueError(f"{spec.name!r} is a target only; `weft protocols` lists the sources")
    return spec, row


def _rows(spec: ProtocolSpec) -> set[str]:
    return {row.name for row in spec.dialects}
