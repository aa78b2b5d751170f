"""The AI SDK's UI message stream: what a server sends to `useChat`."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.ai_sdk_ui.decode import UIStreamDecoder
from weft.protocols.ai_sdk_ui.dialects import AI_SDK_UI
from weft.protocols.ai_sdk_ui.encode import UIStreamEncoder
from weft.protocols.ai_sdk_ui.reply import reply
from weft.protocols.ai_sdk_ui.request import UITurn
from weft.protocols.ai_sdk_ui.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="ai-sdk-ui",
    title="Vercel AI SDK UI message stream",
    framing="sse",
    never=frozenset("choices refusal logprobs model created".split()),
    decoder=UIStreamDecoder,
    encoder=UIStreamEncoder,
    reply=reply,
    turn=UITurn,
    dialect=AI_SDK_UI,
    ignores=IGNORES,
    signs=(
        Sign("type", "text-delta", 0.4),
        Sign("type", "reasoning-delta", 0.4),
        Sign("type", "start-step", 0.4),
        Sign("type", "tool-input-", 0.4),
        Sign("toolCallId", None, 0.4),
        Sign("delta", "", 0.5),
        Sign("messageId", None, 0.6),
        Sign("inputTextDelta", None, 0.9),
        Sign("type", "tool-input-available", 0.9),
        Sign("type", "tool-output-available", 0.8),
        Sign("type", "tool-output-error", 0.8),
        Sign("type", "data-", 0.8),
        Sign("type", "message-metadata", 0.8),
        Sign("errorText", None, 0.9),
        Sign("sourceId", None, 0.9),
        Sign("messageMetadata", None, 0.9),
    ),
)
