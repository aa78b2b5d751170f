"""Ollama's native API as a source."""

import json

import pytest

import weft
from weft.events import ArgsDelta, BlockStart, File, Meta, TextDelta, Unknown
from weft.reader import Reader
from weft.testing import check_protocol
from weft.testing.laws import check_whole_reply

from .ollama_lines import COUNTS, DONE, call, generated, line
from .wire import end, events, message, ndjson, note_codes


def read(*lines):
    return message(ndjson(*lines), "ollama")


# --- text and thinking ---------------------------------------------------------------------------------------------


def test_thinking_then_text():
    got = read(line(thinking="Hm"), line(thinking="m."), line("Blue"), line(" sky."), DONE)
    assert ("Hmm.", "Blue sky.") == (got.reasoning, got.text)
    assert ["reasoning", "text"] == [part.__struct_config__.tag for part in got.blocks]
    assert ("completed", "stop", "stop") == (got.outcome, got.finish, got.finish_raw)


def test_thinking_and_text_in_one_line_come_in_that_order():
    got = [
        event for event in events(ndjson(line("yes", thinking="sure"), DONE), "ollama") if event.type.endswith("delta")
    ]
    assert ["reasoning-delta", "text-delta"] == [event.type for event in got]


def test_model_and_time_with_nanoseconds():
    got = read(line("x"), DONE)
    assert "qwen3:8b" == got.model
    assert 1742495562.590997 == pytest.approx(got.created, abs=1e-5)


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("2025-01-01T00:00:00Z", 1735689600),
        ("2025-01-01T00:00:00.1Z", 1735689600.1),
        ("2025-01-01T02:00:00.123456789+02:00", 1735689600.123456),
        ("2025-01-01T00:00:00", 1735689600),
        ("0001-01-01T00:00:00Z", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_times_of_any_precision(stamp, seconds):
    assert seconds == read(line("x", created_at=stamp), DONE).created


def test_empty_lines_change_nothing():
    """B12"""
    assert ["x"] == [
        e.text for e in events(ndjson(line(""), line("x"), line(""), DONE), "ollama") if isinstance(e, TextDelta)
    ]


def test_final_line_with_content_and_calls_is_read_before_the_end():
    """Q-O2, B6"""
    final = line("!", thinking="t", calls=[call("f", {"a": 1})], done=True, done_reason="stop", **COUNTS)
    got = read(line("Hi"), final)
    assert ("Hi!", "t", ["f"]) == (got.text, got.reasoning, [c.name for c in got.tool_calls])


def test_content_in_parts():
    """B5"""
    parts = ["a", {"type": "text", "text": "b"}, {"value": "c"}]
    assert "abc" == read(line(parts), DONE).text


def test_logprobs_stay_with_their_text():
    """B9"""
    odds = [{"token": "x", "logprob": -0.1, "top_logprobs": []}]
    got = [event for event in events(ndjson(line("x", logprobs=odds), DONE), "ollama") if isinstance(event, TextDelta)]
    assert [TextDelta(0, "x", odds)] == got


def test_logprobs_of_thinking_are_said_to_be_dropped_once():
    """B9"""
    thought = line(thinking="Hm", logprobs=[{"token": "Hm", "logprob": -0.1}])
    assert ["logprobs_dropped"] == note_codes(ndjson(thought, thought, line("x"), DONE), "ollama")


def test_images_are_files_whose_kind_shows_in_their_bytes():
    """B10"""
    spoken = {"role": "assistant", "content": "", "images": ["iVBORw0KGgo=", "/9j/4AAQ", "AAAA"]}
    files = [
        e
        for e in events(ndjson({"model": "m", "message": spoken, "done": False}, DONE), "ollama")
        if isinstance(e, File)
    ]
    assert ["image/png", "image/jpeg", None] == [file.media_type for file in files]
    assert ["iVBORw0KGgo=", "/9j/4AAQ", "AAAA"] == [file.data for file in files]


def test_cloud_models_say_where_they_ran():
    got = read(line("x", remote_model="gpt-oss:120b", remote_host="https://models.example"), DONE)
    assert {"remote_model": "gpt-oss:120b", "remote_host": "https://models.example"} == got.meta


def test_generate_is_read_as_well():
    got = read(
        generated("Once", thinking="plot"),
        generated(" upon"),
        generated(done=True, done_reason="stop", context=[1, 2], **COUNTS),
    )
    assert ("plot", "Once upon", {"context": [1, 2]}) == (got.reasoning, got.text, got.meta)
    assert (9, 4, 13) == (got.usage.input_tokens, got.usage.output_tokens, got.usage.total_tokens)


def test_generated_image_and_its_progress():
    got = read({"model": "m", "completed": 1, "total": 2, "done": False}, generated(image="iVBORw0KGgo=", done=True))
    assert ["iVBORw0KGgo="] == [part.data for part in got.blocks]
    assert [] == got.unknown


# --- calls ---------------------------------------------------------------------------------------------------------


def test_calls_before_the_last_line_are_read():
    """Q-O1, A13"""
    got = read(line(calls=[call("look", {"at": "sky"})]), DONE)
    (only,) = got.tool_calls
    assert ("look", {"at": "sky"}, True) == (only.name, only.arguments, only.complete)
    assert ("tool_calls", "stop") == (got.finish, got.finish_raw)


def test_same_index_for_every_call_makes_them_no_one_call():
    """A1, A3, A19"""
    same = {"index": 0}
    calls = [{"function": {"name": "f", "arguments": {"n": n}, **same}} for n in (1, 2)]
    got = read(line(calls=calls), line(calls=[{"function": {"name": "f", "arguments": {"n": 3}, **same}}]), DONE)
    assert [{"n": 1}, {"n": 2}, {"n": 3}] == [c.arguments for c in got.tool_calls]
    assert 3 == len({c.id for c in got.tool_calls})
    assert all(c.made_id for c in got.tool_calls)


def test_id_of_the_source_is_kept():
    (only,) = read(line(calls=[call("f", {}, id="call_7")]), DONE).tool_calls
    assert ("call_7", False) == (only.id, only.made_id)


def test_id_of_an_earlier_call_is_not_given_twice():
    """A21"""
    data = ndjson(line(calls=[call("f", {"a": 1}, id="c")]), line(calls=[call("f", {"a": 2}, id="c")]), DONE)
    first, second = message(data, "ollama").tool_calls
    assert ("c", {"a": 1}, {"a": 2}) == (first.id, first.arguments, second.arguments)
    assert second.id != "c"
    assert ["call_id_reused"] == note_codes(data, "ollama")


def test_call_said_again_is_one_call():
    again = line(calls=[call("f", {"a": 1}, id="c")])
    data = ndjson(again, again, DONE)
    assert 1 == len(message(data, "ollama").tool_calls)
    assert ["call_repeated"] == note_codes(data, "ollama")


def test_arguments_are_the_text_of_the_source():
    """A6, A26"""
    raw = '{ "big": 12345678901234567890123, "f": 1.0, "é": "\\u00e9",  "b": "}{" }'
    data = ndjson(line(calls=[call("f", {"put": "here"})]), DONE).replace(b'{"put": "here"}', raw.encode())
    (only,) = message(data, "ollama").tool_calls
    assert raw == only.raw


@pytest.mark.parametrize(("sent", "raw"), [({}, "{}"), ("", ""), (None, ""), ('{"a":1}', '{"a":1}')])
def test_arguments_that_are_empty_or_text(sent, raw):
    """A6, A7, A8"""
    (only,) = read(line(calls=[call("f", sent)]), DONE).tool_calls
    assert (raw, True) == (only.raw, only.complete)


def test_arguments_are_one_event_of_a_whole_call():
    got = events(ndjson(line(calls=[call("f", {"a": 1})]), DONE), "ollama")
    assert ["whole"] == [event.arrival for event in got if isinstance(event, BlockStart)]
    assert ['{"a": 1}'] == [event.text for event in got if isinstance(event, ArgsDelta)]


def test_call_is_known_to_be_complete_before_the_stream_ends():
    got = events(ndjson(line(calls=[call("f", {"a": 1})])), "ollama")
    assert ["start", "block-start", "args-delta", "block-end", "end"] == [event.type for event in got]
    assert got[3].complete


def test_half_a_character_in_arguments_loses_no_call():
    data = ndjson(line(calls=[call("f", {"a": "X"})]), DONE).replace(b'"X"', b'"\\ud83d"')
    (only,) = message(data, "ollama").tool_calls
    assert '{"a":"\\ud83d"}' == only.raw


@pytest.mark.parametrize(
    "odd",
    [
        {"message": "X"},
        {"model": "X", "message": {"content": "X"}, "logprobs": [{"token": "X"}], "X": "X"},
        {"message": {"content": "", "tool_calls": [{"id": "X", "function": {"name": "X", "arguments": {"X": 1e308}}}]}},
        {"error": "X", "X": 1},
        {"X": ["X"]},
        {"delta": "X", "kind": "X"},
    ],
)
def test_half_characters_anywhere_go_to_json(odd):
    data = ndjson(odd, DONE).replace(b'"X"', b'"\\ud83d"').replace(b"1e+308", b"1e400")
    got = events(data, "ollama")
    assert "end" == got[-1].type
    assert [event.type for event in got] == [weft.from_json(weft.to_json(event)).type for event in got]


def test_member_of_a_wrong_type_loses_no_call():
    """B16"""
    data = ndjson(line(7, calls=[call("f", {"a": 1})]), DONE)
    assert ['{"a":1}'] == [c.raw for c in message(data, "ollama").tool_calls]
    assert ["member_dropped"] == note_codes(data, "ollama")


def test_text_after_a_call_is_a_block_of_its_own():
    """B13"""
    got = read(line("a"), line(calls=[call("f", {})]), line("b"), DONE)
    assert ["text", "tool_call", "text"] == [part.__struct_config__.tag for part in got.blocks]


# --- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "finish", "outcome"),
    [
        ("stop", "stop", "completed"),
        ("length", "length", "incomplete"),
        ("max_tokens", "length", "incomplete"),
        ("load", "other", "completed"),
        ("unload", "other", "completed"),
        ("repeat", "other", "completed"),
        ("", None, "completed"),
        (None, None, "completed"),
    ],
)
def test_done_reasons(raw, finish, outcome):
    """C3, C4, C6, Q-O3"""
    got = end(ndjson(line("x"), line(done=True, done_reason=raw)), "ollama")
    assert (outcome, finish) == (got.outcome, got.finishes[0].reason)


