"""Whole replies: a message as `weft.reply` words it, and an exact account of what that could not say."""

import json

import pytest

import weft
from tests.encoders.told import CALLED, LENGTH, STOP, block, call, text, thought
from weft import events as ev
from weft.errors import make_error

VENDORS = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "bedrock", "cohere")
START = ev.Start("m1", "model-1", "someone", 1760000000)
FAILED = ev.End("failed", (), ev.Usage(3, 4, 7), make_error("overloaded", "Busy.", code="busy"))


def whole(target: str, *events, **context) -> tuple[dict, list[tuple[str, str]]]:
    flat = [event for part in events for event in (part if isinstance(part, list) else [part])]
    told = weft.reply(weft.collect([START, *flat]), target, context=weft.Context(**context))
    return json.loads(told.body), [(loss.what, loss.where) for loss in told.losses]


@pytest.mark.parametrize("target", VENDORS)
def test_an_error_body_names_all_that_it_leaves_out(target):
    """The text, the call, the counts and the facts before a failure vanished without a word."""
    _, lost = whole(target, ev.Meta("service_tier", "default"), text(0, "Half"), call(1, "{}"), FAILED)
    named = {("content", "block 0"), ("content", "block 1"), ("usage", "message"), ("meta", "service_tier")}
    assert named <= set(lost)
    assert {what for what, _ in lost} <= {"content", "usage", "meta", "error_detail", "id"}


def test_a_failure_before_anything_loses_nothing_but_the_words_of_its_error():
    for target in VENDORS:
        message = weft.collect([ev.Start("m1"), ev.End("failed", (), None, make_error("overloaded", "Busy."))])
        assert [] == [loss for loss in weft.reply(message, target).losses if loss.what not in ("error_detail", "id")]


def test_facts_of_chat_completions_stand_in_the_whole_reply_as_in_the_stream():
    facts = [ev.Meta("service_tier", "default"), ev.Meta("citations", ["https://example.org"]), ev.Meta("native_finish_reason", "end_turn")]  # fmt: skip
    body, lost = whole("openai-chat", *facts, text(0, "Hi"), STOP)
    assert ("default", "someone", ["https://example.org"]) == (
        body["service_tier"],
        body["provider"],
        body["citations"],
    )
    assert "end_turn" == body["choices"][0]["native_finish_reason"]
    assert [] == lost


def test_the_steps_of_a_run_are_lost_in_a_reply_that_knows_none():
    two = [ev.StepStart(0), *text(0, "a"), ev.StepEnd(0, "tool_calls"), ev.StepStart(1), *text(1, "b", step=1), ev.StepEnd(1, "stop")]  # fmt: skip
    assert ("steps", "message") in whole("openai-responses", *two, STOP)[1]
    page, lost = whole("ai-sdk-ui", *two, STOP)
    assert ["step-start", "text", "step-start", "text"] == [part["type"] for part in page["parts"]]
    assert "steps" not in {what for what, _ in lost}


def test_citations_of_all_chunks_are_in_the_reply():
    noted = [ev.Annotation(0, "citation", 0, end, f"https://example.org/{end}") for end in (1, 2)]
    body = b"".join(
        b"data: %b\n\n" % json.dumps({"candidates": [{"index": 0, **more}]}).encode()
        for more in (
            {"content": {"parts": [{"text": "a"}]}, "citationMetadata": {"citations": [{"endIndex": 1, "uri": noted[0].url}]}},
            {"content": {"parts": [{"text": "b"}]}, "citationMetadata": {"citations": [{"endIndex": 2, "uri": noted[1].url}]}},
            {"finishReason": "STOP"},
        )
    )  # fmt: skip
    told = weft.reply(weft.collect(weft.read(body, "gemini")), "gemini")
    urls = [note.url for part in weft.collect(weft.read(told.body, "gemini")).blocks for note in part.annotations]
    assert [noted[0].url, noted[1].url] == urls


def test_thoughts_around_a_call_stay_apart_and_lose_their_place():
    body, lost = whole("ollama", thought(0, "First."), call(1, "{}"), thought(2, "Then."), text(3, "So."), CALLED)
    assert "First.\n\nThen." == body["message"]["thinking"]
    assert ("order", "message") in lost
    assert "order" not in {what for what, _ in whole("ollama", thought(0, "a"), text(1, "b"), call(2, "{}"), CALLED)[1]}


def test_text_behind_a_call_loses_its_place_in_coheres_reply():
    assert ("order", "message") in whole("cohere", call(0, "{}"), text(1, "b"), CALLED)[1]
    assert "order" not in {what for what, _ in whole("cohere", text(0, "b"), call(1, "{}"), CALLED)[1]}


def test_a_total_that_is_no_sum_is_a_loss_where_totals_are_sums():
    """A server that does not count what it had cached said 15 of 176."""
    end = ev.End("completed", (ev.Finish(reason="stop"),), ev.Usage(168, 8, 15, 161))
    for target in ("bedrock", "cohere", "ollama", "anthropic"):
        assert ("usage_split", "message") in whole(target, text(0, "a"), end)[1]


def test_bedrocks_error_body_names_its_exception_as_its_sdk_reads_it():
    body, _ = whole("bedrock", FAILED)
    assert "ServiceUnavailableException" == body["__type"]


def test_an_image_says_its_format():
    body, _ = whole("openai-responses", block(0, "file", ev.File(0, "image/webp", "aGk="), arrival="whole"), STOP)
    assert "webp" == body["output"][0]["output_format"]


def test_a_member_of_the_response_that_has_another_type_than_clients_read_is_left_out():
    """mistral.rs says the whole reasoning where its effort stands."""
    body, lost = whole("openai-responses", ev.Meta("response", {"reasoning": "Hm.", "top_p": 0.5}), text(0, "a"), STOP)
    assert ({"effort": None, "summary": None}, 0.5) == (body["reasoning"], body["top_p"])
    assert ("meta", "response") in lost


def test_only_the_text_is_left_and_the_rest_is_named():
    told = weft.reply(weft.collect([START, *thought(0, "Hm."), *text(1, "Hi"), *call(2, "{}"), CALLED]), "text")
    assert (b"Hi", {"reasoning", "tool_call", "finish"}) == (told.body, {loss.what for loss in told.losses})


def test_a_target_without_whole_replies_says_so():
    with pytest.raises(ValueError, match="no whole replies"):
        weft.reply(weft.collect([START, LENGTH]), "ai-sdk")
