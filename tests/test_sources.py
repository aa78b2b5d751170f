"""What may be read: bytes, text, parsed frames, objects; sync and async; and what an exception of the source amounts to."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

import weft
from tests.protocols.wire import sse
from weft.nearest import UnknownNameError

FRAMES = [
    {"id": "c1", "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hé"}}]},
    {"id": "c1", "choices": [{"index": 0, "delta": {"content": "llo"}}]},
    {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]
BYTES = sse(*FRAMES, done=True)


class Dumped:
    """An object as the SDKs make them: it dumps itself under the wire's names."""

    def __init__(self, frame: dict) -> None:
        self._frame = frame

    def model_dump(self, **options: object) -> dict:
        assert {"mode": "json", "by_alias": True, "exclude_unset": True, "warnings": False} == options
        return self._frame

    def __iter__(self) -> Iterator[tuple[str, object]]:
        """Pydantic's objects run over their members."""
        return iter(self._frame.items())


@pytest.mark.parametrize(
    "source",
    [
        BYTES,
        bytearray(BYTES),
        memoryview(BYTES),
        BYTES.decode(),
        [BYTES[:20], BYTES[20:]],
        [BYTES[i : i + 1] for i in range(len(BYTES))],
        list(BYTES.decode()),
        FRAMES,
        iter(FRAMES),
        [Dumped(frame) for frame in FRAMES],
        [SimpleNamespace(**frame) for frame in FRAMES],
    ],
    ids=[
        "bytes",
        "bytearray",
        "memoryview",
        "str",
        "pieces",
        "single bytes",
        "characters",
        "dicts",
        "iterator",
        "sdk objects",
        "plain objects",
    ],
)
def test_every_kind_of_source_reads_the_same(source):
    message = weft.collect(weft.read(source, "openai-chat"))
    assert ("Héllo", "stop", "completed", "m") == (message.text, message.finish, message.outcome, message.model)


def test_an_async_source_reads_the_same():
    async def source() -> AsyncIterator[bytes]:
        for at in range(0, len(BYTES), 7):
            yield BYTES[at : at + 7]

    async def events() -> list:
        return [event async for event in weft.aread(source(), "openai-chat")]

    assert list(weft.read(BYTES, "openai-chat")) == asyncio.run(events())
    assert "Héllo" == asyncio.run(weft.acollect(weft.aread(source(), "openai-chat"))).text


def test_events_come_before_the_source_is_over():
    pulled: list[int] = []

    def source() -> Iterator[bytes]:
        for at, frame in enumerate(FRAMES):
            pulled.append(at)
            yield sse(frame)

    stream = weft.read(source(), "openai-chat")
    assert ["start", "block-start", "text-delta"] == [next(stream).type for _ in range(3)]
    assert [0] == pulled


@pytest.mark.parametrize(
    ("error", "type"),
    [
        (TimeoutError("slow"), "timeout"),
        (ConnectionResetError("reset"), "transport"),
        (RuntimeError("odd"), "transport"),
    ],
)
def test_an_exception_of_the_source_is_the_terminal(error, type):
    """DESIGN: wire faults are values; the original is kept."""

    def source() -> Iterator[bytes]:
        yield sse(FRAMES[0])
        raise error

    events = list(weft.read(source(), "openai-chat"))
    assert ("failed", type, error.__class__.__name__) == (
        events[-1].outcome,
        events[-1].error.type,
        events[-1].error.original["exception"].rpartition(".")[2],
    )
    assert "Hé" == weft.collect(events).text


def test_an_exception_of_an_async_source_is_the_terminal():
    async def source() -> AsyncIterator[bytes]:
        yield sse(FRAMES[0])
        raise ConnectionResetError("reset")

    async def last():
        return [event async for event in weft.aread(source(), "openai-chat")][-1]

    assert ("failed", "transport") == (asyncio.run(last()).outcome, asyncio.run(last()).error.type)


class ProvidersError(Exception):
    """As the SDKs raise it where a frame says that the provider failed."""

    body: ClassVar = {"code": 400, "message": "Token limit reached"}


def test_what_an_sdk_raises_of_a_frame_counts_as_the_frame():
    """OpenRouter says the error behind the finish: by bytes the stream failed, and so it did by the SDK's objects."""
    cut, failed = (
        {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "length"}]},
        ProvidersError.body,
    )

    def source() -> Iterator[dict[str, Any]]:
        yield cut
        raise ProvidersError

    by_bytes = list(weft.read(sse(cut, {"error": failed, "choices": []}), "openai-chat"))[-1]
    by_objects = list(weft.read(source(), "openai-chat"))[-1]
    for end in (by_bytes, by_objects):
        assert ("failed", "invalid_request", "Token limit reached") == (end.outcome, end.error.type, end.error.message)


def test_an_exception_after_the_true_end_is_ignored():
    """C14: a reset after a good terminal changes nothing."""

    def source() -> Iterator[bytes]:
        yield BYTES
        raise ConnectionResetError("reset")

    assert "completed" == list(weft.read(source(), "openai-chat"))[-1].outcome


