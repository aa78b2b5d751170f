"""The machine by hand: phases, guards, what each verb gives, snapshots."""

from typing import Any

import pytest

from tests.reconstruction.driven import USAGE, begun, call, faults, kinds, machine, output
from weft import Context
from weft.errors import make_error
from weft.reconstruction import BridgeError, ResponseStreamPhase, ResponseStreamStateMachine
from weft.steps.contract import Contract

ENDS = [("stop", "completed"), ("length", "incomplete"), (None, "failed")]

VERBS: dict[str, tuple[str, Any]] = {
    "text": ("text", "a"),
    "reasoning": ("reasoning", "a"),
    "refusal": ("refusal", "a"),
    "toolCall": ("tool_call", {"id": "c", "name": "f"}),
    "usage": ("usage", USAGE),
    "defer_finish": ("defer_finish", "stop"),
    "finish": ("finish", "stop"),
    "fail": ("fail", {"message": "broken"}),
}


def refused(verb: Any, *arguments: Any) -> BridgeError:
    with pytest.raises(BridgeError) as caught:
        verb(*arguments)
    return caught.value


def test_the_phases_of_a_stream():
    """C1."""
    made = machine()
    phases = [made.phase]
    made.start()
    phases.append(made.phase)
    made.finish("stop")
    assert [ResponseStreamPhase.IDLE, ResponseStreamPhase.IN_PROGRESS, ResponseStreamPhase.COMPLETED] == [
        *phases,
        made.phase,
    ]


@pytest.mark.parametrize(("reason", "phase"), ENDS)
def test_each_finish_leads_to_its_phase(reason, phase):
    made = begun()
    made.finish(reason)
    assert phase == made.phase


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_can_be_said_before_the_start(verb):
    """C2."""
    name, argument = VERBS[verb]
    made = machine()
    error = refused(getattr(made, name), argument)
    assert ("bridge.stream.output_before_start", 400, "P", "m") == (
        error.code,
        error.status,
        error.context.provider,
        error.context.model,
    )
    assert ("idle", []) == (made.phase, made.taken())


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("reason", "phase"), ENDS)
def test_nothing_can_be_said_after_the_terminal(verb, reason, phase):
    """C2."""
    name, argument = VERBS[verb]
    made = begun()
    made.finish(reason)
    assert "bridge.stream.delta_after_terminal" == refused(getattr(made, name), argument).code
    assert (phase, []) == (made.phase, made.taken())


def test_a_stream_starts_once():
    made = begun()
    assert "bridge.stream.invalid_transition" == refused(made.start).code
    made.finish("stop")
    assert "bridge.stream.delta_after_terminal" == refused(made.start).code


@pytest.mark.parametrize("verb", ["text", "reasoning", "refusal", "toolCall"])
def test_content_after_a_deferred_finish_is_refused_to_the_caller(verb):
    name, argument = VERBS[verb]
    made = begun()
    made.defer_finish("stop")
    error = refused(getattr(made, name), argument)
    assert ("bridge.stream.delta_after_terminal", verb) == (error.code, error.context.parameter)
    assert f"{verb} cannot run after provider finish reason was observed." == error.message
    assert ["completed"] == kinds(made.finish(made.deferred_finish_reason))


def test_usage_after_a_deferred_finish_reaches_the_terminal():
    """C7, B18."""
    made = begun()
    made.defer_finish("stop")
    made.usage(USAGE)
    assert 7 == made.finish(made.deferred_finish_reason)[-1]["response"]["usage"]["total_tokens"]


def test_a_deferred_finish_changes_no_phase():
    made = begun()
    assert ([], "in_progress", "stop") == (made.defer_finish("stop"), made.phase, made.deferred_finish_reason)
    made.finish(made.deferred_finish_reason)
    assert made.deferred_finish_reason is None


def test_no_finish_is_deferred_by_none():
    made = begun()
    made.defer_finish(None)
    assert (None, ["output_item.added", "content_part.added", "output_text.delta"]) == (
        made.deferred_finish_reason,
        kinds(made.text("a")),
    )


