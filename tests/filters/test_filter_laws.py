"""What holds for every filter that holds text back: no character is lost, cuts change nothing, the cost is linear, what goes out is legal."""

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.filters.filtered import events, kept
from tests.filters.test_harmony import CALL
from tests.filters.test_tool_markup import FAMILIES
from tests.strategies import PROGRAMS
from weft.assembler import Assembler
from weft.events import TextDelta
from weft.filters.markers import Marker
from weft.filters.named import NAMED, filter_named
from weft.grammar import Checker
from weft.message import collect

HOLDING = sorted(NAMED.keys() - {"parallel", "snapshots", "surrogates"})

# What the filters look for, whole and in part, and what stands around it.
TOKENS = [
    "<think>", "</think>", "<Thinking>", "</thinking>", "<mm:think>", "</mm:think>", "<thought", "</", "<", ">", ":", "think",
    "\n", "\r", "\r\n", " ", "a", "é", "```", "\n```", "~~~", "<tool_call>", "</tool_call>", "<function=f>", "</function>",
    "<|channel|>", "<|start|>assistant", "analysis", "final", " to=functions.f", "<|message|>", "<|end|>", "<|call|>", "<|",
    "<arg_key>k</arg_key>", "<arg_value>v</arg_value>", "f", '{"name": "f", "arguments": {}}', "{}", "<minimax:tool_call>",
    "<|tool_call_begin|>", "f:0<|tool_call_argument_begin|>{}", "<|tool_call_end|>", "x" * 200,
    *(markup for _, markup in FAMILIES), CALL,
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(TOKENS), max_size=12).map("".join)


@st.composite
def texts_in_pieces(draw: st.DrawFn) -> tuple[str, list[str]]:
    text = draw(TEXTS)
    marks = sorted({0, len(text), *draw(st.lists(st.integers(0, len(text)), max_size=8))})
    return text, [text[a:b] for a, b in pairwise(marks)]


@pytest.mark.parametrize("name", HOLDING)
@given(cut=texts_in_pieces())
def test_every_character_is_text_reasoning_or_markup(name, cut):
    """In its place: nothing is lost, doubled or moved."""
    text, pieces = cut
    assert text == "".join(piece for _, piece in kept(name, pieces))


@pytest.mark.parametrize("name", HOLDING)
@given(cut=texts_in_pieces(), finish=st.sampled_from(["stop", "length", None]))
def test_cuts_change_nothing(name, cut, finish):
    """Law 1, for the text itself: a stream and the whole reply agree."""
    text, pieces = cut
    for others in (pieces, list(text)):
        assert _told(name, [text], finish) == _told(name, others, finish)


def _told(name, pieces, finish):
    return collect(events(name, pieces, finish=finish)).to_dict()


@pytest.mark.parametrize("name", sorted(NAMED))
@given(program=PROGRAMS)
def test_whatever_is_said_through_a_filter_gives_a_legal_stream(name, program):
    """Laws 2 and 3."""
    said, checker = [], Checker()
    assembler = Assembler(said.append)
    filter = filter_named(name)(assembler)
    for verb, arguments in program:
        getattr(filter, verb)(*arguments)
    filter.flush()
    assembler.close()
    for event in said:
        checker.feed(event)
    checker.close()


@pytest.mark.parametrize("name", HOLDING)
def test_plain_text_goes_through_as_it_comes(name):
    """No delta waits that cannot be the beginning of anything."""
    pieces = ["Hello", " you,", " it is", " late.\n", "Good", " night."]
    said = [event.text for event in events(name, pieces) if isinstance(event, TextDelta)]
    assert "think-open" == name or pieces == said


HARD = {
    "plain": "word ",
    "begun tags": "<",
    "begun closes": "</think",
    "white space": " ",
    "open tags": "<think>",
    "open markup": "<tool_call>",
    "markup that goes on": "<tool_call>{",
    "open functions": "<function=f><parameter=a>",
    "channels": "<|channel|>",
    "messages": "<|channel|>analysis<|message|>",
    "sections": "<|tool_calls_section_begin|><|tool_call_begin|>",
    "calls": "<tool_call>f</tool_call>",
    "fences": "\n```",
}


def _cost(name: str, pieces: list[str]) -> float:
    best = float("inf")
    for _ in range(3):
        filter = filter_named(name)(Assembler(lambda _: None))
        begin = process_time()
        for piece in pieces:
            filter.text(piece)
        filter.finish("stop")
        filter.flush()
        best = min(best, process_time() - begin)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("name", HOLDING)
@pytest.mark.parametrize("text", HARD.values(), ids=HARD.keys())
@pytest.mark.parametrize("whole", [True, False])
def test_twice_the_text_costs_twice(name, text, whole):
    """Law 6: in one piece and in many. What is quadratic costs sixteen times as much here."""
    small, large = (["".join([text] * count)] if whole else [text] * count for count in (2000, 8000))
    assert _cost(name, large) < 9 * _cost(name, small) + 0.02


def test_the_beginning_of_a_marker_is_held_and_no_more():
    marker = Marker.of("<think>", "</th>", "ab")
    assert [
        ("x", None, ""),
        ("x", None, "<"),
        ("x", None, "</t"),
        ("<", None, "a"),
        ("b", None, ""),
        ("x<", None, "<"),
    ] == [
        (text[: (cut := marker.cut(text, 0)).end], cut.found, text[cut.rest :])
        for text in ("x", "x<", "x</t", "<a", "b", "x<<")
    ]
    end, found, rest = marker.cut("x<THINK>y", 0)
    assert (1, "<THINK>", 8) == (end, found.group(), rest)
