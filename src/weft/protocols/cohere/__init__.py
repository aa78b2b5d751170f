"""Cohere's chat, version 2 (and what is left of version 1)."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.cohere.decode import CohereDecoder
from weft.protocols.cohere.dialects import COHERE, ROWS
from weft.protocols.cohere.encode import CohereEncoder
from weft.protocols.cohere.reply import reply
from weft.protocols.cohere.request import CohereTurn
from weft.protocols.cohere.v1 import MEMBERS
from weft.protocols.cohere.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="cohere",
    title="Cohere v2 chat",
    framing="sse",
    never=frozenset(
        "choices steps usage_early file file_partial signature executor tool_result opaque model created".split()
    ),
    decoder=CohereDecoder,
    encoder=CohereEncoder,
    reply=reply,
    turn=CohereTurn,
    dialect=COHERE,
    dialects=ROWS,
    ignores=IGNORES | MEMBERS,
    signs=(
        Sign("type", "content-", 0.8),
        Sign("type", "message-", 0.6),
        Sign("type", "tool-", 0.4),
        Sign("type", "citation-", 0.8),
        Sign("delta.message", None, 0.8),
        Sign("usage.billed_units", None, 0.9),
        Sign("event_type", None, 0.6),
        Sign("is_finished", None, 0.8),
        Sign("generation_id", None, 0.6),
        Sign("meta.billed_units", None, 0.9),
    ),
)
