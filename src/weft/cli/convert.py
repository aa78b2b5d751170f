"""`weft convert`: one protocol to another, as it comes; or many files at once."""

import argparse
import re
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import msgspec

from weft.cli.command import Command, Parser, Refused, say
from weft.cli.options import AUTO, StreamOptions, add_stream, stream_options
from weft.cli.output import Output
from weft.cli.reading import Reading, check_names
from weft.cli.words import cause
from weft.context import Context
from weft.encoder import Encoder
from weft.losses import Loss, Losses
from weft.message import Collector
from weft.nearest import UnknownNameError
from weft.pipe import Pipe
from weft.protocol import BUILT_IN, ProtocolSpec, resolve
from weft.steps.narrow import narrowed


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
    add("-j", dest="jobs", metavar="N", type=_jobs, default=1, help="with many files: so many processes (default 1)")
    add(
        "--losses",
        metavar="FILE",
        help="write what the target could not say, as JSON; - is standard error; with many files it stands beside each output",
    )
    add("--whole", action="store_true", help="write a whole reply instead of a stream")
    add("--verbatim", action="store_true", help="the same protocol on both ends: forward whole frames as they came")
    add(
        "--profile",
        metavar="NAME",
        help="the client that is to read it, where a target knows several (codex, claude-code, v5, …)",
    )


def _jobs(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes")
    return int(text)


def _run(arguments: Any) -> int:
    spec, options = target_named(arguments.target), stream_options(arguments)
    _check(options, arguments, spec)
    return _run_many(arguments, spec) if arguments.more else _run_one(options, arguments, spec)


def _check(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> None:
    """What cannot be done is told before any file is opened."""
    check_names(options)
    if arguments.verbatim and (arguments.whole or arguments.filters):
        raise Refused("--verbatim forwards the bytes as they came: --whole and --filter have no place in it")
    if arguments.verbatim and options.protocol.partition("/")[0] not in (AUTO, spec.name):
        raise Refused("--verbatim needs the same protocol on both ends")
    if arguments.whole and spec.reply is None:
        raise Refused(f"{spec.name!r} has no whole replies")
    if arguments.profile is not None and arguments.profile not in (known := spec.encoder.profiles):
        why = UnknownNameError("profile", arguments.profile, known) if known else "it knows one client only"
        raise Refused(f"--profile for {spec.name!r}: {why}")


def _run_one(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> int:
    run = _forward if arguments.verbatim else _whole if arguments.whole else _stream
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
    losses, frames = Losses(), list[bytes]()
    encoder: Encoder = spec.encoder(frames.append, Context(profile=arguments.profile), losses)
    reading = Reading(options)
    with Output(arguments.output, beside=options.file) as output:

        def after() -> None:
            encoder.flush()
            output.write(b"".join(frames))
            frames.clear()
            output.flush()

        reading.run(narrowed(encoder, losses), after=after, progress=not output.is_terminal)
    _tell_losses(losses.report(), arguments)
    return reading.told()


def _whole(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> int:
    losses, collector = Losses(), Collector()
    reading = Reading(options)
    with Output(arguments.output, beside=options.file) as output:
        reading.run(collector.feed, progress=True)
        if reading.end is not None:
            output.write(spec.reply(collector.message, Context(profile=arguments.profile), losses) + b"\n")
    _tell_losses(losses.report(), arguments)
    return reading.told()


def _forward(options: StreamOptions, arguments: Any, spec: ProtocolSpec) -> int:
    """Frames as they came, from the target's own protocol."""
    source = spec.name if options.protocol == AUTO else options.protocol
    reading = Reading(options._replace(protocol=source))
    pipe = Pipe(
        source, spec, verbatim=True, strict=options.strict, limits=options.limits, status=options.status,
        headers=options.headers,
    )  # fmt: skip
    with Output(arguments.output, beside=options.file) as output:

        def before(_: object, chunk: bytes) -> None:
            output.write(pipe.feed(chunk))

        try:
            reading.run(lambda _: None, before=before, after=output.flush, progress=not output.is_terminal)
        finally:
            if reading.closed:
                output.write(pipe.close(reading.fault))
    _tell_losses(pipe.losses, arguments)
    return reading.told()


def _tell_losses(losses: list[Loss], arguments: Any) -> None:
    if arguments.losses is None:
        return
    report = msgspec.json.encode(losses)
    if arguments.losses == "-":
        say(report.decode())
        return
    with Output(arguments.losses) as output:
        output.write(msgspec.json.format(report) + b"\n")


# -- many files ------------------------------------------------------------------------------------------------------


def _run_many(arguments: Any, spec: ProtocolSpec) -> int:
    """Each file by itself, in as many processes as asked; one that fails does not stop the others."""
    if arguments.output is None:
        raise Refused("many files need a folder to be written to: -o FOLDER")
    outputs = _outputs([arguments.file, *arguments.more], Path(arguments.output), _ending(arguments, spec))
    try:
        Path(arguments.output).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"cannot make the folder {arguments.output!r}: {cause(error)}") from None
    worst = done = 0
    with ProcessPoolExecutor(max_workers=arguments.jobs) as pool:
        jobs = {pool.submit(_one_of_many, file, output, arguments): file for output, file in outputs.items()}
        for job in as_completed(jobs):
            status = job.result()
            worst, done = max(worst, status), done + 1
            if not arguments.quiet:
                say(f"weft: {done} of {len(outputs)}: {jobs[job]}")
    return worst


def _outputs(files: list[str], folder: Path, ending: str) -> dict[str, str]:
    """Output -> input. Two inputs of one name would end up in one file, and so are refused."""
    outputs: dict[str, str] = {}
    for file in files:
        output = str(folder / f"{Path(file).stem}.{ending}")
        if output in outputs:
            raise Refused(f"{outputs[output]!r} and {file!r} would both be written to {output!r}")
        outputs[output] = file
    return outputs


def _one_of_many(file: str, output: str, arguments: Any) -> int:
    arguments.file, arguments.output = file, output
    arguments.losses = arguments.losses and f"{output}.losses.json"
    options = stream_options(arguments)._replace(quiet=True, one_of_many=True)
    try:
        return _run_one(options, arguments, target_named(arguments.target))
    except Refused as refused:
        say(f"weft: {refused}")
        return 2


def _ending(arguments: Any, spec: ProtocolSpec) -> str:
    framings = {"sse": "sse", "ndjson": "ndjson", "aws": "eventstream", "text": "txt"}
    return f"{spec.name}.{'json' if arguments.whole else framings.get(spec.framing, 'out')}"


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
