"""Messages put together by hand, and what of them goes into the next request."""

from typing import Any

import weft
from weft import events as ev
from weft.message import Choice, Message, Reasoning, ReasoningPiece, Text, ToolCall

THOUGHT = [ReasoningPiece("Hm.")]


def message(*parts: Any, protocol: str | None = None, **fields: Any) -> Message:
    for index, part in enumerate(parts):
        part.index = index
    choice = Choice(list(parts), fields.pop("finish", None))
    return Message(id="m1", protocol=protocol, choices=[choice], blocks=choice.blocks, finish=choice.finish, **fields)


def call(id: str = "c1", raw: str = '{"a":1}', **fields: Any) -> ToolCall:
    arguments = {"a": 1} if raw == '{"a":1}' else {}
    return ToolCall(index=0, id=id, name="f", raw=raw, **{"complete": True, "arguments": arguments, **fields})


def thought(*states: ev.Signature, **fields: Any) -> Reasoning:
    return Reasoning(index=0, pieces=THOUGHT, signatures=list(states), **{"complete": True, **fields})


def text(said: str, **fields: Any) -> Text:
    return Text(index=0, text=said, complete=True, **fields)


def items(told: Message, target: str, **options: Any) -> list[dict[str, Any]]:
    return weft.replay_turn(told, target, **options).items


def lost(told: Message, target: str, **options: Any) -> list[str]:
    return [loss.what for loss in weft.replay_turn(told, target, **options).losses]
