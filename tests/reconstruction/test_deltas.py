"""Deltas through the machine: the contract, the order, batches, the two tables."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reconstruction.driven import USAGE, bridged, call, kinds, machine, output, terminals
from weft.error_tables import SEED001_CODES
from weft.protocols.provider_delta import breaches
from weft.reconstruction import BridgeError, map_provider_deltas_to_events

STOP = {"finishReason": "stop"}


def mapped(made: Any, *deltas: Any, **options: Any) -> list[dict[str, Any]]:
    return map_provider_deltas_to_events(made, list(deltas), **options)


# -- the contract -----------------------------------------------------------------------------------------------------

BAD: list[tuple[Any, str]] = [
    (None, "delta"),
    ([], "delta"),
    ({}, "delta"),
    ({"text": "x", "colour": 1}, "colour"),
    ({"text": 1}, "text"),
    ({"reasoning": {}}, "reasoning"),
    ({"refusal": []}, "refusal"),
    ({"toolCall": {}}, "toolCall"),
    ({"toolCall": "x"}, "toolCall"),
    ({"toolCall": {"index": -1}}, "toolCall.index"),
    ({"toolCall": {"index": 1.5}}, "toolCall.index"),
    ({"toolCall": {"id": 5}}, "toolCall.id"),
    ({"toolCall": {"type": 5}}, "toolCall.type"),
    ({"toolCall": {"name": []}}, "toolCall.name"),
    ({"toolCall": {"arguments": {}}}, "toolCall.arguments"),
    ({"toolCall": {"colour": 1}}, "toolCall.colour"),
    ({"usage": 5}, "usage"),
    ({"usage": {"output_tokens": 1, "total_tokens": 1}}, "usage.input_tokens"),
    ({"usage": USAGE | {"input_tokens": True}}, "usage.input_tokens"),
    ({"usage": USAGE | {"total_tokens": float("nan")}}, "usage.total_tokens"),
    ({"usage": USAGE | {"output_tokens_details": 1}}, "usage.output_tokens_details"),
    ({"usage": USAGE | {"input_tokens_details": {"cached_tokens": "1"}}}, "usage.input_tokens_details.cached_tokens"),
    ({"error": "x"}, "error"),
    ({"error": {"code": "x"}}, "error.message"),
    ({"error": {"code": 5, "message": "x"}}, "error.code"),
    ({"finishReason": 5}, "finishReason"),
]


@pytest.mark.parametrize(("delta", "parameter"), BAD)
def test_what_breaks_the_contract_is_refused_with_its_path(delta, parameter):
    """B5, B6: before anything is emitted, so that the caller may still start the stream as it likes."""
    made = machine()
    with pytest.raises(BridgeError) as caught:
        mapped(made, delta)
    error = caught.value
    assert ("bridge.stream.invalid_transition", 400, parameter) == (error.code, error.status, error.context.parameter)
    assert ("idle", []) == (made.phase, made.taken())


@pytest.mark.parametrize("delta", [{"text": None}, {"toolCall": {"id": None}}, {"toolCall": None}, {"usage": None}])
def test_nulls_are_refused_where_one_asks_for_it(delta):
    """B7: strictness is a mode."""
    with pytest.raises(BridgeError):
        mapped(machine(strict=True), delta)
    assert ["created", "in_progress"] == kinds(mapped(machine(), delta))


def test_strict_refuses_content_after_the_finish():
    made = machine(strict=True)
    mapped(made, {"text": "a"}, STOP, defer_terminal=True)
    with pytest.raises(BridgeError) as caught:
        mapped(made, {"usage": USAGE, "text": "b"}, defer_terminal=True)
    assert ("bridge.stream.delta_after_terminal", "text") == (caught.value.code, caught.value.context.parameter)


def test_strict_refuses_to_finish_a_call_without_a_name_and_fail_ends_it():
    made = machine(strict=True)
    with pytest.raises(BridgeError) as caught:
        mapped(made, call(name=None, arguments="{}"), STOP)
    assert ("bridge.stream.incomplete_tool_call", "in_progress") == (caught.value.code, made.phase)
    assert ["failed"] == terminals(made.fail({"message": "no name"}))


def test_unknown_members_of_the_usage_are_left_out():
    (*_, last) = bridged({"usage": USAGE | {"input_tokens_details": {"cached_tokens": 1, "x": 2}, "y": 3}}, STOP)
    assert (1, 3) == (
        last["response"]["usage"]["input_tokens_details"]["cached_tokens"],
        last["response"]["usage"]["input_tokens"],
    )


# -- the order --------------------------------------------------------------------------------------------------------


def test_a_delta_may_say_everything_at_once():
    """B4."""
    said = {"text": "t", "reasoning": "r", "refusal": "n", "usage": USAGE, "finishReason": "stop"}
    one = said | call(arguments="{}")
    events = mapped(machine(), one)
    assert ["reasoning", "message", "function_call"] == [item["type"] for item in output(events)]
    assert ("completed", 7) == (kinds(events)[-1], events[-1]["response"]["usage"]["total_tokens"])


def test_the_first_good_delta_starts_the_stream():
    made = machine()
    assert ["created", "in_progress", "output_item.added", "content_part.added", "output_text.delta"] == kinds(
        mapped(made, {"text": "a"})
    )
    assert ["output_text.delta"] == kinds(mapped(made, {"text": "b"}))


def test_an_error_ends_the_batch():
    made = machine()
    events = mapped(made, {"text": "a"}, {"error": {"message": "broken"}}, {"text": "lost"})
    assert ("failed", "a") == (kinds(events)[-1], made.snapshot["output_text"])
    assert [] == mapped(made, {"text": "later"})


def test_with_a_deferred_terminal_the_caller_ends_the_stream():
    """C7."""
    made = machine()
    assert [] == terminals(mapped(made, {"text": "a"}, {"finishReason": "length"}, defer_terminal=True))
    assert ("length", "in_progress") == (made.deferred_finish_reason, made.phase)
    mapped(made, {"usage": USAGE}, defer_terminal=True)
    events = made.finish(made.deferred_finish_reason)
    assert ("incomplete", 7) == (kinds(events)[-1], events[-1]["response"]["usage"]["total_tokens"])


def test_the_last_usage_holds():
    (*_, last) = bridged({"usage": USAGE}, {"usage": USAGE | {"output_tokens": 9, "total_tokens": 12}}, STOP)
    assert (9, 12) == (last["response"]["usage"]["output_tokens"], last["response"]["usage"]["total_tokens"])


# -- how it ends ------------------------------------------------------------------------------------------------------

FINISHES: list[tuple[str | None, str, str | None, str | None]] = [
    ("stop", "completed", None, None),
    ("tool_calls", "completed", None, None),
    ("length", "incomplete", "max_output_tokens", None),
    ("model_context_window_exceeded", "incomplete", "max_output_tokens", None),
    ("content_filter", "incomplete", "content_filter", None),
    ("sensitive", "incomplete", "content_filter", None),
    ("network_error", "failed", None, "Provider P reported network_error finish reason."),
    (None, "failed", None, "Provider P returned no finish reason."),
    ("function_call", "failed", None, "Provider P returned unexpected finish reason: function_call."),
    ("end_turn", "failed", None, "Provider P returned unexpected finish reason: end_turn."),
    ("STOP", "failed", None, "Provider P returned unexpected finish reason: STOP."),
    ("", "failed", None, "Provider P returned no finish reason."),
]


@pytest.mark.parametrize(("reason", "status", "why", "words"), FINISHES)
def test_the_table_of_finish_reasons(reason, status, why, words):
    """C9, C10: the component's own projection."""
    (*_, last) = bridged({"text": "a"}, {"finishReason": reason})
    response = last["response"]
    details = None if why is None else {"reason": why}
    error = None if words is None else {"code": "server_error", "message": words}
    assert (f"response.{status}", status, details, error) == (
        last["type"],
        response["status"],
        response["incomplete_details"],
        response["error"],
    )