def test_done_without_a_reason():
    assert "completed" == end(ndjson(line("x"), line(done=True)), "ollama").outcome


def test_stream_that_only_loads_a_model():
    got = end(ndjson(generated(done=True, done_reason="load")), "ollama")
    assert ("completed", "other", None) == (got.outcome, got.finishes[0].reason, got.usage)


def test_length_is_not_masked_by_a_call():
    """C1"""
    got = read(line(calls=[call("f", {})]), line(done=True, done_reason="length"))
    assert ("incomplete", "length") == (got.outcome, got.finish)


def test_every_cut_before_done_is_truncated():
    """C2"""
    lines = [line(thinking="Hm"), line("Blue"), line(calls=[call("f", {})]), DONE]
    data = ndjson(*lines)
    closed = len(data) - 1  # the last line is whole without its line end
    for size in range(closed):
        assert "truncated" == end(data[:size], "ollama").outcome
    assert "completed" == end(data[:closed], "ollama").outcome


def test_what_comes_after_done_is_dropped():
    """C9"""
    assert "x" == read(line("x"), DONE, line("y")).text


def test_terminal_comes_with_done_and_not_with_the_end_of_the_input():
    """C13"""
    got = []
    reader = Reader("ollama", got.append)
    reader.feed(ndjson(line("x"), DONE))
    assert reader.done
    assert "end" == got[-1].type


