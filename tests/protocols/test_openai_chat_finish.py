"""chat.completions as a source: how streams end. Letters and numbers are modes of failures.md."""

import pytest

import weft
from tests.protocols.chat_wire import PROTOCOL, call, calls, chunk, codes, end, envelope, read, read_events, text, usage
from tests.protocols.wire import sse
from weft.events import End, Finish


def test_a_stop_with_an_executable_call_is_a_tool_finish():
    """C1"""
    message = read(calls(call(0, "a", "f", "{}")), end("stop"))
    assert ("tool_calls", "stop", "completed") == (message.finish, message.finish_raw, message.outcome)


def test_a_stop_with_a_broken_call_stays_a_stop():
    """C1: only a complete call promotes"""
    message = read(calls(call(0, "a", "f", '{"x":')), end("stop"))
    assert ("stop", False) == (message.finish, message.tool_calls[0].complete)


def test_a_tool_finish_without_any_call_is_a_stop():
    """A27"""
    message = read(text("x"), end("tool_calls"))
    assert ("stop", "tool_calls") == (message.finish, message.finish_raw)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_cut_answer_is_never_masked(finish):
    """C1, C11"""
    message = read(calls(call(0, "a", "f", "{}")), calls(call(1, "b", "g", '{"x":')), end(finish))
    assert (finish, "incomplete") == (message.finish, message.outcome)
    assert [True, False] == [each.complete for each in message.tool_calls]


@pytest.mark.parametrize(
    ("raw", "finish", "outcome", "error"),
    [
        ("stop", "stop", "completed", None),
        ("length", "length", "incomplete", None),
        ("model_length", "length", "incomplete", None),
        ("model_context_window_exceeded", "length", "incomplete", None),
        ("max_tokens", "length", "incomplete", None),
        ("content_filter", "content_filter", "incomplete", "content_blocked"),
        ("sensitive", "content_filter", "incomplete", "content_blocked"),
        ("insufficient_system_resource", "error", "failed", "overloaded"),
        ("network_error", "error", "failed", "server"),
        ("error", "error", "failed", "server"),
        ("eos_token", "stop", "completed", None),
        ("eos", "stop", "completed", None),
        ("end_turn", "stop", "completed", None),
        ("abort", "other", "completed", None),
        ("load", "other", "completed", None),
        ("brand_new", "other", "completed", None),
    ],
)
def test_every_finish_reason(raw, finish, outcome, error):
    """C6, atlas 2.1.7"""
    message = read(text("x"), end(raw))
    assert (finish, raw, outcome) == (message.finish, message.finish_raw, message.outcome)
    assert error == (message.error and message.error.type)


@pytest.mark.parametrize("nothing", ["", "null", "None", None])
def test_a_finish_that_says_nothing_on_each_chunk(nothing):
    """C4"""
    message = read(chunk({"content": "a"}, nothing), chunk({"content": "b"}, nothing), end("stop"))
    assert ("ab", "stop", []) == (message.text, message.finish, message.notes)


def test_a_finish_under_another_name():
    """C5: Gemini's compatible endpoint in its beta"""
    choice = {"index": 0, "delta": {}, "finish_reason": None, "finishReason": "stop"}
    assert "stop" == read(text("x"), envelope([choice]), done=False).finish


def test_text_and_finish_in_one_chunk():
    """B6, C17 of the catalogue"""
    message = read(chunk({"content": "!"}, "stop"), done=False)
    assert ("!", "stop", "completed") == (message.text, message.finish, message.outcome)


def test_the_terminal_chunk_twice_is_one_end():
    """C8: OpenRouter, Cloudflare, doubleword"""
    events = read_events(text("x"), end(), end("stop", usage=usage()))
    assert 1 == sum(isinstance(event, End) for event in events)
    assert (Finish(0, "stop", "stop"),) == events[-1].finishes
    assert [] == [event for event in events if event.type == "note"]


