"""Calls inside a wrapper that nobody offered: taken apart only where it is certain what they are. A24 of failures.md."""

import json
from typing import Any

import pytest

from tests.protocols.chat_wire import call, calls, end, read, text, told
from weft.context import Context
from weft.tools import ToolIdentity, ToolIdentityMap


def offered(*names: str) -> Context:
    """The context of a request that offered these functions."""
    return Context(tools=ToolIdentityMap(ToolIdentity(provider_name=name, requested_name=name) for name in names))


def wrapper(*uses: tuple[str, Any]) -> str:
    """The arguments of a wrapper around these calls."""
    return json.dumps({"tool_uses": [{"recipient_name": name, "parameters": args} for name, args in uses]})


BOTH = wrapper(("functions.read", {"path": "a"}), ("functions.clock", {}))
APART = [("a_0", "read", '{"path": "a"}'), ("a_1", "clock", "{}")]


def answer(args: str, name: str = "parallel", **options: Any) -> Any:
    half = len(args) // 2
    frames = [text("x"), calls(call(0, "a", name)), calls(call(0, args=args[:half])), calls(call(0, args=args[half:]))]
    return read(*frames, end("tool_calls"), filters=["parallel"], **options)


@pytest.mark.parametrize("name", ["parallel", "multi_tool_use.parallel"])
def test_declared_calls_in_an_undeclared_wrapper_are_calls_of_their_own(name: str):
    message = answer(BOTH, name, context=offered("read", "clock"))
    assert (APART, "tool_calls") == (told(message), message.finish)
    assert all(each.complete for each in message.tool_calls)


@pytest.mark.parametrize(
    ("args", "context"),
    [
        (BOTH, None),
        (BOTH, offered()),
        (BOTH, offered("read")),
        (BOTH, offered("read", "clock", "parallel")),
        (wrapper(("functions.read", ["a"])), offered("read")),
        ('{"tool_uses": [', offered("read")),
        ('{"tool_uses": [], "other": 1}', offered("read")),
        ("{}", offered("read")),
    ],
    ids=["no context", "nothing offered", "one unknown", "wrapper offered", "no object", "broken", "more", "empty"],
)
def test_what_is_not_certain_stays_as_it_came(args: str, context: Context | None):
    assert [("a", "parallel", args)] == told(answer(args, context=context))


def test_other_calls_pass_at_once_and_in_pieces():
    frames = [
        calls(call(0, "a", "parallel", BOTH), call(1, "b", "read", "{")),
        calls(call(1, args="}")),
        end("tool_calls"),
    ]
    message = read(*frames, filters=["parallel"], context=offered("read", "clock"))
    assert [("b", "read", "{}"), *APART] == told(message)


@pytest.mark.parametrize("done", [True, False])
def test_a_wrapper_whose_choice_never_ends_is_not_lost(done: bool):
    frames = [calls(call(0, "a", "parallel", BOTH))]
    message = read(*frames, done=done, filters=["parallel"], context=offered("read", "clock"))
    assert APART == told(message)
    assert ("completed" if done else "truncated") == message.outcome


def test_calls_without_an_id_have_ids_of_ours():
    frames = [calls(call(0, None, "parallel", BOTH)), end("tool_calls")]
    message = read(*frames, filters=["parallel"], context=offered("read", "clock"))
    assert [(None, "read", '{"path": "a"}'), (None, "clock", "{}")] == told(message)
    assert 2 == len({each.id for each in message.tool_calls})
