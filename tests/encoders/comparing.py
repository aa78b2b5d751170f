"""What two messages have to agree in after a conversion, field by field, and which declared losses excuse a difference.

Knows: the fields of a message and the words of losses. Must not know: any target.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final
from unittest.mock import ANY

from weft.finish import effective
from weft.losses import WHAT
from weft.message import Choice, FilePart, Message, Reasoning, Refusal, Text, ToolResult

COUNTS: Final = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def differences(said: Message, told: Message, lost: Iterable[str]) -> dict[str, tuple[Any, Any]]:
    """The fields in which the messages differ though no loss names it: field -> what was said, what was told."""
    words = set(lost)
    assert words <= WHAT.keys()
    found: dict[str, tuple[Any, Any]] = {}
    for name, (field, excuses) in FIELDS.items():
        if name == "facts" and not _begun(said):
            continue
        if not words & set(excuses.split()):
            pair = field(said), field(told)
            if pair[0] != pair[1] and not (name in GAINED and all(one in pair[1] for one in pair[0])):
                found[name] = pair
    return found


def failed(message: Message) -> bool:
    """Did it end in a way that a target can only call a failure?"""
    return message.outcome in ("failed", "truncated") or (
        message.error is not None and message.error.type == "cancelled"
    )


def _outcome(message: Message) -> str:
    return "failed" if failed(message) else message.outcome


def _finish(message: Message) -> list[Any]:
    """As the content bears it out; a message whose source gave no reason reads as a stop, or as the calls that it has."""
    return [] if failed(message) else [_borne_out(choice) for choice in message.choices]


def _borne_out(choice: Choice) -> Any:
    calls = [call for call in choice.tool_calls if call.executor == "client"]
    complete, empty = any(call.complete for call in calls), not choice.refusal
    refused = not empty and not choice.text
    unsaid = choice.finish == "refusal" and empty and any(isinstance(part, Refusal) for part in choice.blocks)
    said = "stop" if unsaid else choice.finish or "stop"
    return effective(said, calls=bool(calls), complete_call=complete, only_refusal=refused)


def _calls(message: Message) -> list[Any]:
    """Of a failure no call may be executed; that one was complete before it need not be said."""
    return (
        []
        if failed(message)
        else [
            [(call.name, call.arguments) for call in choice.tool_calls if call.complete and call.executor == "client"]
            for choice in message.choices
        ]
    )


def _cut_calls(message: Message) -> list[Any]:
    return [call.name for call in message.tool_calls if failed(message) or not call.complete]


def _signatures(message: Message) -> list[Any]:
    return sorted((state.value, state.origin.protocol) for part in _parts(message) for state in part.signatures)


def _error(message: Message) -> str | None:
    """Its words; some targets say in them how long to wait, since they have no other place for it."""
    if message.error is None or not failed(message):
        return None
    return message.error.message.partition(" Please try again in")[0]


def _form(raw: Any) -> Any:
    """A provider's own item; its status is that of the moment."""
    return {name: value for name, value in raw.items() if name != "status"} if isinstance(raw, dict) else raw


def _parts(message: Message) -> list[Any]:
    return [part for choice in message.choices for part in choice.blocks]


def _begun(message: Message) -> bool:
    """A failure before any content is an error and nothing else."""
    return not failed(message) or any(c.text or c.reasoning or c.tool_calls for c in message.choices)


def _id(message: Message) -> Any:
    """One that we made is made anew where the target has no place for it."""
    return ANY if message.id.startswith("weft_") else message.id


def _forms(message: Message) -> list[Any]:
    """The form of each piece of reasoning, and which pieces begin a part."""
    blocks = [part.pieces for part in _parts(message) if isinstance(part, Reasoning) and part.pieces]
    return [[piece.form for piece in pieces] for pieces in blocks]


def _results(message: Message) -> list[Any]:
    """What the provider's tools gave back; a result that was announced and never came says nothing."""
    results = [part for part in _parts(message) if isinstance(part, ToolResult) and part.executor == "provider"]
    return [_unwrapped(part.content) for part in results if part.content not in (None, [])]


def _unwrapped(content: Any) -> Any:
    """One text or object, however many lists and wrappers a target puts it in."""
    while isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and len(content[0]) == 1:
        (content,) = content[0].values()
    return content


