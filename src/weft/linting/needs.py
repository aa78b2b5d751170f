"""Members that clients cannot do without, as rows: which frame, which member, of what kind, and who fails without it.

Knows: how a row is written and how a frame is held against it. Must not know: any protocol; the rows stand with each.

A row is `frame member:kind=LETTERS …`, the letters being those of the clients that fail, as the matrix of measurements has them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeGuard

import msgspec

from weft.jsontext import is_array, is_object


class Need(msgspec.Struct, frozen=True):
    """One member that must be there. `clients` are those that fail if it is not."""

    path: tuple[str, ...]
    kind: str
    clients: tuple[str, ...]


def is_text(value: Any) -> TypeGuard[str]:
    """Is this a string?"""
    return isinstance(value, str)


def is_int(value: Any) -> TypeGuard[int]:
    """Is this a number without a fraction? True and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Is this a number of any kind?"""
    return isinstance(value, int | float) and not isinstance(value, bool)


KINDS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = {
    "text": ("a string", is_text),
    "id": ("a string that is not empty", lambda value: isinstance(value, str) and value != ""),
    "int": ("an integer", is_int),
    "number": ("a number", is_number),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "object": ("an object", is_object),
    "list": ("an array", is_array),
    "any": ("there", lambda _: True),
}
"""Kind -> what it is called, and whether a value is it.

A kind with `?` behind it may be absent, but not be another thing or null; with `~` behind it, it may be null as well.
"""

_ABSENT: Final = object()


def needs(letters: Mapping[str, str], rows: str) -> dict[str, tuple[Need, ...]]:
    """The rows of a table by frame. A frame may have several rows; a parent stands before its members."""
    table: dict[str, list[Need]] = {}
    for row in rows.strip().splitlines():
        frame, *members = row.split()
        for member in members:
            path, _, rest = member.partition(":")
            kind, _, who = rest.partition("=")
            need = Need(tuple(path.split(".")), kind, tuple(letters[letter] for letter in who))
            table.setdefault(frame, []).append(need)
    return {frame: tuple(rows_of) for frame, rows_of in table.items()}


def missing(value: Any, wanted: tuple[Need, ...]) -> Iterator[tuple[Need, str]]:
    """The needs that a frame does not meet, and how; a member of a member that is missing is not told."""
    gone: set[tuple[str, ...]] = set()
    for need in wanted:
        if any(need.path[:length] in gone for length in range(1, len(need.path))):
            continue
        found = at(value, need.path)
        if (found is _ABSENT and need.kind[-1] in "?~") or (found is None and need.kind[-1] == "~"):
            continue
        name, holds = KINDS[need.kind.rstrip("?~")]
        if found is _ABSENT or not holds(found):
            gone.add(need.path)
            what = "is missing" if found is _ABSENT else f"is not {name}" if found is not None else "is null"
            yield need, f"`{'.'.join(need.path)}` {what}"


def at(value: Any, path: tuple[str, ...]) -> Any:
    """The member at a path; a private mark if there is none."""
    for name in path:
        if not is_object(value) or name not in value:
            return _ABSENT
        value = value[name]
    return value


def text_of(value: Any) -> str:
    """A string, or nothing."""
    return value if isinstance(value, str) else ""
