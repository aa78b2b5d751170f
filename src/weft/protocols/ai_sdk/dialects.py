"""How the AI SDK's streams end and count.

Knows: the declarations. Must not know: how they are obeyed.
"""

from weft.protocol import Dialect
from weft.rules import Rules

# The finish part names the whole run's usage, which replaces the sum of the steps so far.
AI_SDK = Dialect(rules=Rules(ends_on=frozenset({"terminal"}), usage="replace"))
