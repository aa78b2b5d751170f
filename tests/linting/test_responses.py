"""Each rule of OpenAI Responses, by a stream that breaks it and no other."""

import pytest

from tests.linting.streams import END, Case, both, change, check, cut, drop, judged, named, put, twice, without
from weft.linting import all_rules
from weft.linting.responses_rules import RULES

RESPONSE = {"id": "resp_1", "created_at": 1, "model": "m", "status": "in_progress", "output": [], "usage": None}
THOUGHT = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm"}]}
PART = {"type": "output_text", "text": "Hello", "annotations": []}
MESSAGE = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [PART]}
CALL = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "get", "arguments": '{"a":1}', "status": "completed"}  # fmt: skip
USAGE = {
    "input_tokens": 1,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 2,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 3,
}
RS, MSG, FC = ({"item_id": name, "output_index": at} for at, name in enumerate(["rs_1", "msg_1", "fc_1"]))


def event(kind: str, **members: object) -> dict[str, object]:
    return {"type": f"response.{kind}", **members}


GOLDEN = [
    event("created", response=RESPONSE),
    event("in_progress", response=RESPONSE),
    event("output_item.added", output_index=0, item={"id": "rs_1", "type": "reasoning", "summary": []}),
    event("reasoning_summary_part.added", **RS, summary_index=0, part={"type": "summary_text", "text": ""}),
    event("reasoning_summary_text.delta", **RS, summary_index=0, delta="Hm"),
    event("reasoning_summary_text.done", **RS, summary_index=0, text="Hm"),
    event("reasoning_summary_part.done", **RS, summary_index=0, part={"type": "summary_text", "text": "Hm"}),
    event("output_item.done", output_index=0, item=THOUGHT),
    event("output_item.added", output_index=1, item=MESSAGE | {"content": []}),
    event("content_part.added", **MSG, content_index=0, part=PART | {"text": ""}),
    event("output_text.delta", **MSG, content_index=0, delta="Hel"),
    event("output_text.delta", **MSG, content_index=0, delta="lo"),
    event("output_text.done", **MSG, content_index=0, text="Hello"),
    event("content_part.done", **MSG, content_index=0, part=PART),
    event("output_item.done", output_index=1, item=MESSAGE),
    event("output_item.added", output_index=2, item=CALL | {"arguments": "", "status": "in_progress"}),
    event("function_call_arguments.delta", **FC, delta='{"a":1}'),
    event("function_call_arguments.done", **FC, arguments='{"a":1}'),
    event("output_item.done", output_index=2, item=CALL),
    event("completed", response=RESPONSE | {"status": "completed", "output": [THOUGHT, MESSAGE, CALL], "usage": USAGE}),
]
for number, frame in enumerate(GOLDEN):
    frame["sequence_number"] = 10 * number

SECOND = event("output_item.added", output_index=3, item=MESSAGE | {"id": "msg_2", "content": []}, sequence_number=65)
LATE = event("output_text.delta", **MSG, content_index=0, delta="!", sequence_number=149)
PING = event("ping", sequence_number=15)

