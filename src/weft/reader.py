"""Bytes in, events out: framing, the one parse, the decoder and the assembler in a row.

Knows: how a frame becomes a wire message, and what to do with one that does not.
Must not know: any protocol's content; clocks, sockets, files. Whatever the bytes are, `feed` and `close` do not raise.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, cast

import msgspec

from weft import jsontext
from weft.assembler import Assembler
from weft.context import Context
from weft.errors import Error, error_from_body, error_from_http, is_error_body, make_error
from weft.events import Event, Note, Outcome, Start
from weft.filters import Filter
from weft.filters.named import filter_named
from weft.filters.surrogates import Surrogates
from weft.framing.json_values import values_of
from weft.framing.run import TakeRun
from weft.framing.sniff import Sniffer
from weft.framing.unreadable import UNREADABLE
from weft.grammar import TERMINAL
from weft.lenient import fit
from weft.place import Place
from weft.protocol import Decoder, Dialect, ProtocolSpec, resolve, resolve_source
from weft.rules import Limits
from weft.strict import unread_members

FilterMaker = Callable[[Any], Any]
_REFUSED = (msgspec.MsgspecError, UnicodeError, RecursionError)
_MISFITS = 8
"""So many frames may be unusual before all are taken for that."""
_KEEPALIVE = frozenset({b"", b"null", b'""', b"ping", b"{}"})
_OF_THE_LINE = frozenset({"transport", "timeout", "cancelled", "truncated", "limit", "protocol"})
"""Faults of whoever carries or reads the stream. Any other was said by the provider."""

_LOSSES = frozenset({"partial_frame", "malformed_frame"})
"""Faults of the framing that take content with them."""


class Reader:
    """Reads one stream of one protocol. `emit` gets each event as it is known; `feed` bytes, then `close` once."""

    broken = False
    """Something came that nothing after it can be understood, or the input is over."""
    _misfits = 0

    def __init__(
        self,
        source: "str | ProtocolSpec",
        emit: Callable[[Event], object],
        *,
        dialect: "str | Dialect | None" = None,
        strict: bool = False,
        filters: Iterable["str | FilterMaker"] = (),
        limits: Limits | None = None,
        context: Context | None = None,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.spec, self.dialect = resolve_source(source, dialect)
        self.notes: list[Note] = []
        self._limits = limits or Limits()
        self._strict = strict
        self._status, self._headers = status, headers
        self._body: list[bytes] | None = [] if status is not None and status >= 400 else None
        self._room = self._limits.stream if self._body is None else 0
        self._fed = 0
        self._guests: list[Decoder] = []
        self._place = Place()
        self._place.guest = self._guest
        self._out = Assembler(
            emit,
            self.dialect.rules,
            protocol=self.spec.name,
            place=self._place,
            strict=strict,
            response_id=context.response_id if context else None,
            on_note=self._noted,
        )
        chain = _filtered(self._out, self.dialect.filters, filters, context)
        self._decoder = self.spec.decoder(chain, self.dialect)
        self._wires: dict[str, Any] = dict(getattr(self.spec.decoder, "wires", {}))
        self._wire: Any = self.spec.decoder.wire
        usual: dict[str, Any] = self._wires or getattr(self.spec.decoder, "usual", {})
        self._parsers = {name: _parser(wire) for name, wire in usual.items()}
        self._on_frame, take_run = self._bind()
        self._place.inner = self._on_frame
        self._framer = Sniffer(self._on_frame, self._fault, self._limits.frame, self.spec.framing, take_run)
        self._place.offset = lambda: self._framer.offset

    # -- the stage -----------------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        self._fed += len(data)
        if self._fed <= self._room:
            self._framer.feed(data)
        else:
            self._feed_rest(data)

    def feed_object(self, value: Any) -> None:
        """Take one parsed frame: what would have stood in the bytes, as plain data."""
        framed = self.spec.framed(value) if self.spec.framed is not None else None
        payload, name = framed if framed is not None else (_payload(value), "")
        self._fed += len(payload)
        if not self.broken:
            self._on_frame(payload, name)

    def close(self, error: Error | None = None) -> None:
        """The input is over; `error` is the transport's own fault or the caller's cancellation, if that is why.

        It may also be what an SDK made of a frame with the provider's error, and counts then as that frame would have.
        """
        if self._body is not None:
            self._close_body(error)
            return
        if not self.broken:
            self._framer.close()
            for guest in self._guests:
                guest.close()
            self._decoder.close()
            if isinstance(self._decoder.out, Filter):
                self._decoder.out.flush()
        self.broken = True
        if error is not None and error.type not in _OF_THE_LINE:
            self._out.fail(error)
        self._out.close(error)

    def unread(self, frame: bytes, name: str = "") -> list[str]:
        """Paths of the members of a frame that the wire type does not read, and that the protocol does not list as unread: a second parse.

        An error is what it says, whatever stands beside it; what is no JSON has no members.
        """
        try:
            value = jsontext.decode(frame)
        except ValueError:
            return []
        if is_error_body(value):
            return []
        return [*unread_members(value, self._wires.get(name, self._wire), self.spec.ignores)]

    @property
    def ending(self) -> bool:
        """Only usage is awaited: whoever reads the socket may close it after a grace."""
        return self._out.ending

    @property
    def outcome(self) -> Outcome | None:
        """How the stream ended, once it has."""
        return self._out.outcome

    @property
    def done(self) -> bool:
        """Nothing more will be taken: the terminal was emitted, or what follows cannot be understood. The input need not be read further."""
        return self._out.phase in TERMINAL or self.broken

    @property
    def said_its_end(self) -> bool:
        """The source itself has said how it ends, in good order or with an error of its own, which a status can be."""
        return not self.broken and (self._body is not None or self._out.ending or self._out.phase in TERMINAL)

    @property
    def offset(self) -> int:
        """Where in the input the frame that is being read begins."""
        return self._framer.offset

    @property
    def started(self) -> Start | None:
        """What the message began with, once it has."""
        return self._out.started

    @property
    def failed_at(self) -> int | None:
        """Where in the input the frame begins in which the failure was said; None if none was said."""
        return self._out.failed_at

    # -- frames --------------------------------------------------------------------------------------------------

    def _bind(self) -> tuple[Callable[[bytes, str], None], TakeRun | None]:
        """Make what each frame goes through, alone or in a run: everything it touches is a local of this closure, for speed."""
        frame, parsers, parse, feed = b"", self._parsers, _parser(self._wire), self._decoder.feed

        def on_frame(data: bytes, name: str) -> None:
            nonlocal frame
            frame = data
            try:
                message = parse(data)
            except _REFUSED:
                self._salvage(data, name)
            else:
                feed(message, name)

        def on_run(frames: Iterable[bytes], name: str) -> bool:
            nonlocal frame
            usual = parsers.get(name, parse) if parsers else parse
            for data in frames:
                try:
                    message = usual(data)
                except _REFUSED:
                    return False
                frame = data
                feed(message, name)
            return True

        def on_named_frame(data: bytes, name: str) -> None:
            nonlocal frame
            frame = data
            try:
                message = parsers.get(name, parse)(data)
            except _REFUSED:
                refused(data, name)
            else:
                feed(message, name)

        def on_strict_frame(data: bytes, name: str) -> None:
            nonlocal frame
            frame = data
            self._check(data, name)
            plain(data, name)

        self._place.frame, self._any_frame = lambda: frame, on_frame
        plain, refused = on_named_frame if parsers else on_frame, self._salvage if self._wires else self._unusual
        return (on_strict_frame, None) if self._strict else (plain, None if self._wires else on_run)

    def _unusual(self, data: bytes, name: str) -> None:
        """A frame that is not as nearly all are. Where that is nothing rare, nobody looks first whether one is."""
        self._misfits += 1
        if self._misfits == _MISFITS:
            self._parsers.clear()
        self._any_frame(data, name)

    def _guest(self, protocol: str) -> Callable[[bytes, str], None]:
        """What reads the frames of another protocol that stand inside this one's, to the same stream. It bears less than a host: no halves, no near misses."""
        spec, dialect = resolve(protocol)
        decoder: Decoder = spec.decoder(self._decoder.out, dialect)
        self._guests.append(decoder)
        parse = _parser(decoder.wire)
        place, frame, host = self._place, b"", self._place.frame

        def read(data: bytes, name: str) -> None:
            nonlocal frame
            frame, place.frame = data, lambda: frame
            try:
                decoder.feed(parse(data), name)
            except _REFUSED:
                self._out.lost("broken_frame", "a frame that is not JSON of its kind was skipped")
            finally:
                place.frame = host

        return read

    def _salvage(self, data: bytes, name: str) -> None:
        """A frame that the fast parse refused: a marker, a keep-alive, a page, a near miss, or broken."""
        text = data.strip()
        if text.startswith(b"[DONE]"):
            self._decoder.out.sign("done")
        elif name == "html":
            self._die(_html_error(self._status, self._headers, data))
        elif name == "text":
            self._text_line(text)
        elif text in _KEEPALIVE or text.startswith(b":"):
            self._out.note("keepalive_as_data", "a keep-alive came as data")
        else:
            self._near_miss(data, name)

    def _near_miss(self, data: bytes, name: str) -> None:
        """JSON of another shape: an error, or a frame with members that do not fit, which are dropped one by one. An error is what it says."""
        try:
            value = self._decoded(data)
        except ValueError:
            self._lines(data, name)
            return
        if not isinstance(value, dict):
            if is_error_body(value):
                self._decoder.out.fail(error_from_body(jsontext.decode(data), headers=self._headers))
            else:
                self._out.note("broken_frame", "a frame that is not an object was skipped")
            return
        failed = is_error_body(value)
        try:
            message, dropped = self._fitted(value, data, self._wires.get(name, self._wire))
        except (msgspec.ValidationError, ValueError):
            self._decoder.out.unknown(data, name)
            return
        for path in () if failed else dropped:
            self._out.note("member_dropped", f"{path} is not of the type that this source sends", path)
        if not isinstance(self._decoder.out, Surrogates):
            self._decoder.out = cast(Assembler, Surrogates(self._decoder.out))
        self._decoder.feed(message, name)

    def _decoded(self, data: bytes) -> Any:
        """The value of a frame; NaN and the infinities, which some write in logprobs, cost a note."""
        try:
            return jsontext.decode_halves(data)
        except ValueError:
            value = jsontext.decode_python(data)
        self._out.note("not_a_number", "a frame has NaN or an infinity, for which JSON has no word")
        return value

    def _fitted(self, value: Any, data: bytes, wire: Any) -> tuple[Any, list[str]]:
        """The wire message that a value nearly is: numbers may be written as text, a member or half a character be out of place.

        Half a character is kept for its other half, where it may stand at all.
        """
        try:
            return msgspec.json.decode(data, type=wire, strict=False), []
        except _REFUSED:
            pass
        try:
            return fit(value, wire)
        except UnicodeError:
            return fit(jsontext.decode(data), wire)

    def _lines(self, data: bytes, name: str) -> None:
        """Frames that nothing kept apart (one may be half a frame), one that was broken over lines, an error in plain words, or broken."""
        frames, why = _unseparated(data)
        if frames:
            self._out.note("frames_unseparated", why)
            for frame in frames:
                self._on_frame(frame, name)
        elif name == "error" and b"{" not in data:
            self._decoder.out.fail(error_from_body(data.decode("utf-8", "replace")))
        else:
            self._out.lost("broken_frame", "a frame that is not JSON was skipped")

    def _text_line(self, line: bytes) -> None:
        """Plain text where JSON was due. Some sources mix the two; for the rest it is a note."""
        take = getattr(self._decoder, "text_line", None)
        if take is not None:
            take(line.decode("utf-8", "replace"))
        else:
            self._out.note("stray_text", f"{len(line)} bytes of plain text between the frames")

    def _check(self, data: bytes, name: str) -> None:
        """Strict mode: members that nobody reads are violations."""
        for path in self.unread(data, name):
            self._out.note("unknown_member", f"{path} is not a member that this source is known to send", path)

    # -- faults --------------------------------------------------------------------------------------------------

    def _fault(self, code: str, message: str, fatal: bool) -> None:
        """What the framing has to complain about."""
        if fatal and code in UNREADABLE:
            self._die(make_error("protocol", message, code=code, retryable=False, fault="client"))
        elif fatal:
            self._die(make_error("limit" if code == "frame_too_large" else "protocol", message, code=code))
        elif code in _LOSSES:
            self._out.lost(code, message)
        else:
            self._out.note(code, message)

    def _die(self, error: Error) -> None:
        """Nothing that follows can be understood."""
        self._decoder.out.fail(error)
        self.broken, self._room = True, 0

    def _feed_rest(self, data: bytes) -> None:
        """Bytes of a reply that is an error, or those with which a stream becomes longer than it may be."""
        if self._body is not None:
            if self._fed <= self._limits.frame:
                self._body.append(data)
        elif not self.broken and (over := self._fed - self._limits.stream) > 0:
            if over < len(data):
                self._framer.feed(data[:-over])
            if not self.broken:
                self._die(make_error("limit", f"the stream is longer than {self._limits.stream} bytes (Limits.stream)"))

    def _close_body(self, error: Error | None) -> None:
        """The reply's status said that it failed: its body is the error."""
        body = b"".join(cast(list[bytes], self._body))
        self._body = None
        self._place.frame = lambda: body
        self._out.fail(error_from_http(cast(int, self._status), self._headers, body, self.spec.name))
        self._out.close(error)

    def _noted(self, note: Note) -> Note | None:
        """The note, if it is to be told: input that is odd all over must not become a list without end."""
        told = len(self.notes)
        if told > self._limits.notes:
            return None
        if told == self._limits.notes:
            note = Note("more_notes", f"further notes are left out (Limits.notes is {told})", note.offset)
        self.notes.append(note)
        return note


