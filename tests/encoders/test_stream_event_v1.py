"""Stream Event v1 (seed 002): its own examples word for word, one `done` at the end, and what it cannot say."""

import json

import pytest
from hypothesis import given

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import converted, fixtures, read, recorded, whole, words
from tests.encoders.test_totality import encode
from tests.encoders.told import (
    BLOCKED,
    CALLED,
    CANCELLED,
    CLAUDE,
    CUT,
    FAILED,
    LENGTH,
    STOP,
    block,
    call,
    result,
    text,
    thought,
    told,
)
from tests.protocols.wire import ndjson, sse
from tests.strategies import legal_streams
from weft import events as ev
from weft.errors import make_error

TARGET = "stream-event-v1"
DONE = '{"type":"done"}'
CUT_OFF = (
    '{"type":"error","code":"UpstreamFailure","detail":"the stream stopped before the source said that it was over"}'
)

# source, what it says, and the lines that the seed makes of it
EXAMPLES = {
    "openai": (
        "openai-chat",
        sse(
            '{"choices":[{"delta":{"content":"Hello"}}]}',
            '{"choices":[{"delta":{"tool_calls":[{"id":"call_1","function":{"name":"emit_plan","arguments":"{\\"a\\":1}"}}]}}]}',
            done=True,
        ),
        [
            '{"type":"content","channel":"json","text":"Hello"}',
            '{"type":"tool_call","index":0,"id":"call_1","name":"emit_plan","arguments":"{\\"a\\":1}","isDelta":true}',
            DONE,
        ],
    ),
    "anthropic": (
        "anthropic",
        sse(
            '{"type":"message_start","message":{"id":"msg_1"}}',
            '{"type":"content_block_delta","delta":{"type":"output_text_delta","text":"Hi"}}',
            '{"type":"tool_use","id":"tu_1","name":"emit_plan","input":{"a":1}}',
            '{"type":"message_stop"}',
        ),
        [
            '{"type":"content","channel":"json","text":"Hi"}',
            '{"type":"tool_call","index":0,"id":"tu_1","name":"emit_plan","arguments":{"a":1},"isDelta":false}',
            DONE,
        ],
    ),
    "ollama": (
        "ollama",
        b"\n".join(
            [
                b'{"kind":"json","delta":{"choices":[{"delta":{"content":[{"type":"text","text":"Planning"}]}}]}}',
                b'{"kind":"json","delta":{"choices":[{"delta":{"tool_calls":[{"name":"emit_plan","arguments":"{\\"a\\":1}"}]}}]}}',
                b'{"done":true}',
            ]
        ),
        [
            '{"type":"content","channel":"json","text":"Planning"}',
            '{"type":"tool_call","index":0,"name":"emit_plan","arguments":"{\\"a\\":1}","isDelta":true}',
            DONE,
        ],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_seeds_examples_come_out_word_for_word(name):
    source, data, lines = EXAMPLES[name]
    assert lines == weft.convert(data, source, TARGET).decode().splitlines()


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_the_seeds_fragments_without_an_end_are_cut_off(name):
    """The seed's fragments alone say no end: an error stands before `done`, so that nobody takes them for an answer."""
    source, data, lines = EXAMPLES[name]
    cut = data[: data.rindex(b"data:")]
    assert [*lines[:-1], CUT_OFF, DONE] == weft.convert(cut, source, TARGET).decode().splitlines()


def test_text_and_calls_in_order():
    lines, lost = told(TARGET, text(0, "Let me ", "look."), call(1, '{"at":', '"sky"}'), CALLED)
    assert [
        {"type": "content", "channel": "json", "text": "Let me "},
        {"type": "content", "channel": "json", "text": "look."},
        {"type": "tool_call", "index": 0, "id": "c1", "name": "look", "arguments": '{"at":', "isDelta": True},
        {"type": "tool_call", "index": 0, "arguments": '"sky"}', "isDelta": True},
        {"type": "done"},
    ] == lines
    assert [] == lost


def test_a_call_is_announced_with_its_first_fragment_however_late_that_comes():
    pipe = weft.Pipe("openai-chat", TARGET)
    head = {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "look"}}]}}]}
    rest = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}}]}
    assert b"" == pipe.feed(sse(head))
    first = json.loads(pipe.feed(sse(rest)))
    assert ("c", "look", "{}", True) == (first["id"], first["name"], first["arguments"], first["isDelta"])


