"""What a conversion is held against: our own reading of the bytes, and the vendors' SDKs.

Knows how to convert, read back and ask; must not know what a target's bytes look like.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import weft
from tests.conftest import CORPUS
from tests.encoders.test_totality import encode
from tests.referees.cases import Case
from tests.referees.oracle import answers
from tests.referees.server import Body
from weft import events as ev
from weft.jsontext import decode_object
from weft.losses import Losses
from weft.message import FilePart, Message, ToolResult
from weft.pipe import Pipe
from weft.protocol import resolve
from weft.reader import Reader

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
CORPUS_NAMES = {"anthropic": "anthropic-messages", "bedrock": "bedrock-converse"}
MEDIA_TYPES = {
    "gemini": "text/event-stream",
    "ollama": "application/x-ndjson",
    "bedrock": "application/vnd.amazon.eventstream",
    "cohere": "text/event-stream",
}
COUNTS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
SOURCES = ("openai-chat", "anthropic", "openai-responses")


def converted(data: bytes, source: str, target: str, **options: Any) -> tuple[bytes, Pipe]:
    """What a target gets, and the pipe that made it."""
    pipe = Pipe(source, target, **options)
    out = pipe.feed(data)
    return out + pipe.close(), pipe


def read(data: bytes, protocol: str) -> Message:
    return weft.collect(weft.read(data, protocol))


def events_of(data: bytes, protocol: str) -> list[ev.Event]:
    events: list[ev.Event] = []
    reader = Reader(protocol, events.append)
    reader.feed(data)
    reader.close()
    return events


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


def check_told(data: bytes, source: str, target: str, may_lose: frozenset[str] = frozenset(), **options: Any) -> None:
    """x → y: what our own reading of y says is what x said, apart from what the losses name."""
    out, pipe = converted(data, source, target, **options)
    message, lost = pipe.message, set(words(pipe.losses))
    told = read(out, target)
    assert lost <= resolve(target)[0].encoder.loses.keys() | {"choices"}
    assert told.text == message.text + (message.refusal if "refusal" in lost else "")
    assert squeezed(told.reasoning) == squeezed(message.reasoning)
    assert calls_of(told) == calls_of(message)
    if "args_invalid" not in lost:
        assert (ended(message) == "failed") == (ended(told) == "failed")
    if message.usage is not None and told.usage is not None:
        assert message.usage.input_tokens == told.usage.input_tokens
        assert (message.usage.output_tokens or 0) == (told.usage.output_tokens or 0)


def ended(message: Message) -> str:
    """What is cut off is told as a failure, and so is what was cancelled."""
    cancelled = message.error is not None and message.error.type == "cancelled"
    return "failed" if cancelled or message.outcome == "truncated" else message.outcome


def calls_of(message: Message) -> list[tuple[str, Any]]:
    """The calls that a client executes."""
    return [(call.name, call.arguments) for call in message.tool_calls if call.complete and call.executor == "client"]


def squeezed(text: str) -> str:
    return "".join(text.split())


def check_legal(target: str, events: list[ev.Event]) -> None:
    """Laws 4 and 5: any legal stream reads back to the same, up to what was reported."""
    out, losses = encode(target, events)
    lost = set(words(losses.report()))
    message, told = weft.collect(events), read(out, target)
    assert lost <= resolve(target)[0].encoder.loses.keys()
    spoken = [event.text for event in in_row(events) if isinstance(event, ev.TextDelta | ev.RefusalDelta)]
    assert "".join(spoken) == told.text
    assert squeezed(message.reasoning) == squeezed(told.reasoning)
    assert "incomplete" in lost or [] == [call for call in told.tool_calls if call.complete]
    if any(call.executor == "client" for call in message.tool_calls):
        assert lost & {"incomplete", "args_invalid"} or [False] * len(message.tool_calls) == [
            call.complete for call in told.tool_calls
        ]
    if "args_invalid" not in lost:
        assert ended(message) == ended(told)


def in_row(events: list[ev.Event]) -> list[ev.Event]:
    """The events as a target gets them that allows for one open block."""
    starts = [event.index for event in events if isinstance(event, ev.BlockStart)]
    return [event for index in starts for event in events if getattr(event, "index", None) == index]


# -- what the vendor's SDK says ------------------------------------------------------------------------------------


def judged(target: str, folder: Path, sources: Iterable[str], step: int) -> Iterator[tuple[str, Pipe, dict[str, Any]]]:
    """What each source's recorded streams become, and what the SDK made of it."""
    pipes: dict[str, Pipe] = {}
    cases: list[Case] = []
    for source in sources:
        for row in recorded(source, step):
            out, pipe = converted((CORPUS / row["file"]).read_bytes(), source, target, status=row["status"])
            path = folder / f"{len(cases)}"
            path.write_bytes(out)
            body = Body(path, 200, MEDIA_TYPES[target])
            cases.append(Case(CORPUS_NAMES.get(target, target), "create", f"{source}~{row['id']}", body))
            pipes[cases[-1].id] = pipe
    for case, answer in answers(cases):
        yield case.id, pipes[case.id], answer


def check_judged(target: str, folder: Path, usage: tuple[str, ...], sources: Iterable[str], step: int) -> int:
    """The SDK reads the same text, reasoning, calls and counts; it fails where the message failed, and only there."""
    count = 0
    for name, pipe, answer in judged(target, folder, sources, step):
        message, lost = pipe.message, words(pipe.losses)
        failed = message.outcome in ("failed", "truncated") or "args_invalid" in lost
        assert failed == (answer["error"] is not None), (name, answer["error"])
        assert answer["text"] == message.text + (message.refusal if "refusal" in lost else ""), name
        assert squeezed(answer["reasoning"] + answer["plan"]) == squeezed(message.reasoning), name
        if not failed:
            assert calls_shown(message, target) == [called(call) for call in answer["tool_calls"] if is_whole(call)], (
                name
            )
            check_counts(name, message, answer, usage)
        count += 1
    return count


def calls_shown(message: Message, target: str) -> list[tuple[str, Any]]:
    """The calls as an SDK shows them. Where it shows text as it comes, what was cut off is told from the rest only by its text."""
    if target not in ("bedrock", "cohere"):
        return calls_of(message)
    mine = [call for call in message.tool_calls if call.executor == "client"]
    shown = [(call.name, call.arguments if call.complete else decode_object(call.raw)) for call in mine]
    return [(name, arguments) for name, arguments in shown if arguments is not None]


def called(call: dict[str, Any]) -> tuple[str, Any]:
    arguments = call["arguments"]
    return call["name"], json.loads(arguments or "{}") if isinstance(arguments, str) else arguments or {}


def is_whole(call: dict[str, Any]) -> bool:
    """SDKs that show the text of calls show that of calls that were cut off, too."""
    if call["executor"] != "client":
        return False
    try:
        return isinstance(called(call)[1], dict)
    except ValueError:
        return False


def check_counts(name: str, message: Message, answer: dict[str, Any], usage: tuple[str, ...]) -> None:
    """The SDK's counts: first those that add up to the input, then those that add up to the output."""
    if message.usage is None or message.usage.source == "estimated":
        return
    split = usage.index("|")
    counts: Any = answer["usage"] or {}
    for names, ours in ((usage[:split], message.usage.input_tokens), (usage[split + 1 :], message.usage.output_tokens)):
        assert (ours or 0) == sum(int(found(counts, path) or 0) for path in names), name


def found(counts: Any, path: str) -> Any:
    for member in path.split("."):
        counts = (counts or {}).get(member)
    return counts
