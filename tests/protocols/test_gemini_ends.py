"""How Gemini's streams end: finishes, blocks, errors, cuts. References are to the failure gallery and the protocol atlas."""

import json
from typing import Any

import pytest

from tests.protocols.gemini_wire import begun, call, chunk, piece, text, usage
from tests.protocols.wire import end, message, note_codes, sse
from weft.reader import Reader
from weft.testing import check_grammar, check_prefixes

G = "gemini"
FILTERS = (
    "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT "
    "IMAGE_RECITATION MODEL_ARMOR ESCALATION"
).split()
FAILURES = {
    "MALFORMED_FUNCTION_CALL": "protocol",
    "MALFORMED_RESPONSE": "protocol",
    "UNEXPECTED_TOOL_CALL": "server",
    "TOO_MANY_TOOL_CALLS": "server",
    "MISSING_THOUGHT_SIGNATURE": "invalid_request",
    "PUP_LIMITED_DISABLED": "permission",
}
OTHERS = "OTHER NO_IMAGE IMAGE_OTHER FINISH_REASON_UNSPECIFIED FAKE_ENUM".split()


def ending(*frames: Any) -> tuple[str, str | None, str | None]:
    got = message(sse(*frames), G)
    return got.outcome, got.finish, got.finish_raw


# -- finishes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "outcome", "finish"),
    [
        ("STOP", "completed", "stop"),
        ("MAX_TOKENS", "incomplete", "length"),
        ("CONTINUATION", "completed", "pause"),
        *((raw, "incomplete", "content_filter") for raw in FILTERS),
        *((raw, "failed", "error") for raw in FAILURES),
        *((raw, "completed", "other") for raw in OTHERS),
    ],
)
def test_every_finish_has_its_meaning(raw: str, outcome: str, finish: str):
    """atlas 2.4.5, C6, Q-G13."""
    assert (outcome, finish, raw) == ending(chunk(text("Hi")), chunk(finish=raw))


@pytest.mark.parametrize("raw", FILTERS)
def test_a_filter_says_so_beside_the_outcome(raw: str):
    """D11, seed 000: with the ratings that it goes by."""
    ratings = [{"category": "HARM_CATEGORY_HATE_SPEECH", "probability": "HIGH"}]
    got = message(sse(chunk(text("Hi")), chunk(finish=raw, safetyRatings=ratings)), G)
    assert got.error is not None
    assert ("content_blocked", raw, False) == (got.error.type, got.error.code, got.error.retryable)
    assert ratings == got.meta["safety_ratings"]


@pytest.mark.parametrize(("raw", "type"), FAILURES.items())
def test_a_finish_that_is_a_failure_is_an_error(raw: str, type: str):
    """C10, Q-G8."""
    error = end(sse(chunk(), chunk(finish=raw)), G).error
    assert error is not None
    assert (type, raw) == (error.type, error.code)


def test_the_source_s_own_words_for_a_finish_are_kept():
    said = "Malformed function call: print(look("
    got = message(sse(chunk(finish="MALFORMED_FUNCTION_CALL", finishMessage=said)), G)
    assert got.error is not None
    assert (said, said) == (got.error.message, got.meta["finish_message"])


@pytest.mark.parametrize(
    ("raw", "finish"),
    [("stop", "stop"), ("max_tokens", "length"), ("safety", "content_filter"), ("maxTokens", "length")],
)
def test_case_does_not_matter(raw: str, finish: str):
    """Q-G15."""
    assert finish == message(sse(chunk(text("Hi"), finish=raw)), G).finish


@pytest.mark.parametrize(
    ("number", "word", "finish"),
    [(1, "STOP", "stop"), (2, "MAX_TOKENS", "length"), (10, "MODEL_ARMOR", "content_filter"), (99, "99", "other")],
)
def test_a_number_stands_for_its_word(number: int, word: str, finish: str):
    """Vertex's arrays write enums as numbers."""
    frame = chunk(text("Hi"), finishReason=number)
    got = message(json.dumps([frame]).encode(), G)
    assert (word, finish) == (got.finish_raw, got.finish)