@pytest.mark.parametrize(
    "code", [*sorted(SEED001_CODES), "overloaded_error", "insufficient_quota", "content_filter", "", "x"]
)
def test_the_table_of_error_codes(code):
    """C13: eighteen codes are kept, all others are the general one; the message is handed on."""
    (*_, last) = bridged({"text": "a"}, {"error": {"code": code, "message": "As it was said."}})
    expected = code if code in SEED001_CODES else "server_error"
    assert {"code": expected, "message": "As it was said."} == last["response"]["error"]


def test_an_error_without_a_code_is_the_general_one():
    (*_, last) = bridged({"error": {"message": "broken"}})
    assert {"code": "server_error", "message": "broken"} == last["response"]["error"]


# -- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        (
            "sh",
            '{"cmd":["ls"],"env":{"A":"1","B":2},"timeout_ms":5}',
            {
                "type": "local_shell_call",
                "action": {"type": "exec", "command": ["ls"], "env": {"A": "1"}, "timeout_ms": 5},
            },
        ),
        ("sh", '{"command":"ls"}', {"type": "function_call", "name": "sh", "arguments": '{"command":"ls"}'}),
        ("shell", '{"commands":["ls"]}', {"type": "shell_call", "action": {"commands": ["ls"]}}),
        ("shell", "{}", {"type": "function_call", "name": "shell", "arguments": "{}"}),
        (
            "patch",
            '{"operation":{"type":"delete_file","path":"a"}}',
            {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}},
        ),
        ("patch", '{"operation":{"type":"create_file","path":"a"}}', {"type": "function_call", "name": "patch"}),
        ("grep_", '{"input":"a\\"b"}', {"type": "custom_tool_call", "name": "grep", "input": 'a"b'}),
        ("ns__f", '{"a":1}', {"type": "function_call", "name": "ns/f", "arguments": '{"a":1}'}),
        ("find", '{"query":"q"}', {"type": "function_call", "name": "web_search", "arguments": '{"query":"q"}'}),
        ("other", "{}", {"type": "function_call", "name": "other", "arguments": "{}"}),
    ],
)
def test_calls_are_restored(name, arguments, expected):
    """D13."""
    (item,) = output(bridged(call(name=name, arguments=arguments), {"finishReason": "tool_calls"}))
    assert {**expected, "call_id": "c1", "status": "completed"}.items() <= item.items()