CASES = [
    Case("responses/first-event-created", drop(0), 0),
    Case("responses/no-terminal", drop(19), END),
    Case("responses/no-terminal", both(cut(12), put(12, {"type": "error", "code": "x", "message": "y", "sequence_number": 999})), END),
    Case("responses/no-terminal", cut(0), END),
    Case("responses/after-terminal", put(20, event("in_progress", response=RESPONSE, sequence_number=999)), 20),
    Case("responses/type-missing", without(6, "type"), 6),
    Case("responses/unknown-event", put(2, PING), 2),
    Case("responses/member", both(change(10, "delta", None), change(11, "delta", "Hello")), 10),
    Case("responses/member", without(15, "item.call_id"), 15),
    Case("responses/member", without(18, "item.status"), 18),
    Case("responses/last-event", without(19, "response.id"), 19),
    Case("responses/last-event", without(19, "response.usage.input_tokens_details.cached_tokens"), 19),
    Case("responses/member", change(2, "item.summary", None), 2),
    Case("responses/member", change(8, "item.content", None), 8),
    Case("responses/sequence-number", without(5, "sequence_number"), 5),
    Case("responses/sequence-number", change(5, "sequence_number", 0), 5),
    Case("responses/response-id", change(19, "response.id", "resp_2"), 19),
    Case("responses/index-reused", both(put(19, SECOND | {"output_index": 2, "sequence_number": 185}), put(20, event("output_item.done", output_index=2, item=MESSAGE | {"id": "msg_2"}, sequence_number=186)), change(21, "response.output", None)), 19),
    Case("responses/item-not-added", drop(15), 15),
    Case("responses/item-not-done", drop(18), 15),
    Case("responses/item-id", change(13, "item_id", "other"), 13),
    Case("responses/item-identity", change(18, "item.call_id", "call_2"), 18),
    Case("responses/item-identity", change(19, "response.output.1.id", "msg_2"), 19),
    Case("responses/delta-after-done", put(15, LATE), 15),
    Case("responses/no-active-item", both(put(10, SECOND | {"sequence_number": 95}), put(11, event("output_item.done", output_index=3, item=MESSAGE | {"id": "msg_2"}, sequence_number=96)), change(21, "response.output", None)), 12),
    Case("responses/part-not-added", drop(9), 9),
    Case("responses/summary-not-added", drop(3), 3),
    Case("responses/keepalive", put(1, {"type": "keepalive", "sequence_number": 5}), 1),
    Case("responses/error-member", change(19, "error", {"message": "boom"}), 19),
    Case("responses/member", without(1, "response.output"), 1),
    Case("responses/last-event", without(19, "response.output"), 19),
    Case("responses/last-event", change(19, "response.output", {}), 19),
    Case("responses/last-event", change(19, "response.output.1.content", "Hello"), 19),
    Case("responses/item-identity", both(*(change(at, path, "tool_search_call") for at, path in ((15, "item.type"), (18, "item.type"), (19, "response.output.2.type"))), without(15, "item.id")), 18),
    Case("responses/part-twice", both(twice(9), change(10, "sequence_number", 95)), 10),
    Case("responses/part-index", both(*(change(at, "content_index", 1) for at in range(9, 14))), 9),
    Case("responses/output-lost", change(19, "response.output", [THOUGHT, MESSAGE]), 19),
    Case("responses/sum", change(12, "text", "Hell"), 12),
    Case("responses/sum", change(18, "item.arguments", "{}"), 18),
]  # fmt: skip


def test_good_stream_is_clean():
    assert [] == judged("openai-responses", named, GOLDEN, lambda _: None)[0]


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_rule_finds(case: Case):
    check("openai-responses", named, GOLDEN, case)


def test_every_rule_is_tried():
    assert RULES.keys() == {case.rule for case in CASES}


@pytest.mark.parametrize(
    "edit",
    [
        put(20, b"data: [DONE]\n\n"),
        put(1, b": keepalive\n\n"),
        change(19, "response.output", None),
        both(*(change(at, "output_index", 5) for at in range(15, 19))),
        both(drop(12), drop(12)),
    ],
    ids=["done", "comment", "output null", "a gap in the indices", "no text.done, no part.done"],
)
def test_what_no_client_minds_is_clean(edit):
    assert [] == judged("openai-responses", named, GOLDEN, edit)[0]


def test_only_those_that_fail_are_named():
    found, _ = judged("openai-responses", named, GOLDEN, without(0, "response.created_at"))
    assert [{"ai-sdk": "crash"}] == [finding.clients for finding in found]
    found, _ = judged("openai-responses", named, GOLDEN, without(15, "item.call_id"))
    assert [{"openai-python": "crash", "openai-js": "crash", "ai-sdk": "crash"}] == [
        finding.clients for finding in found
    ]


def test_error_that_codex_ignores_concerns_codex_alone():
    found, _ = judged("openai-responses", named, [*GOLDEN[:2], {"type": "error", "message": "m", "sequence_number": 99}], lambda _: None)  # fmt: skip
    assert [("responses/no-terminal", {"codex": "hang"})] == [(finding.rule, finding.clients) for finding in found]


def test_rules_of_the_transport_that_a_client_minds_count_too():
    assert {"transport/id-or-retry", "transport/event-without-data"} <= all_rules("openai-responses").keys()
    assert "transport/crlf" not in all_rules("openai-responses")
