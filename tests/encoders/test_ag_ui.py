"""AG-UI: the order that its clients check, and what a front end has to answer (atlas 3.7, A.7)."""

import json

import pytest
from hypothesis import given

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import converted, fixtures, recorded, whole, words
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
from tests.strategies import legal_streams
from weft import events as ev
from weft.carried import unwrapped
from weft.errors import make_error

TARGET = "ag-ui"
RUN = {"threadId": "thread_r1", "runId": "run_r1"}
USAGE = {
    "provider": "p",
    "model": "m",
    "inputTokens": 10,
    "outputTokens": 5,
    "totalTokens": 15,
    "reasoningTokens": 2,
    "cachedInputTokens": 4,
    "cacheWriteInputTokens": 3,
}
ENDS = {
    "TEXT_MESSAGE_START": "TEXT_MESSAGE_END",
    "REASONING_START": "REASONING_END",
    "REASONING_MESSAGE_START": "REASONING_MESSAGE_END",
    "TOOL_CALL_START": "TOOL_CALL_END",
    "STEP_STARTED": "STEP_FINISHED",
}


def types(events: list[dict]) -> list[str]:
    return [event["type"] for event in events]


def only(kind: str, events: list[dict]) -> list[dict]:
    return [event for event in events if event["type"] == kind]


def check_order(events: list[dict]) -> None:
    """What @ag-ui/client's verification refuses: a second start, what is not open, an end with anything open, anything after it."""
    open_: dict[tuple[str, str], bool] = {}
    assert "RUN_STARTED" == events[0]["type"]
    assert {"RUN_FINISHED", "RUN_ERROR"} & {events[-1]["type"]}
    assert not {"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"} & set(types(events[1:-1]))
    for event in events:
        id = event.get("messageId") or event.get("toolCallId") or event.get("stepName") or ""
        kind = event["type"]
        if kind in ENDS:
            assert (ENDS[kind], id) not in open_
            open_[ENDS[kind], id] = True
        elif kind in ENDS.values():
            assert open_.pop((kind, id))
        elif kind.endswith(("_CONTENT", "_ARGS")):
            end = kind.replace("_CONTENT", "_END").replace("_ARGS", "_END")
            assert open_[end, id]
            assert event["delta"]
    assert {} == open_


def test_the_golden_order():
    """Atlas 3.7.2."""
    events, lost = told(
        TARGET,
        thought(0, "Hm."),
        text(1, "Hel", "lo"),
        call(2, '{"a"', ":1}"),
        result(3, "c2", "ok"),
        ev.Meta("provider", "p"),
        ev.Meta("model", "m"),
        ev.Usage(10, 5, 15, 4, 3, 2),
        CALLED,
    )
    assert [
        {"type": "RUN_STARTED", **RUN},
        {"type": "REASONING_START", "messageId": "reasoning_r1_0"},
        {"type": "REASONING_MESSAGE_START", "messageId": "reasoning_r1_0", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "reasoning_r1_0", "delta": "Hm."},
        {"type": "REASONING_MESSAGE_END", "messageId": "reasoning_r1_0"},
        {"type": "REASONING_END", "messageId": "reasoning_r1_0"},
        {"type": "TEXT_MESSAGE_START", "messageId": "msg_r1_1", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "msg_r1_1", "delta": "Hel"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "msg_r1_1", "delta": "lo"},
        {"type": "TEXT_MESSAGE_END", "messageId": "msg_r1_1"},
        {"type": "TOOL_CALL_START", "toolCallId": "c2", "toolCallName": "look", "parentMessageId": "msg_r1_1"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c2", "delta": '{"a"'},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c2", "delta": ":1}"},
        {"type": "TOOL_CALL_END", "toolCallId": "c2"},
        {"type": "TOOL_CALL_RESULT", "messageId": "result_r1_2", "toolCallId": "c2", "content": "ok"},
        {
            "type": "RUN_FINISHED",
            **RUN,
            "result": {"finishReason": "tool_calls", "rawFinishReason": "tool_calls"},
            "usage": [USAGE],
        },
    ] == events
    assert [] == lost


