"""Which capture answers which request, and in whose words. No socket: a shelf takes requests and gives answers."""

import msgspec
import pytest

import weft
from weft.replay.capture import Capture, Chunk
from weft.replay.fault import fault_named
from weft.replay.playing import Manner
from weft.replay.shelf import Answer, Request, Shelf

CLAUDE = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"m1","model":"claude","usage":{"input_tokens":3}}}\n\n',
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Ahoy"}}\n\n',
    b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
    b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\n',
    b'event: message_stop\ndata: {"type":"message_stop"}\n\n',
)
CHAT = (
    b'data: {"id":"c1","model":"gpt","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n',
    b'data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
)
REFUSED = b'{"error":{"message":"no","type":"invalid_request_error"}}'


def capture(name: str, protocol: str | None, pieces: tuple[bytes, ...], **more: object) -> Capture:
    chunks = tuple(Chunk(number / 2, piece) for number, piece in enumerate(pieces))
    return Capture(name=name, protocol=protocol, chunks=chunks, **more)


ANTHROPIC = capture("ship/ahoy", "anthropic", CLAUDE)
OPENAI = capture("hello", "openai-chat", CHAT)


def shelf(*faults: str) -> Shelf:
    return Shelf([ANTHROPIC, OPENAI], Manner(), [fault_named(fault) for fault in faults])


def ask(path: str, body: object = None, *, on: Shelf | None = None, query: str = "", **headers: str) -> Answer:
    told = {f"x-weft-{name}": value for name, value in headers.items()}
    return (on or shelf()).answer(Request("POST", path, query, told, msgspec.json.encode(body or {"stream": True})))


def body(answer: Answer) -> bytes:
    return b"".join(piece for _, piece in answer.play.pieces)


def test_protocol_of_the_path_chooses_and_bytes_go_out_as_they_came():
    answer = ask("/v1/messages")
    assert (200, b"".join(CLAUDE), "text/event-stream") == (answer.status, body(answer), answer.headers["content-type"])
    assert [0.0, 0.5, 0.5, 0.5, 0.5, 0.5] == [wait for wait, _ in answer.play.pieces]


@pytest.mark.parametrize(
    "wanted",
    [{"capture": "ship/ahoy"}, {"capture": "ahoy"}],
)
def test_capture_is_chosen_by_header(wanted: dict[str, str]):
    assert ask("/v1/messages", **wanted).told == "ship/ahoy"


def test_capture_is_chosen_by_model_query_and_path():
    assert "hello" == ask("/v1/chat/completions", {"stream": True, "model": "hello"}).told
    assert "hello" == ask("/anything", query="capture=hello").told
    assert "hello" == ask("/c/hello/v1/chat/completions").told
    assert "ship/ahoy" == ask("/c/ship%2Fahoy/v1/messages").told


def test_captures_of_one_protocol_take_turns():
    both = Shelf([OPENAI, capture("second", "openai-chat", CHAT)])
    assert ["hello", "second", "hello"] == [ask("/v1/chat/completions", on=both).told for _ in range(3)]


def test_names_that_are_taken_get_a_number():
    assert ["hello", "hello~2"] == list(Shelf([OPENAI, OPENAI]).captures)


@pytest.mark.parametrize(
    ("path", "protocol"),
    [
        ("/v1/chat/completions", "openai-chat"),
        ("/openai/deployments/d/chat/completions", "openai-chat"),
        ("/v1/responses", "openai-responses"),
        ("/v1beta/models/ahoy:streamGenerateContent", "gemini"),
        ("/api/chat", "ollama"),
        ("/model/ahoy/converse-stream", "bedrock"),
        ("/v2/chat", "cohere"),
    ],
)
def test_capture_of_another_protocol_is_converted_with_its_timing(path: str, protocol: str):
    answer = ask(path, capture="ahoy")
    message = weft.collect(weft.read(body(answer), protocol))
    assert ("Ahoy", "completed") == (message.text, message.outcome)
    assert pytest.approx(2.5) == sum(wait for wait, _ in answer.play.pieces)


