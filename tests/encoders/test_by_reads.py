"""A read's events said in one go are what they are one by one, whatever the target and wherever the reads end."""

from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.encoders.rich import rich_streams
from tests.encoders.test_totality import TARGETS
from weft import events as ev
from weft import jsontext
from weft.context import Context
from weft.losses import Losses
from weft.pipe import Pipe
from weft.protocol import resolve
from weft.steps.narrow import by_reads, narrowed

DELTAS = (ev.TextDelta, ev.ReasoningDelta, ev.RefusalDelta, ev.ArgsDelta)


@st.composite
def reads(draw: st.DrawFn) -> list[list[ev.Event]]:
    """The events of a stream, most deltas followed by more of the same, read by read."""
    events: list[ev.Event] = []
    for event in draw(rich_streams(choices=2)):
        events += [event] * (draw(st.integers(1, 3)) if isinstance(event, DELTAS) else 1)
    ends = sorted(draw(st.lists(st.integers(0, len(events)), max_size=4)))
    return [events[a:b] for a, b in zip([0, *ends], [*ends, len(events)], strict=True)]


def said(target: str, given_reads: list[list[ev.Event]], *, in_one_go: bool) -> tuple[bytes, list]:
    out: list[bytes] = []
    losses = Losses()
    encoder = resolve(target)[0].encoder(out.append, Context(), losses)
    one, many = narrowed(encoder, losses), by_reads(encoder, losses)
    for events in given_reads:
        if in_one_go:
            many(events)
        else:
            for event in events:
                one(event)
        encoder.flush()
    return b"".join(out), losses.report()


@pytest.mark.parametrize("target", TARGETS)
@given(reads())
def test_a_read_in_one_go_is_its_events_one_by_one(target, given_reads):
    assert said(target, given_reads, in_one_go=False) == said(target, given_reads, in_one_go=True)


@pytest.mark.parametrize("text", ["plain", "ä – ü", "a\u2028b", "\u2029", "x\x85", "你好，世界", '"\\\n'])
def test_spliced_texts_are_escaped_as_one_is(text):
    expected = b"<" + jsontext.line(text) + b">\n" + b"<" + jsontext.line("x") + b">\n"
    assert expected == jsontext.spliced(b"<", [text, "x"], repeat(b">\n"))


def test_as_many_tails_are_taken_as_there_are_texts():
    tails = iter([b"1", b"2", b"3"])
    assert b'-"a"1-"b"2' == jsontext.spliced(b"-", ["a", "b"], tails)
    assert b"3" == next(tails)


def test_what_a_step_said_before_it_raised_is_not_said_twice():
    def careful(event, emit):
        if isinstance(event, ev.TextDelta) and event.text == "bad":
            raise RuntimeError("no")
        emit(event)

    line = b'data: {"choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n'
    pipe = Pipe("openai-chat", "text", steps=[careful])
    with pytest.raises(RuntimeError):
        pipe.feed(line % b"good" + line % b"bad")
    assert b"good!" == pipe.feed(line % b"!")