def test_frames_are_data_lines_and_nothing_marks_their_end():
    """Atlas 3.7.1: [DONE] and CRLF break the client."""
    out, _ = encode(TARGET, [ev.Start("r1"), *text(0, "a\u2028b"), STOP])
    assert b"[DONE]" not in out
    assert b"\r" not in out
    assert b"a\\u2028b" in out
    assert all(frame.startswith(b"data: {") for frame in out.split(b"\n\n")[:-1])


def test_thread_run_and_time_are_the_callers_or_the_sources():
    context = {"thread_id": "t", "run_id": "r", "response_id": "x"}
    out, _ = encode(TARGET, [ev.Start("m1", created=7.5), *text(0, "a"), STOP], **context)
    started, message = (json.loads(line[6:]) for line in out.split(b"\n\n")[:2])
    assert {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "timestamp": 7500} == started
    assert "msg_x_0" == message["messageId"]


# -- messages and calls --------------------------------------------------------------------------------------------


def test_a_call_without_a_text_before_it_has_a_message_that_others_share():
    events, _ = told(TARGET, thought(0, "Hm."), call(1, "{}"), call(2, "{}"), CALLED)
    first, second = (event["parentMessageId"] for event in only("TOOL_CALL_START", events))
    assert first == second
    assert first not in [event.get("messageId") for event in events]


def test_a_call_after_a_result_is_a_message_of_its_own():
    events, _ = told(TARGET, text(0, "a"), call(1, "{}"), result(2, "c1", "ok"), call(3, "{}"), CALLED)
    first, second = (event["parentMessageId"] for event in only("TOOL_CALL_START", events))
    assert first != second


def test_every_text_is_a_message_of_its_own():
    events, lost = told(TARGET, text(0, "a"), call(1, "{}"), text(2, "b"), CALLED)
    ids = [event["messageId"] for event in only("TEXT_MESSAGE_START", events)]
    assert (2, []) == (len(set(ids)), lost)


def test_texts_and_calls_may_be_open_together():
    """A.8."""
    both = [ev.BlockStart(0, "text"), ev.TextDelta(0, "a"), ev.BlockStart(1, "tool_call", id="c", name="f")]
    events, _ = told(
        TARGET, both, ev.ArgsDelta(1, "{}"), ev.TextDelta(0, "b"), ev.BlockEnd(0, True), ev.BlockEnd(1, True), CALLED
    )
    check_order(events)
    assert ["a", "b"] == [event["delta"] for event in only("TEXT_MESSAGE_CONTENT", events)]


def test_a_second_call_of_an_id_gets_another():
    """Measured: the client appends its arguments to the first call's."""
    events, lost = told(TARGET, call(0, "{}", id="x"), call(1, '{"b":1}', id="x"), CALLED)
    assert ["x", "x-1"] == [event["toolCallId"] for event in only("TOOL_CALL_START", events)]
    assert ["tool_call_id"] == lost


def test_the_input_of_a_custom_tool_is_an_argument():
    events, lost = told(TARGET, call(0, 'say "hi"', "\n", tool="custom"), CALLED)
    args = "".join(event["delta"] for event in only("TOOL_CALL_ARGS", events))
    assert ({"input": 'say "hi"\n'}, ["tool_kind"]) == (json.loads(args), lost)


def test_parts_of_reasoning_are_messages_in_one_span():
    parts = [ev.ReasoningDelta(0, "One.", 0, "summary"), ev.ReasoningDelta(0, "Two.", 1, "summary")]
    events, lost = told(TARGET, block(0, "reasoning", *parts), STOP)
    assert [1, 2, 2, 1] == [
        types(events).count(f"REASONING_{name}") for name in ("START", "MESSAGE_START", "MESSAGE_END", "END")
    ]
    check_order(events)
    assert ["reasoning_form"] == lost


