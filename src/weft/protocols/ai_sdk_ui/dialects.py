"""How a UI message stream ends.

Knows: the declarations. Must not know: how they are obeyed.
"""

from weft.protocol import Dialect
from weft.rules import Rules

# The finish chunk is the end; [DONE] is only the transport's, and comes after a cut as well.
AI_SDK_UI = Dialect(rules=Rules(ends_on=frozenset({"terminal"})))
