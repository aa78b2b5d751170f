"""JSON that is still coming: at any cuts it tells what json.loads tells, never more than that, and at a price that is linear."""

import copy
import json
import random
import time
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.partial import DEPTH, Broken, PartialJSON, ValueComplete

TEXTS = st.text(alphabet=st.characters(), max_size=12)  # halves of characters too: json.dumps escapes them
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4))
CUTS = st.lists(st.integers(0, 400), max_size=30)


@st.composite
def written(draw) -> tuple[object, str]:
    """A value and one of the ways to write it."""
    value = draw(VALUES)
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    space = draw(st.text(alphabet=" \t\r\n", max_size=3))
    return value, space + text + space


def pieces(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    return [text[a:b] for a, b in pairwise(places)]


def read(*parts: str) -> tuple[PartialJSON, list[ValueComplete]]:
    reader = PartialJSON()
    told = [complete for part in parts for complete in reader.feed(part)]
    return reader, told + reader.close()


def values_in(value, path=()):
    """Every value with its path, inner ones first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from values_in(child, (*path, key))
    yield ValueComplete(path, value)


def begins(partial, value) -> bool:
    """Is the one a beginning of the other?"""
    if partial is msgspec.UNSET:
        return True
    if type(partial) is not type(value):
        return False
    if isinstance(value, str):
        return value.startswith(partial)
    if isinstance(value, dict):
        names = list(value)[: len(partial)]
        last = names[-1:]
        return list(partial) == names and all(
            begins(partial[n], value[n]) if [n] == last else same(partial[n], value[n]) for n in names
        )
    if isinstance(value, list):
        if len(partial) > len(value) or not all(map(same, partial[:-1], value)):
            return False
        return not partial or begins(partial[-1], value[len(partial) - 1])
    return partial == value


def same(one, other) -> bool:
    return json.dumps(one) == json.dumps(other)


@given(written(), CUTS)
def test_any_cuts_give_what_loads_gives(case, cuts: list[int]):
    value, text = case
    reader, told = read(*pieces(text, cuts))
    assert reader.value.complete
    assert reader.broken is None
    assert same(json.loads(text), reader.value.value)
    assert [(c.path, json.dumps(c.value)) for c in values_in(value)] == [(c.path, json.dumps(c.value)) for c in told]


@given(written())
def test_every_prefix_is_a_beginning_of_the_value(case):
    value, text = case
    reader = PartialJSON()
    for char in text:
        reader.feed(char)
        assert begins(reader.value.value, value)


@given(written())
def test_what_is_complete_does_not_change(case):
    _, text = case
    reader = PartialJSON()
    told = [(complete, copy.deepcopy(complete)) for char in text for complete in reader.feed(char)]
    assert all(same(then.value, now.value) for now, then in told)


@given(written())
def test_cut_container_is_never_complete(case):
    value, text = case
    bare = text.rstrip()
    if not isinstance(value, dict | list | str):
        return
    for end in range(len(bare)):
        reader, told = read(bare[:end])
        assert not reader.value.complete
        assert all(complete.path for complete in told)
        assert reader.broken is not None
        assert end == reader.broken.offset


@given(st.text(alphabet='{}[]",:\\u0123abdef tnrl.-+E\n\x01', max_size=40), CUTS)
def test_garbage_never_raises_and_is_complete_only_if_loads_takes_it(text: str, cuts: list[int]):
    reader, told = read(*pieces(text, cuts))
    whole, told_at_once = read(text)
    try:
        value = json.loads(text, parse_constant=lambda _: pytest.fail("no such word is read"))
    except ValueError:
        assert not reader.complete
        assert reader.broken is not None
    else:
        assert reader.complete
        assert same(value, reader.value.value)
    assert whole.broken == reader.broken
    assert json.dumps([(c.path, c.value) for c in told_at_once]) == json.dumps([(c.path, c.value) for c in told])


@pytest.mark.parametrize(
    ("text", "offset", "word"),
    [
        ("", 0, "no text"),
        ("  ", 2, "ends before"),
        ('{"a": 1', 7, "ends before"),
        ('{"a": 1,}', 8, "name of a member"),
        ("[1,]", 3, "value is due"),
        ("{'a': 1}", 1, "name of a member"),
        ('{"a" 1}', 5, "colon"),
        ('["a" "b"]', 5, "comma"),
        ("[1}", 2, "comma"),
        ('{"a": 01}', 6, "not a number"),
        ("[1.]", 1, "not a number"),
        ("[NaN]", 1, "value is due"),
        ("[tru]", 4, "true is due"),
        ('["a\nb"]', 3, "cannot stand in a string"),
        (r'["a\x"]', 3, "cannot stand in a string"),
        (r'["a\u12', 7, "ends before"),
        ("{} {}", 3, "value is over"),
        ("9" * 5000, 0, "not a number"),
        ("[" * (DEPTH + 1), DEPTH, "nested deeper"),
    ],
)
def test_broken_text_is_told_with_its_place(text: str, offset: int, word: str):
    for parts in ([text], list(text)):
        reader, _ = read(*parts)
        assert isinstance(reader.broken, Broken)
        assert offset == reader.broken.offset
        assert word in reader.broken.reason
        assert not reader.value.complete


def test_depth_is_read_up_to_its_limit():
    reader, told = read("[" * DEPTH + "]" * DEPTH)
    assert reader.complete
    assert DEPTH == len(told)


def test_open_path_is_the_innermost_value_that_is_not_over():
    reader = PartialJSON()
    seen = []
    for part in ('{"city', '": "Os', 'lo", ', '"days": [1', ", ", '{"a": tr', "ue", "}]", "}"):
        reader.feed(part)
        seen.append(reader.value.open_path)
    assert [(), ("city",), (), ("days", 0), ("days",), ("days", 1, "a"), ("days", 1), (), None] == seen


def test_value_is_not_there_before_it_begins():
    reader = PartialJSON()
    assert reader.value.value is msgspec.UNSET
    reader.feed("n")
    assert reader.value.value is msgspec.UNSET
    reader.feed("ull")
    assert reader.value.value is None
    assert reader.value.complete


def test_containers_are_built_in_place():
    reader = PartialJSON()
    reader.feed('{"a": [')
    value = reader.value.value
    reader.feed("1, 2, 3")
    assert value is reader.value.value
    assert {"a": [1, 2]} == value


def test_text_after_the_value_takes_its_completeness_away():
    reader = PartialJSON()
    assert [ValueComplete((), {})] == reader.feed("{}")
    assert reader.value.complete
    reader.feed(" I hope this helps")
    assert not reader.value.complete


def test_later_of_two_members_stays():
    reader, told = read('{"a": 1, "a": 2}')
    assert [ValueComplete(("a",), 1), ValueComplete(("a",), 2), ValueComplete((), {"a": 2})] == told
    assert {"a": 2} == reader.value.value


STREAMS = {
    "members": lambda size: "{" + ", ".join(f'"name{n}": [{n}, "value {n}"]' for n in range(size // 30)) + "}",
    "one long string": lambda size: json.dumps("some words\n" * (size // 12)),
    "one long number": lambda size: "[0." + "1" * size + "]",
    "deep and deeper": lambda size: "[" + ",".join("[" * 400 + "]" * 400 for _ in range(size // 800)) + "]",
    "escapes alone": lambda size: '"' + r"\u00e9" * (size // 6) + '"',
    "after a break": lambda size: "[}" + " x" * (size // 2),
}


def _cost(text: str) -> float:
    reader = PartialJSON()
    parts = [text[at : at + 5] for at in range(0, len(text), 5)]
    began = time.perf_counter()
    for part in parts:
        reader.feed(part)
    return time.perf_counter() - began


@pytest.mark.parametrize("name", STREAMS)
def test_twice_the_text_costs_twice(name: str):
    make = STREAMS[name]
    small, large = make(20_000), make(160_000)
    best = min(_cost(large) / _cost(small) for _ in range(5))
    assert best < 16  # eight times the text: linear is 8, quadratic 64


def test_cost_does_not_hang_on_how_the_text_is_cut():
    text = STREAMS["members"](20_000)
    chance = random.Random(7)  # the same cuts every time
    cuts = [chance.randrange(len(text)) for _ in range(500)]
    assert read(text)[1] == read(*pieces(text, cuts))[1]
