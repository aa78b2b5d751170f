"""What a command is: its words for people, its arguments, and what runs it.

Knows: how arguments are parsed and how a refusal is told. Must not know: any command.
"""

import argparse
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import msgspec

from weft.nearest import UnknownNameError


class Refused(Exception):  # noqa: N818 - it is no error of ours
    """The command cannot do what was asked: its text is the one line that says why, and the exit status is 2."""


class Command(msgspec.Struct, frozen=True):
    """One command. `examples` are pairs of a command line and what it is for."""

    description: str
    examples: tuple[tuple[str, str], ...]
    arguments: Callable[["Parser"], None]
    run: Callable[[Any], int]


class Parser(argparse.ArgumentParser):
    """Argparse that says what is wrong in one line, and which option was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Whatever argparse dislikes."""
        raise Refused(f"{message} (see {self.prog} --help)")

    def print_help(self, file: Any = None) -> None:
        """The help, as any other output: argparse's own way hides that nobody takes it."""
        print(self.format_help(), end="")

    def parse(self, words: list[str]) -> Any:
        """The arguments, none of them left over."""
        arguments, left = self.parse_known_intermixed_args(words)
        for word in left:
            if word.startswith("-") and word != "-":
                known = [option for action in self._actions for option in action.option_strings]
                raise Refused(UnknownNameError("option", word.partition("=")[0], known))
            raise Refused(f"expected one FILE, but {word!r} is another (see {self.prog} --help)")
        return arguments


def arguments_of(name: str, command: Command, words: list[str]) -> Any:
    """Parse the words that follow a command's name."""
    parser = Parser(
        prog=f"weft {name}",
        description=command.description,
        epilog=_examples(command),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(parser)
    return parser.parse(words)


def _examples(command: Command) -> str:
    width = max(len(line) for line, _ in command.examples)
    return "\n".join(["examples:", *(f"  {line:<{width}}   {purpose}" for line, purpose in command.examples)])


def say(text: str) -> None:
    """One line for people, on standard error; if that is gone, nobody is there to be told."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        return
