"""Which protocol and dialect is this, and how sure: judged by the first frames, whatever framing they come in.

Knows: how signs are looked for and weighed, and the signs of some protocols that Weft does not read, so that they are not taken for a relative.
Must not know: the signs of any protocol that it does; they are rows of that protocol.

Each sign of weight w multiplies the odds of its protocol by 1 / (1 - w), so that one sign alone makes it w sure; that it is nothing known has odds of 1.
"""

import base64
import binascii
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from weft import jsontext
from weft.framing.sniff import Sniffer
from weft.protocol import Dialect, ProtocolSpec, Sign
from weft.protocol import specs as all_specs

LOOK_BYTES = 64 << 10
LOOK_FRAMES = 64
SURE = 0.95
"""Confidence from which on nothing more is looked at, and from which on a guess needs no second look."""
LIKELY = 0.5
"""Confidence below which nobody should read on without being told."""

_MOST = 0.99  # no sign makes certain
_FRAME_NAME = ":name"
_NAME = re.compile(rb"^event: ?([^\r\n]+)[\r\n]", re.MULTILINE)
_MODELS = ("model", "message.model", "response.model", "modelVersion")
_BY_MODEL = 0.7


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A protocol that it may be. `reads` is false for those that Weft knows by sight only."""

    protocol: str
    title: str
    confidence: float
    dialect: str | None = None
    evidence: tuple[str, ...] = ()
    reads: bool = True

    @property
    def name(self) -> str:
        """The name under which it is read: `protocol` or `protocol/dialect`."""
        return f"{self.protocol}/{self.dialect}" if self.dialect else self.protocol


def _foreign(name: str, title: str, *signs: tuple[str, str | None, float]) -> ProtocolSpec:
    return ProtocolSpec(name=name, title=title, signs=tuple(Sign(*sign) for sign in signs))


FOREIGN: tuple[ProtocolSpec, ...] = (
    _foreign("html", "an HTML page", (_FRAME_NAME, "html", 0.98)),
    _foreign("json-rpc", "JSON-RPC (A2A, MCP)", ("jsonrpc", "2", 0.98)),
    _foreign("ag-ui", "AG-UI events", ("type", "RUN_", 0.95), ("type", "TEXT_MESSAGE_", 0.95), ("threadId", None, 0.5)),
    _foreign(
        "openai-realtime", "OpenAI Realtime", ("type", "session.", 0.97), ("event_id", None, 0.9), ("response.object", "realtime", 0.98),
    ),
    _foreign(
        "openai-assistants", "OpenAI Assistants", ("object", "thread", 0.98), ("object", "assistant", 0.9), (_FRAME_NAME, "thread.", 0.9),
    ),
    _foreign("openai-media", "OpenAI images and transcripts", ("type", "image_", 0.95), ("type", "transcript.", 0.95)),
    _foreign("gemini-live", "Gemini Live", ("setupComplete", None, 0.97), ("serverContent", None, 0.97)),
    _foreign("claude-code", "Claude Code stream-json", ("claude_code_version", None, 0.98), ("session_id", None, 0.8)),
    _foreign("replicate", "Replicate", (_FRAME_NAME, "output", 0.8)),
)  # fmt: skip


def detect(data: bytes, specs: Iterable[ProtocolSpec] | None = None) -> list[Candidate]:
    """What the beginning of a stream, or a whole reply, may be: the likeliest first. Empty if it looks like nothing known."""
    detector = Detector(specs)
    detector.feed(data)
    return detector.close()


class Detector:
    """Looks at the first frames as they come. Feed it until it is `sure` or `full`, then `close` it for the candidates."""

    def __init__(self, specs: Iterable[ProtocolSpec] | None = None) -> None:
        known = all_specs() if specs is None else specs
        self._suspects = [_Suspect(spec) for spec in (*known, *FOREIGN)]
        self._head = bytearray()
        self._frames = 0
        self._sniffer = Sniffer(self._frame, _ignore)

    @property
    def full(self) -> bool:
        """As much was seen as is looked at."""
        return self._frames >= LOOK_FRAMES or len(self._head) >= LOOK_BYTES

    @property
    def sure(self) -> bool:
        """Nothing that may follow would change the answer."""
        best = self._ranked()[:1]
        return bool(best) and best[0].confidence >= SURE

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere; those behind the window are not looked at."""
        room = LOOK_BYTES - len(self._head)
        if room > 0 and not self.full:
            self._head += data[:room]
            self._sniffer.feed(data[:room])

    def close(self) -> list[Candidate]:
        """There is no more, or no more is wanted: the candidates, the likeliest first."""
        self._sniffer.close()
        if not self._frames:  # the first one is longer than what is looked at
            name = _NAME.search(self._head)
            self._object(
                begun(bytes(self._head[self._head.find(b"{") :])), name[1].decode("utf-8", "replace") if name else ""
            )
        return self._ranked()

    def _frame(self, data: bytes, name: str) -> None:
        if self._frames >= LOOK_FRAMES:
            return
        try:
            value = jsontext.decode(data)
        except ValueError:
            value = begun(data)
        self._frames += value is not None
        self._object(_inside(value), name)

    def _object(self, value: Any, name: str) -> None:
        for suspect in self._suspects:
            suspect.look(value, name)

    def _ranked(self) -> list[Candidate]:
        odds = [suspect.odds for suspect in self._suspects]
        total = 1 + sum(odds)
        found = [suspect.candidate(share / total) for suspect, share in zip(self._suspects, odds, strict=True) if share]
        return sorted(found, key=lambda candidate: -candidate.confidence)


