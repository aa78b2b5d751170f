"""State of another origin in a slot that is not its own: wrapped so that it can be told apart, and restored when it comes back.

Knows: the envelope, which is itself plain base64, since some slots take nothing else.
Must not know: protocols. An encoder wraps what is not of its own protocol; the assembler unwraps whatever it is handed.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Final

import msgspec

from weft import jsontext
from weft.events import Origin, Signature


class _Envelope(msgspec.Struct, omit_defaults=True):
    weft: int
    value: str
    origin: Origin
    format: str | None = None
    encrypted: bool = False
    part: int | None = None


PREFIX: Final = b64encode(b'{"weft":1').decode()
_decode = msgspec.json.Decoder(_Envelope).decode


def wrapped(state: Signature) -> str:
    """The state as one base64 text that says where it is from; half a character in it is U+FFFD."""
    envelope = _Envelope(1, state.value, state.origin, state.format, state.encrypted, state.part)
    try:
        text = msgspec.json.encode(envelope)
    except UnicodeError:
        text = jsontext.mended(jsontext.encode(msgspec.to_builtins(envelope)))
    return b64encode(text).decode()


def unwrapped(index: int, value: str, part: int | None) -> Signature | None:
    """What was wrapped, or None if this is nobody's envelope. A slot that has parts says itself which this is of."""
    if not value.startswith(PREFIX):
        return None
    try:
        envelope = _decode(b64decode(value, validate=True))
    except (Base64Error, ValueError, msgspec.MsgspecError):
        return None
    part = envelope.part if part is None else part
    return Signature(index, envelope.value, envelope.origin, part, envelope.format, envelope.encrypted)