@pytest.mark.parametrize(
    ("verb", "argument", "parameter"),
    [
        ("text", 5, "text"),
        ("reasoning", [], "reasoning"),
        ("tool_call", {}, "toolCall"),
        ("tool_call", {"index": -1}, "toolCall.index"),
        ("tool_call", {"colour": 1}, "toolCall.colour"),
        ("usage", {"input_tokens": 1}, "usage.output_tokens"),
        ("usage", USAGE | {"total_tokens": float("nan")}, "usage.total_tokens"),
        ("usage", USAGE | {"total_tokens": float("inf")}, "usage.total_tokens"),
        ("finish", 5, "finishReason"),
        ("defer_finish", 5, "finishReason"),
        ("fail", {"code": "x"}, "error.message"),
    ],
)
def test_a_verb_checks_what_it_is_told(verb, argument, parameter):
    """B5."""
    made = begun()
    error = refused(getattr(made, verb), argument)
    assert ("bridge.stream.invalid_transition", parameter) == (error.code, error.context.parameter)
    assert ("in_progress", []) == (made.phase, made.taken())


def test_a_stream_that_is_let_go_of_without_its_end_is_told():
    made = begun()
    assert "bridge.stream.missing_terminal" == refused(made.require_terminal).code
    made.finish("stop")
    made.require_terminal()


# -- events -----------------------------------------------------------------------------------------------------------


def test_the_events_of_a_text():
    """C3, C4: the first piece opens the item, the others are deltas alone, an empty one is nothing."""
    made = machine()
    assert ["created", "in_progress"] == kinds(made.start())
    assert [] == made.text("")
    assert ["output_item.added", "content_part.added", "output_text.delta"] == kinds(made.text("a"))
    assert ["output_text.delta"] == kinds(made.text("b"))
    ended = made.finish("stop")
    assert ["output_text.done", "content_part.done", "output_item.done", "completed"] == kinds(ended)
    assert "ab" == ended[0]["text"]


def test_every_event_has_its_number():
    """C6."""
    made = machine()
    events = [*made.start(), *made.text("a"), *made.tool_call({"id": "c", "name": "f"}), *made.finish("stop")]
    assert [*range(len(events))] == [event["sequence_number"] for event in events]


def test_a_block_is_closed_when_the_kind_changes():
    """C5: items stand in the order in which they were said."""
    made = begun()
    for verb, text in [("reasoning", "r"), ("text", "a"), ("refusal", "n"), ("reasoning", "s"), ("text", "b")]:
        getattr(made, verb)(text)
    kinds_of = [item["type"] for item in output(made.finish("stop"))]
    assert ["reasoning", "message", "reasoning", "message"] == kinds_of


def test_a_refusal_is_a_part_of_its_message():
    made = begun()
    made.text("Well, ")
    made.refusal("no.")
    (message,) = output(made.finish("stop"))
    assert ["output_text", "refusal"] == [part["type"] for part in message["content"]]


def test_reasoning_is_said_in_the_protocols_own_words():
    made = begun()
    names = kinds([*made.reasoning("r"), *made.text("a")])
    assert [
        *["output_item.added", "content_part.added", "reasoning_text.delta"],
        *["reasoning_text.done", "content_part.done", "output_item.done"],
    ] == names[:6]


def test_fragments_of_two_calls_are_kept_apart():
    """D4."""
    made = begun()
    for fragment in [
        call(0, "a", "f", '{"x"'),
        call(1, "b", "g", '{"y"'),
        call(0, None, None, ":1}"),
        call(1, None, None, ":2}"),
    ]:
        made.tool_call(fragment["toolCall"])
    items = output(made.finish("tool_calls"))
    assert [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')] == [
        (item["call_id"], item["name"], item["arguments"]) for item in items
    ]


def test_what_is_open_when_it_fails_is_incomplete():
    """C11."""
    made = begun()
    made.text("a")
    made.tool_call({"id": "c", "name": "f", "arguments": '{"x'})
    events = made.fail({"message": "broken"})
    assert (["completed", "incomplete"], "failed", None) == (
        [item["status"] for item in output(events)],
        events[-1]["response"]["status"],
        events[-1]["response"]["incomplete_details"],
    )


def test_a_failure_may_be_one_of_wefts_own_errors():
    events = begun().fail(make_error("rate_limit", "Slow down."))
    assert {"code": "rate_limit_exceeded", "message": "Slow down."} == events[-1]["response"]["error"]


# -- snapshots --------------------------------------------------------------------------------------------------------

