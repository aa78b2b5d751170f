"""What a conversion is held against: our own reading of the bytes.

Knows how to convert, read back and ask; must not know what a target's bytes look like.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import weft
from tests.conftest import CORPUS
from weft import events as ev
from weft.losses import Losses
from weft.message import FilePart, Message, ToolResult
from weft.pipe import Pipe
from weft.protocol import resolve

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
CORPUS_NAMES = {"anthropic": "anthropic-messages", "bedrock": "bedrock-converse"}
COUNTS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)


def converted(data: bytes, source: str, target: str, **options: Any) -> tuple[bytes, Pipe]:
    """What a target gets, and the pipe that made it."""
    pipe = Pipe(source, target, **options)
    out = pipe.feed(data)
    return out + pipe.close(), pipe


def read(data: bytes, protocol: str) -> Message:
    return weft.collect(weft.read(data, protocol))


def whole(message: Message, target: str, **context: Any) -> tuple[bytes, list[str]]:
    """The whole reply, and the words of what it lost."""
    losses = Losses()
    return resolve(target)[0].reply(message, weft.Context(**context), losses), words(losses.report())


def words(losses: Iterable[Any]) -> list[str]:
    return sorted({loss.what for loss in losses})


def recorded(
    protocol: str, step: int = 1, kinds: tuple[str, ...] = ("stream", "nonstream")
) -> Iterator[dict[str, Any]]:
    """Every so manieth row of the corpus that is not huge."""
    name = CORPUS_NAMES.get(protocol, protocol)
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        mine = (row for row in map(json.loads, lines) if row["protocol"] == name and row["kind"] in kinds)
        yield from islice((row for row in mine if row["bytes"] < 300_000), 0, None, step)


def fixtures(protocol: str) -> list[Path]:
    """The raw bytes among them; what is beside them are goldens."""
    goldens = (".events.jsonl", ".targets.txt")
    return sorted(path for path in (FIXTURES / protocol).iterdir() if not path.name.endswith(goldens))


# -- what has to be the same ---------------------------------------------------------------------------------------


def content(message: Message) -> dict[str, Any]:
    """What x → x may not change. A made id may become one that was said, and a count of none one of zero."""
    usage = message.usage
    return {
        "text": message.text,
        "reasoning": message.reasoning,
        "calls": [(call.name, call.arguments, call.complete, call.executor) for call in message.tool_calls],
        "finish": message.finish if message.outcome not in ("failed", "truncated") else None,
        "outcome": ended(message),
        "signatures": [state.value for part in message.blocks for state in part.signatures],
        "files": [(part.media_type, part.data, part.url) for part in message.blocks if isinstance(part, FilePart)],
        "results": [part.content for part in message.blocks if isinstance(part, ToolResult)],
        "annotations": [(note.url, note.title) for part in message.blocks for note in part.annotations],
        "usage": [(usage and getattr(usage, name)) or 0 for name in COUNTS],
        "choices": len(message.choices),
    }


def check_same(data: bytes, protocol: str, may_lose: frozenset[str] = frozenset(), **options: Any) -> None:
    """x → x: the content stays, only what is named is lost, and a second pass changes no byte."""
    once, pipe = converted(data, protocol, protocol, **options)
    lost = set(words(pipe.losses))
    before, after = content(pipe.message), content(read(once, protocol))
    if lost & {"incomplete", "args_invalid"}:
        before["calls"] = [call for call in before["calls"] if call[2]]
    for field, word in (("files", "file"), ("finish", "finish_other")):
        if word in lost:
            del before[field], after[field]
    assert before == after
    assert lost <= may_lose
    twice, _ = converted(once, protocol, protocol)
    assert once == twice


def ended(message: Message) -> str:
    """What is cut off is told as a failure, and so is what was cancelled."""
    cancelled = message.error is not None and message.error.type == "cancelled"
    return "failed" if cancelled or message.outcome == "truncated" else message.outcome


def calls_of(message: Message) -> list[tuple[str, Any]]:
    """The calls that a client executes."""
    return [(call.name, call.arguments) for call in message.tool_calls if call.complete and call.executor == "client"]


def in_row(events: list[ev.Event]) -> list[ev.Event]:
    """The events as a target gets them that allows for one open block."""
    starts = [event.index for event in events if isinstance(event, ev.BlockStart)]
    return [event for index in starts for event in events if getattr(event, "index", None) == index]