def test_the_last_of_two_finishes_counts_and_content_between_is_kept():
    """C7, C8: Gemini through OpenRouter says tool_calls, then more text, then stop"""
    frames = [chunk({"tool_calls": [call(0, "a", "f", "{}")]}, "tool_calls"), chunk({"content": "\n"}, "stop")]
    message = read(*frames)
    assert ("\n", "tool_calls", "stop") == (message.text, message.finish, message.finish_raw)
    assert ["content_after_finish"] == codes(message)


def test_openrouters_native_finish_is_kept_where_it_differs():
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", "native_finish_reason": "STOP"}
    assert {"native_finish_reason": "STOP"} == read(text("x"), envelope([choice])).meta
    choice["native_finish_reason"] = "stop"
    assert {} == read(text("x"), envelope([choice])).meta


def test_done_without_a_finish_is_a_clean_end_of_unknown_kind():
    """C3: Kimi on Novita, gateways"""
    message = read(text("x"), done=True)
    assert ("completed", None, None) == (message.outcome, message.finish, message.error)


def test_a_stream_that_just_stops_is_truncated():
    """C2"""
    message = read(text("x"), done=False)
    assert ("truncated", None) == (message.outcome, message.finish)
    assert message.error is not None
    assert "truncated" == message.error.type


def test_a_finish_is_an_end_without_done():
    """Perplexity, Cerebras, TGI never send it."""
    message = read(text("x"), end(), done=False)
    assert ("completed", None) == (message.outcome, message.usage)


def test_one_unfinished_choice_truncates_the_stream_unless_it_is_done():
    """C2; LiteLLM's proxy finishes choice 0 alone"""
    frames = [text("a", 0), text("b", 1), end("stop", 0)]
    assert "truncated" == read(*frames, done=False).outcome
    finished = read(*frames)
    assert ("completed", ["stop", None]) == (finished.outcome, [choice.finish for choice in finished.choices])


LATE = {
    "text": text("late"),
    "reasoning": chunk({"reasoning": "late"}),
    "refusal": chunk({"refusal": "late"}),
    "call": calls(call(0, "a", "f", "{}")),
    "image": chunk({"images": [{"type": "image_url", "image_url": {"url": "http://late"}}]}),
}


@pytest.mark.parametrize("late", LATE.values(), ids=LATE)
def test_content_of_any_kind_after_the_finish_is_noted_and_strictly_refused(late):
    """Seed 001: nothing but usage may follow an observed finish."""
    frames = [text("x"), end(), late, late]
    echoes = {"call_echo"} if late is LATE["call"] else set()
    assert ["content_after_finish", *echoes] == codes(read(*frames))
    strict = read(*frames, strict=True)
    assert ("failed", "bridge.stream.delta_after_terminal") == (strict.outcome, strict.error and strict.error.code)
    assert ("x", 1) == (strict.text, len(strict.blocks))


def test_strictly_refused_results_cost_nothing_else():
    data = (
        b'{"type":"finish","finishReason":"stop"}\n{"type":"tool-result","toolCallId":"t","toolName":"f","output":1}\n'
    )
    assert "failed" == weft.collect(weft.read(data, "ai-sdk", strict=True)).outcome


def test_what_comes_after_done():
    """C9: usage is read, content is dropped with a note"""
    data = sse(text("x"), end(), done=True) + sse(text("y"), envelope([], usage=usage()))
    message = weft.collect(weft.read(data, PROTOCOL))
    assert ("x", 7) == (message.text, message.usage and message.usage.total_tokens)
    assert ["content_after_end"] == codes(message)


def test_the_terminal_waits_for_usage_and_no_longer():
    """G2, C13: released by [DONE] once usage was seen, else at close"""
    events = []
    reader = weft.reader.Reader(PROTOCOL, events.append)
    reader.feed(sse(text("x"), end()))
    assert (True, False) == (reader.ending, reader.done)
    reader.feed(sse(envelope([], usage=usage())))
    assert not reader.done
    reader.feed(sse(done=True))
    assert reader.done
    assert isinstance(events[-1], End)
