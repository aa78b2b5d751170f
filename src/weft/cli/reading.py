"""One stream, read from FILE to its end: input, detection and the reader in a row, and what became of it.

Knows: the loop. Must not know: what a command makes of the events.
"""

from collections.abc import Callable, Iterator

from weft.cli import verdict
from weft.cli.command import Refused, say
from weft.cli.input import Input
from weft.cli.options import AUTO, StreamOptions
from weft.cli.progress import Progress
from weft.detect import LOOK_BYTES, Candidate, Detector
from weft.errors import Error, error_from_exception, make_error
from weft.events import BlockStart, End, Event, Unknown
from weft.filters.named import filter_named
from weft.nearest import UnknownNameError
from weft.protocol import resolve
from weft.reader import Reader


def _nothing(*_: object) -> None:
    """Nobody wants to be told."""


class Reading:
    """One input and the reader that it is for. `run` reads it, `told` is what became of it."""

    def __init__(self, options: StreamOptions, *, announce: bool = True) -> None:
        """Opens the input. `announce` says on standard error what was detected, unless that is to be quiet."""
        check_names(options)
        self.input = Input(options.file, quiet=options.quiet)
        self.reader: Reader | None = None
        self.detected: Candidate | None = None
        self.end: End | None = None
        self.fault: Error | None = None
        self._options = options
        self._announce = announce and not options.quiet
        self._emit: Callable[[Event], object] = _nothing
        self._head = b""
        self._understood = self._unknown = False

    @property
    def offset(self) -> int:
        """Where in the input the frame that is being read begins."""
        return self.reader.offset if self.reader is not None else 0

    def run(
        self,
        emit: Callable[[Event], object],
        *,
        before: Callable[[Reader, bytes], object] = _nothing,
        after: Callable[[], object] = _nothing,
        progress: bool = False,
    ) -> None:
        """Read to the end.

        `emit` gets each event, `before` the reader and each chunk before it is fed; `after` is called when what it said is out.
        """
        self._emit = emit
        told = Progress(self.input.size, shown=progress and not self._options.quiet)
        with self.input:
            try:
                fault = self._feed_all(before, after, told)
            except KeyboardInterrupt:
                self._close(make_error("cancelled", "interrupted"), after)
                raise
            finally:
                told.clear()
            self._close(fault, after)

    @property
    def status(self) -> int:
        """The exit status."""
        is_success = self.end is None or self.end.outcome == "completed"
        return verdict.COMPLETED if is_success else verdict.UNFINISHED

    def told(self) -> int:
        """The exit status. What is no success is told as the last line on standard error."""
        for line in self.verdict():
            say(f"weft: {line}")
        return self.status

    def verdict(self) -> list[str]:
        """What there is to say of how it ended; the last line says why it is no success."""
        lines = [self._what_it_looks_like()] if self._unknown and not self._understood else []
        if self.end is not None and self.status:
            failed_at = self.reader.failed_at if self.reader is not None else None
            lines.append(verdict.reason(self.end, failed_at, self.input.position))
        return [line for line in lines if line]

    def _what_it_looks_like(self) -> str:
        """Nothing was understood: it may be another protocol than it was said to be."""
        said = self._options.protocol
        other = verdict.other_than(said, self._head)
        if other is None:
            return ""
        return f"{self.input.name} looks like {other.name} ({verdict.sureness(other)}), not like {said}"

    def _feed_all(
        self, before: Callable[[Reader, bytes], object], after: Callable[[], object], progress: Progress
    ) -> Error | None:
        """Feed the reader until it wants no more; gives the input's own fault, if that is why it ended."""
        try:
            for chunk in self._chunks():
                reader = self._reader(self._options.protocol)
                before(reader, chunk)
                if len(self._head) < LOOK_BYTES and not self._understood:
                    self._head += chunk
                reader.feed(chunk)
                after()
                progress.at(self.input.position)
                if reader.done:
                    break
        except _BrokenOffError as broken:
            return error_from_exception(broken.reason)
        return None

    def _chunks(self) -> Iterator[bytes]:
        chunks = _guarded(self.input)
        return self._recognised(chunks) if self._options.protocol == AUTO else chunks

    def _recognised(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The same chunks; the first ones are held until it is known what they are."""
        detector, held, broken = Detector(), list[bytes](), None
        try:
            for chunk in chunks:
                held.append(chunk)
                detector.feed(chunk)
                if detector.full or detector.sure:
                    break
        except _BrokenOffError as error:
            broken = error
        best = self.detected = verdict.chosen(detector.close(), b"".join(held), self._options.status, self.input.name)
        if self._announce:
            say(f"weft: reading as {best.name} ({verdict.sureness(best)})")
        self._reader(best.name)
        yield from held
        if broken is not None:
            raise broken
        yield from chunks

    def _reader(self, protocol: str) -> Reader:
        """The reader, made when it is first known what is read."""
        if self.reader is None:
            options = self._options
            self.reader = Reader(
                protocol, self._take,
                strict=options.strict, filters=options.filters, limits=options.limits,
                status=options.status, headers=options.headers,
            )  # fmt: skip
        return self.reader

    def _take(self, event: Event) -> None:
        if type(event) is End:
            self.end = event
        elif type(event) is BlockStart:
            self._understood = True
        elif type(event) is Unknown:
            self._unknown = True
        self._emit(event)

    def _close(self, fault: Error | None, after: Callable[[], object]) -> None:
        self.fault = fault
        if self.reader is not None or self._options.protocol != AUTO:
            self._reader(self._options.protocol).close(fault)
            after()


class _BrokenOffError(Exception):
    """The input could be read up to here and no further."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


def _guarded(source: Input) -> Iterator[bytes]:
    """The chunks of an input. One that cannot be read at all is refused, one that breaks off is a fault of the stream."""
    try:
        yield from source.chunks()
    except OSError as error:
        if not source.position:
            raise source.refused(error) from None
        raise _BrokenOffError(error) from None


def check_names(options: StreamOptions) -> None:
    """Names that nobody has are told before any file is opened."""
    try:
        for name in options.filters:
            filter_named(name)
        if options.protocol != AUTO and resolve(options.protocol)[0].decoder is None:
            raise Refused(f"{options.protocol!r} can be written but not read")
    except UnknownNameError as error:
        raise Refused(error) from None
