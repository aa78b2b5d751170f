"""Gemini as a target: the chunks that Google's SDKs read, and what becomes of what they cannot say (atlas 3.4, A.4, A.8)."""

import json

import pytest

import weft
from tests.encoders.rounds import (
    converted,
    read,
    whole,
    words,
)
from tests.encoders.test_totality import encode
from weft import events as ev
from weft.errors import make_error

START = ev.Start("r1", "m1")
STOP = ev.End("completed", (ev.Finish(reason="stop", raw="stop"),))
OWN = ev.Origin("gemini")
CLAUDE = ev.Origin("anthropic", model="claude")
LOSES = frozenset(
    {"incomplete", "args_text", "args_stream", "steps", "unknown", "usage_split", "blocks", "annotation", "channel"}
)


def chunks(out: bytes) -> list[dict]:
    """The chunks, each of which is one line and a blank one."""
    frames = out.split(b"\n\n")
    assert b"" == frames.pop()
    assert all(frame.startswith(b"data: {") and b"\n" not in frame for frame in frames)
    return [json.loads(frame[6:]) for frame in frames]


def said(*events: ev.Event) -> tuple[list[dict], list[str]]:
    """The chunks of a message with these events in it, and what was lost."""
    out, losses = encode("gemini", [START, *events])
    return chunks(out), words(losses.report())


def parts(told: list[dict]) -> list[dict]:
    return [part for chunk in told for one in chunk["candidates"] for part in one.get("content", {}).get("parts", [])]


def block(index: int, kind: str, *inside: ev.Event, complete: bool = True, **more) -> list[ev.Event]:
    return [ev.BlockStart(index, kind, **more), *inside, ev.BlockEnd(index, complete)]


def call(index: int, args: str, *inside: ev.Event, complete: bool = True, **more) -> list[ev.Event]:
    more = {"id": f"c{index}", "name": "look", **more}
    return block(index, "tool_call", ev.ArgsDelta(index, args), *inside, complete=complete, **more)


def test_the_golden_order_thought_text_call_finish():
    """Atlas 3.4.1."""
    told, lost = said(
        *block(0, "reasoning", ev.ReasoningDelta(0, "Think.", 0, "summary")),
        *block(1, "text", ev.TextDelta(1, "Hel"), ev.TextDelta(1, "lo")),
        *call(2, '{"a":1}', ev.Signature(2, "U0lH", OWN)),
        ev.End("completed", (ev.Finish(reason="tool_calls", raw="STOP"),), ev.Usage(10, 5, 15, 4, None, 2)),
    )
    envelope = {"modelVersion": "m1", "responseId": "r1"}

    def chunk(part, **more):
        beside = {name: more.pop(name) for name in ("usageMetadata",) if name in more}
        content = {"role": "model", "parts": [part]}
        return {"candidates": [{"content": content, "index": 0, **more}], **beside, **envelope}

    usage = {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 4,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 15,
    }
    assert [
        chunk({"text": "Think.", "thought": True}),
        chunk({"text": "Hel"}),
        chunk({"text": "lo"}),
        chunk({"functionCall": {"id": "c2", "name": "look", "args": {"a": 1}}, "thoughtSignature": "U0lH"}),
        chunk({"text": ""}, finishReason="STOP", usageMetadata=usage),
    ] == told
    assert [] == lost


def test_line_breaks_of_unicode_are_escaped():
    """A.8: the Python SDK splits lines at them."""
    text = "a\u2028b\u2029c\u0085d"
    out, _ = encode(
        "gemini", [START, *block(0, "text", ev.TextDelta(0, text)), *call(1, json.dumps({"a": text})), STOP]
    )
    assert not {"\u2028", "\u2029", "\u0085"} & set(out.decode())
    assert [{"text": text}, {"functionCall": {"id": "c1", "name": "look", "args": {"a": text}}}] == parts(chunks(out))[
        :2
    ]


@pytest.mark.parametrize(
    ("reason", "raw", "word"),
    [
        ("stop", "end_turn", "STOP"),
        ("tool_calls", "tool_calls", "STOP"),
        ("length", "length", "MAX_TOKENS"),
        ("content_filter", "content_filter", "SAFETY"),
        ("content_filter", "RECITATION", "RECITATION"),
        ("refusal", "refusal", "SAFETY"),
        ("pause", "pause_turn", "STOP"),
        ("pause", "CONTINUATION", "CONTINUATION"),
        ("other", "weird", "OTHER"),
        ("other", "NO_IMAGE", "NO_IMAGE"),
        (None, None, "STOP"),
    ],
)
def test_finishes(reason, raw, word):
    """Atlas 6.1b; this wire's own words stay."""
    told, _ = said(*block(0, "text", ev.TextDelta(0, "x")), ev.End("completed", (ev.Finish(0, reason, raw),)))
    assert word == told[-1]["candidates"][0]["finishReason"]


def test_an_incomplete_end_without_a_reason_is_no_stop():
    told, _ = said(ev.End("incomplete", (ev.Finish(),)))
    assert "OTHER" == told[-1]["candidates"][0]["finishReason"]


