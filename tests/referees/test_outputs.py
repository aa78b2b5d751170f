"""What we write, read by the vendors' own SDKs: accepted, and accumulated to the message that we meant; a failure is one to them too.

Every source's recorded streams go to every target that has an SDK, in every mode it reads in: a sample each day, all of them under the
marker deep. Whole replies are judged likewise.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import weft
from tests.encoders.comparing import failed
from tests.referees.cases import CORPUS, Case, corpus_rows
from tests.referees.oracle import answers, available
from tests.referees.server import Body
from tests.test_fixtures import CASES as FIXTURES
from weft import Context
from weft.errors import http_status
from weft.finish import finish_reason
from weft.losses import Losses
from weft.message import Message, Text
from weft.protocol import resolve


class Target(NamedTuple):
    """What reads a target: the corpus's name for it, the SDK's modes, and the members of its counts that add up to input and output."""

    protocol: str
    modes: tuple[str, ...]
    content_type: str
    input: tuple[str, ...]
    output: tuple[str, ...]


SSE = "text/event-stream"
TARGETS = {
    "openai-chat": Target("openai-chat", ("create", "stream"), SSE, ("prompt_tokens",), ("completion_tokens",)),
    "openai-responses": Target("openai-responses", ("create", "stream"), SSE, ("input_tokens",), ("output_tokens",)),
    "anthropic": Target(
        "anthropic-messages",
        ("stream", "beta"),
        SSE,
        ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
        ("output_tokens",),
    ),
    "gemini": Target(
        "gemini",
        ("create",),
        SSE,
        ("prompt_token_count", "tool_use_prompt_token_count"),
        ("candidates_token_count", "thoughts_token_count"),
    ),
    "ollama": Target("ollama", ("create",), "application/x-ndjson", ("prompt_eval_count",), ("eval_count",)),
    "cohere": Target("cohere", ("create",), SSE, ("tokens.input_tokens",), ("tokens.output_tokens",)),
    "bedrock": Target(
        "bedrock-converse",
        ("create",),
        "application/vnd.amazon.eventstream",
        ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
        ("outputTokens",),
    ),
}
SOURCES = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic-messages",
    "gemini": "gemini",
    "ollama": "ollama",
    "cohere": "cohere",
    "bedrock": "bedrock-converse",
    "ai-sdk-ui": "ai-sdk-ui",
}
SAMPLE = 6
LARGEST = 2_000_000
# Recordings that no target can be blamed for.
EXCUSED = {"agentgateway.responses-stream-image-485f66dd": "its image was shortened by hand and is no base64 any more"}
# What SDKs raise at answers that are as they are meant to be: target, mode, class -> is it that?
RAISES_RIGHTLY: dict[tuple[str, str, str], Callable[[Message], bool]] = {
    # The helper of chat.completions gives no answer that was cut short or filtered; that of refusals among them.
    ("openai-chat", "stream", "LengthFinishReasonError"): lambda m: any(c.finish == "length" for c in m.choices),
    ("openai-chat", "stream", "ContentFilterFinishReasonError"): lambda m: any(
        c.finish in ("content_filter", "refusal") for c in m.choices
    ),
    # It knows no custom tools: it takes the first piece of one for a function without a function.
    ("openai-chat", "stream", "AttributeError"): lambda m: any(call.tool == "custom" for call in m.tool_calls),
    # Input goes out while it comes: what the model wrote wrong is wrong when it ends.
    **{
        ("anthropic", mode, "ValueError"): lambda m: any(call.raw and not call.complete for call in m.tool_calls)
        for mode in ("stream", "beta")
    },
}
# Calls of these kinds are functions to an SDK; of others it has items of their own, or nothing.
SHOWN = {"openai-chat": {"function", "function_call"}, "openai-responses": {"function", "function_call", "custom"}}
# A call with arguments that are no object is an error where arguments are objects.
OBJECTS_ONLY = frozenset({"gemini", "ollama"})

pytestmark = [
    pytest.mark.referees,
    pytest.mark.skipif(not available(), reason="no .venv-referees here; `make test` makes it"),
]


class Asked(NamedTuple):
    """One question, with what should come out."""

    case: Case
    target: str
    meant: Message
    lost: set[str]


def streams(source: str, most: int | None) -> Iterator[tuple[str, str, bytes]]:
    """Recorded streams of a source: name, protocol, bytes."""
    rows = [
        row
        for row in corpus_rows(SOURCES[source])
        if row["kind"] == "stream" and row["fidelity"] != "sdk-object-dump" and row["id"] not in EXCUSED
    ]
    step = 1 if most is None else max(1, len(rows) // most)
    for row in rows[::step]:
        if row["bytes"] < LARGEST:
            yield row["id"], source, (CORPUS / row["file"]).read_bytes()


def fixtures() -> Iterator[tuple[str, str, bytes]]:
    for protocol, path in FIXTURES:
        yield f"{protocol}~{path.name}", protocol, path.read_bytes()


def written(inputs: Iterator[tuple[str, str, bytes]], target: str, folder: Path) -> Iterator[Asked]:
    """Each input as the target's stream, for each mode that reads it."""
    protocol, modes, content_type, _, _ = TARGETS[target]
    for number, (name, source, data) in enumerate(inputs):
        pipe = weft.Pipe(source, target)
        out = pipe.feed(data) + pipe.close()
        body = Body(folder / f"{number}.body", 200, content_type)
        body.path.write_bytes(out)
        for mode in modes:
            yield Asked(Case(protocol, mode, name, body), target, pipe.message, {loss.what for loss in pipe.losses})


