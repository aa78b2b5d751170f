"""Messages events as the strictest clients want them: atlas 3.3, 4.5, 6.1b."""

import json

import pytest

import weft
from tests.encoders.comparing import failed as is_failed
from tests.encoders.saying import CALLED, OTHERS, STOP, USAGE, call, failed, opened, reasoning, refusal, said, text
from tests.encoders.test_totality import encode
from weft import events as ev

OWN = ev.Origin("anthropic")
OPENAI = ev.Origin("openai-responses", item="rs_1")
CUT_CALL = [opened(0), ev.ArgsDelta(0, '{"a"'), ev.BlockEnd(0, False)]


def start():
    return ev.Start("m1", "model-1")


def frames(*events, **context):
    return said("anthropic", *events, **context)


def kinds(out):
    return [frame["type"] for frame in out]


def deltas(out):
    return [frame["delta"] for frame in out if frame["type"] == "content_block_delta"]


def blocks(out):
    return [frame["content_block"] for frame in out if frame["type"] == "content_block_start"]


def read_back(*events):
    out, _ = encode("anthropic", [each for part in events for each in (part if isinstance(part, list) else [part])])
    return weft.collect(weft.read(out, "anthropic"))


def test_the_golden_order():
    thought = reasoning(0, ("Hm.", 0, "raw"), states=(("SIG", OWN),))
    usage = ev.Usage(14, 20, 34, 4)
    out, lost = frames(
        start(), usage, thought, text(1, "Hello"), call(2, '{"a": 1}'), ev.End("completed", CALLED, usage)
    )
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "model-1", "content": []}
    counts = {"input_tokens": 10, "cache_read_input_tokens": 4, "output_tokens": 20}
    assert {
        "type": "message_start",
        "message": message | {"stop_reason": None, "stop_sequence": None, "usage": counts},
    } == out[0]
    assert [
        "message_start",
        *["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"],
        *["content_block_start", "content_block_delta", "content_block_stop"],
        *["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"],
        *["message_delta", "message_stop"],
    ] == kinds(out)
    assert [
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "text", "text": ""},
        {"type": "tool_use", "id": "call_2", "name": "get", "input": {}},
    ] == blocks(out)
    assert [
        {"type": "thinking_delta", "thinking": "Hm."},
        {"type": "signature_delta", "signature": "SIG"},
        {"type": "text_delta", "text": "Hello"},
        {"type": "input_json_delta", "partial_json": ""},
        {"type": "input_json_delta", "partial_json": '{"a": 1}'},
    ] == deltas(out)
    assert ({"stop_reason": "tool_use", "stop_sequence": None}, counts) == (out[-2]["delta"], out[-2]["usage"])
    assert {} == lost


def test_blocks_are_numbered_without_gaps_and_only_one_is_open():
    out, lost = frames(
        start(), opened(0, "a"), opened(1, "b"), ev.ArgsDelta(1, "{"), ev.ArgsDelta(0, "{"), ev.ArgsDelta(1, "}"),
        ev.ArgsDelta(0, "}"), ev.BlockEnd(1, True), ev.BlockEnd(0, True), ev.End("completed", CALLED),
    )  # fmt: skip
    placed = [(frame["type"], frame["index"]) for frame in out if "index" in frame]
    of_one = ["content_block_start", *["content_block_delta"] * 3, "content_block_stop"]
    assert [(kind, index) for index in (0, 1) for kind in of_one] == placed
    assert ["", "{", "}", "", "{", "}"] == [delta["partial_json"] for delta in deltas(out)]
    assert {} == lost


def test_usage_is_always_there():
    out, lost = frames(start(), text(0, "a"), ev.End("completed", STOP))
    none = {"input_tokens": 0, "output_tokens": 0}
    assert (none, none) == (out[0]["message"]["usage"], out[-2]["usage"])
    assert {} == lost


def test_reasoning_tokens_are_told_apart():
    said, lost = frames(start(), text(0, "a"), ev.End("completed", STOP, USAGE))
    assert {"thinking_tokens": USAGE.reasoning_tokens} == said[-2]["usage"]["output_tokens_details"]
    assert {} == lost


