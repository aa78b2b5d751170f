"""VS Code's parts (seed 004): text, thinking where there is such a part, calls, data by MIME type, errors as text."""

import json
from base64 import b64encode

import pytest
from hypothesis import given

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import calls_of, converted, fixtures, in_row, recorded, whole, words
from tests.encoders.test_totality import encode
from tests.encoders.told import (
    BLOCKED,
    CALLED,
    CANCELLED,
    CLAUDE,
    CUT,
    FAILED,
    LENGTH,
    START,
    STOP,
    block,
    call,
    result,
    text,
    thought,
    told,
)
from tests.strategies import legal_streams
from weft import events as ev
from weft.errors import make_error

TARGET = "vscode"
TEXT, THINKING, CALL, DATA = (f"LanguageModel{name}Part" for name in ("Text", "Thinking", "ToolCall", "Data"))


def base64(content: str | bytes) -> str:
    return b64encode(content.encode() if isinstance(content, str) else content).decode()


def data_part(media_type: str | None, content: str | bytes) -> tuple[list[dict], list[str]]:
    """What a file of this type becomes."""
    return told(TARGET, block(0, "file", ev.File(0, media_type, base64(content))), STOP)


def test_thinking_text_and_a_call():
    lines, lost = told(
        TARGET, thought(0, "Hm", "m.", item_id="rs_1"), text(1, "Let me ", "look."), call(2, '{"at":', '"sky"}'), CALLED
    )
    assert [
        {"type": THINKING, "value": "Hm", "id": "rs_1"},
        {"type": THINKING, "value": "m.", "id": "rs_1"},
        {"type": TEXT, "value": "Let me "},
        {"type": TEXT, "value": "look."},
        {"type": CALL, "callId": "c2", "name": "look", "input": {"at": "sky"}},
    ] == lines
    assert ["args_stream"] == lost


def test_thinking_is_left_out_where_there_is_no_such_part():
    """The seed's open question: reasoning is never shown as text instead."""
    lines, lost = told(TARGET, thought(0, "Hm."), text(1, "Hi"), STOP, profile="no-thinking")
    assert ([{"type": TEXT, "value": "Hi"}], ["reasoning"]) == (lines, lost)


def test_state_is_the_metadata_of_a_thinking_part():
    hidden = ev.Signature(1, "xxx", ev.Origin("openai-responses"), encrypted=True)
    signed = block(0, "reasoning", ev.ReasoningDelta(0, "Hm."), ev.Signature(0, "sig", CLAUDE))
    lines, lost = told(TARGET, signed, block(1, "reasoning", hidden), STOP)
    assert [
        {"signature": "sig", "origin": {"protocol": "anthropic", "model": "claude"}},
        {"redactedData": "xxx", "origin": {"protocol": "openai-responses"}},
    ] == [line["metadata"] for line in lines if "metadata" in line]
    assert [] == lost


def test_state_of_a_call_is_reported():
    _, lost = told(TARGET, call(0, "{}", inside=(ev.Signature(0, "s", CLAUDE),), arrival="whole"), CALLED)
    assert ["signature"] == lost


def test_parts_of_thinking_are_set_apart():
    parts = [ev.ReasoningDelta(0, "One.", 0, "summary"), ev.ReasoningDelta(0, "Two.", 1, "summary")]
    lines, lost = told(TARGET, block(0, "reasoning", *parts), STOP)
    assert (["One.", "\n\nTwo."], ["reasoning_form"]) == ([line["value"] for line in lines], lost)


# -- calls ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", ["", '{"a":', "[1]"])
def test_a_call_that_is_not_complete_is_never_said(args):
    """Requirements 3.5.3: bad JSON was executed as `{}`, or dropped without a word."""
    lines, lost = told(TARGET, call(0, args, complete=False), CUT)
    assert [TEXT] == [line["type"] for line in lines]
    assert "tool_call" in lost


def test_parallel_calls_are_all_said_once_and_each_when_it_is_whole():
    first = [ev.BlockStart(0, "tool_call", id="a", name="f"), ev.ArgsDelta(0, '{"n":')]
    second = [ev.BlockStart(1, "tool_call", id="b", name="g"), ev.ArgsDelta(1, '{"n":2}')]
    rest = [ev.ArgsDelta(0, "1}"), ev.BlockEnd(1, True), ev.BlockEnd(0, True)]
    lines, _ = told(TARGET, first, second, rest, CALLED)
    assert [("b", {"n": 2}), ("a", {"n": 1})] == [(line["callId"], line["input"]) for line in lines]


def test_text_does_not_wait_for_a_call_that_is_open():
    """Sources that end their calls with the message say text after them."""
    started = [ev.BlockStart(0, "tool_call", id="a", name="f"), ev.ArgsDelta(0, "{"), *text(1, "Wait.")]
    lines, _ = told(TARGET, started, ev.ArgsDelta(0, "}"), ev.BlockEnd(0, True), CALLED)
    assert ["Wait.", None] == [line.get("value") for line in lines]


