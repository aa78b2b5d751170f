"""JSON text from the wild: strict where a decision hangs on it, forgiving where something can still be understood.

Knows: what msgspec refuses though it is JSON (lone surrogates, numbers out of range).
Must not know: what the values mean.
"""

import json
import re
from collections.abc import Iterable
from operator import add
from typing import Any, NoReturn, TypeGuard

import msgspec

_ESCAPES = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|.)", re.DOTALL)
_HALF = len(rb"\ud83d")  # two halves are twice as long, and of any other escape the first two bytes are matched

_decode_any = msgspec.json.Decoder().decode


def decode(text: bytes | str) -> Any:
    """Any JSON value; half a character in it is U+FFFD. Raises ValueError on what is not JSON, whatever the depth or the encoding."""
    try:
        return _decode_any(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return decode_halves(mended(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text))


def decode_halves(text: bytes) -> Any:
    """The same, with half characters as they are: for whoever waits for the other half."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def decode_python(text: bytes) -> Any:
    """The same of what Python writes for JSON: NaN and the infinities are numbers. Encoded again they are no JSON, so that no decision hangs on them."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def encode(value: Any) -> bytes:
    """The JSON of any decoded value, lone surrogates as escapes. Raises ValueError if it is nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


_encode = msgspec.json.Encoder().encode
_BREAKS = (("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\x85", "\\u0085"))


def line(value: Any) -> bytes:
    """JSON in one line for any reader: the line breaks of Unicode are escaped, since some clients split lines at them."""
    data = _encode(value)
    return data if data.isascii() else _escape_breaks(data)


def spliced(head: bytes, texts: list[str], tails: Iterable[bytes]) -> bytes:
    """Frames for many texts: each is `head`, the text in one line as `line` has it, and the next of `tails`. As many are taken as there are texts."""
    frames, text = head + head.join(map(add, map(_encode, texts), tails)), "".join(texts)
    return frames if text.isascii() or not _breaks(text) else _escape_breaks(frames)


def one_line(text: str) -> bytes:
    """A JSON text as it is, in one line for any reader; `{}` for none. Between its tokens a line break is a space, and within strings there are none."""
    if not text or text.isspace():
        return b"{}"
    data = text.replace("\n", " ").replace("\r", " ").encode()
    return data if data.isascii() else _escape_breaks(data)


def _escape_breaks(data: bytes) -> bytes:
    text = data.decode()
    if not _breaks(text):
        return data
    for char, escape in _BREAKS:
        text = text.replace(char, escape)
    return text.encode()


def _breaks(text: str) -> bool:
    """Is one of them in it? One character is looked for much faster than its bytes are."""
    return "\u2028" in text or "\u2029" in text or "\x85" in text


def mended(text: bytes) -> bytes:
    """The same JSON with U+FFFD for each escape that is half a character, and for each byte that is no UTF-8."""
    text = text.decode("utf-8", "replace").encode()
    return _ESCAPES.sub(lambda escape: rb"\ufffd" if len(escape[0]) == _HALF else escape[0], text)


def packed(raw: bytes | msgspec.Raw) -> str:
    """The JSON text of a member, as the source wrote it or as it packed it into a string; null is nothing."""
    data = bytes(raw)
    if data[:1] == b'"':
        try:
            return str(decode(data))
        except ValueError:
            pass
    return "" if data == b"null" else data.decode("utf-8", "replace")


def written(value: Any) -> str:
    """JSON text as it is, and that of a value that some send in its place; null is nothing. A value too deep to be written is no JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return encode(value).decode()
    except ValueError:
        return "too deep"


def read_object(text: bytes) -> dict[str, Any]:
    """The object that this is, mended; an empty one if it is none. For a frame whose wire type was parsed and did not look at all of it."""
    try:
        value = decode(text)
    except ValueError:
        return {}
    return value if is_object(value) else {}


def whole(value: Any) -> Any:
    """A decoded value with U+FFFD for each half of a character in it; nothing if it is nested too deeply to be looked into."""
    try:
        return json.loads(mended(encode(value)))
    except (ValueError, RecursionError):
        return None


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Is this decoded value a JSON object?"""
    return isinstance(value, dict)


def is_array(value: Any) -> TypeGuard[list[Any]]:
    """Is this decoded value a JSON array?"""
    return isinstance(value, list)


def decode_object(text: str) -> dict[str, Any] | None:
    """The object that this text strictly is: `{}` when empty, None when it is anything else. Only half characters are mended."""
    if not text or text.isspace():
        return {}
    try:
        value = _decode_any(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        try:
            value = decode(mended(text.encode("utf-8", "surrogatepass")))
        except ValueError:
            return None
    return value if is_object(value) else None


def object_line(text: str) -> bytes | None:
    """The object that this text strictly is, in its own text but on one line; `{}` when empty, None when it is anything else."""
    if decode_object(text) is None:
        return None
    data = mended(text.encode("utf-8", "replace")).strip() or b"{}"
    return _escape_breaks(data.replace(b"\n", b" ").replace(b"\r", b" "))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
