"""Responses events as the strictest clients want them: atlas 3.1, 4.5, 6.1b."""

import pytest

import weft
from tests.encoders.comparing import failed as is_failed
from tests.encoders.saying import (
    CALLED,
    OTHERS,
    STOP,
    USAGE,
    call,
    failed,
    opened,
    reasoning,
    refusal,
    said,
    start,
    text,
)
from tests.encoders.test_totality import encode
from weft import events as ev

OWN = ev.Origin("openai-responses")
CUT_CALL = [opened(0), ev.ArgsDelta(0, '{"a"'), ev.BlockEnd(0, False)]


def frames(*events, **context):
    return said("openai-responses", *events, **context)


def kinds(out):
    return [frame["type"].removeprefix("response.") for frame in out]


def items(out):
    return out[-1]["response"]["output"]


def read_back(*events):
    out, _ = encode(
        "openai-responses", [each for part in events for each in (part if isinstance(part, list) else [part])]
    )
    return weft.collect(weft.read(out, "openai-responses"))


def full():
    thought = reasoning(0, ("Think.", 0, "summary"), states=(("ENC", OWN, None, None, True),))
    return frames(start(), thought, text(1, "Hello"), call(2, '{"a":1}'), USAGE, ev.End("completed", CALLED, USAGE))


def test_the_golden_order():
    out, lost = full()
    assert [
        *["created", "in_progress"],
        *["output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta"],
        *["reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done"],
        *["output_item.added", "content_part.added", "output_text.delta"],
        *["output_text.done", "content_part.done", "output_item.done"],
        *["output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"],
        "completed",
    ] == kinds(out)
    assert {} == lost


def test_numbers_run_on_and_the_response_keeps_its_id():
    out, _ = full()
    assert [*range(len(out))] == [frame["sequence_number"] for frame in out]
    assert {"m1"} == {frame["response"]["id"] for frame in out if "response" in frame}


def test_an_item_is_the_same_from_its_announcement_to_the_output():
    out, _ = full()
    added = [frame["item"] for frame in out if frame["type"].endswith("item.added")]
    done = [frame["item"] for frame in out if frame["type"].endswith("item.done")]
    assert done == items(out)
    names = ("id", "type", "call_id")
    assert [[item.get(name) for name in names] for item in added] == [
        [item.get(name) for name in names] for item in done
    ]
    assert len({item["id"] for item in done}) == len(done)


def test_every_event_of_an_item_says_where_it_belongs():
    out, _ = full()
    ids = [item["id"] for item in items(out)]
    assert [] == [frame for frame in out if "item_id" in frame and ids[frame["output_index"]] != frame["item_id"]]


def test_announcements_have_the_members_that_clients_append_to():
    added = [frame["item"] for frame in full()[0] if frame["type"].endswith("item.added")]
    assert ([], [], "") == (added[0]["summary"], added[1]["content"], added[2]["arguments"])
    assert ("in_progress", "in_progress") == (added[1]["status"], added[2]["status"])


def test_the_final_response_has_all_that_clients_insist_on():
    response = full()[0][-1]["response"]
    counts = {"input_tokens": 12, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 5, "total_tokens": 17}
    assert counts | {"output_tokens_details": {"reasoning_tokens": 2}} == response["usage"]
    assert ("completed", None, None) == (response["status"], response["error"], response["incomplete_details"])
    assert {"created_at", "model", "tools", "tool_choice", "parallel_tool_calls", "text", "metadata"} <= response.keys()


def test_usage_that_nobody_gave_is_null():
    assert frames(start(), text(0, "a"), ev.End("completed", STOP))[0][-1]["response"]["usage"] is None


