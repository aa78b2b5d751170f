"""One run: what the consumer is told, and what it took."""

import anyio
import pytest

import weft
from tests.runner.script import ANSWER, COUNTED, CUT, OVERLOADED, Part, Stage, said, told
from weft.grammar import Checker
from weft.runner import Key, Recourse, expand

pytestmark = pytest.mark.anyio


async def test_an_answer_is_told_as_it_came():
    stage = Stage()
    run = stage.run(stage.attempt(ANSWER))
    events = await told(run)
    assert [*weft.read(b"".join(ANSWER.body), "openai-chat")] == events
    assert ("Hello there", "completed") == (run.message.text, run.message.outcome)
    assert ["completed"] == [tried.outcome for tried in run.history]


async def test_every_prefix_of_a_run_is_legal_and_has_one_terminal():
    stage = Stage()
    checker = Checker()
    for event in await told(stage.run(stage.attempt(OVERLOADED, ANSWER))):
        checker.feed(event)
    checker.close()


async def test_collect_is_the_whole_answer():
    stage = Stage()
    message = await stage.run(stage.attempt(OVERLOADED, ANSWER)).collect()
    assert ("Hello there", "completed") == (message.text, message.outcome)


async def test_a_failure_without_recourse_is_the_terminal():
    stage = Stage()
    run = stage.run(stage.attempt(CUT))
    events = await told(run)
    assert ("truncated", "truncated") == (events[-1].outcome, events[-1].error.type)
    assert "Hel" == run.message.text
    assert 1 == stage.closed


async def test_parsed_frames_do_as_well_as_bytes():
    stage = Stage()
    frame = {"id": "c1", "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    message = await stage.run(stage.attempt(Part((frame,)))).collect()
    assert ("Hi", "completed") == (message.text, message.outcome)


async def test_iterating_without_entering_says_what_to_do():
    stage = Stage()
    with pytest.raises(RuntimeError, match="async with"):
        await anext(aiter(stage.run(stage.attempt(ANSWER))))


async def test_a_run_is_made_for_one_answer():
    stage = Stage()
    run = stage.run(stage.attempt(ANSWER))
    await told(run)
    with pytest.raises(RuntimeError, match="one answer"):
        await told(run)


@pytest.mark.parametrize(
    "mistake", [TypeError("url must be a string"), KeyError("OPENAI_API_KEY")], ids=["type", "key"]
)
async def test_misuse_is_not_retried(mistake: Exception):
    stage = Stage()
    run = stage.run(stage.attempt(Part(open=(mistake,))))
    with pytest.raises(type(mistake), match=mistake.args[0]):
        await told(run)
    assert ["m"] == stage.asked


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"protocol": "openai-chatt"}, "did you mean"),
        ({"dialect": "deepseekk"}, "deepseek"),
        ({"protocol": "text"}, "a target only"),
    ],
)
def test_a_protocol_that_nobody_can_read_is_refused_before_anybody_is_asked(fields: dict[str, str], words: str):
    stage = Stage()
    with pytest.raises(ValueError, match=words):
        stage.run(stage.attempt(ANSWER), stage.attempt(ANSWER, **fields))


async def test_a_filter_that_nobody_knows_is_raised_as_what_it_is():
    stage = Stage()
    with pytest.raises(ValueError, match="filter"):
        await told(stage.run(stage.attempt(ANSWER, filters=("thinkk",))))
    assert 1 == stage.closed


async def test_a_second_consumer_is_told_so_and_the_first_goes_on():
    stage = Stage()
    async with stage.run(stage.attempt(ANSWER)) as run:
        heard, refused = [], []

        async def consume() -> None:
            try:
                heard.extend([event async for event in run])
            except RuntimeError as error:
                refused.append(str(error))

        async with anyio.create_task_group() as group:
            group.start_soon(consume)
            group.start_soon(consume)
    assert ("end", 1) == (heard[-1].type, len(refused))
    assert "one consumer" in refused[0]


async def test_an_exception_of_the_block_comes_out_as_it_is():
    stage = Stage()
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - what is raised inside is the point
        async with stage.run(stage.attempt(ANSWER)) as run:
            async for _ in run:
                1 / 0  # noqa: B018
    assert 1 == stage.closed


async def test_a_transport_fault_after_a_good_terminal_is_none():
    stage = Stage()
    part = Part((said("Hi"), *ANSWER.body[1:], ConnectionResetError("late")))
    message = await stage.run(stage.attempt(part)).collect()
    assert ("completed", None) == (message.outcome, message.error)


async def test_the_body_is_not_read_past_the_terminal():
    stage = Stage()
    read = []
    part = Part((said("Hi"), COUNTED, lambda: read.append("more")))
    await told(stage.run(stage.attempt(part)))
    assert [] == read
    assert 1 == stage.closed


async def test_a_redirect_is_a_failure():
    stage = Stage()
    message = await stage.run(stage.attempt(Part(status=307)), max_attempts=1).collect()
    assert ("failed", "protocol", 307) == (message.outcome, message.error.type, message.error.status)


def test_keys_and_models_are_expanded_models_first():
    stage = Stage()
    models = [stage.attempt(ANSWER, model="a"), stage.attempt(ANSWER, model="b")]
    attempts = expand(models, [Key("x"), Key("y")])
    assert [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")] == [(a.model, a.key.label) for a in attempts]
    assert attempts[0].open is models[0].open


def test_a_run_needs_an_attempt():
    with pytest.raises(ValueError, match="at least one"):
        weft.run([])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"after_commit": "retry"}, "restart"),
        ({"commit_on": {"thinking"}}, "reasoning"),
        ({"recourses": {"rate-limit": Recourse()}}, "rate_limit"),
    ],
)
def test_a_word_that_means_nothing_is_refused(options, word):
    """It was taken, and did something else than what was meant."""
    stage = Stage()
    with pytest.raises(ValueError, match=word):
        stage.run(stage.attempt(ANSWER), **options)
