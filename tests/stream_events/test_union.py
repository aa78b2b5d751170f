"""The five events as values: their JSON member by member, the published schema, and any source as a stream of them."""

import asyncio
import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import fixtures, recorded
from tests.encoders.test_totality import encode
from tests.protocols.wire import sse
from tests.strategies import legal_streams
from weft.stream_events import (
    StreamContentEvent,
    StreamDoneEvent,
    StreamErrorEvent,
    StreamReturnEvent,
    StreamToolCallEvent,
    astream_events,
    check_stream_events,
    from_json,
    stream_events,
    to_json,
)

TARGET = "stream-event-v1"
SCHEMA = json.loads(
    (Path(__file__).parent.parent.parent / "docs" / "stream-event-v1.schema.json").read_text(encoding="utf-8")
)
VALID = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)

LINES = {
    b'{"type":"content","channel":"json","text":"Hi"}': StreamContentEvent(channel="json", text="Hi"),
    b'{"type":"content","text":""}': StreamContentEvent(text=""),
    b'{"type":"tool_call","index":1,"id":"c","name":"f","arguments":"{","isDelta":true}': StreamToolCallEvent(
        index=1, id="c", name="f", arguments="{", is_delta=True
    ),
    b'{"type":"tool_call","index":0,"arguments":{"a":[1.5]},"isDelta":false}': StreamToolCallEvent(
        index=0, arguments={"a": [1.5]}, is_delta=False
    ),
    b'{"type":"return","channel":"text","name":"f","result":null}': StreamReturnEvent(
        channel="text", name="f", result=None
    ),
    b'{"type":"error","code":"RateLimited","detail":"Slow down."}': StreamErrorEvent(
        code="RateLimited", detail="Slow down."
    ),
    b'{"type":"done"}': StreamDoneEvent(),
}


@pytest.mark.parametrize("line", LINES)
def test_an_event_and_its_line(line):
    """Members by the names of the contract, in its order; what was not said is absent."""
    assert (LINES[line], line) == (from_json(line), to_json(LINES[line]))
    assert json.loads(line)["type"] == LINES[line].type


@pytest.mark.parametrize("line", LINES)
def test_the_schema_takes_every_event(line):
    assert [] == list(VALID.iter_errors(json.loads(line)))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b'{"type":"usage"}',
        b'{"text":"Hi"}',
        b'{"type":"content"}',
        b'{"type":"content","text":5}',
        b'{"type":"content","text":"","channel":"commentary"}',
        b'{"type":"tool_call","index":0,"arguments":""}',
        b'{"type":"tool_call","index":-1,"arguments":"","isDelta":true}',
        b'{"type":"error"}',
    ],
)
def test_what_is_no_event_is_refused(line):
    with pytest.raises(ValueError):
        from_json(line)
    if line[:1] == b"{":
        assert [] != list(VALID.iter_errors(json.loads(line)))


def test_numbers_beyond_all_bounds_are_read():
    """What the source wrote as arguments stands in the line as it was."""
    line = b'{"type":"tool_call","index":0,"arguments":{"n":1e999},"isDelta":false}'
    assert {"n": float("inf")} == from_json(line).arguments


@given(legal_streams())
def test_any_legal_stream_is_valid_and_its_lines_are_the_events(events):
    out, _ = encode(TARGET, events)
    typed = [from_json(line) for line in out.splitlines()]
    assert out.splitlines() == [to_json(event) for event in typed]
    assert [] == [error for line in out.splitlines() for error in VALID.iter_errors(json.loads(line))]
    assert [] == check_stream_events(typed)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "ai-sdk"])
def test_every_fixture_keeps_the_contract(source):
    """The same lines as the target writes, as values, and none that the schema or the checker minds."""
    for path in fixtures(source):
        data = path.read_bytes()
        typed = list(stream_events(data, source))
        lines = [json.loads(line) for line in weft.convert(data, source, TARGET).splitlines()]
        assert lines == [json.loads(to_json(event)) for event in typed]
        assert [] == [error for line in lines for error in VALID.iter_errors(line)]
        assert [] == check_stream_events(typed)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "openai-responses"])
def test_recorded_streams_keep_the_contract(corpus, source):
    for row in recorded(source, 25):
        data = (CORPUS / row["file"]).read_bytes()
        typed = list(stream_events(data, source))
        assert [json.loads(line) for line in weft.convert(data, source, TARGET).splitlines()] == [
            json.loads(to_json(event)) for event in typed
        ], row["file"]
        assert [] == check_stream_events(typed), row["file"]


HELLO = sse({"choices": [{"delta": {"content": "Hel"}}]}, {"choices": [{"delta": {"content": "lo"}}]})


def test_events_come_as_they_become_known():
    def source():
        yield HELLO[: HELLO.index(b"\n\n") + 2]
        asked.append("the second piece")
        yield HELLO[HELLO.index(b"\n\n") + 2 :]

    asked: list[str] = []
    events = stream_events(source(), "openai-chat")
    assert (StreamContentEvent(channel="json", text="Hel"), []) == (next(events), asked)
    assert ["lo"] == [event.text for event in events if isinstance(event, StreamContentEvent)]


def test_a_source_that_raises_is_an_error_and_done():
    """Requirements 3.3.3: failures were never said, and consumers waited for three minutes."""

    def source():
        yield HELLO
        raise TimeoutError("host 10.0.0.1")

    kinds = [event.type for event in stream_events(source(), "openai-chat")]
    assert ["content", "content", "error", "done"] == kinds
    error = list(stream_events(source(), "openai-chat"))[-2]
    assert ("TransportTimeout", False) == (error.code, "10.0.0.1" in error.detail)


def test_an_async_source_gives_the_same():
    async def source():
        yield HELLO
        raise ConnectionError

    async def everything():
        return [event async for event in astream_events(source(), "openai-chat")]

    def plain():
        yield HELLO
        raise ConnectionError

    assert list(stream_events(plain(), "openai-chat")) == asyncio.run(everything())


def test_leaving_the_events_closes_the_source():
    closed: list[str] = []

    async def source():
        try:
            yield HELLO
            yield HELLO
        finally:
            closed.append("source")

    async def run():
        events = astream_events(source(), "openai-chat")
        await anext(events)
        await events.aclose()

    asyncio.run(run())
    assert ["source"] == closed


def test_two_streams_at_once_do_not_mix():
    """Requirements 3.3.4."""
    one, other = (stream_events([HELLO], "openai-chat") for _ in range(2))
    pairs = list(zip(one, other, strict=True))
    assert all(first == second for first, second in pairs)
    assert 4 == len(pairs)


def test_options_are_those_of_a_pipe():
    events = stream_events(b'{"error":{"message":"No."}}', "openai-chat", status=429)
    assert ["RateLimited"] == [event.code for event in events if isinstance(event, StreamErrorEvent)]
