"""Seed 004's adapter: its options, process_stream, adapt_stream and get_usage, and what belongs to one stream alone."""

import asyncio
import logging

import pytest

import weft
from tests.protocols.ai_sdk_parts import CALL, STEP, every_version, finish_step, pieces
from tests.vscode.parts import BROKE_OFF, EMPTY, FINISH, HI, Log, Progress, adapted, all_of, calls, stream, text
from weft.vscode import LanguageModelTextPart, LanguageModelThinkingPart, LanguageModelToolCallPart, StreamUsage

NOTHING = StreamUsage(None, None)
THOUGHT = {"type": "reasoning-delta", "id": "0", "text": "Hm."}


@every_version
def test_every_version_of_the_sdk_gives_the_same_parts(parts):
    """Requirements 3.5.2: the names of one version were read, and another was shipped."""
    progress, adapter = Progress(), weft.VSCodeStreamAdapter()
    usage = asyncio.run(adapter.process_stream(stream(*parts), progress))
    assert [
        LanguageModelThinkingPart("Hm"),
        LanguageModelTextPart("Hi"),
        LanguageModelToolCallPart("c", "look", {"at": "sky"}),
    ] == progress.parts
    assert StreamUsage(1, 2) == usage == adapter.get_usage()


@every_version
def test_adapting_gives_what_processing_reports(parts):
    adapter, progress = weft.VSCodeStreamAdapter(), Progress()
    adapter.process_stream_sync(parts, progress)
    assert progress.parts == all_of(adapter.adapt_stream(stream(*parts)))
    assert progress.parts == all_of(adapter.adapt_stream(parts))
    assert progress.parts == list(adapter.adapt_stream_sync(parts))


def test_parts_come_as_they_become_known():
    def chunks():
        yield HI
        asked.append("more")
        yield {**HI, "text": " there"}
        yield FINISH

    asked: list[str] = []
    parts = weft.VSCodeStreamAdapter().adapt_stream_sync(chunks())
    assert (LanguageModelTextPart("Hi"), []) == (next(parts), asked)
    assert text(" there") == list(parts)


def test_chunks_may_be_objects():
    class Chunk:
        def __init__(self, **members):
            self.__dict__ = members

    assert text("Hi") == adapted(Chunk(type="text-delta", id="0", text="Hi"), Chunk(**FINISH))


@pytest.mark.parametrize("value", ["", None])
def test_an_empty_delta_is_no_part(value):
    assert text("Hi") == adapted({**HI, "text": value}, HI, FINISH)


# -- options -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"enable_reasoning": False}, {"thinking_available": False}])
def test_thinking_is_skipped_where_it_is_off_or_there_is_no_such_part(options):
    """The RFC's open question. It is never text instead, and a reply that is thinking alone is no missing reply (3.5.5)."""
    assert text("Hi") == adapted(THOUGHT, HI, FINISH, **options)
    assert [] == adapted(THOUGHT, FINISH, **options)
    assert [LanguageModelThinkingPart("Hm.")] == adapted(THOUGHT, FINISH)


UNKNOWN = [{"type": "brand-new", "x": [1]}, {"type": "data-weather", "data": 1}, {"no": "type"}, {}, None, 5, []]


def test_an_unknown_chunk_goes_to_the_callback_once_as_it_is():
    heard: list = []
    assert text("Hi") == adapted(*UNKNOWN, HI, FINISH, on_unknown_chunk=heard.append)
    assert len(UNKNOWN) == len(heard)
    assert all(chunk is told for chunk, told in zip(UNKNOWN, heard, strict=True))


def test_an_unknown_chunk_is_never_a_part():
    """The first version of the seed's system said a space for each: fifty thousand of them in one answer."""
    assert [EMPTY] == adapted(*[{"type": "brand-new"}] * 1000, FINISH, logger=Log())


def test_known_chunks_without_a_part_are_not_unknown():
    heard: list = []
    known = [
        {"type": "start"},
        STEP,
        {"type": "text-start", "id": "0"},
        {"type": "reasoning-start", "id": "r"},
        {"type": "source", "sourceType": "url", "id": "s", "url": "https://a.example"},
        {"type": "tool-result", "toolCallId": "x", "toolName": "look", "output": 1},
        {"type": "raw", "rawValue": {}},
        {"type": "ping"},
        finish_step(),
    ]
    adapted(*known, FINISH, on_unknown_chunk=heard.append)
    assert [] == heard


