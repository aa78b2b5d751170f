"""`weft events`: the pivot, one event a line, as it becomes known."""

from typing import Any

from weft.cli.command import Command, Parser
from weft.cli.options import add_output, add_stream, stream_options
from weft.cli.output import Output
from weft.cli.reading import Reading
from weft.events import Event, to_json


def _arguments(parser: Parser) -> None:
    add_stream(parser)
    add_output(parser)


def _run(arguments: Any) -> int:
    options = stream_options(arguments)
    reading = Reading(options)
    with Output(arguments.output, beside=options.file) as output:

        def emit(event: Event) -> None:
            output.write(to_json(event) + b"\n")

        reading.run(emit, after=output.flush, progress=not output.is_terminal)
    return reading.told()


COMMAND = Command(
    description="Reads a provider's stream or a whole reply, and prints one event per line as JSON, as soon as it is known.",
    examples=(
        ("weft events --from anthropic reply.sse", "a recorded stream"),
        ("curl -sN … | weft events | grep text-delta", "a live stream; its protocol is detected"),
        ("weft events --from openai-chat --strict reply.sse", "stop at the first irregularity"),
        ("weft events --from gemini --status 429 --header 'retry-after: 7' body.json", "an error body"),
    ),
    arguments=_arguments,
    run=_run,
)