@pytest.mark.parametrize(
    ("reason", "status", "why", "lost"),
    [
        ("stop", "completed", None, {}),
        ("tool_calls", "completed", None, {"finish_other": 1}),
        ("length", "incomplete", "max_output_tokens", {}),
        ("content_filter", "incomplete", "content_filter", {}),
        ("refusal", "completed", None, {"finish_other": 1}),
        ("pause", "completed", None, {"finish_other": 1}),
        ("other", "completed", None, {"finish_other": 1}),
        (None, "completed", None, {}),
    ],
)
def test_every_finish_has_its_status(reason, status, why, lost):
    outcome = "incomplete" if reason in ("length", "content_filter") else "completed"
    out, said_lost = frames(start(), text(0, "a"), ev.End(outcome, (ev.Finish(0, reason, reason),)))
    response = out[-1]["response"]
    assert (f"response.{status}", status) == (out[-1]["type"], response["status"])
    assert why == (response["incomplete_details"] or {}).get("reason")
    assert lost == said_lost


@pytest.mark.parametrize("kind", ["overloaded", "truncated", "cancelled"])
@pytest.mark.parametrize("content", [[], text(0, "a"), CUT_CALL])
def test_what_ended_badly_fails_and_its_items_are_closed(kind, content):
    out, lost = frames(start(), content, failed(kind))
    assert ("response.failed", "failed", "busy") == (
        out[-1]["type"], out[-1]["response"]["status"], out[-1]["response"]["error"]["message"]
    )  # fmt: skip
    assert kinds(out).count("output_item.added") == kinds(out).count("output_item.done")
    assert {} == lost
    assert is_failed(read_back(start(), content, failed(kind)))


@pytest.mark.parametrize("content", [CUT_CALL, [*text(0, "a")[:-1], ev.BlockEnd(0, False)]])
def test_what_was_cut_off_is_incomplete(content):
    out, lost = frames(start(), content, ev.End("incomplete", (ev.Finish(0, "length"),)))
    assert ["incomplete"] == [item["status"] for item in items(out)]
    assert {} == lost


@pytest.mark.parametrize(
    ("kind", "code"),
    [("rate_limit", "rate_limit_exceeded"), ("billing", "insufficient_quota"), ("context_length", "context_length_exceeded"),
     ("overloaded", "server_is_overloaded"), ("server", "server_error"), ("truncated", "server_error")],
)  # fmt: skip
def test_errors_have_codes_that_clients_act_on(kind, code):
    assert code == frames(start(), failed(kind))[0][-1]["response"]["error"]["code"]


def test_a_wait_is_said_in_words():
    out, lost = frames(start(), failed("rate_limit", "Slow down.", retry_after=3.0))
    assert "Slow down. Please try again in 3s." == out[-1]["response"]["error"]["message"]
    assert {} == lost


def test_a_refusal_is_a_part_of_its_own():
    out, lost = frames(start(), refusal(0, "No."), ev.End("completed", (ev.Finish(0, "refusal"),)))
    assert ["content_part.added", "refusal.delta", "refusal.done", "content_part.done"] == kinds(out)[3:7]
    assert [{"type": "refusal", "refusal": "No."}] == items(out)[0]["content"]
    assert {} == lost


def test_raw_reasoning_has_content():
    out, lost = frames(start(), reasoning(0, ("Hm", 0, "raw")), ev.End("completed", STOP))
    assert ["content_part.added", "reasoning_text.delta", "reasoning_text.done", "content_part.done"] == kinds(out)[3:7]
    assert [{"type": "reasoning_text", "text": "Hm"}] == items(out)[0]["content"]
    assert {} == lost


@pytest.mark.parametrize("profile", ["codex", "ai-sdk"])
def test_a_client_that_shows_summaries_alone_gets_one(profile):
    out, lost = frames(start(), reasoning(0, ("Hm", 0, "raw")), ev.End("completed", STOP), profile=profile)
    assert [{"type": "summary_text", "text": "Hm"}] == items(out)[0]["summary"]
    assert {"reasoning_form": 1} == lost


def test_two_summaries_are_numbered():
    out, lost = frames(start(), reasoning(0, ("a", 0, "summary"), ("b", 1, "summary")), ev.End("completed", STOP))
    assert [0, 1] == [frame["summary_index"] for frame in out if frame["type"].endswith("part.added")]
    assert ["a", "b"] == [part["text"] for part in items(out)[0]["summary"]]
    assert {} == lost


