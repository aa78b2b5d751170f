"""Which chunk becomes which part: files by their type, calls in pieces, errors, cancellation, nothing at all."""

import asyncio
import concurrent.futures
import contextlib
import json
from base64 import b64encode

import pytest

import weft
from tests.conftest import CORPUS
from tests.encoders.rounds import fixtures, recorded
from tests.protocols.ai_sdk_parts import CALL, STEP, finish_step, pieces
from tests.vscode.parts import BROKE_OFF, EMPTY, FINISH, HI, Log, Progress, adapted, all_of, calls, stream, text
from weft.vscode import (
    LanguageModelDataPart,
    LanguageModelTextPart,
    LanguageModelThinkingPart,
    LanguageModelToolResultPart,
    from_json,
)

CALLED = {"type": "finish", "finishReason": "tool-calls"}
OLD_PIECES = [
    {"type": "tool-call-streaming-start", "toolCallId": "c", "toolName": "look"},
    {"type": "tool-call-delta", "toolCallId": "c", "toolName": "look", "argsTextDelta": '{"at":'},
    {"type": "tool-call-delta", "toolCallId": "c", "toolName": "look", "argsTextDelta": '"sky"}'},
]
NEW_PIECES = pieces('{"at":', '"sky"}')
both_versions = pytest.mark.parametrize("chunks", [OLD_PIECES, NEW_PIECES], ids=["4", "5 and later"])


# -- files ---------------------------------------------------------------------------------------------------------


def file(media_type: str, content: str | bytes) -> list:
    data = content.encode() if isinstance(content, str) else content
    return adapted({"type": "file", "file": {"mediaType": media_type, "base64": b64encode(data).decode()}}, FINISH)


@pytest.mark.parametrize(
    ("media_type", "content", "part"),
    [
        ("image/png", b"\x89PNG", LanguageModelDataPart.image(b"\x89PNG", "image/png")),
        ("image/svg+xml", "<svg/>", LanguageModelDataPart.image(b"<svg/>", "image/svg+xml")),
        ("application/json", '{"a": [1.5]}', LanguageModelDataPart.json({"a": [1.5]})),
        ("application/ld+json", "[1]", LanguageModelDataPart.json([1], "application/ld+json")),
        ("application/json", "null", LanguageModelDataPart.json(None)),
        ("text/plain", "a\nü", LanguageModelDataPart.text("a\nü")),
        ("application/xml", "<a/>", LanguageModelDataPart.text("<a/>", "application/xml")),
        ("application/atom+xml", "<a/>", LanguageModelDataPart.text("<a/>", "application/atom+xml")),
        ("application/pdf", b"\x00\xff", LanguageModelDataPart(b"\x00\xff", "application/pdf")),
        ("text/plain", b"\xff", LanguageModelDataPart(b"\xff", "text/plain")),
    ],
)
def test_a_file_is_a_data_part_of_its_type(media_type, content, part):
    assert [part] == file(media_type, content)


@pytest.mark.parametrize(
    "media_type",
    ["text/plain; charset=utf-8", "application/x_foo", "x-world/x-3dmf", "audio/L16; rate=24000"],
)
def test_types_with_parameters_and_odd_names_are_taken(media_type):
    """Requirements 3.5.4: parameters, underscores, digits and hyphens were refused."""
    assert [LanguageModelDataPart(b"abc", media_type)] == file(media_type, "abc")


def test_json_that_is_none_stays_the_bytes_it_is():
    """Requirements 3.5.4: it became bytes in one version, and nothing in another."""
    assert [LanguageModelDataPart(b"{", "application/json")] == file("application/json", "{")


def test_what_is_no_media_type_is_no_part_and_a_warning():
    log = Log()
    chunk = {"type": "file", "file": {"mediaType": "cache_control", "base64": "aGk="}}
    assert [] == adapted(chunk, FINISH, logger=log)
    assert ["block 0: lost file (1): a data part needs the file's content and its media type"] == log.at("warning")