# --- usage ---------------------------------------------------------------------------------------------------------


def test_counts_and_durations():
    usage = read(line("x"), DONE).usage
    assert (9, 4, 13) == (usage.input_tokens, usage.output_tokens, usage.total_tokens)
    assert COUNTS == usage.raw
    assert (None, None, None) == (usage.cache_read_tokens, usage.cache_write_tokens, usage.reasoning_tokens)


@pytest.mark.parametrize("counts", [{"eval_count": 4}, {"eval_count": 4, "prompt_eval_count": 0}])
def test_prompt_that_was_not_evaluated_again_has_no_count(counts):
    """Q-O4, G3"""
    usage = read(line("x"), line(done=True, done_reason="stop", **counts)).usage
    assert (None, 4, None) == (usage.input_tokens, usage.output_tokens, usage.total_tokens)


# --- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": "llama runner process has terminated: exit status 2"}, "server"),
        ({"error": "server busy, please try again. maximum pending requests exceeded"}, "overloaded"),
        ({"error": "model 'x' not found, try pulling it first", "status_code": 404}, "not_found"),
        ({"error": "unauthorized", "signin_url": "https://sign.example"}, "authentication"),
        ({"error": "too many requests", "StatusCode": 429}, "rate_limit"),
    ],
)
def test_error_line_after_content(body, kind):
    """D1"""
    got = read(line("x"), body)
    assert ("failed", kind, body) == (got.outcome, got.error.type, got.error.original)
    assert "x" == got.text


