"""`weft collect`: the assembled message."""

from typing import Any

import msgspec

from weft.cli.command import Command, Parser
from weft.cli.options import add_output, add_stream, stream_options
from weft.cli.output import Output
from weft.cli.reading import Reading
from weft.message import Collector


def _arguments(parser: Parser) -> None:
    add_stream(parser)
    add_output(parser)
    parser.add_argument(
        "--compact", action="store_true", help="print one line on a terminal too; other output always is one line"
    )


def _run(arguments: Any) -> int:
    options = stream_options(arguments)
    reading = Reading(options)
    collector = Collector()
    with Output(arguments.output, beside=options.file) as output:
        try:
            reading.run(collector.feed, progress=True)
        finally:
            if reading.end is not None:
                message = collector.message.to_json()
                pretty = output.is_terminal and not arguments.compact
                output.write((msgspec.json.format(message) if pretty else message) + b"\n")
    return reading.told()


COMMAND = Command(
    description="Reads a provider's stream or a whole reply, and prints the assembled message as JSON.",
    examples=(
        ("weft collect reply.sse", "the whole message"),
        ("weft collect --from ollama reply.ndjson | jq -r .text", "only the text"),
        ("weft collect reply.sse | jq '.tool_calls[] | select(.complete)'", "the calls that are safe to execute"),
    ),
    arguments=_arguments,
    run=_run,
)
