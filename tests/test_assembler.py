"""The one state machine: whatever verbs come in whatever order, what goes out is legal, once ended, and true."""

import pytest
from hypothesis import given

import weft
from tests.strategies import PROGRAMS, legal_streams, run
from weft import events as ev
from weft.assembler import Assembler
from weft.errors import make_error
from weft.grammar import Checker
from weft.message import collect
from weft.rules import Rules


def check(events: list[ev.Event]) -> None:
    checker = Checker()
    for event in events:
        checker.feed(event)
    checker.close()


@given(PROGRAMS)
def test_any_verbs_give_a_legal_stream(program):
    """Laws 2 and 3: exactly one terminal, whatever a decoder says."""
    check(run(program))


@given(PROGRAMS)
def test_any_verbs_give_a_legal_stream_in_strict_mode(program):
    check(run(program, strict=True))


@given(PROGRAMS)
def test_events_survive_json(program):
    for event in run(program):
        assert event == weft.from_json(weft.to_json(event))


@given(legal_streams())
def test_generated_streams_are_legal(events):
    check(events)


@given(legal_streams(choices=2))
def test_our_own_lines_read_back_to_themselves(events):
    """Law 5 for our own format: what is legal and said once comes back as it was said."""
    lines = b"".join(weft.to_json(event) + b"\n" for event in events)
    once = list(weft.read(lines, "events"))
    again = list(weft.read(b"".join(weft.to_json(event) + b"\n" for event in once), "events"))
    assert once == again
    assert [type(event) for event in events if not isinstance(event, ev.Usage)] == [
        type(event) for event in once if not isinstance(event, ev.Usage)
    ]


def said(*verbs, rules: Rules | None = None, **options) -> list[ev.Event]:
    return run(list(verbs), rules=rules, **options)


def test_text_and_reasoning_alternate_in_true_order():
    """B13, C5: a change of kind ends the block; the order of first appearance is data."""
    message = collect(said(("text", ("a",)), ("reasoning", ("b",)), ("text", ("c",)), ("finish", ("stop",))))
    assert [("text", "a"), ("reasoning", "b"), ("text", "c")] == [
        (part.__struct_config__.tag, part.text) for part in message.blocks
    ]


def test_empty_deltas_change_nothing():
    """B12: payload-less deltas open no block."""
    assert ["start", "end"] == [
        event.type
        for event in said(("text", ("",)), ("reasoning", ("",)), ("args", ("", 1)), ("finish", ("stop",)))
        if event.type != "note"
    ]


def test_a_late_id_does_not_replace_the_first():
    """B3: one stable message id; the first non-empty value wins."""
    events = said(("start", ("m1", "x")), ("start", ("m2", "y")), ("finish", ("stop",)))
    assert ["m1"] == [event.id for event in events if isinstance(event, ev.Start)]


def test_a_late_model_is_a_fact_beside_the_start():
    events = said(("start", ("m1",)), ("text", ("a",)), ("start", (None, "x")), ("finish", ("stop",)))
    assert [("model", "x")] == [(event.name, event.value) for event in events if isinstance(event, ev.Meta)]
    assert "x" == collect(events).model


def test_no_finish_and_no_terminator_is_truncated():
    """C2: truncation is never success."""
    end = said(("text", ("a",)))[-1]
    assert ("truncated", "truncated") == (end.outcome, end.error.type)


def test_done_without_a_finish_is_completed_with_nothing_said():
    """C3."""
    end = said(("text", ("a",)), ("sign", ("done",)))[-1]
    assert ("completed", None) == (end.outcome, end.finishes[0].reason)


def test_done_is_no_end_where_the_source_does_not_say_so():
    rules = Rules(ends_on=frozenset({"terminal"}))
    assert "truncated" == said(("text", ("a",)), ("sign", ("done",)), rules=rules)[-1].outcome


@pytest.mark.parametrize(
    ("raw", "outcome", "error"),
    [
        ("stop", "completed", None),
        ("pause_turn", "completed", None),
        ("refusal", "completed", None),
        ("weird", "completed", None),
        ("length", "incomplete", None),
        ("content_filter", "incomplete", "content_blocked"),
        ("error", "failed", "server"),
        ("insufficient_system_resource", "failed", "overloaded"),
        ("MALFORMED_FUNCTION_CALL", "failed", "protocol"),
    ],
)
def test_the_finish_decides_the_outcome(raw, outcome, error):
    end = said(("text", ("a",)), ("finish", (raw,)))[-1]
    assert (outcome, error) == (end.outcome, end.error and end.error.type)


def test_an_unknown_finish_is_other_and_keeps_its_word():
    """C6: never thrown, never a guessed stop."""
    finish = said(("text", ("a",)), ("finish", ("abort_by_moon",)))[-1].finishes[0]
    assert ("other", "abort_by_moon") == (finish.reason, finish.raw)


@pytest.mark.parametrize("raw", ["", None, "None", "null"])
def test_words_that_say_nothing_are_no_finish(raw):
    """C4."""
    assert "truncated" == said(("text", ("a",)), ("finish", (raw,)))[-1].outcome


