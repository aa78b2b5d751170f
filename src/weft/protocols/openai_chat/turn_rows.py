"""What those who speak chat.completions want of an assistant's message in their requests: one row for each of whom something is known.

Knows: under which name reasoning goes back and when it has to, which ids are refused, who takes refusals and free text for a tool.
Must not know: how a row is obeyed.
"""

import re
from typing import Final, Literal

import msgspec

from weft.protocols.openai_chat.dialects import ROWS as DIALECTS

Slot = Literal["reasoning_content", "reasoning", "reasoning_text", "parts", "tags"]
"""Where reasoning stands: a member of the message, a part of its content (Mistral), or in tags before the text (MiniMax)."""


class TurnRow(msgspec.Struct, frozen=True, kw_only=True):
    """One server. `slot` is where unsigned reasoning of any origin goes; None: it has no place, unless the same server said it.

    `takes` are the kinds of state that have a place: `reasoning_details`, `thinking_blocks`, `reasoning_opaque`, `extra_content`.
    `missing` is what stands there if a turn with calls has no reasoning, since it is refused without. `open_ai`: refusals and custom tools are known.
    """

    slot: Slot | None = None
    takes: frozenset[str] = frozenset()
    missing: str | None = None
    illegal: re.Pattern[str] | None = None
    longest: int = 40
    exactly: int | None = None
    open_ai: bool = False
    evidence: str = ""


ALL: Final = frozenset({"reasoning_details", "thinking_blocks", "reasoning_opaque", "extra_content"})
DETAILS: Final = frozenset({"reasoning_details"})
GOOGLE: Final = frozenset({"extra_content"})

BARE: Final = TurnRow(
    takes=ALL, open_ai=True, evidence="OpenAI itself: ids of at most 40 characters (failures A22); no reasoning"
)

TURN_ROWS: Final[dict[str, TurnRow]] = {
    "azure": TurnRow(open_ai=True, evidence="40 characters (failures A22)"),
    "deepseek": TurnRow(
        slot="reasoning_content", missing="",
        evidence="api-docs.deepseek.com, thinking mode: 400 for a turn with calls without it, though it be empty; ignored elsewhere",
    ),
    "moonshot": TurnRow(
        slot="reasoning_content", missing=" ",
        evidence="400 for a turn with calls without it; empty counts as missing, one space does not (earendil-works/pi#4178)",
    ),
    "zhipu": TurnRow(slot="reasoning_content", evidence="preserved thinking (atlas 2.1.5)"),
    "qwen": TurnRow(slot="reasoning_content", evidence="atlas 2.1.5"),
    "xiaomi": TurnRow(slot="reasoning_content", evidence="as DeepSeek (requirements A6)"),
    "xai": TurnRow(slot="reasoning_content", evidence="atlas 2.1.5"),
    "sglang": TurnRow(slot="reasoning_content", evidence="atlas 2.1.5"),
    "llamacpp": TurnRow(slot="reasoning_content", evidence="atlas 2.1.5"),
    "nvidia": TurnRow(slot="reasoning_content", evidence="atlas 2.1.5"),
    "litellm": TurnRow(slot="reasoning_content", takes=ALL, evidence="atlas 2.1.5; its copies of Anthropic's blocks go back as thinking_blocks"),
    "fireworks": TurnRow(slot="reasoning_content", evidence="atlas 2.1.5"),
    "vllm": TurnRow(slot="reasoning", evidence="renamed (atlas 2.1.5, failures F1)"),
    "openrouter": TurnRow(slot="reasoning", takes=DETAILS, evidence="signed reasoning goes back as reasoning_details, in order and unchanged (atlas 2.1.11)"),
    "groq": TurnRow(slot="reasoning", evidence="refuses other names (atlas 2.1.5)"),
    "cerebras": TurnRow(slot="reasoning", evidence="atlas 2.1.5"),
    "together": TurnRow(slot="reasoning", evidence="atlas 2.1.5"),
    "huggingface": TurnRow(slot="reasoning", evidence="atlas 2.1.5"),
    "ollama": TurnRow(slot="reasoning", evidence="atlas 2.1.5"),
    "copilot": TurnRow(slot="reasoning_text", takes=frozenset({"reasoning_opaque"}), evidence="with reasoning_opaque beside it (atlas 2.1.5)"),
    "mistral": TurnRow(
        slot="parts", illegal=re.compile("[^a-zA-Z0-9]"), exactly=9,
        evidence="thinking is a part of the content; ids are nine letters and digits (atlas 2.1.11, 4.3)",
    ),
    "google": TurnRow(takes=GOOGLE, evidence="thought_signature in extra_content (atlas 2.1.11)"),
    "minimax": TurnRow(slot="tags", takes=DETAILS, evidence="what it said goes back as it was, tags and all (atlas 2.1.5)"),
}  # fmt: skip


def row_of(dialect: str, model: str | None) -> TurnRow:
    """The row of the dialect, or of the one that the model's name tells of."""
    if not dialect and model:
        named = next((row for row in DIALECTS if row.models and model.lower().startswith(row.models)), None)
        dialect = named.name if named is not None else ""
    return TURN_ROWS.get(dialect, TurnRow(takes=ALL) if dialect else BARE)