def test_encrypted_reasoning_alone_has_no_parts():
    out, lost = frames(start(), reasoning(0, states=(("ENC", OWN, None, None, True),)), ev.End("completed", STOP))
    assert ["output_item.added", "output_item.done"] == kinds(out)[2:-1]
    assert ([], "ENC") == (items(out)[0]["summary"], items(out)[0]["encrypted_content"])
    assert {} == lost


@pytest.mark.parametrize("encrypted", [True, False])
def test_state_of_another_origin_is_wrapped_and_comes_back(encrypted):
    told = read_back(
        start(),
        reasoning(0, ("a", 0, "raw"), states=(("S", OTHERS, None, None, encrypted),)),
        ev.End("completed", STOP),
    )
    assert [("S", OTHERS, encrypted)] == [
        (each.value, each.origin, each.encrypted) for each in told.blocks[0].signatures
    ]


def test_text_of_one_item_is_one_message_and_text_after_a_call_is_another():
    parts = [ev.BlockStart(0, "text", item=0), ev.TextDelta(0, "a"), ev.BlockEnd(0, True)]
    more = [ev.BlockStart(1, "text", item=0), ev.TextDelta(1, "b"), ev.BlockEnd(1, True)]
    out, lost = frames(start(), parts, more, call(2, "{}"), text(3, "c"), ev.End("completed", CALLED))
    assert ["message", "function_call", "message"] == [item["type"] for item in items(out)]
    assert ["a", "b"] == [part["text"] for part in items(out)[0]["content"]]
    assert [0, 1, 0] == [frame["content_index"] for frame in out if frame["type"].endswith("content_part.added")]
    assert {} == lost


def test_interleaved_calls_are_put_in_a_row():
    out, lost = frames(
        start(), opened(0, "a"), opened(1, "b"), ev.ArgsDelta(1, "{"), ev.ArgsDelta(0, "{"), ev.ArgsDelta(1, "}"),
        ev.ArgsDelta(0, "}"), ev.BlockEnd(1, True), ev.BlockEnd(0, True), ev.End("completed", CALLED),
    )  # fmt: skip
    assert [0] * 5 + [1] * 5 == [frame["output_index"] for frame in out if "output_index" in frame]
    assert [("a", "{}"), ("b", "{}")] == [(item["name"], item["arguments"]) for item in items(out)]
    assert {} == lost


def test_a_call_without_arguments_has_an_empty_object():
    assert "{}" == items(frames(start(), call(0), ev.End("completed", CALLED))[0])[0]["arguments"]


def test_a_custom_tool_has_its_input_as_text():
    out, lost = frames(start(), call(0, "a ", "b", tool="custom"), ev.End("completed", CALLED))
    assert ["output_item.added", *["custom_tool_call_input.delta"] * 2, "custom_tool_call_input.done"] == kinds(out)[
        2:6
    ]
    assert ("custom_tool_call", "a b") == (items(out)[0]["type"], items(out)[0]["input"])
    assert {} == lost


def test_a_citation_is_said_and_stays_in_its_part():
    note = ev.Annotation(0, "url_citation", 0, 1, "https://a.example", "A")
    out, lost = frames(
        start(), ev.BlockStart(0, "text"), ev.TextDelta(0, "a"), note, ev.BlockEnd(0, True), ev.End("completed", STOP)
    )
    citation = {"type": "url_citation", "start_index": 0, "end_index": 1, "url": "https://a.example", "title": "A"}
    assert [citation] == [frame["annotation"] for frame in out if frame["type"].endswith("annotation.added")]
    assert [citation] == items(out)[0]["content"][0]["annotations"]
    assert {} == lost


