"""How Gemini's streams end and count.

Knows: the declarations. Must not know: how they are obeyed.
"""

from weft.protocol import Dialect
from weft.rules import Rules

# No terminator of its own: only a finish ends it, and a `[DONE]` that some gateway adds proves nothing.
GEMINI = Dialect(rules=Rules(ends_on=frozenset({"finish"}), usage="replace"))
