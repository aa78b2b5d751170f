"""Vercel's AI SDK: the parts of `fullStream`, as JSON lines or parsed, and those of the providers beneath it."""

from weft.protocol import ProtocolSpec, Sign
from weft.protocols.ai_sdk.decode import AISDKDecoder
from weft.protocols.ai_sdk.dialects import AI_SDK
from weft.protocols.ai_sdk.wire import IGNORES

PROTOCOL = ProtocolSpec(
    name="ai-sdk",
    title="Vercel AI SDK fullStream parts",
    framing="ndjson",
    never=frozenset("choices refusal logprobs".split()),
    decoder=AISDKDecoder,
    dialect=AI_SDK,
    ignores=IGNORES,
    signs=(
        Sign("type", "text-delta", 0.4),
        Sign("type", "reasoning-delta", 0.4),
        Sign("type", "start-step", 0.4),
        Sign("type", "stream-start", 0.9),
        Sign("type", "response-metadata", 0.9),
        Sign("type", "tool-call-streaming-start", 0.9),
        Sign("type", "tool-input-", 0.4),
        Sign("type", "step-start", 0.4),
        Sign("warnings", None, 0.7),
        Sign("request", None, 0.5),
        Sign("toolCallId", None, 0.4),
        Sign("textDelta", None, 0.9),
        Sign("argsTextDelta", None, 0.9),
        Sign("totalUsage", None, 0.9),
        Sign("rawFinishReason", None, 0.8),
        Sign("usage.inputTokens", None, 0.4),
        Sign("usage.inputTokenDetails", None, 0.8),
    ),
)
