"""The AI SDK's UI message stream: calls and their results, sources, files, and state that goes back (atlas 3.6.3, A.6, 4.2)."""

import json

import pytest

import weft
from tests.encoders.rounds import read
from tests.encoders.test_totality import encode
from tests.encoders.told import (
    CALLED,
    CLAUDE,
    CUT,
    GEMINI,
    LENGTH,
    STOP,
    block,
    call,
    result,
    text,
    told,
)
from tests.encoders.ui import TARGET, inner, types
from weft import events as ev

OWN = ev.Origin(TARGET)
VERSIONS = ("v5", "v6", "v7", "v7-latest")


# -- calls ---------------------------------------------------------------------------------------------------------


def test_a_whole_call_is_one_chunk():
    """A.8: tool-input-available alone is fine."""
    chunks, _ = told(TARGET, call(0, '{"a":1}', arrival="whole"), CALLED)
    assert ["tool-input-available"] == types(inner(chunks))


def test_parallel_calls_are_told_apart():
    first = [ev.BlockStart(0, "tool_call", id="a", name="f"), ev.ArgsDelta(0, '{"n":')]
    second = [ev.BlockStart(1, "tool_call", id="b", name="g"), ev.ArgsDelta(1, '{"n":2}')]
    rest = [ev.ArgsDelta(0, "1}"), ev.BlockEnd(1, True), ev.BlockEnd(0, True)]
    chunks, lost = told(TARGET, first, second, rest, CALLED)
    assert {"a": {"n": 1}, "b": {"n": 2}} == {c["toolCallId"]: c["input"] for c in inner(chunks) if "input" in c}
    assert [] == lost


def test_an_input_is_the_sources_own_text_in_one_line():
    out, _ = encode(TARGET, [ev.Start("r"), *call(0, '{"a":\n1.0,"b":"\u2028",\r"n":12345678901234567890123}'), CALLED])
    assert b'"input":{"a": 1.0,"b":"\\u2028", "n":12345678901234567890123}' in out


@pytest.mark.parametrize("args", ["", '{"a":', "[1]", '{"a":1}'])
def test_a_call_that_is_not_complete_is_an_invalid_one(args):
    """J3: no spinner for ever; it is not executed."""
    chunks, lost = told(TARGET, call(0, args, complete=False), CUT)
    [invalid] = [chunk for chunk in chunks[:-1] if chunk["type"] == "tool-input-error"]
    assert ("c0", "look", json.loads(args) if args == '{"a":1}' else args) == (
        invalid["toolCallId"],
        invalid["toolName"],
        invalid["input"],
    )
    assert "tool-input-available" not in types(chunks)
    assert ["error_detail"] == lost


def test_version_5_knows_no_invalid_calls_so_it_is_one_that_failed():
    for arrival in ("delta", "whole"):
        chunks, _ = told(TARGET, call(0, "{", complete=False, arrival=arrival), LENGTH, profile="v5")
        assert ["tool-input-start", "tool-output-error"] == [
            name for name in types(inner(chunks)) if "delta" not in name
        ]


def test_an_invalid_call_says_its_sources_reason_once():
    chunks, _ = told(TARGET, call(0, "{", complete=False), result(1, "c0", "a is missing", is_error=True), STOP)
    assert [("tool-input-error", "a is missing")] == [
        (c["type"], c["errorText"]) for c in inner(chunks) if "errorText" in c
    ]


def test_an_invalid_call_waits_for_its_reason_no_longer_than_its_read():
    pipe = weft.Pipe("events", TARGET)
    for event in [ev.Start("r"), *call(0, "{", complete=False)]:
        out = pipe.feed(weft.to_json(event) + b"\n")
    assert b"tool-input-error" in out


def test_what_comes_after_an_invalid_call_stands_after_it():
    chunks, _ = told(TARGET, call(0, "{", complete=False), text(1, "Oh."), STOP)
    assert "tool-input-error" == types(inner(chunks))[2]


def test_two_calls_of_one_id_stay_two():
    chunks, lost = told(TARGET, call(0, "{}", id="x"), call(1, '{"b":1}', id="x"), CALLED)
    assert [("x", {}), ("x-1", {"b": 1})] == [(c["toolCallId"], c["input"]) for c in inner(chunks) if "input" in c]
    assert ["tool_call_id"] == lost