def test_log_probabilities_are_repeated_whole():
    entry = {"token": "a", "logprob": -0.1, "top_logprobs": []}
    spoken = [
        ev.BlockStart(0, "text"),
        ev.TextDelta(0, "a", [entry]),
        ev.TextDelta(0, "a", [entry]),
        ev.BlockEnd(0, True),
    ]
    out, lost = frames(start(), spoken, ev.End("completed", STOP))
    assert [entry] * 2 == next(frame["logprobs"] for frame in out if frame["type"].endswith("text.done"))
    assert [entry] * 2 == items(out)[0]["content"][0]["logprobs"]
    assert {} == lost


def test_an_image_is_an_item_with_its_previews():
    shown = [ev.BlockStart(0, "file"), ev.File(0, "image/png", "cA==", partial=True), ev.File(0, "image/png", "aGk=")]
    out, lost = frames(start(), shown, ev.BlockEnd(0, True), ev.End("completed", STOP))
    assert ["in_progress", "generating", "partial_image", "completed"] == [
        kind.removeprefix("image_generation_call.") for kind in kinds(out)[3:7]
    ]
    assert ("aGk=", "completed") == (items(out)[0]["result"], items(out)[0]["status"])
    assert {} == lost


def test_a_result_in_this_protocols_own_form_is_said_in_it():
    raw = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}}
    ran = [
        ev.BlockStart(0, "tool_call", item_id="ws_1", id="ws_1", name="web_search", executor="provider"),
        ev.Opaque(0, raw, OWN),
    ]
    result = [
        ev.BlockStart(1, "tool_result", item_id="ws_1", id="ws_1"),
        ev.Result(1, "ws_1", "x"),
        ev.BlockEnd(1, True),
    ]
    out, lost = frames(start(), ran, ev.BlockEnd(0, True), result, ev.End("completed", STOP))
    assert ([raw], {}) == (items(out), lost)


def test_a_result_belongs_to_the_item_of_its_call_wherever_it_stands():
    raw = [{"id": id, "type": "web_search_call", "status": "completed"} for id in ("ws_0", "ws_1")]
    ran = [
        [
            ev.BlockStart(n, "tool_call", item_id=f"ws_{n}", id=f"ws_{n}", name="web_search", executor="provider"),
            ev.Opaque(n, raw[n], OWN),
            ev.BlockEnd(n, True),
        ]
        for n in (0, 1)
    ]
    result = [
        ev.BlockStart(2, "tool_result", item_id="ws_0", id="ws_0"),
        ev.Result(2, "ws_0", "x"),
        ev.BlockEnd(2, True),
    ]
    out, lost = frames(start(), *ran, result, ev.End("completed", STOP))
    assert (raw, {}) == (items(out), lost)


def test_what_another_provider_ran_is_named():
    ran = call(0, "{}", executor="provider")
    result = [ev.BlockStart(1, "tool_result", id="call_0"), ev.Result(1, "call_0", "x"), ev.BlockEnd(1, True)]
    out, lost = frames(start(), ran, result, ev.End("completed", STOP))
    assert ([], {"executor": 1, "tool_result": 1}) == (items(out), lost)


def test_a_model_that_becomes_known_late_is_named_at_the_end():
    out, lost = frames(ev.Start("m1"), text(0, "a"), ev.Meta("model", "m-2"), ev.End("completed", STOP))
    assert ("m-2", {}) == (out[-1]["response"]["model"], lost)


@pytest.mark.parametrize(("tool", "prefix"), [("shell", "sh"), ("local_shell", "lsh"), ("apply_patch", "apc")])
def test_a_tool_with_an_item_of_its_own_kind_is_said_when_it_is_whole(tool, prefix):
    out, lost = frames(start(), call(0, '{"command":', '["ls"]}', tool=tool), ev.End("completed", CALLED))
    assert ["output_item.added", "output_item.done"] == kinds(out)[2:-1]
    (item,) = items(out)
    assert (f"{tool}_call", f"{prefix}_m1_0", "completed") == (item["type"], item["id"], item["status"])
    assert {"command": ["ls"]} == item["operation" if tool == "apply_patch" else "action"]
    assert {} == lost


