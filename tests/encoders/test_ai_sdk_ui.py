"""The AI SDK's UI message stream: what every version's client accepts, in the order of atlas 3.6, A.6 and 4.5."""

import json

import pytest
from hypothesis import given

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import check_same, converted, ended, fixtures, read, recorded, whole, words
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
from tests.encoders.ui import TARGET, inner, types
from tests.strategies import legal_streams
from weft import events as ev
from weft.errors import make_error


def test_the_golden_order():
    """Atlas 3.6.2."""
    chunks, lost = told(
        TARGET,
        block(0, "reasoning", ev.ReasoningDelta(0, "Hm."), ev.Signature(0, "sig", CLAUDE)),
        text(1, "Hel", "lo"),
        call(2, '{"a"', ":1}"),
        result(2 + 1, "c2", {"ok": True}),
        ev.End("completed", (ev.Finish(reason="tool_calls", raw="tool_use"),), ev.Usage(10, 5, 15, 4, 3, 2)),
    )
    usage = {
        "inputTokens": 10,
        "outputTokens": 5,
        "totalTokens": 15,
        "inputTokenDetails": {"cacheReadTokens": 4, "cacheWriteTokens": 3},
        "outputTokenDetails": {"reasoningTokens": 2},
    }
    assert [
        {"type": "start"},
        {"type": "start-step"},
        {"type": "reasoning-start", "id": "reasoning-0"},
        {"type": "reasoning-delta", "id": "reasoning-0", "delta": "Hm."},
        {"type": "reasoning-end", "id": "reasoning-0", "providerMetadata": {"anthropic": {"signature": "sig"}}},
        {"type": "text-start", "id": "text-1"},
        {"type": "text-delta", "id": "text-1", "delta": "Hel"},
        {"type": "text-delta", "id": "text-1", "delta": "lo"},
        {"type": "text-end", "id": "text-1"},
        {"type": "tool-input-start", "toolCallId": "c2", "toolName": "look"},
        {"type": "tool-input-delta", "toolCallId": "c2", "inputTextDelta": '{"a"'},
        {"type": "tool-input-delta", "toolCallId": "c2", "inputTextDelta": ":1}"},
        {"type": "tool-input-available", "toolCallId": "c2", "toolName": "look", "input": {"a": 1}},
        {"type": "tool-output-available", "toolCallId": "c2", "output": {"ok": True}},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "tool-calls", "messageMetadata": {"usage": usage}},
        "[DONE]",
    ] == chunks
    assert [] == lost


def test_nothing_is_null():
    """A.6: null for an optional member is an error."""
    cited = ev.Annotation(1, "url_citation", url="https://a.example")
    chunks, _ = told(TARGET, text(0, "a"), block(1, "text", cited), call(2), ev.Usage(1), ev.End("completed", ()))
    assert "null" not in json.dumps(chunks)


def test_the_messages_id_is_the_sources_or_the_callers_but_never_one_of_ours():
    start = lambda *events, **context: json.loads(encode(TARGET, list(events), **context)[0].split(b"\n")[0][6:])  # noqa: E731
    assert {"type": "start", "messageId": "m1"} == start(ev.Start("m1"), STOP)
    assert {"type": "start"} == start(ev.Start("weft_1", made=True), STOP)
    assert {"type": "start", "messageId": "mine"} == start(ev.Start("m1"), STOP, response_id="mine")


# -- steps and ids -------------------------------------------------------------------------------------------------


def test_steps_are_the_sources_and_ids_are_never_used_again():
    """J2."""
    chunks, lost = told(
        TARGET,
        [ev.StepStart(0), *text(0, "One."), ev.StepEnd(0)],
        [ev.StepStart(1), *text(1, "Two."), *thought(2, "Hm."), ev.StepEnd(1)],
        STOP,
    )
    assert ["start", *STEPS_OF_TWO, "finish", "[DONE]"] == types(chunks)
    assert ["text-0", "text-1", "reasoning-2"] == [
        chunk["id"] for chunk in chunks[:-1] if "-start" in chunk["type"] and "id" in chunk
    ]
    assert [] == lost


STEPS_OF_TWO = (
    "start-step text-start text-delta text-end finish-step start-step text-start text-delta text-end "
    "reasoning-start reasoning-delta reasoning-end finish-step"
).split()


def test_what_is_open_is_closed_before_its_step_and_goes_on_as_a_part_of_its_own():
    """J1, A.8: text-end after finish-step."""
    chunks, _ = told(
        TARGET,
        [ev.StepStart(0), ev.BlockStart(0, "text"), ev.TextDelta(0, "a"), ev.StepEnd(0), ev.StepStart(1)],
        [ev.TextDelta(0, "b"), ev.BlockEnd(0, True), ev.StepEnd(1), STOP],
    )
    parts = "text-start text-delta text-end".split()
    assert [
        "start",
        "start-step",
        *parts,
        "finish-step",
        "start-step",
        *parts,
        "finish-step",
        "finish",
        "[DONE]",
    ] == types(chunks)
    assert 2 == len({chunk["id"] for chunk in chunks[:-1] if chunk["type"] == "text-start"})


