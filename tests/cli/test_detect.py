"""Which protocol it is: right for what we read, silent or by its name for what we do not."""

import base64
import json
from collections import Counter
from pathlib import Path

import pytest

from weft.cli.samples import SAMPLES
from weft.detect import FOREIGN, LIKELY, LOOK_BYTES, LOOK_FRAMES, SURE, Candidate, Detector, begun, detect, shows
from weft.framing.aws_eventstream import AWSEventStream
from weft.protocol import ProtocolSpec, Sign, names, resolve

ROOT = Path(__file__).parent.parent.parent
FIXTURES = sorted(
    path for path in (ROOT / "fixtures").glob("*/*") if path.suffix in {".sse", ".ndjson", ".json", ".eventstream"}
)


def best(data: bytes) -> Candidate | None:
    candidates = detect(data)
    return candidates[0] if candidates and candidates[0].confidence >= LIKELY else None


def protocol(data: bytes) -> str | None:
    found = best(data)
    return found.protocol if found else None


def sse(*frames: dict[str, object]) -> bytes:
    return "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames).encode()


# --- signs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sign", "frame", "shown"),
    [
        (Sign("a.b"), {"a": {"b": 0}}, True),
        (Sign("a.b"), {"a": {"b": None}}, False),
        (Sign("a.b"), {"a": [{"c": 1}, {"b": 1}]}, True),
        (Sign("a", "x"), {"a": "Xyz"}, True),
        (Sign("a", "x"), {"a": "yx"}, False),
        (Sign("a", ""), {"a": 7}, False),
        (Sign("a", ""), {"a": "text"}, True),
        (Sign(":name", "chunk"), {}, True),
        (Sign(":name", "thread."), {}, False),
        (Sign("a"), "a", False),
        (Sign("a"), {"a": []}, True),
        (Sign("a.b"), [{"a": {"b": 1}}], True),
    ],
)
def test_sign_shows(sign: Sign, frame: object, shown: bool):
    assert shown == shows(frame, "chunk", sign)


def test_one_sign_makes_as_sure_as_it_weighs():
    one = ProtocolSpec(name="one", title="", signs=(Sign("a", None, 0.6),))
    two = ProtocolSpec(name="two", title="", signs=(Sign("a", None, 0.6), Sign("b", None, 0.6)))
    assert 0.6 == detect(b'{"a":1}', [one])[0].confidence
    assert 0.84 == detect(b'{"a":1,"b":1}', [two])[0].confidence


def test_two_that_are_as_likely_are_half_as_sure():
    twins = [ProtocolSpec(name=name, title="", signs=(Sign("a", None, 0.99),)) for name in ("one", "two")]
    assert [0.497, 0.497] == [candidate.confidence for candidate in detect(b'{"a":1}', twins)]


@pytest.mark.parametrize("name", names())
def test_weights_are_between_0_and_1(name: str):
    spec, _ = resolve(name)
    signs = [*spec.signs, *(sign for row in spec.dialects for sign in row.signs)]
    assert [sign for sign in signs if not 0 < sign.weight < 1] == []
    assert spec.signs or spec.decoder is None


# --- what it looks at ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("words", [1, 400])
def test_sample_is_told_whole_and_from_its_first_frame(source: str, words: int):
    frames = SAMPLES[source].frames(["word "] * words)
    found = best(b"".join(frames))
    assert found
    assert (source, True) == (found.protocol, found.reads)
    assert source == protocol(frames[0] + frames[1])


def test_every_cut_of_the_input_is_told_alike():
    data = b"".join(SAMPLES["anthropic"].frames(["Hello", " you"]))
    for size in (1, 7, 100):
        detector = Detector()
        for at in range(0, len(data), size):
            detector.feed(data[at : at + size])
        assert detect(data) == detector.close()


def test_sure_after_the_first_frame():
    detector = Detector()
    first, *_ = SAMPLES["openai-chat"].frames(["Hello"])
    detector.feed(first[:-1])
    assert not detector.sure
    detector.feed(first[-1:])
    assert detector.sure
    assert detector.close()[0].confidence >= SURE


