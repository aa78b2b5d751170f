"""Google's Interactions API, in both generations of its schema, streamed and whole (atlas 2.4.10)."""

import json
from typing import Any

import pytest

import weft
from tests.conftest import CORPUS
from tests.protocols.wire import events, message, sse
from weft.events import ArgsDelta
from weft.message import FilePart, Message, Reasoning, Text, ToolCall, ToolResult
from weft.testing import check_prefixes

G = "gemini/interactions"
Frame = dict[str, Any]
USAGE = {"total_input_tokens": 9, "total_output_tokens": 3, "total_thought_tokens": 20, "total_tokens": 32}


def begun(**members: Any) -> Frame:
    told = {"id": "v1_a", "status": "in_progress", "object": "interaction", "model": "gemini-x", **members}
    return {"event_type": "interaction.created", "interaction": told}


def ended(status: str = "completed", **members: Any) -> Frame:
    told = {"id": "v1_a", "status": status, "usage": USAGE, "object": "interaction", "model": "gemini-x", **members}
    return {"event_type": "interaction.completed", "interaction": told}


def step(at: int, type: str, *deltas: Frame, **members: Any) -> list[Frame]:
    """A step with its deltas."""
    return [
        {"event_type": "step.start", "index": at, "step": {"type": type, **members}},
        *({"event_type": "step.delta", "index": at, "delta": delta} for delta in deltas),
        {"event_type": "step.stop", "index": at},
    ]


def older(frames: list[Frame]) -> list[Frame]:
    """The same in the names of the first generation."""
    names = {"interaction.created": "interaction.start", "interaction.completed": "interaction.complete"}
    told: list[Frame] = []
    for frame in frames:
        kind = frame["event_type"]
        changed = dict(frame) | {"event_type": names.get(kind, kind.replace("step.", "content."))}
        if "step" in changed:
            begun = changed.pop("step")
            changed["content"] = begun | {"type": "text" if begun["type"] == "model_output" else begun["type"]}
        told.append(changed)
    return told


def said(words: str) -> Frame:
    return {"type": "text", "text": words}


THOUGHT = step(
    0, "thought", {"type": "thought_summary", "content": said("Hm.")}, {"type": "thought_signature", "signature": "s"}
)
ANSWER = step(1, "model_output", said("It "), said("is."))
FRAMES = [begun(), *THOUGHT, *ANSWER, ended()]


def gist(got: Message) -> Any:
    return (
        (got.id, got.model, got.outcome, got.finish, got.finish_raw),
        [(type(part).__name__, getattr(part, "text", ""), [s.value for s in part.signatures]) for part in got.blocks],
        got.usage and (got.usage.input_tokens, got.usage.output_tokens, got.usage.reasoning_tokens),
    )


TOLD = (
    ("v1_a", "gemini-x", "completed", "stop", "completed"),
    [("Reasoning", "Hm.", ["s"]), ("Text", "It is.", [])],
    (9, 23, 20),
)


@pytest.mark.parametrize("protocol", ["gemini", G])
@pytest.mark.parametrize("frames", [FRAMES, older(FRAMES)], ids=["steps", "contents"])
def test_both_generations_are_read(frames: list[Frame], protocol: str):
    got = message(sse(*frames, done=True), protocol)
    assert TOLD == gist(got)
    assert [] == got.notes


@pytest.mark.parametrize("list_", ["steps", "outputs"])
def test_a_whole_interaction_is_read(list_: str):
    steps = [
        {"type": "user_input", "content": [said("Is it?")]},
        {"type": "thought", "summary": [said("Hm.")], "signature": "s"},
        {"type": "model_output", "content": [said("It is.")]},
    ]
    got = message(json.dumps(ended()["interaction"] | {list_: steps}).encode(), "gemini")
    assert TOLD == gist(got)
    assert [] == got.notes


def test_parsed_events_are_read():
    assert TOLD == gist(message(FRAMES, "gemini"))


def call(*deltas: Frame, **members: Any) -> ToolCall:
    frames = [begun(), *step(0, "function_call", *deltas, **members), ended("requires_action")]
    got = message(sse(*frames), G)
    assert ("completed", "tool_calls", "requires_action") == (got.outcome, got.finish, got.finish_raw)
    return got.tool_calls[0]


def test_arguments_come_in_pieces():
    pieces = [{"type": "arguments_delta", "arguments": text} for text in ('{"a"', ": 1.0", "}")]
    only = call(*pieces, id="c1", name="f", arguments={})
    assert ("c1", "f", '{"a": 1.0}', True) == (only.id, only.name, only.raw, only.complete)


def test_arguments_come_at_once_with_a_delta():
    only = call({"type": "function_call", "id": "c1", "name": "f", "arguments": {"a": 1}}, id="c1")
    assert ("c1", "f", {"a": 1}, True) == (only.id, only.name, only.arguments, only.complete)


