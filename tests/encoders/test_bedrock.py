"""Bedrock as a target: the frames that boto3 reads, and what becomes of what they cannot say (atlas 1.5, 2.6)."""

import json

import pytest

import weft
from tests.encoders.rounds import (
    read,
    whole,
    words,
)
from tests.encoders.test_totality import encode
from weft import events as ev
from weft.errors import make_error
from weft.framing import AWSEventStream
from weft.framing.aws_frames import AWSFrames

START = ev.Start("r1", made=True)
STOP = ev.End("completed", (ev.Finish(reason="stop", raw="stop"),))
CLAUDE = ev.Origin("anthropic", model="claude")


def block(index: int, kind: str, *inside: ev.Event, complete: bool = True, **more) -> list[ev.Event]:
    return [ev.BlockStart(index, kind, **more), *inside, ev.BlockEnd(index, complete)]


def call(index: int, args: str, complete: bool = True, **more) -> list[ev.Event]:
    return block(
        index, "tool_call", ev.ArgsDelta(index, args), complete=complete, **{"id": f"c{index}", "name": "look", **more}
    )


def frames(out: bytes) -> list[tuple[str, dict]]:
    """Names and payloads, by the framer that reads the wire; a fault fails."""
    found: list[tuple[str, dict]] = []

    def fault(code: str, message: str, fatal: bool) -> None:
        raise AssertionError(code, message)

    framer = AWSEventStream(lambda payload, name: found.append((name, json.loads(payload))), fault)
    framer.feed(out)
    framer.close()
    return found


def said(*events: ev.Event) -> tuple[list[tuple[str, dict]], list[str]]:
    out, losses = encode("bedrock", [START, *events])
    return frames(out), words(losses.report())


def test_a_frame_is_laid_out_to_the_byte():
    """The worked frame of atlas 1.5, which botocore reads."""
    frame = AWSFrames("messageStop").framed(b'{"stopReason":"end_turn"}')
    assert (122, "0000007a00000051ca2c4665", "3dc33bfa") == (len(frame), frame[:12].hex(), frame[-4:].hex())


def test_an_exception_has_its_own_headers():
    frame = AWSFrames("throttlingException", "exception").framed(b'{"message":"slow"}')
    assert ("a9d144e5", "d4f2b6a9") == (frame[8:12].hex(), frame[-4:].hex())


def test_frames_of_any_length_are_sound():
    made = AWSFrames("contentBlockDelta")
    texts = ["x" * length for length in (0, 1, 300, 300, 70_000, *range(1100))]
    told = frames(b"".join(made.framed(json.dumps({"text": text}).encode()) for text in texts))
    assert [("contentBlockDelta", {"text": text}) for text in texts] == told


def test_the_golden_order():
    """Atlas 2.6.2: text and reasoning are not announced, calls are; the counts come after the stop."""
    told, lost = said(
        *block(0, "reasoning", ev.ReasoningDelta(0, "Hm."), ev.Signature(0, "sig", ev.Origin("bedrock"))),
        *block(1, "text", ev.TextDelta(1, "Hel"), ev.TextDelta(1, "lo")),
        *call(2, '{"a":1}'),
        ev.End("completed", (ev.Finish(reason="tool_calls", raw="end_turn"),), ev.Usage(10, 4, 14, 3, 2)),
    )
    counts = {
        "inputTokens": 5,
        "outputTokens": 4,
        "totalTokens": 14,
        "cacheReadInputTokens": 3,
        "cacheWriteInputTokens": 2,
    }
    assert [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Hm."}}}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "sig"}}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Hel"}}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "lo"}}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        ("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "c2", "name": "look"}}}),
        ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolUse": {"input": '{"a":1}'}}}),
        ("contentBlockStop", {"contentBlockIndex": 2}),
        ("messageStop", {"stopReason": "tool_use"}),
        ("metadata", {"usage": counts, "metrics": {"latencyMs": 0}}),
    ] == told
    assert [] == lost


