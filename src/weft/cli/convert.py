"""`weft convert`: one protocol to another, as it comes; or many files at once."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import msgspec

from weft.cli.command import Command, Parser, Refused, say
from weft.cli.options import AUTO, StreamOptions, add_stream, stream_options
from weft.cli.output import Output
from weft.cli.reading import Reading
from weft.context import Context
from weft.encoder import Encoder
from weft.events import Event
from weft.losses import Losses
from weft.message import Collector
from weft.nearest import UnknownNameError
from weft.pipe import Pipe
from weft.protocol import BUILT_IN, ProtocolSpec, resolve
from weft.steps.narrow import by_reads


def _arguments(parser: Parser) -> None:
    add_stream(parser)
    add = parser.add_argument
    add("more", metavar="FILE", nargs="*", help="more files: each is converted into a file of the folder that -o names")
    add(
        "-t",
        "--to",
        dest="target",
        metavar="PROTOCOL",
        required=True,
        help="what to write (`weft protocols` lists the targets)",
    )
    add("-o", dest="output", metavar="OUT", help="write to this file, or with many files into this folder")
    add("-j", dest="jobs", metavar="N", type=int, default=1, help="with many files: so many processes (default 1)")
    add("--losses", metavar="FILE", help="write what the target could not say, as JSON; - is standard error")
    add("--whole", action="store_true", help="write a whole reply instead of a stream")
    add("--verbatim", action="store_true", help="the same protocol on both ends: forward whole frames as they came")
    add(
        "--profile",
        metavar="NAME",
        help="the client that is to read it, where a target knows several (codex, claude-code, v5, …)",
    )


def _run(arguments: Any) -> int:
    spec = target_named(arguments.target)
    if arguments.verbatim and (arguments.whole or arguments.filters):
        raise Refused("--verbatim forwards the bytes as they came: --whole and --filter have no place in it")
    if arguments.more:
        return _run_many(arguments)
    options = stream_options(arguments)
    run = _forward if arguments.verbatim else _whole if arguments.whole else _stream
    if arguments.whole and spec.reply is None:
        raise Refused(f"{spec.name!r} has no whole replies")
    return run(options, arguments, spec)


def target_named(name: str) -> ProtocolSpec:
    """The target of that name; refused where nothing can write it."""
    try:
        spec, _ = resolve(name)
    except UnknownNameError as error:
        raise Refused(error) from None
    if spec.encoder is None:
        raise Refused(f"{spec.name!r} can be read, not written; the targets are: {', '.join(targets())}")
    return spec


def targets() -> list[str]:
    """Every built-in that can be written."""
    return [name for name in BUILT_IN if resolve(name)[0].encoder is not None]


def _stream(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> int:
    """The common way: each read is written as soon as it is read."""
    losses, frames, events = Losses(), list[bytes](), list[Event]()
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

        reading.run(events.append, after=after, progress=not output.is_terminal)
    _tell_losses(losses, arguments)
    return reading.told()


def _whole(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> int:
    losses, collector = Losses(), Collector()
    reading = Reading(options)
    with Output(arguments.output, beside=options.file) as output:
        reading.run(collector.feed, progress=True)
        if reading.end is not None:
            output.write(spec.reply(collector.message, Context(profile=arguments.profile), losses) + b"\n")
    _tell_losses(losses, arguments)
    return reading.told()


def _forward(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> int:
    """Frames as they came, from the target's own protocol."""
    if options.protocol not in (AUTO, spec.name) and options.protocol.partition("/")[0] != spec.name:
        raise Refused("--verbatim needs the same protocol on both ends")
    source = spec.name if options.protocol == AUTO else options.protocol
    reading = Reading(options._replace(protocol=source))
    pipe = Pipe(
        source, spec, verbatim=True, strict=options.strict, limits=options.limits, status=options.status,
        headers=options.headers,
    )  # fmt: skip
    with Output(arguments.output, beside=options.file) as output:

        def before(_: object, chunk: bytes) -> None:
            output.write(pipe.feed(chunk))

        reading.run(lambda _: None, before=before, after=output.flush, progress=not output.is_terminal)
        output.write(pipe.close())
    return reading.told()


def _tell_losses(losses: Losses, arguments: Any) -> None:
    if arguments.losses is None:
        return
    report = msgspec.json.encode(losses.report())
    if arguments.losses == "-":
        say(report.decode())
        return
    with Output(arguments.losses) as output:
        output.write(msgspec.json.format(report) + b"\n")


# -- many files ------------------------------------------------------------------------------------------------------


def _run_many(arguments: Any) -> int:
    """Each file by itself, in as many processes as asked; one that fails does not stop the others."""
    if arguments.output is None:
        raise Refused("many files need a folder to be written to: -o FOLDER")
    folder = Path(arguments.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"cannot make {arguments.output!r}: {error.strerror}") from None
    files = [arguments.file, *arguments.more]
    worst = done = 0
    with ProcessPoolExecutor(max_workers=max(1, arguments.jobs)) as pool:
        jobs = {pool.submit(_one_of_many, file, arguments): file for file in files}
        for job in as_completed(jobs):
            status = job.result()
            worst, done = max(worst, status), done + 1
            if not arguments.quiet:
                say(f"weft: {done} of {len(files)}: {jobs[job]}")
    return worst


def _one_of_many(file: str, arguments: Any) -> int:
    arguments.file, arguments.quiet = file, True
    arguments.output = str(
        Path(arguments.output) / f"{Path(file).stem}.{arguments.target.replace('/', '-')}{_ending(arguments)}"
    )
    arguments.losses = arguments.losses and f"{arguments.output}.losses.json"
    run: Callable[[StreamOptions, Any, ProtocolSpec], int] = (
        _forward if arguments.verbatim else _whole if arguments.whole else _stream
    )
    try:
        return run(stream_options(arguments), arguments, target_named(arguments.target))
    except Refused as refused:
        say(f"weft: {refused}")
        return 2


def _ending(arguments: Any) -> str:
    framings = {"sse": ".sse", "ndjson": ".ndjson", "aws": ".eventstream", "text": ".txt"}
    return ".json" if arguments.whole else framings.get(target_named(arguments.target).framing, ".out")


COMMAND = Command(
    description="Reads a stream of one protocol and writes it in the words of another, each read as soon as it is read.",
    examples=(
        ("weft convert --from anthropic --to openai-responses reply.sse", "a recorded stream"),
        ("curl -sN … | weft convert --to anthropic --losses -", "a live one, and what was lost on the way"),
        ("weft convert --to openai-chat --whole reply.sse", "as a whole reply"),
        ("weft convert --to openai-chat --verbatim reply.sse", "as it came, but with a true ending"),
        ("weft convert --to gemini -o out -j 4 streams/*.sse", "many files at once"),
    ),
    arguments=_arguments,
    run=_run,
)
