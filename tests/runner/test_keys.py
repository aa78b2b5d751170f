"""Key rotation: who is asked next, who rests, and that no secret is shown."""

import json

import anyio
import msgspec
import pytest

from tests.runner.script import ANSWER, BROKE, CUT, RATE_LIMITED, REFUSED, Part, Stage, failing
from weft.runner import Key, KeyRing, expand

pytestmark = pytest.mark.anyio


async def test_a_limited_key_gives_way_to_the_next():
    stage = Stage()
    run = stage.run(stage.attempt(RATE_LIMITED, key="a"), stage.attempt(ANSWER, key="b"))
    assert "Hello there" == (await run.collect()).text
    assert ["m/a", "m/b"] == stage.asked
    assert [0.0, 0.0] == stage.times
    assert [("a", "rate_limit"), ("b", None)] == [(t.key, t.error and t.error.type) for t in run.history]


@pytest.mark.parametrize(("fault", "seconds"), [(RATE_LIMITED, 60), (BROKE, 300), (REFUSED, 300)])
async def test_a_key_rests_for_later_runs(fault: Part, seconds: float):
    stage, ring = Stage(), KeyRing()
    a, b = stage.attempt(fault, ANSWER, key="a"), stage.attempt(ANSWER, key="b")
    await stage.run(a, b, keys=ring).collect()
    assert seconds == ring.free_at(a)
    await stage.clock.sleep(seconds - 1)
    ring.disable("openai-chat", "b")
    run = stage.run(a, b, keys=ring, longest_wait=0.5)
    assert ("rate_limit", "keys_resting", 1.0) == await ending(run)
    await stage.clock.sleep(1)
    assert "completed" == (await stage.run(a, b, keys=ring).collect()).outcome
    assert ["m/a", "m/b", "m/a"] == stage.asked


async def ending(run):
    error = (await run.collect()).error
    return error.type, error.code, error.retry_after


async def test_a_longer_retry_after_is_a_longer_rest():
    stage, ring = Stage(), KeyRing()
    a = stage.attempt(failing(429, headers={"retry-after": "90"}), key="a")
    await stage.run(a, stage.attempt(ANSWER, key="b"), keys=ring).collect()
    assert 90 == ring.free_at(a)


async def test_a_shorter_retry_after_does_not_shorten_the_rest():
    stage, ring = Stage(), KeyRing()
    a = stage.attempt(failing(429, headers={"retry-after": "5"}), key="a")
    await stage.run(a, stage.attempt(ANSWER, key="b"), keys=ring).collect()
    assert 60 == ring.free_at(a)


async def test_a_limit_counts_for_its_model_only_and_an_empty_account_for_all():
    stage, ring = Stage(), KeyRing()
    limited = stage.attempt(RATE_LIMITED, model="big", key="a")
    small = stage.attempt(BROKE, model="small", key="a")
    await stage.run(limited, small, keys=ring, max_attempts=2).collect()
    assert ["big/a", "small/a"] == stage.asked
    assert 300 == ring.free_at(limited)


async def test_the_key_that_was_used_least_is_next():
    stage, ring = Stage(), KeyRing()
    attempts = [stage.attempt(ANSWER, key=key) for key in "abc"]
    for _ in range(5):
        await stage.run(*attempts, keys=ring).collect()
    assert ["m/a", "m/b", "m/c", "m/a", "m/b"] == stage.asked
    assert 2 == ring.used("openai-chat", "a")


async def test_a_disabled_key_is_not_used():
    stage, ring = Stage(), KeyRing()
    attempts = [stage.attempt(ANSWER, key=key) for key in "ab"]
    ring.disable("openai-chat", "a")
    await stage.run(*attempts, keys=ring).collect()
    ring.enable("openai-chat", "a")
    await stage.run(*attempts, keys=ring).collect()
    assert ["m/b", "m/a"] == stage.asked


async def test_without_any_enabled_key_nobody_is_asked():
    stage, ring = Stage(), KeyRing()
    ring.disable("openai-chat", "a")
    assert ("authentication", "keys_disabled", None) == await ending(
        stage.run(stage.attempt(ANSWER, key="a"), keys=ring)
    )
    assert [] == stage.asked


async def test_a_run_waits_for_the_key_that_is_free_first():
    stage, ring = Stage(), KeyRing()
    a, b = stage.attempt(RATE_LIMITED, ANSWER, key="a"), stage.attempt(BROKE, key="b")
    await stage.run(a, b, keys=ring, max_attempts=2).collect()
    run = stage.run(a, b, keys=ring)
    assert "Hello there" == (await run.collect()).text
    assert [("m/a", 0.0), ("m/b", 0.0), ("m/a", 60.0)] == [*zip(stage.asked, stage.times, strict=True)]
    assert 60.0 == run.history[0].waited


