"""Law 7: every encoder handles or declares every event, every finish and every kind of error; what it may lose has a word and a reason."""

import pytest
from hypothesis import given

import weft
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


OUTCOMES = {"error": "failed", "length": "incomplete", "content_filter": "incomplete"}


def ended(target: str, reason: ev.FinishReason | None) -> tuple[bytes, set[str]]:
    """What a target makes of a message that ended so, and what it says of the finish that it could not say."""
    error = make_error("server", "x") if reason == "error" else None
    finish = ev.Finish(reason=reason, raw=reason)
    out, losses = encode(target, [ev.Start("m"), ev.End(OUTCOMES.get(reason, "completed"), (finish,), None, error)])
    return out, {loss.what for loss in losses.report()} & {"finish", "finish_other", "refusal", "error_detail"}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("reason", ["length", "content_filter", "refusal", "pause", "error", "other"])
def test_no_finish_is_said_as_a_plain_stop_in_silence(target, reason):
    out, lost = ended(target, reason)
    assert lost or out != ended(target, "stop")[0]


@pytest.mark.parametrize("target", [name for name in TARGETS if resolve(name)[0].decoder is not None])
@pytest.mark.parametrize("reason", [*ev.FinishReason.__args__, None])
def test_every_finish_is_read_again_or_declared_lost(target, reason):
    out, lost = ended(target, reason)
    got = weft.collect(weft.read(out, target))
    without_call = {"tool_calls": "stop", None: "stop"}.get(
        reason
    )  # no call stands in the message, and an end without a word is a stop
    assert lost or got.outcome == "failed" or got.finish in (reason, without_call)
    assert (reason == "error") == (got.outcome == "failed")


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
