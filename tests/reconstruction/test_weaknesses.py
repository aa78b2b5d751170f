"""What the real GodeX gets wrong (requirements 3.1, by number), and what is right."""

import json
from time import process_time
from typing import Any

import pytest

import weft
from tests.protocols.wire import sse
from tests.reconstruction.driven import (
    USAGE,
    begun,
    bridged,
    call,
    faults,
    kinds,
    machine,
    output,
    terminals,
)
from weft.events import End, Event
from weft.reconstruction import bridge, map_provider_deltas_to_events

STOP = {"finishReason": "stop"}
CALLED = {"finishReason": "tool_calls"}


class TooManyRequestsError(Exception):
    """As an SDK raises it."""

    status_code = 429
    body: Any = {"error": {"message": "Slow down."}}  # noqa: RUF012 - never changed


# -- 1: no terminal after an empty id, or after any failure while it closes -------------------------------------------


def test_1_an_empty_id_or_name_in_a_later_fragment_says_nothing():
    """Also D8."""
    events = bridged({"text": "a"}, call(arguments='{"x"'), call(0, "", "", ":1}"), CALLED)
    (_, item) = output(events)
    assert ("c1", "f", '{"x":1}', "completed") == (item["call_id"], item["name"], item["arguments"], item["status"])
    assert ["completed"] == terminals(events)


@pytest.mark.parametrize("fragment", [call(0, "", "", "{}"), call(0, "c1", "", "{}"), call(None, None, None, "{}")])
def test_1_a_call_that_never_got_a_name_fails_the_response_which_ends_all_the_same(fragment):
    """What was said before it is not lost; D19: neither is the call."""
    events = bridged({"text": "a"}, fragment, CALLED)
    error = events[-1]["response"]["error"]
    assert ["failed"] == terminals(events)
    assert {
        "code": "server_error",
        "message": "bridge.stream.incomplete_tool_call: a call never got a name",
    } == error
    assert [("message", "completed"), ("function_call", "incomplete")] == [
        (item["type"], item["status"]) for item in output(events)
    ]


def test_1_a_cut_call_without_a_name_is_incomplete_like_the_response():
    assert ["incomplete"] == terminals(bridged(call(name=None, arguments="{"), {"finishReason": "length"}))


def _raises_at_the_end(event: Event, emit: Any) -> None:
    if event.type == "end":
        raise ValueError("the transformer broke")
    emit(event)


def _swallows_the_end(event: Event, emit: Any) -> None:
    if not isinstance(event, End):
        emit(event)


def _says_more_after_the_end(event: Event, emit: Any) -> None:
    emit(event)
    if isinstance(event, End):
        emit(event)


@pytest.mark.parametrize("step", [_raises_at_the_end, _swallows_the_end])
@pytest.mark.parametrize("verb", ["finish", "fail"])
def test_1_whatever_fails_while_it_closes_there_is_one_terminal(step, verb):
    """C8."""
    made = machine(steps=[step])
    events = [*made.start(), *made.text("a")]
    events += made.finish("stop") if verb == "finish" else made.fail({"message": "broken"})
    assert (["failed"], "failed", []) == (terminals(events), made.phase, faults(events))


def test_1_a_step_that_goes_on_after_the_terminal_is_not_heard():
    events = bridged({"text": "a"}, STOP, steps=[_says_more_after_the_end])
    assert ["completed"] == terminals(events)


def test_1_a_step_that_breaks_in_the_middle_fails_the_response():
    def breaks(event: Event, emit: Any) -> None:
        if event.type == "text-delta":
            raise RuntimeError("secret")
        emit(event)

    events = bridged({"text": "a"}, steps=[breaks])
    assert (["failed"], False) == (terminals(events), "secret" in json.dumps(events))


def test_1_events_before_a_bad_delta_are_not_lost():
    made = machine()
    with pytest.raises(Exception, match="colour"):
        map_provider_deltas_to_events(made, [{"text": "a"}, {"colour": 1}])
    events = made.fail({"message": "broken"})
    assert ["created", "in_progress", "output_item.added"] == kinds(events)[:3]
    assert ([], "a") == (faults(events), made.snapshot["output_text"])


