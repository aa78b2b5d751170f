"""Half characters at the end: what never finds its other half is a U+FFFD, not lost."""

import pytest

from tests.protocols.wire import message, sse
from weft.assembler import Assembler
from weft.errors import make_error
from weft.filters.surrogates import Surrogates
from weft.message import collect

HIGH, LOW = "\ud83d", "\ude00"


def through(*verbs):
    said = []
    assembler = Assembler(said.append)
    filter = Surrogates(assembler)
    for verb, *args in verbs:
        getattr(filter, verb)(*args)
    filter.flush()
    assembler.close()
    return collect(said)


@pytest.mark.parametrize(
    "ending", [(), (("finish", "stop"),), (("sign", "done"),), (("fail", make_error("server", "x")),)]
)
def test_a_half_at_the_end_is_not_lost(ending):
    """B10."""
    assert "a\ufffd" == through(("text", "a" + HIGH), *ending).text


def test_a_half_in_every_kind_of_place():
    got = through(
        ("reasoning", "r" + HIGH, 0, None, 1, "summary"),
        ("refusal", "n" + HIGH, 1),
        ("tool_call", 0, "c", "f", '{"a":"' + HIGH, 2),
        ("open", "tool_call", "k"),
        ("args", '"' + HIGH, "k"),
    )
    first, second, third = got.choices
    assert ("r\ufffd", "n\ufffd", '{"a":"\ufffd') == (first.reasoning, second.refusal, third.tool_calls[0].raw)
    assert ['"\ufffd'] == [call.raw for call in first.tool_calls]
    assert [(1, "summary")] == [(piece.part, piece.form) for part in first.blocks[:1] for piece in part.pieces]


def test_the_end_of_a_block_lets_go_of_its_half_alone():
    got = through(("text", "a" + HIGH, 0, "x"), ("text", "b" + HIGH, 0, "y"), ("end", "x"), ("text", LOW + "c", 0, "y"))
    assert ["a\ufffd", "b😀c"] == [part.text for part in got.blocks]


def test_another_choice_s_finish_does_not_part_the_halves():
    got = through(("text", "a" + HIGH, 1), ("finish", "stop", None, 0), ("finish", "", None, 1), ("text", LOW, 1))
    assert "a😀" == got.choices[1].text


@pytest.mark.parametrize("ending", [[], ["[DONE]"]])
def test_a_stream_that_ends_in_half_a_character(ending):
    frame = '{"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}'
    assert "a\ufffd" == message(sse(frame, *ending), "openai-chat").text
