"""Seed 001 as a component: a provider's deltas in, the events of a Responses stream out, by a machine that can be driven by hand.

Knows: the public names. Must not know: anything else. It stands on the core: the provider-delta decoder, the assembler, the steps, the
openai-responses encoder.
"""

from weft.reconstruction.bridge_error import BridgeContext, BridgeError
from weft.reconstruction.delta import (
    ErrorDelta,
    ProviderStreamDelta,
    ResponseStreamEvent,
    ToolCallDelta,
    UsageDelta,
)
from weft.reconstruction.event_bridge import ProviderStreamEventBridge, abridge, bridge
from weft.reconstruction.machine import ResponseStreamPhase, ResponseStreamStateMachine
from weft.reconstruction.sse import ResponseSseEncoder
from weft.reconstruction.stream_reconstructor import map_provider_deltas_to_events

__all__ = [
    "BridgeContext",
    "BridgeError",
    "ErrorDelta",
    "ProviderStreamDelta",
    "ProviderStreamEventBridge",
    "ResponseSseEncoder",
    "ResponseStreamEvent",
    "ResponseStreamPhase",
    "ResponseStreamStateMachine",
    "ToolCallDelta",
    "UsageDelta",
    "abridge",
    "bridge",
    "map_provider_deltas_to_events",
]
