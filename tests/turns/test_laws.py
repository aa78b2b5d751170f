"""Laws over any turn and any target: it goes back without a fault, is taken by a strict provider, and nothing disappears unsaid."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from tests.strategies import TEXTS
from tests.turns.strict import RULES, refusals, results
from tests.turns.turn_one import TARGETS, plain
from weft import events as ev
from weft.losses import WHAT
from weft.message import (
    AnyPart,
    Choice,
    FilePart,
    Message,
    OpaquePart,
    Reasoning,
    ReasoningPiece,
    Refusal,
    Text,
    ToolCall,
    ToolResult,
)

PROTOCOLS = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "bedrock", "cohere")
SOURCES = st.sampled_from([*PROTOCOLS, "ai-sdk", None])
SAID = st.one_of(TEXTS, st.sampled_from(["", " ", "a ", "\n", "word"]))
ORIGINS = st.builds(ev.Origin, st.sampled_from(PROTOCOLS), st.none(), st.none(), st.sampled_from([None, "rs_x"]))
STATES = st.lists(
    st.builds(ev.Signature, st.just(0), st.sampled_from(["c2ln", "ZW5j"]), ORIGINS, st.none(), st.none(), st.booleans()),
    max_size=2,
)  # fmt: skip
PIECES = st.lists(
    st.builds(ReasoningPiece, SAID, st.integers(0, 1), st.sampled_from(["raw", "summary"])), max_size=2
).map(lambda pieces: list({(piece.part, piece.form): piece for piece in pieces}.values()))


def part(kind: type[Any], **fields: Any) -> st.SearchStrategy[Any]:
    shared = {"index": st.just(0), "complete": st.booleans(), "step": st.integers(0, 1)}
    return st.builds(kind, **{**shared, **fields})


def whole(call: ToolCall) -> ToolCall:
    """A call as it is collected: complete only with arguments that are an object."""
    call.arguments = {"a": 1} if call.raw == '{"a":1}' else {} if call.raw in ("", "{}") else None
    call.complete = call.complete and (call.arguments is not None or call.tool == "custom")
    if call.complete and call.tool == "custom":
        call.arguments = {"input": call.raw}
    return call


CALLS = part(
    ToolCall,
    name=st.sampled_from(["read", "write"]),
    raw=st.sampled_from(["", "{}", '{"a":1}', "{", "[]"]),
    executor=st.sampled_from(["client", "client", "provider"]),
    tool=st.sampled_from(["function", "function", "custom", "shell"]),
    made_id=st.booleans(),
    signatures=STATES,
    item_id=st.sampled_from([None, "fc_1"]),
).map(whole)
PARTS: st.SearchStrategy[AnyPart] = st.one_of(
    part(Text, text=SAID, signatures=STATES, item_id=st.sampled_from([None, "msg_1"])),
    part(Reasoning, pieces=PIECES, signatures=STATES, item_id=st.sampled_from([None, "rs_x"])),
    part(Refusal, text=SAID),
    CALLS,
    part(ToolResult, call_id=st.sampled_from([None, "c0", "c1"]), content=SAID, executor=st.sampled_from(["client", "provider"])),
    part(FilePart, media_type=st.sampled_from([None, "image/png", "audio/*"]), data=st.sampled_from([None, "aGk="])),
    part(OpaquePart, opaque=st.builds(ev.Opaque, st.just(0), st.just({"a": 1}), st.just(ev.Origin("events")))),
)  # fmt: skip


@st.composite
def turns(draw: st.DrawFn) -> Message:
    """Any turn: parts in any order, calls with ids of their own, steps that only rise."""
    parts = draw(st.lists(PARTS, max_size=7))
    parts.sort(key=lambda part: part.step)
    calls = (part for part in parts if isinstance(part, ToolCall))
    for number, call in enumerate(calls):
        call.id = draw(st.sampled_from([f"c{number}", f"functions.f:{number}", f"call_{number}" * 9]))
    for index, each in enumerate(parts):
        each.index = each.item = index
        if each.opaque is not None:
            each.opaque = msgspec.structs.replace(each.opaque, index=index)
        each.signatures = [msgspec.structs.replace(state, index=index) for state in each.signatures]
    finish: Any = draw(st.sampled_from(["stop", "tool_calls", "length", None]))
    return Message(id="m1", protocol=draw(SOURCES), choices=[Choice(parts, finish)], blocks=parts)


@pytest.mark.parametrize("target", TARGETS)
def test_any_turn_goes_back(target: str):
    @given(turns(), st.sampled_from(["text", "drop"]), st.sampled_from(["drop", "wrap"]))
    def check(message: Message, foreign: Any, broken: Any):
        before = message.to_json()
        replay = weft.replay_turn(message, target, foreign=foreign, broken=broken)
        assert replay.items == plain(replay.items)
        assert before == message.to_json()
        assert replay == weft.replay_turn(message, target, foreign=foreign, broken=broken)
        assert {loss.what for loss in replay.losses} <= WHAT.keys()
        assert set(replay.call_ids) <= {call.id for call in message.tool_calls if call.executor == "client"}

    check()


@pytest.mark.parametrize("target", RULES)
def test_any_turn_is_taken(target: str):
    @given(turns(), st.sampled_from(["text", "drop"]), st.sampled_from(["drop", "wrap"]))
    def check(message: Message, foreign: Any, broken: Any):
        replay = weft.replay_turn(message, target, foreign=foreign, broken=broken, model="gemini-3-pro")
        states = [state for part in message.blocks for state in part.signatures if state.origin.protocol == target]
        issued = {state.value for state in states} | {"rs_x"}
        turn = [*replay.items, *results(target, replay.items, replay.call_ids)]
        assert [] == refusals(target, turn, issued)

    check()


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_disappears_unsaid(target: str):
    """Texts that say something are sent, and of anything else that is not it is said so."""

    @given(turns())
    def check(message: Message):
        replay = weft.replay_turn(message, target)
        sent = json.dumps(replay.items, ensure_ascii=False)
        lost = {loss.where for loss in replay.losses} | (
            {"turn"} if any(x.where == "turn" for x in replay.losses) else set()
        )
        for part in message.blocks:
            said = part.text if isinstance(part, Text | Refusal | Reasoning) else ""
            inner = json.dumps(said.strip(), ensure_ascii=False)[1:-1]
            assert inner in sent or not lost.isdisjoint({f"block {part.index}", "turn"})
            if isinstance(part, ToolCall) and part.id not in replay.call_ids:
                answered = any(isinstance(other, ToolResult) and other.call_id == part.id for other in message.blocks)
                own = part.executor == "provider" or answered
                assert own or f"block {part.index}" in lost

    check()
