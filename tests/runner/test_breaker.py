"""The circuit breaker: closed, open, half-open."""

import math

import pytest

from tests.runner.script import ANSWER, BROKEN, RATE_LIMITED, STALL, WRONG, Part, Stage
from weft.runner import Breaker, Trip

pytestmark = pytest.mark.anyio

HOST = ("openai", "")


@pytest.mark.parametrize(
    ("provider", "failures", "seconds"),
    [("openai", 3, 30), ("openrouter", 4, 20), ("anthropic", 4, 25), ("ollama", 8, 10), ("somebody", 4, 25)],
)
def test_it_opens_after_so_many_failures_in_a_row_and_for_so_long(provider: str, failures: int, seconds: float):
    breaker, circuit = Breaker(), (provider, "host")
    for at in range(failures):
        assert breaker.free_at(circuit) <= at
        breaker.enter(circuit)
        breaker.fail(circuit, at)
    assert failures - 1 + seconds == breaker.free_at(circuit)
    assert -math.inf == breaker.free_at((provider, "another"))


def test_a_success_in_between_starts_the_count_anew():
    breaker = Breaker()
    for told in (breaker.fail, breaker.fail, None, breaker.fail, breaker.fail):
        breaker.enter(HOST)
        if told is None:
            breaker.succeed(HOST)
        else:
            told(HOST, 0)
    assert -math.inf == breaker.free_at(HOST)


def opened(seconds: float = 30) -> Breaker:
    breaker = Breaker({"openai": Trip(1, seconds)})
    breaker.enter(HOST)
    breaker.fail(HOST, 0)
    return breaker


def test_one_probe_is_let_through_and_closes_it():
    breaker = opened()
    assert 30 == breaker.free_at(HOST)
    breaker.enter(HOST)
    assert math.inf == breaker.free_at(HOST)
    breaker.succeed(HOST)
    assert -math.inf == breaker.free_at(HOST)


def test_a_probe_that_fails_opens_it_again():
    breaker = opened()
    breaker.enter(HOST)
    breaker.fail(HOST, 31)
    assert 61 == breaker.free_at(HOST)


def test_a_probe_that_says_nothing_lets_the_next_one_through():
    breaker = opened()
    breaker.enter(HOST)
    breaker.leave(HOST)
    assert 30 == breaker.free_at(HOST)


async def test_an_open_circuit_fails_at_once_until_its_time_is_over():
    stage, breaker = Stage(), Breaker()
    attempt = stage.attempt(BROKEN, BROKEN, BROKEN, ANSWER, provider="openai")
    first = await stage.run(attempt, breaker=breaker).collect()
    assert "server" == first.error.type  # what really happened, not that the circuit opened
    assert 3 == len(stage.asked)
    refused = (await stage.run(attempt, breaker=breaker).collect()).error
    assert ("overloaded", "circuit_open", True, 30.0) == (
        refused.type,
        refused.code,
        refused.retryable,
        refused.retry_after,
    )
    assert 3 == len(stage.asked)
    await stage.clock.sleep(30)
    assert "completed" == (await stage.run(attempt, breaker=breaker).collect()).outcome


async def test_another_host_is_asked_while_one_is_left_alone():
    stage, breaker = Stage(), Breaker({"x": Trip(1, 30)})
    one = stage.attempt(BROKEN, model="one", provider="x", host="a")
    two = stage.attempt(ANSWER, model="two", provider="x", host="b")
    for _ in range(2):
        assert "completed" == (await stage.run(one, two, breaker=breaker).collect()).outcome
    assert ["one", "two", "two"] == stage.asked


async def test_what_is_not_the_host_s_fault_does_not_count():
    stage, breaker = Stage(), Breaker({"x": Trip(1, 30)})
    attempt = stage.attempt(WRONG, RATE_LIMITED, ANSWER, provider="x")
    for _ in range(2):
        await stage.run(attempt, breaker=breaker).collect()
    assert ["m", "m", "m"] == stage.asked


async def test_a_cancelled_probe_is_no_verdict():
    stage, breaker = Stage(), Breaker({"x": Trip(1, 30)})
    during = []

    def cancel() -> None:
        during.append(breaker.free_at(attempt.circuit))
        run.cancel()

    attempt = stage.attempt(BROKEN, Part((cancel, STALL)), provider="x")
    await stage.run(attempt, breaker=breaker).collect()
    await stage.clock.sleep(30)
    run = stage.run(attempt, breaker=breaker)
    assert "cancelled" == (await run.collect()).error.type
    assert [math.inf] == during
    assert 30.0 == breaker.free_at(attempt.circuit)


async def test_no_circuit_opens_unless_a_breaker_is_given():
    stage = Stage()
    await stage.run(stage.attempt(BROKEN, provider="openai")).collect()
    assert 5 == len(stage.asked)