def test_a_tool_that_the_provider_runs_says_so():
    chunks, lost = told(
        TARGET, call(0, "{}", executor="provider", arrival="whole"), result(1, "c0", ["sun"], executor="provider"), STOP
    )
    assert ["tool-input-start", "tool-input-delta", "tool-input-available", "tool-output-available"] == types(
        inner(chunks)
    )
    assert [True, None, True, True] == [chunk.get("providerExecuted") for chunk in inner(chunks)]
    assert [] == lost


@pytest.mark.parametrize(
    ("profile", "start", "lost"), [("v7-latest", "text", []), ("v7", None, ["args_invalid", "tool_kind"])]
)
def test_the_free_text_of_a_custom_tool(profile, start, lost):
    chunks, losses = told(TARGET, call(0, "ls ", "-l", tool="custom"), CALLED, profile=profile)
    said = inner(chunks)
    assert (start, "ls -l", lost) == (said[0].get("inputEncoding"), said[-1]["input"], losses)


# -- results -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "is_error", "chunk", "lost"),
    [
        ("sun", False, {"type": "tool-output-available", "output": "sun"}, []),
        (None, False, {"type": "tool-output-available", "output": None}, []),
        ("no sky", True, {"type": "tool-output-error", "errorText": "no sky"}, []),
        ({"code": 7}, True, {"type": "tool-output-error", "errorText": '{"code":7}'}, ["error_detail"]),
        ({"type": "execution-denied"}, True, {"type": "tool-output-denied"}, []),
    ],
)
def test_results(content, is_error, chunk, lost):
    chunks, said_lost = told(TARGET, call(0, "{}"), result(1, "c0", content, is_error=is_error), STOP)
    assert {**chunk, "toolCallId": "c0"} == inner(chunks)[-1]
    assert lost == said_lost


def test_a_first_look_at_a_result_is_preliminary():
    looks = block(1, "tool_result", ev.Result(1, "c0", "half"), ev.Result(1, "c0", "all"), id="c0")
    chunks, lost = told(TARGET, call(0, "{}"), looks, STOP)
    assert [("half", True), ("all", None)] == [
        (c["output"], c.get("preliminary")) for c in inner(chunks) if "output" in c
    ]
    assert [] == lost
    _, lost = told(TARGET, call(0, "{}"), looks, STOP, profile="v5")
    assert ["tool_result"] == lost


def test_a_result_without_its_call_is_left_out_and_reported():
    """A.6: a result of an unknown call is an error."""
    chunks, lost = told(TARGET, result(0, "c9", "sun"), STOP)
    assert ([], ["tool_result"]) == (inner(chunks), lost)


# -- sources, files, state and chunks of the SDK's own -------------------------------------------------------------


def test_sources():
    """A.8: a document without a title is an error."""
    own = {"type": "source-url", "sourceId": "s9", "url": "https://b", "providerMetadata": {"x": {"y": 1}}}
    document = {
        "type": "source-document",
        "sourceId": "s8",
        "mediaType": "text/plain",
        "title": "T",
        "filename": "t.txt",
    }
    chunks, lost = told(
        TARGET,
        block(
            0,
            "text",
            ev.TextDelta(0, "a"),
            ev.Annotation(0, "url_citation", url="https://a", title="A"),
            ev.Annotation(0, "source-url", url="https://b", raw=own),
            ev.Annotation(0, "source-document", title="T", raw=document),
        ),
        STOP,
    )
    assert [{"type": "source-url", "sourceId": "source-0", "url": "https://a", "title": "A"}, own, document] == [
        chunk for chunk in inner(chunks) if "sourceId" in chunk
    ]
    assert [] == lost


def test_where_a_citation_stands_and_what_has_no_url_is_reported():
    notes = [ev.Annotation(0, "c", 0, 3, "https://a"), ev.Annotation(0, "file_citation", title="T")]
    _, lost = told(TARGET, block(0, "text", ev.TextDelta(0, "a"), *notes), STOP)
    assert ["annotation", "annotation_offsets"] == lost


def test_files():
    chunks, lost = told(
        TARGET,
        block(0, "file", ev.File(0, "image/png", "aGk="), ev.File(0, None, "aGk=")),
        block(1, "file", ev.File(1, None, None, "https://a/b")),
        block(2, "file", ev.File(2, "image/png", "aGk="), channel="reasoning"),
        STOP,
    )
    assert [
        {"type": "file", "url": "data:image/png;base64,aGk=aGk=", "mediaType": "image/png"},
        {"type": "file", "url": "https://a/b", "mediaType": "application/octet-stream"},
        {"type": "reasoning-file", "url": "data:image/png;base64,aGk=", "mediaType": "image/png"},
    ] == inner(chunks)
    assert [] == lost


