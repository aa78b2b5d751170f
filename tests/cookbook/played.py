"""What the cookbook's programs are shown: answers in our own events, said in a provider's words and served by `weft replay`.

Knows: how an answer becomes a capture, and how a program is run. Must not know: the programs.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import weft
from weft import events as ev
from weft.replay import Capture, Chunk, Manner, Shelf, serving

PROGRAMS = Path(__file__).parent.parent.parent / "examples" / "cookbook"


def answer(*blocks, finish="stop", usage=True):
    """The events of an answer. A block is a text in pieces, `("thought", text, signature)` or `("call", id, name, arguments)`."""
    told = [ev.Start("msg_1", "lighthouse")]
    for index, block in enumerate(blocks):
        told += _block(index, block)
    if usage:
        told.append(ev.Usage(6, 9, 15))
    return [*told, ev.End("completed", (ev.Finish(0, finish, None),), ev.Usage(6, 9, 15) if usage else None)]


def _block(index, block):
    if isinstance(block, list):
        deltas = [ev.TextDelta(index, piece) for piece in block]
        return [ev.BlockStart(index, "text"), *deltas, ev.BlockEnd(index, True)]
    if block[0] == "thought":
        state = ev.Signature(index, block[2], ev.Origin("anthropic"))
        return [ev.BlockStart(index, "reasoning"), ev.ReasoningDelta(index, block[1]), state, ev.BlockEnd(index, True)]
    _, id, name, arguments = block
    return [
        ev.BlockStart(index, "tool_call", id=id, name=name),
        ev.ArgsDelta(index, arguments),
        ev.BlockEnd(index, True),
    ]


def capture(name, protocol, events):
    """The answer as this provider would have sent it, a frame of it in each piece."""
    pipe = weft.Pipe("events", protocol)
    pieces = [pipe.feed(weft.to_json(event) + b"\n") for event in events]
    chunks = tuple(Chunk(0.0, piece) for piece in [*pieces, pipe.close()] if piece)
    return Capture(name=name, protocol=protocol, chunks=chunks)


@contextmanager
def played(*captures, faults=(), tell=lambda _: None) -> Iterator[str]:
    """A provider that gives these answers, in turn."""
    with serving(Shelf(captures, Manner(speed=0, split="random:5"), faults), tell=tell) as address:
        yield address


def run(program, *words, stdin="", **environment):
    """One of the programs as its user runs it: status and output."""
    child = subprocess.run(
        [sys.executable, PROGRAMS / f"{program}.py", *words], input=stdin, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )  # fmt: skip
    return child.returncode, child.stdout, child.stderr