@pytest.mark.parametrize(("data", "parts"), [("_-8", [b"\xff\xef"]), ("a*b", [])])
def test_base64_in_either_alphabet(data, parts):
    log = Log()
    chunk = {"type": "file", "file": {"mediaType": "audio/wav", "base64": data}}
    assert parts == [part.data for part in adapted(chunk, FINISH, logger=log)]
    assert (0 if parts else 1) == len(log.at("warning"))


def test_a_reply_that_is_a_file_alone_is_a_reply():
    """Requirements 3.5.5."""
    assert EMPTY not in file("image/png", b"x")


# -- thinking ------------------------------------------------------------------------------------------------------


def test_thinking_keeps_its_item_and_its_state():
    """Requirements 3.5.6: starts, ends and metadata were dropped, and with them what the next turn needs."""
    item = {"openai": {"itemId": "rs_1"}}
    state = {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "e"}}
    parts = adapted(
        {"type": "reasoning-start", "id": "0", "providerMetadata": item},
        {"type": "reasoning-delta", "id": "0", "text": "Hm."},
        {"type": "reasoning-end", "id": "0", "providerMetadata": state},
        FINISH,
    )
    origin = {"protocol": "openai-responses", "provider": "openai", "item": "rs_1"}
    assert [
        LanguageModelThinkingPart("Hm.", "rs_1"),
        LanguageModelThinkingPart("", "rs_1", {"redactedData": "e", "origin": origin}),
    ] == parts


# -- calls ---------------------------------------------------------------------------------------------------------


@both_versions
def test_a_call_in_pieces_is_said_once_when_it_comes_whole(chunks):
    assert [("c", "look", {"at": "sky"})] == calls(adapted(*chunks, CALL, CALLED))


@both_versions
def test_a_call_in_pieces_alone_is_flushed_at_the_finish(chunks):
    assert [("c", "look", {"at": "sky"})] == calls(adapted(*chunks, CALLED))


@both_versions
def test_calls_are_flushed_in_the_order_in_which_they_began(chunks):
    others = [json.loads(json.dumps(chunk).replace('"c"', '"d"')) for chunk in chunks]
    mixed = [each for pair in zip(chunks, others, strict=True) for each in pair]
    assert ["c", "d"] == [id for id, _, _ in calls(adapted(*mixed, CALLED))]


@both_versions
@pytest.mark.parametrize("end", [{"type": "abort"}, {"type": "finish", "finishReason": "length"}])
def test_a_call_in_pieces_is_cleared_when_the_run_did_not_end_well(chunks, end):
    log = Log()
    assert [] == adapted(*chunks, end, logger=log)
    (warning,) = log.at("warning")
    assert "a call that was cut off would be executed, so it is left out" in warning


@both_versions
def test_a_call_in_pieces_without_a_finish_is_not_executed_and_not_lost_in_silence(chunks):
    """Requirements 3.5.3: it was gone without a word."""
    log = Log()
    assert [BROKE_OFF] == adapted(*chunks, logger=log)
    assert ["tool_call"] == [text.split()[3] for text in log.at("warning")]


def test_pieces_that_are_no_json_are_never_executed():
    """Requirements 3.5.3: the call was dropped without a word, or executed with `{}`."""
    log = Log()
    assert [] == adapted(*pieces('{"at":'), CALLED, logger=log)
    assert ["tool_call"] == [text.split()[3] for text in log.at("warning")]


@pytest.mark.parametrize("input", [None, {}, "", "{}"])
def test_a_call_without_input_has_an_empty_object(input):
    """Requirements 3.5.3: its input was undefined."""
    chunk = {"type": "tool-call", "toolCallId": "c", "toolName": "now", "input": input}
    assert [("c", "now", {})] == calls(adapted(chunk, FINISH))
    assert [("c", "now", {})] == calls(adapted({name: chunk[name] for name in chunk if name != "input"}, FINISH))