async def test_success_ends_the_rest():
    stage, ring = Stage(), KeyRing()
    a = stage.attempt(failing(429, headers={"retry-after": "2"}), ANSWER, key="a")
    await stage.run(a, keys=ring).collect()
    assert [0.0, 2.0] == stage.times
    assert ring.free_at(a) < 0


async def test_success_of_an_attempt_that_began_before_does_not_end_the_rest():
    stage, ring = Stage(), KeyRing()
    slow, quick = (
        stage.attempt(Part((10, *ANSWER.body)), key="a"),
        stage.attempt(Part(RATE_LIMITED.body, (5,), 429), key="a"),
    )
    async with anyio.create_task_group() as group:
        group.start_soon(stage.run(slow, keys=ring).collect)
        group.start_soon(stage.run(quick, keys=ring, max_attempts=1).collect)
    assert (10.0, 65.0) == (stage.clock.now(), ring.free_at(slow))


async def test_three_keys_of_a_model_are_tried_unless_said_otherwise():
    stage = Stage()
    attempts = [stage.attempt(REFUSED, key=key) for key in "abcde"]
    assert "authentication" == (await stage.run(*attempts).collect()).error.type
    assert ["m/a", "m/b", "m/c"] == stage.asked
    stage.asked.clear()
    await stage.run(*attempts, keys_per_model=5).collect()
    assert ["m/a", "m/b", "m/c", "m/d", "m/e"] == stage.asked


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_client_s_fault_burns_no_key(status: int):
    stage, ring = Stage(), KeyRing()
    a, b = stage.attempt(failing(status), key="a"), stage.attempt(ANSWER, key="b")
    message = await stage.run(a, b, stage.attempt(ANSWER, model="other"), keys=ring).collect()
    assert ("failed", "client") == (message.outcome, message.error.fault)
    assert ["m/a"] == stage.asked
    assert ring.free_at(a) < 0


async def test_runs_beside_each_other_share_the_ring_and_nothing_else():
    stage, ring = Stage(), KeyRing()
    attempts = [stage.attempt(Part((1.0, *ANSWER.body)), key=key) for key in "ab"]
    runs = [stage.run(*attempts, keys=ring) for _ in range(4)]
    async with anyio.create_task_group() as group:
        for run in runs:
            group.start_soon(run.collect)
    assert ["m/a", "m/a", "m/b", "m/b"] == sorted(stage.asked)
    assert ["Hello there"] * 4 == [run.message.text for run in runs]
    assert [1, 1, 1, 1] == [len(run.history) for run in runs]


async def test_no_secret_is_shown():
    stage = Stage()
    key = Key("main", "tr0ub4dor")
    complaint = failing(401, "the key tr0ub4dor is wrong", param="tr0ub4dor")
    line = Part(open=(ConnectionError("GET /?key=tr0ub4dor failed"),))
    for part in (complaint, line):
        attempt = msgspec.structs.replace(stage.attempt(part), key=key)
        run = stage.run(attempt, max_attempts=1)
        events = [repr(event) async for event in entered(run)]
        shown = [repr(attempt), repr(key), *events, repr(run.history), json.dumps(run.message.to_dict())]
        shown.append(msgspec.json.encode(run.history).decode())
        assert [] == [text for text in shown if "tr0ub4dor" in text]
        assert "main" == run.history[0].key
    assert "tr0ub4dor" == stage.asks[0].secret


async def entered(run):
    async with run:
        async for event in run:
            yield event


async def test_a_cut_answer_is_tried_with_another_key_when_the_same_did_not_help():
    stage = Stage()
    a, b = stage.attempt(Part(), key="a"), stage.attempt(ANSWER, key="b")
    assert "completed" == (await stage.run(a, b).collect()).outcome
    assert ["m/a"] * 5 + ["m/b"] == stage.asked
    assert "truncated" == (await stage.run(stage.attempt(CUT)).collect()).outcome


def test_two_keys_with_one_label_are_refused():
    """The second was taken for the first, and never tried."""
    stage = Stage()
    models = [stage.attempt(ANSWER)]
    with pytest.raises(ValueError, match="label 'main'"):
        stage.run(*expand(models, [Key("main", "one"), Key("main", "two")]))
    stage.run(*expand([*models, stage.attempt(ANSWER, model="n")], [Key("main", "one")]))