@cache
def _parser(wire: Any) -> Callable[[bytes], Any]:
    """The parser for a wire type. Streams share it: it keeps nothing."""
    return msgspec.json.Decoder(wire).decode


def _filtered(
    out: Assembler, own: Iterable["str | FilterMaker"], asked: Iterable["str | FilterMaker"], context: Context | None
) -> Assembler:
    """The assembler behind its filters, the first of them in front."""
    chain: Any = out
    for maker in reversed([*own, *([asked] if isinstance(asked, str) else asked)]):
        chain = (filter_named(maker, context) if isinstance(maker, str) else maker)(chain)
    return cast(Assembler, chain)


def _html_error(status: int | None, headers: Mapping[str, str] | None, page: bytes) -> Error:
    if status is not None and status >= 400:
        return error_from_http(status, headers, page)
    why = "an HTML page came where a stream was due; is the address right?"
    return make_error("protocol", why, code="html", original=page.decode("utf-8", "replace"))


def _payload(value: Any) -> bytes:
    """The JSON of a parsed frame; half characters in it stay what they are."""
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except UnicodeError:
        return jsontext.encode(msgspec.to_builtins(value, enc_hook=str))


def _unseparated(data: bytes) -> tuple[list[bytes], str]:
    """The frames in what came as one, and what is odd about them: one a line, one broken over the lines, or one behind the other; else none."""
    lines = data.splitlines()
    if len(lines) > 1 and (_is_json(lines[0]) or _is_json(lines[-1])):
        return lines, "frames without a blank line between them were read line by line"
    if len(lines) > 1 and _is_json(joined := b"".join(lines)):
        return [joined], "a frame that was broken over several lines in the middle of a text was put together"
    values = values_of(data)
    return (values, "several frames in one were read one by one") if len(values) > 1 else ([], "")


def _is_json(line: bytes) -> bool:
    try:
        jsontext.decode(line)
    except ValueError:
        return False
    return True
