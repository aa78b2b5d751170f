"""Amazon Bedrock's Converse: ConverseStream and the whole reply."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.bedrock.decode import ConverseDecoder
from weft.protocols.bedrock.dialects import BEDROCK
from weft.protocols.bedrock.encode import ConverseEncoder
from weft.protocols.bedrock.reply import reply
from weft.protocols.bedrock.request import ConverseTurn
from weft.protocols.bedrock.sdk import framed
from weft.protocols.bedrock.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="bedrock",
    title="Amazon Bedrock Converse",
    framing="aws",
    never=frozenset("choices steps usage_early file_partial logprobs channel model created".split()),
    decoder=ConverseDecoder,
    encoder=ConverseEncoder,
    reply=reply,
    turn=ConverseTurn,
    dialect=BEDROCK,
    ignores=IGNORES,
    framed=framed,
    signs=(
        Sign("contentBlockIndex", None, 0.95),
        Sign("stopReason", None, 0.8),
        Sign("metrics.latencyMs", None, 0.8),
        Sign("output.message", None, 0.8),
        Sign("contentBlockDelta", None, 0.95),
        Sign("messageStart", None, 0.6),
    ),
)