@pytest.mark.parametrize("nothing", ["", None, 0])
def test_words_that_say_nothing_are_no_finish(nothing: Any):
    """C4: the 0 is what a dump of a proto message has where nothing was set."""
    assert ("truncated", None, None) == ending(chunk(text("Hi"), finishReason=nothing))


def test_a_stop_on_every_chunk_is_read_on():
    """C7, Q-G1."""
    data = sse(*(chunk(text(word), finish="STOP") for word in ("one ", "two ", "three")))
    got = message(data, G)
    assert ("one two three", "completed", "STOP") == (got.text, got.outcome, got.finish_raw)
    assert ["content_after_finish"] == note_codes(data, G)


def test_the_last_finish_counts():
    """C7, C8: code ran, a stop, an answer, a stop; and a stop that turned out to be a limit."""
    assert ("completed", "stop", "STOP") == ending(
        chunk(text("A"), finish="STOP"), chunk(text("B")), chunk(finish="STOP")
    )
    assert ("incomplete", "length", "MAX_TOKENS") == ending(chunk(text("A"), finish="STOP"), chunk(finish="MAX_TOKENS"))


def test_a_limit_is_never_masked_by_a_call():
    assert ("incomplete", "length", "MAX_TOKENS") == ending(chunk(call(), finish="MAX_TOKENS"))


def test_only_a_stop_of_every_candidate_completes():
    both = {"candidates": [{"content": {"parts": [text(word)]}} for word in "AB"]}
    stop = {"candidates": [{"finishReason": "STOP"}]}
    assert "truncated" == ending(both, stop)[0]
    assert "completed" == ending(both, stop, {"candidates": [{"index": 1, "finishReason": "STOP"}]})[0]


# -- blocked prompts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "JAILBREAK"])
def test_a_blocked_prompt_is_a_filter_s_stop(reason: str):
    """atlas 2.4.5, seed 000: no candidates, nothing produced, yet the stream said how it ended."""
    blocked = {"promptFeedback": {"blockReason": reason}, "usageMetadata": usage(7, None, 7)}
    got = message(sse(blocked), G)
    assert ("incomplete", "content_filter", reason) == (got.outcome, got.finish, got.finish_raw)
    assert got.error is not None
    assert ("content_blocked", reason, False) == (got.error.type, got.error.code, got.error.retryable)
    assert got.usage is not None
    assert 7 == got.usage.input_tokens


def test_a_block_may_lack_the_last_blank_line_and_be_explained():
    told = {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "Not this."}}
    error = end(sse(told)[:-1], G).error
    assert error is not None
    assert ("content_blocked", "Not this.") == (error.type, error.message)


@pytest.mark.parametrize("reason", [None, "", "BLOCKED_REASON_UNSPECIFIED", 0])
def test_feedback_on_a_prompt_is_no_block(reason: Any):
    """seed 000: only a reason other than the unspecified one."""
    feedback = {"promptFeedback": {"blockReason": reason, "safetyRatings": []}}
    assert "completed" == ending(chunk(text("Hi")) | feedback, chunk(finish="STOP"))[0]


def test_a_block_in_the_middle_keeps_what_came():
    got = message(sse(chunk(text("Hi")), chunk() | {"promptFeedback": {"blockReason": "SAFETY"}}), G)
    assert ("Hi", "incomplete") == (got.text, got.outcome)


# -- errors --------------------------------------------------------------------------------------------------------

BUSY = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
SPENT = {
    "error": {
        "code": 429,
        "message": "Slow down.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "21s"}],
    }
}