def test_a_tool_of_its_own_kind_that_was_cut_off_is_never_said_to_be_completed():
    whole = call(0, '{"command":["rm"]}', complete=False, tool="local_shell")
    (item,) = items(frames(start(), whole, ev.End("incomplete", (ev.Finish(reason="length"),)))[0])
    assert ("local_shell_call", "incomplete") == (item["type"], item["status"])


@pytest.mark.parametrize("pieces", [(), ('{"command":["r',)])
def test_cut_arguments_of_a_tool_of_its_own_kind_stay_as_they_came(pieces):
    out, lost = frames(start(), call(0, *pieces, complete=False, tool="shell"), ev.End("completed", STOP))
    (item,) = items(out)
    assert ("function_call", "".join(pieces), "incomplete") == (item["type"], item["arguments"], item["status"])
    assert {"tool_kind": 1} == lost


def test_log_probabilities_of_a_refusal_have_no_place():
    spoken = [ev.BlockStart(0, "refusal"), ev.RefusalDelta(0, "No.", [{"token": "No.", "logprob": -1}])]
    out, lost = frames(start(), spoken, ev.BlockEnd(0, True), ev.End("completed", STOP))
    assert "refusal.delta" in kinds(out)
    assert "output_text.delta" not in kinds(out)
    assert {"logprobs": 1} == lost


def test_log_probabilities_that_are_no_list_of_tokens_are_lost():
    spoken = [ev.BlockStart(0, "text"), ev.TextDelta(0, "a", {"tokens": ["a"], "token_logprobs": [-1.0]})]
    out, lost = frames(start(), spoken, ev.BlockEnd(0, True), ev.End("completed", STOP))
    assert ["a"] == [frame["delta"] for frame in out if frame["type"] == "response.output_text.delta"]
    assert {"logprobs": 1} == lost


def test_who_served_is_lost_by_name():
    assert {"meta": 1} == frames(ev.Start("m1", "m", "somebody"), ev.End("completed", STOP))[1]


def test_what_the_same_protocol_said_of_its_response_is_said_again_from_the_first_event():
    own = ev.Meta("response", {"temperature": 0.2, "instructions": "Be brief."})
    out, lost = frames(
        start(), own, text(0, "Hi"), ev.Meta("completed_at", 7), ev.End("completed", STOP), request={"temperature": 1}
    )
    told = [frame["response"] for frame in out if "response" in frame]
    assert [(1, "Be brief.")] * 3 == [(response["temperature"], response["instructions"]) for response in told]
    assert [None, None, 7] == [response.get("completed_at") for response in told]
    assert {} == lost


def test_codex_gets_a_refusal_as_text_since_it_drops_a_message_with_one():
    out, lost = frames(start(), refusal(0, "No."), ev.End("completed", (ev.Finish(reason="refusal"),)), profile="codex")
    assert ["output_text"] == [part["type"] for part in items(out)[0]["content"]]
    assert "No." == items(out)[0]["content"][0]["text"]
    assert {"refusal", "finish_other"} == set(lost)
    assert ["refusal"] == [part["type"] for part in items(frames(start(), refusal(0, "No."), ev.End("completed", STOP))[0])[0]["content"]]  # fmt: skip


def test_a_failure_says_its_type_beside_the_general_code():
    """Codes are a closed set, in which nearly all is a server's error; what a client has to do depends on the type."""
    out, lost = frames(start(), failed("authentication", "Who are you?"))
    assert {"code": "server_error", "message": "Who are you?", "type": "authentication"} == out[-1]["response"]["error"]
    assert {} == lost
    out, lost = frames(start(), failed("overloaded", code="engine_overloaded_error"))
    assert ("server_is_overloaded", {"error_detail": 1}) == (out[-1]["response"]["error"]["code"], lost)
    assert (
        "messages[0]" == frames(start(), failed("server", parameter="messages[0]"))[0][-1]["response"]["error"]["param"]
    )