def test_files_that_cannot_be_said_are_reported():
    _, lost = told(
        TARGET,
        block(0, "file", ev.File(0, "image/png", "aGk=", partial=True)),
        block(1, "file", ev.File(1, "image/png", file_id="f1")),
        STOP,
    )
    assert ["file", "file_partial"] == lost
    chunks, lost = told(
        TARGET, block(0, "file", ev.File(0, "image/png", "aGk="), channel="reasoning"), STOP, profile="v6"
    )
    assert (["file"], ["channel"]) == (types(inner(chunks)), lost)


STATES = [
    (ev.Signature(0, "s", CLAUDE), {"anthropic": {"signature": "s"}}),
    (ev.Signature(0, "s", CLAUDE, encrypted=True), {"anthropic": {"redactedData": "s"}}),
    (ev.Signature(0, "s", GEMINI), {"google": {"thoughtSignature": "s"}}),
    (
        ev.Signature(0, "s", ev.Origin("openai-responses", item="rs_1"), encrypted=True),
        {"openai": {"reasoningEncryptedContent": "s", "itemId": "rs_1"}},
    ),
    (ev.Signature(0, "s", ev.Origin("bedrock")), {"bedrock": {"signature": "s"}}),
]


@pytest.mark.parametrize(("state", "metadata"), STATES)
def test_state_stands_where_its_provider_looks_for_it(state, metadata):
    """Atlas 4.2."""
    chunks, lost = told(TARGET, block(0, "reasoning", state), STOP)
    assert ["reasoning-start", "reasoning-end"] == types(inner(chunks))
    assert (metadata, []) == (inner(chunks)[-1]["providerMetadata"], lost)


@pytest.mark.parametrize("kind", ["text", "reasoning", "tool_call", "file"])
def test_state_of_any_block_and_origin_comes_back(kind):
    state = ev.Signature(0, "opaque", ev.Origin("openai-chat", "router", "m", "i"), None, "f", encrypted=True)
    content = {"tool_call": ev.ArgsDelta(0, "{}"), "file": ev.File(0, "image/png", "aGk=")}.get(kind)
    named = {"id": "c0", "name": "look"} if kind == "tool_call" else {}
    out, losses = encode(
        TARGET, [ev.Start("r"), *block(0, kind, *([content] if content else []), state, **named), STOP]
    )
    [part] = read(out, TARGET).blocks
    assert [state] == part.signatures
    assert [] == losses.report()


def test_the_sdks_own_metadata_stay_as_they_are():
    metadata = {"openai": {"itemId": "i", "phase": "x"}}
    said = [ev.TextDelta(0, "a"), ev.Signature(0, "s", ev.Origin("openai-responses")), ev.Opaque(0, metadata, OWN)]
    chunks, _ = told(TARGET, block(0, "text", *said), STOP)
    assert metadata == inner(chunks)[-1]["providerMetadata"]


@pytest.mark.parametrize(
    ("kind", "known"),
    [
        ("data-weather", VERSIONS),
        ("custom", ("v7", "v7-latest")),
        ("tool-approval-request", ("v6", "v7", "v7-latest")),
        ("reset-step", ("v7-latest",)),
        ("made-up", ()),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_chunks_of_its_own_go_to_the_versions_that_know_them(kind, known, version):
    """A.8: an unknown chunk ends the stream."""
    chunk = {"type": kind, "data": {"a": 1}}
    chunks, lost = told(TARGET, text(0, "a"), block(1, "opaque", ev.Opaque(1, chunk, OWN)), STOP, profile=version)
    assert (version in known) == (chunk in chunks) == (lost == [])


def test_another_protocols_items_are_reported():
    chunks, lost = told(TARGET, block(0, "opaque", ev.Opaque(0, {"type": "data-x"}, CLAUDE)), STOP)
    assert (["start", "finish", "[DONE]"], ["opaque"]) == (types(chunks), lost)


def test_metadata_of_an_app_stay_its_own():
    chunks, lost = told(TARGET, ev.Meta("message_metadata", {"a": 1}), ev.Usage(1), STOP)
    assert {"type": "message-metadata", "messageMetadata": {"a": 1}} == chunks[1]
    assert ({"type": "finish", "finishReason": "stop"}, []) == (chunks[-2], lost)
