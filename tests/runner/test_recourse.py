"""What follows from each class of error: before and after the commit point, with and without keys and models left."""

from itertools import product
from typing import get_args

import msgspec
import pytest

from tests.protocols.wire import sse
from tests.runner.script import ANSWER, Part, Stage, failing, said, told
from weft.errors import ErrorType
from weft.runner import RECOURSES, Backoff, Recourse

pytestmark = pytest.mark.anyio

# Whom the run turns to, in this order; "m/b" is another key of the model, "n" another model, "m/a" the same again.
TURNS: dict[ErrorType, list[str]] = {
    "authentication": ["m/b", "n/a"],
    "permission": ["m/b", "n/a"],
    "billing": ["m/b", "n/a"],
    "rate_limit": ["m/b", "n/a", "m/a"],
    "not_found": ["n/a"],
    "overloaded": ["n/a", "m/a"],
    "server": ["m/a"],
    "protocol": ["m/a"],
    "truncated": ["m/a"],
    "timeout": ["m/a"],
    "transport": ["m/a"],
    "context_length": [],
    "content_blocked": [],
    "invalid_request": [],
    "request_too_large": [],
    "limit": [],
    "cancelled": [],
}
BURNT = {"authentication", "billing"}
"""A key with these faults serves no other model either: with it alone there is no one to turn to."""


def test_every_class_has_its_row():
    assert set(get_args(ErrorType)) == RECOURSES.keys() == TURNS.keys()


def broken_off(kind: str, *, committed: bool) -> Part:
    """An attempt that says an error of this class in its stream, after text or before."""
    error = sse({"error": {"message": "it failed", "code": kind}})
    return Part((said("Hel"), error) if committed else (error,))


@pytest.mark.parametrize("kind", TURNS)
@pytest.mark.parametrize(("keys", "models"), [*product((False, True), repeat=2)])
@pytest.mark.parametrize("after", ["before", "fail", "continue", "restart"])
async def test_whom_it_turns_to(kind: ErrorType, keys: bool, models: bool, after: str):
    stage = Stage()
    part = broken_off(kind, committed=after != "before")
    attempts = [stage.attempt(part, ANSWER, key="a")]
    attempts += [stage.attempt(ANSWER, key="b")] if keys else []
    attempts += [stage.attempt(ANSWER, model="n", key="a")] if models else []
    run = stage.run(*attempts, after_commit="fail" if after == "before" else after)
    events = await told(run)

    there = {"m/a", *(["m/b"] if keys else []), *(["n/a"] if models and kind not in BURNT else [])}
    expected = next((turn for turn in TURNS[kind] if turn in there), None) if after != "fail" else None
    assert ["m/a", *([expected] if expected else [])] == stage.asked
    assert 1 == sum(event.type == "end" for event in events)
    assert "end" == events[-1].type
    if expected is None:
        assert kind == run.message.error.type
        assert ("" if after == "before" else "Hel") == run.message.text
        assert run.message.outcome == {"cancelled": "incomplete", "truncated": "truncated"}.get(kind, "failed")
    else:
        words = {"before": "Hello there", "continue": "HelHello there", "restart": "Hello there"}
        assert (words[after], "completed") == (run.message.text, run.message.outcome)
        assert [kind, None] == [tried.error and tried.error.type for tried in run.history]
    assert (after == "restart" and expected is not None) == any(event.type == "reset" for event in events)


@pytest.mark.parametrize("kind", [kind for kind, turns in TURNS.items() if turns == ["m/a"]])
async def test_when_the_same_does_not_help_the_next_key_then_the_next_model(kind: ErrorType):
    stage = Stage()
    part = broken_off(kind, committed=False)
    attempts = [stage.attempt(part, model=model, key=key) for model, key in ("ma", "mb", "na")]
    run = stage.run(*attempts, max_attempts=99)
    assert kind == (await run.collect()).error.type
    times = 1 + RECOURSES[kind].backoff.times
    assert ["m/a"] * times + ["m/b"] * times + ["n/a"] * times == stage.asked


