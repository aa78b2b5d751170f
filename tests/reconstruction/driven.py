"""A machine that is driven, and short ways to look at what it said."""

from typing import Any

from weft import Context, ToolIdentity, ToolIdentityMap, lint
from weft.reconstruction import ResponseSseEncoder, ResponseStreamStateMachine, bridge

USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
TOOLS = ToolIdentityMap(
    [
        ToolIdentity(provider_name="sh", requested_name="sh", requested_type="local_shell"),
        ToolIdentity(provider_name="shell", requested_name="shell", requested_type="shell"),
        ToolIdentity(provider_name="patch", requested_name="patch", requested_type="apply_patch"),
        ToolIdentity(provider_name="grep_", requested_name="grep", requested_type="custom"),
        ToolIdentity(provider_name="ns__f", requested_name="ns/f", requested_type="function"),
        ToolIdentity(provider_name="find", requested_name="find", requested_type="web_search_preview"),
    ]
)


def machine(request: Any = None, **options: Any) -> ResponseStreamStateMachine:
    context = Context(response_id="resp_1", created=1700000000, request=request, tools=TOOLS)
    return ResponseStreamStateMachine(context, provider="P", model="m", **options)


def begun(**options: Any) -> ResponseStreamStateMachine:
    """One that was started, its first events taken."""
    made = machine(**options)
    made.start()
    return made


def bridged(*deltas: Any, **options: Any) -> list[dict[str, Any]]:
    """All events of a stream of deltas, once our linter has nothing against them."""
    events = list(bridge(machine(**options), deltas))
    assert [] == faults(events)
    return events


def faults(events: list[dict[str, Any]]) -> list[str]:
    """What strict clients would have against these events."""
    encoder = ResponseSseEncoder()
    return [finding.rule for finding in lint(b"".join(map(encoder.encode, events)), "openai-responses")]


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


def terminals(events: list[dict[str, Any]]) -> list[str]:
    return [kind for kind in kinds(events) if kind in ("completed", "incomplete", "failed")]


def output(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The output of the terminal."""
    return events[-1]["response"]["output"]


def call(index: int | None = 0, id: str | None = "c1", name: str | None = "f", arguments: str | None = None) -> Any:
    """A delta with a fragment of a call; what is None is not there."""
    members = {"index": index, "id": id, "name": name, "arguments": arguments}
    return {"toolCall": {name: value for name, value in members.items() if value is not None}}
