"""Bytes that the laws' damage made, each of which once raised or could not be written as JSON; and that the law sees such a thing."""

from typing import Any

import pytest

import weft
from tests.protocols import responses_wire as responses
from tests.protocols.ollama_lines import DONE
from tests.protocols.wire import events, message, ndjson, sse
from weft.protocol import ProtocolSpec
from weft.protocols.openai_chat.decode import ChatDecoder
from weft.protocols.openai_chat.dialects import CHAT
from weft.testing.laws import LawBrokenError, check_garbage


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "cohere"])
def test_half_a_character_in_any_member_of_an_error(protocol: str):
    body = rb'{"error":{"message":"a \ud83d b","code":"\ud83d","param":"\ud83d"}}'
    for data in (body, b"data: " + body + b"\n\n", b"[" + body + b"]"):
        assert all(weft.from_json(weft.to_json(event)) for event in events(data, protocol))
        assert "failed" == message(data, protocol).outcome


def test_arguments_in_bytes_that_are_no_text():
    line = b'{"message":{"tool_calls":[{"function":{"name":"f","arguments":"{\xda}"}}]},"done":false}\n'
    assert ["{\ufffd}"] == [call.raw for call in message(line + ndjson(DONE), "ollama").tool_calls]


def test_a_truth_value_is_no_count():
    usage = {"total_input_tokens": 7, "total_cached_tokens": True, "total_output_tokens": 2, "total_tokens": 9}
    frame = {"event_type": "interaction.complete", "interaction": {"id": "i", "status": "completed", "usage": usage}}
    got = message(sse(frame), "gemini/interactions").usage
    assert (7, None, 2) == (got.input_tokens, got.cache_read_tokens, got.output_tokens)


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "ag-ui", "ollama"])
def test_a_time_beyond_all_bounds(target: str):
    data = responses.stream(responses.text(0, "Hi")).replace(b"1700000000", b"1e400")
    assert "completed" == message(data, "openai-responses").outcome
    assert b"Hi" in weft.convert(data, "openai-responses", target)


class Careless(ChatDecoder):
    """Says half a character as if it were whole."""

    def feed(self, chunk: Any, name: str) -> None:
        self.out.start("\ud83d")
        super().feed(chunk, name)


def test_the_law_sees_what_cannot_be_written():
    spec = ProtocolSpec(name="careless", title="", decoder=Careless, dialect=CHAT)
    with pytest.raises(LawBrokenError, match="cannot be written as JSON"):
        check_garbage(spec, sse({"choices": [{"delta": {"content": "Hi"}}]}, done=True))


def test_a_line_that_is_only_half_an_object_makes_no_id_however_it_is_cut():
    """The id of a message without one is made from the frame that begins it, and there is none here."""
    data = b'{"type":"s\xb4h\r\xae"}\n{"text":"\\ud83d"X\n'
    ids = [read_in(data, cut)[-2].id for cut in (len(data), 4, 17)]
    assert ids[:1] * 3 == ids


def read_in(data: bytes, cut: int) -> list[weft.events.Event]:
    return list(weft.read([data[:cut], data[cut:]], "events"))


@pytest.mark.parametrize("protocol", ["openai-chat", "ollama"])
def test_a_stream_of_another_protocol_is_not_completed_by_its_terminator(protocol: str):
    """Nothing was understood but `[DONE]`, and that is no answer."""
    strange = b'data: {"event_type":"mood","mood":"fair"}\n\ndata: [DONE]\n\n'
    got = weft.collect(weft.read(strange, protocol))
    assert got.error is not None
    assert ("failed", "protocol", "unknown_stream") == (got.outcome, got.error.type, got.error.code)
    assert "completed" == weft.collect(weft.read(b"data: [DONE]\n\n", protocol)).outcome
