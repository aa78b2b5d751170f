"""Our own lines as a source: what was written reads as what it was."""

import pytest

import weft

from .wire import events, ndjson, sse

WHOLE = {"finishReason": "STOP", "content": {"parts": [{"text": "Hi"}]}}
ANSWER = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "delta": "Hi"}
SHORT = {"type": "response.incomplete", "response": {"id": "r", "status": "incomplete"}}


def again(told):
    return events(b"".join(weft.to_json(event) + b"\n" for event in told), "events")


@pytest.mark.parametrize(
    ("data", "protocol", "outcome"),
    [
        (sse({"error": {"message": "Not that.", "code": "content_policy_violation"}}), "openai-chat", "failed"),
        (
            sse({"candidates": [WHOLE, {"index": 1, "finishReason": "SAFETY", "finishMessage": "No."}]}),
            "gemini",
            "incomplete",
        ),
        (sse({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No."}}), "gemini", "incomplete"),
        (sse({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "f("}]}), "gemini", "failed"),
        (ndjson({"type": "finish", "finishReason": "interrupted"}), "ai-sdk", "failed"),
        (ndjson({"type": "abort", "reason": "Enough."}), "ai-sdk", "incomplete"),
        (sse(ANSWER, SHORT), "openai-responses", "incomplete"),
        (sse(ANSWER), "openai-responses", "truncated"),
    ],
)
def test_an_end_that_is_read_again_is_the_same_end(data, protocol, outcome):
    """A blocked request came back as a completed one, and a filter's own words were lost."""
    once = events(data, protocol)
    assert (outcome, once) == (once[-1].outcome, again(once))


def test_a_refused_request_is_not_completed_when_it_is_read_again():
    once = events(b'{"message": "blocked input"}', "cohere", status=498)
    assert ("failed", once) == (once[-1].outcome, again(once))
