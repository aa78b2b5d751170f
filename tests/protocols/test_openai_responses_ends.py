"""Responses as a source: how a response ends, what is told around it, whole replies. References are to the failure gallery and the atlas."""

import json

import pytest

from tests.protocols.responses_wire import (
    USAGE,
    added,
    call,
    call_item,
    completed,
    created,
    done,
    failed,
    incomplete,
    message_item,
    reasoning_item,
    response,
    said,
    stream,
    summary,
    text,
)
from tests.protocols.wire import end, events, message, sse
from weft.events import BlockStart, Meta, Usage
from weft.testing import check_prefixes, check_whole_reply

R = "openai-responses"


# -- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "finish", "error"),
    [
        ("max_output_tokens", "length", None),
        ("max_messages", "length", None),
        ("content_filter", "content_filter", "content_blocked"),
        ("steered", "pause", None),
        ("some_new_reason", "other", None),
        (None, "other", None),
    ],
)
def test_incomplete_is_never_completed(reason: str | None, finish: str, error: str | None):
    got = message(stream(text(0, "Hel"), last=incomplete(reason)), R)
    assert ("incomplete", finish, reason or "incomplete") == (got.outcome, got.finish, got.finish_raw)
    assert error == (got.error and got.error.type)


def test_a_call_in_an_incomplete_response_does_not_change_why_it_ended():
    """C11, finish rule 3: length is never masked."""
    got = message(stream(call(0, "{}"), last=incomplete("max_output_tokens")), R)
    assert ("length", "incomplete") == (got.finish, got.outcome)


def test_a_failed_response_is_an_error_and_its_usage_is_told():
    """D1 ★, D12."""
    got = message(stream(text(0, "Hel"), last=failed("rate_limit_exceeded", "Try again in 11.054s.", usage=USAGE)), R)
    assert ("failed", "error", "failed") == (got.outcome, got.finish, got.finish_raw)
    assert got.error is not None
    assert ("rate_limit", "rate_limit_exceeded", 11.054) == (got.error.type, got.error.code, got.error.retry_after)
    assert 12 == (got.usage and got.usage.input_tokens)


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "server_is_overloaded", "message": "Busy.", "param": None},
        {"type": "error", "error": {"type": "x", "code": "server_is_overloaded", "message": "Busy.", "param": None}},
    ],
    ids=["flat", "nested"],
)
def test_an_error_event_fails_the_stream_once(error: dict[str, object]):
    """Q-R7: it may be followed by response.failed, which says it again."""
    for frames in ([error], [error, failed("server_is_overloaded", "Busy.", usage=USAGE)]):
        data = sse(created(), *text(0, "Hel"), *frames, event=True)
        got = message(data, R)
        assert ("failed", "overloaded", "Busy.") == (
            got.outcome,
            got.error and got.error.type,
            got.error and got.error.message,
        )
        assert 1 == sum(event.type == "end" for event in events(data, R))
        assert [] == got.notes


@pytest.mark.parametrize("strict", [False, True])
def test_the_status_beside_an_error_is_no_oddity(strict: bool):
    """Over a websocket an error has a status that is a number, where a response has one that is a word."""
    frame = {
        "type": "error",
        "status": 429,
        "error": {"type": "usage_limit_reached", "message": "The limit is reached."},
    }
    got = message(sse(created(), frame), R, strict=strict)
    assert ("failed", "usage_limit_reached", []) == (got.outcome, got.error and got.error.code, got.notes)


def test_an_error_without_a_response_is_found():
    """Perplexity puts it beside; llama.cpp and vLLM send the object alone."""
    beside = {"type": "response.failed", "error": {"code": "server_error", "message": "Gone."}}
    for frame in (beside, {"error": {"code": 500, "message": "Gone.", "type": "server_error"}}):
        got = end(sse(created(), frame), R)
        assert ("failed", "server", "Gone.") == (
            got.outcome,
            got.error and got.error.type,
            got.error and got.error.message,
        )


def test_a_cancelled_response_is_incomplete():
    frame = {"type": "response.cancelled", "response": response("cancelled")}
    got = end(sse(created(), *text(0, "Hel"), frame), R)
    assert ("incomplete", "cancelled") == (got.outcome, got.error and got.error.type)
    assert [("other", "cancelled")] == [(finish.reason, finish.raw) for finish in got.finishes]


