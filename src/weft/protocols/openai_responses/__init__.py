"""OpenAI Responses and those who speak it."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.openai_responses.decode import ResponsesDecoder
from weft.protocols.openai_responses.dialects import RESPONSES, ROWS
from weft.protocols.openai_responses.encode import ResponsesEncoder
from weft.protocols.openai_responses.reply import reply
from weft.protocols.openai_responses.request import ResponsesTurn
from weft.protocols.openai_responses.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="openai-responses",
    title="OpenAI Responses",
    framing="sse",
    never=frozenset("choices steps usage_early".split()),
    decoder=ResponsesDecoder,
    encoder=ResponsesEncoder,
    reply=reply,
    turn=ResponsesTurn,
    dialect=RESPONSES,
    dialects=ROWS,
    ignores=IGNORES,
    signs=(
        Sign("type", "response.", 0.9),
        Sign(":name", "response.", 0.9),
        Sign("object", "response", 0.95),
        Sign("response.object", "response", 0.9),
        Sign("id", "resp_", 0.9),
        Sign("background", None, 0.8),
        Sign("output_index", None, 0.6),
        Sign("sequence_number", None, 0.6),
    ),
)
