"""The whole reply of Anthropic Messages.

Knows: the form of each kind of block when it is whole. Must not know: frames.
"""

import re
from typing import Any, Final

import msgspec

from weft import jsontext
from weft.carried import wrapped
from weft.context import Context
from weft.jsontext import is_object
from weft.losses import Losses
from weft.message import AnyPart, Message, Reasoning, Refusal, Text, ToolCall
from weft.protocols.anthropic import words
from weft.protocols.anthropic.encode import AnthropicEncoder
from weft.toolids import fitted
from weft.unfold import error_alone, failed, first_choice, lost

_ILLEGAL: Final = re.compile(r"[^a-zA-Z0-9_-]")


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body."""
    if failed(message):
        lost(AnthropicEncoder, error_alone(message, losses), context, losses)
        return jsontext.line({"type": "error", "error": message.error and words.error(message.error)})
    message = first_choice(message, losses)
    content = [block for part in message.blocks for block in _blocks(part)]
    beside = {name: message.meta[name] for name in words.METAS if name in message.meta}
    choice = message.choices[0] if message.choices else message
    body = {
        **words.message(context.response_id or message.id, message.model),
        "content": content,
        "stop_reason": words.stop_reason_of(choice),
        **beside,
        "usage": words.usage(message.usage),
    }
    lost(AnthropicEncoder, message, context, losses)
    return jsontext.line(body)


def _blocks(part: AnyPart) -> list[dict[str, Any]]:
    """The block or blocks that a part is here; none if there is no form for it."""
    own = part.opaque.raw if part.opaque is not None and part.opaque.origin.protocol == "anthropic" else None
    if isinstance(part, ToolCall) and part.executor == "client":
        return _call(part, own)
    if isinstance(part, ToolCall) and is_object(own):
        return [{**own, "input": part.arguments or {}}]
    if is_object(own):
        return [own]
    if isinstance(part, Text) and part.signatures and not part.text:
        return []
    if isinstance(part, Text):
        cited = [note.raw for note in part.annotations if note.kind in words.CITATIONS]
        return [{"type": "text", "text": part.text, **({"citations": cited} if cited else {})}]
    if isinstance(part, Refusal):
        return [{"type": "text", "text": part.text}]
    return _thinking(part) if isinstance(part, Reasoning) else []


def _call(part: ToolCall, own: Any) -> list[dict[str, Any]]:
    """A call that can be executed. Input is an object: of one that was cut off there is none, and an empty one would be run."""
    if not part.complete:
        return []
    arguments: Any = part.arguments or {}
    if part.tool != "custom" and part.raw:
        arguments = msgspec.Raw(jsontext.one_line(part.raw))
    beside = own if is_object(own) else {}
    return [{**beside, "type": "tool_use", "id": fitted(part.id, _ILLEGAL), "name": part.name, "input": arguments}]


def _thinking(part: Reasoning) -> list[dict[str, Any]]:
    states = [
        (state, state.value if state.origin.protocol == "anthropic" else wrapped(state)) for state in part.signatures
    ]
    sealed = [{"type": "redacted_thinking", "data": value} for state, value in states if state.encrypted]
    plain = next((value for state, value in states if not state.encrypted), "")
    if sealed and not part.text and not plain:
        return sealed
    return [{"type": "thinking", "thinking": part.text, "signature": plain}, *sealed]