def replied(inputs: Iterator[tuple[str, str, bytes]], target: str, folder: Path) -> Iterator[Asked]:
    """Each input as the target's whole reply; a failure with its status."""
    for number, (name, source, data) in enumerate(inputs):
        message = weft.collect(weft.read(data, source))
        losses = Losses()
        out = resolve(target)[0].reply(message, Context(), losses)
        status = http_status(message.error) if message.error is not None and failed(message) else 200
        body = Body(folder / f"{number}.body", status, "application/json")
        body.path.write_bytes(out)
        lost = {loss.what for loss in losses.report()}
        yield Asked(Case(TARGETS[target].protocol, "whole", name, body, "nonstream"), target, message, lost)


# -- what has to be the same ---------------------------------------------------------------------------------------


def differences(asked: Asked, answer: dict[str, Any]) -> Iterator[str]:
    """How what the SDK has differs from what we meant, apart from what was declared lost."""
    case, target, meant, lost = asked
    if failed(meant) or (target in OBJECTS_ONLY and "args_invalid" in lost):
        if not is_failure(answer):
            yield "a failure that reads as a whole answer"
        return
    if not answer["ok"]:
        rightly = RAISES_RIGHTLY.get((target, case.mode, answer["error"]["class"]))
        if rightly is None or not rightly(meant):
            yield f"refused: {answer['error']}"
        return
    meant_text = "".join(part.text for part in meant.blocks if isinstance(part, Text) and part.channel != "transcript")
    text = meant_text + (meant.refusal if not answer["refusal"] else "")
    if answer["text"] not in (text, meant_text, meant.text) or (
        answer["refusal"] and answer["refusal"] != meant.refusal
    ):
        yield f"text {answer['text'][:80]!r}, meant {text[:80]!r}"
    if "reasoning" not in lost and squeezed(answer["reasoning"] + answer["plan"]) != squeezed(meant.reasoning):
        yield f"reasoning {answer['reasoning'][:80]!r}, meant {meant.reasoning[:80]!r}"
    if "tool_kind" not in lost and (got := shown(answer, asked)) != (want := called(asked)):
        yield f"calls {got}, meant {want}"
    yield from counted(TARGETS[target], answer["usage"] or {}, meant)


