"""Failures K: cancel, stall, retry. One test for each mode, with where it was seen; tests/runner has the rest."""

from typing import Any

import anyio
import pytest
from examples import any_loop_client

import weft
from tests.protocols.chat_wire import text
from tests.protocols.wire import sse
from tests.runner.loopback import HEAD, HOLD, serving
from tests.runner.script import ANSWER, COUNTED, PING, STALL, Part, Stage, failing, said, told
from weft.runner import Attempt, Clocks, KeyRing, Reset
from weft.steps.redact import Redact

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("said_by_then", [b"", HEAD, HEAD + sse(text("Hel"))], ids=["no headers", "no byte", "text"])
async def test_k01_disconnect_is_passed_upstream(said_by_then: bytes):
    """The client goes away and the provider goes on writing, and billing: leaving a run closes its upstream, before the first byte as well.

    BerriAI/litellm#13774, QuantumNous/new-api#4184
    """
    with serving((said_by_then, HOLD)) as server:
        run = weft.run([Attempt(protocol="openai-chat", model="m", open=any_loop_client.post(server.url, {}))])
        async with run, anyio.create_task_group() as group:
            group.start_soon(anext, aiter(run))
            assert await anyio.to_thread.run_sync(server.played.wait, 10)
            group.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(server.gone.wait, 10)
    assert ("incomplete", "cancelled") == (run.message.outcome, run.message.error.type)


async def test_k02_break_leaves_no_producer_behind():
    """A consumer breaks out of its loop and the producer lives on: one task owns the upstream, and it ends with the block.

    pydantic/pydantic-ai#1516, vllm-project/vllm#25697
    """
    stage = Stage()
    async with stage.run(stage.attempt(Part((said("Hel"), STALL)))) as run:
        async for event in run:
            if event.type == "text-delta":
                break
        assert 0 == stage.closed
    assert 1 == stage.closed
    assert ("Hel", "cancelled") == (run.message.text, run.message.error.type)


async def test_k03_a_stall_is_ended_by_its_clock():
    """The socket stays open and nothing comes but pings: each phase has its clock, and pings do not count.

    microsoft/amplifier#339, anomalyco/opencode#16366
    """
    phases = {
        ("connect_timeout", 10.0): Part(open=(STALL,)),
        ("first_event_timeout", 60.0): Part((30, PING, STALL)),
        ("idle_timeout", 120.0): Part((said("Hel"), *[50, PING] * 9)),
    }
    for expected, part in phases.items():
        stage = Stage()
        error = (await stage.run(stage.attempt(part), max_attempts=1).collect()).error
        assert expected == (error.code, stage.clock.now())
        assert ("timeout", 1) == (error.type, stage.closed)


async def test_k04_a_long_healthy_answer_lives():
    """One limit over all kills long answers that are well: the clocks look at what comes, and a limit over all is only there if it is asked for.

    AtomicBot-ai/atomic-agent#323
    """
    stage = Stage()
    part = Part((*[50, said("on ")] * 200, COUNTED))
    assert "completed" == (await stage.run(stage.attempt(part)).collect()).outcome
    error = (await stage.run(stage.attempt(part), clocks=Clocks(total=3600), max_attempts=1).collect()).error
    assert "total_timeout" == error.code


@pytest.mark.parametrize(
    ("after", "words", "outcome"),
    [("fail", "Hel", "failed"), ("continue", "HelHello there", "completed"), ("restart", "Hello there", "completed")],
)
async def test_k05_fallback_after_partial_output(after: Any, words: str, outcome: str):
    """A fallback after half an answer says it twice, or none is tried: it fails, goes on, or takes the half back, as the caller chose.

    NuGuardAI/nuguard#455, BerriAI/litellm#40404, api7/aisix#882
    """
    stage = Stage()
    half = Part((said("Hel"), sse({"error": {"message": "busy", "code": "overloaded"}})))
    attempts = [stage.attempt(half), stage.attempt(ANSWER, model="fallback")]
    run = stage.run(*attempts, after_commit=after)
    events = await told(run)
    assert (words, outcome) == (run.message.text, run.message.outcome)
    assert (after == "restart") == any(isinstance(event, Reset) for event in events)
    assert (after == "continue") == any(event.type == "note" and event.code == "continued" for event in events)
    assert 1 == sum(event.type == "end" for event in events)


