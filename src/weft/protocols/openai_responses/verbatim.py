"""The source's own JSON: items to be carried untouched, and arguments whose text must not be written anew.

Knows: how to take an object apart into the texts of its members, a second time and only where somebody asks for it.
Must not know: what any member means. Nothing here raises: the first parse has passed over what it does not read, broken or not.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from weft import jsontext

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode
_REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError)


class Verbatim:
    """One JSON object as the source wrote it. What is no object has no members; a member that is null is absent."""

    __slots__ = ("_members", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._members: dict[str, bytes] | None = None

    def names(self) -> Iterable[str]:
        """The members that are there."""
        return self._known().keys()

    def text(self, name: str) -> str:
        """A member as it was written; empty if it is absent."""
        return self._known().get(name, b"").decode("utf-8", "replace")

    def value(self, name: str) -> Any:
        """A member as plain data; None if it is absent."""
        return _plain(self._known().get(name, b"null"))

    def member(self, name: str) -> "Verbatim":
        """The object that a member is."""
        return Verbatim(self._known().get(name, b"{}"))

    def elements(self, name: str) -> "list[Verbatim]":
        """The objects that a member lists."""
        text = self._known().get(name, b"[]")
        try:
            return [Verbatim(bytes(element)) for element in _elements(text)]
        except _REFUSED:
            values = _plain(text)
            return [Verbatim(_written(value)) for value in values] if jsontext.is_array(values) else []

    def plain(self) -> dict[str, Any]:
        """The whole object as plain data."""
        value = _plain(self._text)
        return value if jsontext.is_object(value) else {}

    def _known(self) -> dict[str, bytes]:
        if self._members is None:
            self._members = {name: text for name, text in self._taken_apart().items() if text != b"null"}
        return self._members

    def _taken_apart(self) -> dict[str, bytes]:
        """Half a character is refused by msgspec; such an object is read the slow way, and its members are written anew."""
        try:
            return {name: bytes(text) for name, text in _members(self._text).items()}
        except _REFUSED:
            return {name: _written(value) for name, value in self.plain().items()}


def _plain(text: bytes) -> Any:
    """Plain data; a character that is no character is replaced, and what is no JSON is nothing."""
    try:
        return jsontext.decode(text)
    except ValueError:
        return None


def _written(value: Any) -> bytes:
    try:
        return jsontext.encode(value)
    except ValueError:
        return b"null"