def test_two_pipes_share_nothing():
    """Requirements 3.5.1: a chat that ended wiped another chat's half-built call."""
    head = {
        "choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}]}}]
    }
    tail = {
        "choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]}, "finish_reason": "stop"}]
    }
    one, other = weft.Pipe("openai-chat", TARGET), weft.Pipe("openai-chat", TARGET)
    one.feed_object(head)
    other.feed_object(head)
    other.close()
    out = one.feed_object(tail) + one.close()
    assert {"type": CALL, "callId": "c", "name": "f", "input": {}} == json.loads(out)


def test_a_custom_tools_input_is_a_member():
    lines, lost = told(TARGET, call(0, "ls", tool="custom", arrival="whole"), CALLED)
    assert ({"input": "ls"}, ["tool_kind"]) == (lines[0]["input"], lost)


def test_a_call_that_the_provider_runs_is_left_out():
    lines, lost = told(TARGET, call(0, "{}", executor="provider"), result(1, "c0", "sun"), text(2, "Sun."), STOP)
    assert ([TEXT], ["executor", "tool_result"]) == ([line["type"] for line in lines], lost)


def test_arguments_are_the_sources_own():
    out, _ = encode(TARGET, [START, *call(0, '{"big":12345678901234567890123,\r\n"a":1.0}'), CALLED])
    assert b'"input":{"big":12345678901234567890123,  "a":1.0}}\n' in out


# -- MIME rules (requirements 1.5.3, 3.5.4) ------------------------------------------------------------------------


@pytest.mark.parametrize("media_type", ["image/png", "image/svg+xml", "IMAGE/JPEG"])
def test_an_image_is_data(media_type):
    lines, lost = data_part(media_type, "<svg/>")
    assert [{"type": DATA, "mimeType": media_type, "data": base64("<svg/>")}] == lines
    assert [] == lost


@pytest.mark.parametrize("media_type", ["application/json", "application/ld+json", "application/json; charset=utf-8"])
def test_json_is_a_value(media_type):
    lines, _ = data_part(media_type, '{"a":\n[1.0]}')
    assert [{"type": DATA, "mimeType": media_type, "json": {"a": [1.0]}}] == lines


@pytest.mark.parametrize("content", ["{", "", b"\xff", "NaN"])
def test_json_that_is_none_stays_bytes(content):
    lines, lost = data_part("application/json", content)
    assert [{"type": DATA, "mimeType": "application/json", "data": base64(content)}] == lines
    assert [] == lost


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "text/csv",
        "application/xml",
        "application/atom+xml",
        "text/plain; charset=utf-8",
        'text/x;charset="UTF-8"',
    ],
)
def test_text_and_xml_are_texts(media_type):
    """With parameters, which the seed's system refuses."""
    lines, _ = data_part(media_type, "a\nü")
    assert [{"type": DATA, "mimeType": media_type, "text": "a\nü"}] == lines


@pytest.mark.parametrize(("media_type", "content"), [("text/plain", b"\xff"), ("text/plain; charset=latin-1", b"\xe9")])
def test_text_that_is_no_utf_8_stays_bytes(media_type, content):
    lines, _ = data_part(media_type, content)
    assert [{"type": DATA, "mimeType": media_type, "data": base64(content)}] == lines


@pytest.mark.parametrize(
    "media_type", ["application/pdf", "application/x_foo", "x-world/x-3dmf", "audio/L16; rate=24000"]
)
def test_everything_else_is_bytes(media_type):
    """Underscores, digits and hyphens are legal, wherever they stand; the seed's system refuses them."""
    lines, lost = data_part(media_type, b"\x00\x01")
    assert ([{"type": DATA, "mimeType": media_type, "data": "AAE="}], []) == (lines, lost)


@pytest.mark.parametrize(
    "media_type", ["cache_control", "text", "/png", "image/", "a b/c", "text/plain; charset", "a/b/c"]
)
def test_what_is_no_media_type_is_no_data_part(media_type):
    assert ([], ["file"]) == data_part(media_type, "x")


def test_a_file_without_a_type_is_bytes():
    assert "application/octet-stream" == data_part(None, "x")[0][0]["mimeType"]


def test_a_file_in_pieces_is_one_part():
    pieces = [ev.File(0, "text/plain", base64("abc")), ev.File(0, None, base64("def"))]
    lines, _ = told(TARGET, block(0, "file", *pieces), STOP)
    assert [{"type": DATA, "mimeType": "text/plain", "text": "abcdef"}] == lines


def test_files_that_are_not_there_are_reported():
    _, lost = told(TARGET, block(0, "file", ev.File(0, "image/png", None, "https://a/b.png")), STOP)
    assert ["file"] == lost
    _, lost = told(TARGET, block(0, "file", ev.File(0, "image/png", "aGk=", partial=True)), STOP)
    assert ["file_partial"] == lost


