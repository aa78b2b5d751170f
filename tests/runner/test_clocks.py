"""The four clocks, to the second: which rings when, and what does not count."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from tests.protocols.wire import sse
from tests.runner.script import ANSWER, COUNTED, CUT, DONE, PING, STALL, Part, Stage, said, thought, told
from weft.runner import Ask, Attempt, Clocks, Upstream
from weft.runner.clocks import RealTime
from weft.testing import FakeClock

pytestmark = pytest.mark.anyio


async def rung(part: Part, clocks: Clocks) -> tuple[str, float]:
    """The code of the error that one attempt ends with, and how long it took."""
    stage = Stage()
    run = stage.run(stage.attempt(part), clocks=clocks, max_attempts=1)
    await told(run)
    error = run.message.error
    assert "timeout" == error.type
    assert 1 == stage.closed
    return error.code, stage.clock.now()


async def test_connect():
    assert ("connect_timeout", 10.0) == await rung(Part(open=(STALL,)), Clocks())
    assert ("connect_timeout", 3.0) == await rung(Part(open=(STALL,)), Clocks(connect=3))


async def test_connect_ends_when_the_opener_says_so():
    assert ("first_event_timeout", 65.0) == await rung(Part(open=(5, "connected", STALL)), Clocks())


async def test_first_event():
    assert ("first_event_timeout", 62.0) == await rung(Part((STALL,), open=(2,)), Clocks())


async def test_first_event_of_a_failed_reply():
    stage = Stage()
    run = stage.run(stage.attempt(Part((b"{", STALL), status=500)), max_attempts=1)
    await told(run)
    assert ("server", 60.0) == (run.message.error.type, stage.clock.now())


async def test_idle():
    assert ("idle_timeout", 125.0) == await rung(Part((5, said("Hi"), STALL)), Clocks())


async def test_idle_begins_anew_with_each_event():
    assert ("idle_timeout", 300.0) == await rung(Part((said("a"), 100, said("b"), 80, said("c"), STALL)), Clocks())


async def test_keep_alives_do_not_count():
    pings = (20, PING, 20, PING, 20, sse("ping"), 20, PING, 20, PING, 20, PING, 20, PING)
    assert ("first_event_timeout", 60.0) == await rung(Part(pings), Clocks())
    assert ("idle_timeout", 120.0) == await rung(Part((said("Hi"), *pings)), Clocks())


async def test_keep_alives_count_if_they_shall():
    stage = Stage()
    part = Part((said("Hi"), *[100, PING] * 9, DONE))
    message = await stage.run(stage.attempt(part), clocks=Clocks(pings=True)).collect()
    assert ("completed", 900.0) == (message.outcome, stage.clock.now())


async def test_what_is_withheld_counts_as_sign_of_life():
    stage = Stage()
    part = Part((*[100, thought("Hm")] * 9, *ANSWER.body))
    message = await stage.run(stage.attempt(part), clocks=Clocks(first_event=110)).collect()
    assert "completed" == message.outcome


async def test_total_counts_all_attempts_and_waits():
    stage = Stage()
    part = Part((said("a"), *[50, said("b")] * 9))
    run = stage.run(stage.attempt(Part((30, *said_error(500))), part), clocks=Clocks(total=200))
    await told(run)
    assert ("total_timeout", 200.0, False) == (run.message.error.code, stage.clock.now(), run.message.error.retryable)
    assert 2 == len(run.history)


def said_error(code: int) -> tuple[bytes]:
    return (sse({"error": {"message": "x", "code": code}}),)


async def test_a_wait_that_outlasts_the_total_is_not_begun():
    stage = Stage()
    run = stage.run(stage.attempt(Part((15, *said_error(429)))), clocks=Clocks(total=15.5))
    assert "rate_limit" == (await run.collect()).error.type
    assert ([0.0], 15.0) == (stage.times, stage.clock.now())


async def test_a_long_healthy_answer_is_not_ended():
    stage = Stage()
    part = Part((*[100, said("more ")] * 500, COUNTED))
    message = await stage.run(stage.attempt(part), clocks=Clocks(first_event=110)).collect()
    assert ("completed", 50_000.0) == (message.outcome, stage.clock.now())


async def test_no_clock_runs_while_the_consumer_is_at_work():
    stage = Stage()
    run = stage.run(
        stage.attempt(Part((said("a"), 5, said("b"), 5, *ANSWER.body))), clocks=Clocks(idle=10, total=50, grace=3)
    )
    async with run:
        async for event in run:
            if event.type == "text-delta":
                await stage.clock.sleep(1000)
    assert "completed" == run.message.outcome
    assert run.history[0].seconds < 50


async def test_a_clock_that_is_none_never_rings():
    stage = Stage()
    part = Part((10_000, said("Hi"), 10_000, DONE), open=(10_000,))
    clocks = Clocks(connect=None, first_event=None, idle=None)
    assert "completed" == (await stage.run(stage.attempt(part), clocks=clocks).collect()).outcome


async def test_a_whole_answer_waits_for_its_usage_no_longer_than_the_grace():
    stage = Stage()
    run = stage.run(
        stage.attempt(Part((said("Hi"), sse({"id": "c1", "choices": [{"index": 0, "finish_reason": "stop"}]}), STALL)))
    )
    message = await run.collect()
    assert ("completed", None, 2.0) == (message.outcome, message.error, stage.clock.now())


@pytest.mark.parametrize(
    ("part", "where", "expected"),
    [
        (ANSWER, "body", ("completed", None)),
        (ANSWER, "connection", ("completed", None)),
        (CUT, "connection", ("truncated", "truncated")),
        (Part((said("Hel"), ConnectionResetError("gone"))), "connection", ("failed", "transport")),
        (Part((b"{}",), status=500), "connection", ("failed", "server")),
    ],
)
async def test_an_upstream_that_does_not_let_go_is_left_after_the_grace(part: Part, where: str, expected: Any):
    """It held up the next attempt, or the terminal, until the idle clock rang, which then stood in the error's place."""
    stage = Stage()
    plays = stage.plays(part)

    async def holding(body: Any) -> AsyncIterator[Any]:
        try:
            async for piece in body:
                yield piece
        finally:
            await stage.clock.sleep(STALL)

    @asynccontextmanager
    async def open(ask: Ask) -> AsyncIterator[Upstream]:
        async with plays(ask) as upstream:
            yield Upstream(holding(upstream.body)) if where == "body" else upstream
            await stage.clock.sleep(STALL if where == "connection" else 0)

    run = stage.run(Attempt(protocol="openai-chat", model="m", open=open), max_attempts=1)
    message = await run.collect()
    assert (*expected, 2.0) == (message.outcome, message.error and message.error.type, stage.clock.now())


