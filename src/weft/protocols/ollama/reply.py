"""The whole reply: the lines of a stream of the same message, put together.

Knows: that a reply is one line with everything in it. Must not know: what a call or an end looks like; the encoder does.
"""

from typing import Any

import msgspec

from weft import jsontext
from weft.context import Context
from weft.losses import Losses
from weft.message import Message
from weft.protocols.ollama.encode import OllamaEncoder
from weft.unfold import error_alone, failed, first_choice, unfold


class _Message(msgspec.Struct):
    role: str = "assistant"
    content: str = ""
    thinking: str = ""
    tool_calls: list[msgspec.Raw] = []


class _Line(msgspec.Struct):
    message: _Message
    logprobs: list[msgspec.Raw] = []


_ORDER = "thinking, text and calls are separate members of a reply: their order among each other is not said"
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_line = msgspec.json.Decoder(_Line).decode


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body, for `http_status(message.error)`."""
    frames: list[bytes] = []
    encoder = OllamaEncoder(frames.append, context, losses)
    told = error_alone(message, losses) if failed(message) else first_choice(message, losses)
    for event in unfold(told):
        encoder.feed(event)
    body: dict[str, Any] = _members(frames[-1])
    if "error" in body:
        return frames[-1].strip()
    lines = [_line(frame) for frame in frames]
    said: dict[str, Any] = {"role": "assistant", "content": "".join(line.message.content for line in lines)}
    said["thinking"] = _thinking(lines, losses)
    said["tool_calls"] = [call for line in lines for call in line.message.tool_calls]
    kept = {name: value for name, value in said.items() if value or name == "content"}
    logprobs = [token for line in lines for token in line.logprobs]
    return jsontext.line({**body, "message": kept, **({"logprobs": logprobs} if logprobs else {})})


def _thinking(lines: list[_Line], losses: Losses) -> str:
    """All thinking; a blank line stands where something else was between. What comes behind what stands after it in a reply lost its place."""
    pieces: list[str] = []
    last = highest = 0
    for line in lines:
        message = line.message
        rank = 3 if message.tool_calls else 2 if message.content else 1 if message.thinking else last
        if rank < highest and rank != last:
            losses.add("order", _ORDER)
        if rank == 1:
            pieces += ["\n\n", message.thinking] if pieces and last > 1 else [message.thinking]
        last, highest = rank, max(rank, highest)
    return "".join(pieces)
