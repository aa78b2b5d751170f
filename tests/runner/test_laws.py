"""What holds for every run, whatever the upstreams do and whenever it is cancelled or left."""

from typing import Any

import anyio
from hypothesis import given
from hypothesis import strategies as st

from tests.runner.script import (
    ANSWER,
    BROKE,
    BROKEN,
    COUNTED,
    CUT,
    DONE,
    OVERLOADED,
    PING,
    RATE_LIMITED,
    REFUSED,
    STALL,
    UNKNOWN,
    WRONG,
    Part,
    Stage,
    said,
    thought,
)
from weft.events import BlockEnd, BlockStart, End, TextDelta
from weft.grammar import Checker
from weft.message import collect
from weft.runner import Reset, Run

ACTS = st.sampled_from(
    [
        said("a"),
        said("b", "c"),
        thought("t"),
        PING,
        b"data: {oops\n\n",
        DONE,
        COUNTED,
        1,
        70,
        STALL,
        ConnectionError("x"),
    ]
)
PARTS = st.one_of(
    st.sampled_from(
        [ANSWER, CUT, RATE_LIMITED, OVERLOADED, BROKEN, REFUSED, BROKE, UNKNOWN, WRONG, Part(open=(STALL,))]
    ),
    st.builds(Part, st.lists(ACTS, max_size=5).map(tuple)),
    st.builds(
        Part, open=st.lists(st.sampled_from([1, 20, OSError("no")]), max_size=2).map(tuple), body=st.just(ANSWER.body)
    ),
)
WAYS = st.lists(
    st.tuples(st.sampled_from("mn"), st.sampled_from("ab"), st.lists(PARTS, min_size=1, max_size=3)),
    min_size=1,
    max_size=4,
)
AFTER = st.sampled_from(["fail", "continue", "restart"])


def segments(events: list[Any]) -> list[list[Any]]:
    """The events between resets."""
    found: list[list[Any]] = [[]]
    for event in events:
        if isinstance(event, Reset):
            found.append([])
        else:
            found[-1].append(event)
    return found


def check(stage: Stage, run: Run, events: list[Any], after: str, *, whole: bool) -> None:
    """The laws."""
    assert stage.closed == len(stage.asked) == len(run.history)
    *void, last = segments(events)
    for segment in [*void, last]:
        checker = Checker()
        for event in segment:
            checker.feed(event)
    assert (1 if whole else 0) == sum(isinstance(event, End) for event in events)
    assert [] == [event for segment in void for event in segment if isinstance(event, End)]
    if whole:
        assert isinstance(events[-1], End)
        assert collect(last) == run.message
        assert (run.message.outcome == "completed") == (
            run.history[-1:] != [] and run.history[-1].outcome == "completed"
        )
    else:  # the answer may have been whole by then, as far as it had come
        assert run.message.outcome in ("completed", "failed", "truncated") or run.message.error.type == "cancelled"
        told = "".join(event.text for event in last if isinstance(event, TextDelta))
        assert after == "restart" or run.message.text.startswith(told)
    ends = sum(isinstance(event, BlockEnd) for event in last)
    assert not whole or ends == sum(isinstance(event, BlockStart) for event in last)


def played(ways: list[Any], after: str, *, leave: int | None, cancel: int | None, slow: int, backend: str) -> None:
    """One run from its beginning to its end, or until the consumer leaves, or cancels, at an event."""

    async def main() -> None:
        stage = Stage()
        attempts = [stage.attempt(*parts, model=model, key=key) for model, key, parts in ways]
        run = stage.run(*attempts, after_commit=after)
        events: list[Any] = []
        async with run:
            async for event in run:
                events.append(event)
                if len(events) == leave and not isinstance(event, End):
                    break
                if len(events) == cancel:
                    run.cancel()
                if slow:
                    await stage.clock.sleep(slow)
        left = leave is not None and len(events) == leave and not isinstance(events[-1], End)
        check(stage, run, events, after, whole=not left)

    anyio.run(main, backend=backend)


@given(ways=WAYS, after=AFTER, slow=st.sampled_from([0, 500]))
def test_a_run_to_its_end(ways: list[Any], after: str, slow: int):
    for backend in ("asyncio", "trio"):
        played(ways, after, leave=None, cancel=None, slow=slow, backend=backend)


@given(ways=WAYS, after=AFTER, at=st.integers(1, 12))
def test_a_run_that_is_left(ways: list[Any], after: str, at: int):
    played(ways, after, leave=at, cancel=None, slow=0, backend="asyncio")
    played(ways, after, leave=at, cancel=None, slow=0, backend="trio")


@given(ways=WAYS, after=AFTER, at=st.integers(1, 12), slow=st.sampled_from([0, 3]))
def test_a_run_that_is_cancelled(ways: list[Any], after: str, at: int, slow: int):
    played(ways, after, leave=None, cancel=at, slow=slow, backend="asyncio")
    played(ways, after, leave=None, cancel=at, slow=slow, backend="trio")
