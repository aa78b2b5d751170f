"""The writer of arguments that come as values at paths: what it writes is the object that the values make, whatever it is."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.protocols.gemini.partial_args import ArgsWriter, OutOfOrderError, steps_of

names = st.text(min_size=1, max_size=6)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, min_size=1, max_size=4) | st.dictionaries(names, inner, min_size=1, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(names, values, min_size=1, max_size=5)


def leaves_of(value: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    """Every leaf with its path, as Vertex sends them."""
    if isinstance(value, dict):
        for name, member in value.items():
            plain = name.isidentifier()
            escaped = name.replace("\\", "\\\\").replace("'", "\\'")
            yield from leaves_of(member, f"{path}.{name}" if plain else f"{path}['{escaped}']")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from leaves_of(item, f"{path}[{at}]")
    else:
        yield path, value


def written(leaves: Iterator[tuple[str, Any]], size: int = 3) -> str:
    """All that a writer gives, strings in pieces of this size."""
    writer = ArgsWriter()
    text: list[str] = []
    for path, value in leaves:
        if isinstance(value, str):
            pieces = [value[at : at + size] for at in range(0, len(value), size)] or [""]
            text += [writer.string(path, piece) for piece in pieces]
        else:
            text.append(writer.value(path, json.dumps(value)))
    return "".join([*text, writer.close()])


@given(objects, st.integers(1, 5))
def test_any_object_can_be_written(value: dict[str, Any], size: int):
    assert value == json.loads(written(leaves_of(value), size))


@given(objects)
def test_every_beginning_of_the_text_is_open(value: dict[str, Any]):
    """A10: nothing that is not closed by the source parses."""
    text = written(leaves_of(value))
    for size in range(1, len(text)):
        with pytest.raises(ValueError):
            json.loads(text[:size])


def test_nothing_written_has_no_text():
    assert "" == ArgsWriter().close()


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("$.a", ["a"]),
        ("a", ["a"]),
        ("$.a.b[0][12].c", ["a", "b", 0, 12, "c"]),
        ("$['a.b']['it\\'s']", ["a.b", "it's"]),
        ('$["a"].b', ["a", "b"]),
        ("$.naïve key", ["naïve key"]),
    ],
)
def test_paths_are_read(path: str, steps: list[str | int]):
    assert steps == steps_of(path)


@pytest.mark.parametrize(
    "path", ["", "$", "$[0]", "$.", "$.a[", "$.a[x]", "$.a..b", "$.a[99999999999]", "$" + ".a" * 500]
)
def test_a_path_that_leads_nowhere_is_refused(path: str):
    with pytest.raises(OutOfOrderError):
        ArgsWriter().value(path, "1")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("$.a", "$.a"),
        ("$.a", "$.a.b"),
        ("$.a.b", "$.a"),
        ("$.a[0]", "$.a[2]"),
        ("$.a[0]", "$.a.b"),
        ("$.a.b", "$.a[0]"),
        ("$.a[1]", "$.a[2]"),
    ],
)
def test_a_value_that_has_no_place_is_refused(first: str, second: str):
    writer = ArgsWriter()
    with pytest.raises(OutOfOrderError):
        _ = writer.value(first, "1"), writer.value(second, "2")


def test_a_piece_costs_what_it_weighs():
    """Nothing written is looked at again: the parts of a long string are given as they are."""
    writer = ArgsWriter()
    writer.string("$.a", "x")
    assert ["y"] * 1000 == [writer.string("$.a", "y") for _ in range(1000)]