@pytest.mark.parametrize("arrival", ["whole", "delta"])
def test_a_call_without_arguments_is_whole_and_has_an_empty_object(arrival):
    """Requirements 3.3.10: a call with no arguments was not found."""
    lines, lost = told(TARGET, call(0, arrival=arrival), CALLED)
    assert {"type": "tool_call", "index": 0, "id": "c0", "name": "look", "arguments": {}, "isDelta": False} == lines[0]
    assert [] == lost


def test_a_whole_call_is_no_delta():
    """Requirements B10, 3.3.13."""
    lines, _ = told(TARGET, call(0, '{"a":', "1.0}", arrival="whole"), CALLED)
    assert (False, {"a": 1.0}) == (lines[0]["isDelta"], lines[0]["arguments"])
    out, _ = encode(TARGET, [ev.Start("r"), *call(0, '{"a":\n1.0}', arrival="whole"), CALLED])
    assert b'"arguments":{"a": 1.0},"isDelta":false' in out


def test_a_final_list_of_calls_comes_before_done():
    """The seed's invariant for GLM: complete calls only in `message.tool_calls`."""
    function = {"name": "emit_plan", "arguments": '{"a":1}'}
    reply = {"choices": [{"message": {"tool_calls": [{"id": "c", "function": function}]}, "finish_reason": "stop"}]}
    lines = [json.loads(line) for line in weft.convert(json.dumps(reply), "openai-chat", TARGET).splitlines()]
    assert [("tool_call", {"a": 1}, False), ("done", None, None)] == [
        (line["type"], line.get("arguments"), line.get("isDelta")) for line in lines
    ]


def test_parallel_calls_keep_their_indexes():
    first = [ev.BlockStart(0, "tool_call", id="a", name="f"), ev.ArgsDelta(0, "{")]
    second = [ev.BlockStart(1, "tool_call", id="b", name="g"), ev.ArgsDelta(1, "{}")]
    rest = [ev.ArgsDelta(0, "}"), ev.BlockEnd(0, True), ev.BlockEnd(1, True)]
    lines, _ = told(TARGET, first, second, rest, CALLED)
    assert [(0, "a", "{"), (1, "b", "{}"), (0, None, "}")] == [
        (line["index"], line.get("id"), line["arguments"]) for line in lines[:-1]
    ]


def test_an_id_that_nobody_said_is_not_said():
    lines, _ = told(TARGET, call(0, "{}", made=True), CALLED)
    assert "id" not in lines[0]


def test_a_custom_tools_input_is_a_text():
    lines, lost = told(TARGET, call(0, '{"a":1}', tool="custom", arrival="whole"), CALLED)
    assert ('{"a":1}', False) == (lines[0]["arguments"], lines[0]["isDelta"])
    assert ["tool_kind"] == lost


@pytest.mark.parametrize("arrival", ["whole", "delta"])
def test_a_call_that_was_cut_off_never_looks_whole(arrival):
    lines, lost = told(TARGET, call(0, '{"a":1}', complete=False, arrival=arrival), LENGTH)
    assert ('{"a":1}', True) == (lines[0]["arguments"], lines[0]["isDelta"])
    assert ["finish", "incomplete"] == lost


def test_a_call_that_was_cut_off_before_its_arguments_was_announced():
    lines, lost = told(TARGET, call(0, complete=False), CUT)
    assert ("look", "", True) == (lines[0]["name"], lines[0]["arguments"], lines[0]["isDelta"])
    assert "incomplete" in lost


@pytest.mark.parametrize(
    ("channel", "said", "lost"),
    [(None, "json", []), ("json", "json", []), ("text", "text", []), ("commentary", "json", ["channel"])],
)
def test_the_channel_is_json_unless_the_source_says_text(channel, said, lost):
    lines, losses = told(TARGET, text(0, "Hi", channel=channel), STOP)
    assert (said, lost) == (lines[0]["channel"], losses)


