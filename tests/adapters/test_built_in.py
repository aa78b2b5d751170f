"""The adapters of every source: the chunks are the golden's, however the stream comes, and each attempt stands alone."""

import importlib.util
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.protocols.wire import sse
from tests.strategies import legal_streams
from weft.adapters import ChunkReader, EventAdapter, adapter_names, process
from weft.chunks import ProcessedChunk, ProviderError, RawStreamChunk, from_json, to_json
from weft.protocol import resolve
from weft.testing import check_adapter

_spec = importlib.util.spec_from_file_location("accept", Path(__file__).parent.parent.parent / "tools" / "accept.py")
assert _spec is not None
assert _spec.loader is not None
accept = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(accept)

CASES = accept.cases()
IDS = [f"{protocol}:{path.name}" for protocol, path in CASES]

CHAT = [
    {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": "Hi"}}]},
    {"id": "c", "choices": [{"index": 0, "delta": {"content": " you."}}]},
    {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]


def test_an_adapter_that_has_a_stream_refuses_another():
    """The second one was told as broken off before it had said anything."""
    adapter = weft.adapter_for("openai-chat")()
    assert ["text", "text", "done"] == [chunk.type for chunk in process(CHAT, adapter)]
    with pytest.raises(RuntimeError, match="make another for each attempt"):
        next(process(CHAT, adapter))


def golden(path: Path) -> list[bytes]:
    """The lines of this target in the fixture's golden."""
    sections = accept.targets_golden(path).read_bytes().split(b"==== processed-chunk ====", 1)
    body = sections[1].split(b"\n\n==== ", 1)[0]
    return [line for line in body.splitlines()[1:] if line.startswith(b"{")]


def lines(chunks) -> list[bytes]:
    return [to_json(chunk) for chunk in chunks]


@pytest.mark.parametrize(("protocol", "path"), CASES, ids=IDS)
def test_every_fixture_is_told_as_its_golden(protocol, path):
    data, factory = path.read_bytes(), weft.adapter_for(protocol)
    chunks = list(process(data, factory()))
    assert golden(path) == lines(chunks)
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    assert lines(chunks) == lines(process(pieces, factory()))
    assert ["done", "error"].count(chunks[-1].type) == 1


@pytest.mark.parametrize(("protocol", "path"), CASES[::6], ids=IDS[::6])
def test_the_laws_of_adapters_hold(protocol, path):
    data = path.read_bytes()
    step = max(1, len(data) // 12)
    pieces = [data[at : at + step] for at in range(0, len(data), step)]
    assert 1 == check_adapter(weft.adapter_for(protocol), [pieces])


def test_every_source_has_an_adapter():
    assert adapter_names() == sorted(name for name in weft.protocol.names() if resolve(name)[0].decoder is not None)
    for name in adapter_names():
        assert name == weft.adapter_for(name)().name


def test_a_dialect_may_be_named():
    data = sse(*CHAT, done=True)
    assert ["text", "text", "done"] == [chunk.type for chunk in process(data, weft.adapter_for("openai-chat/zhipu")())]


class Dumped:
    """As an SDK's object: it says what it is made of."""

    def __init__(self, value):
        self._value = value

    def model_dump(self, **options):
        return self._value


@pytest.mark.parametrize(
    "raws",
    [
        [sse(*CHAT, done=True)],
        [sse(*CHAT, done=True).decode()],
        [*CHAT],
        [Dumped(frame) for frame in CHAT],
        [RawStreamChunk(frame, "openai", {"timestamp": 1}) for frame in CHAT],
        [bytearray(sse(*CHAT))],
    ],
    ids=["bytes", "text", "dicts", "objects", "raw stream chunks", "bytearray"],
)
def test_raw_chunks_may_be_anything_that_a_stream_is_made_of(raws):
    reader = ChunkReader(weft.adapter_for("openai-chat")())
    chunks = [chunk for raw in raws for chunk in reader.feed(raw)] + reader.close()
    assert ["Hi", " you.", None] == [chunk.content for chunk in chunks]
    assert "stop" == chunks[-1].metadata["finishReason"]


@pytest.mark.parametrize(
    "fault",
    [
        TimeoutError("read timed out"),
        RawStreamChunk({"error": ProviderError("timeout", "Late.", "408", True)}, "openai", {"error": True}),
        ProviderError("timeout", "Late.", "408", True),
    ],
    ids=["an exception", "the seed's error chunk", "an error"],
)
def test_an_error_may_be_yielded_as_a_chunk(fault):
    """The seed's rule: errors are chunks, never thrown through the generator."""
    reader = ChunkReader(weft.adapter_for("openai-chat")())
    chunks = reader.feed(CHAT[0]) + reader.feed(fault) + reader.feed(CHAT[1]) + reader.close()
    assert ["text", "error"] == [chunk.type for chunk in chunks]
    assert ("timeout", True) == (chunks[-1].error.type, chunks[-1].error.retryable)


@pytest.mark.parametrize("made", [ProviderError, lambda **said: {**said, "userMessage": said.pop("user_message")}])
def test_an_error_chunk_of_the_seed_is_told_as_it_is(made):
    """A generator has classified it already: its code, whether a retry helps and its words for people were guessed anew."""
    said = {"type": "rate_limit", "message": "Recharge.", "code": "429_balance", "retryable": False}
    chunk = RawStreamChunk({"error": made(**said, user_message="No credit.")}, "zai", {"error": True})
    *_, last = process([chunk], weft.adapter_for("openai-chat/zhipu")())
    told = last.error
    assert {**said, "user_message": "No credit."} == {name: getattr(told, name) for name in (*said, "user_message")}


@pytest.mark.parametrize(
    ("source", "model", "back"),
    [
        ("openai-chat/deepseek", "my-deployment", True),
        ("openai-chat", "deepseek-chat", True),
        ("openai-chat", "m", False),
    ],
)
def test_reasoning_stays_with_its_call_whatever_a_deployment_calls_its_model(source, model, back):
    """With DeepSeek's adapter as well it went by the model's name alone."""
    call = {"index": 0, "id": "c1", "function": {"name": "look", "arguments": "{}"}}
    deltas = [{"reasoning_content": "Hm."}, {"tool_calls": [call]}]
    frames = [{"model": model, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    frames += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
    called = [chunk.function_call for chunk in process(frames, weft.adapter_for(source)()) if chunk.function_call]
    assert ["Hm." if back else None] == [call.deepseek_reasoning_content for call in called]


def test_an_exception_of_the_source_is_the_end():
    def source():
        yield CHAT[0]
        raise ConnectionResetError("10.0.0.7 went away")

    *_, last = process(source(), weft.adapter_for("openai-chat")())
    assert ("api_error", "transport", True) == (last.error.type, last.error.code, last.error.retryable)
    assert "10.0.0.7" not in last.error.message


def test_an_answer_with_a_failing_status_is_its_error():
    adapter = weft.adapter_for("anthropic")(status=429, headers={"retry-after": "7"})
    [chunk] = process(b'{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}', adapter)
    assert ("rate_limit", True, 7.0) == (chunk.error.type, chunk.error.retryable, chunk.error.cause.retry_after)


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        (b": ping\n\n", False),
        (sse({"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": 0, "id": "t", "function": {"name": "f", "arguments": '{"a'}}]}}]}), True),
        (sse(CHAT[0]), True),
    ],
    ids=["a keep-alive", "a piece of arguments", "text"],
)  # fmt: skip
def test_what_keeps_a_stream_alive(raw, meant):
    reader = ChunkReader(weft.adapter_for("openai-chat")())
    reader.feed(raw)
    assert meant == reader.alive


