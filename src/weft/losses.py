"""What a conversion can lose: one vocabulary for what encoders declare and for what a stream really lost.

Knows: the words and what they mean. Must not know: which protocol loses what; each encoder declares that itself.
"""

import msgspec

WHAT: dict[str, str] = {
    "choices": "all choices but the first",
    "reasoning": "the text of reasoning",
    "reasoning_form": "whether reasoning is raw or a summary, and how it is divided into parts",
    "signature": "opaque state that its origin wants back: signatures, encrypted or redacted reasoning",
    "refusal": "the fact that a text is a refusal",
    "order": "the order of text, reasoning and calls relative to each other",
    "blocks": "where one block ends and the next of its kind begins",
    "tool_call": "tool calls",
    "tool_kind": "what kind of tool was called (custom, shell, ...)",
    "tool_call_id": "the id of a call",
    "args_stream": "the fact that arguments came in pieces: they are sent whole",
    "args_text": "the original text of the arguments: they are sent as an object",
    "args_invalid": "arguments that are not a JSON object",
    "executor": "the fact that the provider runs the tool itself",
    "tool_result": "the result of a tool that the provider ran",
    "annotation": "citations and sources",
    "annotation_offsets": "the position of a citation in the text, and the words that it cites",
    "file": "generated files: images, audio, documents",
    "file_partial": "previews of a file that is still being made",
    "opaque": "items that only their own protocol can express",
    "unknown": "frames that Weft does not know",
    "logprobs": "log probabilities",
    "channel": "the channel of a text",
    "usage": "token counts",
    "usage_split": "the breakdown of the counts: read from cache, written to cache, reasoning",
    "usage_early": "token counts before the end",
    "finish": "the reason why the model stopped, in the source's own word",
    "finish_other": "a finish reason that the target does not have",
    "error_detail": "an error's type, code, parameter or retry time",
    "meta": "facts about the message: tier, grounding, serving provider",
    "member": "members of the source's frames that Weft does not read (in full reports only)",
    "id": "the message's id",
    "model": "the model's name",
    "created": "the time at which the message was created",
    "steps": "where one step ends and the next begins",
    "incomplete": "the fact that a block was cut off",
    "content": "what came before a failure, in a whole reply that consists of the error only",
}


class Loss(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that this stream had and the target's bytes do not: what, where, why. `count` says how often."""

    what: str
    why: str
    where: str = "message"
    count: int = 1


class Losses:
    """Collects losses; the same loss in the same place is counted, not repeated."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, str], int] = {}

    def add(self, what: str, why: str, where: str = "message") -> None:
        """Report one loss. `what` is a word of `WHAT`."""
        key = (what, why, where)
        self._counts[key] = self._counts.get(key, 0) + 1

    def report(self) -> list[Loss]:
        """All losses so far, in order of first appearance. Empty when nothing was lost."""
        return [Loss(what, why, where, count) for (what, why, where), count in self._counts.items()]
