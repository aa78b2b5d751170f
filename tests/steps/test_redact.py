"""Redaction: the same at any cut, over a window, and nothing else that would give the secret away or pretend that it is still there."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft import events as ev
from weft.message import collect
from weft.steps.redact import Redact


def cut(text: str, marks: list[int]) -> list[str]:
    places = [0, *sorted(mark % (len(text) + 1) for mark in marks), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


def run(step: Redact, *events: ev.Event) -> list[ev.Event]:
    out: list[ev.Event] = []
    for event in events:
        step(event, out.append)
    return out


def redacted(pieces, patterns, window: int = 12) -> str:
    step, out = Redact(patterns, "#", window=window), []
    for event in (ev.BlockStart(0, "text"), *(ev.TextDelta(0, piece) for piece in pieces), ev.BlockEnd(0, True)):
        step(event, out.append)
    return collect([ev.Start("m"), *out]).text


def all_at_once(text: str, patterns: list[str]) -> str:
    """What redaction means: every match of every pattern, those that overlap as one."""
    at, out = 0, ""
    spans = sorted(m.span() for p in patterns for m in re.finditer(p, text) if m.group())
    for begin, stop in spans:
        out += text[at:begin] + "#" if begin >= at or not out else ""
        at = max(at, stop)
    return out + text[at:]


@pytest.mark.parametrize(
    "patterns",
    [
        [r"sk-[a-z0-9]{3}"],
        [r"ab", r"bca"],
        [r"\bfoo"],
        [r"(?<=a)b"],
        [r"a*"],
        [r"^ab"],
        [r"(?i)AB"],
        [r"(a)\1", r"(b)\1"],
        [r"(?P<x>a)b", r"(?P<x>b)c"],
        [r"ab$"],
        [],
    ],
)
@given(
    st.lists(st.sampled_from(["a", "b", "c", " ", "foo", "sk-abc", "\n"]), max_size=30),
    st.lists(st.integers(0, 90), max_size=8),
)
def test_any_pattern_is_found_at_any_cut(patterns, words, marks):
    """K11."""
    text = re.sub("a{10,}", "a", "".join(words))
    assert all_at_once(text, patterns) == redacted(cut(text, marks), patterns)


def test_it_lags_by_its_window_only():
    step = Redact(["secret"], window=10)
    assert 90 == len(run(step, ev.TextDelta(0, "x" * 100))[0].text)


@pytest.mark.parametrize("pattern", ["secret", re.compile("SECRET", re.IGNORECASE)])
def test_one_pattern_needs_no_list_and_keeps_its_flags(pattern):
    assert "my #" == redacted(["my sec", "ret"], pattern)


def test_a_match_that_goes_on_for_long_is_neither_held_nor_leaked():
    step = Redact([r"sk-\w+"], "#", window=16)
    out: list[ev.Event] = []
    for _ in range(100):
        step(ev.TextDelta(0, "sk-" if not out else "abcdefgh"), out.append)
        if not out:
            step(ev.TextDelta(0, "x" * 64), out.append)
    assert ["#"] == [event.text for event in out]
    assert ["#", " end"] == [
        event.text for event in [*out, *run(step, ev.TextDelta(0, " end"), ev.BlockEnd(0, True))][:2]
    ]


def test_twice_the_stream_costs_twice():
    def cost(count: int) -> float:
        began = time.perf_counter()
        redacted(("ab12" for _ in range(count)), [r"\w+", r"sk-\w+"], window=64)
        return time.perf_counter() - began

    cost(1000)
    assert cost(40_000) < 5 * cost(20_000)


def test_arguments_that_are_no_json_any_more_may_not_be_executed():
    call = ev.BlockStart(0, "tool_call", id="c", name="f")
    out = run(Redact(["1234"]), call, ev.ArgsDelta(0, '{"pin":12'), ev.ArgsDelta(0, "34}"), ev.BlockEnd(0, True))
    assert [ev.ArgsDelta(0, '{"pin":[redacted]}'), ev.BlockEnd(0, complete=False)] == out[1:]


def test_what_stands_in_for_a_secret_is_escaped_in_arguments():
    call = ev.BlockStart(0, "tool_call", id="c", name="f")
    out = run(Redact(["1234"], '"gone"'), call, ev.ArgsDelta(0, '{"pin":"1234"}'), ev.BlockEnd(0, True))
    assert [ev.ArgsDelta(0, r'{"pin":"\"gone\""}'), ev.BlockEnd(0, complete=True)] == out[1:]


def test_parts_of_reasoning_are_texts_of_their_own():
    parts = [ev.ReasoningDelta(0, "sec", 0), ev.ReasoningDelta(0, "ret", 1)]
    out = run(Redact(["secret"]), ev.BlockStart(0, "reasoning"), *parts, ev.BlockEnd(0, True))
    assert parts == out[1:3]


def test_a_signature_does_not_vouch_for_what_was_changed():
    proof = ev.Signature(0, "c2ln", ev.Origin("anthropic"))
    for text, last in (("my secret", ev.Note), ("mine", ev.Signature)):
        out = run(Redact(["secret"]), ev.BlockStart(0, "reasoning"), ev.ReasoningDelta(0, text), proof)
        assert [ev.ReasoningDelta, last] == [type(event) for event in out[1:]]


def test_offsets_into_a_text_that_was_changed_are_not_passed_on():
    note = ev.Annotation(0, "url_citation", start=0, end=4, url="https://a.example")
    for text, place in (("my secret is", (None, None)), ("mine", (0, 4))):
        out = run(Redact(["secret"]), ev.BlockStart(0, "text"), ev.TextDelta(0, text), note)
        assert place == (out[-1].start, out[-1].end)
