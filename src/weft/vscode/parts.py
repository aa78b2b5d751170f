"""VS Code's response parts as values: each class is named, and made, as VS Code's own.

Knows: these shapes, and the lines of the target `vscode` that say them. Must not know: streams.
"""

from base64 import b64decode
from typing import Any, Final, Self

import msgspec

from weft import jsontext

_URL_SAFE: Final = str.maketrans("-_", "+/")


class LanguageModelTextPart(msgspec.Struct, frozen=True, tag=True, tag_field="type"):
    """A piece of text for people."""

    value: str


class LanguageModelThinkingPart(msgspec.Struct, frozen=True, tag=True, tag_field="type", omit_defaults=True):
    """A piece of thinking. State that its origin wants back is the `metadata` of a part without text. A proposed API: hosts may lack it."""

    value: str
    id: str | None = None
    metadata: dict[str, Any] | None = None


class LanguageModelToolCallPart(msgspec.Struct, frozen=True, tag=True, tag_field="type"):
    """A call to execute; only calls that are complete become one."""

    callId: str  # noqa: N815 - VS Code's name
    name: str
    input: dict[str, Any]


class LanguageModelToolResultPart(msgspec.Struct, frozen=True, tag=True, tag_field="type"):
    """What a tool gave back: a part of requests, which no stream becomes."""

    callId: str  # noqa: N815 - VS Code's name
    content: list[Any]


class LanguageModelDataPart(msgspec.Struct, frozen=True, tag=True, tag_field="type"):
    """Bytes and their type."""

    data: bytes
    mimeType: str  # noqa: N815 - VS Code's name

    @classmethod
    def image(cls, data: bytes, mime: str) -> Self:
        """An image."""
        return cls(data, mime)

    @classmethod
    def json(cls, value: Any, mime: str = "application/json") -> Self:
        """A JSON value."""
        return cls(msgspec.json.encode(value), mime)

    @classmethod
    def text(cls, value: str, mime: str = "text/plain") -> Self:
        """A text."""
        return cls(value.encode("utf-8", "replace"), mime)


LanguageModelResponsePart = (
    LanguageModelTextPart | LanguageModelThinkingPart | LanguageModelToolCallPart | LanguageModelDataPart
)


class _DataLine(msgspec.Struct, frozen=True, tag="LanguageModelDataPart", tag_field="type"):
    """A data part as a line has it: the member with the content names the factory."""

    mimeType: str  # noqa: N815 - VS Code's name
    data: str | None = None
    text: str | None = None
    json: Any = msgspec.UNSET

    def part(self) -> LanguageModelDataPart:
        if self.json is not msgspec.UNSET:
            return LanguageModelDataPart.json(self.json, self.mimeType)
        if self.text is not None:
            return LanguageModelDataPart.text(self.text, self.mimeType)
        return LanguageModelDataPart(_bytes(self.data or ""), self.mimeType)


_Line = LanguageModelTextPart | LanguageModelThinkingPart | LanguageModelToolCallPart | _DataLine
_decode = msgspec.json.Decoder[_Line](_Line).decode


def from_json(line: bytes | str) -> LanguageModelResponsePart:
    """The part that a line of the target `vscode` says. Raises ValueError on anything else, and on data that are no base64."""
    try:
        said = _decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        said = _converted(jsontext.decode(line))
    return said.part() if isinstance(said, _DataLine) else said


def _converted(value: Any) -> _Line:
    try:
        return msgspec.convert(value, _Line)
    except (msgspec.ValidationError, RecursionError) as error:
        raise ValueError(f"this is no part: {error}") from error


def _bytes(data: str) -> bytes:
    """Base64 in either alphabet; the padding may be missing."""
    plain = data.translate(_URL_SAFE).rstrip("=")
    return b64decode(plain + "=" * (-len(plain) % 4), validate=True)
