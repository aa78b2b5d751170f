r"""A recorded answer: what came, in which pieces, and when.

Knows: the capture file (JSON lines: a head, then one line a piece), bare bodies beside it, and how a folder of them is named.
Must not know: HTTP, or how an answer is played.

    {"capture":1,"status":200,"headers":{"content-type":"text/event-stream"},"protocol":"anthropic"}
    {"at":0.412,"text":"event: message_start\ndata: {…}\n\n"}
    {"at":0.415,"base64":"AAAB…"}
    {"at":2.001,"end":"cut"}

`at` is seconds since the request was sent. The last line is there only if the connection broke; a body that is over just ends.
A bare body (.sse, .ndjson, .eventstream, .json, .array) has no times: its frames come one by one, PACE seconds apart. Where `NAME.chunks.json` stands
beside it, a list of sizes, the pieces are those.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from weft import jsontext
from weft.detect import LIKELY, detect
from weft.errors import error_from_body, http_status, is_error_body
from weft.framing.sniff import Sniffer, framing_of
from weft.nearest import UnknownNameError
from weft.protocol import resolve

PACE: Final = 0.02
"""Seconds between the frames of a body that has no times of its own."""

CAPTURE: Final = ".capture.jsonl"
BODIES: Final = (".sse", ".ndjson", ".eventstream", ".json", ".array")
BESIDE: Final = (".request.json", ".chunks.json", ".events.jsonl", ".losses.json")

CONTENT_TYPES: Final = {
    "sse": "text/event-stream",
    "ndjson": "application/x-ndjson",
    "aws": "application/vnd.amazon.eventstream",
    "json_array": "application/json",
    "json": "application/json",
    "html": "text/html",
    "text": "text/plain; charset=utf-8",
}


class CaptureError(ValueError):
    """A file that should be a capture is none; the text says which and why."""


class Chunk(msgspec.Struct, frozen=True):
    """A piece of a body, and when it came."""

    at: float
    data: bytes


class Capture(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded answer. `protocol` is None if nobody can tell; `cut` says that the connection broke at the end."""

    name: str
    chunks: tuple[Chunk, ...]
    status: int = 200
    headers: dict[str, str] = {}
    protocol: str | None = None
    cut: bool = False

    @property
    def body(self) -> bytes:
        """All of it."""
        return b"".join(chunk.data for chunk in self.chunks)

    @property
    def framing(self) -> str:
        """How the body is framed; `json` is a whole reply."""
        return framing_in(self.body)


class _Head(msgspec.Struct):
    capture: Literal[1]
    status: int = 200
    headers: dict[str, str] = {}
    protocol: str | None = None


class _Line(msgspec.Struct, omit_defaults=True):
    at: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    text: str | None = None
    base64: str | None = None
    end: Literal["closed", "cut"] | None = None


def framing_in(body: bytes) -> str:
    """The framing that the bytes show: lines of JSON are told from one JSON object by there being more than one."""
    name = framing_of(body[:4096], "sse") or "sse"
    if name != "ndjson":
        return name
    return "json" if _is_one_object(body) else "ndjson"


def _is_one_object(body: bytes) -> bool:
    try:
        value = jsontext.decode(body)
    except ValueError:
        return False
    return not (jsontext.is_object(value) and "done" in value)


# -- files -------------------------------------------------------------------------------------------------------------


def captures_in(paths: Iterable[str | Path], *, protocol: str | None = None, pace: float = PACE) -> list[Capture]:
    """The captures of files and folders. One in a folder is called by the path from its name on, without the suffix. Raises `CaptureError`."""
    found: list[Capture] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = [load(file, _name(file, path.absolute().parent), protocol, pace) for file in _files(path)]
            if not inside:
                raise CaptureError(f"{path} holds no recorded streams ({', '.join((CAPTURE, *BODIES))})")
            found += inside
        else:
            found.append(load(path, _name(path, path.absolute().parent), protocol, pace))
    return found


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(CAPTURE) or (path.suffix in BODIES and not path.name.endswith(BESIDE)):
            yield path


def _name(file: Path, folder: Path) -> str:
    name = file.absolute().relative_to(folder).as_posix()
    return name.removesuffix(CAPTURE) if name.endswith(CAPTURE) else name.removesuffix(file.suffix)