def is_failure(answer: dict[str, Any]) -> bool:
    """Can a client see that this failed? An error, that of the final response too, or a finish that is one."""
    final = answer["final"] or {}
    return bool(answer["error"] or final.get("error")) or finish_reason(answer["finish_raw"]) == "error"


def called(asked: Asked) -> list[tuple[Any, ...]]:
    """The calls that a client may execute. The vendor's own type has no id in Ollama."""
    kinds, nameless = SHOWN.get(asked.target), asked.target == "ollama" or "tool_call_id" in asked.lost
    return [
        (None if nameless else call.id, call.name, call.arguments)
        for call in asked.meant.tool_calls
        if call.executor == "client" and call.complete and (kinds is None or call.tool in kinds)
    ]


def shown(answer: dict[str, Any], asked: Asked) -> list[tuple[Any, ...]]:
    """The SDK's calls but for those that were cut off, which it may show as far as they came."""
    cut = {call.id for call in asked.meant.tool_calls if not call.complete}
    custom = {call.id for call in asked.meant.tool_calls if call.tool == "custom"}
    hidden = cut | (custom if asked.target == "openai-chat" else set())
    mine = [call for call in answer["tool_calls"] if call["executor"] == "client" and call["id"] not in hidden]
    nameless = asked.target == "ollama" or "tool_call_id" in asked.lost
    return [
        (None if nameless else call["id"], call["name"], arguments(call["arguments"], free=call["id"] in custom))
        for call in mine
    ]


def arguments(value: Any, *, free: bool) -> Any:
    """As an object, however the SDK has them."""
    if not isinstance(value, str):
        return value or {}
    try:
        found = json.loads(value or "{}")
    except ValueError:
        return {"input": value}
    return found if isinstance(found, dict) or not free else {"input": value}


def counted(target: Target, usage: dict[str, Any], meant: Message) -> Iterator[str]:
    """The SDK's counts, added up."""
    if meant.usage is None:
        return
    for names, ours in ((target.input, meant.usage.input_tokens), (target.output, meant.usage.output_tokens)):
        if ours is not None and sum(int(found(usage, name) or 0) for name in names) != ours:
            yield f"counts {usage}, meant {ours}"


def found(counts: Any, path: str) -> Any:
    for member in path.split("."):
        counts = (counts or {}).get(member)
    return counts


def squeezed(text: str) -> str:
    return "".join(text.split())


def judged(asked: list[Asked]) -> list[str]:
    """What the SDK found wrong, over all cases at once: starting it costs more than asking it."""
    return [
        f"{case.id} ({case.mode}): {difference}"
        for question, (case, answer) in zip(asked, answers([one.case for one in asked]), strict=True)
        for difference in differences(question, answer)
    ]


# -- every day, and all of it --------------------------------------------------------------------------------------

PAIRS = [(source, target) for source in SOURCES for target in TARGETS]
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="no ../shared/corpus here")


@needs_corpus
@pytest.mark.corpus
@pytest.mark.timeout(600)
@pytest.mark.parametrize("target", TARGETS)
def test_a_sample_of_every_source_is_accepted(target: str, tmp_path: Path):
    asked = []
    for source in SOURCES:
        folder = tmp_path / source
        folder.mkdir()
        asked += written(streams(source, SAMPLE), target, folder)
    assert [] == judged(asked)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("target", TARGETS)
def test_every_fixture_is_accepted(target: str, tmp_path: Path):
    assert [] == judged([*written(fixtures(), target, tmp_path)])


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("target", TARGETS)
def test_every_fixture_is_accepted_as_a_whole_reply(target: str, tmp_path: Path):
    assert [] == judged([*replied(fixtures(), target, tmp_path)])


@needs_corpus
@pytest.mark.deep
@pytest.mark.corpus
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_stream_is_accepted(source: str, target: str, tmp_path: Path):
    assert [] == judged([*written(streams(source, None), target, tmp_path)])
