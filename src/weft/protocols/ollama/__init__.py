"""Ollama's native API: /api/chat and /api/generate."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.ollama.decode import OllamaDecoder
from weft.protocols.ollama.dialects import OLLAMA
from weft.protocols.ollama.encode import OllamaEncoder
from weft.protocols.ollama.reply import reply
from weft.protocols.ollama.request import OllamaTurn
from weft.protocols.ollama.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="ollama",
    title="Ollama native chat and generate",
    framing="ndjson",
    never=frozenset(
        "choices steps usage_early usage_split file_partial annotation annotation_offsets signature executor tool_result opaque".split()
    ),
    decoder=OllamaDecoder,
    encoder=OllamaEncoder,
    reply=reply,
    turn=OllamaTurn,
    dialect=OLLAMA,
    ignores=IGNORES,
    signs=(
        Sign("created_at", "", 0.6),
        Sign("done", None, 0.8),
        Sign("message.role", "assistant", 0.4),
        Sign("response", "", 0.4),
        Sign("eval_count", None, 0.6),
        Sign("delta.choices", None, 0.9),
        Sign("kind", "json", 0.4),
        Sign("error", "", 0.5),
    ),
)