@pytest.mark.parametrize(
    ("kind", "subtype", "inside"),
    [("reasoning", "message", []), ("text", "message", []), ("tool_call", "tool-call", [ev.ArgsDelta(0, "{}")])],
)
def test_state_goes_with_its_message_or_call_and_says_whose_it_is(kind, subtype, inside):
    """Atlas 4.2: the front end brings it back unread."""
    state = ev.Signature(0, "s", CLAUDE, None, "f", encrypted=True)
    named = {"id": "c0", "name": "look"} if kind == "tool_call" else {}
    events, lost = told(TARGET, block(0, kind, *inside, state, **named), STOP)
    [value] = only("REASONING_ENCRYPTED_VALUE", events)
    assert (state, subtype) == (unwrapped(0, value["encryptedValue"], None), value["subtype"])
    ids = {event.get("messageId") or event.get("toolCallId") for event in events if event["type"].endswith("_START")}
    assert value["entityId"] in ids
    assert [] == lost
    check_order(events)


def test_a_second_piece_of_state_takes_the_place_of_the_first_and_is_reported():
    states = [ev.Signature(0, "a", CLAUDE, 0), ev.Signature(0, "b", CLAUDE, 1)]
    _, lost = told(TARGET, block(0, "text", ev.TextDelta(0, "a"), *states), STOP)
    assert ["signature"] == lost
    again = ev.Signature(0, "c", CLAUDE, 0)
    _, lost = told(TARGET, block(0, "reasoning", states[0], again), STOP)
    assert [] == lost


# -- what a front end has to answer --------------------------------------------------------------------------------


def test_calls_that_are_to_be_answered_are_named():
    events, _ = told(TARGET, call(0, "{}"), result(1, "c0", "ok"), call(2, "{}"), call(3, "{}"), CALLED)
    assert {"type": "success", "pendingToolCallIds": ["c2", "c3"]} == events[-1]["outcome"]


def test_older_clients_refuse_that_member():
    """Measured with 0.0.59."""
    events, _ = told(TARGET, call(0, "{}"), CALLED, profile="0.0")
    assert "outcome" not in events[-1]


def test_a_call_that_was_cut_off_is_answered_so_that_nobody_runs_it():
    events, _ = told(TARGET, call(0, "{}"), call(1, '{"a', complete=False), LENGTH)
    assert [("c1", "The arguments of this call are not complete.")] == [
        (event["toolCallId"], event["content"]) for event in only("TOOL_CALL_RESULT", events)
    ]
    assert ["c0"] == events[-1]["outcome"]["pendingToolCallIds"]


def test_a_call_that_the_provider_ran_is_answered():
    events, lost = told(TARGET, call(0, "{}", executor="provider"), text(1, "So."), STOP)
    assert [("c0", "The provider ran this tool itself.")] == [
        (event["toolCallId"], event["content"]) for event in only("TOOL_CALL_RESULT", events)
    ]
    assert ([], False) == (lost, "outcome" in events[-1])


@pytest.mark.parametrize(("content", "said"), [("sun", "sun"), ({"a": 1.5}, '{"a":1.5}'), (None, "null")])
def test_results_are_texts(content, said):
    events, lost = told(TARGET, call(0, "{}"), result(1, "c0", content), CALLED)
    assert ([said], []) == ([event["content"] for event in only("TOOL_CALL_RESULT", events)], lost)


def test_the_last_result_counts_and_that_a_tool_failed_is_reported():
    looks = block(1, "tool_result", ev.Result(1, "c0", "half"), ev.Result(1, "c0", "no", True), id="c0")
    events, lost = told(TARGET, call(0, "{}"), looks, CALLED)
    assert (["no"], ["error_detail"]) == ([event["content"] for event in only("TOOL_CALL_RESULT", events)], lost)