def test_a_step_without_a_start_of_its_own_is_made():
    chunks, _ = told(TARGET, [*text(0, "a"), ev.StepEnd(0), *text(1, "b")], STOP)
    assert 2 == types(chunks).count("start-step") == types(chunks).count("finish-step")


def test_an_empty_answer_has_no_step():
    chunks, _ = told(TARGET, STOP)
    assert ["start", "finish", "[DONE]"] == types(chunks)


def test_what_a_step_cost_and_why_it_ended_is_reported():
    _, lost = told(TARGET, [ev.StepStart(0), ev.StepEnd(0, "stop", "stop", ev.Usage(1))], STOP)
    assert ["finish", "usage_early"] == lost


def test_texts_that_are_open_together_keep_their_deltas():
    """A.8: tool parts while text is open. They are announced in the order of their blocks, which is the order of a client's parts."""
    both = [ev.BlockStart(0, "text"), ev.BlockStart(1, "text"), ev.TextDelta(1, "b"), ev.TextDelta(0, "a")]
    chunks, _ = told(TARGET, both, ev.BlockEnd(0, True), ev.BlockEnd(1, True), STOP)
    assert [("text-1", "b"), ("text-0", "a")] == [
        (c["id"], c["delta"]) for c in chunks[:-1] if c["type"] == "text-delta"
    ]


def test_a_text_without_words_is_there_unless_it_only_holds_sources():
    chunks, _ = told(TARGET, block(0, "text"), block(1, "text", ev.Annotation(1, "x", url="https://a")), STOP)
    assert ["text-start", "text-end", "source-url"] == types(inner(chunks))


# -- ends ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "said", "lost"),
    [
        ("stop", "stop", []),
        ("length", "length", []),
        ("tool_calls", "tool-calls", []),
        ("content_filter", "content-filter", []),
        ("refusal", "content-filter", ["finish_other"]),
        ("pause", "other", ["finish_other"]),
        ("other", "other", []),
        (None, None, []),
    ],
)
def test_finishes(reason, said, lost):
    """A.8: `tool_calls` with an underscore is an error. What nobody said is not said."""
    chunks, losses = told(TARGET, ev.End("completed", (ev.Finish(reason=reason),)))
    assert (said, lost) == (chunks[-2].get("finishReason"), losses)


def test_version_5_does_not_say_why_a_message_ended():
    chunks, lost = told(TARGET, LENGTH, profile="v5")
    assert ({"type": "finish"}, ["finish"]) == (chunks[-2], lost)


@pytest.mark.parametrize("end", [FAILED, CUT])
@pytest.mark.parametrize("content", [[], text(0, "Hi"), [ev.StepStart(0), *text(0, "Hi"), ev.StepEnd(0)]])
def test_a_failure(end, content):
    """Atlas 4.5: the error, then the ends of the step and of the message."""
    chunks, lost = told(TARGET, content, end)
    assert ["error", *(["finish-step"] if content else []), "finish", "[DONE]"] == types(
        chunks[types(chunks).index("error") :]
    )
    error = next(chunk for chunk in chunks if chunk["type"] == "error")
    assert ({"type": "error", "errorText": end.error.message}, "error") == (error, chunks[-2]["finishReason"])
    assert ["error_detail"] == lost
    if content:
        assert "text-end" in types(chunks)


def test_a_step_that_is_over_is_finished_when_something_follows_it():
    pipe = weft.Pipe("events", TARGET)
    said = [
        pipe.feed(weft.to_json(event) + b"\n")
        for event in [ev.Start("r"), ev.StepStart(0), *text(0, "a"), ev.StepEnd(0), ev.StepStart(1)]
    ]
    assert [b"finish-step" in out for out in said] == [False] * 6 + [True]


@pytest.mark.parametrize(("profile", "reason"), [(None, {"reason": "Stopped."}), ("v6", {}), ("v5", {})])
def test_a_cancelled_message_is_aborted_and_has_no_finish(profile, reason):
    """A.8: what follows an abort is ignored."""
    chunks, _ = told(
        TARGET, [ev.BlockStart(0, "text"), ev.TextDelta(0, "a"), ev.BlockEnd(0, False)], CANCELLED, profile=profile
    )
    assert [{"type": "abort", **reason}, "[DONE]"] == chunks[-2:]
    assert "text-end" in types(chunks)


def test_a_blocked_answer_is_filtered():
    chunks, lost = told(TARGET, text(0, "Hi"), BLOCKED)
    assert ("content-filter", ["error_detail"]) == (chunks[-2]["finishReason"], lost)


def test_usage_that_was_not_asked_for_is_reported():
    chunks, lost = told(TARGET, ev.Usage(1), STOP, include_usage=False)
    assert ({"type": "finish", "finishReason": "stop"}, ["usage"]) == (chunks[-2], lost)