@pytest.mark.parametrize("outcome", ["failed", "truncated", "incomplete"])
@pytest.mark.parametrize("before", [[], block(0, "text", ev.TextDelta(0, "half"), complete=False)])
def test_a_failure_is_an_error_object_and_no_finish(outcome, before):
    """Atlas 4.5."""
    kind = {"failed": "overloaded", "incomplete": "cancelled"}.get(outcome, outcome)
    told, lost = said(*before, ev.End(outcome, (), None, make_error(kind, "what went wrong")))
    error = told.pop()["error"]
    code, status = {"overloaded": (503, "UNAVAILABLE"), "cancelled": (499, "CANCELLED")}.get(kind, (500, "INTERNAL"))
    assert (code, status, "what went wrong") == (error["code"], error["status"], error["message"])
    assert [] == [one for chunk in told for one in chunk["candidates"] if "finishReason" in one]
    assert [] == lost
    assert kind == read(encode("gemini", [START, ev.End(outcome, (), None, make_error(kind))])[0], "gemini").error.type


def test_what_was_counted_is_told_before_the_error():
    told, _ = said(ev.End("failed", (), ev.Usage(3, 4, 7), make_error("server", "x")))
    assert {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7} == told[0]["usageMetadata"]


def test_the_wait_is_told_as_google_tells_it():
    told, lost = said(ev.End("failed", (), None, make_error("rate_limit", "slow", retry_after=21.0)))
    assert [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "21s"}] == told[0]["error"]["details"]
    assert [] == lost


def test_arguments_in_pieces_are_one_object():
    """Atlas 4.1: the whole call is held."""
    pieces = [ev.ArgsDelta(0, '{"a":'), ev.ArgsDelta(0, " 1e400}")]
    out, losses = encode("gemini", [START, *block(0, "tool_call", *pieces, id="c", name="look"), STOP])
    assert b'"args":{"a": 1e400}' in out
    assert ["args_stream"] == words(losses.report())


def test_a_call_without_arguments_has_an_empty_object():
    told, lost = said(*block(0, "tool_call", id="c", name="look"), STOP)
    assert {"functionCall": {"id": "c", "name": "look", "args": {}}} == parts(told)[0]
    assert [] == lost


def test_arguments_on_several_lines_are_put_on_one():
    told, lost = said(*call(0, '{\n  "a": 1\r\n}'), STOP)
    assert {"a": 1} == parts(told)[0]["functionCall"]["args"]
    assert ["args_text"] == lost


def test_a_call_that_was_cut_off_is_left_out():
    """A client would execute it. The finish stays what it was: nothing was malformed."""
    for args in ('{"a":', '{"a":1}'):
        told, lost = said(*call(0, args, complete=False), ev.End("incomplete", (ev.Finish(reason="length"),)))
        assert ("MAX_TOKENS", [{"text": ""}]) == (told[-1]["candidates"][0]["finishReason"], parts(told))
        assert ["incomplete"] == lost


def test_a_call_that_ended_and_is_no_object_is_malformed():
    """Atlas 3.4.2."""
    told, lost = said(*call(0, '{"a":', complete=False), STOP)
    last = told[-1]["candidates"][0]
    assert ("MALFORMED_FUNCTION_CALL", 'Malformed function call: look({"a":)') == (
        last["finishReason"],
        last["finishMessage"],
    )
    assert [{"text": ""}] == parts(told)
    assert ["args_invalid"] == lost


def test_a_custom_tool_gets_its_input_as_a_member():
    told, lost = said(*call(0, "ls -l", tool="custom"), STOP)
    assert {"input": "ls -l"} == parts(told)[0]["functionCall"]["args"]
    assert ["tool_kind"] == lost


def test_a_foreign_signature_is_wrapped_in_base64_and_comes_back():
    """A.8: the Python SDK accepts nothing but base64; atlas 4.2."""
    thought = [ev.ReasoningDelta(0, "Hm"), ev.ReasoningDelta(0, "m."), ev.Signature(0, "not base64!", CLAUDE)]
    out, losses = encode("gemini", [START, *block(0, "reasoning", *thought), STOP])
    [part] = read(out, "gemini").blocks
    assert ("Hmm.", [ev.Signature(0, "not base64!", CLAUDE)]) == (part.text, part.signatures)
    assert ["reasoning_form"] == words(losses.report())
    assert "not base64!" == read(converted(out, "gemini", "anthropic")[0], "anthropic").blocks[0].signatures[0].value


def test_encrypted_reasoning_without_text_is_a_thought_that_is_only_signed():
    state = ev.Signature(0, "gAAA", ev.Origin("openai-responses"), encrypted=True)
    out, _ = encode("gemini", [START, *block(0, "reasoning", state), STOP])
    assert {"text": "", "thought": True} == {k: v for k, v in parts(chunks(out))[0].items() if k != "thoughtSignature"}
    assert [state] == read(out, "gemini").blocks[0].signatures