# -- 2 to 4 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deltas", [[], [[]], [[], []]])
def test_2_an_empty_stream_is_a_failed_response(deltas):
    events = list(bridge(machine(), deltas))
    assert ["created", "in_progress", "failed"] == kinds(events)
    assert "Provider P returned no finish reason." == events[-1]["response"]["error"]["message"]


def test_3_nulls_say_nothing():
    """MiniMax M3's frames, as a hook hands them on."""
    minimax = {"toolCall": {"arguments": ":1}", "name": None, "id": None, "index": 0, "type": "function"}}
    events = bridged(
        {"text": None, "reasoning": None, "toolCall": None},
        call(arguments='{"x"'),
        minimax,
        {"finishReason": None, "usage": None, "error": None, "text": "on"},
        CALLED,
    )
    assert ("c1", "f", '{"x":1}') == tuple(output(events)[0][name] for name in ("call_id", "name", "arguments"))
    assert ("message", "completed") == (output(events)[1]["type"], kinds(events)[-1])


@pytest.mark.parametrize("strict", [True, False])
def test_3_an_empty_finish_says_nothing_either(strict):
    """Azure and vLLM have sent it with every chunk."""
    events = bridged({"text": "a", "finishReason": ""}, {"finishReason": "stop"}, strict=strict)
    assert ["failed" if strict else "completed"] == terminals(events)


def test_4_parallel_calls_without_an_index_are_kept_apart():
    """Also D5."""
    events = bridged(call(None, "c1", "f", '{"a":1}'), call(None, "c2", "g", '{"b":2}'), CALLED)
    assert [("c1", "f", '{"a":1}'), ("c2", "g", '{"b":2}')] == [
        (item["call_id"], item["name"], item["arguments"]) for item in output(events)
    ]


def test_4_another_id_on_a_used_index_is_another_call():
    """D6."""
    events = bridged(call(0, "c1", "f", "{}"), call(0, "c2", "f", "{}"), CALLED)
    assert ["c1", "c2"] == [item["call_id"] for item in output(events)]


# -- 5 to 7 -----------------------------------------------------------------------------------------------------------


def test_5_items_stand_in_the_order_in_which_they_were_said():
    events = bridged({"text": "A"}, call(arguments='{"a":1}'), {"text": "B"}, STOP)
    assert [("message", 0), ("function_call", 1), ("message", 2)] == [
        (event["item"]["type"], event["output_index"]) for event in events if event["type"].endswith("item.done")
    ]


def test_5_a_finished_call_can_be_acted_on_before_the_stream_is_over():
    """Text after it, another call, or reasoning: whatever comes next ends it, and nothing waits for the end."""
    for later in ({"text": "B"}, {"reasoning": "B"}, call(1, "c2", "g")):
        made = machine()
        map_provider_deltas_to_events(made, [call(arguments='{"a"'), call(0, None, None, ":1}")])
        events = map_provider_deltas_to_events(made, [later])
        assert ["function_call_arguments.done", "output_item.done", "output_item.added"] == kinds(events)[:3]
        assert "completed" == events[1]["item"]["status"]


def test_5_a_call_that_is_not_finished_stays_open():
    events = bridged(call(0, "c1", "f", '{"a"'), {"text": "B"}, call(0, None, None, ":1}"), CALLED)
    assert ['{"a":1}', "B"] == [item.get("arguments") or item["content"][0]["text"] for item in output(events)]


def test_5_what_is_said_of_a_call_that_is_over_is_noted():
    made = machine()
    list(bridge(made, [call(arguments="{}"), {"text": "B"}, call(0, None, None, '{"a":1}'), CALLED]))
    assert (["args_after_call"], "{}") == (
        [note.code for note in made.notes],
        made.snapshot["output"][0]["arguments"],
    )


def test_6_text_comes_before_the_call_of_its_delta():
    events = bridged({"text": "A", **call(arguments="{}")}, CALLED)
    assert ["message", "function_call"] == [item["type"] for item in output(events)]


def test_6_reasoning_comes_before_the_text_of_its_delta():
    events = bridged({"text": "A", "reasoning": "R"}, STOP)
    assert ["reasoning", "message"] == [item["type"] for item in output(events)]