WAITS: dict[ErrorType, list[float]] = {
    "rate_limit": [1, 2, 4, 8, 16],
    "overloaded": [0.1, 0.2, 0.4, 0.8],
    "server": [0.1, 0.2, 0.4, 0.8],
    "protocol": [0.1, 0.2, 0.4, 0.8],
    "truncated": [0.1, 0.2, 0.4, 0.8],
    "timeout": [0.5, 0.75, 1.125],
    "transport": [0.2, 0.4, 0.8],
}


@pytest.mark.parametrize("kind", WAITS)
@pytest.mark.parametrize(("roll", "factor"), [(0.5, 1), (0.0, 0.75), (1.0, 1.25)])
async def test_waits_grow_and_are_spread_by_a_quarter(kind: ErrorType, roll: float, factor: float):
    stage = Stage()
    run = stage.run(stage.attempt(broken_off(kind, committed=False)), random=lambda: roll)
    await run.collect()
    assert pytest.approx([0.0, *(wait * factor for wait in WAITS[kind])]) == [tried.waited for tried in run.history]
    assert pytest.approx(sum(WAITS[kind]) * factor) == stage.times[-1]


def test_a_wait_has_a_ceiling():
    assert 60.0 == Backoff(9, 1.0, 60.0).wait(8, 0.5)


async def test_retry_after_is_the_least_that_is_waited():
    stage = Stage()
    await stage.run(stage.attempt(failing(429, headers={"retry-after": "20"}), ANSWER)).collect()
    assert [0.0, 20.0] == stage.times


async def test_the_wait_that_a_body_says_counts_as_well():
    stage = Stage()
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "21s"}
    body = {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED", "details": [info]}}
    part = Part((msgspec.json.encode(body),), status=429)
    await stage.run(stage.attempt(part, ANSWER, protocol="gemini"), max_attempts=2).collect()
    assert [0.0, 21.0] == stage.times


async def test_a_wait_that_is_too_long_is_not_waited():
    stage = Stage()
    error = (await stage.run(stage.attempt(failing(429, headers={"retry-after": "3600"}))).collect()).error
    assert ("rate_limit", 3600.0) == (error.type, error.retry_after)
    assert [0.0] == stage.times


async def test_a_provider_that_says_that_a_retry_is_no_use_is_believed():
    stage = Stage()
    message = await stage.run(stage.attempt(failing(500, headers={"x-should-retry": "false"}))).collect()
    assert ("server", False) == (message.error.type, message.error.retryable)
    assert ["m"] == stage.asked


async def test_attempts_in_all_are_bounded():
    stage = Stage()
    attempts = [stage.attempt(failing(500), model=str(number)) for number in range(20)]
    await stage.run(*attempts, max_attempts=7).collect()
    assert 7 == len(stage.asked)


async def test_rows_can_be_replaced():
    stage = Stage()
    rows = {"server": Recourse(moves=("model",)), "rate_limit": Recourse(moves=("same",), backoff=Backoff(1, 9.0, 9.0))}
    attempts = [stage.attempt(failing(500)), stage.attempt(failing(429), model="n")]
    await stage.run(*attempts, recourses=rows).collect()
    assert [("m", 0.0), ("n", 0.0), ("n", 9.0)] == [*zip(stage.asked, stage.times, strict=True)]


async def test_a_ladder_of_simpler_requests_is_a_row_and_variants():
    stage = Stage()
    wrong = failing(400, "temperature is not supported")
    attempts = [stage.attempt(part, variant=name) for part, name in ((wrong, ""), (wrong, "plain"), (ANSWER, "bare"))]
    run = stage.run(*attempts, recourses={"invalid_request": Recourse(moves=("model",))})
    assert "completed" == (await run.collect()).outcome
    assert ["", "plain", "bare"] == [tried.variant for tried in run.history]
