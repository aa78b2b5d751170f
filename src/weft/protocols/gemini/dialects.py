"""How Gemini's streams end and count.

Knows: the declarations. Must not know: how they are obeyed.
"""

from weft.protocol import Dialect, Sign
from weft.rules import Rules

# No terminator of its own: only a finish, or the status of an interaction, ends it; a `[DONE]` that some gateway adds proves nothing.
RULES = Rules(ends_on=frozenset({"finish"}), usage="replace")

GEMINI = Dialect(rules=RULES)

ROWS: tuple[Dialect, ...] = (
    Dialect(
        name="interactions",
        title="Gemini Interactions",
        rules=RULES,
        signs=(Sign("event_type", "interaction.", 0.9), Sign("object", "interaction", 0.9)),
        evidence="ai.google.dev/api/interactions-api: events with event_type, in two generations",
    ),
)
