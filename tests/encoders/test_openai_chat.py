"""Chunks as the strictest clients want them: atlas 3.2, 4.5, 6.1b."""

import pytest

import weft
from tests.encoders.comparing import failed as is_failed
from tests.encoders.saying import (
    CALLED,
    OTHERS,
    STOP,
    USAGE,
    call,
    failed,
    opened,
    reasoning,
    refusal,
    said,
    start,
    text,
)
from tests.encoders.test_totality import encode
from weft import events as ev
from weft.pipe import Pipe

OWN = ev.Origin("openai-chat")
ANTHROPIC = ev.Origin("anthropic", model="claude")


def chunks(*events, **context):
    return said("openai-chat", *events, **context)


def deltas(frames, choice=0):
    return [
        each["delta"]
        for frame in frames
        if isinstance(frame, dict)
        for each in frame.get("choices", ())
        if each["index"] == choice
    ]


def finishes(frames):
    return [
        (each["index"], each["finish_reason"])
        for frame in frames
        if isinstance(frame, dict)
        for each in frame.get("choices", ())
        if each["finish_reason"]
    ]


def read_back(*events, **context):
    out, _ = encode(
        "openai-chat", [each for part in events for each in (part if isinstance(part, list) else [part])], **context
    )
    return weft.collect(weft.read(out, "openai-chat"))


def test_the_golden_order():
    frames, lost = chunks(
        start(), text(0, "Hel", "lo"), call(1, '{"a":', "1}"), call(2, "{}"), USAGE, ev.End("completed", CALLED, USAGE)
    )
    assert [
        {"role": "assistant", "content": ""},
        {"content": "Hel"},
        {"content": "lo"},
        {
            "tool_calls": [
                {"index": 0, "id": "call_1", "type": "function", "function": {"name": "get", "arguments": ""}}
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]},
        {
            "tool_calls": [
                {"index": 1, "id": "call_2", "type": "function", "function": {"name": "get", "arguments": ""}}
            ]
        },
        {"tool_calls": [{"index": 1, "function": {"arguments": "{}"}}]},
        {},
    ] == deltas(frames)
    assert [(0, "tool_calls")] == finishes(frames)
    counts = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
    details = {"prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 2}}
    assert ([], counts | details) == (frames[-2]["choices"], frames[-2]["usage"])
    assert "[DONE]" == frames[-1]
    assert {} == lost


def test_every_chunk_has_its_kind_and_a_list_of_choices_and_no_error():
    frames, _ = chunks(
        start(), reasoning(0, ("Hm.", 0, "raw")), text(1, "a"), call(2, "{}"), ev.End("completed", CALLED, USAGE)
    )
    for frame in frames[:-1]:
        assert ("chat.completion.chunk", list, "m1", "model-1") == (
            frame["object"], type(frame["choices"]), frame["id"], frame["model"]
        )  # fmt: skip
        assert "error" not in frame
        assert 1760000000 == frame["created"]
    assert "[DONE]" == frames[-1]


def test_the_role_comes_once_for_each_choice_and_choices_begin_in_order():
    frames, lost = chunks(
        start(), text(0, "b", choice=1), text(1, "a"), ev.End("completed", (ev.Finish(0, "stop"), ev.Finish(1, "stop")))
    )
    assert [0, 1] == [frame["choices"][0]["index"] for frame in frames[:-1] if "role" in frame["choices"][0]["delta"]]
    assert [(0, "stop"), (1, "stop")] == finishes(frames)
    assert {} == lost


def test_interleaved_calls_keep_their_own_numbers():
    frames, lost = chunks(
        start(), opened(0, "a"), opened(1, "b"), ev.ArgsDelta(1, "{"), ev.ArgsDelta(0, "{"), ev.ArgsDelta(1, "}"),
        ev.ArgsDelta(0, "}"), ev.BlockEnd(1, True), ev.BlockEnd(0, True), ev.End("completed", CALLED),
    )  # fmt: skip
    fragments = [delta["tool_calls"][0] for delta in deltas(frames) if "tool_calls" in delta]
    assert [0, 1, 1, 0, 1, 0] == [fragment["index"] for fragment in fragments]
    assert [True, True, False, False, False, False] == ["id" in fragment for fragment in fragments]
    assert [True] * 6 == ["function" in fragment for fragment in fragments]
    assert {} == lost


def test_a_call_without_arguments_has_an_empty_object():
    frames, _ = chunks(start(), call(0), ev.End("completed", CALLED))
    assert {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]} == deltas(frames)[-2]