async def test_k06_each_attempt_has_a_state_of_its_own():
    """The failed attempt left its flags set, and the fallback's answer ended at once: nothing of an attempt outlives it.

    maximhq/bifrost#4911, maximhq/bifrost#2897
    """
    stage = Stage()
    ended = Part((sse({"id": "old", "choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}, done=True),))
    run = stage.run(stage.attempt(ended), stage.attempt(ANSWER, model="fallback"))
    assert [*weft.read(b"".join(ANSWER.body), "openai-chat")] == await told(run)
    assert "Hello there" == run.message.text


async def test_k07_waits_are_what_the_provider_said():
    """Everybody comes back at once, or the wait is not passed on: it is a field of the error, and the least that is waited.

    api7/aisix#144, majiayu000/litellm-rs#833
    """
    stage = Stage()
    limited = failing(429, headers={"retry-after": "20"})
    run = stage.run(stage.attempt(limited, limited, ANSWER), random=lambda: 1.0)
    assert "completed" == (await run.collect()).outcome
    assert ([0.0, 20.0, 40.0], 20.0) == (stage.times, run.history[0].error.retry_after)
    in_stream = Part((sse({"error": {"message": "Slow down.", "code": 429}}),))
    again = Stage()
    await again.run(again.attempt(in_stream, in_stream, in_stream, ANSWER), random=lambda: 1.0).collect()
    assert [0.0, 1.25, 3.75, 8.75] == again.times


async def test_k08_a_client_s_fault_rotates_no_key():
    """A request that is too large or against the policy burns one key after the other: it ends the run, and every key is as good as before.

    router-for-me/CLIProxyAPI@fe28d582f, router-for-me/CLIProxyAPI@579f5e30f
    """
    for fault in (failing(413), failing(400, "blocked", code="content_policy_violation")):
        stage, ring = Stage(), KeyRing()
        attempts = [stage.attempt(fault, key=key) for key in "ab"]
        assert "client" == (await stage.run(*attempts, keys=ring).collect()).error.fault
        assert ["m/a"] == stage.asked
        assert [True, True] == [ring.free_at(attempt) <= 0 for attempt in attempts]


async def test_k10_a_slow_reader_slows_the_upstream():
    """A slow reader makes a queue grow to gigabytes, or loses events: what is not taken is not read, and nothing is dropped.

    router-for-me/CLIProxyAPI@bf0e5c23f, zirkelc/ai-resumable-stream#7, BerriAI/litellm#6404
    """
    stage = Stage()
    sent: list[int] = []
    part = Part((*[act for n in range(200) for act in (said(str(n % 10)), lambda n=n: sent.append(n))], COUNTED))
    seen = 0
    ahead: list[int] = []
    async with stage.run(stage.attempt(part), keep=False) as run:
        async for event in run:
            if event.type == "text-delta":
                seen += 1
                await stage.clock.sleep(10)
                ahead.append(len(sent) - seen)
    assert 200 == seen
    assert max(ahead) <= 1


async def test_k11_checks_are_neither_bypassed_nor_hold_everything():
    """Streams skip the output checks, or are held until they are over: a step sees every piece through a window, and the rest flows on.

    api7/aisix#204, BerriAI/litellm#31389
    """
    stage = Stage()
    part = Part((said("The word is ", "sec", "ret", ".", " " * 200, "And ", "on."), COUNTED))
    shown: list[Any] = []
    redact = Redact(["secret"], window=16)
    async with stage.run(stage.attempt(part)) as run:
        async for event in run:
            redact(event, shown.append)
    texts = [event.text for event in shown if event.type == "text-delta"]
    assert "The word is [redacted]." + " " * 200 + "And on." == "".join(texts)
    assert len(texts) > 2