def test_the_status_inside_counts():
    """Some call every end completed."""
    frame = {
        "type": "response.completed",
        "response": response("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    }
    got = message(sse(created(), frame), R)
    assert ("incomplete", "length") == (got.outcome, got.finish)


def test_a_stream_that_stops_is_truncated():
    """C2 ★: Codex says `stream closed before response.completed`."""
    data = stream(text(0, "Hel", "lo"), call(1, "{}"))
    check_prefixes(R, data)
    cut = data[: data.index(b"event: response.completed")]
    assert "truncated" == end(cut, R).outcome
    assert "truncated" == end(cut + b"data: [DONE]\n\n", R).outcome


def test_a_terminator_of_chat_behind_the_end_changes_nothing():
    assert message(stream(text(0, "Hi")), R) == message(stream(text(0, "Hi")) + b"data: [DONE]\n\n", R)


def test_what_comes_after_the_end_changes_nothing():
    """Opencode's Zen sends a ping with the cost; C14."""
    ping = b'event: ping\ndata: {"type":"ping","cost":"0"}\n\n'
    assert events(stream(text(0, "Hi")), R) == events(stream(text(0, "Hi")) + ping, R)


def test_usage_is_told_in_the_canonical_split():
    got = message(stream(text(0, "Hi")), R).usage
    assert got is not None
    assert (12, 9, 21, 4, None, 3) == (
        got.input_tokens, got.output_tokens, got.total_tokens,
        got.cache_read_tokens, got.cache_write_tokens, got.reasoning_tokens,
    )  # fmt: skip
    assert USAGE == got.raw


def test_usage_keeps_what_only_its_source_knows():
    usage = {**USAGE, "cost_in_usd_ticks": 7, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 5}}
    got = message(stream(text(0, "Hi"), last=completed(usage=usage)), R).usage
    assert got is not None
    assert (0, 5, 7) == (got.cache_read_tokens, got.cache_write_tokens, got.raw["cost_in_usd_ticks"])


def test_usage_before_the_end_is_a_placeholder():
    """Q-R8, G3: bifrost#4080 sends zeros in response.created."""
    data = sse(created(usage={"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}), *text(0, "Hi"), completed())
    assert 1 == sum(isinstance(event, Usage) for event in events(data, R))


def test_an_end_without_usage_is_an_end():
    got = message(stream(text(0, "Hi"), last=completed(usage=None)), R)
    assert ("completed", None) == (got.outcome, got.usage)


# -- the response around it ----------------------------------------------------------------------------------------


def test_settings_are_one_fact_and_said_again_only_when_they_change():
    settings = {"temperature": 1.0, "metadata": {"a": "b"}, "instructions": None}
    data = sse(
        created(**settings, service_tier="auto"),
        {"type": "response.in_progress", "response": response(**settings, service_tier="auto")},
        *text(0, "Hi"),
        completed(**settings, service_tier="default", completed_at=1700000009),
    )
    facts = [(event.name, event.value) for event in events(data, R) if isinstance(event, Meta)]
    assert [
        ("service_tier", "auto"),
        ("response", {"temperature": 1.0, "metadata": {"a": "b"}}),
        ("service_tier", "default"),
        ("completed_at", 1700000009),
    ] == facts


def test_a_response_may_wait_in_a_queue():
    data = sse({"type": "response.queued", "response": response("queued")}, *text(0, "Hi"), completed())
    got = message(data, R)
    assert ("resp_1", "completed", []) == (got.id, got.outcome, got.notes)


def test_lifecycle_events_may_lack_the_wrapper():
    """Q-R13."""
    flat = [{**frame["response"], "type": frame["type"]} for frame in (created(), completed(message_item(0, "Hi")))]
    got = message(sse(*flat), R)
    assert ("resp_1", "gpt-x", "Hi", "completed") == (got.id, got.model, got.text, got.outcome)


def test_keep_alives_padding_and_progress_say_nothing():
    frames = [
        {"type": "keepalive", "sequence_number": 3},
        {"type": "response.some_new_call.in_progress", "item_id": "x", "output_index": 4},
        {"type": "response.compaction.compacting", "item_id": "x", "output_index": 4},
        {**said(0, "Hi"), "obfuscation": "abc"},
    ]
    got = message(stream(added(0, message_item(0)), frames), R)
    assert ("Hi", [], []) == (got.text, got.notes, got.unknown)


def test_events_that_are_not_ours_to_understand_are_handed_on():
    frame = {"type": "codex.rate_limits", "rate_limits": {"primary": {"used_percent": 3}}}
    got = message(stream(frame, text(0, "Hi")), R)
    assert [("codex.rate_limits", frame)] == [(event.name, event.raw) for event in got.unknown]
    assert [] == got.notes


def test_an_event_that_nobody_has_named_is_carried_and_noted():
    """B16: drift breaks nothing."""
    frame = {"type": "response.telepathy.delta", "delta": "..."}
    got = message(stream(frame, text(0, "Hi")), R)
    assert [frame] == [event.raw for event in got.unknown]
    assert (["unknown_frame"], "Hi", "completed") == ([note.code for note in got.notes], got.text, got.outcome)


def test_an_event_may_be_named_by_its_line_alone():
    frames = [created(), *text(0, "Hi"), completed()]
    data = b""
    for frame in frames:
        name = frame.pop("type")
        data += f"event: {name}\n".encode() + sse(frame)
    got = message(data, R)
    assert ("Hi", "completed") == (got.text, got.outcome)


def test_sequence_numbers_are_not_needed_and_not_trusted():
    """G7: terminals bypass any dedupe; gaps, repeats and absence are all recorded."""
    frames = [created(), *text(0, "Hi", "!"), completed()]
    plain = events(sse(*frames), R)
    for numbers in ([0] * 20, range(5, 100, 7), range(1, 21)):
        numbered = [{**frame, "sequence_number": number} for frame, number in zip(frames, numbers, strict=False)]
        assert plain == events(sse(*numbered), R)


def test_speech_is_a_file_and_its_transcript_text():
    frames = [
        {"type": "response.audio.delta", "delta": "AAAA"},
        {"type": "response.audio.transcript.delta", "delta": "Hi"},
        {"type": "response.audio.delta", "delta": "BBBB"},
        {"type": "response.audio.done"},
        {"type": "response.audio.transcript.done"},
    ]
    got = message(stream(frames), R)
    assert ["AAAABBBB"] == [part.data for part in got.blocks if part.index == 0]
    assert ("Hi", "transcript") == (got.text, got.blocks[1].channel)


# -- whole replies -------------------------------------------------------------------------------------------------


def test_a_whole_reply_is_the_stream():
    items = [reasoning_item(0, "Hm.", encrypted_content="E"), message_item(1, "Hello"), call_item(2, '{"a": 1}')]
    streamed = stream(
        [added(0, reasoning_item(0)), summary(0, "Hm."), done(0, items[0])],
        text(1, "Hel", "lo"),
        call(2, '{"a"', ": 1}"),
        last=completed(*items),
    )
    reply = json.dumps(response("completed", *items, usage=USAGE)).encode()
    check_whole_reply(R, streamed, reply)
    ours, theirs = message(streamed, R), message(reply, R)
    assert [part.item_id for part in ours.blocks] == [part.item_id for part in theirs.blocks]
    assert ours.blocks[0] == theirs.blocks[0]
    assert ours.usage == theirs.usage
    assert {"whole"} == {event.arrival for event in events(reply, R) if isinstance(event, BlockStart)}


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (response("incomplete", incomplete_details={"reason": "max_output_tokens"}), "incomplete"),
        (response("failed", error={"code": "server_error", "message": "It broke."}), "failed"),
        (response("in_progress"), "truncated"),
        (response("queued"), "truncated"),
        ({"object": "response.compaction", "id": "resp_2", "output": [], "usage": USAGE}, "completed"),
        ({"error": {"code": "invalid_api_key", "message": "Who?"}}, "failed"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.get("status", ""),
)
def test_a_whole_reply_ends_as_it_says(reply: dict[str, object], outcome: str):
    assert outcome == end(json.dumps(reply).encode(), R).outcome


def test_mistral_rs_gives_its_reasoning_where_others_give_settings():
    reply = json.dumps(response("completed", message_item(0, "Hi"), reasoning="Hm.")).encode()
    got = message(reply, R)
    assert ("Hm.", "Hi") == (got.reasoning, got.text)


def test_reasoning_that_was_streamed_is_not_said_again():
    frames = [added(0, reasoning_item(0)), summary(0, "Hm."), done(0, reasoning_item(0, "Hm."))]
    got = message(stream(frames, last=completed(reasoning_item(0, "Hm."), reasoning="Hm.")), R)
    assert "Hm." == got.reasoning
