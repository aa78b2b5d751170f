"""The commit point: what is visible, what is withheld, and the three ways to go on after it."""

from typing import Any

import pytest

import weft
from tests.protocols.chat_wire import call, calls, chunk, end, usage
from tests.protocols.wire import sse
from tests.runner.script import ANSWER, BROKEN, COUNTED, CUT, DONE, STALL, WRONG, Part, Stage, said, thought, told
from weft.events import Note
from weft.grammar import Checker
from weft.runner import VISIBLE, Attempt, Reset, Run

pytestmark = pytest.mark.anyio


def legal(events: list[Any]) -> None:
    """Each segment between resets is in order, and the last has its terminal."""
    checker = Checker()
    for event in events:
        if isinstance(event, Reset):
            checker = Checker()
        else:
            checker.feed(event)
    checker.close()


def types(events: list[Any]) -> str:
    return " ".join(event.type for event in events)


CALL = sse(calls(call(0, "c1", "look", '{"a')))
REFUSAL = sse(chunk({"refusal": "I won't"}))
FILE = sse(chunk({"images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}))


@pytest.mark.parametrize(
    ("begun", "committed"),
    [
        (b"", False),
        (sse(chunk({"role": "assistant"})), False),
        (sse(chunk({"role": "assistant", "content": ""})), False),
        (sse(chunk(usage=usage())), False),
        (thought("Hm"), False),
        (said("Hel"), True),
        (said(" "), True),
        (CALL, True),
        (REFUSAL, True),
        (FILE, True),
    ],
    ids=["nothing", "role", "empty", "usage", "reasoning", "text", "space", "call", "refusal", "file"],
)
async def test_what_is_visible_commits(begun: bytes, committed: bool):
    stage = Stage()
    run = stage.run(stage.attempt(Part((begun,)), ANSWER))
    events = await told(run)
    legal(events)
    assert committed == run.history[0].committed
    assert ("truncated" if committed else "completed") == run.message.outcome
    assert committed == (["m"] == stage.asked)


async def test_what_was_withheld_is_dismissed_with_its_attempt():
    stage = Stage()
    run = stage.run(stage.attempt(Part((thought("One"),)), Part((thought("Two"), *ANSWER.body))))
    events = await told(run)
    assert [*weft.read(thought("Two") + b"".join(ANSWER.body), "openai-chat")] == events
    assert "Two" == run.message.reasoning


async def test_nothing_is_given_before_it_is_visible():
    stage, given = Stage(), []
    part = Part(
        (thought("Hm"), 1, lambda: given.append(len(seen)), said("Hi"), 1, lambda: given.append(len(seen)), DONE)
    )
    seen: list[Any] = []
    async with stage.run(stage.attempt(part)) as run:
        async for event in run:
            seen.append(event)  # noqa: PERF401 - seen while the run goes on
    assert 0 == given[0]
    assert given[1] > 0


async def test_reasoning_commits_if_it_is_to_be_seen():
    stage = Stage()
    run = stage.run(stage.attempt(Part((thought("Hm"),)), ANSWER), commit_on={*VISIBLE, "reasoning"})
    assert "start block-start reasoning-delta block-end end" == types(await told(run))
    assert ["m"] == stage.asked


async def test_more_than_can_be_withheld_commits():
    stage = Stage()
    run = stage.run(stage.attempt(Part((thought(*["Hm"] * 10_001),)), ANSWER))
    await told(run)
    assert (["m"], True) == (stage.asked, run.history[0].committed)


async def test_an_answer_without_anything_visible_is_an_answer():
    stage = Stage()
    run = stage.run(stage.attempt(Part((thought("Hm"), DONE))))
    legal(await told(run))
    assert ("Hm", "completed", ["m"]) == (run.message.reasoning, run.message.outcome, stage.asked)


async def test_the_last_failure_is_told_with_what_it_said():
    stage = Stage()
    run = stage.run(stage.attempt(Part((thought("One"),)), Part((thought("Two"),))), max_attempts=2)
    legal(await told(run))
    assert ("Two", "truncated") == (run.message.reasoning, run.message.outcome)


# --- continue ------------------------------------------------------------------------------------------------------


def continued(stage: Stage, *attempts: Attempt, **options: Any) -> Run:
    return stage.run(*attempts, after_commit="continue", **options)


async def test_continue_goes_on_in_the_same_message():
    stage = Stage()
    run = continued(stage, stage.attempt(Part((said("Hel"),)), Part((said("lo"), COUNTED))))
    events = await told(run)
    legal(events)
    assert "start block-start text-delta block-end note block-start text-delta usage block-end end" == types(events)
    assert ("Hello", "completed") == (run.message.text, run.message.outcome)
    assert [False, True] == [part.complete for part in run.message.blocks]
    [note] = [event for event in events if isinstance(event, Note)]
    assert "continued" == note.code
    assert "truncated" in note.message


async def test_continue_tells_the_opener_what_was_said():
    stage = Stage()
    await told(continued(stage, stage.attempt(CUT, Part((said("lo"), DONE)))))
    assert [None, "Hel"] == [ask.so_far and ask.so_far.text for ask in stage.asks]


async def test_a_retry_before_the_commit_point_has_nothing_so_far():
    stage = Stage()
    await told(continued(stage, stage.attempt(BROKEN, ANSWER)))
    assert [None, None] == [ask.so_far for ask in stage.asks]


async def test_continue_keeps_blocks_and_calls_apart():
    stage = Stage()
    half = Part((said("Hi"), sse(calls(call(0, None, "look", '{"a')))))
    whole = Part((said("!"), sse(calls(call(0, None, "look", '{"a":1}')), end("tool_calls"), done=True)))
    run = continued(stage, stage.attempt(half, whole))
    legal(await told(run))
    assert [('{"a', False), ('{"a":1}', True)] == [(each.raw, each.complete) for each in run.message.tool_calls]
    assert 2 == len({each.id for each in run.message.tool_calls})
    assert "tool_calls" == run.message.finish


async def test_continue_adds_the_counts_up():
    stage = Stage()
    broken = Part((said("Hel"), sse(chunk(usage=usage(10, 2, 12))), sse({"error": {"message": "x", "code": 500}})))
    run = continued(stage, stage.attempt(broken, Part((said("lo"), COUNTED))))
    await told(run)
    counts = run.message.usage
    assert (13, 6, 19, "derived") == (counts.input_tokens, counts.output_tokens, counts.total_tokens, counts.source)
    assert (13, 6) == (run.usage.input_tokens, run.usage.output_tokens)


async def test_a_sum_with_a_part_that_nobody_said_is_estimated():
    stage = Stage()
    run = continued(stage, stage.attempt(CUT, Part((said("lo"), COUNTED))))
    await told(run)
    assert (3, "estimated") == (run.message.usage.input_tokens, run.message.usage.source)


async def test_continue_over_several_attempts():
    stage = Stage()
    parts = [Part((said(word),)) for word in ("a", "b", "c")]
    run = continued(stage, stage.attempt(*parts, Part((said("d"), DONE))), max_attempts=9)
    legal(await told(run))
    assert ("abcd", "completed") == (run.message.text, run.message.outcome)


async def test_continue_with_an_attempt_that_has_nothing_to_add():
    stage = Stage()
    run = continued(stage, stage.attempt(CUT, Part((DONE,))))
    legal(await told(run))
    assert ("Hel", "completed") == (run.message.text, run.message.outcome)


@pytest.mark.parametrize("after", ["continue", "restart"])
async def test_what_was_said_stands_when_no_one_can_go_on(after: str):
    stage = Stage()
    run = stage.run(stage.attempt(CUT, Part((thought("Hm"), *BROKEN.body), status=200), WRONG), after_commit=after)
    events = await told(run)
    legal(events)
    assert ("Hel", "failed", "invalid_request") == (run.message.text, run.message.outcome, run.message.error.type)
    assert [] == [event for event in events if isinstance(event, Reset)]
    assert "" == run.message.reasoning


def test_continue_needs_the_message():
    stage = Stage()
    with pytest.raises(ValueError, match="keep"):
        continued(stage, stage.attempt(ANSWER), keep=False)


# --- restart -------------------------------------------------------------------------------------------------------


async def test_restart_takes_back_what_was_said():
    stage = Stage()
    run = stage.run(stage.attempt(CUT, ANSWER), after_commit="restart")
    events = await told(run)
    legal(events)
    at = next(at for at, event in enumerate(events) if isinstance(event, Reset))
    assert (2, "truncated") == (events[at].attempt, events[at].error.type)
    assert [*weft.read(b"".join(ANSWER.body), "openai-chat")] == events[at + 1 :]
    assert ("Hello there", "completed") == (run.message.text, run.message.outcome)


async def test_nothing_is_taken_back_before_there_is_something_better():
    stage = Stage()
    run = stage.run(stage.attempt(CUT, BROKEN, BROKEN, ANSWER), after_commit="restart")
    events = await told(run)
    assert 1 == sum(isinstance(event, Reset) for event in events)
    assert 4 == next(event.attempt for event in events if isinstance(event, Reset))


async def test_restart_twice_resets_twice():
    stage = Stage()
    run = stage.run(stage.attempt(CUT, Part((said("Good"),)), ANSWER), after_commit="restart")
    events = await told(run)
    legal(events)
    assert [2, 3] == [event.attempt for event in events if isinstance(event, Reset)]
    assert "Hello there" == run.message.text


async def test_a_reset_goes_to_json():
    stage = Stage()
    events = await told(stage.run(stage.attempt(CUT, ANSWER), after_commit="restart"))
    [reset] = [event for event in events if isinstance(event, Reset)]
    assert b'{"type":"reset","attempt":2,"error":{"type":"truncated"' in weft.to_json(reset)


@pytest.mark.parametrize("after", ["fail", "continue", "restart"])
async def test_cancelled_in_the_wait_after_the_commit_point(after: str):
    stage = Stage()
    attempt = stage.attempt(Part((said("Hel"), sse({"error": {"message": "x", "code": 429}}))))
    events: list[Any] = []
    run = stage.run(attempt, after_commit=after, random=lambda: run.cancel() or 0.5)
    async with run:
        events = [event async for event in run]
    legal(events)
    assert "Hel" == run.message.text
    expected = ("failed", "rate_limit") if after == "fail" else ("incomplete", "cancelled")
    assert expected == (run.message.outcome, run.message.error.type)


async def test_cancelled_while_the_next_attempt_has_nothing_to_show():
    stage = Stage()

    def cancel() -> None:
        run.cancel()

    run = continued(stage, stage.attempt(CUT, Part((thought("Hm"), cancel, STALL))))
    legal(await told(run))
    assert ("Hel", "incomplete", "cancelled") == (run.message.text, run.message.outcome, run.message.error.type)
    assert ["truncated", "incomplete"] == [tried.outcome for tried in run.history]