def test_a_call_said_twice_is_one():
    assert 1 == len(calls(adapted(CALL, CALL, CALLED)))


def test_a_call_comes_at_once_and_not_with_the_finish():
    parts = weft.VSCodeStreamAdapter().adapt_stream_sync(iter([*NEW_PIECES, CALL, HI, FINISH]))
    assert [("c", "look", {"at": "sky"})] == calls([next(parts)])


def test_text_does_not_wait_for_a_call_that_is_never_finished():
    parts = weft.VSCodeStreamAdapter(logger=Log()).adapt_stream_sync(iter([*pieces('{"at":'), HI, FINISH]))
    assert text("Hi") == [next(parts)]


def test_a_call_that_the_provider_runs_is_not_for_the_host():
    log = Log()
    assert text("Hi") == adapted({**CALL, "providerExecuted": True}, HI, FINISH, logger=log)
    assert 1 == len(log.at("warning"))


# -- errors, cancellation, nothing ---------------------------------------------------------------------------------

ERROR = {"type": "error", "error": {"message": "No route."}}


def test_an_error_is_a_text_once_even_if_an_exception_follows():
    """Requirements 3.5.5: both were printed."""
    assert text("Hi", "\n\n**Error:** No route.\n\n") == adapted(HI, ERROR, ConnectionError("10.0.0.1"))
    assert text("\n\n**Error:** No route.\n\n") == adapted(ERROR, ERROR, {"type": "finish", "finishReason": "error"})


def test_an_exception_of_the_stream_is_a_text_without_our_insides():
    (part,) = adapted(ConnectionError("10.0.0.1"))
    assert part.value.startswith("\n\n**Error:** ")
    assert "10.0.0.1" not in part.value


TRIED = json.dumps(
    {
        "error": {"message": "All providers failed", "type": "invalid_request_error"},
        "providerMetadata": {
            "gateway": {
                "routing": {
                    "attempts": [
                        {"provider": "anthropic", "error": "prompt is too long: 200001 tokens > 200000 maximum"},
                        {"provider": "vertex", "error": "no"},
                    ]
                }
            }
        },
    }
)
"""Vercel's gateway: what the providers said that it tried (requirements 1.5.3)."""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ({"message": "undefined: Busy."}, "Busy."),
        ({"statusCode": 400, "responseBody": '{"error":{"message":"Too long."}}'}, "Too long."),
        ({"message": "Bad Request", "responseBody": TRIED}, "prompt is too long: 200001 tokens > 200000 maximum"),
        ("Plain words.", "Plain words."),
    ],
)
def test_the_text_of_an_error(error, message):
    assert text(f"\n\n**Error:** {message}\n\n") == adapted({"type": "error", "error": error})


def test_what_the_gateways_providers_said_is_what_the_error_means():
    heard: list = []
    adapted({"type": "error", "error": {"message": "Bad Request", "responseBody": TRIED}}, on_error=heard.append)
    assert [("context_length", False)] == [(error.type, error.retryable) for error in heard]


def test_a_failure_can_be_heard_of_as_a_failure():
    """Requirements 3.5.5: to VS Code an error text is an answer; who wants the request to fail raises."""
    heard: list = []
    adapted(HI, ERROR, FINISH, on_error=heard.append)
    adapted(HI, {"type": "abort"}, on_error=heard.append)
    adapted(HI, FINISH, on_error=heard.append)
    assert ["No route."] == [error.message for error in heard]

    def fails(error):
        raise RuntimeError(error.message)

    progress, adapter = Progress(), weft.VSCodeStreamAdapter(on_error=fails)
    with pytest.raises(RuntimeError, match="No route"):
        asyncio.run(adapter.process_stream(stream(ERROR), progress))
    assert text("\n\n**Error:** No route.\n\n") == progress.parts