def test_a_custom_tool_has_its_input_as_text():
    frames, lost = chunks(start(), call(0, "a b", tool="custom"), ev.End("completed", CALLED))
    assert [
        {"tool_calls": [{"index": 0, "id": "call_0", "type": "custom", "custom": {"name": "get", "input": ""}}]},
        {"tool_calls": [{"index": 0, "custom": {"input": "a b"}}]},
    ] == deltas(frames)[1:-1]
    assert {} == lost


@pytest.mark.parametrize(
    ("reason", "word", "lost"),
    [
        ("stop", "stop", {}),
        ("length", "length", {}),
        ("tool_calls", "tool_calls", {}),
        ("content_filter", "content_filter", {}),
        ("refusal", "content_filter", {"finish_other": 1}),
        ("pause", "stop", {"finish_other": 1}),
        ("other", "stop", {"finish_other": 1}),
        (None, "stop", {}),
    ],
)
def test_every_finish_has_its_word(reason, word, lost):
    outcome = "incomplete" if reason in ("length", "content_filter") else "completed"
    frames, said_lost = chunks(start(), text(0, "a"), ev.End(outcome, (ev.Finish(0, reason, reason),)))
    assert ([(0, word)], lost) == (finishes(frames), said_lost)


def test_a_refusal_stops_and_is_a_member_of_its_own():
    frames, lost = chunks(start(), refusal(0, "No."), ev.End("completed", (ev.Finish(0, "refusal", "stop"),)))
    assert {"refusal": "No."} == deltas(frames)[1]
    assert ([(0, "stop")], {}) == (finishes(frames), lost)


def test_no_finish_beside_a_complete_call_is_tool_calls():
    frames, _ = chunks(start(), call(0, "{}"), ev.End("completed", (ev.Finish(),)))
    assert [(0, "tool_calls")] == finishes(frames)


@pytest.mark.parametrize("kind", ["overloaded", "truncated", "cancelled"])
@pytest.mark.parametrize("content", [[], text(0, "a"), [opened(0), ev.ArgsDelta(0, "{"), ev.BlockEnd(0, False)]])
def test_what_ended_badly_is_an_error_and_nothing_after_it(kind, content):
    frames, lost = chunks(start(), content, failed(kind))
    assert "busy" == frames[-1]["error"]["message"]
    assert [] == finishes(frames)
    assert {} == lost
    assert is_failed(read_back(start(), content, failed(kind)))


def test_the_terminator_after_an_error_is_a_wish():
    frames, _ = chunks(start(), failed(), profile="done-after-error")
    assert ["error", "[DONE]"] == ["error" if isinstance(frame, dict) else frame for frame in frames]


def test_a_wait_has_no_place_in_an_error():
    assert {"error_detail": 1} == chunks(start(), failed("rate_limit", "slow", retry_after=3.0))[1]


def test_usage_is_said_only_if_it_is_asked_for():
    frames, lost = chunks(start(), text(0, "a"), ev.End("completed", STOP, USAGE), include_usage=False)
    assert [] == [frame for frame in frames[:-1] if "usage" in frame]
    assert {"usage": 1} == lost


def test_no_usage_is_no_chunk():
    frames, lost = chunks(start(), text(0, "a"), ev.End("completed", STOP))
    assert [[0]] * 3 == [[each["index"] for each in frame["choices"]] for frame in frames[:-1]]
    assert {} == lost