def test_a_callback_that_raises_costs_the_stream_nothing():
    """It is there to look, not to judge: what it raises is logged, and the answer goes on."""

    def raises(chunk):
        raise ValueError(chunk["type"])

    log = Log()
    assert text("Hi") == adapted({"type": "a"}, {"type": "b"}, HI, FINISH, on_unknown_chunk=raises, logger=log)
    assert ["on_unknown_chunk raised ValueError('a')", "on_unknown_chunk raised ValueError('b')"] == log.at("error")


def test_the_first_unknown_chunk_of_its_kind_is_a_warning():
    log = Log()
    adapted({"type": "a"}, {"type": "b"}, {"type": "a"}, FINISH, logger=log)
    assert ["unknown chunk: a", "unknown chunk: b"] == log.at("warning")


def test_without_a_logger_it_is_pythons_own(caplog):
    with caplog.at_level(logging.WARNING, "weft.vscode"):
        adapted({"type": "brand-new"}, FINISH)
    assert ["unknown chunk: brand-new"] == [record.getMessage() for record in caplog.records]


def test_frames_of_bytes_that_nobody_knows_are_told_one_by_one():
    heard: list = []
    lines = b'{"type":"a"}\n{"type":"text-delta","text":"Hi"}\n{"type":"b"}\n{"type":"finish"}\n'
    assert text("Hi") == adapted(lines, on_unknown_chunk=heard.append)
    assert [{"type": "a"}, {"type": "b"}] == heard


# -- usage ---------------------------------------------------------------------------------------------------------


def test_usage_is_null_before_and_of_the_last_finished_stream_after():
    adapter, silent = weft.VSCodeStreamAdapter(), {"type": "finish", "finishReason": "stop"}
    assert NOTHING == adapter.get_usage()
    adapter.process_stream_sync([HI, FINISH], Progress())
    assert StreamUsage(3, 2) == adapter.get_usage()
    assert NOTHING == adapter.process_stream_sync([HI, silent], Progress())
    assert NOTHING == adapter.get_usage()


def test_the_usage_that_was_given_is_nobody_elses_to_change():
    """Requirements 3.5.1: it was handed out by reference, and the next stream wrote into it."""
    adapter = weft.VSCodeStreamAdapter()
    first = adapter.process_stream_sync([HI, FINISH], Progress())
    before = adapter.get_usage()
    adapter.process_stream_sync([HI, {**FINISH, "totalUsage": {"inputTokens": 9, "outputTokens": 9}}], Progress())
    assert StreamUsage(3, 2) == first == before
    with pytest.raises(AttributeError):
        before.input_tokens = 0


def test_a_stream_that_was_left_has_not_finished():
    adapter = weft.VSCodeStreamAdapter()
    parts = adapter.adapt_stream_sync([HI, {**FINISH}, HI])
    next(parts)
    parts.close()
    assert NOTHING == adapter.get_usage()


USAGE = {"inputTokens": 10, "outputTokens": 4}


@pytest.mark.parametrize(
    ("end", "usage"),
    [
        ([{"type": "finish", "totalUsage": {"inputTokens": 20, "outputTokens": 8}}], StreamUsage(20, 8)),
        ([{"type": "finish", "totalUsage": {}}], StreamUsage(20, 8)),
        ([], StreamUsage(20, 8)),
    ],
    ids=["finish has the total", "finish has none", "no finish"],
)
def test_usage_of_steps_is_summed_and_that_of_the_run_is_not_added(end, usage):
    """Requirements 3.5.7: the usage of steps was ignored."""
    step = [STEP, HI, finish_step(usage=USAGE)]
    assert usage == weft.VSCodeStreamAdapter().process_stream_sync([*step, *step, *end], Progress())


@pytest.mark.parametrize("tokens", [None, "absent"])
def test_a_count_that_nobody_said_is_null_and_not_zero(tokens):
    counts = {"inputTokens": 3, **({"outputTokens": None} if tokens is None else {})}
    chunks = [HI, {"type": "finish", "totalUsage": counts}]
    assert StreamUsage(3, None) == weft.VSCodeStreamAdapter().process_stream_sync(chunks, Progress())


