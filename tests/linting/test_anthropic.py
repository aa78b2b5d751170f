"""Each rule of Anthropic Messages, by a stream that breaks it and no other."""

import pytest

from tests.linting.streams import END, Case, both, change, check, cut, drop, judged, named, put, sse, without
from weft.linting.anthropic_rules import RULES

GOLDEN = [
    {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": {"input_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t", "name": "get", "input": {}}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "1}"}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
]  # fmt: skip

CASES = [
    Case("anthropic/event-name", both(drop(7), put(7, sse(GOLDEN[7]))), 7),
    Case("anthropic/event-name", both(drop(7), put(7, b"event: message\n" + sse(GOLDEN[7]))), 7),
    Case("anthropic/type-missing", put(2, b"event: ping\ndata: {}\n\n"), 2),
    Case("anthropic/member", without(0, "message.content"), 0),
    Case("anthropic/member", without(0, "message.usage.input_tokens"), 0),
    Case("anthropic/member", change(6, "content_block.text", None), 6),
    Case("anthropic/member", without(13, "usage"), 13),
    Case("anthropic/member", both(change(10, "delta.partial_json", None), change(11, "delta.partial_json", "{}")), 10),
    Case("anthropic/first-message-start", drop(0), 0),
    Case("anthropic/message-start-twice", put(6, GOLDEN[0]), 6),
    Case("anthropic/index-order", both(*(change(at, "index", 3) for at in range(9, 13))), 9),
    Case("anthropic/index-reused", both(*(change(at, "index", 0) for at in range(6, 9)), *(change(at, "index", 1) for at in range(9, 13))), 6),
    Case("anthropic/blocks-concurrent", both(drop(8), put(12, GOLDEN[8])), 8),
    Case("anthropic/block-unknown", put(6, GOLDEN[7]), 6),
    Case("anthropic/block-unknown", put(6, GOLDEN[8]), 6),
    Case("anthropic/delta-after-stop", put(9, GOLDEN[7]), 9),
    Case("anthropic/delta-kind", put(8, GOLDEN[3] | {"index": 1}), 8),
    Case("anthropic/block-stopped-twice", put(9, GOLDEN[8]), 9),
    Case("anthropic/after-message-stop", put(15, {"type": "content_block_start", "index": 3, "content_block": {"type": "text", "text": ""}}, {"type": "content_block_stop", "index": 3}), 15),
    Case("anthropic/member", both(drop(7), change(6, "content_block", {"type": "redacted_thinking"})), 6),
    Case("anthropic/member", put(8, {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": {}}}), 8),
    Case("anthropic/unknown-event", put(2, {"type": "progress"}), 2),
    Case("anthropic/unknown-block", change(6, "content_block.type", "poem"), 6),
    Case("anthropic/unknown-delta", change(7, "delta.type", "rhyme"), 7),
    Case("anthropic/input-json", change(11, "delta.partial_json", "x}"), 12),
    Case("anthropic/input-json", change(11, "delta.partial_json", "1}{}"), 12),
    Case("anthropic/input-in-start", both(change(9, "content_block.input", {"a": 1}), drop(11), drop(10)), 9),
    Case("anthropic/block-not-stopped", drop(12), 9),
    Case("anthropic/stop-reason-missing", change(13, "delta.stop_reason", None), 14),
    Case("anthropic/message-stop-missing", drop(14), END),
    Case("anthropic/message-stop-missing", cut(0), END),
    Case("anthropic/error-form", both(cut(8), put(8, {"type": "error", "error": "boom"})), 8),
    Case("anthropic/error-form", both(cut(8), put(8, b'event: error\ndata: {"type":"error","code":500,"message":"m"}\n\n')), 8),
]  # fmt: skip


def test_good_stream_is_clean():
    assert [] == judged("anthropic", named, GOLDEN, lambda _: None)[0]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_rule_finds(case: Case):
    check("anthropic", named, GOLDEN, case)


def test_every_rule_is_tried():
    assert RULES.keys() == {case.rule for case in CASES}


@pytest.mark.parametrize(
    "edit",
    [
        put(0, {"type": "ping"}),
        put(15, {"type": "ping"}),
        put(15, b"data: [DONE]\n\n"),
        both(drop(11), drop(10)),
        change(11, "delta.partial_json", '"cut of'),
        both(cut(8), put(8, {"type": "error", "error": {"type": "overloaded_error", "message": "m"}})),
        both(cut(0), put(0, {"type": "error", "error": {"type": "overloaded_error", "message": "m"}})),
    ],
)
def test_what_no_client_minds_is_clean(edit):
    found, _ = judged("anthropic", named, GOLDEN, edit)
    assert [] == [finding for finding in found if finding.rule != "anthropic/event-name"]


def test_error_without_a_name_is_seen_by_nobody():
    found, _ = judged("anthropic", named, GOLDEN, both(cut(8), put(8, sse({"type": "error", "error": {"type": "api_error", "message": "m"}}))))  # fmt: skip
    assert [("anthropic/event-name", "ignore")] == [(finding.rule, finding.severity) for finding in found]
