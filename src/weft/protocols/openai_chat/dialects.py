"""The imitators of chat.completions: one row for each that needs one.

Knows: where an imitator contradicts the protocol. What merely adds members is tolerated by the wire types and needs no row.
Must not know: how a row is obeyed.
"""

from typing import Literal

from weft.protocol import Dialect
from weft.rules import Rules


class ChatDialect(Dialect, frozen=True, kw_only=True):
    """`choices_are` phases: the choice index counts phases of one answer. `output_tokens` exclusive: reasoning is not in completion_tokens."""

    choices_are: Literal["answers", "phases"] = "answers"
    output_tokens: Literal["inclusive", "exclusive"] = "inclusive"
    arguments: Literal["delta", "snapshot"] = "delta"
    text: Literal["delta", "snapshot"] = "delta"


RULES = Rules(ends_on=frozenset({"finish", "done"}), usage="replace")

CHAT = ChatDialect(rules=RULES)

ROWS: tuple[ChatDialect, ...] = (
    ChatDialect(name="zhipu", title="Zhipu / Z.ai GLM", rules=RULES, choices_are="phases", models=("glm-",)),
    ChatDialect(name="xai", title="xAI", rules=RULES, output_tokens="exclusive", models=("grok-",)),
)