# -- steps, files, citations ---------------------------------------------------------------------------------------


def test_steps():
    steps = [ev.StepStart(0), *text(0, "a"), ev.StepEnd(0, "stop", None, ev.Usage(1)), ev.StepStart(1), *text(1, "b")]
    events, lost = told(TARGET, steps, STOP)
    check_order(events)
    assert ["step-0", "step-0", "step-1", "step-1"] == [event["stepName"] for event in events if "stepName" in event]
    assert ["finish", "usage_early"] == lost


def test_files_and_citations_are_for_apps_that_listen():
    note = ev.Annotation(0, "url_citation", 0, 1, "https://a", "A", "a")
    events, lost = told(
        TARGET,
        block(0, "text", ev.TextDelta(0, "a"), note),
        block(1, "file", ev.File(1, "image/png", "aGk="), ev.File(1, None, "aGk=")),
        block(2, "file", ev.File(2, "image/png", "aGk=", partial=True)),
        STOP,
    )
    assert [
        (
            "citation",
            {
                "messageId": "msg_r1_0",
                "kind": "url_citation",
                "url": "https://a",
                "title": "A",
                "start": 0,
                "end": 1,
                "citedText": "a",
            },
        ),
        ("file", {"mediaType": "image/png", "data": "aGk=aGk="}),
    ] == [(event["name"], event["value"]) for event in only("CUSTOM", events)]
    assert ["file_partial"] == lost


# -- ends ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", "content_filter", "refusal", "other"])
def test_why_it_stopped_is_the_result(reason):
    events, lost = told(TARGET, ev.End("completed", (ev.Finish(reason=reason, raw="Raw"),)))
    assert {"type": "RUN_FINISHED", **RUN, "result": {"finishReason": reason, "rawFinishReason": "Raw"}} == events[-1]
    assert [] == lost


def test_a_pause_is_an_interrupt():
    """Atlas 6.1b."""
    events, _ = told(TARGET, ev.End("completed", (ev.Finish(reason="pause", raw="pause_turn"),)))
    assert {"type": "interrupt", "interrupts": [{"id": "pause_r1", "reason": "pause_turn"}]} == events[-1]["outcome"]


@pytest.mark.parametrize("end", [FAILED, CUT])
@pytest.mark.parametrize("content", [[], [ev.StepStart(0), *text(0, "Hi"), *call(1, '{"a', complete=False)]])
def test_a_failure_closes_what_is_open_and_is_the_end(end, content):
    """J3."""
    events, lost = told(TARGET, content, ev.Usage(1), end)
    error = {"message": end.error.message, "code": end.error.code, "usage": [{"inputTokens": 1}]}
    assert {"type": "RUN_ERROR", **error} == events[-1]
    check_order(events)
    assert ["RUN_FINISHED"] != types(events)[-1:]
    assert [] == lost


def test_details_of_an_error_are_reported():
    _, lost = told(TARGET, ev.End("failed", (), None, make_error("rate_limit", "Wait.", retry_after=3)))
    assert ["error_detail"] == lost


@pytest.mark.parametrize(
    ("profile", "last"),
    [
        (None, {"type": "RUN_FINISHED", **RUN, "outcome": {"type": "cancelled"}}),
        ("0.0", {"type": "RUN_ERROR", "message": "Stopped.", "code": "cancelled"}),
    ],
)
def test_a_cancelled_run(profile, last):
    """Measured: 0.0.59 refuses an outcome that it does not know."""
    events, _ = told(TARGET, text(0, "Hi"), CANCELLED, profile=profile)
    assert last == events[-1]
    check_order(events)


def test_a_blocked_answer_says_why():
    events, lost = told(TARGET, BLOCKED)
    assert {"finishReason": "content_filter", "rawFinishReason": "SAFETY", "message": "Not this."} == events[-1][
        "result"
    ]
    assert [] == lost


