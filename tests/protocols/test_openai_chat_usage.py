"""chat.completions as a source: token counts, wherever and under whatever name. Letters and numbers are modes of failures.md."""

import pytest

from tests.protocols.chat_wire import chunk, end, envelope, read, read_events, text, usage
from weft.events import Usage


def counted(*frames, done=True, dialect=""):
    """The counts that these chunks amount to."""
    found = read(*frames, done=done, dialect=dialect).usage
    assert found is not None
    return found


def last(said):
    """What the counts of one usage object amount to."""
    return counted(text("x"), end(), envelope([], usage=said))


CACHED = {"prompt_tokens_details": {"cached_tokens": 2}}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (CACHED, {"cache_read_tokens": 2}),
        ({"prompt_cache_hit_tokens": 2, "prompt_cache_miss_tokens": 1}, {"cache_read_tokens": 2}),
        ({"cached_tokens": 2}, {"cache_read_tokens": 2}),
        ({"num_cached_tokens": 2}, {"cache_read_tokens": 2}),
        ({"prompt_token_details": {"cached_tokens": 2}}, {"cache_read_tokens": 2}),
        ({"cache_read_input_tokens": 2}, {"cache_read_tokens": 2}),
        ({**CACHED, "cached_tokens": 0}, {"cache_read_tokens": 2}),
        ({"prompt_tokens_details": {"cache_write_tokens": 1}}, {"cache_write_tokens": 1}),
        ({"prompt_tokens_details": {"cache_creation_input_tokens": 1}}, {"cache_write_tokens": 1}),
        ({"cache_creation_input_tokens": 1}, {"cache_write_tokens": 1}),
        ({"completion_tokens_details": {"reasoning_tokens": 3}}, {"reasoning_tokens": 3}),
        ({"reasoning_tokens": 3}, {"reasoning_tokens": 3}),
        ({"prompt_tokens_details": None, "completion_tokens_details": None}, {}),
        ({"prompt_tokens_details": {"cached_tokens": 0}}, {"cache_read_tokens": 0}),
    ],
)
def test_the_same_count_under_every_name(members, expected):
    """G5, atlas 2.1.6"""
    found = last(usage(3, 4, 7, **members))
    detail = {
        name: getattr(found, name)
        for name in ("cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
        if getattr(found, name) is not None
    }
    assert ((3, 4, 7), expected) == ((found.input_tokens, found.output_tokens, found.total_tokens), detail)
    assert "reported" == found.source


def test_the_providers_own_object_is_kept_as_it_came():
    said = usage(3, 4, 7, cost=0.5, is_byok=False, cost_details={"upstream": None})
    assert said == last(said).raw


def test_a_total_that_nobody_said_is_the_sum():
    found = last(usage(3, 4, None))
    assert (7, "derived", "derived") == (found.total_tokens, found.sources["total_tokens"], found.source)


def test_numbers_in_quotes_and_what_is_no_number():
    found = last({"prompt_tokens": "3", "completion_tokens": 4.0, "total_tokens": "many", "reasoning_tokens": {}})
    assert (3, 4, 7) == (found.input_tokens, found.output_tokens, found.total_tokens)
    assert "many" == found.raw["total_tokens"]


@pytest.mark.parametrize("nothing", [None, {}, usage(0, 0, 0)])
def test_placeholders_are_no_counts(nothing):
    """G3: null on each chunk, an empty object, all zeros before or after the real ones"""
    assert read({**text("x"), "usage": nothing}, end()).usage is None
    found = counted({**text("x"), "usage": nothing}, end("stop", usage=usage()), envelope([], usage=nothing))
    assert 7 == found.total_tokens


def test_no_usage_is_none():
    """G2: absent is not 0"""
    assert read(text("x"), end()).usage is None


def test_cumulative_counts_are_never_added():
    """G1: Perplexity, vLLM's continuous_usage_stats"""
    frames = [{**text("x"), "usage": usage(10, number, 10 + number)} for number in range(1, 6)]
    found = counted(*frames, end("stop", usage=usage(10, 5, 15)))
    assert (10, 5, 15) == (found.input_tokens, found.output_tokens, found.total_tokens)


def test_counts_on_each_chunk_are_told_when_they_begin_and_when_they_end():
    frames = [{**text("x"), "usage": usage(10, number, 10 + number)} for number in range(1, 6)]
    told = [event.output_tokens for event in read_events(*frames, done=False) if isinstance(event, Usage)]
    assert [1, 5] == told
    assert [4] == [
        event.output_tokens for event in read_events(*[{**text("x"), "usage": usage()}] * 3) if isinstance(event, Usage)
    ]


def test_usage_in_the_choice():
    """G2: Moonshot"""
    ending = {"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage()}
    assert 7 == counted(text("x"), envelope([ending])).total_tokens
    quiet = {"index": 0, "delta": {}, "finish_reason": None, "usage": usage()}
    assert 7 == counted(text("x"), end(), envelope([quiet])).total_tokens


def test_usage_in_groqs_own_member():
    """G2: beside usage at the top, or instead of it"""
    assert 7 == counted(text("x"), end("stop", x_groq={"id": "r", "usage": usage()})).total_tokens
    both = end("stop", x_groq={"usage": usage(1, 1, 2)}, usage=usage())
    assert 7 == counted(text("x"), both).total_tokens


def test_early_counts_do_not_come_back():
    ending = {"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage()}
    assert 7 == counted({**text("x"), "usage": usage(1, 1, 2)}, envelope([ending])).total_tokens
    groq = end("stop", x_groq={"usage": usage()})
    assert 7 == counted({**text("x"), "usage": usage(1, 1, 2)}, groq).total_tokens


def test_usage_on_the_finish_chunk():
    """DeepSeek, Mistral, GLM"""
    assert 7 == counted(text("x"), end("stop", usage=usage()), done=False).total_tokens


def test_usage_of_a_stream_that_failed_or_was_cut():
    """G8, D12"""
    assert 7 == counted({**text("x"), "usage": usage()}, done=False).total_tokens
    assert 7 == counted(text("x"), {"error": {"message": "busy"}}, envelope([], usage=usage())).total_tokens


# -- what includes what --------------------------------------------------------------------------------------------


def reasoned(prompt, completion, total, reasoning):
    return usage(prompt, completion, total, completion_tokens_details={"reasoning_tokens": reasoning})


def test_a_total_of_three_proves_that_reasoning_is_counted_beside():
    """G6, atlas 6.4: xAI, also when Azure hosts it"""
    found = last(reasoned(10, 5, 35, 20))
    assert (25, 20, 35) == (found.output_tokens, found.reasoning_tokens, found.total_tokens)
    assert ("derived", "derived") == (found.sources["output_tokens"], found.source)


def test_a_total_of_two_proves_nothing_of_the_kind():
    """G6: more reasoning than completion may be the estimate of another tokenizer"""
    found = last(reasoned(17, 128, 145, 130))
    assert (128, 130, "reported") == (found.output_tokens, found.reasoning_tokens, found.source)


def test_without_a_total_the_dialect_decides():
    said = reasoned(10, 5, None, 20)
    assert 5 == last(said).output_tokens
    assert 25 == counted(text("x"), end("stop", usage=said), dialect="xai").output_tokens
    assert 25 == counted({**text("x"), "model": "grok-4"}, end("stop", usage=said)).output_tokens


@pytest.mark.parametrize("dialect", ["deepinfra", "vercel"])
def test_gateways_that_leave_geminis_thoughts_out(dialect):
    """Atlas 6.4: the total lacks them as well, so it is summed up anew"""
    found = counted(text("x"), end("stop", usage=reasoned(28, 5, 33, 48)), dialect=dialect)
    assert (53, 81, "derived") == (found.output_tokens, found.total_tokens, found.sources["total_tokens"])
    inside = counted(text("x"), end("stop", usage=reasoned(28, 50, 78, 48)), dialect=dialect)
    assert (50, 78, "reported") == (inside.output_tokens, inside.total_tokens, inside.source)


def test_more_cached_than_prompt_tokens_are_counted_beside():
    """Atlas 6.4: xAI"""
    found = last(usage(198, 18, 216, prompt_tokens_details={"cached_tokens": 314}))
    assert (512, 314, "derived") == (found.input_tokens, found.cache_read_tokens, found.sources["input_tokens"])


def test_usage_with_a_chunk_that_has_content():
    frame = {**chunk({"content": "x"}, "stop"), "usage": usage()}
    message = read(frame)
    assert ("x", 7) == (message.text, message.usage and message.usage.total_tokens)


def test_a_total_without_what_was_added_to_the_prompt_is_summed_up_anew():
    found = last(usage(3, 4, 7, prompt_tokens_details={"cached_tokens": 10}))
    assert (13, 4, 17) == (found.input_tokens, found.output_tokens, found.total_tokens)
    assert ("derived", "derived") == (found.sources["input_tokens"], found.sources["total_tokens"])


def test_a_count_below_zero_is_none():
    assert (None, 4) == ((found := last(usage(-1, 4, None))).input_tokens, found.output_tokens)
