"""The captures that there are, and the answer that a request gets out of them.

Knows: how a request chooses a capture, and how that is said in the protocol that the client speaks.
Must not know: sockets. A shelf remembers whose turn it is and how often each fault has happened, nothing else.

A capture is chosen by name (`x-weft-capture`, `/c/NAME/…`, `?capture=NAME`, or as the model of the request); else those of the client's protocol take
turns, else all. One of another protocol is converted piece by piece, so that its timing stays.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec

from weft import jsontext
from weft.context import Context
from weft.error_reading import status_type
from weft.errors import make_error
from weft.losses import Losses
from weft.message import Message, collect
from weft.nearest import UnknownNameError
from weft.pipe import Pipe
from weft.protocol import resolve
from weft.replay.capture import CONTENT_TYPES, Capture, Chunk, framing_in
from weft.replay.fault import Fault, fault_named
from weft.replay.playing import Manner, Play, play, speed_named, split_named
from weft.replay.routes import Asked, asked
from weft.sources import read

HOP_BY_HOP = frozenset(
    {"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding", "trailer", "upgrade"}
)
"""Headers of one connection: a recording's say nothing about ours."""

WAIT = 1
"""Seconds that a refusal asks to wait."""


class Request(msgspec.Struct, frozen=True):
    """What came in. Header names are in small letters."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What goes out. `told` says for people what it is."""

    status: int
    headers: dict[str, str]
    play: Play
    told: str


class Shelf:
    """Answers requests. `faults` happen in their order, each as often as it says; one that does not say is for all requests after."""

    def __init__(self, captures: Iterable[Capture], manner: Manner | None = None, faults: Iterable[Fault] = ()) -> None:
        self.captures: dict[str, Capture] = {}
        for capture in captures:
            self.captures[_free(capture.name, self.captures)] = capture
        if not self.captures:
            raise ValueError("a shelf needs a capture")
        self._manner = manner or Manner()
        self._faults = list(faults)
        self._left = [fault.times for fault in self._faults]
        self._turns: dict[str | None, int] = {}

    def answer(self, request: Request) -> Answer:
        """The answer to one request; a wish that makes no sense is answered with 400 or 404 and the reason."""
        if request.method in ("GET", "HEAD"):
            return self._index(request.path)
        want = asked(request.path, _json(request.body))
        try:
            manner, fault = self._manner_of(request.headers), self._fault_of(request.headers)
            capture = self._chosen(request, want)
        except UnknownNameError as error:
            return _refusal(404, str(error), want.protocol)
        except ValueError as error:
            return _refusal(400, str(error), want.protocol)
        if fault is not None and fault.kind == "status":
            return _refusal(fault.status, "", want.protocol or capture.protocol)
        return _said(capture, want, manner, fault)

    # -- what is chosen --------------------------------------------------------------------------------------------

    def _chosen(self, request: Request, want: Asked) -> Capture:
        name = _named(request)
        if name is not None:
            if (found := self._called(name, want.protocol)) is None:
                raise UnknownNameError("capture", name, self.captures)
            return found
        if want.model is not None and (found := self._called(want.model, want.protocol)) is not None:
            return found
        fitting = [each for each in self.captures.values() if _speaks(each, want.protocol)] or [*self.captures.values()]
        turn = self._turns.get(want.protocol, 0)
        self._turns[want.protocol] = turn + 1
        return fitting[turn % len(fitting)]

    def _called(self, name: str, protocol: str | None) -> Capture | None:
        """The capture of that name, or the first whose path ends in it; one of the client's protocol before others."""
        ending = [self.captures[each] for each in self.captures if each.endswith(f"/{name}")]
        return self.captures.get(name) or next(
            (each for each in ending if _speaks(each, protocol)), next(iter(ending), None)
        )

    def _fault_of(self, headers: Mapping[str, str]) -> Fault | None:
        if (said := headers.get("x-weft-fault")) is not None:
            return None if said == "none" else fault_named(said)
        for number, fault in enumerate(self._faults):
            left = self._left[number]
            if left != 0:
                self._left[number] = None if left is None else left - 1
                return fault
        return None

    def _manner_of(self, headers: Mapping[str, str]) -> Manner:
        manner = self._manner
        if (speed := headers.get("x-weft-speed")) is not None:
            manner = msgspec.structs.replace(manner, speed=speed_named(speed))
        if (split := headers.get("x-weft-split")) is not None:
            manner = msgspec.structs.replace(manner, split=split_named(split))
        return manner

    def _index(self, path: str) -> Answer:
        """What there is: as a list of models, so that a client's model picker shows it."""
        rows = [
            {"id": name, "object": "model", "owned_by": each.protocol or "unknown"}
            for name, each in self.captures.items()
        ]
        return _plain(200, {"object": "list", "data": rows}, f"{len(rows)} captures")


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name, or with a number behind it if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}~{number}"
    return free