@pytest.mark.parametrize(
    "form",
    ["a frame", "raw and pretty", "raw in one line", "a named event"],
)
def test_an_error_in_the_middle_keeps_what_came(form: str):
    """D1, D4, Q-G6."""
    data = sse(chunk(text("Hi")))
    match form:
        case "a frame":
            data += sse(BUSY)
        case "raw and pretty":
            data += json.dumps(BUSY, indent=2).encode() + b"\n"
        case "raw in one line":
            data += json.dumps(BUSY).encode()
        case _:
            data += b"event: error\n" + sse(BUSY)
    got = message(data, G)
    assert got.error is not None
    assert ("failed", "overloaded", "UNAVAILABLE", True) == (
        got.outcome,
        got.error.type,
        got.error.code,
        got.error.retryable,
    )
    assert ("Hi", [False]) == (got.text, [part.complete for part in got.blocks])


def test_an_error_says_how_long_to_wait():
    error = end(sse(SPENT), G).error
    assert error is not None
    assert ("rate_limit", 21.0, 429) == (error.type, error.retry_after, error.status)


@pytest.mark.parametrize("wrapped", [BUSY, [BUSY]], ids=["object", "array"])
def test_an_error_body_may_come_where_a_stream_was_due(wrapped: Any):
    """D3, Q-G6: with status 200."""
    error = end(json.dumps(wrapped, indent=2).encode(), G).error
    assert error is not None
    assert "overloaded" == error.type


def test_an_error_within_an_array_keeps_what_came():
    got = message(json.dumps([chunk(text("Hi")), BUSY]).encode(), G)
    assert ("Hi", "failed") == (got.text, got.outcome)


def test_an_error_may_be_packed_in_an_error():
    """Q-G16."""
    outer = {"error": {"code": 500, "message": json.dumps(SPENT), "status": "INTERNAL"}}
    error = end(sse(outer), G).error
    assert error is not None
    assert ("rate_limit", "Slow down.") == (error.type, error.message)


def test_an_http_failure_is_an_error_with_its_status():
    got = message(json.dumps(SPENT).encode(), G, status=429)
    assert got.error is not None
    assert ("failed", "rate_limit", 429) == (got.outcome, got.error.type, got.error.status)


def test_an_error_beside_content_lets_the_content_through():
    got = message(sse(chunk(text("Hi")), chunk(text("!")) | BUSY), G)
    assert ("Hi!", "failed") == (got.text, got.outcome)


def test_an_error_beside_nothing_is_none():
    assert "completed" == ending(chunk(text("Hi"), finish="STOP") | {"error": None})[0]


# -- cuts and terminators ------------------------------------------------------------------------------------------


def test_a_stream_without_a_finish_is_truncated():
    """C2."""
    got = message(sse(chunk(text("Hi"))), G)
    assert got.error is not None
    assert ("truncated", "truncated", "Hi") == (got.outcome, got.error.type, got.text)


def test_a_done_marker_proves_nothing():
    """C12: a gateway's `[DONE]` on a Gemini stream."""
    assert "truncated" == message(sse(chunk(text("Hi")), done=True), G).outcome
    got = message(sse(chunk(text("Hi"), finish="STOP"), done=True), G)
    assert ("completed", []) == (got.outcome, got.notes)


def test_every_prefix_ends_once_and_none_too_early():
    frames = [chunk(text("Hel")), chunk(text("lo")), chunk(begun()), chunk(piece("$.a", stringValue="x"))]
    data = sse(*frames, chunk(finish="STOP"))
    check_prefixes(G, data, rounds=2 * len(data))
    whole = json.dumps([*frames, chunk(finish="STOP")], indent=1).encode()
    check_prefixes(G, whole, rounds=len(whole))


def test_only_the_end_of_the_input_is_awaited_after_a_finish():
    """The finish is only a candidate, so the terminal waits; whoever reads the socket may give it a grace."""
    reader = Reader(G, [].append)
    reader.feed(sse(chunk(text("Hi"))))
    assert not reader.ending
    reader.feed(sse(chunk(finish="STOP")))
    assert (True, False) == (reader.ending, reader.done)


def test_what_comes_after_a_failure_is_dropped():
    data = sse(chunk(text("Hi")), BUSY, chunk(text(" there"), call()), chunk({"inlineData": {"data": "AA=="}}))
    got = message(data, G)
    assert ("Hi", 1) == (got.text, len(got.blocks))
    check_grammar(G, data)
