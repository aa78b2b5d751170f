"""The referees themselves: the server sends what is stored, and each SDK is really asked."""

import json
import urllib.error
import urllib.request

import pytest
from benchmarks import inputs

from . import bodies
from .cases import CORPUS, STREAM_MODES, Case, corpus_rows
from .exceptions import agreed_failures, applying, oracle_fields, reservations
from .oracle import answers, available, corpus_answers
from .server import Body, address_of, serve

referees = [
    pytest.mark.referees,
    pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it"),
]
corpus = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.exists(), reason="the recorded streams are not beside the checkout"),
]

SSE, NDJSON, AWS = "text/event-stream", "application/x-ndjson", "application/vnd.amazon.eventstream"
TEXT_CALL = {"id": "t1", "name": "look", "arguments": '{"at": "sky"}', "executor": "client"}
OBJECT_CALL = {**TEXT_CALL, "arguments": {"at": "sky"}}
CLAUDE_CALL = {**OBJECT_CALL, "raw": '{"at": "sky"}'}
OPENAI_USAGE = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
RESPONSES_USAGE = {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12}
GEMINI_USAGE = {"prompt_token_count": 5, "candidates_token_count": 7, "total_token_count": 12}
CONVERSE_USAGE = {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}

# protocol, mode, bytes, content type -> the call, the finish and the usage that its SDK tells
READINGS = [
    ("openai-chat", "create", bodies.CHAT, SSE, TEXT_CALL, "tool_calls", OPENAI_USAGE),
    ("openai-chat", "stream", bodies.CHAT, SSE, TEXT_CALL, "tool_calls", OPENAI_USAGE),
    ("openai-responses", "create", bodies.RESPONSES, SSE, TEXT_CALL, "completed", RESPONSES_USAGE),
    ("openai-responses", "stream", bodies.RESPONSES, SSE, TEXT_CALL, "completed", RESPONSES_USAGE),
    (
        "anthropic-messages",
        "stream",
        bodies.ANTHROPIC,
        SSE,
        CLAUDE_CALL,
        "tool_use",
        {"input_tokens": 5, "output_tokens": 7},
    ),
    (
        "anthropic-messages",
        "beta",
        bodies.ANTHROPIC,
        SSE,
        CLAUDE_CALL,
        "tool_use",
        {"input_tokens": 5, "output_tokens": 7},
    ),
    ("gemini", "create", bodies.GEMINI, SSE, OBJECT_CALL, "STOP", GEMINI_USAGE),
    (
        "ollama",
        "create",
        bodies.OLLAMA,
        NDJSON,
        {**OBJECT_CALL, "id": None},
        "stop",
        {"prompt_eval_count": 5, "eval_count": 7},
    ),
    (
        "cohere",
        "create",
        bodies.COHERE,
        SSE,
        TEXT_CALL,
        "TOOL_CALL",
        {"tokens": {"input_tokens": 5, "output_tokens": 7}},
    ),
    ("bedrock-converse", "create", bodies.CONVERSE, AWS, TEXT_CALL, "tool_use", CONVERSE_USAGE),
    (
        "bedrock-invoke",
        "anthropic",
        bodies.INVOKE,
        AWS,
        CLAUDE_CALL,
        "tool_use",
        {"input_tokens": 5, "output_tokens": 7},
    ),
]


CORPUS_NAMES = {"anthropic": "anthropic-messages"}
# our Responses body has no reasoning item
THOUGHTS = {"openai-responses": ""}


@pytest.fixture(scope="module")
def small_answers(tmp_path_factory):
    """All readings asked of one child process: starting the SDKs is what takes the time."""
    cases = [
        Case(protocol, mode, f"{protocol}-{mode}", stored(tmp_path_factory.mktemp("body"), content, content_type=kind))
        for protocol, mode, content, kind, *_ in READINGS
    ]
    return {(case.protocol, case.mode): answer for case, answer in answers(cases)}


def stored(folder, content, name="body", **more):
    path = folder / name
    path.write_bytes(content)
    return Body(path, **more)


def ask(case, cache=None):
    [(_, answer)] = answers([case], cache)
    return answer


def test_the_server_sends_what_is_stored_byte_for_byte(tmp_path):
    content = bytes(range(256)) * 300 + b"\r\n\r"
    body = stored(tmp_path, content, status=206, content_type="text/x")
    with (
        serve({"a~b.c/d": body}) as base,
        urllib.request.urlopen(address_of(base, "a~b.c/d") + "/v1/anything?x=1", data=b"{}", timeout=5) as reply,
    ):
        assert (206, "text/x") == (reply.status, reply.headers["content-type"])
        assert content == reply.read()


def test_a_name_that_is_not_stored_is_not_found(tmp_path):
    with serve({"a": stored(tmp_path, b"")}) as base, pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.urlopen(address_of(base, "b"), timeout=5)
    with told.value as reply:
        assert 404 == reply.status


def test_the_server_ends_with_its_block(tmp_path):
    with serve({"a": stored(tmp_path, b"")}) as base:
        pass
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address_of(base, "a"), timeout=5)