def _speaks(capture: Capture, protocol: str | None) -> bool:
    return protocol is None or (capture.protocol or "").partition("/")[0] == protocol


def _named(request: Request) -> str | None:
    """The capture that a request names, if it names one."""
    if (name := request.headers.get("x-weft-capture")) is not None:
        return name
    if request.path.startswith("/c/"):
        return unquote(request.path[3:].split("/", 1)[0])
    return next(iter(parse_qs(request.query).get("capture", [])), None)


def _json(body: bytes) -> Any:
    try:
        return jsontext.decode(body)
    except ValueError:
        return None


# -- what is said ------------------------------------------------------------------------------------------------------


def _said(capture: Capture, want: Asked, manner: Manner, fault: Fault | None) -> Answer:
    """The capture as it came, or in the client's protocol."""
    told = capture.name
    chunks = capture.chunks
    source, target = capture.protocol, want.protocol or (capture.protocol or "").partition("/")[0] or None
    as_it_came = source is None or target is None or capture.status >= 400
    if not as_it_came and want.protocol is not None and not want.stream and capture.framing != "json":
        chunks, told = _whole(capture, target or ""), f"{told}, whole"
    elif not as_it_came and not (_speaks(capture, target) and (capture.framing == "json") == (not want.stream)):
        chunks, told = tuple(_converted(capture, target or "")), f"{told} as {target}"
    if fault is not None:
        told = f"{told}, {fault.kind}"
        if fault.kind == "error" and not as_it_came:
            chunks = tuple(_failing(chunks, target or "", fault))
    kept = {name: value for name, value in capture.headers.items() if name.lower() not in HOP_BY_HOP}
    own = {} if as_it_came or chunks is capture.chunks else {"content-type": _content_type(chunks)}
    headers = {"content-type": _content_type(chunks), **{name.lower(): value for name, value in kept.items()}, **own}
    return Answer(status=capture.status, headers=headers, play=play(chunks, manner, fault, cut=capture.cut), told=told)


def _converted(capture: Capture, target: str) -> Iterable[Chunk]:
    """Each piece in the target's words, at its own time."""
    pipe = Pipe(capture.protocol or "", target)
    last = 0.0
    for chunk in capture.chunks:
        yield Chunk(chunk.at, pipe.feed(chunk.data))
        last = chunk.at
    yield Chunk(last, pipe.close())


def _whole(capture: Capture, target: str) -> tuple[Chunk, ...]:
    """The whole reply that the stream amounts to, when its last piece has come."""
    message = collect(read(capture.body, capture.protocol or ""))
    return (Chunk(capture.chunks[-1].at if capture.chunks else 0.0, _reply(message, target)),)


def _failing(chunks: Iterable[Chunk], protocol: str, fault: Fault) -> Iterable[Chunk]:
    """Whole frames up to the place of the fault, then the protocol's own words for a failure."""
    chunks = [*chunks]
    left = fault.place(sum(len(chunk.data) for chunk in chunks))
    pipe, last = Pipe(protocol, protocol, verbatim=True), 0.0
    for chunk in chunks:
        if left <= 0:
            break
        yield Chunk(chunk.at, pipe.feed(chunk.data[:left]))
        left, last = left - len(chunk.data), chunk.at
    yield Chunk(last, pipe.close(make_error("overloaded", "the replay server fails on demand")))


def _refusal(status: int, message: str, protocol: str | None) -> Answer:
    """An HTTP error in the client's own protocol."""
    error = make_error(status_type(status) or "server", message, status=status)
    if error.retryable:
        error = msgspec.structs.replace(error, retry_after=WAIT)
    told = f"{status} {error.message}"
    headers = {"retry-after": str(WAIT)} if error.retryable else {}
    name = (protocol or "openai-chat").partition("/")[0]
    body = _reply(Message(outcome="failed", error=error), name)
    return Answer(
        status=status, headers={"content-type": "application/json", **headers}, play=Play(((0.0, body),)), told=told
    )


def _reply(message: Message, protocol: str) -> bytes:
    return resolve(protocol)[0].reply(message, Context(), Losses())


def _plain(status: int, value: Any, told: str) -> Answer:
    body = msgspec.json.encode(value)
    return Answer(status=status, headers={"content-type": "application/json"}, play=Play(((0.0, body),)), told=told)


def _content_type(chunks: Iterable[Chunk]) -> str:
    return CONTENT_TYPES.get(framing_in(b"".join(chunk.data for chunk in chunks)), "application/octet-stream")
