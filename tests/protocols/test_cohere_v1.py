"""What is left of version 1 of Cohere's chat."""

import json

import pytest

from weft.testing import check_protocol
from weft.testing.laws import check_whole_reply

from .wire import end, events, message, ndjson

START = {"is_finished": False, "event_type": "stream-start", "generation_id": "g1"}
META = {"tokens": {"input_tokens": 70, "output_tokens": 9}, "billed_units": {"input_tokens": 3, "output_tokens": 4}}
CITED = {"start": 0, "end": 4, "text": "Blue", "document_ids": ["doc_0"]}
CALLS = [{"name": "look", "parameters": {"at": "sky"}}]
REPLY = {"response_id": "r1", "generation_id": "g1", "text": "Blue sky.", "finish_reason": "COMPLETE", "meta": META}


def text(piece):
    return {"is_finished": False, "event_type": "text-generation", "text": piece}


def ended(finish="COMPLETE", **more):
    return {"is_finished": True, "event_type": "stream-end", "finish_reason": finish, "response": {**REPLY, **more}}


SPOKEN = [START, text("Blue"), text(" sky."), ended()]


@pytest.mark.parametrize("name", ["cohere", "cohere/v1"])
def test_text_is_not_said_again_at_the_end(name):
    got = message(ndjson(*SPOKEN), name)
    assert ("g1", "Blue sky.", "completed", "stop") == (got.id, got.text, got.outcome, got.finish)
    assert (70, 9) == (got.usage.input_tokens, got.usage.output_tokens)


def test_text_that_only_the_end_has():
    assert "Blue sky." == message(ndjson(START, ended()), "cohere").text


def test_citations_and_search():
    found = {
        "event_type": "search-results",
        "search_results": [{"search_query": {"text": "sky"}}],
        "documents": [{"id": "doc_0"}],
    }
    cited = {"event_type": "citation-generation", "citations": [CITED]}
    got = message(ndjson(START, found, text("Blue sky."), cited, ended(citations=[CITED])), "cohere")
    assert [(0, 4, "Blue")] == [(note.start, note.end, note.text) for note in got.blocks[0].annotations]
    assert [{"id": "doc_0"}] == got.meta["documents"]


def test_calls_come_whole():
    got = message(
        ndjson(START, {"event_type": "tool-calls-generation", "tool_calls": CALLS}, ended(tool_calls=CALLS, text="")),
        "cohere",
    )
    assert [("look", '{"at": "sky"}', True)] == [(c.name, c.raw, c.complete) for c in got.tool_calls]
    assert "tool_calls" == got.finish


def test_calls_in_pieces_are_not_said_again():
    def piece(**delta):
        return {"event_type": "tool-calls-chunk", "tool_call_delta": delta}

    got = message(
        ndjson(
            START,
            piece(text="I will look."),
            piece(index=0, name="look"),
            piece(index=0, parameters='{"at":'),
            piece(index=0, parameters=' "sky"}'),
            {"event_type": "tool-calls-generation", "tool_calls": CALLS},
            ended(tool_calls=CALLS, text=""),
        ),
        "cohere",
    )
    assert ("I will look.", [{"at": "sky"}]) == (got.reasoning, [c.arguments for c in got.tool_calls])


@pytest.mark.parametrize(
    ("finish", "outcome", "kind"),
    [
        ("MAX_TOKENS", "incomplete", None),
        ("ERROR", "failed", "server"),
        ("ERROR_TOXIC", "incomplete", "content_blocked"),
        ("ERROR_LIMIT", "failed", "context_length"),
        ("USER_CANCEL", "completed", None),
    ],
)
def test_finish_reasons(finish, outcome, kind):
    got = end(ndjson(START, text("x"), ended(finish)), "cohere")
    assert (outcome, kind) == (got.outcome, got.error.type if got.error else None)


def test_stream_without_its_end_is_truncated():
    assert "truncated" == end(ndjson(*SPOKEN[:-1]), "cohere").outcome


@pytest.mark.parametrize(("parameters", "arguments"), [(None, {}), ('{"a": 1}', {"a": 1}), ([], None)])
def test_parameters_that_are_no_object(parameters, arguments):
    """A6, A7, A8"""
    calls = {"event_type": "tool-calls-generation", "tool_calls": [{"name": "look", "parameters": parameters}]}
    [got] = message(ndjson(START, calls, ended()), "cohere").tool_calls
    assert (arguments, arguments is not None) == (got.arguments, got.complete)


def test_strict_mode_knows_its_members():
    assert "completed" == end(ndjson(*SPOKEN), "cohere", strict=True).outcome
    assert "completed" == end(json.dumps({**REPLY, "chat_history": []}).encode(), "cohere", strict=True).outcome


def test_event_of_tomorrow_is_carried():
    got = events(ndjson(START, {"event_type": "mood"}, *SPOKEN[1:]), "cohere")
    assert ["unknown"] == [event.type for event in got if event.type == "unknown"]


def test_whole_reply_is_the_stream():
    check_whole_reply("cohere", ndjson(*SPOKEN), json.dumps(REPLY).encode())


def test_laws_hold():
    assert 2 == check_protocol("cohere", [ndjson(*SPOKEN), json.dumps(REPLY).encode()], rounds=25)