class TestAsked:
    pytestmark = referees

    @pytest.mark.parametrize("reading", READINGS, ids=lambda reading: f"{reading[0]}-{reading[1]}")
    def test_each_sdk_reads_a_thought_a_sentence_and_a_call(self, small_answers, reading):
        protocol, mode, _, _, call, finish, usage = reading
        answer = small_answers[protocol, mode]
        told = [answer[field] for field in ("error", "text", "reasoning", "tool_calls", "finish_raw")]
        assert [None, "Take an umbrella.", THOUGHTS.get(protocol, "It rains, I think."), [call], finish] == told
        assert usage == {name: answer["usage"][name] for name in usage}

    def test_the_streams_of_the_benchmarks_are_what_they_say(self, tmp_path):
        cases = [
            Case(
                CORPUS_NAMES.get(protocol, protocol), STREAM_MODES[CORPUS_NAMES.get(protocol, protocol)][0], name, body
            )
            for name, (protocol, make) in inputs.INPUTS.items()
            if CORPUS_NAMES.get(protocol, protocol) in STREAM_MODES
            for body in [stored(tmp_path, b"".join(make()), name=name)]
        ]
        told = {case.id: answer for case, answer in answers(cases)}
        assert [None] * len(cases) == [answer["error"] for answer in told.values()]
        assert (
            "".join(inputs.words(2000))
            == told["chat text"]["text"]
            == told["responses text"]["text"]
            == told["ollama"]["text"]
        )
        assert "".join(inputs.words(500)) == told["gemini"]["text"]
        notes = [json.loads(call["arguments"]) for call in told["chat tools"]["tool_calls"]]
        assert 3 * [{"note": "".join(inputs.words(598))}] == notes
        assert "".join(inputs.words(400)) == told["anthropic mixed"]["reasoning"]
        assert {"note": "".join(inputs.words(398))} == told["anthropic mixed"]["tool_calls"][0]["arguments"]

    def test_inner_bytes_of_invoke_are_handed_out(self, tmp_path):
        case = Case("bedrock-invoke", "create", "small", stored(tmp_path, bodies.INVOKE, content_type=AWS))
        assert list(bodies.ANTHROPIC_FRAMES) == [json.loads(block) for block in ask(case)["blocks"]]

    def test_a_failure_keeps_what_came_before_it(self, tmp_path):
        failing = bodies.sse(
            bodies.chat_chunk({"content": "Take an"}), {"error": {"message": "no more", "type": "busy"}}
        )
        answer = ask(Case("openai-chat", "create", "failing", stored(tmp_path, failing)))
        assert ("Take an", "APIError", "no more") == (
            answer["text"],
            answer["error"]["class"],
            answer["error"]["message"],
        )

    def test_an_http_error_is_an_answer(self, tmp_path):
        body = stored(tmp_path, b'{"error": {"message": "who are you"}}', status=401, content_type="application/json")
        error = ask(Case("openai-chat", "create", "refused", body, "error"))["error"]
        assert ("AuthenticationError", 401) == (error["class"], error["status"])

    def test_an_answer_is_remembered_until_the_body_changes(self, tmp_path):
        cache = tmp_path / "cache"
        case = Case("ollama", "create", "small", stored(tmp_path, bodies.OLLAMA, content_type=NDJSON))
        first, second = ask(case, cache), ask(case, cache)
        assert first == second
        assert 1 == len((cache / "ollama.jsonl").read_text().splitlines())
        case.body.path.write_bytes(bodies.OLLAMA.replace(b"umbrella", b"overcoat"))
        assert "Take an overcoat." == ask(case, cache)["text"]

    def test_what_no_longer_holds_is_forgotten(self, tmp_path):
        cache = tmp_path / "ollama.jsonl"
        cache.write_text('{"context": "older drivers", "case": "x", "answer": {}}\n{"context": "ha')
        ask(Case("ollama", "create", "small", stored(tmp_path, bodies.OLLAMA, content_type=NDJSON)), tmp_path)
        [line] = cache.read_text().splitlines()
        assert "Take an umbrella." == json.loads(line)["answer"]["text"]


def test_an_exception_takes_its_fields_from_the_oracle(tmp_path):
    answer = {"notes": [], "error": {"class": "TypeError", "message": "list indices must be integers, not None"}}
    fields = frozenset({"text", "usage"})
    body = stored(tmp_path, b"")
    assert frozenset() == oracle_fields(Case("openai-chat", "stream", "x", body), answer, fields)
    assert fields == oracle_fields(Case("openai-chat", "create", "x", body), answer, fields)


@pytest.mark.parametrize("protocol", STREAM_MODES)
class TestCorpus:
    pytestmark = corpus

    def test_exceptions_name_rows_that_are_there(self, protocol):
        named = {row for entry in reservations() if entry.protocol == protocol for row in entry.rows}
        assert named <= {row["id"] for row in corpus_rows(protocol)}

    @pytest.mark.slow
    @pytest.mark.referees
    @pytest.mark.skipif(not available(), reason="no .venv-referees: `make test` makes it")
    @pytest.mark.timeout(600)
    def test_every_failure_of_an_sdk_is_argued(self, protocol):
        failures = [
            (case.id, case.mode, answer["error"])
            for case, answer in corpus_answers(protocol)
            if case.kind != "error"
            and not answer["ok"]
            and (protocol, answer["error"]["class"]) not in agreed_failures()
            and not any(applying(case, answer))
        ]
        assert [] == failures
