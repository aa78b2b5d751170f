"""Failures L: speed. One test for each mode, with where it was seen; `make bench` measures, these hold that nobody loses what was measured."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from benchmarks.bench import READ, cpu, floor, in_reads, pipe_all, read_all
from benchmarks.inputs import INPUTS, anthropic_tools, chat_text, chat_tools, responses_tools

import weft


def chunk(delta: dict[str, Any]) -> bytes:
    return b"data: %b\n\n" % json.dumps({"id": "c", "choices": [{"index": 0, "delta": delta}]}).encode()


def calls_at_once(count: int) -> list[bytes]:
    """All are open when the first of them gets its arguments."""
    opened = [{"index": at, "id": f"call_{at}", "function": {"name": "f", "arguments": ""}} for at in range(count)]
    filled = [{"index": at, "function": {"arguments": "{}"}} for at in range(count)]
    return [chunk({"tool_calls": [call]}) for call in (*opened, *filled)]


def texts_and_thoughts(count: int) -> list[bytes]:
    return [chunk({("content", "reasoning_content")[at % 2]: "word"}) for at in range(count)]


# What grows -> its protocol, how many of it are made, the size of a read (None: a frame)
GROWING: dict[str, tuple[str, Callable[[int], list[bytes]], int | None]] = {
    "openai-chat": ("openai-chat", partial(chat_tools, 1), READ),
    "anthropic": ("anthropic", anthropic_tools, READ),
    "openai-responses": ("openai-responses", partial(responses_tools, 1), READ),
    "calls at once": ("openai-chat", calls_at_once, None),
    "texts and thoughts": ("openai-chat", texts_and_thoughts, None),
}
NOISE = 1.5
"""What a busy machine may add to a ratio of two times: the budgets themselves are held by `make bench`."""


def least(run: Callable[[], None], rounds: int = 7) -> float:
    return min(cpu(run) for _ in range(rounds))


@pytest.mark.parametrize("name", ["chat text", "anthropic text", "responses text", "gemini"])
def test_l01_cost_of_a_chunk(name: str):
    """Each chunk costs hundreds of microseconds in objects and checks: it costs little more than its one parse.

    BerriAI/litellm#13505, BerriAI/litellm#21496
    """
    protocol, make = INPUTS[name]
    reads = in_reads(make(), READ)
    assert least(partial(read_all, protocol, reads)) < 2.0 * NOISE * least(partial(floor, protocol, reads))


@pytest.mark.parametrize("name", GROWING)
@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_l02_linear_in_the_length(name: str, target: str):
    """All that came is joined, parsed or walked again for each chunk: eight times the fragments, calls or blocks cost eight times the time, and not sixty-four.

    BerriAI/litellm#31297, ggml-org/llama.cpp#12379, vercel/ai#18773, pydantic/pydantic-ai#6485
    """
    protocol, make, size = GROWING[name]
    few, many = (in_reads(make(count), size) for count in (1000, 8000))
    once = least(partial(pipe_all, protocol, target, few))
    assert least(partial(pipe_all, protocol, target, many), rounds=3) < 8 * NOISE * once


def test_l03_import_costs_next_to_nothing():
    """The import takes seconds, and asks the network: nothing of what opens a socket or waits comes with it.

    BerriAI/litellm#2677, BerriAI/litellm#6175, BerriAI/litellm#10943, Aider-AI/aider#3111
    """
    script = "import sys, weft; weft.read, weft.Pipe; print(*({'socket', 'ssl', 'asyncio', 'http', 'urllib.request'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "" == done.stdout.strip()


def test_l04_each_event_goes_on_when_it_is_complete():
    """Frames pile up and are released as a burst: what a read completes leaves with that read, and one write holds it all.

    BerriAI/litellm@27c91e6574c, BerriAI/litellm@0ff3ade2245
    """
    frames = chat_text(20)
    alone, together = (weft.Pipe("openai-chat", "anthropic") for _ in range(2))
    given = [alone.feed(frame) for frame in frames]
    texts = [data.count(b"text_delta") for data in given]
    assert [0, *[1] * 20] == texts[:21]
    assert b"".join(given[:21]) == together.feed(b"".join(frames[:21]))
