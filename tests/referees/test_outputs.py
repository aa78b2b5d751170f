"""What we write, read by the vendors' own SDKs: accepted, and accumulated to the message that we meant.

Every source's recorded streams go to every target that has an SDK: a sample each day, all of them under the marker deep.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import weft
from tests.referees.cases import CORPUS, Case, corpus_rows
from tests.referees.oracle import answers, available
from tests.referees.server import Body
from weft.message import Message, ToolCall

# our name -> the corpus's, the SDK's mode, the content type
TARGETS = {
    "openai-chat": ("openai-chat", "create", "text/event-stream"),
    "openai-responses": ("openai-responses", "create", "text/event-stream"),
    "anthropic": ("anthropic-messages", "stream", "text/event-stream"),
    "gemini": ("gemini", "create", "text/event-stream"),
    "ollama": ("ollama", "create", "application/x-ndjson"),
    "cohere": ("cohere", "create", "text/event-stream"),
    "bedrock": ("bedrock-converse", "create", "application/vnd.amazon.eventstream"),
}
SOURCES = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic-messages",
    "gemini": "gemini",
    "ollama": "ollama",
    "cohere": "cohere",
    "bedrock": "bedrock-converse",
}
SAMPLE = 6
# Recordings that no target can be blamed for.
EXCUSED = {"agentgateway.responses-stream-image-485f66dd": "its image was shortened by hand and is no base64 any more"}

pytestmark = [
    pytest.mark.referees,
    pytest.mark.corpus,
    pytest.mark.skipif(not available(), reason="no .venv-referees here; `make test` makes it"),
    pytest.mark.skipif(not CORPUS.is_dir(), reason="no ../shared/corpus here"),
]


def streams(source: str, most: int | None) -> list[tuple[str, Path]]:
    rows = [
        row
        for row in corpus_rows(SOURCES[source])
        if row["kind"] == "stream" and row["fidelity"] != "sdk-object-dump" and row["id"] not in EXCUSED
    ]
    step = 1 if most is None else max(1, len(rows) // most)
    return [(row["id"], CORPUS / row["file"]) for row in rows[::step]]


def written(source: str, target: str, folder: Path, most: int | None) -> list[tuple[Case, Message, list[str]]]:
    """Our bytes for each stream that ended well, as a case for the SDK, with the message that was meant and what was declared lost."""
    protocol, mode, content_type = TARGETS[target]
    cases = []
    for number, (id, path) in enumerate(streams(source, most)):
        pipe = weft.Pipe(source, target)
        out = pipe.feed(path.read_bytes()) + pipe.close()
        if pipe.outcome in ("completed", "incomplete"):
            place = folder / f"{number}.body"
            place.write_bytes(out)
            case = Case(protocol, mode, id, Body(place, 200, content_type))
            cases.append((case, pipe.message, [loss.what for loss in pipe.losses]))
    return cases


def client_calls(message: Message) -> list[ToolCall]:
    return [call for call in message.tool_calls if call.executor == "client" and call.complete]


def arguments(value: Any) -> Any:
    """As an object, however the SDK has them."""
    if isinstance(value, str):
        return json.loads(value or "{}")
    return value or {}


def differences(answer: dict[str, Any], meant: Message, lost: list[str]) -> list[str]:
    """How what the SDK has differs from what we meant, apart from what was declared lost."""
    if not answer["ok"]:
        return [f"refused: {answer.get('error')}"]
    found = []
    text = meant.text + (meant.refusal if "refusal" not in answer or not answer["refusal"] else "")
    if answer["text"] != text and answer["text"] != meant.text:
        found.append(f"text {answer['text'][:80]!r}, meant {text[:80]!r}")
    got = [
        (call["name"], arguments(call["arguments"]))
        for call in answer["tool_calls"]
        if call.get("executor", "client") == "client"
    ]
    want = [
        (call.name, {"input": call.raw} if call.tool == "custom" else call.arguments) for call in client_calls(meant)
    ]
    if "tool_kind" not in lost and got[: len(want)] != want:
        found.append(f"calls {got}, meant {want}")
    return found


def judge(cases: list[tuple[Case, Message, list[str]]]) -> list[str]:
    """What the SDK found wrong, over all cases at once: starting it costs more than asking it."""
    asked = [case for case, _, _ in cases]
    return [
        f"{case.id}: {difference}"
        for (case, answer), (_, meant, lost) in zip(answers(asked), cases, strict=True)
        for difference in differences(answer, meant, lost)
    ]


PAIRS = [(source, target) for source in SOURCES for target in TARGETS]


@pytest.mark.parametrize("target", TARGETS)
def test_a_sample_of_every_source_is_accepted(target: str, tmp_path: Path):
    cases = []
    for source in SOURCES:
        folder = tmp_path / source
        folder.mkdir()
        cases += written(source, target, folder, SAMPLE)
    assert [] == judge(cases)


@pytest.mark.deep
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_stream_is_accepted(source: str, target: str, tmp_path: Path):
    assert [] == judge(written(source, target, tmp_path, None))