class _Suspect:
    """One protocol, and which of its signs were seen. A sign counts once, however many frames show it."""

    def __init__(self, spec: ProtocolSpec) -> None:
        self._spec = spec
        self._missing = list(spec.signs)
        self._seen: list[Sign] = []
        self._rows = [_Accent(row) for row in spec.dialects]

    def look(self, value: Any, name: str) -> None:
        """Look for the signs that are still missing."""
        self._missing = _take(self._missing, self._seen, value, name)
        for row in self._rows:
            row.look(value, name)

    @property
    def odds(self) -> float:
        """How many times likelier than nothing known it is."""
        return _odds(self._seen)

    def candidate(self, confidence: float) -> Candidate:
        """What is answered for it."""
        accent = max(self._rows, key=lambda row: row.odds, default=None)
        if accent is not None and accent.odds < 1:
            accent = None
        seen = [*self._seen, *(accent.seen if accent else ())]
        return Candidate(
            protocol=self._spec.name,
            title=(accent.row.title if accent else "") or self._spec.title,
            confidence=math.floor(confidence * 1000) / 1000,
            dialect=accent.row.name if accent else None,
            evidence=tuple(_told(sign) for sign in seen),
            reads=self._spec.decoder is not None,
        )


class _Accent:
    """One dialect of a protocol. Its models are signs as well."""

    def __init__(self, row: Dialect) -> None:
        self.row = row
        self.seen: list[Sign] = []
        by_model = (Sign(path, model, _BY_MODEL) for path in _MODELS for model in row.models)
        self._missing = [*row.signs, *by_model]

    def look(self, value: Any, name: str) -> None:
        """Look for the signs that are still missing."""
        self._missing = _take(self._missing, self.seen, value, name)

    @property
    def odds(self) -> float:
        """How many times likelier than the bare protocol it is."""
        return _odds(self.seen)


def _take(missing: list[Sign], seen: list[Sign], value: Any, name: str) -> list[Sign]:
    """Move the signs that this frame shows from `missing` to `seen`; what is left of `missing`."""
    shown = [sign for sign in missing if shows(value, name, sign)]
    if not shown:
        return missing
    seen.extend(shown)
    return [sign for sign in missing if sign not in shown]


def _odds(seen: list[Sign]) -> float:
    odds = 1.0
    for sign in seen:
        odds /= 1 - min(sign.weight, _MOST)
    return odds - 1


def shows(value: Any, name: str, sign: Sign) -> bool:
    """Does a frame show this sign? A path goes through every item of an array; `:name` is the frame's own name."""
    if sign.path == _FRAME_NAME:
        return name.startswith(sign.begins or "") if name else False
    found = _at(value, sign.path.split("."))
    if sign.begins is None:
        return any(member is not None for member in found)
    begins = sign.begins.lower()
    return any(isinstance(member, str) and member.lower().startswith(begins) for member in found)


def _at(value: Any, steps: list[str]) -> list[Any]:
    """What stands at a path: the value itself and, where it is an array, its items."""
    found = [value]
    for step in steps:
        found = [member[step] for member in _with_items(found) if jsontext.is_object(member) and step in member]
    return list(_with_items(found))


def _with_items(values: list[Any]) -> Iterator[Any]:
    for value in values:
        yield value
        if jsontext.is_array(value):
            yield from value


def _told(sign: Sign) -> str:
    path = "the frame's name" if sign.path == _FRAME_NAME else sign.path
    if sign.begins is None:
        return f"has {path}"
    return f"{path} begins with {sign.begins!r}" if sign.begins else f"{path} is text"


def _inside(value: Any) -> Any:
    """What a Bedrock InvokeModel chunk carries in base64; any other value as it is."""
    packed = value.get("bytes") if jsontext.is_object(value) else None
    if not isinstance(packed, str):
        return value
    try:
        return jsontext.decode(base64.b64decode(packed))
    except (ValueError, binascii.Error):
        return value


def begun(text: bytes) -> Any:
    """The JSON object or array that begins here, as far as it goes if it was cut off; None if there is no telling."""
    closers: list[int] = []
    safe = 0  # up to here it is whole, but for what `closers` has
    in_text = escaped = False
    for at, byte in enumerate(text):
        if in_text:
            in_text, escaped = escaped or byte != _QUOTE, byte == _BACKSLASH and not escaped
        elif byte == _QUOTE:
            in_text = True
        elif byte in _CLOSER_OF:
            closers.append(_CLOSER_OF[byte])
            safe = at + 1
        elif closers and byte == closers[-1]:
            closers.pop()
            safe = at + 1
            if not closers:
                break
        elif byte == _COMMA:
            safe = at
    try:
        value = jsontext.decode(text[:safe] + bytes(reversed(closers))) if safe else None
    except ValueError:
        return None
    return value if jsontext.is_object(value) or jsontext.is_array(value) else None


_QUOTE, _BACKSLASH, _COMMA = b'"\\,'
_CLOSER_OF = {ord("{"): ord("}"), ord("["): ord("]")}


def _ignore(code: str, message: str, fatal: bool) -> None:
    """A fault of the framing is the reader's to tell."""
