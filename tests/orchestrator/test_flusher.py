"""The buffer of visible text: where it is cut, and the laws: nothing lost, nothing added, whatever the chunks."""

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.orchestrator import Flusher, FlushRules

BOUNDARIES = ["sentence", "line", "paragraph", "size"]
CODE = "```python\nprint('a. b')\n\nprint('c')\n```\n"

# Texts that are rich in what matters: stops, breaks, fences, marks, scripts, clusters.
TEXTS = st.lists(
    st.sampled_from(
        [" ", "  ", "\n", "\n\n", "\r\n", "\t", ".", "!", "?", "。", "！", "…", "a", "word", "Mr.", "e.g.", "1.", "3.14", "`", "```", "```py",
         "~~~", "```\n", "\n```\n", "\n```py\ncode\n```\n", "**", "(", ")", "[", "「", "」", '"', "*", "-", ",", ":", "é", "e\u0301",
         "👩\u200d👩\u200d👧", "🇩🇪", "👍🏽", "\u00a0", "\ud83d", "日本語", "한국어", "x" * 30]
    ),
    max_size=60,
).map("".join)  # fmt: skip
LIMITS = st.sampled_from([None, 1, 5, 40, 199, 200, 210, 250])
RULES = st.builds(
    FlushRules, at=st.sampled_from(BOUNDARIES), limit=LIMITS, minimum=st.sampled_from([1, 10]), fences=st.booleans()
)


def pieces(text: str, *, size: int = 10**9, **rules) -> list[str]:
    return [flush.text for flush in flushed(text, FlushRules(**rules), size)]


def flushed(text: str, rules: FlushRules, size: int = 10**9) -> list:
    flusher = Flusher(rules)
    out = []
    for at in range(0, len(text), size):
        out += flusher.feed(text[at : at + size])
    return out + flusher.flush("end")


# -- laws ----------------------------------------------------------------------------------------------------------


@given(TEXTS, RULES)
@example("```" + " " * 190 + "\n" + "x" * 300, FlushRules(limit=200))
@example("\n" * 195 + "```\n" + "x" * 10, FlushRules(limit=200))
def test_the_pieces_joined_are_the_text(text, rules):
    assert text == "".join(flush.text for flush in flushed(text, rules))


@given(TEXTS, RULES, st.integers(1, 7))
def test_how_the_text_was_cut_into_chunks_changes_nothing(text, rules, size):
    assert flushed(text, rules) == flushed(text, rules, size)


@given(TEXTS, RULES)
@example("```" + "a" * 97 + "\n" + "x" * 300, FlushRules(limit=200))
@example("\n" * 195 + "```\n" + "x" * 10, FlushRules(limit=200))
@example("a\n" + "```js\n" + "x" * 500 + "\n```\nb", FlushRules(limit=200))
def test_no_piece_is_longer_than_the_limit(text, rules):
    for flush in flushed(text, rules):
        assert rules.limit is None or len(flush.rendered) <= rules.limit


@given(TEXTS, RULES)
def test_no_piece_is_empty_and_only_the_limit_and_the_end_leave_blanks(text, rules):
    for flush in flushed(text, rules):
        assert flush.text
        assert not flush.blank or flush.reason in ("size", "end")


@given(st.lists(st.tuples(TEXTS, st.sampled_from([0.1, 5.0])), max_size=6), RULES)
def test_time_loses_nothing_either(steps, rules):
    flusher = Flusher(FlushRules(at=rules.at, limit=rules.limit, idle=1.0))
    now, out = 0.0, []
    for text, wait in steps:
        out += flusher.feed(text, now)
        now += wait
        if flusher.due is not None and flusher.due <= now:
            out += flusher.tick(now)
    assert "".join(text for text, _ in steps) == "".join(flush.text for flush in out + flusher.flush("end"))


@given(TEXTS)
def test_a_fence_that_fits_is_whole(text):
    """Markers are in one piece, or the piece says how it is to be opened and closed."""
    for flush in flushed(text, FlushRules(at="sentence", limit=250)):
        assert (flush.opening == "") or flush.rendered.startswith(flush.opening + "\n")
        assert (flush.closing == "") or flush.rendered.endswith(flush.closing)


# -- sentences -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ("Well... yes. No", ["Well... ", "yes. ", "No"]),
        ('He said "Go." Then left.', ['He said "Go." ', "Then left."]),
        ("**Bold.** Then plain.", ["**Bold.** ", "Then plain."]),
        ("**Bold. Still bold.** Plain.", ["**Bold. Still bold.** ", "Plain."]),
        ("See (e.g. this. And that.) Now.", ["See (e.g. this. And that.) ", "Now."]),
        ("Run `a. b` now. Then", ["Run `a. b` now. ", "Then"]),
        ("Mr. Smith met Dr. J. Doe. They", ["Mr. Smith met Dr. J. Doe. ", "They"]),
        ("Pi is 3.14 and e 2.7. Ok", ["Pi is 3.14 and e 2.7. ", "Ok"]),
        ("Go to a.b/c?d. Now", ["Go to a.b/c?d. ", "Now"]),
        ("1. First thing\n2. Second. More", ["1. First thing\n", "2. Second. ", "More"]),
        ("これは文です。次も。終", ["これは文です。", "次も。", "終"]),
        ("「はい。」本当！？はい", ["「はい。」", "本当！？", "はい"]),
        ("A smile :( here. Next line\nAfter. It", ["A smile :( here. Next line\n", "After. ", "It"]),
        ("Ça va ? Oui.\u00a0Non. Si", ["Ça va ? ", "Oui.\u00a0Non. ", "Si"]),
        ("One.  \n Two", ["One.  \n", " Two"]),
    ],
)
def test_sentences(text, expected):
    assert expected == pieces(text, at="sentence")


