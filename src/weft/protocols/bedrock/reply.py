"""The whole reply of Converse: the blocks of a stream of the same message, put together.

Knows: what a block is when it is whole. Must not know: when anything is said; the encoder does.
"""

from typing import Any

import msgspec

from weft import jsontext
from weft.context import Context
from weft.framing import AWSEventStream
from weft.losses import Losses
from weft.message import Message
from weft.protocols.bedrock import words
from weft.protocols.bedrock.encode import ConverseEncoder
from weft.unfold import end, error_alone, first_choice, unfold


def reply(message: Message, context: Context, losses: Losses) -> bytes:
    """The body. A message that failed is the error body, for `http_status(message.error)`."""
    whole = _Whole(losses)
    framer = AWSEventStream(whole.take, _sound)
    encoder = ConverseEncoder(framer.feed, context, losses)
    is_failure = words.is_failure(end(message))
    for event in unfold(error_alone(message, losses) if is_failure else first_choice(message, losses)):
        encoder.feed(event)
    return jsontext.line(whole.body)


def _sound(code: str, message: str, fatal: bool) -> None:
    """Frames of our own have no faults."""


class _Whole:
    """What the events amount to."""

    def __init__(self, losses: Losses) -> None:
        self.body: dict[str, Any] = {}
        self._losses = losses
        self._blocks: list[dict[str, Any]] = []
        self._stopped: set[int] = set()

    def take(self, payload: bytes, name: str) -> None:
        """One event."""
        event: dict[str, Any] = jsontext.read_object(payload)
        if name.startswith("exception:"):
            kind = name.removeprefix("exception:")
            self.body = {"__type": kind[:1].upper() + kind[1:], **event}
        elif name == "contentBlockStart":
            self._blocks.append(dict(event["start"]))
        elif name == "contentBlockDelta":
            if event["contentBlockIndex"] == len(self._blocks):
                self._blocks.append({})
            _add(self._blocks[-1], event["delta"])
        elif name == "contentBlockStop":
            self._stopped.add(event["contentBlockIndex"])
        elif name == "messageStop":
            content = [_finished(block) for index, block in enumerate(self._blocks) if self._is_whole(index, block)]
            self.body = {"output": {"message": {"role": "assistant", "content": content}}, **event}
        elif name == "metadata":
            self.body |= event

    def _is_whole(self, index: int, block: dict[str, Any]) -> bool:
        """A call that was left open would read as one to execute."""
        if "toolUse" not in block or index in self._stopped:
            return True
        self._losses.add("incomplete", ConverseEncoder.loses["incomplete"], f"block {index}")
        return False


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """A delta of a block: text and input grow, the rest is said once or listed."""
    for name, value in delta.items():
        if name == "text":
            block["text"] = block.get("text", "") + value
        elif name == "toolUse":
            use = block["toolUse"]
            use["input"] = use.get("input", "") + value["input"]
        elif name == "toolResult":
            block["toolResult"]["content"] = [*block["toolResult"].get("content", []), *value]
        elif name == "citation":
            block["citations"] = [*block.get("citations", []), value]
        elif name == "image":
            block["image"] |= value
        else:
            held = block.setdefault(name, {})
            held |= {key: held.get(key, "") + piece for key, piece in value.items()}


def _finished(block: dict[str, Any]) -> dict[str, Any]:
    """A block as a reply has it: input is an object, reasoning text stands beside its signature, what is cited with its citations."""
    if "toolUse" in block:
        use = block["toolUse"]
        args = jsontext.object_line(use.get("input", ""))
        return {"toolUse": {**use, "input": msgspec.Raw(args or b"{}")}}
    if "reasoningContent" in block and "redactedContent" not in block["reasoningContent"]:
        return {"reasoningContent": {"reasoningText": {"text": "", **block["reasoningContent"]}}}
    if "citations" in block:
        return {"citationsContent": {"content": [{"text": block.get("text", "")}], "citations": block["citations"]}}
    return block