def load(path: Path, name: str, protocol: str | None = None, pace: float = PACE) -> Capture:
    """One file. `protocol` is what it is said to be; else the file says it, or its bytes show it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CaptureError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from None
    capture = _recorded(data, name, path) if path.name.endswith(CAPTURE) else _bare(data, name, path, pace)
    said = protocol or capture.protocol
    return msgspec.structs.replace(
        capture, protocol=_protocol_of(capture.body) if said is None else _read_by(said, path)
    )


def _read_by(name: str, path: Path) -> str:
    """A protocol that is said, once it is known that it can be read."""
    try:
        if resolve(name)[0].decoder is not None:
            return name
    except UnknownNameError as error:
        raise CaptureError(f"{path} is not read: {error}") from None
    raise CaptureError(f"{path} is not read: {name!r} can be written, not read")


def _recorded(data: bytes, name: str, path: Path) -> Capture:
    head, *lines = data.splitlines() or [b""]
    try:
        said = msgspec.json.decode(head, type=_Head)
        told = [msgspec.json.decode(line, type=_Line) for line in lines if line.strip()]
        chunks = tuple(Chunk(line.at, _data(line)) for line in told if line.end is None)
    except (msgspec.MsgspecError, ValueError) as error:
        raise CaptureError(f"{path} is no capture: {error}") from None
    return Capture(
        name=name, chunks=chunks, status=said.status, headers=said.headers, protocol=said.protocol,
        cut=any(line.end == "cut" for line in told),
    )  # fmt: skip


def _data(line: _Line) -> bytes:
    return b64decode(line.base64, validate=True) if line.base64 is not None else (line.text or "").encode()


def _bare(data: bytes, name: str, path: Path, pace: float) -> Capture:
    beside = path.with_name(path.name.removesuffix(path.suffix) + ".chunks.json")
    pieces = _sized(data, beside) if beside.is_file() else frames_of(data)
    chunks = tuple(Chunk(number * pace, piece) for number, piece in enumerate(pieces))
    return Capture(name=name, chunks=chunks, status=_status_of(data))


def _sized(data: bytes, sizes: Path) -> Iterator[bytes]:
    try:
        told = msgspec.json.decode(sizes.read_bytes(), type=list[int])
    except msgspec.MsgspecError as error:
        raise CaptureError(f"{sizes} is no list of sizes: {error}") from None
    start = 0
    for size in [*told, len(data)]:
        if piece := data[start : start + max(size, 0)]:
            yield piece
        start += len(piece)


def frames_of(data: bytes) -> Iterator[bytes]:
    """The body cut where its frames begin."""
    starts: list[int] = []

    def note(*_: object) -> None:
        starts.append(framer.offset)

    framer = Sniffer(note, _ignore)
    framer.feed(data)
    framer.close()
    marks = sorted({0, *starts, len(data)})
    yield from (data[a:b] for a, b in pairwise(marks))


def _ignore(*_: object) -> None:
    """A capture may be broken: that is what is replayed."""


def _protocol_of(body: bytes) -> str | None:
    best = next((candidate for candidate in detect(body) if candidate.reads), None)
    return best.name if best is not None and best.confidence >= LIKELY else None


def _status_of(data: bytes) -> int:
    """What an error body had for a status, as it tells us or as its meaning has it."""
    if data.lstrip()[:1] != b"{":
        return 200
    try:
        body: Any = jsontext.decode(data)
    except ValueError:
        return 200
    if not is_error_body(body):
        return 200
    error = error_from_body(body)
    return error.status or http_status(error)


def written(capture: Capture) -> bytes:
    """The capture file of a capture."""
    head = {"capture": 1, "status": capture.status, "headers": capture.headers, "protocol": capture.protocol}
    lines = [msgspec.json.encode(head), *(msgspec.json.encode(_line(chunk)) for chunk in capture.chunks)]
    if capture.cut:
        lines.append(msgspec.json.encode(_Line(capture.chunks[-1].at if capture.chunks else 0.0, end="cut")))
    return b"\n".join(lines) + b"\n"


def _line(chunk: Chunk) -> _Line:
    try:
        return _Line(chunk.at, text=chunk.data.decode())
    except UnicodeDecodeError:
        return _Line(chunk.at, base64=b64encode(chunk.data).decode())