def test_an_answer_that_waits_for_its_usage_is_ending():
    reader = ChunkReader(weft.adapter_for("openai-chat")())
    for frame in CHAT[:2]:
        reader.feed(frame)
    assert not reader.ending
    reader.feed(CHAT[2])
    assert reader.ending


def test_what_chunks_cannot_say_is_reported():
    adapter = weft.adapter_for("openai-responses")()
    list(process((accept.FIXTURES / "openai-responses" / "web_search_with_citation.sse").read_bytes(), adapter))
    assert "annotation" in {loss.what for loss in adapter.losses}


def test_steps_may_stand_in_the_row():
    def loud(event, emit):
        emit(weft.events.TextDelta(event.index, event.text.upper()) if event.type == "text-delta" else event)

    chunks = list(process(CHAT, weft.adapter_for("openai-chat", steps=[loud])()))
    assert ["HI", " YOU."] == [chunk.content for chunk in chunks[:2]]


def test_events_that_were_read_already_are_told_alike():
    data = sse(*CHAT, done=True)
    events = list(weft.read(data, "openai-chat"))
    assert list(process(data, weft.adapter_for("openai-chat")())) == list(process(events, EventAdapter()))


@given(legal_streams())
def test_any_legal_stream_ends_once(events):
    chunks = list(process(events, EventAdapter()))
    assert [chunks[-1]] == [chunk for chunk in chunks if chunk.type in ("done", "error")]


@given(st.lists(st.binary(max_size=30), max_size=8), st.sampled_from(adapter_names()))
def test_any_bytes_end_once_and_never_raise(pieces, name):
    reader = ChunkReader(weft.adapter_for(name)())
    chunks = [chunk for piece in pieces for chunk in reader.feed(piece)] + reader.close()
    assert [chunks[-1]] == [chunk for chunk in chunks if chunk.type in ("done", "error")]
    assert "adapter_failed" not in [chunk.error.code for chunk in chunks if chunk.error]


def test_json_goes_both_ways():
    chunks = list(
        process(
            (accept.FIXTURES / "anthropic" / "reasoning_and_tools.sse").read_bytes(), weft.adapter_for("anthropic")()
        )
    )
    again = [from_json(to_json(chunk)) for chunk in chunks]
    assert [json.loads(line) for line in lines(chunks)] == [json.loads(to_json(chunk)) for chunk in again]
    assert isinstance(again[0], ProcessedChunk)


def test_an_sdks_exception_stands_in_the_json_of_its_error():
    error = weft.adapter_for("openai-chat")().handle_provider_error(TimeoutError("late"))
    said = json.loads(to_json(ProcessedChunk("error", error=error)))
    assert ("timeout", "late") == (said["error"]["type"], said["error"]["originalError"])