ECHOED: dict[str, Any] = {
    "instructions": "Be brief.",
    "max_output_tokens": 10,
    "max_tool_calls": 2,
    "temperature": 0.5,
    "top_p": 0.9,
    "tool_choice": "required",
    "tools": [{"type": "function", "name": "f"}],
    "parallel_tool_calls": False,
    "previous_response_id": "resp_0",
    "store": True,
    "stream": True,
    "metadata": {"a": "b"},
    "prompt": {"id": "p"},
    "service_tier": "flex",
    "context_management": [{"type": "compaction"}],
    "reasoning": {"effort": "low"},
    "text": {"format": {"type": "json_object"}},
    "truncation": "auto",
    "user": "u",
    "prompt_cache_key": "k",
    "prompt_cache_retention": "24h",
    "safety_identifier": "s",
    "include": ["reasoning.encrypted_content"],
    "background": True,
}


def test_the_request_is_echoed():
    """C12: all of it that a response has a place for, and nothing of what was asked."""
    made = machine(request={**ECHOED, "conversation": "conv_1", "model": "asked", "input": "secret"})
    for snapshot in (made.snapshot, made.start()[0]["response"], made.finish("stop")[-1]["response"], made.snapshot):
        assert ECHOED.items() <= snapshot.items()
        assert ({"id": "conv_1"}, "m", None) == (
            snapshot["conversation"],
            snapshot["model"],
            snapshot.get("input"),
        )


def test_a_snapshot_before_the_start_is_queued():
    snapshot = machine().snapshot
    assert ("resp_1", "response", 1700000000, "queued", [], "", None, None, None) == tuple(
        snapshot[name]
        for name in (
            *["id", "object", "created_at", "status", "output"],
            *["output_text", "usage", "error", "incomplete_details"],
        )
    )


def test_a_snapshot_shows_what_is_open_as_far_as_it_has_come():
    made = begun()
    made.reasoning("Hm")
    assert [{"type": "reasoning_text", "text": "Hm"}] == made.snapshot["output"][0]["content"]
    made.text("Hel")
    made.text("lo")
    made.usage(USAGE)
    snapshot = made.snapshot
    assert ("in_progress", "Hello", 7) == (
        snapshot["status"],
        snapshot["output_text"],
        snapshot["usage"]["total_tokens"],
    )
    assert "Hello" == snapshot["output"][1]["content"][0]["text"]
    made.tool_call({"id": "c", "name": "f", "arguments": '{"a'})
    assert '{"a' == made.snapshot["output"][2]["arguments"]


def test_the_last_snapshot_is_the_terminals_response():
    """C15."""
    made = begun()
    made.text("Hi")
    events = made.finish("length")
    assert {**events[-1]["response"], "output_text": "Hi"} == made.snapshot


def test_a_snapshot_is_the_callers_own():
    made = begun()
    made.text("Hi")
    made.snapshot["output"].clear()
    events = made.finish("stop")
    events[-1]["response"]["output"].clear()
    assert "Hi" == made.snapshot["output_text"]


def test_when_it_ended_is_said_by_the_callers_clock():
    made = begun(now_seconds=lambda: 1700000009)
    assert "completed_at" not in made.snapshot
    assert (1700000009, 1700000009) == (
        made.finish("stop")[-1]["response"]["completed_at"],
        made.snapshot["completed_at"],
    )
    assert "completed_at" not in begun().finish("stop")[-1]["response"]


def test_an_id_that_nobody_gave_is_the_same_for_the_same_request():
    def id_of(request: Any) -> str:
        return ResponseStreamStateMachine(Context(request=request)).snapshot["id"]

    assert id_of({"a": 1}) == id_of({"a": 1})
    assert id_of({"a": 1}) != id_of({"a": 2})


# -- what stands in the row -------------------------------------------------------------------------------------------


def test_a_step_may_rewrite_the_terminal():
    """C7: a deferred finish leaves room for it, and what counts is what the client sees."""
    made = begun(steps=[Contract("json")])
    made.text("no JSON")
    made.defer_finish("stop")
    events = made.finish(made.deferred_finish_reason)
    assert ("failed", "failed") == (made.phase, kinds(events)[-1])
    assert (None, "server_error") == (
        events[-1]["response"]["incomplete_details"],
        events[-1]["response"]["error"]["code"],
    )
    assert events[-1]["response"]["error"]["message"].startswith("bridge.response.invalid_output_format: ")
    assert ["contract_broken"] == [note.code for note in made.notes]


def test_half_characters_become_whole_ones():
    made = machine()
    events = [*made.start(), *made.text("\ud83d"), *made.text("\ude00"), *made.text("\ud83d"), *made.finish("stop")]
    assert "\U0001f600\ufffd" == made.snapshot["output_text"]
    assert [] == faults(events)
