"""Answers of servers whose own form is not chat's: text, and what each puts beside it."""

import json
from typing import Any

import pytest

from tests.protocols.wire import message, ndjson, sse
from weft.detect import LIKELY, detect
from weft.testing import check_prefixes

CLOUDFLARE = sse(
    {"response": "It ", "p": "ab"},
    {"response": "is.", "tool_calls": [], "p": "a"},
    {"response": None, "usage": {"prompt_tokens": 5, "completion_tokens": 9, "total_tokens": 14}},
    done=True,
)
TGI = sse(
    {"index": 1, "token": {"id": 7, "text": "It ", "logprob": -0.1, "special": False}, "generated_text": None, "details": None},
    {"index": 2, "token": {"id": 8, "text": "is.", "logprob": -0.2, "special": False}, "generated_text": None, "details": None},
    {
        "index": 3, "token": {"id": 2, "text": "</s>", "logprob": 0, "special": True}, "generated_text": "It is.",
        "details": {"finish_reason": "eos_token", "generated_tokens": 9, "input_length": 5, "seed": None},
    },
)  # fmt: skip
LLAMA_CPP = sse(
    {"index": 0, "content": "It ", "tokens": [1], "stop": False, "id_slot": -1},
    {"index": 0, "content": "is.", "tokens": [2], "stop": False, "id_slot": -1},
    {"index": 0, "content": "", "stop": True, "stop_type": "eos", "tokens_evaluated": 5, "tokens_predicted": 9},
)
WATSONX = sse(
    {"model_id": "g", "results": [{"generated_text": "It ", "generated_token_count": 4, "input_token_count": 5, "stop_reason": "not_finished"}]},
    {"model_id": "g", "results": [{"generated_text": "is.", "generated_token_count": 9, "input_token_count": 0, "stop_reason": "eos_token"}]},
)  # fmt: skip
COUNTED = {"input_tokens": 5, "output_tokens": 9, "total_tokens": 14}
DASHSCOPE = sse(
    {"output": {"choices": [{"message": {"content": "It ", "role": "assistant"}, "finish_reason": "null"}]}, "usage": COUNTED},
    {"output": {"choices": [{"message": {"content": [{"text": "is."}], "role": "assistant"}, "finish_reason": "stop"}]}, "usage": COUNTED},
)  # fmt: skip
DASHSCOPE_TEXT = sse(
    {"output": {"text": "It ", "finish_reason": "null"}, "usage": COUNTED, "request_id": "r"},
    {"output": {"text": "is.", "finish_reason": "stop"}, "usage": COUNTED, "request_id": "r"},
)
ERNIE = sse(
    {"id": "as-1", "result": "It ", "is_end": False, "usage": {"prompt_tokens": 5, "completion_tokens": 4}},
    {"id": "as-1", "result": "is.", "is_end": True, "finish_reason": "normal", "usage": {"prompt_tokens": 5, "completion_tokens": 9}},
)  # fmt: skip
FORMS = {
    "Cloudflare": (CLOUDFLARE, None),
    "TGI": (TGI, "stop"),
    "llama.cpp": (LLAMA_CPP, "stop"),
    "watsonx": (WATSONX, "stop"),
    "DashScope": (DASHSCOPE, "stop"),
    "DashScope, text": (DASHSCOPE_TEXT, "stop"),
    "ERNIE": (ERNIE, "stop"),
}


@pytest.mark.parametrize(("data", "finish"), FORMS.values(), ids=FORMS)
def test_a_form_of_its_own_is_read(data: bytes, finish: str | None):
    got = message(data, "openai-chat")
    assert ("It is.", "completed", finish) == (got.text, got.outcome, got.finish)
    assert ([], []) == (got.unknown, got.notes)
    assert (5, 9) == (got.usage.input_tokens, got.usage.output_tokens)


@pytest.mark.parametrize(("data", "finish"), FORMS.values(), ids=FORMS)
def test_it_is_known_by_sight(data: bytes, finish: str | None):
    best = detect(data)[0]
    assert ("openai-chat", True, True) == (best.protocol, best.confidence >= LIKELY, best.reads)