def test_leaving_an_async_reading_closes_the_source():
    closed: list[str] = []

    async def source():
        try:
            yield BYTES
            yield BYTES
        finally:
            closed.append("source")

    async def run():
        events = weft.aread(source(), "openai-chat")
        await anext(events)
        await events.aclose()

    asyncio.run(run())
    assert ["source"] == closed


@pytest.mark.parametrize("signal", [KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
def test_signals_of_the_caller_pass(signal):
    def source() -> Iterator[bytes]:
        yield sse(FRAMES[0])
        raise signal

    with pytest.raises(signal):
        list(weft.read(source(), "openai-chat"))


def test_a_misspelt_protocol_is_told_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'openai-chat'"):
        weft.read(b"", "openai-chta")


def test_a_target_cannot_be_read():
    with pytest.raises(ValueError, match="is a target only"):
        weft.read(b"", "text")


def test_a_failed_status_makes_the_body_the_error():
    """D10 of the gallery: the status before the stream decides the path."""
    body = b'{"error":{"message":"slow down","type":"rate_limit_error","code":null}}'
    end = list(weft.read(body, "openai-chat", status=429, headers={"Retry-After": "7"}))[-1]
    assert ("failed", "rate_limit", 429, 7.0, "quota") == (
        end.outcome, end.error.type, end.error.status, end.error.retry_after, end.error.fault,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "type"),
    [
        (b'{"error":{"message":"no more","type":"insufficient_quota","code":"insufficient_quota"}}', "billing"),
        (b"<html><body>502 Bad Gateway</body></html>", "protocol"),
        (b"", "truncated"),
        (b"not a stream at all", "truncated"),
    ],
)
def test_a_body_that_is_no_stream_is_recognised_by_content(body, type):
    """D3: HTTP 200 and a plain JSON error, a page, or nothing: never a success."""
    end = list(weft.read(body, "openai-chat"))[-1]
    assert (True, type) == (end.outcome in ("failed", "truncated"), end.error.type)


def test_a_page_is_kept_as_it_came():
    error = weft.collect(weft.read(b"<html>Log in</html>", "openai-chat")).error
    assert ("html", "<html>Log in</html>") == (error.code, error.original)


@pytest.mark.parametrize(("protocol", "type"), [("openai-chat", "context_length"), ("anthropic", "invalid_request")])
def test_a_failure_without_a_body_is_read_as_its_own_protocol_means_it(protocol, type):
    """Atlas 6.2: Cerebras alone says nothing about an overflow."""
    assert type == weft.collect(weft.read(b"", protocol, status=400)).error.type


def test_a_compressed_body_is_for_the_caller_to_unpack():
    """E12."""
    error = weft.collect(weft.read(gzip.compress(BYTES), "openai-chat")).error
    assert ("protocol", "compressed", "client", False) == (error.type, error.code, error.fault, error.retryable)


def test_a_whole_reply_where_a_stream_was_due_is_read():
    """D3, A18: a success body is a stream of one frame."""
    reply = b'{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}'
    message = weft.collect(weft.read(reply, "openai-chat"))
    assert ("Hi", "completed") == (message.text, message.outcome)


def test_a_whole_reply_of_an_sdk_is_one_frame():
    reply = {"id": "c1", "choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}]}
    message = weft.collect(weft.read(Dumped(reply), "openai-chat"))
    assert ("Hi", "completed", []) == (message.text, message.outcome, message.notes)


@pytest.mark.parametrize("source", [None, 5, object()])
def test_what_is_no_source_is_refused(source):
    """Misuse is an exception, not a stream that was cut."""
    with pytest.raises(TypeError, match="is no source"):
        list(weft.read(source, "openai-chat"))


def test_what_is_no_source_is_refused_before_anything_is_read():
    with pytest.raises(TypeError, match="is no source"):
        weft.read(5, "openai-chat")
    with pytest.raises(TypeError, match="is no source"):
        weft.aread(5, "openai-chat")


@pytest.mark.parametrize(
    "source", [BYTES, BYTES.decode(), [BYTES[:20], BYTES[20:]], FRAMES, tuple(FRAMES)], ids=lambda made: type(made).__name__
)  # fmt: skip
def test_what_is_all_there_may_be_read_by_async_code(source):
    """A whole reply of an async SDK is no async iterable."""
    assert "Héllo" == asyncio.run(weft.acollect(weft.aread(source, "openai-chat"))).text


def test_a_whole_reply_of_an_async_sdk_is_a_source():
    reply = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": "stop"}],
    }
    assert "Hi" == asyncio.run(weft.acollect(weft.aread(Dumped(reply), "openai-chat"))).text


@pytest.mark.parametrize("name", ["stream", "body"])
def test_a_reply_of_boto3_is_the_stream_in_it(name):
    """`converse_stream` and `invoke_model_with_response_stream` give a dict, and the stream is one of its members."""
    frames = [
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}},
        {"messageStop": {"stopReason": "end_turn"}},
    ]
    reply = {"ResponseMetadata": {"HTTPStatusCode": 200, "HTTPHeaders": {}}, name: iter(frames)}
    message = weft.collect(weft.read(reply, "bedrock"))
    assert ("Hi", "completed") == (message.text, message.outcome)