def test_a_line_of_plain_text_is_on_the_text_channel():
    """Requirements B8: the seed's backend tags each line as json or text."""
    data = ndjson({"kind": "text", "delta": "plain"}, {"done": True})
    first = json.loads(weft.convert(data, "ollama", TARGET).splitlines()[0])
    assert {"type": "content", "channel": "text", "text": "plain"} == first


def test_whitespace_is_kept():
    """Requirements 3.3.5."""
    lines, _ = told(TARGET, text(0, "a", " ", "\n", "b"), STOP)
    assert ["a", " ", "\n", "b"] == [line["text"] for line in lines[:-1]]


def test_what_a_tool_gave_back_is_a_return():
    """Requirements B9."""
    lines, lost = told(
        TARGET,
        call(0, '{"q":1}', executor="provider", name="search"),
        block(1, "tool_result", ev.Result(1, "c0", ["first look"]), ev.Result(1, "c0", ["found"]), id="c0"),
        text(2, "So."),
        STOP,
    )
    assert {"type": "return", "name": "search", "result": ["found"]} == lines[0]
    assert ["return", "content", "done"] == [line["type"] for line in lines]
    assert ["executor", "tool_call_id"] == lost


def test_a_failed_tool_is_a_return_and_that_it_failed_is_lost():
    lines, lost = told(TARGET, call(0, "{}"), result(1, "c0", "no sky", is_error=True), CALLED)
    assert {"type": "return", "name": "look", "result": "no sky"} == lines[1]
    assert ["error_detail", "tool_call_id"] == lost


@pytest.mark.parametrize(
    ("end", "code"),
    [(FAILED, "UpstreamFailure"), (CUT, "UpstreamFailure"), (CANCELLED, "TransportError"), (BLOCKED, "PolicyDenied")],
)
@pytest.mark.parametrize("content", [[], text(0, "Hi")])
def test_an_error_stands_before_done(end, code, content):
    """The seed's invariant; requirements E5 and 3.3.3: exactly one `done`, whatever happened."""
    lines, lost = told(TARGET, content, end)
    assert [{"type": "error", "code": code, "detail": end.error.message}, {"type": "done"}] == lines[-2:]
    assert [1, 1] == [[line["type"] for line in lines].count(kind) for kind in ("error", "done")]
    assert ["error_detail"] == lost


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (make_error("authentication", "No API key was provided."), "AuthMissing"),
        (make_error("authentication", "That key is wrong."), "AuthInvalid"),
        (make_error("rate_limit", "Slow down."), "RateLimited"),
        (make_error("timeout", "Too slow."), "TransportTimeout"),
    ],
)
def test_errors_have_the_seeds_codes(error, code):
    lines, _ = told(TARGET, ev.End("failed", (), None, error))
    assert code == lines[0]["code"]


@pytest.mark.parametrize("end", [LENGTH, ev.End("completed", (ev.Finish(reason="refusal"),))])
def test_a_finish_that_is_no_error_is_done_alone_and_reported(end):
    lines, lost = told(TARGET, text(0, "Hi"), end)
    assert ["content", "done"] == [line["type"] for line in lines]
    assert ["finish"] == lost


def test_what_has_no_event_is_reported():
    own = ev.Opaque(3, {"a": 1}, CLAUDE)
    _, lost = told(
        TARGET,
        ev.Meta("tier", "fast"),
        thought(0, "Hm."),
        block(1, "text", ev.TextDelta(1, "a", [{"token": "a"}]), ev.Annotation(1, "url_citation", url="https://a")),
        block(2, "refusal", ev.RefusalDelta(2, "No."), ev.Signature(2, "s", CLAUDE)),
        block(3, "opaque", own),
        block(4, "file", ev.File(4, "image/png", "aGk=")),
        ev.StepEnd(0),
        ev.Usage(1, 2, 3),
        ev.Unknown({"b": 1}),
        STOP,
    )
    assert (
        sorted("meta reasoning logprobs annotation refusal blocks signature opaque file steps usage unknown".split())
        == lost
    )


