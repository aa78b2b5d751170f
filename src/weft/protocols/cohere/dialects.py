"""How Cohere's streams end and count, and the version before.

Knows: the declarations. Must not know: how they are obeyed.
"""

from weft.protocol import Dialect
from weft.rules import Rules

RULES = Rules(ends_on=frozenset({"terminal"}), usage="replace")

COHERE = Dialect(rules=RULES)

# Its frames tell themselves apart (`event_type`), so the bare name reads them too; the row is its name.
ROWS = (
    Dialect(
        name="v1",
        title="Cohere chat, version 1",
        rules=RULES,
        evidence="atlas 2.8.3: NDJSON lines of `event_type`, until stream-end",
    ),
)