def test_a_stop_with_a_complete_call_is_promoted():
    """C1."""
    finish = said(("tool_call", (0, "a", "read", "{}")), ("finish", ("stop",)))[-1].finishes[0]
    assert ("tool_calls", "stop") == (finish.reason, finish.raw)


def test_a_stop_with_a_broken_call_is_not_promoted():
    finish = said(("tool_call", (0, "a", "read", '{"a"')), ("finish", ("stop",)))[-1].finishes[0]
    assert "stop" == finish.reason


def test_a_tool_finish_without_any_call_is_a_stop():
    """A27: the effective finish comes from the content; the raw one stays beside it."""
    finish = said(("text", ("a",)), ("finish", ("tool_calls",)))[-1].finishes[0]
    assert ("stop", "tool_calls") == (finish.reason, finish.raw)


def test_length_is_never_masked_by_a_call():
    finish = said(("tool_call", (0, "a", "read", "{}")), ("finish", ("length",)))[-1].finishes[0]
    assert "length" == finish.reason


def test_a_provider_run_tool_does_not_promote():
    events: list[ev.Event] = []
    out = Assembler(events.append)
    out.open("tool_call", "k", id="s", name="search", executor="provider")
    out.end("k")
    out.finish("stop")
    out.close()
    assert "stop" == events[-1].finishes[0].reason


def test_a_call_cut_by_length_is_not_complete():
    """A9: cut arguments never become a call that can be executed."""
    call = collect(said(("tool_call", (0, "a", "rm", '{"p":"/tmp","dry":tr')), ("finish", ("length",)))).tool_calls[0]
    assert (False, None, '{"p":"/tmp","dry":tr') == (call.complete, call.arguments, call.raw)


def test_a_call_cut_before_its_arguments_is_not_an_empty_call():
    """A9: nothing yet is not `{}`."""
    call = collect(said(("tool_call", (0, "a", "rm", "")), ("finish", ("length",)))).tool_calls[0]
    assert (False, None) == (call.complete, call.arguments)


def test_a_call_in_a_stream_that_broke_off_is_not_complete_even_if_it_parses():
    call = collect(said(("tool_call", (0, "a", "rm", '{"p":1}')))).tool_calls[0]
    assert False is call.complete


def test_empty_arguments_are_an_empty_object():
    """A7."""
    call = collect(said(("tool_call", (0, "a", "now", "")), ("finish", ("tool_calls",)))).tool_calls[0]
    assert (True, {}) == (call.complete, call.arguments)


def test_ended_but_unparsable_is_kept_raw_and_changes_no_outcome():
    message = collect(said(("tool_call", (0, "a", "f", '{"a":}')), ("finish", ("tool_calls",))))
    assert ("completed", False, '{"a":}') == (
        message.outcome,
        message.tool_calls[0].complete,
        message.tool_calls[0].raw,
    )


def test_missing_ids_are_made_once_and_marked():
    """A3: deterministic, stable, unique, synthetic."""
    program = [
        ("start", ("m1",)),
        ("tool_call", (0, None, "f", "{}")),
        ("tool_call", (1, "", "g", "{}")),
        ("finish", ("tool_calls",)),
    ]
    first, second = (collect(run(program)).tool_calls for _ in range(2))
    assert [call.id for call in first] == [call.id for call in second]
    assert 2 == len({call.id for call in first})
    assert [True, True] == [call.made_id for call in first]


def test_a_call_without_a_name_is_reported_not_lost():
    """D19."""
    message = collect(said(("tool_call", (0, "a", None, '{"x":1}')), ("finish", ("tool_calls",))))
    assert ("a", "", '{"x":1}', False) == (
        message.tool_calls[0].id,
        message.tool_calls[0].name,
        message.tool_calls[0].raw,
        message.tool_calls[0].complete,
    )
    assert ["call_without_name"] == [note.code for note in message.notes]


def test_choices_are_kept_apart():
    """B8: never glued; each has its own finish."""
    message = collect(
        said(
            ("text", ("a", 0)),
            ("text", ("x", 1)),
            ("text", ("b", 0)),
            ("text", ("y", 1)),
            ("finish", ("stop", None, 0)),
            ("finish", ("length", None, 1)),
        )
    )
    assert [("ab", "stop"), ("xy", "length")] == [(choice.text, choice.finish) for choice in message.choices]
    assert ("ab", "incomplete") == (message.text, message.outcome)


def test_a_choice_without_a_finish_makes_the_stream_truncated():
    assert "truncated" == said(("text", ("a", 0)), ("text", ("x", 1)), ("finish", ("stop", None, 0)))[-1].outcome


def test_the_terminal_waits_for_usage():
    """G2: usage after the finish, and after the terminator, is read."""
    events: list[ev.Event] = []
    out = Assembler(events.append)
    out.text("a")
    out.finish("stop")
    assert out.ending
    out.sign("done")
    assert "end" != events[-1].type
    assert out.ending
    out.usage({"input_tokens": 1, "output_tokens": 2})
    assert ("end", 3) == (events[-1].type, events[-1].usage.total_tokens)
    assert not out.ending