@pytest.mark.parametrize(
    "end",
    [
        {"type": "abort"},
        {"type": "error", "error": {"name": "AbortError", "message": "This operation was aborted"}},
        concurrent.futures.CancelledError(),
    ],
    ids=lambda end: type(end).__name__,
)
def test_a_cancelled_stream_has_no_error_text(end):
    assert text("Hi") == adapted(HI, end)
    assert [] == adapted(end)


def test_nothing_at_all_is_said_so_once():
    assert [EMPTY] == adapted()
    assert [EMPTY] == adapted({"type": "start"}, STEP, finish_step(), FINISH)


def test_an_answer_that_ends_with_its_length_is_no_error():
    assert text("Hi") == adapted(HI, {"type": "finish", "finishReason": "length"})


def test_cancelling_the_task_closes_the_source():
    """Cancellation passes, and reaches the source at once."""
    closed: list[str] = []

    async def chunks():
        try:
            yield HI
            await asyncio.Event().wait()
        finally:
            closed.append("source")

    async def run():
        reported = asyncio.Event()

        class Host(Progress):
            def report(self, part):
                reported.set()

        adapter = weft.VSCodeStreamAdapter()
        task = asyncio.create_task(adapter.process_stream(chunks(), Host()))
        await reported.wait()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return task.cancelled(), adapter.get_usage().input_tokens

    assert ((True, None), ["source"]) == (asyncio.run(run()), closed)


def test_leaving_the_parts_closes_the_source():
    closed: list[str] = []

    async def chunks():
        try:
            yield HI
            yield HI
        finally:
            closed.append("source")

    async def run():
        parts = weft.VSCodeStreamAdapter().adapt_stream(chunks())
        await anext(parts)
        await parts.aclose()

    asyncio.run(run())
    assert ["source"] == closed


def test_a_host_that_raises_is_heard_and_the_source_is_closed():
    closed: list[str] = []

    async def chunks():
        try:
            yield HI
            yield HI
        finally:
            closed.append("source")

    class Host:
        def report(self, part):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        asyncio.run(weft.VSCodeStreamAdapter().process_stream(chunks(), Host()))
    assert ["source"] == closed


# -- the target's lines --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "ai-sdk"])
def test_every_fixture_is_what_the_target_writes(source):
    for path in fixtures(source):
        data = path.read_bytes()
        parts = all_of(weft.VSCodeStreamAdapter(logger=Log()).adapt_stream([data], protocol=source))
        lines = weft.convert(data, source, "vscode").splitlines()
        assert parts in ([from_json(line) for line in lines], [EMPTY]), path.name
        assert bool(parts) or not weft.collect(weft.read(data, source)).text, path.name


@pytest.mark.parametrize("source", ["openai-chat", "anthropic", "gemini", "openai-responses"])
def test_recorded_streams_are_what_the_target_writes(corpus, source):
    for row in recorded(source, 25):
        data = (CORPUS / row["file"]).read_bytes()
        parts = all_of(weft.VSCodeStreamAdapter(logger=Log()).adapt_stream([data], protocol=source))
        lines = weft.convert(data, source, "vscode").splitlines()
        assert parts in ([from_json(line) for line in lines], [EMPTY]), row["file"]


@pytest.mark.parametrize("line", [b"", b"{}", b'{"type":"LanguageModelTextPart"}', b'{"type":"other","value":"x"}'])
def test_a_line_that_is_no_part_is_refused(line):
    with pytest.raises(ValueError):
        from_json(line)


def test_parts_are_made_as_vs_codes_own():
    assert (b'{"a":1}', "application/json") == (
        (part := LanguageModelDataPart.json({"a": 1})).data,
        part.mimeType,
    )
    assert (b"a", "text/plain") == ((part := LanguageModelDataPart.text("a")).data, part.mimeType)
    assert ("c", [LanguageModelTextPart("x")]) == (
        (part := LanguageModelToolResultPart("c", [LanguageModelTextPart("x")])).callId,
        part.content,
    )
