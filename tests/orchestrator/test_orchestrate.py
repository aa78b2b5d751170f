"""The loop: what a sink is told in which order, the six outcomes, hung upstreams, slow sinks, and what is closed. On asyncio and on trio."""

import math

import anyio
import pytest

import weft
from tests.adapters.parrot import STREAM, ParrotAdapter, Squawk
from tests.orchestrator.stage import DONE, HUNG, Log, Play, call, failed, played, text, thought
from tests.protocols import chat_wire
from tests.protocols.wire import sse
from weft.chunks import ProcessedChunk, ThoughtLogEntry
from weft.errors import make_error
from weft.orchestrator import FlushRules, Stop, ThoughtLog, orchestrate
from weft.runner.commit import Reset
from weft.testing import FakeClock

pytestmark = pytest.mark.anyio

SENTENCES = FlushRules(at="sentence")


# -- what is told, and how it ends ---------------------------------------------------------------------------------


async def test_text_is_completed():
    result, log, play = await played(text("One. "), text("Two. Thr"), text("ee"), DONE, rules=SENTENCES)
    assert [("text", "One. "), ("text", "Two. "), ("text", "Three"), ("done", "completed")] == log.told
    assert ("completed", "One. Two. Three", "stop") == (result.status, result.text, result.finish_reason)
    assert play.closed is not None


async def test_text_is_flushed_before_a_call_and_all_calls_are_delivered():
    """Requirements 3.2.1: only the first call was acted on, and the rest of the stream was abandoned."""
    result, log, _ = await played(text("Let me"), call("look"), call("list", at=1), text("So."), call("go"), DONE)
    assert [
        ("text", "Let me"), ("call", "look"), ("call", "list"), ("text", "So."), ("call", "go"), ("done", "function_call"),
    ] == log.told  # fmt: skip
    assert ["look", "list", "go"] == [each.name for each in result.calls]
    assert "function_call" == result.status


async def test_text_is_flushed_before_an_error():
    result, log, play = await played(text("Half a"), failed(), text("never"), locale="de")
    assert [("text", "Half a"), ("error", result.description)] == log.told
    assert result.description.startswith("In kurzer Zeit wurden zu viele")
    assert ("error", "rate_limit", "Half a") == (result.status, result.error.type, result.text)
    assert play.closed is not None
    assert 2 == len(play.read)


async def test_calls_before_an_error_were_told_and_are_in_the_result():
    result, _, _ = await played(call("look"), failed())
    assert ("error", ["look"]) == (result.status, [each.name for each in result.calls])


@pytest.mark.parametrize("chunks", [[], [text("")], [text("  \n")], [thought("Hm.")]])
async def test_an_answer_without_anything_to_see_is_empty(chunks):
    result, log, _ = await played(*chunks, DONE)
    assert "empty" == result.status
    assert ("done", "empty") == log.told[-1]


async def test_thoughts_are_kept_apart():
    both = text("Hi", thoughts=[ThoughtLogEntry("raw", "b ")])
    last = ProcessedChunk("done", thoughts=[ThoughtLogEntry("summary", "In short. ")])
    result, log, _ = await played(thought(" a "), both, thought("s", "summary"), last)
    assert [("raw", " a "), ("raw", "b "), ("summary", "s"), ("summary", "In short. "), ("text", "Hi")] == log.told[:-1]
    assert ThoughtLog("sIn short.", "a b") == result.thoughts
    assert "Hi" == result.text


async def test_metadata_of_the_end_is_recorded():
    first = ProcessedChunk("done", metadata={"finishReason": "length"}, serving_provider="p")
    result, _, _ = await played(text("Hi"), first, ProcessedChunk("done", metadata={"usage": {"inputTokens": 1}}))
    assert {"finishReason": "length", "usage": {"inputTokens": 1}} == result.metadata
    assert ("completed", "p") == (result.status, result.serving_provider)


async def test_a_call_that_nobody_can_run_is_in_the_metadata():
    """D10, D19: it was left out, and the answer looked empty."""
    broken = chat_wire.calls(chat_wire.call(0, "c", "look", '{"at":'))
    result, log, _ = await played(sse(broken, chat_wire.end("tool_calls"), done=True), adapter="openai-chat")
    assert ("empty", [("done", "empty")]) == (result.status, log.told)
    assert [{"name": "look", "arguments": '{"at":'}] == result.metadata["malformedCalls"]


