"""OpenAI Responses and those who speak it."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.openai_responses.decode import ResponsesDecoder
from weft.protocols.openai_responses.dialects import RESPONSES, ROWS
from weft.protocols.openai_responses.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="openai-responses",
    title="OpenAI Responses",
    framing="sse",
    decoder=ResponsesDecoder,
    dialect=RESPONSES,
    dialects=ROWS,
    ignores=IGNORES,
    signs=(
        Sign("type", "response.", 2.0),
        Sign("object", "response", 2.0),
        Sign("response.object", "response", 1.0),
        Sign("output_index", None, 0.5),
    ),
)