def test_what_has_no_chunk_is_reported():
    parts = [ev.ReasoningDelta(0, "One.", 0, "summary"), ev.ReasoningDelta(0, "Two.", 1, "summary")]
    chunks, lost = told(
        TARGET,
        ev.Meta("tier", "fast"),
        block(0, "reasoning", *parts),
        block(1, "text", ev.TextDelta(1, "a", [{"token": "a"}]), channel="commentary"),
        block(2, "refusal", ev.RefusalDelta(2, "No.")),
        ev.Unknown({"b": 1}),
        STOP,
    )
    assert "One.\n\nTwo." == "".join(c["delta"] for c in inner(chunks) if c["type"] == "reasoning-delta")
    assert sorted("meta reasoning_form logprobs channel refusal unknown".split()) == lost
    assert ["created", "model"] == words(encode(TARGET, [ev.Start("m1", "m", None, 7), STOP])[1].report())


def test_a_token_that_shows_as_nothing_is_no_delta():
    """Atlas E4; older clients of AG-UI refuse an empty delta."""
    events, lost = told(TARGET, block(0, "text", ev.TextDelta(0, "", [{"token": "a"}]), ev.TextDelta(0, "b")), STOP)
    assert (["b"], ["logprobs"]) == ([event["delta"] for event in events if "delta" in event], lost)


# -- laws ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", [path for path in fixtures(TARGET) if path.suffix == ".sse"], ids=lambda path: path.name
)
def test_it_stays_the_same(path):
    """Law 5, to those who know all there is."""
    context = weft.Context(profile="v7-latest")
    once, pipe = converted(path.read_bytes(), TARGET, TARGET, context=context)
    twice, _ = converted(once, TARGET, TARGET, context=context)
    assert once == twice
    assert set(words(pipe.losses)) <= {"error_detail"}
    if pipe.outcome != "truncated":
        check_same(path.read_bytes(), TARGET, frozenset({"error_detail", "opaque", "tool_kind"}))


def test_recorded_streams_stay_the_same(corpus):
    for row in recorded(TARGET):
        check_same((CORPUS / row["file"]).read_bytes(), TARGET)


@given(legal_streams())
def test_any_legal_stream_reads_back(events):
    """Laws 4 and 5."""
    out, losses = encode(TARGET, events, profile="v7-latest")
    message, back = weft.collect(events), read(out, TARGET)
    deltas = [event.text for event in events if isinstance(event, ev.TextDelta | ev.RefusalDelta)]
    assert sorted("".join(deltas)) == sorted(back.text)
    assert sorted(message.reasoning.replace("\n", "")) == sorted(back.reasoning.replace("\n", ""))
    assert [(each.id, each.name, False) for each in message.tool_calls] == [
        (c.id, c.name, c.complete) for c in back.tool_calls
    ]
    assert ended(message) == ended(back)
    assert "usage" not in words(losses.report())
    assert (message.usage and message.usage.output_tokens) == (back.usage and back.usage.output_tokens)


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "openai-responses", "gemini"])
def test_recorded_streams_of_others_read_back(corpus, source):
    for row in recorded(source, 25):
        out, pipe = converted((CORPUS / row["file"]).read_bytes(), source, TARGET)
        message, back = pipe.message, read(out, TARGET)
        assert message.text + message.refusal == back.text
        assert message.reasoning.replace("\n", "") == back.reasoning.replace("\n", "")
        assert [(c.name, c.arguments, c.complete) for c in message.tool_calls] == [
            (c.name, c.arguments, c.complete) for c in back.tool_calls
        ]
        signed = [[state.value for state in part.signatures] for part in message.blocks if part.signatures]
        assert signed == [[state.value for state in part.signatures] for part in back.blocks if part.signatures]


# -- the whole reply -----------------------------------------------------------------------------------------------


def test_the_whole_reply_is_the_message_that_a_page_keeps():
    message = weft.collect(
        [
            ev.Start("m1"),
            *block(0, "reasoning", ev.ReasoningDelta(0, "Hm."), ev.Signature(0, "s", CLAUDE)),
            *text(1, "Hel", "lo"),
            *call(2, '{"a":1}'),
            *result(3, "c2", "sun"),
            *call(4, "{", complete=False),
            *block(5, "file", ev.File(5, "image/png", None, "https://a/b.png")),
            ev.Usage(3),
            CALLED,
        ]
    )
    body, lost = whole(message, TARGET)
    assert {
        "id": "m1",
        "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {
                "type": "reasoning",
                "text": "Hm.",
                "state": "done",
                "providerMetadata": {"anthropic": {"signature": "s"}},
            },
            {"type": "text", "text": "Hello", "state": "done"},
            {"type": "tool-look", "toolCallId": "c2", "input": {"a": 1}, "state": "output-available", "output": "sun"},
            {
                "type": "tool-look",
                "toolCallId": "c4",
                "state": "output-error",
                "input": "{",
                "errorText": "The arguments of this call are not complete.",
            },
            {"type": "file", "url": "https://a/b.png", "mediaType": "image/png"},
        ],
        "metadata": {"usage": {"inputTokens": 3}},
    } == json.loads(body)
    assert [] == lost


def test_the_whole_reply_of_a_failure_is_its_text():
    message = weft.collect([ev.Start("m"), ev.End("failed", (), None, make_error("not_found", "no such model"))])
    assert (b"no such model", ["error_detail"]) == whole(message, TARGET)
