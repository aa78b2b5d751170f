"""What a conversion can lose: one vocabulary for what encoders declare and for what a stream really lost.

Knows: the words and what they mean. Must not know: which protocol loses what; each encoder declares that itself.
"""

import msgspec

WHAT: dict[str, str] = {
    "choices": "other choices than the first",
    "reasoning": "the text of reasoning",
    "reasoning_form": "whether reasoning is raw or a summary, and its parts",
    "signature": "opaque state that its origin wants back: signatures, encrypted or redacted reasoning",
    "refusal": "that a text is a refusal",
    "order": "the order of text, reasoning and calls among each other",
    "blocks": "where one block ends and the next of its kind begins",
    "tool_call": "calls of tools",
    "tool_kind": "what kind of tool was called (custom, shell, ...)",
    "tool_call_id": "the id of a call",
    "args_stream": "that arguments came in pieces: they are sent whole",
    "args_text": "the arguments' own text: they are sent as an object",
    "args_invalid": "arguments that are not a JSON object",
    "executor": "that the provider runs the tool itself",
    "tool_result": "what a provider-executed tool gave back",
    "annotation": "citations and sources",
    "annotation_offsets": "where in the text a citation stands, and the words that it cites",
    "file": "generated files: images, audio, documents",
    "file_partial": "previews of a file that is still being made",
    "opaque": "items that only their own protocol has words for",
    "unknown": "frames that nobody could name",
    "logprobs": "log probabilities",
    "channel": "which channel a text came on",
    "usage": "token counts",
    "usage_split": "the split of the counts: cached, written, reasoning",
    "usage_early": "counts before the end",
    "finish": "why it stopped, in the source's own words",
    "finish_other": "a finish that the target has no word for",
    "error_detail": "an error's type, code, parameter or wait",
    "meta": "facts beside the message: tier, grounding, serving provider",
    "member": "members of the source's frames that are not read (told in full reports)",
    "id": "the message's id",
    "model": "the model's name",
    "created": "when the message was made",
    "steps": "where one step of several ends",
    "incomplete": "that a block was cut off",
    "content": "what came before a failure, in a reply that is its error alone",
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
