"""Ollama's lines with a tag around them, and plain text between them: seed 002's source."""

import pytest

from weft.events import ArgsDelta, BlockStart, TextDelta
from weft.testing import check_protocol

from .ollama_lines import DONE, line
from .wire import end, events, message, ndjson


def tagged(delta, kind="json"):
    return {"kind": kind, "delta": delta}


def chunk(**delta):
    return {"choices": [{"delta": delta}]}


def test_the_seeds_two_lines():
    plan = '{"a":1}'
    data = ndjson(
        tagged(chunk(content=[{"type": "text", "text": "Planning"}])),
        tagged(chunk(tool_calls=[{"name": "emit_plan", "arguments": plan}])),
    )
    got = events(data, "ollama")
    opened = [event for event in got if isinstance(event, BlockStart)]
    assert [("text", "json"), ("tool_call", None)] == [(event.kind, event.channel) for event in opened]
    assert ["Planning"] == [event.text for event in got if isinstance(event, TextDelta)]
    assert [(plan, "delta", "emit_plan")] == [
        (e.text, opened[1].arrival, opened[1].name) for e in got if isinstance(e, ArgsDelta)
    ]


def channels(data):
    opened = {event.index: event.channel for event in events(data, "ollama") if isinstance(event, BlockStart)}
    return [(opened[event.index], event.text) for event in events(data, "ollama") if isinstance(event, TextDelta)]


def test_plain_text_between_the_lines_has_its_own_channel():
    data = ndjson(tagged(chunk(content="a"))) + b"some words\nand more\n" + ndjson(tagged(chunk(content="b")))
    assert [("json", "a"), ("text", "some words"), ("text", "\nand more"), ("json", "b")] == channels(data)


def test_tag_is_the_channel_whatever_it_is_around():
    data = ndjson(
        tagged("words", "text"),
        {"kind": "text", "text": "more"},
        tagged({"message": {"role": "assistant", "content": "native"}}),
        tagged({"content": "root"}),
        tagged({"choices": [{"message": {"content": ["m", {"value": "v"}]}}]}),
        tagged({"choices": [{"update": {"content": {"text": "u"}}}]}),
    )
    said = [
        ("text", "words"),
        ("text", "more"),
        ("json", "native"),
        ("json", "root"),
        ("json", "m"),
        ("json", "v"),
        ("json", "u"),
    ]
    assert said == channels(data)


def test_native_lines_after_tagged_ones_have_no_channel():
    assert [("json", "a"), (None, "b")] == channels(ndjson(tagged(chunk(content="a")), line("b"), DONE))


def test_lines_glued_together_in_a_string():
    glued = (
        '{"choices":[{"delta":{"content":"A{"}}]}{"choices":[{"delta":{"content":"}B"}}]}\n{"message":{"content":"C"}}'
    )
    assert [("json", "A{"), ("json", "}B"), ("json", "C")] == channels(ndjson(tagged(glued)))


@pytest.mark.parametrize("text", ['{"plan": 1}', '{"plan": ', "{not JSON}", "prose", '{"choices": 7}'])
def test_json_that_the_model_wrote_is_text(text):
    assert [("json", text)] == channels(ndjson(tagged(text)))


def test_objects_glued_on_one_line():
    data = ndjson(tagged(chunk(content="A"))).rstrip() + ndjson(tagged(chunk(content="B")))
    assert [("json", "A"), ("json", "B")] == channels(data)


def test_whole_calls_in_tags():
    got = message(
        ndjson(
            tagged(chunk(tool_calls=[{"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}}])),
            tagged({"tool_calls": [{"name": "g", "arguments": {"b": 2}}]}),
            tagged(chunk(content=[{"type": "tool_call", "id": "c3", "name": "h", "arguments": {"c": 3}}])),
            tagged({"done": True, "done_reason": "stop"}),
        ),
        "ollama",
    )
    assert [("f", {"a": 1}), ("g", {"b": 2}), ("h", {"c": 3})] == [(c.name, c.arguments) for c in got.tool_calls]
    assert ("completed", "tool_calls") == (got.outcome, got.finish)


def test_pieces_of_calls_in_tags():
    got = message(
        ndjson(
            tagged(chunk(tool_calls=[{"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a"'}}])),
            tagged(chunk(tool_calls=[{"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{"}}])),
            tagged(chunk(tool_calls=[{"index": 0, "function": {"arguments": ":1}"}}])),
            tagged(chunk(tool_calls=[{"index": 1, "function": {"arguments": "}"}}])),
            tagged({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
        ),
        "ollama",
    )
    assert [("c1", {"a": 1}), ("c2", {})] == [(c.id, c.arguments) for c in got.tool_calls]
    assert ("completed", "tool_calls") == (got.outcome, got.finish)


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        (b"[DONE]\n", "completed"),
        (b"data: [DONE]\n", "completed"),
        (b'{"done":true}\n', "completed"),
        (b"", "truncated"),
    ],
)
def test_tagged_streams_end_by_a_marker(last, outcome):
    assert outcome == end(ndjson(tagged(chunk(content="a"))) + last, "ollama").outcome


def test_error_inside_a_tag():
    got = end(ndjson(tagged(chunk(content="a")), tagged({"error": "server busy, please try again"})), "ollama")
    assert ("failed", "overloaded") == (got.outcome, got.error.type)


def test_laws_hold():
    lines = (
        ndjson(tagged(chunk(content="a"))) + b"words\n" + ndjson(tagged('{"message":{"content":"b"}}'), line("c"), DONE)
    )
    assert 1 == check_protocol("ollama", [lines], rounds=25)


@pytest.mark.parametrize("member", ["reasoning", "reasoning_content"])
def test_reasoning_of_tagged_chunks_is_not_lost(member):
    """F1"""
    got = message(
        ndjson(tagged(chunk(**{member: "Hm."})), tagged(chunk(content="Hi")), tagged({"done": True})), "ollama"
    )
    assert ("Hm.", "Hi") == (got.reasoning, got.text)


def test_refusal_model_and_usage_of_tagged_chunks_are_not_lost():
    said = chunk(refusal="No.") | {"model": "q", "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    got = message(ndjson(tagged(said), tagged({"choices": [{"delta": {}, "finish_reason": "stop"}]})), "ollama")
    assert ("No.", "q", "refusal") == (got.refusal, got.model, got.finish)
    assert (3, 4) == (got.usage.input_tokens, got.usage.output_tokens)
