"""Anthropic Messages, from Anthropic, Vertex, Bedrock's InvokeModel and the many that imitate it."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.anthropic import families
from weft.protocols.anthropic.decode import AnthropicDecoder, framed
from weft.protocols.anthropic.dialects import MESSAGES, ROWS
from weft.protocols.anthropic.encode import AnthropicEncoder
from weft.protocols.anthropic.reply import reply
from weft.protocols.anthropic.request import AnthropicTurn
from weft.protocols.anthropic.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="anthropic",
    title="Anthropic Messages",
    framing="sse",
    never=frozenset("choices steps usage_early file file_partial logprobs channel created".split()),
    decoder=AnthropicDecoder,
    encoder=AnthropicEncoder,
    reply=reply,
    turn=AnthropicTurn,
    dialect=MESSAGES,
    dialects=ROWS,
    ignores=IGNORES | families.MEMBERS,
    framed=framed,
    signs=(
        Sign("type", "message_", 0.95),
        Sign(":name", "message_start", 0.9),
        Sign("type", "content_block_", 0.97),
        Sign("message.type", "message", 0.9),
        Sign("type", "message", 0.4),
        Sign("id", "msg_", 0.6),
        Sign("content.type", None, 0.4),
        Sign("stop_reason", None, 0.6),
        Sign("usage.cache_read_input_tokens", None, 0.6),
        Sign("type", "error", 0.75),
        *(Sign(row.mark if row.text == row.mark else f"{row.mark}.{row.text}", "", 0.9) for row in families.ROWS),
        Sign(":name", "chunk", 0.9),
    ),
)