@pytest.mark.parametrize(
    ("reason", "word", "lost"),
    [
        ("stop", "end_turn", {}),
        ("length", "max_tokens", {}),
        ("tool_calls", "tool_use", {}),
        ("content_filter", "refusal", {"finish_other": 1}),
        ("refusal", "refusal", {}),
        ("pause", "pause_turn", {}),
        ("other", "end_turn", {"finish_other": 1}),
        (None, "end_turn", {}),
    ],
)
def test_every_finish_has_its_word(reason, word, lost):
    outcome = "incomplete" if reason in ("length", "content_filter") else "completed"
    out, said_lost = frames(start(), text(0, "a"), ev.End(outcome, (ev.Finish(0, reason),)))
    assert (word, "message_stop", lost) == (out[-2]["delta"]["stop_reason"], out[-1]["type"], said_lost)


def test_the_sources_own_stop_reason_stays():
    out, lost = frames(
        start(),
        text(0, "a"),
        ev.Meta("stop_sequence", "END"),
        ev.End("completed", (ev.Finish(0, "stop", "stop_sequence"),)),
    )
    assert {"stop_reason": "stop_sequence", "stop_sequence": "END"} == out[-2]["delta"]
    assert {} == lost


def test_no_finish_beside_a_complete_call_is_tool_use():
    assert (
        "tool_use" == frames(start(), call(0, "{}"), ev.End("completed", (ev.Finish(),)))[0][-2]["delta"]["stop_reason"]
    )


@pytest.mark.parametrize("kind", ["overloaded", "truncated", "cancelled"])
@pytest.mark.parametrize("content", [[], text(0, "a"), CUT_CALL])
def test_what_ended_badly_is_an_error_and_nothing_after_it(kind, content):
    out, lost = frames(start(), content, failed(kind))
    assert ("error", "busy") == (out[-1]["type"], out[-1]["error"]["message"])
    assert {"message_delta", "message_stop"} & {*kinds(out)} == set()
    told = {} if kind == "overloaded" else {"error_detail": 1}
    assert told | ({"incomplete": 1} if content is CUT_CALL else {}) == lost
    assert is_failed(read_back(start(), content, failed(kind)))


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("overloaded", "overloaded_error"),
        ("rate_limit", "rate_limit_error"),
        ("server", "api_error"),
        ("billing", "billing_error"),
    ],
)
def test_errors_have_this_wires_types(kind, word):
    assert word == frames(start(), failed(kind))[0][-1]["error"]["type"]


def test_counts_that_come_with_a_failure_are_named():
    assert {"usage": 1} == frames(start(), text(0, "a"), USAGE, ev.End("failed", (), USAGE, failed().error))[1]


def test_a_refusal_reads_as_text():
    out, lost = frames(start(), refusal(0, "No."), ev.End("completed", (ev.Finish(0, "refusal"),)))
    assert ([{"type": "text_delta", "text": "No."}], "refusal") == (deltas(out), out[-2]["delta"]["stop_reason"])
    assert {"refusal": 1} == lost


def test_encrypted_reasoning_alone_is_redacted_thinking():
    out, lost = frames(start(), reasoning(0, states=(("ENC", OWN, None, None, True),)), ev.End("completed", STOP))
    assert [{"type": "redacted_thinking", "data": "ENC"}] == blocks(out)
    assert {} == lost


@pytest.mark.parametrize("pieces", [[("a", 0, "summary")], []])
def test_state_of_another_origin_is_wrapped_and_comes_back(pieces):
    told = read_back(
        start(), reasoning(0, *pieces, states=(("ENC", OPENAI, None, None, True),)), ev.End("completed", STOP)
    )
    assert [("ENC", OPENAI, True)] == [
        (state.value, state.origin, state.encrypted) for state in told.blocks[0].signatures
    ]


def test_state_of_a_call_has_no_place():
    signed = [opened(0), ev.ArgsDelta(0, "{}"), ev.Signature(0, "s", OTHERS), ev.BlockEnd(0, True)]
    assert {"signature": 1} == frames(start(), signed, ev.End("completed", CALLED))[1]