async def test_a_clock_that_rings_may_be_retried():
    stage = Stage()
    run = stage.run(stage.attempt(Part((STALL,)), ANSWER))
    assert "completed" == (await run.collect()).outcome
    assert [0.0, 60.5] == stage.times
    assert [("first_event_timeout", "provider"), None] == [
        t.error and (t.error.code, t.error.fault) for t in run.history
    ]


async def test_a_connection_that_is_not_made_is_the_line_s_fault():
    stage = Stage()
    run = stage.run(stage.attempt(Part(open=(STALL,))), max_attempts=1)
    assert "transport" == (await run.collect()).error.fault


async def test_history_tells_how_long_it_took():
    stage = Stage()
    run = stage.run(stage.attempt(Part((3, *said_error(500))), Part((7, *ANSWER.body), open=(1,))))
    await run.collect()
    assert [(0.0, 3.0), (0.1, 8.0)] == [(tried.waited, pytest.approx(tried.seconds)) for tried in run.history]


# --- the times themselves ------------------------------------------------------------------------------------------


async def test_the_fake_clock_goes_from_one_wait_to_the_next():
    clock, log = FakeClock(), []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        log.append((seconds, clock.now()))
        await clock.sleep(seconds)
        log.append((seconds, clock.now()))

    async with anyio.create_task_group() as group:
        for seconds in (5.0, 3.0, 4.0):
            group.start_soon(sleeper, seconds)
    assert [(3.0, 3.0), (4.0, 4.0), (5.0, 5.0), (3.0, 6.0), (4.0, 8.0), (5.0, 10.0)] == log


async def test_the_fake_alarm_rings_in_a_stall():
    clock = FakeClock(100.0)
    with clock.alarm() as alarm:
        alarm.set(107.0)
        await clock.sleep(math.inf)
    assert (True, 107.0) == (alarm.rang, clock.now())
    with clock.alarm() as alarm:
        alarm.set(110.0)
        await clock.sleep(2)
    assert (False, 109.0) == (alarm.rang, clock.now())


async def test_the_real_alarm_rings_and_can_be_moved():
    time = RealTime()
    with time.alarm() as alarm:
        alarm.set(time.now() + 3600)
        alarm.set(time.now() + 0.001)
        await anyio.sleep_forever()
    assert alarm.rang
    with time.alarm() as alarm:
        alarm.set(time.now() + 0.001)
        alarm.set(math.inf)
        await time.sleep(0.01)
    assert not alarm.rang
