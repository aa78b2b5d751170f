"""How Ollama's streams end and count.

Knows: the declarations. Must not know: how they are obeyed.
"""

from weft.protocol import Dialect
from weft.rules import Rules

# `done` is the terminator. A finish or `[DONE]` comes only from those who tag lines of chat.completions as Ollama's.
OLLAMA = Dialect(rules=Rules(ends_on=frozenset({"terminal", "finish", "done"}), usage="replace"))