def test_data_that_is_no_base64_is_handed_on():
    lines, _ = told(TARGET, block(0, "file", ev.File(0, "text/plain", "not base64!")), STOP)
    assert "not base64!" == lines[0]["data"]


# -- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [FAILED, CUT, BLOCKED])
@pytest.mark.parametrize("content", [[], text(0, "Hi")])
def test_an_error_is_said_once_as_a_text(end, content):
    """Requirements 1.5.3; 3.5.5: an error chunk and an exception were printed twice."""
    lines, lost = told(TARGET, content, end)
    assert [{"type": TEXT, "value": f"\n\n**Error:** {end.error.message}\n\n"}] == lines[1 if content else 0 :]
    assert ["error_detail"] == lost


def test_a_cancelled_answer_has_no_error_text():
    lines, _ = told(TARGET, text(0, "Hi"), CANCELLED)
    assert [{"type": TEXT, "value": "Hi"}] == lines


def test_an_errors_message_has_no_name_that_is_undefined():
    lines, _ = told(TARGET, ev.End("failed", (), None, make_error("server", "undefined: No route.")))
    assert "\n\n**Error:** No route.\n\n" == lines[0]["value"]


@pytest.mark.parametrize(("end", "lost"), [(STOP, []), (CALLED, []), (LENGTH, ["finish"])])
def test_the_finish_is_not_said(end, lost):
    assert ([{"type": TEXT, "value": "Hi"}], lost) == told(TARGET, text(0, "Hi"), end)


def test_what_has_no_part_is_reported():
    _, lost = told(
        TARGET,
        ev.Meta("tier", "fast"),
        block(0, "text", ev.TextDelta(0, "a", [{"token": "a"}]), channel="commentary"),
        block(1, "refusal", ev.RefusalDelta(1, "No."), ev.Annotation(1, "url_citation", url="https://a")),
        block(2, "opaque", ev.Opaque(2, {"a": 1}, CLAUDE)),
        ev.StepEnd(0),
        ev.Usage(1, 2, 3),
        ev.Unknown({"b": 1}),
        STOP,
    )
    assert sorted("meta logprobs channel refusal blocks annotation opaque steps usage unknown".split()) == lost
    assert ["created", "id", "model"] == words(encode(TARGET, [ev.Start("m1", "m", None, 7), STOP])[1].report())


def test_the_whole_reply_is_the_stream_at_once():
    message = weft.collect([ev.Start("m"), *text(0, "Hi", " you"), *call(1, '{"a"', ":1}"), CALLED])
    body, lost = whole(message, TARGET)
    assert [("Hi you", None), (None, {"a": 1})] == [
        (line.get("value"), line.get("input")) for line in map(json.loads, body.splitlines())
    ]
    assert ["id"] == lost


@given(legal_streams())
def test_any_legal_stream_is_told(events):
    out, _ = encode(TARGET, events)
    lines = [json.loads(line) for line in out.splitlines()]
    spoken = [event.text for event in in_row(events) if isinstance(event, ev.TextDelta | ev.RefusalDelta)]
    error = events[-1].error
    assert [*spoken, *([f"\n\n**Error:** {error.message}\n\n"] if error else [])] == [
        line["value"] for line in lines if line["type"] == TEXT
    ]
    assert [] == [line for line in lines if line["type"] == CALL]
    assert {line["type"] for line in lines} <= {TEXT, THINKING, DATA}


def check(data: bytes, source: str) -> None:
    out, pipe = converted(data, source, TARGET)
    message, lines = pipe.message, [json.loads(line) for line in out.decode().split("\n")[:-1]]
    texts = [line["value"] for line in lines if line["type"] == TEXT]
    if message.error is not None and message.error.type != "cancelled":
        assert f"\n\n**Error:** {message.error.message}\n\n" == texts.pop()
    assert message.text + message.refusal == "".join(texts)
    if all(call.tool == "function" for call in message.tool_calls):
        said = [(line["name"], line["input"]) for line in lines if line["type"] == CALL]
        assert sorted(calls_of(message), key=str) == sorted(said, key=str)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "ai-sdk"])
def test_every_fixture_is_told(source):
    for path in fixtures(source):
        if path.suffix in (".sse", ".ndjson", ".json"):
            check(path.read_bytes(), source)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "openai-responses"])
def test_recorded_streams_are_told(corpus, source):
    for row in recorded(source, 25):
        check((CORPUS / row["file"]).read_bytes(), source)


def test_text_that_overtakes_a_call_is_told():
    """The call is said when it is whole, and a person does not wait for it."""
    overtaken = [ev.BlockStart(0, "tool_call", id="c", name="look"), *text(1, "Hm."), ev.BlockEnd(0, True)]
    lines, lost = told(TARGET, overtaken, CALLED)
    assert ["LanguageModelTextPart", "LanguageModelToolCallPart"] == [line["type"] for line in lines]
    assert {"args_stream", "order"} == set(lost)
    assert "order" not in told(TARGET, call(0, "{}"), text(1, "Hm."), CALLED)[1]