def test_reasoning_is_never_content():
    """Requirements 1.6: reasoning without a slot is skipped, never visible text."""
    lines, _ = told(TARGET, thought(0, "secret"), text(1, "open"), STOP)
    assert "secret" not in json.dumps(lines)


def test_id_and_model_are_reported_where_somebody_said_them():
    _, losses = encode(TARGET, [ev.Start("m1", "m", None, 7), STOP])
    assert ["created", "id", "model"] == words(losses.report())


def test_line_breaks_of_unicode_are_escaped():
    out, _ = encode(TARGET, [ev.Start("m"), *text(0, "a\u2028b\u0085c"), STOP])
    assert b'"a\\u2028b\\u0085c"' in out
    out, _ = encode(TARGET, [ev.Start("m"), *call(0, '{"a":"\u2028"}', arrival="whole"), STOP])
    assert b'{"a":"\\u2028"}' in out


def test_the_whole_reply_is_the_stream_at_once():
    message = weft.collect([ev.Start("m"), *text(0, "Hi", " you"), *call(1, '{"a"', ":1}"), CALLED])
    body, lost = whole(message, TARGET)
    assert [("Hi you", None), (None, {"a": 1}), (None, None)] == [
        (line.get("text"), line.get("arguments")) for line in map(json.loads, body.splitlines())
    ]
    assert ["id"] == lost


@given(legal_streams())
def test_any_legal_stream_is_told(events):
    """Every text is a content event in the order of its deltas; there is one `done`, and it is last."""
    out, _ = encode(TARGET, events)
    lines = [json.loads(line) for line in out.splitlines()]
    spoken = [event.text for event in events if isinstance(event, ev.TextDelta | ev.RefusalDelta)]
    assert spoken == [line["text"] for line in lines if line["type"] == "content"]
    assert [len(lines) - 1] == [at for at, line in enumerate(lines) if line["type"] == "done"]
    assert ("error" in [line["type"] for line in lines]) == (events[-1].error is not None)
    arguments: dict[int, str] = {}
    for line in lines:
        if line["type"] == "tool_call":
            arguments[line["index"]] = arguments.get(line["index"], "") + line["arguments"]
    assert [raw for _, raw in sorted(arguments.items())] == [call.raw for call in weft.collect(events).tool_calls]


def check(data: bytes, source: str) -> None:
    out, pipe = converted(data, source, TARGET)
    message, lines = pipe.message, [json.loads(line) for line in out.decode().split("\n")[:-1]]
    assert message.text + message.refusal == "".join(line["text"] for line in lines if line["type"] == "content")
    calls = [call for call in message.tool_calls if call.executor == "client"]
    said: dict[int, list] = {}
    for line in lines:
        if line["type"] == "tool_call":
            said.setdefault(line["index"], []).append(line)
    assert [call.name for call in calls] == [parts[0]["name"] for parts in said.values()]
    for call_, parts in zip(calls, said.values(), strict=True):
        whole_ = parts[0]["arguments"] if len(parts) == 1 and not parts[0]["isDelta"] else None
        joined = "".join(part["arguments"] for part in parts) if whole_ is None else None
        assert (whole_ if joined is None else joined) in (call_.raw, call_.arguments)
    assert "done" == lines[-1]["type"]
    assert (message.error is not None) == (len(lines) > 1 and lines[-2]["type"] == "error")


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "ai-sdk"])
def test_every_fixture_is_told(source):
    for path in fixtures(source):
        if path.suffix in (".sse", ".ndjson", ".json"):
            check(path.read_bytes(), source)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "openai-responses"])
def test_recorded_streams_are_told(corpus, source):
    for row in recorded(source, 25):
        check((CORPUS / row["file"]).read_bytes(), source)


def test_reads_of_single_bytes_change_nothing():
    source, data, lines = EXAMPLES["openai"]
    pipe = weft.Pipe(source, TARGET)
    out = b"".join(pipe.feed(data[at : at + 1]) for at in range(len(data))) + pipe.close()
    assert lines == out.decode().splitlines()
    assert read(data, source).text == "Hello"
