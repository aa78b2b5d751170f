"""Short ways to send text through a filter, cut anywhere, and to see what became of each character."""

from collections.abc import Iterable
from typing import Any

from weft.assembler import Assembler
from weft.context import Context
from weft.events import Event
from weft.filters.named import filter_named
from weft.message import Message, collect


def events(
    name: str, pieces: Iterable[str], *, finish: str | None = "stop", context: Context | None = None
) -> list[Event]:
    """What comes of these pieces of text, sent through the filter of that name."""
    said: list[Event] = []
    assembler = Assembler(said.append)
    filter = filter_named(name, context)(assembler)
    for piece in pieces:
        filter.text(piece)
    if finish is not None:
        filter.finish(finish)
    filter.flush()
    assembler.close()
    return said


def read(name: str, *pieces: str, finish: str | None = "stop", context: Context | None = None) -> Message:
    """The message of it."""
    return collect(events(name, pieces, finish=finish, context=context))


def codes(message: Message) -> list[str]:
    return [note.code for note in message.notes]


def calls(message: Message) -> list[tuple[str, str]]:
    return [(call.name, call.raw) for call in message.tool_calls]


def kept(name: str, pieces: Iterable[str]) -> list[tuple[str, str]]:
    """Every character that the filter let go of, in order, and as what: text, reasoning or markup."""
    log: list[tuple[str, str]] = []
    maker = filter_named(name).func  # pyright: ignore[reportFunctionMemberAccess] - a partial
    lane = type(
        "Recorded",
        (maker.lane,),
        {verb: _recorder(log, verb, getattr(maker.lane, verb)) for verb in ("say", "think", "markup")},
    )
    recorded: Any = type("Recorded", (maker,), {"lane": lane})
    filter = recorded(Assembler(lambda _: None))
    for piece in pieces:
        filter.text(piece)
    filter.flush()
    return log


def _recorder(log: list[tuple[str, str]], verb: str, inner: Any) -> Any:
    def recorded(self: Any, text: str) -> None:
        log.append((verb, text))
        inner(self, text)

    return recorded