def test_error_as_the_only_line():
    assert "not_found" == end(b'{"error":"model \'x\' not found, try pulling it first"}', "ollama").error.type


def test_http_error():
    got = end(b'{"error":"model \'x\' not found"}', "ollama", status=404)
    assert ("failed", "not_found", 404) == (got.outcome, got.error.type, got.error.status)


def test_line_of_another_interface_is_carried():
    """B16"""
    got = events(ndjson({"status": "pulling manifest"}, line("x"), DONE), "ollama")
    assert [{"status": "pulling manifest"}] == [event.raw for event in got if isinstance(event, Unknown)]
    assert "completed" == got[-1].outcome


def test_broken_line_is_skipped():
    """D9"""
    data = ndjson(line("a")) + b'{"model":"qwen3:8b","mess\n' + ndjson(line("b"), DONE)
    got = message(data, "ollama")
    assert ("ab", "completed") == (got.text, got.outcome)


# --- whole replies, laws -------------------------------------------------------------------------------------------

WHOLE = line("Blue sky.", thinking="Hmm.", calls=[call("f", {"a": 1})], done=True, done_reason="stop", **COUNTS)
STREAM = [
    line(thinking="Hm"),
    line(thinking="m."),
    line("Blue"),
    line(" sky."),
    line(calls=[call("f", {"a": 1})]),
    DONE,
]


def test_whole_reply_is_the_stream():
    check_whole_reply("ollama", ndjson(*STREAM), ndjson(WHOLE))
    assert read(*STREAM).usage == read(WHOLE).usage


def test_whole_reply_over_many_lines():
    assert "Blue sky." == message(json.dumps(WHOLE, indent=2).encode(), "ollama").text


def test_parsed_lines_are_read_as_their_bytes():
    """An SDK that is not of ours yields dicts."""
    assert read(*STREAM).text == weft.collect(weft.read(iter(STREAM), "ollama")).text
    assert [{"a": 1}] == [c.arguments for c in weft.collect(weft.read(iter(STREAM), "ollama")).tool_calls]


def test_laws_hold():
    assert 1 == check_protocol("ollama", [ndjson(*STREAM)], rounds=25)


def test_unread_members_are_violations_in_strict_mode():
    assert "completed" == end(ndjson(*STREAM), "ollama", strict=True).outcome
    got = end(ndjson(line("x", surprise=1), DONE), "ollama", strict=True)
    assert ("failed", "surprise") == (got.outcome, got.error.parameter)


def test_facts_that_are_not_of_the_answer_are_meta():
    got = [
        event
        for event in events(ndjson(generated("x"), generated(done=True, context=[3])), "ollama")
        if isinstance(event, Meta)
    ]
    assert [("context", [3])] == [(event.name, event.value) for event in got]


@pytest.mark.parametrize("arguments", [[], [1], 5, True])
def test_arguments_that_are_no_object_are_kept_and_not_executable(arguments):
    """A9"""
    [got] = read(line(calls=[call("f", arguments)]), DONE).tool_calls
    assert (json.dumps(arguments), None, False) == (got.raw, got.arguments, got.complete)