# -- two streams at once -------------------------------------------------------------------------------------------


def test_two_streams_on_one_adapter_do_not_mix():
    """Requirements 3.5.1: a chat that ended wiped another chat's half-built calls."""

    def run(name: str, tokens: int, *turns: asyncio.Event):
        mine, others = turns

        async def chunks():
            for chunk in (
                {**HI, "text": name},
                *pieces('{"at":', f'"{name}"}}', id=name),
                {"type": "finish", "finishReason": "tool-calls", "totalUsage": {"inputTokens": tokens}},
            ):
                await mine.wait()
                mine.clear()
                yield chunk
                others.set()

        return chunks()

    async def both():
        adapter, a, b = weft.VSCodeStreamAdapter(), asyncio.Event(), asyncio.Event()
        progress = Progress(), Progress()
        a.set()
        streams = run("a", 1, a, b), run("b", 2, b, a)
        usages = await asyncio.gather(*map(adapter.process_stream, streams, progress))
        return adapter, usages, [each.parts for each in progress]

    adapter, usages, parts = asyncio.run(both())
    assert [StreamUsage(1, None), StreamUsage(2, None)] == usages
    assert [
        [LanguageModelTextPart(name), LanguageModelToolCallPart(name, "look", {"at": name})] for name in ("a", "b")
    ] == parts
    assert StreamUsage(2, None) == adapter.get_usage()


def test_a_stream_that_ends_leaves_anothers_buffered_call_alone():
    adapter = weft.VSCodeStreamAdapter()
    slow = adapter.adapt_stream_sync([HI, *pieces('{"at":"sky"}'), FINISH])
    next(slow)
    assert [EMPTY] == list(adapter.adapt_stream_sync([]))
    assert [("c", "look", {"at": "sky"})] == calls(slow)


# -- other protocols -----------------------------------------------------------------------------------------------


def test_any_other_source_is_adapted_too():
    claude = (
        b'data: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":5}}}\n\n'
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n'
        b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n'
        b'data: {"type":"message_stop"}\n\n'
    )
    progress, adapter = Progress(), weft.VSCodeStreamAdapter()
    usage = asyncio.run(adapter.process_stream(stream(claude[:99], claude[99:]), progress, protocol="anthropic"))
    assert (text("Hi"), StreamUsage(5, 2)) == (progress.parts, usage)


def test_a_refusal_is_plain_text_and_reasoning_is_none():
    """Requirements 3.5.9: each piece of a refusal stood between asterisks, and reasoning was visible text."""
    item = {"output_index": 0, "item_id": "m", "content_index": 0}
    events = [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.reasoning_summary_text.delta", "delta": "Hm.", "output_index": 1, "item_id": "rs"},
        {"type": "response.refusal.delta", "delta": "I ", **item},
        {"type": "response.refusal.delta", "delta": "can't.", **item},
        {"type": "response.completed", "response": {"id": "r", "status": "completed"}},
    ]
    parts = adapted(*events, protocol="openai-responses")
    assert text("I ", "can't.") == [part for part in parts if isinstance(part, LanguageModelTextPart)]
    assert ["Hm."] == [part.value for part in parts if isinstance(part, LanguageModelThinkingPart)]


def test_two_calls_with_one_id_and_other_arguments_are_two():
    """Requirements 3.5.9: the second was taken for a repetition."""
    again = {**CALL, "input": {"at": "sea"}}
    assert [{"at": "sky"}, {"at": "sea"}] == [input for _, _, input in calls(adapted(CALL, CALL, again, FINISH))]


def test_options_of_a_pipe_may_be_given():
    (part,) = adapted_with(b"<html><title>502 Bad Gateway</title></html>", status=502)
    assert "502 Bad Gateway" in part.value


def adapted_with(data: bytes, **options):
    return list(weft.VSCodeStreamAdapter().adapt_stream_sync([data], protocol="openai-chat", **options))


def test_a_stream_without_an_end_broke_off():
    assert [*text("Hi"), BROKE_OFF] == adapted(HI)