@pytest.mark.parametrize("end", [{"finishReason": "length"}, {"error": {"message": "broken"}}, {"finishReason": None}])
def test_7_half_a_call_is_never_reported_as_whole(end):
    """Also C11."""
    (item,) = output(bridged(call(arguments='{"a":'), end))
    assert ("incomplete", '{"a":') == (item["status"], item["arguments"])


def test_7_cut_text_is_incomplete():
    (item,) = output(bridged({"text": "Hel"}, {"finishReason": "length"}))
    assert "incomplete" == item["status"]


# -- 8 to 10 ----------------------------------------------------------------------------------------------------------


def test_8_content_after_the_finish_is_taken_and_noted():
    made = machine()
    events = list(bridge(made, [{"text": "a"}, STOP, {"text": "b"}]))
    assert (["completed"], "ab") == (terminals(events), made.snapshot["output_text"])
    assert ["content_after_finish"] == [note.code for note in made.notes]


def test_8_a_null_finish_is_no_finish():
    events = bridged({"text": "a", "finishReason": None}, {"text": "b"}, STOP)
    assert ["completed"] == terminals(events)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("length", "stop", "incomplete"),
        ("content_filter", "stop", "incomplete"),
        ("network_error", "stop", "failed"),
        ("stop", "length", "incomplete"),
        ("stop", "tool_calls", "completed"),
    ],
)
def test_8_a_later_finish_does_not_make_a_cut_answer_whole(first, second, expected):
    events = bridged({"text": "a"}, {"finishReason": first}, {"finishReason": second})
    assert [expected] == terminals(events)


def test_9_usage_after_the_finish_is_not_lost():
    """In the same batch, whoever ends the stream; in a later one, where the terminal is deferred."""
    at_once = map_provider_deltas_to_events(machine(), [{"text": "a"}, STOP, {"usage": USAGE}])
    batch = bridged([{"text": "a"}, STOP, {"usage": USAGE}])
    later = bridged([{"text": "a"}, STOP], [{"usage": USAGE}])
    assert [7, 7, 7] == [events[-1]["response"]["usage"]["total_tokens"] for events in (at_once, batch, later)]


def test_10_an_error_in_the_stream_is_the_providers_own():
    events = bridged({"text": "a"}, {"error": {"code": "rate_limit_exceeded", "message": "Slow down."}})
    assert {"code": "rate_limit_exceeded", "message": "Slow down."} == events[-1]["response"]["error"]


def _broken(error: Exception) -> Any:
    yield {"text": "a"}
    raise error


def test_10_a_429_in_the_middle_is_a_rate_limit():
    events = list(bridge(machine(), _broken(TooManyRequestsError())))
    assert {"code": "rate_limit_exceeded", "message": "Slow down."} == events[-1]["response"]["error"]


def test_10_an_exceptions_text_is_not_leaked():
    events = list(bridge(machine(), _broken(RuntimeError("at 10.0.0.7, key sk-abc"))))
    assert (["failed"], "server_error") == (terminals(events), events[-1]["response"]["error"]["code"])
    assert "10.0.0.7" not in json.dumps(events)


def test_10_a_fault_after_the_finish_is_none():
    """The connection may break once everything was said."""

    def deltas() -> Any:
        yield {"text": "a"}
        yield STOP
        raise ConnectionResetError

    assert ["completed"] == terminals(list(bridge(machine(), deltas())))


# -- 11: what the hooks leave out, which the sources of the core do not -----------------------------------------------


def _converted(*chunks: Any) -> dict[str, Any]:
    data = sse(*chunks, done=True)
    out = weft.convert(data, "openai-chat", "openai-responses").decode()
    return json.loads(out.rstrip().rpartition("data: ")[2])["response"]


def _chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def test_11_complete_calls_refusals_and_reasoning_of_chat_completions_are_read():
    function = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    whole = {"id": "c", "choices": [{"index": 0, "message": {"tool_calls": [function]}, "finish_reason": "tool_calls"}]}
    assert ["function_call"] == [item["type"] for item in _converted(whole)["output"]]
    said = _converted(_chunk({"reasoning": "r"}), _chunk({"refusal": "n"}), _chunk({}, "stop"))
    assert ["reasoning", "refusal"] == [said["output"][0]["type"], said["output"][1]["content"][0]["type"]]


