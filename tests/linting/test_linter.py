"""The linter as a whole: any cut, any garbage, many findings, long streams; and the rules as data."""

import copy
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from tests.linting import test_anthropic, test_chat, test_responses
from tests.linting.streams import named, sse
from tests.linting.test_others import TABLES
from weft.linting import CLIENTS, EFFECTS, PROTOCOLS, Linter, all_rules, lint
from weft.linting.checklist import checklist
from weft.linting.report import LISTED
from weft.nearest import UnknownNameError

GOLDEN: dict[str, tuple[Any, list[Any]]] = {
    "openai-chat": (sse, test_chat.GOLDEN),
    "openai-responses": (named, test_responses.GOLDEN),
    "anthropic": (named, test_anthropic.GOLDEN),
    **{name: (table[0], table[1]) for name, table in TABLES.items()},
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def members(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value that something else could stand in."""
    names = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for name in names for place in [(value, name), *members(value[name])]]


def test_public_function_is_this_one():
    assert weft.lint is lint
    (finding,) = weft.lint(b'data: {"type":"ping"}\n\n', "stream-event-v1")[:1]
    assert isinstance(finding, weft.Finding)


def test_every_protocol_has_a_good_stream_here():
    assert set(PROTOCOLS) == GOLDEN.keys()


def test_protocol_that_nobody_lints_is_named_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'anthropic'"):
        lint(b"", "antropic")


def test_dialect_is_judged_by_its_protocol():
    assert [] == lint(b"".join(map(sse, test_chat.GOLDEN)), "openai-chat/deepseek")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_cuts_change_nothing(protocol: str, data: Any):
    write, frames = GOLDEN[protocol]
    frames = list(frames)
    del frames[data.draw(st.integers(0, len(frames) - 1))]
    stream = b"".join(map(write, frames))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    pieces = [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert lint(stream, protocol) == lint(pieces, protocol) == lint((bytes([byte]) for byte in stream), protocol)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(data=st.binary(max_size=80))
def test_garbage_never_raises(protocol: str, data: bytes):
    for stream in (data, b"data: " + data + b"\n\n", b"event: x\ndata: {" + data, b"{" + data):
        lint(stream, protocol)


@pytest.mark.parametrize("head", [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\xfe\xff", b"<html>"])
def test_what_is_no_stream_at_all_is_one_finding(head: bytes):
    assert ["transport/framing"] == [finding.rule for finding in lint(head + b" and more", "openai-chat")]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_anything_in_place_of_anything_never_raises(protocol: str, data: Any):
    write, golden = GOLDEN[protocol]
    frames = [list(frame) if isinstance(frame, tuple) else frame for frame in copy.deepcopy(golden)]
    for _ in range(data.draw(st.integers(1, 3))):
        frame = data.draw(st.sampled_from([frame for frame in frames if not isinstance(frame, bytes)]))
        places = members(frame[1] if isinstance(frame, list) else frame)
        if places:
            holder, name = data.draw(st.sampled_from(places))
            holder[name] = data.draw(JSON)
    lint(b"".join(write(frame) for frame in frames), protocol)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_empty_stream_is_a_finding(protocol: str):
    assert 1 == len(lint(b"", protocol))


def test_many_findings_of_one_rule_are_counted():
    chunk = {**test_chat.GOLDEN[1], "object": "other"}
    stream = b"".join(map(sse, [test_chat.GOLDEN[0], *[chunk] * 50, *test_chat.GOLDEN[2:]]))
    found = lint(stream, "openai-chat")
    assert LISTED == len(found)
    assert [0] * (LISTED - 1) + [50 - LISTED] == [finding.more for finding in found]


def test_findings_come_while_the_stream_does():
    found: list[weft.Finding] = []
    linter = Linter("openai-chat", found.append)
    linter.feed(b'data: {"object":"chat.completion.chunk"}\n')
    assert [] == found
    linter.feed(b"\n")
    assert ["chat/choices"] == [finding.rule for finding in found]


def test_long_stream_costs_what_it_weighs():
    def cost(count: int) -> float:
        linter = Linter("openai-responses", lambda _: None)
        delta = test_responses.GOLDEN[10]
        stream = b"".join(map(named, test_responses.GOLDEN[:10])) + named(delta) * count
        begin = time.process_time()
        for at in range(0, len(stream), 4096):
            linter.feed(stream[at : at + 4096])
        linter.close()
        return time.process_time() - begin

    cost(100)
    assert min(cost(8000) for _ in range(3)) < 8 * min(cost(2000) for _ in range(3))


# Rules as data


def test_every_rule_names_known_clients_and_effects():
    for rule in all_rules().values():
        assert rule.effects.keys() <= CLIENTS.keys(), rule.id
        assert set(rule.effects.values()) <= EFFECTS.keys(), rule.id
        assert rule.title
        assert rule.reference
        assert rule.explain.endswith("."), rule.id


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_rule_concerns_a_client_of_its_protocol(protocol: str):
    one = checklist(protocol)
    assert set(one.clients) <= CLIENTS.keys()
    for rule in one.rules.values():
        assert rule.effects.keys() <= set(one.clients), rule.id


def test_finding_tells_what_becomes_of_it():
    (finding,) = lint(b"".join(map(named, test_responses.GOLDEN[:-1])), "openai-responses")
    assert "openai-python fails; codex hangs; openai-js and ai-sdk get it wrong" == finding.effect
    assert "crash" == finding.severity


def test_finding_goes_to_json():
    import msgspec

    (finding,) = lint(b"", "anthropic")
    assert "anthropic/message-stop-missing" == json.loads(msgspec.json.encode(finding))["rule"]
