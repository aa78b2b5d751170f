"""Reasoning that is more than text: OpenRouter's typed details, LiteLLM's copies of Anthropic's blocks.

Knows: their members, and which of them are deltas and which are state that goes back to its origin.
Must not know: blocks or other protocols.
"""

from typing import Final

from weft.assembler import Assembler
from weft.protocols.openai_chat.wire import ReasoningDetail, ThinkingBlock

OPAQUE: Final = "reasoning_opaque"
BLOCKS: Final = "thinking_blocks"
"""The format of state that has none of its own: the member that it came in, and goes back in."""


class Details:
    """The `reasoning_details` of one stream. Text and summary are deltas; a signature or encrypted data is whole.

    The index of a detail becomes the part. Text with a new index is another block of reasoning, and so is what Anthropic redacted: each is
    signed for itself: its state ends it. Others' data belongs to the summary before it. Google's signs what it stands beside rather than a thought: the call
    whose id it bears, or what was said before it.
    """

    def __init__(self) -> None:
        self._index: dict[int, int] = {}
        self._calls: dict[str, int] = {}
        self._early: dict[str, tuple[ReasoningDetail, int]] = {}

    def take(self, out: Assembler, details: list[ReasoningDetail], choice: int) -> None:
        """Say the details of one delta."""
        for detail in details:
            part = detail.index or 0
            if detail.text:
                self._set_apart(out, choice, part)
                out.reasoning(detail.text, choice, None, part)
            if detail.summary:
                out.reasoning(detail.summary, choice, None, part, "summary")
            if detail.signature:
                out.signature(detail.signature, choice, part=part, item=detail.id, format=detail.format)
                out.split(choice)
            if detail.data:
                self._encrypted(out, detail, detail.data, choice)

    def called(self, out: Assembler, id: str, block: int) -> None:
        """A call was announced: state that came before it is attached."""
        self._calls[id] = block
        early = self._early.pop(id, None)
        if early is not None:
            self._sign_call(out, block, early[0])

    def _sign_call(self, out: Assembler, block: int, detail: ReasoningDetail) -> None:
        out.call_signature(block, detail.data or "", detail.format, encrypted=True, part=detail.index)

    def flush(self, out: Assembler) -> None:
        """A choice is over: state for calls that never came is reasoning of its own."""
        for detail, choice in self._early.values():
            _sign_reasoning(out, detail, choice)
        self._early.clear()

    def _set_apart(self, out: Assembler, choice: int, part: int) -> None:
        """What has another index than the text before it is a block of its own."""
        if self._index.setdefault(choice, part) != part:
            out.split(choice)
            self._index[choice] = part

    def _encrypted(self, out: Assembler, detail: ReasoningDetail, data: str, choice: int) -> None:
        maker = (detail.format or "").partition("-")[0]
        if maker == "anthropic":
            self._set_apart(out, choice, detail.index or 0)
        if maker != "google":
            _sign_reasoning(out, detail, choice)
        elif not detail.id:
            out.signature(data, choice, part=detail.index, kind=None, format=detail.format, encrypted=True)
        elif detail.id in self._calls:
            self._sign_call(out, self._calls[detail.id], detail)
        else:
            self._early[detail.id] = detail, choice


def _sign_reasoning(out: Assembler, detail: ReasoningDetail, choice: int) -> None:
    out.signature(detail.data or "", choice, part=detail.index, item=detail.id, format=detail.format, encrypted=True)
    out.split(choice)


def thinking_blocks(out: Assembler, blocks: list[ThinkingBlock], choice: int, *, said: bool) -> None:
    """Anthropic's blocks as LiteLLM hands them on; their text is mostly said beside them, too. A signature ends its block."""
    for block in blocks:
        if block.thinking and not said:
            out.reasoning(block.thinking, choice)
        if block.data:
            out.split(choice)
        if block.signature or block.data:
            out.signature(block.signature or block.data or "", choice, format=BLOCKS, encrypted=not block.signature)
            out.split(choice)