def test_only_the_window_is_looked_at():
    detector = Detector()
    detector.feed(b": " + b"x" * LOOK_BYTES + b"\n\n")
    assert detector.full
    detector.feed(b"".join(SAMPLES["openai-chat"].frames(["Hello"])))
    assert [] == detector.close()


def test_frames_behind_the_first_are_not_looked_at():
    many = sse(*({"nothing": 1} for _ in range(LOOK_FRAMES)))
    assert [] == detect(many + b"".join(SAMPLES["openai-chat"].frames(["Hello"])))


def test_first_frame_longer_than_the_window():
    """A Responses stream begins by repeating the instructions, however long they are."""
    head = {"type": "response.created", "response": {"object": "response", "instructions": "x" * 2 * LOOK_BYTES}}
    assert "openai-responses" == protocol(b"data: " + json.dumps(head).encode())
    assert "openai-responses" == protocol(json.dumps({"object": "response", "text": "x" * 2 * LOOK_BYTES}).encode())


@pytest.mark.parametrize(
    ("begun", "name"),
    [
        (b'event: response.created\ndata: {"response":{"background":false,"instructions":"You are', "openai-responses"),
        (b'event: message_start\ndata: {"message":{"content":[],"id":"msg_', "anthropic"),
        (
            b'data: {"id":"1","model":"sonar","usage":{"prompt_tokens":9,"total_tokens":9},"citations":["htt',
            "openai-chat",
        ),
    ],
)
def test_first_frame_that_has_only_begun(begun: bytes, name: str):
    """What a recorder wrote with sorted members, or Perplexity with its sources first: the telling ones are still to come."""
    assert name == protocol(begun)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a":1,"b":"cut of', {"a": 1}),
        (b'{"a":{"b":[1,2,{"c":"}"},', {"a": {"b": [1, 2, {"c": "}"}]}}),
        (b'{"a":"\\"},{"', {}),
        (b'{"a":1}\n{"b":2}', {"a": 1}),
        (b'[{"a":1},', [{"a": 1}]),
        (b"", None),
        (b"plain text", None),
    ],
)
def test_what_has_begun_is_read_as_far_as_it_goes(text: bytes, value: object):
    assert value == begun(text)


def test_invoke_model_is_told_by_what_its_chunks_carry():
    frames = SAMPLES["anthropic"].frames(["Hello"])
    events = [
        line.removeprefix("data: ")
        for frame in frames
        for line in frame.decode().splitlines()
        if line.startswith("data: ")
    ]
    chunks = b"".join(_chunk(event) for event in events)
    found = best(chunks)
    assert found
    assert "anthropic/bedrock" == found.name
    assert "bedrock" == protocol(
        _chunk('{"messageStart":{"role":"assistant"}}') + _chunk('{"contentBlockDelta":{"delta":{"text":"Hi"}}}')
    )


def _chunk(event: str) -> bytes:
    """One message of an AWS event stream, as InvokeModelWithResponseStream sends it."""
    from zlib import crc32

    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + len(value).to_bytes(2, "big") + value.encode()
        for name, value in ((":event-type", "chunk"), (":message-type", "event"))
    )
    payload = json.dumps({"bytes": base64.b64encode(event.encode()).decode()}).encode()
    prelude = (16 + len(headers) + len(payload)).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    body = prelude + crc32(prelude).to_bytes(4, "big") + headers + payload
    told: list[str] = []
    message = body + crc32(body).to_bytes(4, "big")
    AWSEventStream(lambda *frame: told.append(frame[1]), lambda *fault: told.append(str(fault))).feed(message)
    assert ["chunk"] == told
    return message