@pytest.mark.parametrize(("data", "finish"), FORMS.values(), ids=FORMS)
def test_half_of_it_is_never_whole(data: bytes, finish: str | None):
    check_prefixes("openai-chat", data, rounds=40)


@pytest.mark.parametrize(
    "reply",
    [
        {"result": {"response": "It is.", "usage": {"prompt_tokens": 5, "completion_tokens": 9}}, "success": True, "errors": []},
        {"result": {"response_text": "It is.", "usage": {"prompt_tokens": 5, "completion_tokens": 9}}, "success": True, "errors": []},
        {"result": {"object": "chat.completion", "choices": [{"message": {"content": "It is."}, "finish_reason": "stop"}],
                    "usage": {"prompt_tokens": 5, "completion_tokens": 9}}, "success": True, "errors": []},
        {"generated_text": "It is.", "details": {"finish_reason": "eos_token", "generated_tokens": 9, "input_length": 5}},
        {"content": "It is.", "stop": True, "stop_type": "word", "tokens_evaluated": 5, "tokens_predicted": 9},
    ],
    ids=["Cloudflare", "Cloudflare's Nemotron", "Cloudflare with choices", "TGI", "llama.cpp"],
)  # fmt: skip
def test_a_whole_reply_is_read(reply: dict[str, Any]):
    got = message(json.dumps(reply).encode(), "openai-chat")
    assert ("It is.", "completed", 5, 9) == (got.text, got.outcome, got.usage.input_tokens, got.usage.output_tokens)
    assert ([], []) == (got.unknown, got.notes)


def test_lines_of_a_form_are_read_as_well():
    frames = [{"content": "It ", "stop": False}, {"content": "is", "stop": True, "stop_type": "limit"}]
    got = message(ndjson(*frames), "openai-chat")
    assert ("It is", "incomplete", "length") == (got.text, got.outcome, got.finish)


def test_calls_of_cloudflare_s_keep_their_own_text():
    data = b'{"response":null,"tool_calls":[{"name":"look","arguments":{"a": 1.0}}]}\n'
    got = message(data + b'{"response":"","tool_calls":[{"name":"go","arguments":{}}]}\n[DONE]\n', "openai-chat")
    assert [("look", '{"a": 1.0}', True), ("go", "{}", True)] == [
        (call.name, call.raw, call.complete) for call in got.tool_calls
    ]
    assert ("completed", [], []) == (got.outcome, got.unknown, got.notes)


def test_a_call_of_an_odd_shape_is_noted():
    got = message(sse({"response": "Hi", "tool_calls": [{"name": 5}]}, done=True), "openai-chat")
    assert ("Hi", [], ["broken_part"]) == (got.text, got.tool_calls, [note.code for note in got.notes])


def test_a_failure_in_a_form_of_its_own_is_a_failure():
    told = {"result": None, "success": False, "errors": [{"code": 7003, "message": "No route."}], "messages": []}
    got = message(json.dumps(told).encode(), "openai-chat")
    assert ("failed", "No route.") == (got.outcome, got.error.message)


def test_completions_are_known_as_what_they_are_read_as():
    frame = {"object": "text_completion", "choices": [{"text": "x", "index": 0, "finish_reason": "length"}]}
    best = detect(sse(frame, done=True))[0]
    assert ("openai-chat", True) == (best.protocol, best.confidence >= LIKELY)


def test_an_empty_message_at_first_begins_no_sum():
    """Perplexity's steps: the first frames have a message, those with the answer have none, the last has all of it."""
    frames = [
        {"choices": [{"index": 0, "delta": {"content": ""}, "message": {"role": "assistant", "content": ""}}]},
        {"choices": [{"index": 0, "delta": {"content": "It is."}}]},
        {"choices": [{"index": 0, "delta": {"content": ""}, "message": {"role": "assistant", "content": "It is."}, "finish_reason": "stop"}]},
    ]  # fmt: skip
    assert "It is." == message(sse(*frames), "openai-chat").text