def test_11_usage_without_a_total_fails_nothing():
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    said = _converted(_chunk({"content": "a"}), _chunk({}, "stop", usage=usage))
    assert ("completed", 7) == (said["status"], said["usage"]["total_tokens"])


# -- 12 to 15 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("sh", '{"cmd":["ls"]}'),
        ("sh", '{"cmd":5}'),
        ("shell", '{"commands":["a"]}'),
        ("patch", '{"operation":{"type":"delete_file","path":"a"}}'),
        ("grep_", '{"input":"a"}'),
        ("grep_", '{"input":5}'),
        ("f", "{}"),
    ],
)
def test_12_an_item_keeps_its_type_and_its_events(name, arguments):
    """D16: from its announcement to its end, whether restoring it works out or not."""
    events = bridged(call(name=name), call(0, None, None, arguments[:5]), call(0, None, None, arguments[5:]), CALLED)
    items = [event["item"] for event in events if "item" in event]
    assert 1 == len({(item["type"], item["id"], item["call_id"]) for item in items})
    between = {kind.partition(".")[0] for kind in kinds(events)[3:-2]}
    kind = items[0]["type"]
    assert between == {
        "function_call": {"function_call_arguments"},
        "custom_tool_call": {"custom_tool_call_input"},
    }.get(kind, set())


def test_12_a_call_is_announced_once_its_name_is_known():
    made = begun()
    assert [] == made.tool_call({"index": 0, "id": "c1"})
    assert [] == made.tool_call({"index": 0, "arguments": '{"a"'})
    events = made.tool_call({"index": 0, "name": "f"})
    assert ("f", '{"a"') == (events[0]["item"]["name"], events[1]["delta"])


def test_13_the_input_of_a_custom_tool_is_streamed():
    """D15."""
    made = begun()
    pieces = ['{"input":"abc', "def", '\\n"}']
    made.tool_call({"index": 0, "id": "c1", "name": "grep_"})
    said = [made.tool_call({"index": 0, "arguments": piece}) for piece in pieces]
    assert [["abc"], ["def"], ["\n"]] == [[event["delta"] for event in events] for events in said]
    assert "abcdef\n" == made.finish("tool_calls")[0]["input"]


def test_13_custom_input_that_is_none_is_not_lost():
    (item,) = output(bridged(call(name="grep_", arguments='{"other":1}'), CALLED))
    assert ("custom_tool_call", '{"other":1}', "incomplete") == (item["type"], item["input"], item["status"])


def _spent(name: str, count: int) -> float:
    made = machine()
    deltas = [
        call(name=name),
        *[call(0, None, None, '{"input":"' if at == 0 else "abcdefgh\\n") for at in range(count)],
    ]
    begin = process_time()
    for delta in deltas:
        map_provider_deltas_to_events(made, [delta])
    map_provider_deltas_to_events(made, [call(0, None, None, '"}'), CALLED])
    return process_time() - begin


@pytest.mark.parametrize("name", ["f", "grep_", "shell"])
def test_14_arguments_cost_what_they_weigh(name):
    """Four times the fragments: four times the time, not sixteen."""
    small, large = (min(_spent(name, count) for _ in range(3)) for count in (1000, 4000))
    assert large < 9 * small + 0.02


def test_15_parts_and_events_have_the_members_of_the_protocol():
    """The linter knows them, and `bridged` asks it; those that GodeX leaves out are named here."""
    events = bridged({"text": "a"}, call(arguments="{}"), CALLED)
    by_kind = dict(zip(kinds(events), events, strict=True))
    assert ([], []) == (
        by_kind["content_part.done"]["part"]["annotations"],
        by_kind["output_text.delta"]["logprobs"],
    )
    done = by_kind["function_call_arguments.done"]
    assert ("f", True) == (done["name"], output(events)[1]["id"] != output(events)[1]["call_id"])
