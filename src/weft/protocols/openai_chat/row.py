"""The order in which the blocks of each choice are said, and what a client cannot see of it.

Knows: that reasoning, text and calls are separate members, and that text and reasoning run together.
Must not know: chunks.
"""

from typing import Final

from weft.events import BlockKind, BlockStart, ReasoningForm

_RANK: Final[dict[BlockKind, int]] = {"reasoning": 0, "text": 1, "refusal": 1, "tool_call": 2}

Thought = tuple[int, int, ReasoningForm]
"""A block of reasoning, the part of it, and its form."""


class Row:
    """The blocks of one stream as they are entered."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, BlockKind], int] = {}
        self._seen: set[int] = set()
        self._rank: dict[int, int] = {}
        self._thoughts: dict[int, Thought] = {}

    def enter(self, start: BlockStart) -> tuple[str | None, int | None]:
        """What is said now is of this block. Gives the word of what is lost by that, and the block of its kind that was left for it."""
        key = start.choice, start.kind
        left, self._last[key] = self._last.get(key), start.index
        rank, highest = _RANK[start.kind], self._rank.get(start.choice, 0)
        if left == start.index:
            return ("order" if rank < highest else None), None
        again = start.index in self._seen
        self._seen.add(start.index)
        self._rank[start.choice] = max(rank, highest)
        if again or rank < highest or (left is not None and start.index < left):
            return "order", left
        return ("blocks" if left is not None and start.kind != "tool_call" else None), left

    def turned(self, choice: int, thought: Thought) -> bool:
        """Is this another piece of reasoning than the choice's last?"""
        before = self._thoughts.get(choice, thought)
        self._thoughts[choice] = thought
        return before != thought

    def sealed(self, start: BlockStart) -> None:
        """State was said that ends its block: what follows is seen to be another."""
        self._last.pop((start.choice, start.kind), None)
        self._thoughts.pop(start.choice, None)