def test_short_sentences_wait_for_company():
    assert ["Hi. Yes. I am here. ", "Ok."] == pieces("Hi. Yes. I am here. Ok.", at="sentence", minimum=12)


# -- lines, paragraphs, fences -------------------------------------------------------------------------------------


def test_lines_keep_the_indent_that_belongs_to_them():
    assert ["- a\n", "  - b\n", "c"] == pieces("- a\n  - b\nc", at="line")


def test_paragraphs_end_with_their_empty_lines():
    assert ["One. Two.\nThree\n \n\n", "Four"] == pieces("One. Two.\nThree\n \n\nFour", at="paragraph")


def test_leading_blank_lines_are_no_piece():
    assert ["\n\n\nHi\n\n", "You"] == pieces("\n\n\nHi\n\nYou", at="paragraph")


@pytest.mark.parametrize("at", ["sentence", "line", "paragraph"])
def test_a_fence_is_a_piece_of_its_own(at):
    assert ["Look:\n", CODE, "Done."] == pieces(f"Look:\n{CODE}Done.", at=at)


@pytest.mark.parametrize("indent", ["   ", "     ", "\t", "\t\t "])
@pytest.mark.parametrize("at", ["sentence", "line", "paragraph"])
def test_a_fence_in_a_list_is_whole(at, indent):
    """A list within a list puts its code further in than Markdown lets a fence stand elsewhere."""
    code = "".join(f"{indent}{line}\n" for line in ("```py", "x = 1.", "", "y = 2", "```"))
    assert ["- a\n\n", code, "- b"] == pieces(f"- a\n\n{code}- b", at=at)


def test_a_fence_is_not_closed_by_one_that_stands_further_in():
    outer = "```md\n- a\n\n    ```\n    x\n    ```\n\n```\n"
    assert [outer, "After"] == pieces(f"{outer}After", at="sentence")


def test_a_fence_waits_for_its_end():
    flusher = Flusher(FlushRules(at="sentence"))
    assert ["Look:\n"] == [flush.text for flush in flusher.feed(f"Look:\n{CODE[:-4]}")]
    assert [] == flusher.feed("```\n")
    assert [CODE] == [flush.text for flush in flusher.feed("Done.")]


@pytest.mark.parametrize(
    "text",
    [
        "```inline``` then. ",
        "`` ` `` text. ",
        "a ``` b\n",
        "~~~ ~ a\n",
        "```py\x00" + "a" * 100 + "\n",
    ],
)
def test_what_only_looks_like_a_fence_does_not_hold_the_text(text):
    assert "More\n" == pieces(f"{text}More\n", at="sentence")[-1]


def test_longer_and_other_marks_are_inside_a_fence():
    inner = "````md\n```\ncode. Yes.\n```\n~~~\n````\n"
    assert [inner, "After"] == pieces(f"{inner}After", at="sentence")


def test_fences_may_be_lines_like_others():
    assert ["```\n", "a\n", "```\n"] == pieces("```\na\n```\n", at="line", fences=False)


# -- the limit -----------------------------------------------------------------------------------------------------


def test_the_limit_cuts_after_a_sentence_where_there_is_one():
    text = "A first sentence of some length. Then many words that go on and on"
    assert "A first sentence of some length. " == pieces(text, at="size", limit=50)[0]


def test_the_limit_cuts_after_a_word_where_no_sentence_is_near():
    text = "No. " + "word " * 20
    assert "No. word word word word word word word word word " == pieces(text, at="size", limit=50)[0]


def test_the_limit_cuts_anywhere_where_there_is_no_space():
    assert ["x" * 50, "x" * 50, "x" * 20] == pieces("x" * 120, at="size", limit=50)


@pytest.mark.parametrize("cluster", ["e\u0301", "👍🏽", "👩\u200d👩\u200d👧", "🇩🇪", "가\u11a8", "\r\n", "क्\u0937"])
def test_the_limit_cuts_into_no_character_that_people_see(cluster):
    for before in range(1, 12):
        text = "x" * before + cluster * 4
        for piece in pieces(text, at="size", limit=12):
            assert piece.strip("x").replace(cluster, "") == ""


def test_a_row_of_flags_is_cut_between_two():
    assert ["🇩🇪🇫🇷", "🇯🇵🇰🇷", "🇧🇷"] == pieces("🇩🇪🇫🇷🇯🇵🇰🇷🇧🇷", at="size", limit=5)