def test_a_reply_of_aioboto3_is_the_async_stream_in_it():
    async def frames() -> AsyncIterator[dict]:
        yield {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}}
        yield {"messageStop": {"stopReason": "end_turn"}}

    reply = {"ResponseMetadata": {}, "stream": frames()}
    message = asyncio.run(weft.acollect(weft.aread(reply, "bedrock")))
    assert ("Hi", "completed") == (message.text, message.outcome)
    with pytest.raises(TypeError, match=r"'async_generator' is an async source; weft\.aread reads it"):
        weft.read({"stream": frames()}, "bedrock")


def test_sync_and_async_sources_are_told_apart():
    async def waits() -> AsyncIterator[bytes]:
        yield BYTES

    with pytest.raises(TypeError, match=r"'async_generator' is an async source; weft\.aread reads it"):
        weft.read(waits(), "openai-chat")
    with pytest.raises(TypeError, match=r"'generator' is no async source; weft\.read reads it"):
        weft.aread((piece for piece in [BYTES]), "openai-chat")


class Unopened:
    """A source that fails before its first piece."""

    def __iter__(self) -> Iterator[bytes]:
        raise ConnectionError("refused")


def test_a_source_that_cannot_begin_is_the_terminal():
    assert "transport" == weft.collect(weft.read(Unopened(), "openai-chat")).error.type

    class Waits:
        def __aiter__(self) -> AsyncIterator[bytes]:
            raise ConnectionError("refused")

    assert "transport" == asyncio.run(weft.acollect(weft.aread(Waits(), "openai-chat"))).error.type


def test_one_filter_may_be_named_without_a_list():
    stream = sse({"choices": [{"index": 0, "delta": {"content": "<think>Hm</think>Yes"}}]}, done=True)
    message = weft.collect(weft.read(stream, "openai-chat", filters="think"))
    assert ("Hm", "Yes") == (message.reasoning, message.text)


def test_a_protocol_is_a_name():
    with pytest.raises(TypeError, match="not None"):
        weft.read(BYTES, None)


def test_the_blocks_of_a_message_are_the_parts_of_a_turn():
    message = weft.collect(weft.read(BYTES, "openai-chat"))
    assert ("assistant", message.blocks) == (message.role, message.parts)


def test_input_that_is_odd_all_over_has_no_notes_without_end():
    stream = b"data: x\n\n" * 50 + BYTES
    message = weft.collect(weft.read(stream, "openai-chat", limits=weft.Limits(notes=3)))
    codes = [note.code for note in message.notes]
    assert (["broken_frame"] * 3 + ["more_notes"], "Héllo", "completed") == (codes, message.text, message.outcome)


def test_a_frame_over_the_limit_ends_with_a_typed_error():
    """E8: a stated, settable cap."""
    big = sse(FRAMES[0]) + b"data: " + b"x" * 5000
    end = list(weft.read(big, "openai-chat", limits=weft.Limits(frame=4096)))[-1]
    assert ("failed", "limit") == (end.outcome, end.error.type)


def test_a_stream_over_the_limit_ends_with_a_typed_error():
    end = list(weft.read([sse(FRAMES[0])] * 50, "openai-chat", limits=weft.Limits(stream=2000)))[-1]
    assert ("failed", "limit") == (end.outcome, end.error.type)


@pytest.mark.parametrize("size", [1, 7, 5000])
def test_what_came_before_the_limit_is_kept_however_the_stream_was_cut(size):
    data = sse(FRAMES[0]) * 50
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    message = weft.collect(weft.read(pieces, "openai-chat", limits=weft.Limits(stream=2000)))
    assert ("Hé" * (2000 // len(sse(FRAMES[0]))), "limit") == (message.text, message.error.type)


def test_steps_are_taken_before_the_events_are_told():
    def loud(event, emit):
        emit(weft.events.TextDelta(event.index, event.text.upper()) if event.type == "text-delta" else event)

    async def source() -> AsyncIterator[bytes]:
        yield BYTES

    assert "HÉLLO" == weft.collect(weft.read(BYTES, "openai-chat", steps=[loud])).text
    assert "HÉLLO" == asyncio.run(weft.acollect(weft.aread(source(), "openai-chat", steps=[loud]))).text


def test_the_options_of_a_pipe_are_taken_by_all_four():
    options = {"status": 200, "headers": {}, "dialect": "", "strict": False, "filters": [], "steps": [], "limits": None,
               "keep": False, "verbatim": False, "context": None}  # fmt: skip
    assert "completed" == list(weft.read(BYTES, "openai-chat", **options))[-1].outcome
    assert b"[DONE]" in weft.convert(BYTES, "openai-chat", "openai-chat", **options)

    async def source() -> AsyncIterator[bytes]:
        yield BYTES

    assert "completed" == asyncio.run(weft.acollect(weft.aread(source(), "openai-chat", **options))).outcome