def test_a_signed_text_is_one_part_apart_from_its_neighbours():
    """Atlas 2.4.3: a signed part is never merged with an unsigned neighbour."""
    told, lost = said(
        *block(0, "text", ev.TextDelta(0, "a")),
        *block(1, "text", ev.TextDelta(1, "b"), ev.Signature(1, "U0lH", OWN)),
        *block(2, "text", ev.TextDelta(2, "c")),
        STOP,
    )
    assert [{"text": "a"}, {"text": "b", "thoughtSignature": "U0lH"}, {"text": "c"}, {"text": ""}] == parts(told)
    assert [] == lost


def test_texts_that_run_together_are_reported():
    _, lost = said(*block(0, "text", ev.TextDelta(0, "a")), *block(1, "text", ev.TextDelta(1, "b")), STOP)
    assert ["blocks"] == lost


def test_the_first_text_of_a_read_leaves_with_that_read():
    pipe = weft.Pipe("openai-chat", "gemini")
    first = pipe.feed(b'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n')
    assert ["Hi"] == [part["text"] for part in parts(chunks(first))]


def test_choices_are_told_apart():
    told, lost = said(
        *block(0, "text", ev.TextDelta(0, "a")),
        *block(1, "text", ev.TextDelta(1, "b"), choice=1),
        ev.End("completed", (ev.Finish(0, "stop", "stop"), ev.Finish(1, "stop", "stop")), ev.Usage(1, 2, 3)),
    )
    assert [(0, "a"), (1, "b"), (0, ""), (1, "")] == [
        (one["index"], part["text"])
        for chunk in told
        for one in chunk["candidates"]
        for part in one["content"]["parts"]
    ]
    assert [False, False, False, True] == ["usageMetadata" in chunk for chunk in told]
    assert [] == lost


def test_a_url_citation_is_grounding_at_the_end():
    note = ev.Annotation(0, "url_citation", 0, 5, "https://example.org", "Example")
    told, lost = said(*block(0, "text", ev.TextDelta(0, "Hello"), note), STOP)
    grounding = told[-1]["candidates"][0]["groundingMetadata"]
    assert {"groundingChunks": [{"web": {"uri": "https://example.org", "title": "Example"}}]} == grounding
    assert ["annotation_offsets"] == lost


def test_what_another_provider_ran_is_left_out_and_reported():
    _, lost = said(
        *call(0, "{}", executor="provider"),
        *block(1, "tool_result", ev.Result(1, "c0", {"a": 1})),
        *block(2, "opaque", ev.Opaque(2, {"a": 1}, CLAUDE)),
        STOP,
    )
    assert ["executor", "opaque", "tool_result"] == lost


def test_log_probabilities_come_back():
    tokens = {"content": [{"token": "a", "logprob": -0.5, "top_logprobs": [{"token": "b", "logprob": -1.0}]}]}
    out, losses = encode("gemini", [START, *block(0, "text", ev.TextDelta(0, "a", tokens)), STOP])
    assert [] == losses.report()
    assert [tokens] == read(out, "gemini").blocks[0].logprobs or tokens["content"] == read(out, "gemini").blocks[
        0
    ].logprobs


def test_a_blocked_prompt_has_no_candidate():
    data = b'data: {"promptFeedback":{"blockReason":"OTHER","blockReasonMessage":"No."},"usageMetadata":{"promptTokenCount":3}}\n\n'
    out, _ = converted(data, "gemini", "gemini")
    [chunk] = chunks(out)
    assert {"blockReason": "OTHER", "blockReasonMessage": "No."} == chunk["promptFeedback"]
    assert "candidates" not in chunk


def test_the_whole_reply_has_no_part_that_says_nothing():
    message = weft.collect([START, *block(0, "text", ev.TextDelta(0, "Hi")), STOP])
    body = json.loads(whole(message, "gemini", response_id="mine")[0])
    assert ([{"text": "Hi"}], "STOP", "mine") == (
        body["candidates"][0]["content"]["parts"],
        body["candidates"][0]["finishReason"],
        body["responseId"],
    )


def test_the_whole_reply_of_a_failure_is_the_error_body():
    message = weft.collect([START, ev.End("failed", (), None, make_error("not_found", "no such model"))])
    body = json.loads(whole(message, "gemini")[0])
    assert {"error": {"code": 404, "message": "no such model", "status": "NOT_FOUND"}} == body


def test_numbers_for_words_among_the_counts_are_left_out():
    """The Python SDK has words for these, and breaks at a number (a proto dump writes numbers)."""
    raw = {"promptTokenCount": 3, "trafficType": 1, "promptTokensDetails": [{"modality": 1, "tokenCount": 3}]}
    named = {"serviceTier": "standard", "candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": 4}]}
    told, _ = said(ev.End("completed", (ev.Finish(reason="stop"),), ev.Usage(3, 4, 7, raw={**raw, **named})))
    counts = {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7}
    assert {**counts, **named} == told[-1]["usageMetadata"]
