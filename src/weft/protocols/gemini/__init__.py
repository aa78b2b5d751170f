"""Google Gemini: streamGenerateContent and generateContent, of AI Studio, Vertex, Firebase and Code Assist."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.gemini.decode import GeminiDecoder
from weft.protocols.gemini.dialects import GEMINI, ROWS
from weft.protocols.gemini.encode import GeminiEncoder
from weft.protocols.gemini.names import framed
from weft.protocols.gemini.reply import reply
from weft.protocols.gemini.request import GeminiTurn
from weft.protocols.gemini.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="gemini",
    title="Google Gemini generateContent",
    framing="sse",
    never=frozenset("steps usage_early file_partial".split()),
    decoder=GeminiDecoder,
    encoder=GeminiEncoder,
    reply=reply,
    turn=GeminiTurn,
    dialect=GEMINI,
    dialects=ROWS,
    ignores=IGNORES,
    framed=framed,
    signs=(
        Sign("candidates.content", None, 0.95),
        Sign("candidates", None, 0.6),
        Sign("usageMetadata", None, 0.9),
        Sign("promptFeedback.blockReason", None, 0.95),
        Sign("response.candidates", None, 0.95),
        Sign("candidates.finish_reason", None, 0.4),
        Sign("event_type", "interaction.", 0.98),
        Sign("event_type", "step.", 0.8),
        Sign("object", "interaction", 0.98),
        Sign("error.status", "", 0.8),
    ),
)