def test_deep_nesting_is_looked_at_in_peace():
    for depth in (100, 900, 5000):
        nested = b'{"choices":' + b"[" * depth + b"]" * depth + b"}"
        assert protocol(nested) in {"openai-chat", None}  # how deep is too deep differs among Pythons
        assert protocol(nested[: -depth // 2]) in {"openai-chat", None}


# --- what is not ours ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (sse({"type": "session.created", "event_id": "e", "session": {}}, {"type": "response.created", "event_id": "f", "response": {"object": "realtime.response"}}), "openai-realtime"),
        (sse({"type": "response.output_text.delta", "event_id": "e", "response_id": "r", "output_index": 0, "delta": "x"}, {"type": "session.updated", "event_id": "e"}), "openai-realtime"),
        (b"event: thread.run.created\n" + sse({"object": "thread.run", "id": "run_1"}), "openai-assistants"),
        (b'{"jsonrpc":"2.0","id":1,"result":{"kind":"task"}}', "json-rpc"),
        (sse({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}, {"type": "RUN_FINISHED", "outcome": "ok"}), "ag-ui"),
        (b'{"setupComplete":{}}\n{"serverContent":{}}\n', "gemini-live"),
        (b'{"type":"system","subtype":"init","session_id":"s","model":"claude-x"}\n', "claude-code"),
        (b"<html><body>Bad gateway</body></html>", "html"),
    ],
)  # fmt: skip
def test_neighbour_is_told_by_its_name(data: bytes, name: str):
    found = best(data)
    assert found
    assert (name, False) == (found.protocol, found.reads)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello\n",
        b'{"hello":"world"}',
        b"[1,2,3]",
        bytes(range(256)),
        b"data: ping\n\n",
        b'{"text":"hi"}',
        b'{"message":"hi"}',
        b'{"created_at":1753869000,"par',  # a Responses object begins so, and Ollama's time is text
    ],
)
def test_nothing_known_is_nothing(data: bytes):
    assert best(data) is None


# --- what is ours -------------------------------------------------------------------------------------------------

# A fixture that says too little, or that another protocol's decoder reads as well.
ARGUED = {
    "anthropic+bedrock/nova.eventstream": "bedrock",  # Nova's frames are Converse's
    "anthropic+bedrock/deepseek.eventstream": "openai-chat",  # as are those of DeepSeek of chat
    "anthropic+bedrock/command_r.eventstream": "cohere",  # Command R speaks version 1
    "openai-responses/error_whole.json": "openai-chat",  # OpenAI's error bodies are the same for all its protocols
}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_fixture_is_told(path: Path):
    place = f"{path.parent.name}/{path.name}"
    found = best(path.read_bytes())
    assert found
    assert ARGUED.get(place, path.parent.name.partition("+")[0]) == found.protocol


# corpus protocol -> what is right. Everything else must not be taken for anything that we read.
RIGHT = {
    "anthropic-messages": {"anthropic"},
    "anthropic-complete": {"anthropic"},
    "bedrock-converse": {"bedrock"},
    "bedrock-invoke": {"anthropic", "bedrock"},
    "cohere": {"cohere"},
    "gemini": {"gemini"},
    "gemini-interactions": {"gemini"},
    "ollama": {"ollama"},
    "openai-chat": {"openai-chat"},
    "openai-responses": {"openai-responses"},
    "ai-sdk-ui": {"ai-sdk-ui"},
    "openai-completions": {None, "openai-chat"},
    "watsonx": {"openai-chat"},
}
NOBODYS = {
    "gemini/vertexai-sdk-test-data.vertexai-streaming-failure-invalid-json-cb2eeb49.sse",  # {"this": {"is": {"not": …}}}
}


def test_corpus_is_told(corpus: Path):
    rows = [json.loads(line) for line in (corpus / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    table: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    foreign = {spec.name for spec in FOREIGN}
    for row in rows:
        if row["kind"] == "error" or row["file"] in NOBODYS:
            continue
        told = protocol((corpus / row["file"]).read_bytes()[:LOOK_BYTES])
        table[row["protocol"], told or "unknown"] += 1
        if told not in RIGHT.get(row["protocol"], foreign | {None}):
            wrong.append(f"{row['file']}: {told}")
    print("\n" + "\n".join(f"{count:6} {real} -> {told}" for (real, told), count in sorted(table.items())))
    assert wrong == []
