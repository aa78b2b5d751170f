"""`weft convert`: one protocol to another, as it comes; or many files at once."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from weft.cli.command import Command, Parser, Refused, say
from weft.cli.many import convert_many
from weft.cli.options import AUTO, StreamOptions, add_stream, stream_options
from weft.cli.output import Output
from weft.cli.reading import Reading, check_names
from weft.cli.unread import UnreadBytes
from weft.context import Context
from weft.detect import LIKELY
from weft.encoder import Encoder
from weft.events import Event
from weft.losses import Losses
from weft.message import Collector
from weft.nearest import UnknownNameError
from weft.pipe import Pipe
from weft.protocol import BUILT_IN, ProtocolSpec, resolve
from weft.reader import Reader
from weft.steps.narrow import by_reads


def _arguments(parser: Parser) -> None:
    add_stream(parser)
    add = parser.add_argument
    add(
        "more",
        metavar="FILE",
        nargs="*",
        help="more files; each is converted into its own file in the folder given by -o",
    )
    add(
        "-t",
        "--to",
        dest="target",
        metavar="PROTOCOL",
        required=True,
        help="the protocol to write (`weft protocols` lists the targets)",
    )
    add("-o", dest="output", metavar="OUT", help="write to this file or, with several files, into this folder")
    add(
        "-j",
        dest="jobs",
        metavar="N",
        type=_jobs,
        default=1,
        help="with several files: the number of processes (default 1)",
    )
    add(
        "--losses",
        metavar="FILE",
        help="write as JSON what the target could not express; - is standard error; with several files, each report goes beside its output",
    )
    add("--whole", action="store_true", help="write a whole reply instead of a stream")
    add(
        "--verbatim",
        action="store_true",
        help="forward whole frames byte for byte; source and target must be the same protocol",
    )
    add(
        "--profile",
        metavar="NAME",
        help="the client that will read the output, for targets that know several (codex, claude-code, v5, …)",
    )


def _jobs(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)


def _run(arguments: Any) -> int:
    spec = target_named(arguments.target)
    _known_profile(spec, arguments.profile)
    if arguments.verbatim and (arguments.whole or arguments.filters):
        raise Refused("--verbatim forwards the bytes unchanged: it cannot be combined with --whole or --filter")
    if arguments.whole and spec.reply is None:
        raise Refused(f"{spec.name!r} has no whole replies")
    check_names(stream_options(arguments))
    if arguments.more:
        return convert_many([arguments.file, *arguments.more], arguments, spec, convert_one)
    return convert_one(arguments).told()


def convert_one(arguments: Any) -> Reading:
    """Convert the one file that the arguments name; what became of it."""
    run = _forward if arguments.verbatim else _whole if arguments.whole else _stream
    return run(stream_options(arguments), arguments, target_named(arguments.target))


def target_named(name: str) -> ProtocolSpec:
    """The target of that name; refused where nothing can write it."""
    try:
        spec, _ = resolve(name)
    except UnknownNameError as error:
        raise Refused(error) from None
    if spec.encoder is None:
        raise Refused(f"{spec.name!r} can be read but not written; the targets are: {', '.join(targets())}")
    return spec


def _known_profile(spec: ProtocolSpec, profile: str | None) -> None:
    """A profile that changes nothing is a slip of the pen."""
    known: Mapping[str, str] = spec.encoder.profiles if spec.encoder is not None else {}
    if profile is not None and profile not in known:
        why = UnknownNameError("profile", profile, known) if known else "this target has no profiles"
        raise Refused(f"--profile for {spec.name!r}: {why}")


def targets() -> list[str]:
    """Every built-in that can be written."""
    return [name for name in BUILT_IN if resolve(name)[0].encoder is not None]


def _stream(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> Reading:
    """The common way: each read is written as soon as it is read."""
    losses, unread = Losses(), UnreadBytes(options.limits.frame)
    frames, events = list[bytes](), list[Event]()
    encoder: Encoder = spec.encoder(frames.append, Context(profile=arguments.profile), losses)
    say_all = by_reads(encoder, losses)
    reading = Reading(options)
    with Output(arguments.output, beside=options.file) as output:

        def after() -> None:
            say_all(events)
            events.clear()
            encoder.flush()
            output.write(b"".join(frames))
            frames.clear()
            output.flush()

        reading.run(events.append, after=after, before=_look(unread, arguments), progress=not output.is_terminal)
    unread.report(losses)
    _tell_losses(losses, arguments)
    return reading


def _whole(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> Reading:
    losses, collector, unread = Losses(), Collector(), UnreadBytes(options.limits.frame)
    reading = Reading(options)
    with Output(arguments.output, beside=options.file) as output:
        reading.run(collector.feed, before=_look(unread, arguments), progress=True)
        if reading.end is not None:
            output.write(spec.reply(collector.message, Context(profile=arguments.profile), losses) + b"\n")
    unread.report(losses)
    _tell_losses(losses, arguments)
    return reading


def _look(unread: UnreadBytes, arguments: Any) -> Callable[[Reader, bytes], object]:
    """A full report costs a second parse, so it is made only for those who ask."""
    return unread.feed if arguments.losses is not None else lambda _, __: None


def _forward(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> Reading:
    """Frames as they came, from the target's own protocol."""
    if options.protocol not in (AUTO, spec.name) and options.protocol.partition("/")[0] != spec.name:
        raise Refused("--verbatim needs the same protocol on both ends")
    reading = Reading(options)
    pipe = Pipe(
        spec if options.protocol == AUTO else options.protocol, spec, verbatim=True, strict=options.strict,
        limits=options.limits, status=options.status, headers=options.headers, context=Context(profile=arguments.profile),
    )  # fmt: skip
    with Output(arguments.output, beside=options.file) as output:

        def before(_: object, chunk: bytes) -> None:
            _check_same(reading, spec)
            output.write(pipe.feed(chunk))

        def close() -> None:
            output.write(pipe.close(reading.fault))
            output.flush()

        try:
            reading.run(lambda _: None, before=before, after=output.flush, progress=not output.is_terminal)
        except KeyboardInterrupt:
            close()
            raise
        close()
    _tell_losses(Losses(), arguments)
    return reading


def _check_same(reading: Reading, spec: ProtocolSpec) -> None:
    """Bytes of another protocol cannot be forwarded; a guess does not count."""
    found = reading.detected
    if found is not None and found.confidence >= LIKELY and found.protocol != spec.name:
        name = reading.input.name
        raise Refused(f"{name} looks like {found.name}: --verbatim needs the same protocol on both ends")


def _tell_losses(losses: Losses, arguments: Any) -> None:
    if arguments.losses is None:
        return
    report = msgspec.json.encode(losses.report())
    if arguments.losses == "-":
        say(report.decode())
        return
    with Output(arguments.losses) as output:
        output.write(msgspec.json.format(report) + b"\n")


COMMAND = Command(
    description="Writes a stream in another protocol, piece by piece as it arrives.",
    examples=(
        ("weft convert --from anthropic --to openai-responses reply.sse", "a recorded stream"),
        ("curl -sN … | weft convert --to anthropic --losses -", "a live stream, with a report of what was lost"),
        ("weft convert --to openai-chat --whole reply.sse", "as a whole reply"),
        (
            "weft convert --to openai-chat --verbatim reply.sse",
            "unchanged, except that a broken stream gets a proper ending",
        ),
        ("weft convert --to gemini -o out -j 4 streams/*.sse", "several files at once"),
    ),
    arguments=_arguments,
    run=_run,
)