def test_counts_stand_before_an_error():
    frames, lost = chunks(start(), text(0, "a"), ev.End("failed", (), USAGE, failed().error))
    assert (17, "busy") == (frames[-2]["usage"]["total_tokens"], frames[-1]["error"]["message"])
    assert {} == lost


@pytest.mark.parametrize(
    ("profile", "member"), [(None, "reasoning_content"), ("openrouter", "reasoning"), ("copilot", "reasoning_text")]
)
def test_reasoning_is_in_the_member_that_the_client_reads(profile, member):
    frames, lost = chunks(
        start(), reasoning(0, ("Hm", 0, "raw"), (".", 0, "raw")), ev.End("completed", STOP), profile=profile
    )
    assert [{member: "Hm"}, {member: "."}] == deltas(frames)[1:3]
    assert {} == lost


def test_parts_of_reasoning_are_set_apart_by_a_blank_line():
    frames, lost = chunks(start(), reasoning(0, ("a", 0, "summary"), ("b", 1, "summary")), ev.End("completed", STOP))
    assert ["a", "\n\n", "b"] == [delta["reasoning_content"] for delta in deltas(frames)[1:-1]]
    assert {"reasoning_form": 2} == lost


def test_state_of_this_protocol_goes_back_as_it_came():
    signed = reasoning(0, ("a", 0, "raw"), states=(("sig", OWN, 0, "anthropic-claude-v1"),))
    sealed = reasoning(1, states=(("enc", ev.Origin("openai-chat", item="rs_1"), 1, "openai-responses-v1", True),))
    frames, lost = chunks(start(), signed, sealed, ev.End("completed", STOP))
    assert [
        [{"type": "reasoning.text", "signature": "sig", "format": "anthropic-claude-v1", "index": 0}],
        [{"type": "reasoning.encrypted", "data": "enc", "format": "openai-responses-v1", "id": "rs_1", "index": 1}],
    ] == [delta["reasoning_details"] for delta in deltas(frames) if "reasoning_details" in delta]
    assert {} == lost


def test_state_of_another_origin_is_wrapped_and_comes_back():
    states = (("sig", ANTHROPIC, None, None, False),), (("enc", ANTHROPIC, None, None, True),)
    blocks = [
        reasoning(0, ("a", 0, "raw"), states=states[0]),
        reasoning(1, states=states[1]),
        reasoning(2, ("c", 0, "raw")),
    ]
    told = read_back(start(), *blocks, ev.End("completed", STOP))
    assert ["a", "", "c"] == [part.text for part in told.blocks]
    assert [("sig", ANTHROPIC, False), ("enc", ANTHROPIC, True)] == [
        (state.value, state.origin, state.encrypted) for part in told.blocks for state in part.signatures
    ]


def test_the_state_of_a_call_and_of_text_is_where_google_has_it():
    signed = [opened(0), ev.ArgsDelta(0, "{}"), ev.Signature(0, "sig", OTHERS), ev.BlockEnd(0, True)]
    told = read_back(start(), signed, ev.End("completed", CALLED))
    assert [("sig", OTHERS)] == [(state.value, state.origin) for state in told.tool_calls[0].signatures]
    spoken = [ev.BlockStart(0, "text"), ev.TextDelta(0, "a"), ev.Signature(0, "sig", OTHERS), ev.BlockEnd(0, True)]
    told = read_back(start(), spoken, ev.End("completed", STOP))
    assert [("text", "sig")] == [
        (part.__struct_config__.tag, state.value) for part in told.blocks for state in part.signatures
    ]


def test_a_citation_of_a_url_is_said_and_any_other_is_lost():
    notes = [ev.Annotation(0, "url_citation", 1, 3, "https://a.example", "A"), ev.Annotation(0, "char_location", 1, 2)]
    frames, lost = chunks(
        start(),
        ev.BlockStart(0, "text"),
        ev.TextDelta(0, "abc"),
        notes,
        ev.BlockEnd(0, True),
        ev.End("completed", STOP),
    )
    citation = {"start_index": 1, "end_index": 3, "url": "https://a.example", "title": "A"}
    assert [{"type": "url_citation", "url_citation": citation, "index": 0}] == deltas(frames)[2]["annotations"]
    assert {"annotation": 1} == lost