def test_a_terminator_after_usage_releases_the_terminal_at_once():
    events: list[ev.Event] = []
    out = Assembler(events.append)
    out.text("a")
    out.usage({"input_tokens": 1})
    out.finish("stop")
    out.sign("done")
    assert "end" == events[-1].type
    out.close()
    assert 1 == sum(event.type == "end" for event in events)


def test_content_after_the_terminator_is_dropped_with_one_note():
    """C9: data after [DONE]."""
    events = said(("text", ("a",)), ("sign", ("done",)), ("text", ("b",)), ("text", ("c",)))
    assert "a" == collect(events).text
    assert ["content_after_end"] == [event.code for event in events if isinstance(event, ev.Note)]


def test_content_after_a_finish_is_read_with_a_note():
    """C7: a finish is a candidate."""
    events = said(("text", ("a",)), ("finish", ("stop",)), ("text", ("b",)), ("finish", ("length",)))
    assert ("ab", "length") == (collect(events).text, collect(events).finish)
    assert ["content_after_finish"] == [event.code for event in events if isinstance(event, ev.Note)]


def test_the_first_failure_counts_and_usage_may_follow():
    """D12: a failed stream is billed as well."""
    end = said(
        ("text", ("a",)),
        ("fail", (make_error("overloaded", "one"),)),
        ("fail", (make_error("server", "two"),)),
        ("usage", ({"output_tokens": 5},)),
    )[-1]
    assert ("failed", "one", 5) == (end.outcome, end.error.message, end.usage.output_tokens)


def test_a_transport_fault_after_a_true_end_is_ignored():
    """C14."""
    events: list[ev.Event] = []
    out = Assembler(events.append)
    out.text("a")
    out.finish("stop")
    out.close(make_error("transport", "reset"))
    assert ("completed", None) == (events[-1].outcome, events[-1].error)


@pytest.mark.parametrize(
    ("type", "outcome"),
    [("transport", "failed"), ("timeout", "failed"), ("cancelled", "incomplete"), ("truncated", "truncated")],
)
def test_how_the_input_broke_off_is_the_terminal(type, outcome):
    events: list[ev.Event] = []
    out = Assembler(events.append)
    out.text("a")
    out.close(make_error(type, "x"))
    assert (outcome, type) == (events[-1].outcome, events[-1].error.type)


@pytest.mark.parametrize(
    ("verbs", "code"),
    [
        ([("text", ("a",)), ("finish", ("stop",)), ("text", ("b",))], "bridge.stream.delta_after_terminal"),
        ([("tool_call", (0, "a", None, "{}")), ("finish", ("stop",))], "bridge.stream.incomplete_tool_call"),
        ([("unknown", (b'{"what":1}',))], "bridge.stream.invalid_transition"),
    ],
)
def test_strict_mode_ends_with_seed_001_s_codes(verbs, code):
    """C2 of the checklist: strictness is a mode."""
    end = said(*verbs, strict=True)[-1]
    assert ("failed", code) == (end.outcome, end.error.code)


def test_strict_mode_takes_usage_after_the_finish():
    assert (
        "completed"
        == said(("text", ("a",)), ("finish", ("stop",)), ("usage", ({"input_tokens": 1},)), strict=True)[-1].outcome
    )


def test_usage_of_zeros_is_a_placeholder():
    """G3."""
    assert None is said(("usage", ({"input_tokens": 0, "output_tokens": 0},)), ("finish", ("stop",)))[-1].usage


def test_a_late_signature_gets_a_block_of_its_own():
    """F5: a signature that comes after its reasoning was left is kept, not lost."""
    message = collect(said(("reasoning", ("a",)), ("text", ("b",)), ("signature", ("sig",)), ("finish", ("stop",))))
    assert [("reasoning", 0), ("text", 0), ("reasoning", 1)] == [
        (p.__struct_config__.tag, len(p.signatures)) for p in message.blocks
    ]


def test_a_call_of_an_earlier_step_decides_no_finish():
    """An agent run goes on after its calls were answered: its stop is a stop."""
    run_of_two = (
        ("step_start", ()),
        ("tool_call", (0, "a", "look", "{}")),
        ("step_end", ("tool_calls",)),
        ("step_start", ()),
        ("text", ("done",)),
        ("step_end", ("stop",)),
        ("finish", ("stop",)),
    )
    message = collect(said(*run_of_two))
    assert ("stop", True) == (message.finish, message.tool_calls[0].complete)
    assert ["tool_calls", "stop"] == [step.finish for step in message.steps]


def test_what_the_finish_of_a_step_cut_off_is_not_whole():
    """A9 within one step: arguments that happen to parse are no call to execute."""
    cut = (
        ("step_start", ()),
        ("tool_call", (0, "a", "look", "{}")),
        ("step_end", ("length",)),
        ("finish", ("length",)),
    )
    assert [False] == [call.complete for call in collect(said(*cut)).tool_calls]
