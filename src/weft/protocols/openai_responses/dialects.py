"""Who else serves the Responses API: one row for each of whom something is known that the bytes do not say.

Knows: where a host differs. What merely leaves out, repeats or adds members is read by the bare protocol and needs no row.
Must not know: how a row is obeyed.
"""

from weft.events import Executor
from weft.protocol import Dialect
from weft.rules import Rules


class ResponsesDialect(Dialect, frozen=True, kw_only=True):
    """`provider` is told with encrypted reasoning: one host's is of no use to another. `custom_tools` says who runs those."""

    provider: str | None = None
    custom_tools: Executor = "client"


RULES = Rules(ends_on=frozenset({"terminal"}), usage="replace")

RESPONSES = ResponsesDialect(rules=RULES)

ROWS: tuple[ResponsesDialect, ...] = ()
