"""Who else serves Anthropic Messages: one row for each that needs one.

Knows: where a host differs. What merely leaves out or adds members is tolerated by the wire types and needs no row.
Must not know: how a row is obeyed.
"""

from weft.protocol import Dialect, Sign
from weft.protocols.anthropic.wire import METRICS
from weft.rules import Rules


class AnthropicDialect(Dialect, frozen=True, kw_only=True):
    """`provider` is told with every signature: one host's is of no use to another. `ids` are prefixes of message ids that betray the host."""

    provider: str | None = None
    ids: tuple[str, ...] = ()


RULES = Rules(ends_on=frozenset({"finish", "terminal"}), usage="replace")

MESSAGES = AnthropicDialect(rules=RULES)

BEDROCK = AnthropicDialect(
    name="bedrock",
    title="Amazon Bedrock, InvokeModelWithResponseStream",
    rules=RULES,
    provider="bedrock",
    ids=("msg_bdrk_",),
    signs=(Sign(":name", "chunk"), Sign("message.id", "msg_bdrk_"), Sign("id", "msg_bdrk_"), Sign(METRICS)),
    evidence="atlas 2.7, 4.2",
)

VERTEX = AnthropicDialect(
    name="vertex",
    title="Google Vertex AI, streamRawPredict",
    rules=RULES,
    provider="vertex",
    ids=("msg_vrtx_",),
    signs=(Sign("message.id", "msg_vrtx_"), Sign("id", "msg_vrtx_")),
    evidence="atlas 2.3.7, 4.2",
)

ROWS: tuple[AnthropicDialect, ...] = (BEDROCK, VERTEX)


def provider_of(id: str | None) -> str | None:
    """The host that a message's id betrays."""
    return next((row.provider for row in ROWS if id and id.startswith(row.ids)), None)
