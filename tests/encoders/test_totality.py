"""Law 7: every encoder handles or declares every event, every finish and every kind of error; what it may lose has a word and a reason."""

import pytest
from hypothesis import given

from tests.encoders.rich import rich_streams
from tests.strategies import legal_streams
from weft import events as ev
from weft.context import Context
from weft.error_tables import KINDS
from weft.errors import make_error
from weft.losses import WHAT, Losses
from weft.protocol import BUILT_IN, resolve
from weft.steps.narrow import narrowed

TARGETS = [name for name in BUILT_IN if resolve(name)[0].encoder is not None]


def encode(target: str, events: list[ev.Event], **context) -> tuple[bytes, Losses]:
    """What a target makes of these events, as the pipe would hand them over."""
    encoder_class = resolve(target)[0].encoder
    out: list[bytes] = []
    losses = Losses()
    encoder = encoder_class(out.append, Context(**context), losses)
    emit = narrowed(encoder, losses)
    for event in events:
        emit(event)
    return b"".join(out), losses


@pytest.mark.parametrize("target", TARGETS)
def test_every_event_is_handled_or_dropped(target):
    encoder = resolve(target)[0].encoder
    handled = set(encoder(lambda _: None, Context(), Losses()).handlers())
    assert set(ev.EVENTS) == handled | set(encoder.drops)
    assert set() == handled & set(encoder.drops)


@pytest.mark.parametrize("target", TARGETS)
def test_every_loss_has_a_word_and_a_reason(target):
    encoder = resolve(target)[0].encoder
    assert set() == (set(encoder.loses) | set(encoder.drops.values()) - {""}) - WHAT.keys()
    assert set() == set(encoder.drops.values()) - {""} - set(encoder.loses)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("reason", [*ev.FinishReason.__args__, None])
def test_every_finish_is_mapped(target, reason):
    error = make_error("server", "x") if reason == "error" else None
    outcome = "failed" if reason == "error" else "completed"
    encode(target, [ev.Start("m"), ev.End(outcome, (ev.Finish(reason=reason, raw=reason),), None, error)])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_mapped(target, kind):
    outcome = {"cancelled": "incomplete", "truncated": "truncated"}.get(kind, "failed")
    out, _ = encode(target, [ev.Start("m"), ev.End(outcome, (), None, make_error(kind, "what went wrong"))])
    assert target == "text" or b"what went wrong" in out or kind == "cancelled"


@pytest.mark.parametrize("streams", [legal_streams(3), rich_streams(3)], ids=["plain", "rich"])
@pytest.mark.parametrize("target", TARGETS)
def test_any_legal_stream_goes_through(target, streams):
    @given(streams)
    def check(events):
        encode(target, events)

    check()