async def test_an_error_brings_its_metadata_too():
    broken = ProcessedChunk("error", error=failed().error, metadata={"usage": {"inputTokens": 1}})
    result, _, _ = await played(text("Hi"), broken)
    assert {"usage": {"inputTokens": 1}} == result.metadata


async def test_a_stream_that_breaks_off_is_an_error():
    result, log, _ = await played(text("Half a"))
    assert ("error", "truncated") == (result.status, result.error.code)
    assert ["text", "error"] == [kind for kind, _ in log.told]


async def test_an_exception_of_the_source_is_an_error():
    result, log, play = await played(text("Half a"), ConnectionResetError("gone"))
    assert ("error", "transport", "Half a") == (result.status, result.error.code, result.text)
    assert ["error"] == log.ends
    assert play.closed is not None


# -- sources -------------------------------------------------------------------------------------------------------


async def test_bytes_are_read_by_a_named_adapter():
    data = sse({"id": "c", "choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]}, done=True)
    result, log, _ = await played(data[:20], data[20:], adapter="openai-chat")
    assert ("completed", ["Hi."]) == (result.status, log.shown)


@pytest.mark.parametrize("adapter", [ParrotAdapter, ParrotAdapter()], ids=["a factory", "an adapter"])
async def test_an_adapter_of_ones_own_reads(adapter):
    result, log, _ = await played(*STREAM, adapter=adapter)
    assert [
        ("raw", "Hm."),
        ("text", "Polly wants a cracker."),
        ("call", "fetch"),
        ("done", "function_call"),
    ] == log.told
    assert {"what": "cracker"} == result.calls[0].args


async def test_an_adapter_of_ones_own_words_its_errors():
    result, log, _ = await played({"say": "Pol"}, Squawk("hungry"), adapter=ParrotAdapter)
    assert ("error", "🦜 🍪?") == log.told[-1]
    assert result.error.retryable


async def test_a_description_that_cannot_be_made_is_made_by_us():
    class Wordless(ParrotAdapter):
        def create_error_description(self, error, locale="en"):
            raise KeyError(locale)

    result, log, _ = await played({"say": "Pol"}, Squawk("hungry"), adapter=Wordless, locale="fr")
    assert result.description.startswith("Trop de requêtes")
    assert ("error", result.description) == log.told[-1]


async def test_events_that_were_read_already_are_shown():
    data = sse({"id": "c", "choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]}, done=True)
    result, _, _ = await played(*weft.read(data, "openai-chat"))
    assert ("completed", "Hi.") == (result.status, result.text)


async def test_a_runner_that_restarts_takes_back_what_was_shown():
    first = list(weft.read(sse({"id": "c", "choices": [{"index": 0, "delta": {"content": "Wrong. "}}]}), "openai-chat"))
    again = weft.read(
        sse({"id": "d", "choices": [{"index": 0, "delta": {"content": "Right."}, "finish_reason": "stop"}]}),
        "openai-chat",
    )
    result, log, _ = await played(*first[:-2], Reset(1, make_error("transport")), *again, rules=SENTENCES)
    assert "Right." == result.text
    assert [("reset", None), ("text", "Right."), ("done", "completed")] == log.told


async def test_raw_chunks_without_an_adapter_are_misuse():
    clock = FakeClock()
    play = Play(clock, b"data: {}\n\n")
    with pytest.raises(TypeError, match="without an adapter"):
        await orchestrate(play, Log(), clock=clock)
    assert play.closed is not None


# -- time ----------------------------------------------------------------------------------------------------------


async def test_a_hung_upstream_is_interrupted():
    """Requirements 3.2.16: the flag was looked at only when the next chunk came."""
    result, log, play = await played(text("Half a"), HUNG, inactivity=30.0)
    assert ("timeout", "timeout", "inactivity_timeout") == (result.status, result.error.type, result.error.code)
    assert [("text", "Half a"), ("error", result.description)] == log.told
    assert (30.0, 30.0) == (play.closed, result.duration)


async def test_a_late_but_live_stream_goes_on():
    result, _, _ = await played(text("a"), 29.0, text("b"), 29.0, text("c"), DONE, inactivity=30.0)
    assert ("completed", "abc") == (result.status, result.text)


async def test_keep_alives_do_not_count():
    ping = b": ping\n\n"
    result, _, play = await played(20.0, ping, 20.0, ping, 20.0, ping, HUNG, adapter="openai-chat", inactivity=50.0)
    assert ("timeout", 50.0) == (result.status, play.closed)


async def test_pieces_of_arguments_do_count():
    def piece(text, **more):
        return {
            "id": "c",
            "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": text}, **more}]}}],
        }

    end = {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    acts = [piece("{", id="t"), 40.0, piece('"a":'), 40.0, piece("1}"), 40.0, end]
    acts[0]["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] = "f"
    result, _, _ = await played(*acts, adapter="openai-chat", inactivity=50.0)
    assert ("function_call", {"a": 1}) == (result.status, result.calls[0].args)


async def test_without_a_limit_a_stream_may_take_its_time():
    result, _, play = await played(text("a"), 100_000.0, text("b"), DONE, inactivity=None)
    assert ("completed", 100_000.0) == (result.status, play.closed)


async def test_an_upstream_that_stays_open_after_its_end_is_left():
    """A finish and no end of the connection: that is no timeout, and nobody waits two minutes for it."""
    data = sse({"id": "c", "choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]})
    result, _, play = await played(data, HUNG, adapter="openai-chat")
    assert ("completed", 2.0) == (result.status, play.closed)
    result, _, play = await played(text("Hi."), DONE, HUNG)
    assert ("completed", 2.0) == (result.status, play.closed)


async def test_usage_after_the_finish_is_waited_for():
    data = sse({"id": "c", "choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]})
    usage = sse({"id": "c", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}, done=True)
    result, _, _ = await played(data, 1.5, usage, adapter="openai-chat")
    assert 3 == result.metadata["usage"]["inputTokens"]


async def test_what_is_idle_is_shown():
    rules = FlushRules(at="size", idle=3.0)
    clock = FakeClock()
    shown_at = []

    class Timed(Log):
        async def text(self, flush):
            shown_at.append((clock.now(), flush.text, flush.reason))

    await played(text("One. Tw"), 10.0, text("o."), 1.0, DONE, sink=Timed(), rules=rules, clock=clock)
    assert [(3.0, "One. ", "idle"), (11.0, "Two.", "end")] == shown_at


async def test_idle_text_and_hung_upstream_in_one():
    result, log, play = await played(text("One. Two"), HUNG, rules=FlushRules(at="size", idle=3.0), inactivity=10.0)
    assert ["One. ", "Two"] == log.shown
    assert ("timeout", 10.0) == (result.status, play.closed)


async def test_a_stream_that_ends_while_idle_text_is_being_sent_loses_none_of_it():
    clock = FakeClock()
    log = Log(clock, pause=50.0)
    rules = FlushRules(at="size", idle=1.0)
    _, log, _ = await played(text("One. Tw"), 5.0, text("o."), DONE, sink=log, clock=clock, rules=rules)
    assert ["One. ", "Two."] == log.shown
    clock = FakeClock()
    _, log, _ = await played(text("One. "), 5.0, DONE, sink=Log(clock, pause=50.0), clock=clock, rules=rules)
    assert [("text", "One. "), ("done", "completed")] == log.told


async def test_an_upstream_that_takes_its_interruption_for_an_end_has_timed_out():
    class Swallowing(Play):
        async def __aiter__(self):
            yield text("Half a")
            with anyio.CancelScope():
                try:
                    await self._clock.sleep(HUNG)
                except anyio.get_cancelled_exc_class():
                    return

    clock = FakeClock()
    with anyio.fail_after(20):
        result = await orchestrate(Swallowing(clock), Log(), clock=clock, inactivity=30.0)
    assert "timeout" == result.status


# -- slow and broken sinks -----------------------------------------------------------------------------------------


async def test_a_slow_sink_slows_the_stream_and_loses_nothing():
    clock = FakeClock()
    log = Log(clock, pause=50.0)
    acts = [text(f"{number}. ") for number in range(9)]
    rules = FlushRules(at="sentence")
    result, log, _ = await played(*acts, DONE, sink=log, clock=clock, rules=rules, inactivity=30.0)
    assert result.text == "".join(log.shown)
    assert "completed" == result.status


async def test_the_next_chunk_is_not_read_before_the_last_is_shown():
    clock = FakeClock()
    log = Log(clock, pause=50.0)
    _, _, play = await played(
        text("One. "), text("Two. "), text("Three. "), DONE, sink=log, clock=clock, rules=SENTENCES
    )
    assert [0.0, 0.0, 50.0, 100.0] == play.read


async def test_time_that_a_sink_takes_is_not_the_streams():
    """A bot that waits for its chat's own rate limit does not make the provider time out."""
    clock = FakeClock()
    log = Log(clock, pause=500.0)
    result, _, _ = await played(
        text("One. "),
        text("Two. "),
        20.0,
        text("Three."),
        20.0,
        DONE,
        sink=log,
        clock=clock,
        rules=SENTENCES,
        inactivity=30.0,
    )
    assert "completed" == result.status


async def test_what_a_sink_raises_reaches_the_caller_and_the_upstream_is_closed():
    clock = FakeClock()
    play = Play(clock, text("One. "), text("Two. "), HUNG)
    with pytest.raises(ConnectionError, match="the chat is gone"):
        await orchestrate(play, Log(break_on="One. "), rules=SENTENCES, clock=clock)
    assert play.closed is not None


async def test_what_a_sink_raises_when_idle_text_is_sent_reaches_the_caller():
    clock = FakeClock()
    play = Play(clock, text("One. "), HUNG)
    with pytest.raises(ConnectionError, match="the chat is gone"):
        await orchestrate(play, Log(break_on="One. "), rules=FlushRules(at="size", idle=1.0), clock=clock)
    assert 1.0 == play.closed


# -- stopping ------------------------------------------------------------------------------------------------------


async def test_a_stop_interrupts_the_wait():
    clock, stop, log = FakeClock(), Stop(), Log()
    play = Play(clock, text("Half a"), HUNG)
    async with anyio.create_task_group() as group:

        async def later():
            await clock.sleep(5.0)
            stop.request("speaker_guard")

        group.start_soon(later)
        result = await orchestrate(play, log, stop=stop, clock=clock)
    assert ("stopped", "speaker_guard", None, "Half a") == (
        result.status,
        result.stop_reason,
        result.error,
        result.text,
    )
    assert [("text", "Half a"), ("done", "stopped")] == log.told
    assert 5.0 == play.closed


async def test_a_stop_before_the_start_reads_nothing():
    stop = Stop()
    stop.request()
    result, log, play = await played(text("Hi"), DONE, stop=stop)
    assert ("stopped", [], [("done", "stopped")]) == (result.status, play.read, log.told)
    assert "user_request" == result.stop_reason


async def test_a_sink_may_stop_the_stream():
    stop = Stop()

    class Enough(Log):
        async def text(self, flush):
            await super().text(flush)
            stop.request("send_message_limit")
            stop.request("too late")

    result, log, play = await played(
        text("One. "), text("Two. "), text("Three. "), DONE, sink=Enough(), stop=stop, rules=SENTENCES
    )
    assert ("stopped", "send_message_limit") == (result.status, result.stop_reason)
    assert result.text == "".join(log.shown)
    assert 2 == len(play.read)
    assert play.closed is not None


async def test_a_stopped_stream_keeps_what_is_known_of_it():
    stop = Stop()
    stop_it = text("x")
    data = sse({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 7}}}, event=True)

    class Stopping(Play):
        async def __aiter__(self):
            yield data
            stop.request()
            yield b": ping\n\n"

    result = await orchestrate(Stopping(FakeClock()), Log(), adapter="anthropic", stop=stop)
    assert ("stopped", 7) == (result.status, result.metadata["usage"]["inputTokens"])
    assert stop_it.content not in result.text


# -- closing -------------------------------------------------------------------------------------------------------


async def test_a_cancelled_caller_closes_the_upstream():
    clock = FakeClock()
    play, log = Play(clock, text("Hi"), HUNG), Log()
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:

            async def later():
                await clock.sleep(5.0)
                scope.cancel()

            group.start_soon(later)
            await orchestrate(play, log, clock=clock)
    assert scope.cancelled_caught
    assert 5.0 == play.closed
    assert [] == log.ends


class Response:
    """As an SDK's stream: an iterator with a `close` of its own."""

    def __init__(self, *chunks, close=None):
        self._chunks, self.closed, self._close = iter(chunks), 0, close

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return next(self._chunks)
        except StopIteration:
            raise StopAsyncIteration from None

    async def close(self):
        self.closed += 1
        if self._close is not None:
            raise self._close


@pytest.mark.parametrize("close", [None, OSError("already")])
async def test_what_can_be_closed_is_closed_and_may_fail_to(close):
    response = Response(text("Hi"), failed(), close=close)
    result = await orchestrate(response, Log())
    assert "error" == result.status
    assert response.closed >= 1


async def test_a_close_that_hangs_is_left():
    class Stuck(Response):
        async def close(self):
            self.closed += 1
            await anyio.sleep(math.inf)

    with anyio.fail_after(20):
        result = await orchestrate(Stuck(text("Hi"), DONE), Log())
    assert "completed" == result.status