def test_marks_without_end_are_cut_all_the_same():
    assert 4 == len(pieces("e" + "\u0301" * 399, at="size", limit=100))


def test_text_before_a_fence_goes_first_so_that_the_fence_stays_whole():
    code = "```py\n" + "x = 1\n" * 30 + "```\n"
    assert ["Some text.\n" * 5, code] == pieces("Some text.\n" * 5 + code, at="size", limit=220)


def test_a_fence_longer_than_the_limit_is_closed_and_opened_again():
    code = "```python\n" + "".join(f"print({number})\n" for number in range(40)) + "```\nDone."
    flushes = flushed(code, FlushRules(limit=200))
    assert ["size", "size", "fence", "end"] == [flush.reason for flush in flushes]
    for flush in flushes[:3]:
        assert flush.rendered.startswith("```python\n")
        assert flush.rendered.endswith("```\n" if flush.reason == "fence" else "\n```")
    assert "Done." == flushes[-1].rendered


def test_a_long_line_of_code_is_closed_on_a_line_of_its_own():
    [first, *_] = flushed("```\n" + "x" * 500 + "\n```\n", FlushRules(limit=200))
    assert first.rendered == "```\n" + "x" * 192 + "\n```"


@pytest.mark.parametrize(("name", "value"), [("limit", 0), ("at", "word"), ("idle", 0), ("idle", -1.0)])
def test_rules_that_mean_nothing_are_refused(name, value):
    """A boundary that nobody knows let the text go at the limit alone."""
    with pytest.raises(ValueError, match=f"FlushRules.{name}"):
        FlushRules(**{name: value})


# -- time ----------------------------------------------------------------------------------------------------------


def idle(text: str, **rules) -> list[str]:
    flusher = Flusher(FlushRules(idle=2.0, **rules))
    assert [] == [flush.reason for flush in flusher.feed(text, 10.0) if flush.reason == "idle"]
    assert 12.0 == flusher.due
    assert [] == flusher.tick(11.9)
    return [flush.text for flush in flusher.tick(12.0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A sentence.", ["A sentence."]),
        ("A sentence. ", ["A sentence. "]),
        ("A sentence. And hal", ["A sentence. And "]),
        ("half", []),
        ("Pi is 3.", ["Pi is "]),
        ("Dear Mr.", ["Dear "]),
        ("Look:\n```py\nprint(1)\n", ["Look:\n"]),
        ("```py\nprint(1)\n", []),
        ("Look:\n``", ["Look:\n"]),
        ("Look:\n```py", ["Look:\n"]),
        ("  \n ", []),
    ],
)
def test_what_is_whole_is_let_go_when_nothing_comes(text, expected):
    assert expected == idle(text, at="size")


def test_new_text_puts_the_time_off():
    flusher = Flusher(FlushRules(idle=2.0))
    flusher.feed("One. ", 0.0)
    flusher.feed("Two. ", 1.5)
    assert [] == flusher.tick(2.0)
    assert ["One. Two. "] == [flush.text for flush in flusher.tick(3.5)]
    assert flusher.due is None


def test_what_was_held_comes_with_the_rest():
    flusher = Flusher(FlushRules(idle=2.0))
    flusher.feed("One tw", 0.0)
    assert ["One "] == [flush.text for flush in flusher.tick(2.0)]
    assert [] == flusher.feed("o three", 3.0)
    assert ["two three"] == [flush.text for flush in flusher.flush("end")]


# -- what is flushed before something else ---------------------------------------------------------------------------


def test_a_flush_lets_go_all_and_begins_anew():
    flusher = Flusher(FlushRules())
    flusher.feed("```py\nx = 1")
    [flush] = flusher.flush("tool_call")
    assert ("```py\nx = 1\n```", "tool_call") == (flush.rendered, flush.reason)
    flusher.feed("After")
    assert ["After"] == [flush.rendered for flush in flusher.flush("end")]


def test_nothing_is_flushed_when_there_is_nothing():
    assert [] == Flusher().flush("end")


def test_a_long_stream_costs_what_it_weighs():
    """Law 6, by counting what is looked at and not by a clock: pieces never pile up."""
    flusher = Flusher(FlushRules(at="size", limit=None))
    for _ in range(2000):
        flusher.feed("(words without an end. ")
    assert len(flusher._pieces) < 40_000
    assert flusher._scan._line is None


def test_the_buffer_alone_needs_nothing_that_waits():
    code = (
        "import sys; sys.modules['anyio'] = None\n"
        "from weft.orchestrator import Flusher, Routing\n"
        "flusher = Flusher()\n"
        "assert ['Hi. '] == [flush.text for flush in flusher.feed('Hi. ') + flusher.flush('end')]\n"
        "import weft\n"
        "try:\n    weft.orchestrate\n"
        "except ImportError as error:\n    assert 'weft[runner]' in str(error)\n"
        "else:\n    raise AssertionError('anyio was found')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