def test_nothing_is_null():
    """A.7: null for an optional member is an error."""
    cited = ev.Annotation(0, "x")
    events, _ = told(TARGET, block(0, "text", cited), call(1), thought(2, "a"), ev.Usage(1), ev.End("completed", ()))
    assert "null" not in json.dumps(events)


def test_what_has_no_event_is_reported():
    _, lost = told(
        TARGET,
        ev.Meta("tier", "fast"),
        block(0, "text", ev.TextDelta(0, "a", [{"token": "a"}]), channel="commentary"),
        block(1, "refusal", ev.RefusalDelta(1, "No.")),
        block(2, "opaque", ev.Opaque(2, {"a": 1}, CLAUDE)),
        ev.Unknown({"b": 1}),
        ev.Usage(1),
        STOP,
        include_usage=False,
    )
    assert sorted("meta logprobs channel refusal opaque unknown usage".split()) == lost


def test_the_whole_reply_is_the_stream_at_once():
    message = weft.collect([ev.Start("m"), *text(0, "Hi", " you"), *call(1, '{"a"', ":1}"), CALLED])
    body, lost = whole(message, TARGET)
    events = [json.loads(frame[6:]) for frame in body.split(b"\n\n")[:-1]]
    check_order(events)
    assert (["Hi you", '{"a":1}'], []) == ([event["delta"] for event in events if "delta" in event], lost)


def test_a_token_that_shows_as_nothing_is_no_delta():
    """Atlas E4; older clients of AG-UI refuse an empty delta."""
    events, lost = told(TARGET, block(0, "text", ev.TextDelta(0, "", [{"token": "a"}]), ev.TextDelta(0, "b")), STOP)
    assert (["b"], ["logprobs"]) == ([event["delta"] for event in events if "delta" in event], lost)


# -- laws ----------------------------------------------------------------------------------------------------------


@given(legal_streams())
def test_any_legal_stream_is_in_order(events):
    out, losses = encode(TARGET, events)
    said = [json.loads(frame[6:]) for frame in out.decode().split("\n\n")[:-1]]
    check_order(said)
    message = weft.collect(events)
    texts = [event.text for event in events if isinstance(event, ev.TextDelta | ev.RefusalDelta)]
    assert texts == [event["delta"] for event in only("TEXT_MESSAGE_CONTENT", said)]
    thoughts = [event.text for event in events if isinstance(event, ev.ReasoningDelta)]
    assert thoughts == [event["delta"] for event in only("REASONING_MESSAGE_CONTENT", said)]
    arguments = [event.text for event in events if isinstance(event, ev.ArgsDelta)]
    assert arguments == [event["delta"] for event in only("TOOL_CALL_ARGS", said)]
    assert (message.outcome in ("failed", "truncated")) == ("RUN_ERROR" == said[-1]["type"])
    assert "pendingToolCallIds" not in said[-1].get("outcome", {})
    assert "usage" not in words(losses.report())


def check(data: bytes, source: str) -> None:
    out, pipe = converted(data, source, TARGET)
    events = [json.loads(frame[6:]) for frame in out.decode().split("\n\n")[:-1]]
    check_order(events)
    message = pipe.message
    assert message.text + message.refusal == "".join(e["delta"] for e in only("TEXT_MESSAGE_CONTENT", events))
    assert [call.name for call in message.tool_calls] == [e["toolCallName"] for e in only("TOOL_CALL_START", events)]
    assert "null" not in [json.dumps(value) for event in events for value in event.values()]


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "ai-sdk"])
def test_every_fixture_is_in_order(source):
    for path in fixtures(source):
        if path.suffix in (".sse", ".ndjson", ".json"):
            check(path.read_bytes(), source)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "openai-responses"])
def test_recorded_streams_are_in_order(corpus, source):
    for row in recorded(source, 25):
        check((CORPUS / row["file"]).read_bytes(), source)