def test_an_image_that_came_in_pieces_is_one():
    pieces = [ev.File(0, "image/png", "aG"), ev.File(0, None, "k=")]
    frames, lost = chunks(start(), ev.BlockStart(0, "file"), pieces, ev.BlockEnd(0, True), ev.End("completed", STOP))
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}, "index": 0}
    assert [image] == deltas(frames)[1]["images"]
    assert {} == lost


def test_log_probabilities_stand_beside_their_text():
    entry = {"token": "a", "logprob": -0.1, "bytes": None, "top_logprobs": []}
    frames, lost = chunks(
        start(),
        ev.BlockStart(0, "text"),
        ev.TextDelta(0, "a", [entry]),
        ev.BlockEnd(0, True),
        ev.End("completed", STOP),
    )
    assert {"content": [entry]} == frames[1]["choices"][0]["logprobs"]
    assert {} == lost


def test_text_after_a_call_and_text_beside_text_are_named():
    assert {"order": 1} == chunks(start(), call(0, "{}"), text(1, "a"), ev.End("completed", CALLED))[1]
    assert {"blocks": 1} == chunks(start(), text(0, "a"), text(1, "b"), ev.End("completed", STOP))[1]


def test_what_another_provider_ran_is_lost_by_name():
    ran = call(0, "{}", executor="provider")
    result = [ev.BlockStart(1, "tool_result", id="call_0"), ev.Result(1, "call_0", "x"), ev.BlockEnd(1, True)]
    frames, lost = chunks(start(), ran, result, ev.End("completed", STOP))
    assert [] == [delta for delta in deltas(frames) if "tool_calls" in delta]
    assert {"executor": 1, "tool_result": 1} == lost


def test_a_model_that_becomes_known_late_is_named_from_there_on():
    frames, lost = chunks(
        ev.Start("m1"), text(0, "a"), ev.Meta("model", "m-2"), text(1, "b"), ev.End("completed", STOP)
    )
    assert ["", "", "m-2", "m-2"] == [frame["model"] for frame in frames[:-1]]
    assert {"blocks": 1} == lost


def test_facts_of_this_wire_stand_in_the_last_chunk():
    frames, lost = chunks(start(), text(0, "a"), ev.Meta("citations", ["u"]), ev.End("completed", STOP))
    assert ([None, None, ["u"]], {}) == ([frame.get("citations") for frame in frames[:-1]], lost)


def test_one_choice_of_several_ends_as_it_alone_did():
    one = [ev.Finish(0, "stop", "stop"), ev.Finish(1, "length", "length")]
    out, _ = encode(
        "openai-responses", [start(), *text(0, "a"), *text(1, "b", choice=1), ev.End("incomplete", tuple(one))]
    )
    assert "completed" == weft.collect(weft.read(out, "openai-responses")).outcome


def test_bytes_are_the_same_at_any_cut():
    data, _ = encode(
        "openai-chat", [start(), *text(0, "Hel", "lo"), *call(1, "{}"), ev.End("completed", CALLED, USAGE)]
    )
    pipe = Pipe("openai-chat", "openai-chat")
    assert data == b"".join(pipe.feed(data[at : at + 1]) for at in range(len(data))) + pipe.close()


def test_facts_of_a_choice_stand_beside_its_finish():
    facts = [
        ev.Meta("native_finish_reason", "STOP"),
        ev.Meta("content_filter_results:1", {"hate": {"filtered": False}}),
    ]
    ends = (ev.Finish(0, "stop", "stop"), ev.Finish(1, "stop", "stop"))
    frames, lost = chunks(start(), facts, ev.End("completed", ends))
    last = [each for frame in frames[:-1] for each in frame["choices"] if each["finish_reason"]]
    assert ["STOP", None] == [each.get("native_finish_reason") for each in last]
    assert [None, {"hate": {"filtered": False}}] == [each.get("content_filter_results") for each in last]
    assert {} == lost