def _token(token: Any) -> Any:
    """A token's bytes are those of its text; where they are not, a loss says so."""
    if not isinstance(token, dict) or "token" not in token:
        return token
    rivals = [_token(rival) for rival in token.get("top_logprobs") or ()]
    return {**{name: value for name, value in token.items() if name != "bytes"}, "top_logprobs": rivals}


def _usage(message: Message) -> list[int]:
    """A count that nobody gave may come back as a zero."""
    return [(message.usage and getattr(message.usage, name)) or 0 for name in COUNTS]


# field -> (what it is, the words of losses that excuse a difference)
FIELDS: Final[dict[str, tuple[Callable[[Message], Any], str]]] = {
    "outcome": (_outcome, "args_invalid finish_other refusal choices"),
    "finish": (_finish, "finish_other refusal args_invalid choices tool_call executor incomplete steps"),
    "text": (lambda m: [choice.text for choice in m.choices], "refusal choices order"),
    "refusal": (lambda m: [choice.refusal for choice in m.choices], "refusal choices order"),
    "reasoning": (lambda m: [choice.reasoning for choice in m.choices], "reasoning reasoning_form order choices"),
    "forms": (_forms, "reasoning reasoning_form blocks choices order"),
    "calls": (_calls, "tool_call tool_kind args_invalid choices incomplete"),
    "cut calls": (_cut_calls, "tool_call executor args_invalid choices incomplete"),
    "call ids": (
        lambda m: [ANY if call.made_id else call.id for call in m.tool_calls if call.executor == "client"],
        "tool_call tool_call_id choices args_invalid executor incomplete",
    ),
    "tools": (
        lambda m: [
            {"function_call": "function"}.get(call.tool, call.tool)
            for call in m.tool_calls
            if call.executor == "client"
        ],
        "tool_kind tool_call incomplete args_invalid",
    ),
    "executed": (lambda m: [call.name for call in m.tool_calls if call.executor == "provider"], "executor tool_call"),
    "results": (_results, "tool_result executor error_detail"),
    "signatures": (_signatures, "signature reasoning choices executor tool_result opaque"),
    "annotations": (
        # Sorted: where a target hangs them all on one text, those of several blocks come in the order in which they were said.
        lambda m: sorted((note.url, note.title or "") for part in _parts(m) for note in part.annotations if note.url),
        "annotation annotation_offsets choices",
    ),
    "files": (
        lambda m: [(p.data, p.url) for p in _parts(m) if isinstance(p, FilePart) and (p.data or p.url)],
        "file file_partial choices blocks",
    ),
    "opaque": (
        lambda m: [
            _form(p.opaque.raw) for p in _parts(m) if p.opaque is not None and not isinstance(p, Reasoning | FilePart)
        ],
        "opaque executor tool_result tool_kind choices",
    ),
    "logprobs": (
        lambda m: [_token(token) for p in _parts(m) if isinstance(p, Text) for token in p.logprobs],
        "logprobs choices blocks order refusal",
    ),
    "channels": (lambda m: {p.channel for p in _parts(m) if isinstance(p, Text) and p.text}, "channel choices refusal"),
    "usage": (_usage, "usage usage_split"),
    "reasoning tokens": (lambda m: (m.usage and m.usage.reasoning_tokens) or 0, "usage usage_split"),
    "id": (lambda m: _id(m) if _begun(m) else ANY, "id"),
    "model": (lambda m: m.model or "" if _begun(m) else ANY, "model"),
    "error": (_error, "args_invalid error_detail"),
    "error type": (lambda m: m.error.type if m.error is not None and failed(m) else None, "args_invalid error_detail"),
    "facts": (lambda m: sorted(name for name in m.meta if name != "id"), "meta"),
    "provider": (lambda m: (m.provider if _begun(m) else None) or ANY, "meta"),
    "unknown": (lambda m: len(m.unknown), "unknown"),
}

# What may come back with more than was said: a tool that has an item of its own kind has a form of its own once it is read.
# Of a call that its provider did not run, a page says why.
GAINED: Final = frozenset({"opaque", "results", "signatures", "facts"})
