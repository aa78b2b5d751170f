"""Laws of the way from chunks to a sink, over any chunks: order is kept, nothing is lost, one end; cuts of the source change nothing."""

import anyio
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.adapters.test_built_in import CASES
from tests.orchestrator.stage import DONE, Log, call, failed, text, thought
from weft.orchestrator import FlushRules, orchestrate

WORDS = st.sampled_from(["Hi. ", "a", " ", "\n", "\n\n", "```\n", "x. y", "。", "word "])
CHUNKS = st.lists(
    st.one_of(
        WORDS.map(text),
        WORDS.map(thought),
        st.sampled_from(["f", "g"]).map(call),
        st.just(DONE),
        st.sampled_from([DONE, DONE, DONE, failed()]),
    ),
    max_size=15,
)
RULES = st.builds(
    FlushRules, at=st.sampled_from(["sentence", "line", "paragraph", "size"]), limit=st.sampled_from([None, 3, 200])
)


async def _source(items):
    for item in items:
        yield item


def shown(items, **options):
    log = Log()

    async def show():
        return await orchestrate(_source(items), log, **options)

    return anyio.run(show), log


@given(CHUNKS, RULES)
def test_what_is_told_is_what_came_in_its_order(chunks, rules):
    result, log = shown(chunks, rules=rules)
    failure = next((at for at, chunk in enumerate(chunks) if chunk.type == "error"), None)
    heard = chunks if failure is None else chunks[:failure]
    said = [chunk.content for chunk in heard if chunk.content]
    assert "".join(said) == "".join(log.shown) == result.text
    assert [chunk.function_call for chunk in heard if chunk.function_call] == list(result.calls)
    assert [entry.content for chunk in heard for entry in chunk.thoughts] == [v for k, v in log.told if k == "raw"]
    assert log.told[-1][0] in ("done", "error")
    assert 1 == len(log.ends)
    # Between two calls stands the text that came between them.
    assert _apart(heard) == _apart_told(log)


def _apart(chunks) -> list[str]:
    parts = [""]
    for chunk in chunks:
        if chunk.function_call:
            parts.append("")
        parts[-1] += chunk.content or ""
    return parts


def _apart_told(log) -> list[str]:
    parts = [""]
    for kind, value in log.told:
        if kind == "call":
            parts.append("")
        if kind == "text":
            parts[-1] += value
    return parts


@given(st.sampled_from(CASES[::5]), st.integers(1, 400))
def test_cuts_of_the_source_change_nothing_that_is_shown(case, size):
    protocol, path = case
    data, rules = path.read_bytes(), FlushRules(at="sentence")
    whole, log = shown([data], adapter=protocol, rules=rules)
    pieces, other = shown([data[at : at + size] for at in range(0, len(data), size)], adapter=protocol, rules=rules)
    assert replace(whole, duration=0.0) == replace(pieces, duration=0.0)
    assert [entry for entry in log.told if entry[0] != "raw"] == [entry for entry in other.told if entry[0] != "raw"]
