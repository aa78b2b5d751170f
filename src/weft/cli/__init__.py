"""The command line: a table of commands, and what happens when one of them cannot go on.

Knows: the commands by name, and the exit statuses. Must not know: what any command does; a command is one module here and a row in the table.
"""

import io
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from weft.cli.command import Command, Refused, arguments_of, say
from weft.cli.output import refused_output
from weft.nearest import UnknownNameError

COMMANDS: dict[str, str] = {
    "convert": "write a stream in another protocol, and report what was lost",
    "inspect": "show a timeline: blocks, bytes, usage, what went wrong and who is at fault",
    "events": "print one event per line, as JSON",
    "collect": "print the assembled message, as JSON",
    "lint": "check a stream against the rules of strict clients",
    "detect": "tell which protocol and dialect the input is, and how sure that is",
    "protocols": "list the protocols and dialects",
    "replay": "run a fake provider that serves recorded streams, with faults on demand",
    "demo": "watch a short demonstration, without a key or a network",
    "bench": "measure what a text delta costs",
}
"""name -> what it gives. The module is `weft.cli.NAME`; its `COMMAND` says the rest."""

USAGE = """\
usage: weft COMMAND [OPTIONS] [FILE|-]

Any LLM provider's stream as one typed, truthful event stream.

{commands}

Without FILE, or with -, weft reads standard input as it arrives.

examples:
  curl -sN https://… | weft inspect      what a provider sends, as it sends it
  weft events reply.sse | head           the events of a recorded stream
  weft collect reply.sse | jq .text      only the text of the answer
  weft convert --to anthropic reply.sse  the same stream in another protocol

weft COMMAND --help describes a command; weft --version prints the version.
Exit status: 0 the stream completed; 1 findings (lint); 2 wrong usage or unreadable input;
3 the stream ended incomplete, failed or truncated (the last line on standard error says why);
130 interrupted."""

_OPTIONS = ["--help", "--version"]
OK, REFUSED, BUG, INTERRUPTED = 0, 2, 70, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit status. Whatever happens, it is told in one line and not in a traceback."""
    _prepare_streams()
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        _flush()
    except Refused as refused:
        say(f"weft: {refused}")
        return REFUSED
    except BrokenPipeError as error:
        say(f"weft: {refused_output(error)}")
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as bug:  # noqa: BLE001 - the last line of defence
        if os.environ.get("WEFT_TRACEBACK"):
            traceback.print_exc()
        say(f"weft: this is a bug in Weft: {type(bug).__name__}: {bug} (WEFT_TRACEBACK=1 shows where)")
        return BUG
    return status


def _run(words: list[str]) -> int:
    if not words:
        say(_usage())
        return REFUSED
    name, *rest = words
    if name in {"-h", "--help", "help"}:
        print(_usage())
        return OK
    if name in {"-V", "--version"}:
        print(f"weft {_version()}")
        return OK
    if name not in COMMANDS:
        kind, known = ("option", _OPTIONS) if name.startswith("-") else ("command", [*COMMANDS])
        raise Refused(UnknownNameError(kind, name, known))
    command: Command = import_module(f"weft.cli.{name}").COMMAND
    try:
        arguments = arguments_of(name, command, rest)
    except SystemExit:  # argparse has printed the help
        return OK
    return command.run(arguments)


def _usage() -> str:
    width = max(map(len, COMMANDS))
    return USAGE.format(commands="\n".join(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()))


def _version() -> str:
    from importlib.metadata import version

    return version("weft")


def _prepare_streams() -> None:
    """A name or a text that the terminal cannot show must not end the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _flush() -> None:
    """What is still buffered is written while its failure can be told."""
    stdout: TextIO | None = sys.stdout
    try:
        if stdout is not None:
            stdout.flush()
    except OSError as error:
        raise refused_output(error) from None