def test_parts_of_reasoning_are_set_apart_by_a_blank_line():
    out, lost = frames(start(), reasoning(0, ("a", 0, "summary"), ("b", 1, "summary")), ev.End("completed", STOP))
    assert ["a", "\n\nb"] == [delta["thinking"] for delta in deltas(out)]
    assert {"reasoning_form": 2} == lost


def test_a_custom_tool_has_its_input_in_an_object():
    out, lost = frames(start(), call(0, 'say "', 'hi"', tool="custom"), ev.End("completed", CALLED))
    assert {"input": 'say "hi"'} == json.loads("".join(delta["partial_json"] for delta in deltas(out)))
    assert {"tool_kind": 1} == lost


def test_an_id_is_made_to_fit():
    odd = [ev.BlockStart(0, "tool_call", id="functions.get:0", name="get"), ev.ArgsDelta(0, "{}"), ev.BlockEnd(0, True)]
    out, lost = frames(start(), odd, ev.End("completed", CALLED))
    assert all(each.isalnum() or each in "_-" for each in blocks(out)[0]["id"])
    assert {"tool_call_id": 1} == lost


def test_a_form_of_this_protocol_stays_with_its_call():
    raw = {"type": "tool_use", "id": "call_0", "name": "get", "caller": {"type": "direct"}}
    own = [opened(0), ev.Opaque(0, raw, OWN), ev.ArgsDelta(0, "{}"), ev.BlockEnd(0, True)]
    out, lost = frames(start(), own, ev.End("completed", CALLED))
    assert [{**raw, "input": {}}] == blocks(out)
    assert {} == lost


def test_a_form_of_another_protocol_is_named():
    own = [opened(0), ev.Opaque(0, {"type": "function_call"}, OPENAI), ev.ArgsDelta(0, "{}"), ev.BlockEnd(0, True)]
    assert {"opaque": 1} == frames(start(), own, ev.End("completed", CALLED))[1]


def test_what_another_provider_ran_and_made_is_named():
    ran = call(0, "{}", executor="provider")
    result = [ev.BlockStart(1, "tool_result", id="call_0"), ev.Result(1, "call_0", "x"), ev.BlockEnd(1, True)]
    image = [ev.BlockStart(2, "file"), ev.File(2, "image/png", "aGk="), ev.BlockEnd(2, True)]
    out, lost = frames(start(), ran, result, image, ev.End("completed", STOP))
    assert [] == blocks(out)
    assert {"executor": 1, "tool_result": 1, "file": 1} == lost


def test_a_client_that_wants_a_block_gets_one():
    out, _ = frames(start(), ev.End("completed", STOP), profile="claude-code")
    assert [{"type": "text", "text": ""}] == blocks(out)
    assert [] == blocks(frames(start(), ev.End("completed", STOP))[0])


def test_text_that_was_only_a_foreign_signature_is_no_block():
    """Claude Code prints the last text block as the answer, and the API refuses an empty one in the next turn."""
    gemini = (
        b'data: {"candidates":[{"content":{"parts":[{"text":"Ahoy."}]}}]}\n\n'
        b'data: {"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"c2ln"}]},"finishReason":"STOP"}]}\n\n'
    )
    pipe = weft.Pipe("gemini", "anthropic")
    out = pipe.feed(gemini) + pipe.close()
    assert 1 == out.count(b"event: content_block_start")
    assert ["signature"] == [loss.what for loss in pipe.losses]


def test_a_ping_follows_the_first_block_for_who_wants_one():
    out, lost = frames(start(), text(0, "a"), text(1, "b"), ev.End("completed", STOP), profile="pings")
    assert ["message_start", "content_block_start", "ping", "content_block_delta"] == kinds(out)[:4]
    assert (1, {}) == (kinds(out).count("ping"), {what: n for what, n in lost.items() if what != "created"})
    assert "ping" not in kinds(frames(start(), text(0, "a"), ev.End("completed", STOP))[0])
