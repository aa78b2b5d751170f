"""How Bedrock's streams end and count.

Knows: the declarations. Must not know: how they are obeyed.
"""

from weft.protocol import Dialect
from weft.rules import Rules

# messageStop makes the end true; the terminator is that and metadata, whichever comes last.
BEDROCK = Dialect(rules=Rules(ends_on=frozenset({"finish", "terminal"}), usage="replace"))