@pytest.mark.parametrize("args", [{}, {"a": [1]}])
def test_arguments_come_with_the_beginning(args: Frame):
    only = call(id="c1", name="f", arguments=args)
    assert (args, True) == (only.arguments, only.complete)


def test_arguments_are_handed_on_as_they_come():
    pieces = [{"type": "arguments_delta", "arguments": text} for text in ('{"a"', ":1}")]
    told = events(sse(begun(), *step(0, "function_call", *pieces, id="c1", name="f")), G)
    assert ['{"a"', ":1}"] == [event.text for event in told if isinstance(event, ArgsDelta)]


def test_tools_of_google_s_are_calls_and_results():
    asked = {"type": "google_search_call", "arguments": {"queries": ["x"]}}
    found = {"type": "google_search_result", "result": [{"url": "u"}], "is_error": False}
    got = message(
        sse(
            begun(),
            *step(0, "google_search_call", asked, id="g1", signature="a"),
            *step(1, "google_search_result", found, call_id="g1"),
            ended(),
        ),
        G,
    )
    ran, result = got.blocks
    assert isinstance(ran, ToolCall)
    assert isinstance(result, ToolResult)
    assert ("g1", "google_search", "provider", {"queries": ["x"]}) == (ran.id, ran.name, ran.executor, ran.arguments)
    assert ("g1", [{"url": "u"}], False) == (result.call_id, result.content, result.is_error)
    assert ("stop", ["a"]) == (got.finish, [signature.value for signature in ran.signatures])


def told(at: int, type: str, *deltas: Frame, **members: Any) -> Message:
    return message(sse(begun(), *step(at, type, *deltas, **members), ended()), G)


def test_a_result_of_which_only_the_call_is_told_is_still_a_result():
    got = told(0, "file_search_result", {"type": "file_search_result", "signature": "s"}, call_id="c1")
    (result,) = got.blocks
    assert isinstance(result, ToolResult)
    assert ("c1", "file_search", None, "s") == (
        result.call_id,
        result.name,
        result.content,
        result.signatures[0].value,
    )


def test_a_call_of_an_mcp_server_has_the_name_that_its_delta_brings():
    asked = {"type": "mcp_server_tool_call", "name": "echo", "server_name": "loud", "arguments": {"a": 1}}
    got = told(0, "mcp_server_tool_call", asked, id="m1")
    (only,) = got.tool_calls
    assert ("m1", "echo", {"a": 1}, "provider") == (only.id, only.name, only.arguments, only.executor)


def test_a_call_that_begins_without_an_id_gets_that_of_its_delta():
    asked = {"type": "google_search_call", "id": "g1", "arguments": {"queries": ["x"]}}
    assert "g1" == told(0, "google_search_call", asked).tool_calls[0].id


def test_a_call_that_never_gets_an_id_is_still_a_call():
    (only,) = told(0, "url_context_call").tool_calls
    assert ("url_context", True, True) == (only.name, only.made_id, only.complete)


def test_the_result_of_a_function_has_its_name():
    got = told(0, "function_result", call_id="c1", name="f", result="1", is_error=True)
    (result,) = got.blocks
    assert isinstance(result, ToolResult)
    assert ("f", "1", True) == (result.name, result.content, result.is_error)


def test_a_picture_in_a_thought_is_a_file():
    image = {"type": "image", "mime_type": "image/png", "data": "aGk="}
    got = told(0, "thought", {"type": "thought_summary", "content": image})
    assert ["aGk="] == [part.data for part in got.blocks if isinstance(part, FilePart)]


def test_output_that_failed_says_so_after_what_there_is_of_it():
    wrong = {"code": 13, "message": "Lost it."}
    got = told(0, "model_output", content=[said("So")], error=wrong)
    assert got.error is not None
    assert ("failed", "Lost it.", "So") == (got.outcome, got.error.message, got.text)


def test_the_usage_so_far_may_stand_in_the_metadata_of_a_delta():
    frames = [begun(), *map(dict, ANSWER), ended()]
    frames[2]["metadata"] = {"total_usage": USAGE | {"total_input_tokens": 8}}
    del frames[-1]["interaction"]["usage"]
    got = message(sse(*frames), G)
    assert got.usage is not None
    assert 8 == got.usage.input_tokens


def test_citations_are_in_characters():
    note = {"type": "url_citation", "start_index": 7, "end_index": 11, "url": "https://a.example", "title": "a"}
    got = message(
        sse(
            begun(),
            *step(
                0,
                "model_output",
                said("Größe."),
                said(" Ja!"),
                {"type": "text_annotation_delta", "annotations": [note | {"start_index": 9, "end_index": 12}]},
            ),
            ended(),
        ),
        G,
    )
    part = got.blocks[0]
    assert isinstance(part, Text)
    only = part.annotations[0]
    assert ("Ja!", "url_citation", "https://a.example") == (part.text[only.start : only.end], only.kind, only.url)