def test_what_is_required_of_the_counts_is_there_even_if_nobody_counted():
    told, _ = said(STOP)
    usage = {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
    assert ("metadata", {"usage": usage, "metrics": {"latencyMs": 0}}) == told[-1]


@pytest.mark.parametrize(
    ("reason", "raw", "word"),
    [
        ("stop", "stop", "end_turn"),
        ("stop", "stop_sequence", "stop_sequence"),
        ("tool_calls", "stop", "tool_use"),
        ("length", "length", "max_tokens"),
        ("length", "model_context_window_exceeded", "model_context_window_exceeded"),
        ("content_filter", "SAFETY", "content_filtered"),
        ("content_filter", "guardrail_intervened", "guardrail_intervened"),
        ("pause", "pause_turn", "end_turn"),
        ("other", "weird", "end_turn"),
        (None, None, "end_turn"),
    ],
)
def test_finishes(reason, raw, word):
    told, lost = said(ev.End("completed", (ev.Finish(0, reason, raw),)))
    assert {"stopReason": word} == told[-2][1]
    assert (["finish_other"] if reason in ("pause", "other") else []) == lost


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("rate_limit", "throttlingException"),
        ("overloaded", "serviceUnavailableException"),
        ("invalid_request", "validationException"),
        ("server", "internalServerException"),
        ("truncated", "internalServerException"),
        ("cancelled", "internalServerException"),
    ],
)
@pytest.mark.parametrize("before", [[], block(0, "text", ev.TextDelta(0, "half"), complete=False)])
def test_a_failure_is_an_exception_and_no_stop(kind, name, before):
    """Atlas 2.6.5, 4.5."""
    outcome = {"truncated": "truncated", "cancelled": "incomplete"}.get(kind, "failed")
    told, _ = said(*before, ev.End(outcome, (), None, make_error(kind, "what went wrong")))
    assert (f"exception:{name}", {"message": "what went wrong"}) == told.pop()
    assert "messageStop" not in [name for name, _ in told]


def test_a_call_that_was_cut_off_is_not_stopped():
    told, _ = said(*call(0, '{"a":1}', complete=False), ev.End("incomplete", (ev.Finish(reason="length"),)))
    assert "contentBlockStop" not in [name for name, _ in told]
    assert [False] == [call.complete for call in weft.collect([START, *call(0, "{", complete=False), STOP]).tool_calls]


def test_ids_are_made_to_fit():
    """Atlas 4.3."""
    told, lost = said(*call(0, "{}", id="call|1 x"), STOP)
    id = told[1][1]["start"]["toolUse"]["toolUseId"]
    assert id.startswith("call_1_x_")
    assert ["tool_call_id"] == lost


def test_foreign_state_of_reasoning_is_wrapped_and_comes_back():
    state = ev.Signature(0, "abc", CLAUDE)
    out, losses = encode("bedrock", [START, *block(0, "reasoning", ev.ReasoningDelta(0, "Hm."), state), STOP])
    assert [state] == read(out, "bedrock").blocks[0].signatures
    assert [] == losses.report()


def test_encrypted_reasoning_alone_is_redacted_content():
    state = ev.Signature(0, "abc", CLAUDE, encrypted=True)
    out, _ = encode("bedrock", [START, *block(0, "reasoning", state), STOP])
    [_, (_, event), *_] = frames(out)
    assert ["redactedContent"] == list(event["delta"]["reasoningContent"])
    assert [state] == read(out, "bedrock").blocks[0].signatures


def test_a_tool_that_the_provider_ran_and_its_result_are_told():
    told, lost = said(
        *call(0, '{"q":1}', executor="provider"),
        *block(1, "tool_result", ev.Result(1, "c0", {"found": 1}, True)),
        STOP,
    )
    assert {"toolUse": {"toolUseId": "c0", "name": "look", "type": "server_tool_use"}} == told[1][1]["start"]
    assert {"toolResult": {"toolUseId": "c0", "status": "error"}} == told[4][1]["start"]
    assert {"toolResult": [{"json": {"found": 1}}]} == told[5][1]["delta"]
    assert [] == lost


def test_a_custom_tool_is_wrapped_as_it_streams():
    pieces = [ev.ArgsDelta(0, 'ls "-l'), ev.ArgsDelta(0, "\n")]
    out, losses = encode("bedrock", [START, *block(0, "tool_call", *pieces, id="c", name="sh", tool="custom"), STOP])
    assert {"input": 'ls "-l\n'} == read(out, "bedrock").tool_calls[0].arguments
    assert ["tool_kind"] == words(losses.report())


def test_losses_are_reported():
    _, lost = said(
        *block(0, "text", ev.TextDelta(0, "a"), ev.Annotation(0, "url_citation", 0, 1, "https://example.org")),
        *block(1, "file", ev.File(1, "audio/wav", "aGk=")),
        *block(2, "opaque", ev.Opaque(2, {}, CLAUDE)),
        *block(3, "text", ev.Annotation(3, "file_citation")),
        ev.End("completed", (ev.Finish(reason="stop"),), ev.Usage(1, 2, 3, None, None, 1)),
    )
    assert ["annotation", "annotation_offsets", "file", "opaque", "usage_split"] == lost


def test_a_whole_reply_has_no_call_that_was_cut_off():
    end = ev.End("incomplete", (ev.Finish(reason="length", raw="length"),))
    message = weft.collect([START, *call(0, '{"a":', complete=False), end])
    body, lost = whole(message, "bedrock")
    assert [] == json.loads(body)["output"]["message"]["content"]
    assert "incomplete" in lost
