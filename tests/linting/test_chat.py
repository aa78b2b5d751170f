"""Each rule of chat.completions, by a stream that breaks it and no other."""

from typing import Any

import pytest

from tests.linting.streams import END, Case, both, change, check, cut, drop, judged, put, sse, twice, without
from weft.linting.chat import RULES


def chunk(delta: Any, finish: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}


def call(index: int, arguments: Any, **more: Any) -> dict[str, Any]:
    name = {"name": more.pop("name")} if "name" in more else {}
    return {"tool_calls": [{"index": index, **more, "function": {**name, "arguments": arguments}}]}


DONE = b"data: [DONE]\n\n"
GOLDEN = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Hi"}),
    chunk(call(0, "", id="call_1", type="function", name="get")),
    chunk(call(0, '{"a":1}')),
    chunk(call(1, "{}", id="call_2", type="function", name="put")),
    chunk({}, "tool_calls"),
    {**chunk({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
    DONE,
]
FRAGMENT = "choices.0.delta.tool_calls.0"

CASES = [
    Case("chat/error-null", change(1, "error", None), 1),
    Case("chat/error-form", both(cut(2), put(2, {"error": "boom"})), 2),
    Case("chat/error-form", both(cut(2), put(2, {"object": "error", "message": "boom"})), 2),
    Case("chat/error-form", both(cut(2), put(2, {"error": {"code": 500}})), 2),
    Case("chat/object", without(1, "object"), 1),
    Case("chat/choices", change(6, "choices", None), 6),
    Case("chat/choices", both(cut(8), change(6, "choices", [None])), 6),
    Case("chat/member", change(1, "id", 7), 1),
    Case("chat/member", change(1, "created", "2026-11-19"), 1),
    Case("chat/member", change(1, "choices.0.logprobs", []), 1),
    Case("chat/member", change(1, "choices.0.delta.tool_calls", {}), 1),
    Case("chat/member", change(1, "choices.0.delta.refusal", {}), 1),
    Case("chat/member", change(0, "choices.0.delta.role", "model"), 0),
    Case("chat/choices", put(1, {"object": "chat.completion.chunk"}), 1),
    Case("chat/no-choice", cut(0), END),
    Case("chat/choice-index", without(1, "choices.0.index"), 1),
    Case("chat/choice-order", both(put(0, chunk({"role": "assistant"}, index=1)), put(7, chunk({}, "stop", index=1))), 0),
    Case("chat/delta", change(1, "choices.0.delta", None), 1),
    Case("chat/role-missing", without(0, "choices.0.delta.role"), 0),
    Case("chat/role-repeated", change(1, "choices.0.delta.role", "assistant"), 1),
    Case("chat/content", change(1, "choices.0.delta.content", [{"type": "text", "text": "Hi"}]), 1),
    Case("chat/call-index", without(3, f"{FRAGMENT}.index"), 3),
    Case("chat/call-order", both(*(change(at, f"{FRAGMENT}.index", 1) for at in (2, 3)), drop(4)), 2),
    Case("chat/call-order", change(4, f"{FRAGMENT}.index", 3), 4),
    Case("chat/call-shared-index", change(4, f"{FRAGMENT}.index", 0), 4),
    Case("chat/call-id-missing", without(4, f"{FRAGMENT}.id"), 4),
    Case("chat/call-type-missing", without(2, f"{FRAGMENT}.type"), 2),
    Case("chat/call-name-missing", without(2, f"{FRAGMENT}.function.name"), 2),
    Case("chat/call-id-repeated", change(3, f"{FRAGMENT}.id", "call_1"), 3),
    Case("chat/call-name-repeated", change(3, f"{FRAGMENT}.function.name", "get"), 3),
    Case("chat/call-function", without(3, f"{FRAGMENT}.function"), 3),
    Case("chat/call-arguments", change(3, f"{FRAGMENT}.function.arguments", {"a": 1}), 3),
    Case("chat/finish-missing", drop(5), END),
    Case("chat/finish-value", change(5, "choices.0.finish_reason", "eos"), 5),
    Case("chat/usage", without(6, "usage.prompt_tokens"), 6),
    Case("chat/after-done", put(8, chunk({"content": "late"})), 8),
]  # fmt: skip


def test_good_stream_is_clean():
    assert [] == judged("openai-chat", sse, GOLDEN, lambda _: None)[0]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_rule_finds(case: Case):
    check("openai-chat", sse, GOLDEN, case)


def test_every_rule_is_tried():
    assert RULES.keys() == {case.rule for case in CASES}


@pytest.mark.parametrize(
    "edit",
    [
        drop(7),
        drop(6),
        twice(5),
        put(0, b": hello\n\n"),
        change(3, f"{FRAGMENT}.id", ""),
        change(3, f"{FRAGMENT}.function.name", None),
        change(1, "usage", None),
        change(1, "created", 1.5),
        change(1, "id", None),
        change(1, "choices.0.logprobs", None),
        change(1, "choices.0.delta.tool_calls", None),
        both(put(6, chunk({"role": "assistant", "content": "B"}, "stop", index=1))),
        both(cut(2), put(2, {"error": {"message": "boom", "type": "server_error"}})),
    ],
)
def test_what_no_client_minds_is_clean(edit):
    assert [] == judged("openai-chat", sse, GOLDEN, edit)[0]


def test_an_empty_role_fails_one_provider_of_the_ai_sdk():
    found, _ = judged("openai-chat", sse, GOLDEN, change(1, "choices.0.delta.role", ""))
    assert [("chat/member", {"ai-sdk": "crash"})] == [(finding.rule, finding.clients) for finding in found]


def test_call_of_a_custom_tool_has_no_function():
    custom = {"tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": {"name": "sql", "input": ""}}]}
    golden = [GOLDEN[0], chunk(custom), GOLDEN[5], DONE]
    assert [] == judged("openai-chat", sse, golden, lambda _: None)[0]