def test_media_are_files_in_their_place():
    image = {"type": "image", "mime_type": "image/png", "data": "aGk="}
    got = message(sse(begun(), *step(0, "model_output", said("A"), image, said("B")), ended()), G)
    assert ["Text", "FilePart", "Text"] == [type(part).__name__ for part in got.blocks]
    part = got.blocks[1]
    assert isinstance(part, FilePart)
    assert ("image/png", "aGk=") == (part.media_type, part.data)


@pytest.mark.parametrize(
    ("status", "outcome", "finish"),
    [
        ("completed", "completed", "stop"),
        ("incomplete", "incomplete", "length"),
        ("failed", "failed", "error"),
        ("cancelled", "incomplete", "other"),
        ("budget_exceeded", "incomplete", "length"),
        ("requires_continuation", "completed", "pause"),
    ],
)
def test_every_status_has_its_meaning(status: str, outcome: str, finish: str):
    got = message(sse(begun(), *ANSWER, ended(status, errors=[{"code": "x", "message": "Because."}])), G)
    assert (outcome, finish, status) == (got.outcome, got.finish, got.finish_raw)
    if outcome == "failed":
        assert got.error is not None
        assert ("Because.", "x") == (got.error.message, got.error.code)


def test_a_failed_interaction_tells_its_own_error():
    failure = {"code": "quota_exceeded", "message": "No more today."}
    got = message(sse(begun(), *ANSWER, ended("failed", error=failure)), G)
    assert got.error is not None
    assert ("failed", "billing", "quota_exceeded") == (got.outcome, got.error.type, got.error.code)


def test_an_error_event_keeps_what_came():
    wrong = {"event_type": "error", "error": {"code": "rate_limit_exceeded", "message": "Slow down."}}
    got = message(sse(begun(), *ANSWER[:-1], wrong), G)
    assert got.error is not None
    assert ("failed", "rate_limit", "It is.") == (got.outcome, got.error.type, got.text)


def test_an_interaction_without_its_end_is_truncated():
    assert "truncated" == message(sse(*FRAMES[:-1], done=True), G).outcome
    check_prefixes(G, sse(*FRAMES), rounds=60)


def test_what_nobody_has_named_is_carried():
    odd = [{"event_type": "interaction.mood", "mood": "fair"}, *step(7, "hologram", {"type": "hologram_delta"})]
    got = message(sse(begun(), *ANSWER, *odd, ended()), G)
    assert ("It is.", "completed") == (got.text, got.outcome)
    assert 3 == len(got.unknown)


def test_an_event_of_another_shape_harms_nothing():
    odd = [
        {"event_type": "step.start", "index": "x", "step": 5},
        {"event_type": 5},
        {
            "event_type": "step.delta",
            "delta": {"type": "text_annotation_delta", "annotations": [5, {"start_index": "a"}]},
        },
        {"event_type": "interaction.completed", "interaction": {"status": "failed", "errors": [5]}},
    ]
    got = message(sse(begun(), *odd), G)
    assert ("failed", [odd[1]]) == (got.outcome, [frame.raw for frame in got.unknown])


@pytest.mark.parametrize("odd", [None, 5, {"a": 1}])
@pytest.mark.parametrize("member", ["type", "signature", "summary", "annotations"])
def test_a_whole_interaction_outlives_one_member_of_another_shape(member: str, odd: Any):
    """A8"""
    thought: dict[str, Any] = {"type": "thought", "summary": [{"type": "text", "text": "Hm."}], member: odd}
    answer = {"type": "model_output", "content": [{"type": "text", "text": "It is."}]}
    whole = {"id": "i1", "object": "interaction", "status": "completed", "steps": [thought, answer]}
    got = message(json.dumps(whole).encode(), G)
    assert ("i1", "It is.", "completed") == (got.id, got.text, got.outcome)


# -- recorded interactions -----------------------------------------------------------------------------------------


def test_recorded_interactions_are_read(corpus: Any):
    finishes = {
        "completed": ("completed", {"stop"}),
        "requires_action": ("completed", {"tool_calls"}),
        "incomplete": ("incomplete", {"length"}),
    }
    with (CORPUS / "index.jsonl").open(encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["protocol"] == "gemini-interactions"]
    assert rows
    for row in rows:
        got = weft.collect(weft.read((CORPUS / row["file"]).read_bytes(), "gemini", strict=True))
        outcome, allowed = finishes[row["finish"][-1]]
        assert (outcome, row["finish"][-1]) == (got.outcome, got.finish_raw), row["id"]
        assert got.finish in allowed, row["id"]
        assert ([], []) == (got.notes, got.unknown), row["id"]
        assert got.usage is not None, row["id"]
        tags = row["features"]
        assert ("text" in tags) <= bool(got.text), row["id"]
        signed = [part for part in got.blocks if isinstance(part, Reasoning) and part.signatures]
        assert ("reasoning-signature" in tags) <= bool(signed), row["id"]
        assert ("tool-calls" in tags) == any(call.executor == "client" for call in got.tool_calls), row["id"]