@pytest.mark.parametrize(
    ("path", "protocol"),
    [
        ("/v1/messages", "anthropic"),
        ("/v1/chat/completions", "openai-chat"),
        ("/v1beta/models/ahoy:generateContent", "gemini"),
        ("/model/ahoy/converse", "bedrock"),
    ],
)
def test_who_wants_no_stream_gets_a_whole_reply(path: str, protocol: str):
    answer = ask(path, {"stream": False}, capture="ahoy")
    assert isinstance(msgspec.json.decode(body(answer)), dict)
    assert "application/json" == answer.headers["content-type"]
    assert "Ahoy" == weft.collect(weft.read(body(answer), protocol)).text


def test_whole_reply_is_streamed_to_who_wants_a_stream():
    whole = capture(
        "whole",
        "openai-chat",
        (
            b'{"id":"w","object":"chat.completion","choices":[{"index":0,"message":{"content":"Hm"},"finish_reason":"stop"}]}',
        ),
    )
    answer = ask("/v1/chat/completions", on=Shelf([whole]))
    assert body(answer).startswith(b"data: ")
    assert "Hm" == weft.collect(weft.read(body(answer), "openai-chat")).text


def test_recorded_refusal_keeps_its_status_and_words():
    answer = ask(
        "/v1/messages",
        on=Shelf(
            [capture("no", "openai-chat", (REFUSED,), status=400, headers={"Content-Length": "1", "X-Request-Id": "7"})]
        ),
    )
    assert (400, REFUSED, "7") == (answer.status, body(answer), answer.headers["x-request-id"])
    assert "content-length" not in answer.headers


def test_fault_happens_as_often_as_it_says():
    on = shelf("429*2", "503*1")
    assert [429, 429, 503, 200] == [ask("/v1/messages", on=on).status for _ in range(4)]


@pytest.mark.parametrize(
    ("path", "protocol"),
    [("/v1/messages", "anthropic"), ("/v1/chat/completions", "openai-chat"), ("/v1/responses", "openai-responses")],
)
def test_refusal_is_in_the_clients_own_words(path: str, protocol: str):
    answer = ask(path, fault="429")
    error = weft.error_from_http(answer.status, answer.headers, body(answer), protocol)
    assert ("rate_limit", 1.0) == (error.type, error.retry_after)


def test_error_on_demand_is_the_protocols_own_failure():
    message = weft.collect(weft.read(body(ask("/v1/messages", fault="error@60%")), "anthropic"))
    assert ("failed", "overloaded") == (message.outcome, message.error.type)


@pytest.mark.parametrize(
    ("fault", "outcome"), [("cut@60%", "truncated"), ("stall@60%", "truncated"), ("garbage@60%", "completed")]
)
def test_other_faults_are_what_a_reader_sees(fault: str, outcome: str):
    assert outcome == weft.collect(weft.read(body(ask("/v1/messages", fault=fault)), "anthropic")).outcome


def test_one_request_may_say_its_own_manner():
    assert 0 == sum(wait for wait, _ in ask("/v1/messages", speed="0").play.pieces)
    assert {7} == {len(piece) for _, piece in ask("/v1/messages", split="7").play.pieces[:-1]}
    assert 200 == ask("/v1/messages", on=shelf("503"), fault="none").status


@pytest.mark.parametrize(
    ("wish", "status", "word"),
    [
        ({"capture": "ahoi"}, 404, "there is no capture 'ahoi'"),
        ({"fault": "slow"}, 400, "is not a fault"),
        ({"split": "0"}, 400, "no way to cut"),
        ({"speed": "nan"}, 400, "no number from 0 on"),
        ({"speed": "fast"}, 400, "no number from 0 on"),
    ],
)
def test_wish_that_makes_no_sense_is_refused_with_the_reason(wish: dict[str, str], status: int, word: str):
    answer = ask("/v1/messages", **wish)
    assert status == answer.status
    assert word in body(answer).decode()


def test_a_name_that_is_not_there_is_not_answered_with_hundreds_that_are():
    many = Shelf([capture(f"ship/{number}", "anthropic", CLAUDE) for number in range(300)])
    said = body(ask("/v1/messages", on=many, capture="zzz")).decode()
    assert "and 276 more" in said
    assert len(said) < 500


def test_index_lists_the_captures_as_models():
    answer = shelf().answer(Request("GET", "/v1/models"))
    assert ["ship/ahoy", "hello"] == [row["id"] for row in msgspec.json.decode(body(answer))["data"]]


def test_shelf_without_captures_is_refused():
    with pytest.raises(ValueError, match="needs a capture"):
        Shelf([])