def test_a_call_of_type_custom_is_one():
    delta = {"toolCall": {"id": "c1", "type": "custom", "name": "free", "arguments": "any text"}}
    (item,) = output(bridged(delta, STOP))
    assert ("custom_tool_call", "any text") == (item["type"], item["input"])


def test_an_announced_custom_tool_of_the_request_has_its_own_name():
    delta = {"toolCall": {"id": "c1", "type": "custom", "name": "grep_", "arguments": "x"}}
    (item,) = output(bridged(delta, STOP))
    assert ("custom_tool_call", "grep", "x") == (item["type"], item["name"], item["input"])


ARGUMENTS = st.dictionaries(st.text(max_size=3), st.one_of(st.integers(), st.text(max_size=5)), max_size=3)


@given(ARGUMENTS, st.lists(st.integers(0, 60), max_size=6))
def test_cuts_of_the_arguments_change_no_item(arguments, marks):
    raw = json.dumps(arguments)
    cuts = [0, *sorted(min(mark, len(raw)) for mark in marks), len(raw)]
    pieces = [call(id=None, name=None, arguments=raw[a:b]) for a, b in pairwise(cuts)]
    assert output(bridged(call(arguments=raw), STOP)) == output(bridged(call(), *pieces, STOP))


def test_the_contract_is_the_decoders_own():
    """One set of checks for the source and for the component."""
    assert [path for delta, path in BAD] == [next(iter(breaches(delta))) for delta, _ in BAD]
